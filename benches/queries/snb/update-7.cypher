// Adds a comment under a post or under another comment; the id of the one that it does
// not reply to is -1.
MATCH (author:Person {id: $authorPersonId}), (country:Country {id: $countryId}),
      (parent:Message {id: CASE $replyToPostId WHEN -1 THEN $replyToCommentId
                                                ELSE $replyToPostId END})
CREATE (comment:Comment:Message {id: $commentId, creationDate: $creationDate,
                                 locationIP: $locationIP, browserUsed: $browserUsed,
                                 content: $content, length: $length}),
       (comment)-[:HAS_CREATOR]->(author), (comment)-[:REPLY_OF]->(parent),
       (comment)-[:IS_LOCATED_IN]->(country)
WITH comment
UNWIND $tagIds AS tagId
MATCH (tag:Tag {id: tagId})
CREATE (comment)-[:HAS_TAG]->(tag)
