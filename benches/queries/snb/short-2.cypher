// The last ten messages of a person, each with the post that its thread begins with and
// the author of that post.
MATCH (:Person {id: $personId})<-[:HAS_CREATOR]-(message:Message)
WITH message, message.id AS messageId, message.creationDate AS messageCreationDate
ORDER BY messageCreationDate DESC, messageId DESC
LIMIT 10
MATCH (message)-[:REPLY_OF*0..]->(post:Post)-[:HAS_CREATOR]->(author:Person)
RETURN messageId, coalesce(message.imageFile, message.content) AS messageContent,
       messageCreationDate, post.id AS originalPostId, author.id AS originalPostAuthorId,
       author.firstName AS originalPostAuthorFirstName,
       author.lastName AS originalPostAuthorLastName
ORDER BY messageCreationDate DESC, messageId DESC
