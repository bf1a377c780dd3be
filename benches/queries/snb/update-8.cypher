// Adds a friendship.
MATCH (one:Person {id: $person1Id}), (other:Person {id: $person2Id})
CREATE (one)-[:KNOWS {creationDate: $creationDate}]->(other)
