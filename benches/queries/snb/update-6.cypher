// Adds a post to a forum. It has an image or a content.
MATCH (author:Person {id: $authorPersonId}), (forum:Forum {id: $forumId}),
      (country:Country {id: $countryId})
CREATE (post:Post:Message {id: $postId, imageFile: nullIf($imageFile, ''),
                           creationDate: $creationDate, locationIP: $locationIP,
                           browserUsed: $browserUsed, language: $language,
                           content: nullIf($content, ''), length: $length}),
       (post)-[:HAS_CREATOR]->(author), (forum)-[:CONTAINER_OF]->(post),
       (post)-[:IS_LOCATED_IN]->(country)
WITH post
UNWIND $tagIds AS tagId
MATCH (tag:Tag {id: tagId})
CREATE (post)-[:HAS_TAG]->(tag)
