// The last twenty direct replies to messages of a person.
MATCH (:Person {id: $personId})<-[:HAS_CREATOR]-(:Message)<-[:REPLY_OF]-(comment:Comment)
WITH comment, comment.creationDate AS commentCreationDate, comment.id AS commentId
ORDER BY commentCreationDate DESC, commentId
LIMIT 20
MATCH (comment)-[:HAS_CREATOR]->(author:Person)
RETURN author.id AS personId, author.firstName AS personFirstName,
       author.lastName AS personLastName, commentCreationDate, commentId,
       comment.content AS commentContent
ORDER BY commentCreationDate DESC, commentId
