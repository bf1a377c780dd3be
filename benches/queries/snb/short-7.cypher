// The direct replies to a message, and whether their authors know its author.
MATCH (message:Message {id: $messageId})-[:HAS_CREATOR]->(author:Person),
      (message)<-[:REPLY_OF]-(comment:Comment)-[:HAS_CREATOR]->(replier:Person)
RETURN comment.id AS commentId, comment.content AS commentContent,
       comment.creationDate AS commentCreationDate, replier.id AS replyAuthorId,
       replier.firstName AS replyAuthorFirstName, replier.lastName AS replyAuthorLastName,
       EXISTS { (author)-[:KNOWS]-(replier) } AS isReplyAuthorKnowsOriginalMessageAuthor
ORDER BY commentCreationDate DESC, replyAuthorId, commentId
