// Adds a forum with its moderator and tags.
MATCH (moderator:Person {id: $moderatorPersonId})
CREATE (forum:Forum {id: $forumId, title: $forumTitle, creationDate: $creationDate}),
       (forum)-[:HAS_MODERATOR]->(moderator)
WITH forum
UNWIND $tagIds AS tagId
MATCH (tag:Tag {id: tagId})
CREATE (forum)-[:HAS_TAG]->(tag)
