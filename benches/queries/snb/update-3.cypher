// Adds a like of a comment.
MATCH (p:Person {id: $personId}), (comment:Comment:Message {id: $commentId})
CREATE (p)-[:LIKES {creationDate: $creationDate}]->(comment)
