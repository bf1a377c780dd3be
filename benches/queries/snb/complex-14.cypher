// All shortest paths between two persons, by how much those beside each other on a path
// reply to each other: a reply to a post counts 1, one to a comment 0.5.
MATCH path = allShortestPaths(
  (:Person {id: $person1Id})-[:KNOWS*0..]-(:Person {id: $person2Id}))
WITH nodes(path) AS persons
UNWIND CASE size(persons) WHEN 1 THEN [null] ELSE range(1, size(persons) - 1) END AS i
WITH persons, persons[i - 1] AS one, persons[i] AS other
WITH persons,
     COUNT { (one)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(:Post)-[:HAS_CREATOR]->(other) }
     + COUNT { (other)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(:Post)-[:HAS_CREATOR]->(one) }
       AS toPosts,
     COUNT { (one)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(:Comment)-[:HAS_CREATOR]->(other) }
     + COUNT { (other)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(:Comment)-[:HAS_CREATOR]->(one) }
       AS toComments
WITH persons, sum(toPosts + 0.5 * toComments) AS pathWeight
RETURN [person IN persons | person.id] AS personIdsInPath, pathWeight
ORDER BY pathWeight DESC, personIdsInPath
