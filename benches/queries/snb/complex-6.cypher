// Tags that posts of persons at most two friendships away have beside a given tag.
MATCH (known:Tag {name: $tagName}), (start:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE friend <> start
WITH DISTINCT known, friend
MATCH (friend)<-[:HAS_CREATOR]-(post:Post)-[:HAS_TAG]->(known),
      (post)-[:HAS_TAG]->(tag:Tag)
RETURN tag.name AS tagName, count(*) AS postCount
ORDER BY postCount DESC, tagName
LIMIT 10
