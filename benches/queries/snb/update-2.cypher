// Adds a like of a post.
MATCH (p:Person {id: $personId}), (post:Post:Message {id: $postId})
CREATE (p)-[:LIKES {creationDate: $creationDate}]->(post)
