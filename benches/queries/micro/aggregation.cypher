// Groups of all nodes.
MATCH (p:Person)
RETURN p.age AS age, count(*) AS persons, min(p.name) AS first, avg(p.id) AS mean
ORDER BY age
