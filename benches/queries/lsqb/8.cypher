// As 5, where the reply does not have the tag of the message as well.
MATCH (one:Tag)<-[:HAS_TAG]-(:Message)<-[:REPLY_OF]-(comment:Comment)-[:HAS_TAG]->(other:Tag)
WHERE one <> other AND NOT EXISTS { (comment)-[:HAS_TAG]->(one) }
RETURN count(*) AS count
