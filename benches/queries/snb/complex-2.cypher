// The last twenty messages of friends up to a date.
MATCH (:Person {id: $personId})-[:KNOWS]-(friend:Person)<-[:HAS_CREATOR]-(message:Message)
WHERE message.creationDate <= $maxDate
WITH friend, message, message.id AS messageId, message.creationDate AS messageCreationDate
ORDER BY messageCreationDate DESC, messageId
LIMIT 20
RETURN friend.id AS personId, friend.firstName AS personFirstName,
       friend.lastName AS personLastName, messageId,
       coalesce(message.imageFile, message.content) AS messageContent, messageCreationDate
ORDER BY messageCreationDate DESC, messageId
