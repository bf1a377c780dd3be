// Persons at most two friendships away who live in neither of two countries and wrote
// messages in both of them within some days.
MATCH (countryX:Country {name: $countryXName}), (countryY:Country {name: $countryYName}),
      (start:Person {id: $personId})
MATCH (start)-[:KNOWS*1..2]-(friend:Person)
WHERE friend <> start
WITH DISTINCT countryX, countryY, friend
WHERE NOT EXISTS {
  MATCH (friend)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(home)
  WHERE home = countryX OR home = countryY
}
MATCH (friend)<-[:HAS_CREATOR]-(message:Message)-[:IS_LOCATED_IN]->(country)
WHERE $startDate <= message.creationDate < $startDate + $durationDays * 86400000
  AND (country = countryX OR country = countryY)
WITH friend, sum(CASE country WHEN countryX THEN 1 ELSE 0 END) AS xCount,
     sum(CASE country WHEN countryY THEN 1 ELSE 0 END) AS yCount
WHERE xCount > 0 AND yCount > 0
RETURN friend.id AS personId, friend.firstName AS personFirstName,
       friend.lastName AS personLastName, xCount, yCount, xCount + yCount AS count
ORDER BY count DESC, personId
LIMIT 20
