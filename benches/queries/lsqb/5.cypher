// Replies with another tag than the message that they reply to.
MATCH (one:Tag)<-[:HAS_TAG]-(:Message)<-[:REPLY_OF]-(:Comment)-[:HAS_TAG]->(other:Tag)
WHERE one <> other
RETURN count(*) AS count
