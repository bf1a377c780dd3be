// All paths of two relationships.
MATCH (:Person)-[:KNOWS]->(:Person)-[:KNOWS]->(:Person) RETURN count(*) AS count
