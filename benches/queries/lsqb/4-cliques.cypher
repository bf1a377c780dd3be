// Four persons all of whom know each other, each four once. No count of LSQB.
MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)-[:KNOWS]-(d:Person),
      (a)-[:KNOWS]-(c), (a)-[:KNOWS]-(d), (b)-[:KNOWS]-(d)
WHERE id(a) < id(b) AND id(b) < id(c) AND id(c) < id(d)
RETURN count(*) AS count
