// How many friendships two persons are apart; -1 if no path leads from one to the other.
MATCH (one:Person {id: $person1Id}), (other:Person {id: $person2Id})
OPTIONAL MATCH path = shortestPath((one)-[:KNOWS*]-(other))
RETURN CASE WHEN one = other THEN 0 ELSE coalesce(length(path), -1) END AS shortestPathLength
