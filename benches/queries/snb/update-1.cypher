// Adds a person with the city, interests, universities and companies.
MATCH (city:City {id: $cityId})
CREATE (p:Person {id: $personId, firstName: $personFirstName, lastName: $personLastName,
                  gender: $gender, birthday: $birthday, creationDate: $creationDate,
                  locationIP: $locationIP, browserUsed: $browserUsed,
                  language: $languages, email: $emails}),
       (p)-[:IS_LOCATED_IN]->(city)
WITH p
CALL (p) {
  UNWIND $tagIds AS tagId
  MATCH (tag:Tag {id: tagId})
  CREATE (p)-[:HAS_INTEREST]->(tag)
}
CALL (p) {
  UNWIND $studyAt AS study
  MATCH (university:Organisation {id: study[0]})
  CREATE (p)-[:STUDY_AT {classYear: study[1]}]->(university)
}
CALL (p) {
  UNWIND $workAt AS work
  MATCH (company:Organisation {id: work[0]})
  CREATE (p)-[:WORK_AT {workFrom: work[1]}]->(company)
}
