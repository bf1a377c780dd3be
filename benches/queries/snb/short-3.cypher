// The friends of a person, and since when they are friends.
MATCH (:Person {id: $personId})-[knows:KNOWS]-(friend:Person)
RETURN friend.id AS personId, friend.firstName AS firstName, friend.lastName AS lastName,
       knows.creationDate AS friendshipCreationDate
ORDER BY friendshipCreationDate DESC, personId
