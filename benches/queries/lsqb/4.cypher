// Messages with a tag, an author, a like and a reply.
MATCH (:Tag)<-[:HAS_TAG]-(message:Message)-[:HAS_CREATOR]->(:Person),
      (message)<-[:LIKES]-(:Person), (message)<-[:REPLY_OF]-(:Comment)
RETURN count(*) AS count
