// All nodes with a property in a range.
MATCH (p:Person) WHERE p.age < 10 RETURN count(*) AS count
