// The last twenty messages before a date of persons at most two friendships away.
MATCH (start:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE friend <> start
WITH DISTINCT friend
MATCH (friend)<-[:HAS_CREATOR]-(message:Message)
WHERE message.creationDate < $maxDate
WITH friend, message, message.creationDate AS messageCreationDate, message.id AS messageId
ORDER BY messageCreationDate DESC, messageId
LIMIT 20
RETURN friend.id AS personId, friend.firstName AS personFirstName,
       friend.lastName AS personLastName, messageId,
       coalesce(message.imageFile, message.content) AS messageContent, messageCreationDate
ORDER BY messageCreationDate DESC, messageId
