// Friends of friends born from the 21st of a month to the 21st of the next, by how many
// more of their posts have a tag that interests the person than have none.
MATCH (start:Person {id: $personId})-[:KNOWS*2..2]-(friend:Person)
WHERE friend <> start AND NOT EXISTS { (start)-[:KNOWS]-(friend) }
WITH DISTINCT start, friend
WITH start, friend, datetime({epochMillis: friend.birthday}) AS birthday
WHERE birthday.month = $month AND birthday.day >= 21
   OR birthday.month = $month % 12 + 1 AND birthday.day < 22
WITH friend,
     COUNT { (friend)<-[:HAS_CREATOR]-(:Post) } AS posts,
     COUNT { MATCH (friend)<-[:HAS_CREATOR]-(post:Post)
             WHERE EXISTS { (post)-[:HAS_TAG]->(:Tag)<-[:HAS_INTEREST]-(start) } } AS common
MATCH (friend)-[:IS_LOCATED_IN]->(city:City)
RETURN friend.id AS personId, friend.firstName AS personFirstName,
       friend.lastName AS personLastName, 2 * common - posts AS commonInterestScore,
       friend.gender AS personGender, city.name AS personCityName
ORDER BY commonInterestScore DESC, personId
LIMIT 10
