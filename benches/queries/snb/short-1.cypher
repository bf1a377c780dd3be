// Who a person is: the profile, and the city in which the person lives.
MATCH (p:Person {id: $personId})-[:IS_LOCATED_IN]->(city:City)
RETURN p.firstName AS firstName, p.lastName AS lastName, p.birthday AS birthday,
       p.locationIP AS locationIp, p.browserUsed AS browserUsed, city.id AS cityId,
       p.gender AS gender, p.creationDate AS creationDate
