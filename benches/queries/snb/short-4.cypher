// What a message says, and since when it is there. A photo says where its file is.
MATCH (message:Message {id: $messageId})
RETURN message.creationDate AS messageCreationDate,
       coalesce(message.imageFile, message.content) AS messageContent
