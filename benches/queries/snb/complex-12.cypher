// Friends by how many comments they wrote directly under posts with a tag of a class or
// of a class below it, and these tags.
MATCH (:Person {id: $personId})-[:KNOWS]-(friend:Person)
MATCH (friend)<-[:HAS_CREATOR]-(comment:Comment)-[:REPLY_OF]->(post:Post),
      (post)-[:HAS_TAG]->(tag:Tag),
      (tag)-[:HAS_TYPE]->(:TagClass)-[:IS_SUBCLASS_OF*0..]->(:TagClass {name: $tagClassName})
RETURN friend.id AS personId, friend.firstName AS personFirstName,
       friend.lastName AS personLastName, collect(DISTINCT tag.name) AS tagNames,
       count(DISTINCT comment) AS replyCount
ORDER BY replyCount DESC, personId
LIMIT 20
