// Forums that persons at most two friendships away joined after a date, and how many
// posts these persons wrote there.
MATCH (start:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE friend <> start
WITH DISTINCT friend
MATCH (friend)<-[member:HAS_MEMBER]-(forum:Forum)
WHERE member.joinDate > $minDate
OPTIONAL MATCH (friend)<-[:HAS_CREATOR]-(post:Post)<-[:CONTAINER_OF]-(forum)
WITH forum, count(post) AS postCount
RETURN forum.title AS forumTitle, postCount
ORDER BY postCount DESC, forum.id
LIMIT 20
