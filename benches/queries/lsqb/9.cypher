// As 6, of those who do not know each other.
MATCH (a:Person)-[:KNOWS]-(:Person)-[:KNOWS]-(c:Person)-[:HAS_INTEREST]->(:Tag)
WHERE a <> c AND NOT EXISTS { (a)-[:KNOWS]-(c) }
RETURN count(*) AS count
