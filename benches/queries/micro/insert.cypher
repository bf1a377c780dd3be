// One node.
CREATE (:Person {id: $id, name: $name, age: $age})
