// The last twenty who liked messages of a person: the message that each liked last, the
// minutes between the message and the like, and whether the liker is no friend.
MATCH (start:Person {id: $personId})<-[:HAS_CREATOR]-(message:Message)<-[like:LIKES]-(liker:Person)
WITH start, liker, message, like.creationDate AS likeCreationDate
ORDER BY likeCreationDate DESC, message.id
WITH start, liker, collect([likeCreationDate, message])[0] AS last
WITH start, liker, last[0] AS likeCreationDate, last[1] AS message
ORDER BY likeCreationDate DESC, liker.id
LIMIT 20
RETURN liker.id AS personId, liker.firstName AS personFirstName,
       liker.lastName AS personLastName, likeCreationDate, message.id AS messageId,
       coalesce(message.imageFile, message.content) AS messageContent,
       (likeCreationDate - message.creationDate) / 60000 AS minutesLatency,
       NOT EXISTS { (start)-[:KNOWS]-(liker) } AS isNew
ORDER BY likeCreationDate DESC, personId
