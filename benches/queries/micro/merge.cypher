// Nodes by id, made where there are none.
UNWIND $ids AS id
MERGE (p:Person {id: id}) ON CREATE SET p.name = 'new', p.age = 0 ON MATCH SET p.age = p.age + 1
RETURN count(*) AS count
