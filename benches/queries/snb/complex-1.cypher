// Persons of a first name at most three friendships away, the nearest twenty, each with
// the city, the universities and the companies.
MATCH (start:Person {id: $personId}), (friend:Person {firstName: $firstName})
WHERE friend <> start
MATCH path = shortestPath((start)-[:KNOWS*1..3]-(friend))
WITH friend, length(path) AS distance
ORDER BY distance, friend.lastName, friend.id
LIMIT 20
MATCH (friend)-[:IS_LOCATED_IN]->(city:City)
RETURN friend.id AS friendId, friend.lastName AS friendLastName,
       distance AS distanceFromPerson, friend.birthday AS friendBirthday,
       friend.creationDate AS friendCreationDate, friend.gender AS friendGender,
       friend.browserUsed AS friendBrowserUsed, friend.locationIP AS friendLocationIp,
       friend.email AS friendEmails, friend.language AS friendLanguages,
       city.name AS friendCityName,
       [(friend)-[at:STUDY_AT]->(university)-[:IS_LOCATED_IN]->(place)
        | {organizationName: university.name, year: at.classYear, placeName: place.name}] AS friendUniversities,
       [(friend)-[at:WORK_AT]->(company)-[:IS_LOCATED_IN]->(place)
        | {organizationName: company.name, year: at.workFrom, placeName: place.name}] AS friendCompanies
ORDER BY distanceFromPerson, friendLastName, friendId
