// What is at most three relationships away from a node.
MATCH (:Person {id: $id})-[:KNOWS*1..3]->(other:Person) RETURN count(DISTINCT other) AS count
