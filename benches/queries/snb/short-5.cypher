// Who wrote a message.
MATCH (:Message {id: $messageId})-[:HAS_CREATOR]->(author:Person)
RETURN author.id AS personId, author.firstName AS firstName, author.lastName AS lastName
