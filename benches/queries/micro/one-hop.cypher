// Neighbors of one node, sorted.
MATCH (:Person {id: $id})-[:KNOWS]->(friend:Person)
RETURN friend.id AS id, friend.name AS name
ORDER BY id
