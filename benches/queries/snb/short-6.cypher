// The forum in which the thread of a message is, and its moderator.
MATCH (:Message {id: $messageId})-[:REPLY_OF*0..]->(:Post)<-[:CONTAINER_OF]-(forum:Forum),
      (forum)-[:HAS_MODERATOR]->(moderator:Person)
RETURN forum.id AS forumId, forum.title AS forumTitle, moderator.id AS moderatorId,
       moderator.firstName AS moderatorFirstName, moderator.lastName AS moderatorLastName
