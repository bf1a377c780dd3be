// One node by its id.
MATCH (p:Person {id: $id}) RETURN p.name AS name, p.age AS age
