// Persons at most two friendships away who began to work in a country before a year.
MATCH (start:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE friend <> start
WITH DISTINCT friend
MATCH (friend)-[work:WORK_AT]->(company:Company)-[:IS_LOCATED_IN]->(:Country {name: $countryName})
WHERE work.workFrom < $workFromYear
RETURN friend.id AS personId, friend.firstName AS personFirstName,
       friend.lastName AS personLastName, company.name AS organizationName,
       work.workFrom AS organizationWorkFromYear
ORDER BY organizationWorkFromYear, personId, organizationName DESC
LIMIT 10
