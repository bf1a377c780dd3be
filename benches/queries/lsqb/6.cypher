// Interests of friends of friends.
MATCH (a:Person)-[:KNOWS]-(:Person)-[:KNOWS]-(c:Person)-[:HAS_INTEREST]->(:Tag)
WHERE a <> c
RETURN count(*) AS count
