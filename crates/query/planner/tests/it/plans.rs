//! Plans of queries, against golden files.

use std::fmt::Write;

use evergraph_planner::{Catalog, Index, plan, print};
use evergraph_syntax::scope::{Signature, Type};
use evergraph_syntax::tree::{Body, Query};
use expect_test::expect_file;

/// A social network: many nodes, few of them tags, people with a unique name.
pub(crate) struct Social;

impl Catalog for Social {
    fn nodes(&self, label: Option<&str>) -> f64 {
        match label {
            None => 100_000.0,
            Some("Person") => 10_000.0,
            Some("Tag") => 50.0,
            Some(_) => 0.0,
        }
    }

    fn relationships(&self, kind: Option<&str>) -> f64 {
        match kind {
            None => 500_000.0,
            Some("KNOWS") => 200_000.0,
            Some("LIKES") => 300_000.0,
            Some(_) => 0.0,
        }
    }

    fn indexes(&self, label: &str) -> Vec<Index> {
        let of = |key: &str, unique| Index {
            keys: vec![key.to_string()],
            unique,
        };
        match label {
            "Person" => vec![of("name", true), of("age", false)],
            _ => Vec::new(),
        }
    }

    fn procedure(&self, name: &str) -> Option<Signature> {
        (name == "db.labels").then(|| Signature {
            inputs: Vec::new(),
            outputs: vec![("label".into(), Type::Text)],
        })
    }
}

pub(crate) fn parsed(text: &str) -> Query {
    match evergraph_syntax::parse(text).expect("a query").body {
        Body::Query(query) => query,
        Body::Command(_) => panic!("{text} is no query"),
    }
}

fn printed(queries: &[&str]) -> String {
    let mut text = String::new();
    for query in queries {
        let planned = plan(&parsed(query), &Social).expect("a plan");
        let printed = print(&planned.plan, &planned.names);
        writeln!(text, "{query}\n\n{printed}").expect("a string takes all");
    }
    text
}

#[test]
fn patterns_begin_where_they_are_cheapest() {
    expect_file!["golden/starts.txt"].assert_eq(&printed(&[
        "MATCH (n) RETURN n",
        "MATCH (p:Person)-[:LIKES]->(t:Tag) RETURN p, t",
        "MATCH (t:Tag)<-[:LIKES]-(p:Person {name: 'Ann'}) RETURN t",
        "MATCH (p:Person) WHERE p.age >= 20 AND p.age < 30 RETURN p",
        "MATCH (p:Person) WHERE p.name STARTS WITH 'A' RETURN p",
        "MATCH (p:Person) WHERE p.name IN ['Ann', 'Bob'] RETURN p",
        "MATCH (n) WHERE id(n) = $id RETURN n",
    ]));
}

#[test]
fn joins_of_patterns() {
    expect_file!["golden/joins.txt"].assert_eq(&printed(&[
        "MATCH (a)-->(b)-->(c)-->(a) RETURN a",
        "MATCH (p:Person), (t:Tag) WHERE p.city = t.city RETURN p, t",
        "MATCH (a:Tag)-[r]->(b) WITH r MATCH (x)-[r]->(y) RETURN x",
        "MATCH (a:Tag)-[:KNOWS*1..3]->(b) RETURN b",
        "MATCH p = shortestPath((a:Tag)-[*]-(b:Tag)) RETURN length(p)",
        "MATCH (p:Person {name: 'Ann'}) OPTIONAL MATCH (p)-[:KNOWS]->(q) RETURN q",
    ]));
}

#[test]
fn projections() {
    expect_file!["golden/projections.txt"].assert_eq(&printed(&[
        "MATCH (p:Person) RETURN p.age AS age, count(*) AS people ORDER BY people DESC LIMIT 3",
        "MATCH (p:Person) WITH DISTINCT p.age AS age WHERE age > 3 RETURN age SKIP 1",
        "UNWIND [1, 2] AS x RETURN x UNION RETURN 3 AS x",
        "CALL db.labels() YIELD label RETURN label",
    ]));
}

#[test]
fn writes_stand_behind_barriers() {
    expect_file!["golden/writes.txt"].assert_eq(&printed(&[
        "UNWIND [1, 2] AS x CREATE (:Tag {x: x})",
        "MATCH (n) CREATE (m)",
        "MATCH (n:Tag) SET n.x = 1 WITH n MATCH (m) RETURN m.x",
        "MERGE (t:Tag {name: 'a'}) ON CREATE SET t.new = true RETURN t",
        "MATCH (n) DETACH DELETE n",
    ]));
}
