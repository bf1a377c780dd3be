// Adds a person to the members of a forum.
MATCH (forum:Forum {id: $forumId}), (p:Person {id: $personId})
CREATE (forum)-[:HAS_MEMBER {joinDate: $joinDate}]->(p)
