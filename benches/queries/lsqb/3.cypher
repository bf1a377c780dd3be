// Three persons of one country who know each other. They may live in one city, so each
// way to the country is a MATCH of its own: within one, no relationship is taken twice.
MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)-[:KNOWS]-(a)
MATCH (a)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country:Country)
MATCH (b)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country)
MATCH (c)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country)
RETURN count(*) AS count
