// Comments to posts of persons whom the author knows.
MATCH (author:Person)-[:KNOWS]-(friend:Person),
      (author)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(:Post)-[:HAS_CREATOR]->(friend)
RETURN count(*) AS count
