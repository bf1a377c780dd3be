// Tags of posts that friends wrote within some days, and that no post of friends had
// before.
MATCH (:Person {id: $personId})-[:KNOWS]-(friend:Person)<-[:HAS_CREATOR]-(post:Post)
WHERE post.creationDate < $startDate + $durationDays * 86400000
MATCH (post)-[:HAS_TAG]->(tag:Tag)
WITH tag, count(*) AS postCount, min(post.creationDate) AS first
WHERE first >= $startDate
RETURN tag.name AS tagName, postCount
ORDER BY postCount DESC, tagName
LIMIT 10
