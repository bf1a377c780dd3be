//! Plans of queries, against golden files.

use std::fmt::Write;

use evergraph_planner::{Catalog, Ends, Index, Population, plan, print};
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
            Some("Post") => 80_000.0,
            Some(_) => 0.0,
        }
    }

    fn relationships(&self, kind: Option<&str>) -> f64 {
        match kind {
            None => 500_000.0,
            Some("KNOWS") => 200_000.0,
            Some("LIKES") => 300_000.0,
            Some("WROTE") => 160.0,
            Some(_) => 0.0,
        }
    }

    fn ends(&self, kind: &str) -> Ends {
        let all = |parts: &[(&str, f64)]| {
            let parts = parts.iter();
            parts.map(|&(label, part)| (label.into(), part)).collect()
        };
        let both = |parts: &[(&str, &str, f64)]| {
            let parts = parts.iter();
            parts
                .map(|&(source, target, part)| ((source.into(), target.into()), part))
                .collect()
        };
        match kind {
            "KNOWS" => Ends {
                sources: all(&[("Person", 1.0)]),
                targets: all(&[("Person", 1.0)]),
                both: both(&[("Person", "Person", 1.0)]),
                same: (1e-4, 1e-4),
            },
            "LIKES" => Ends {
                sources: all(&[("Person", 1.0)]),
                targets: all(&[("Tag", 0.1), ("Post", 0.9)]),
                both: both(&[("Person", "Tag", 0.1), ("Person", "Post", 0.9)]),
                // A few tags are liked by many.
                same: (1e-5, 1e-2),
            },
            "WROTE" => Ends {
                sources: all(&[("Person", 0.5), ("Post", 0.5)]),
                targets: all(&[("Person", 0.5), ("Post", 0.5)]),
                both: both(&[
                    ("Person", "Person", 0.25),
                    ("Person", "Post", 0.25),
                    ("Post", "Person", 0.25),
                    ("Post", "Post", 0.25),
                ]),
                same: (1e-2, 1e-2),
            },
            _ => Ends::default(),
        }
    }

    fn share_of_value(&self, of: Population<'_>, key: &str) -> Option<f64> {
        match (of, key) {
            (Population::Label("Person"), "ticket" | "name") => Some(1e-4),
            (Population::Label("Person"), "mail") => Some(2e-3),
            (Population::Type("KNOWS"), "since") => Some(0.02),
            _ => None,
        }
    }

    fn indexes(&self, of: Population<'_>) -> Vec<Index> {
        let over = |key: &str, unique| Index {
            keys: vec![key.to_string()],
            unique,
        };
        match of {
            Population::Label("Person") => {
                vec![over("name", true), over("age", false), over("mail", false)]
            }
            Population::Label("Draft") => vec![over("number", true)],
            Population::Type("LIKES") => vec![over("stars", false)],
            _ => Vec::new(),
        }
    }

    fn aggregates(&self, function: &str) -> bool {
        let known = ["count", "sum", "avg", "min", "max", "collect"];
        known
            .iter()
            .any(|known| function.eq_ignore_ascii_case(known))
    }

    fn procedure(&self, name: &str) -> Option<Signature> {
        (name == "db.labels").then(|| Signature {
            outputs: vec![("label".into(), Type::Text)],
            ..Signature::default()
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
        "MATCH (n) WHERE elementId(n) = $id RETURN n",
        "MATCH (n)-->(m) WHERE elementId(m) IN $ids RETURN n",
        // Not for each row.
        "UNWIND [1, 2] AS i MATCH (n) WHERE id(n) IN $ids AND n.k = i RETURN n",
        "UNWIND $lists AS ids MATCH (n) WHERE id(n) IN ids RETURN n",
        "WITH $ids AS ids MATCH (n:Person) MATCH (m) WHERE id(m) IN ids AND m.k = n.k RETURN m",
        "UNWIND [1, 2] AS i MATCH (p:Person) WHERE i <= p.age < i + 2 RETURN p",
    ]));
}

/// Only where a relationship has conditions of its own is it found without a node.
#[test]
fn relationships_are_found_without_a_node() {
    expect_file!["golden/relationships.txt"].assert_eq(&printed(&[
        "MATCH ()-[r:KNOWS]->() WHERE r.since = 2010 RETURN count(*)",
        "MATCH (a)-[r:KNOWS]-(b:Person) WHERE r.since = 2010 RETURN a, b",
        "MATCH (a)-[r:KNOWS]->(b)-[s:KNOWS]->(c) WHERE r.since = 2010 RETURN count(*)",
        "MATCH (a)-[r:KNOWS]->(b)-[:LIKES]->(c) WHERE r.since = 2010 RETURN count(*)",
        "MATCH (a)-[r:LIKES]->(b) WHERE r.stars > 4 RETURN a, b",
        "MATCH (a)-[r:LIKES {stars: 5}]->(t:Tag) RETURN a, t",
        "MATCH (a)-[r:LIKES|KNOWS]->(b) WHERE r.note STARTS WITH 'a' RETURN r",
        "MATCH (a)-[r]->(b) WHERE id(r) = $id RETURN a, b",
        "MATCH (a:Person {name: 'Ann'})-[r:KNOWS {since: 2010}]->(b) RETURN b",
        "MATCH ()-[r:KNOWS {since: 1}]->(), ()-[s:KNOWS {since: 2}]->() RETURN r, s",
        "MATCH (a)-[r:KNOWS]->(b) RETURN r.since",
    ]));
}

/// However few nodes a scan keeps, it looks at all.
#[test]
fn an_index_is_used_where_a_scan_would_keep_no_more() {
    for key in ["name", "mail"] {
        let text = printed(&[&format!("MATCH (p:Person {{{key}: 'x'}}) RETURN p")]);
        assert!(text.contains("NodeSeek p:Person"), "{text}");
    }
}

/// There is none now, and the statement itself makes a thousand.
#[test]
fn an_index_is_used_where_nodes_may_come() {
    for query in [
        "UNWIND range(1, 1000) AS n MERGE (d:Draft {number: n})",
        "UNWIND range(1, 1000) AS n MERGE (d:Draft {number: n}) WITH n \
         MATCH (d:Draft) WHERE d.number IN [n, n + 1] RETURN d",
        "MATCH (d:Draft) WHERE d.number > 3 RETURN d",
    ] {
        let text = printed(&[query]);
        assert!(text.contains("NodeSeek d:Draft"), "{text}");
        assert!(!text.contains("NodeScan"), "{text}");
    }
}

/// Counts would say otherwise of each.
#[test]
fn hints_say_where_a_pattern_begins() {
    for (query, part) in [
        (
            "MATCH (p:Person {name: 'Ann'}) USING SCAN p:Person RETURN p",
            "NodeScan p:Person",
        ),
        (
            "MATCH (p:Person {name: 'Ann'}) USING INDEX p:Person(age) WHERE p.age > 3 RETURN p",
            "NodeSeek p:Person age > 3",
        ),
        (
            "MATCH (p:Person)-[:LIKES]->(t:Tag) USING TEXT INDEX SEEK p:Person(age) \
             WHERE p.age IN [1, 2] RETURN t",
            "NodeSeek p:Person age IN [1, 2]",
        ),
        (
            "MATCH (p:Person {name: 'Ann'})-[r:LIKES {stars: 5}]->(t) \
             USING INDEX r:LIKES(stars) RETURN t",
            "RelationshipSeek (p)-[r:LIKES]->(t) stars = 5",
        ),
        (
            "MATCH (p:Person {name: 'Ann'})-[r:KNOWS]->(q) USING SCAN r:KNOWS RETURN q",
            "RelationshipScan",
        ),
        (
            "MATCH (p:Person {name: 'Ann'}) MATCH (p)-[:KNOWS]->(q:Person) \
             USING INDEX q:Person(age) WHERE q.age = 3 RETURN q",
            "NodeSeek q:Person age = 3",
        ),
        (
            "MATCH (p:Person {name: 'Ann'}) OPTIONAL MATCH (p)-[:KNOWS]->(q:Person) \
             USING INDEX q:Person(age) WHERE q.age = p.age RETURN q",
            "NodeSeek q:Person age = p.age",
        ),
    ] {
        let planned = plan(&parsed(query), &Social).expect("a plan");
        let text = print(&planned.plan, &planned.names);
        assert!(text.contains(part), "{query}\n{text}");
        assert!(planned.idle_hints.is_empty(), "{query}\n{text}");
    }
}

#[test]
fn hints_without_effect_are_noted() {
    for (query, part) in [
        (
            "MATCH (p:Person {city: 'x'}) USING INDEX p:Person(city) RETURN p",
            "USING INDEX p:Person(city) has no effect: there is no such index",
        ),
        (
            "MATCH (p:Person {name: 'a'})-[:KNOWS]->(q:Person {age: 1}) \
             USING INDEX p:Person(name) USING INDEX q:Person(age) RETURN p",
            "USING INDEX q:Person(age) has no effect: the pattern does not begin there",
        ),
        (
            "MATCH (p)-->(q) USING JOIN ON q RETURN p",
            "USING JOIN ON q has no effect",
        ),
        (
            "UNWIND [1, 2] AS x CALL (x) { CREATE (:A {x: x}) } IN 2 CONCURRENT TRANSACTIONS",
            "CONCURRENT has no effect: the transactions run one after another",
        ),
    ] {
        let idle = plan(&parsed(query), &Social).expect("a plan").idle_hints;
        assert_eq!(idle.len(), 1, "{query}");
        assert!(
            idle[0].message.contains(part),
            "{query}: {}",
            idle[0].message
        );
    }
}

/// Where nothing is known of a property, a tenth have its value.
#[test]
fn patterns_begin_where_few_have_a_value() {
    let of = |a: &str, b: &str| {
        let text =
            format!("MATCH (a:Person)-[:KNOWS]->(b:Person) WHERE a.{a} = 1 AND b.{b} = 2 RETURN a");
        printed(&[&text])
    };
    assert!(of("ticket", "city").contains("NodeScan a:Person"));
    assert!(of("city", "ticket").contains("NodeScan b:Person"));
}

/// 20 friends a person, 30 likes, a tenth of them of the few tags.
#[test]
fn types_have_labels_at_their_ends() {
    expect_file!["golden/ends.txt"].assert_eq(&printed(&[
        "MATCH (a:Person {name: 'Ann'})-[:KNOWS]-(b:Person)-[:LIKES]->(c:Tag) RETURN c",
        "MATCH (a {name: 'Ann'})-[:KNOWS]->(b)-[:LIKES]->(c) RETURN c",
        "MATCH (a:Person {name: 'Ann'})-[:LIKES]->(p:Post)<-[:LIKES]-(b), (b)-[:KNOWS]->(a) \
         RETURN b",
        // The few tags have many likes, and few of those who like them wrote anything.
        "MATCH (t:Tag)<-[:LIKES]-(a:Person)-[:WROTE]->(p:Post) RETURN t",
        "MATCH (t:Tag)<-[:LIKES|KNOWS]-(b)-[:OTHER]->() RETURN b",
        "MATCH (a:Person {name: 'Ann'})-[:KNOWS*1..2]-(b) MATCH (b)-[:LIKES*0..2]->(t) RETURN t",
    ]));
}

#[test]
fn joins_of_patterns() {
    expect_file!["golden/joins.txt"].assert_eq(&printed(&[
        "MATCH (a)-->(b)-->(c)-->(a) RETURN a",
        "MATCH (p:Person), (t:Tag) WHERE p.city = t.city RETURN p, t",
        // What is computed of a node, or of a row that a subquery is for.
        "MATCH (p:Person), (t:Tag) WHERE toLower(p.city) = toLower(t.name) RETURN p, t",
        "MATCH (p:Person) OPTIONAL MATCH (t:Tag) WHERE t.city = p.city AND t.x > 1 RETURN p, t",
        "MATCH (p:Person) WHERE NOT EXISTS { (t:Tag) WHERE t.x + 1 = p.x } RETURN p",
        // Chance is asked for each pair; a condition may say where a key can be computed.
        "MATCH (p:Person) OPTIONAL MATCH (t:Tag) WHERE t.city = p.city AND t.x + rand() < 1 RETURN t",
        "MATCH (p:Person) OPTIONAL MATCH (t:Tag) WHERE t.x <> p.x AND 9 / t.x = p.x RETURN t",
        "MATCH (a:Tag)-[r]->(b) WITH r MATCH (x)-[r]->(y) RETURN x",
        "MATCH (a:Tag)-[:KNOWS*1..3]->(b) RETURN b",
        "MATCH p = shortestPath((a:Tag)-[*]-(b:Tag)) RETURN length(p)",
        "MATCH (p:Person {name: 'Ann'}) OPTIONAL MATCH (p)-[:KNOWS]->(q) RETURN q",
        // Of long lists the other end is looked up; of few relationships more may come.
        "MATCH (t:Tag) WITH t LIMIT 1 MATCH (t)<-[:LIKES]-(p:Person {name: 'Ann'}) RETURN p",
        "MATCH (q:Person) WITH q LIMIT 1 MATCH (q)<-[:KNOWS]-(p:Person {name: 'Ann'}) RETURN p",
        "MATCH (t:Tag) WITH t LIMIT 1000000 MATCH (t)<-[:RARE]-(p:Person {name: 'Ann'}) RETURN p",
        "MATCH (p:Person) WITH p LIMIT 1 UNWIND [1, 2] AS i MERGE (p)-[:MADE]->(:Draft {number: i})",
    ]));
}

/// Relationships differ within a clause alone.
#[test]
fn clauses_behind_each_other_are_found_in_one_order() {
    expect_file!["golden/matches.txt"].assert_eq(&printed(&[
        "MATCH (p:Person)-[:LIKES]->(t:Tag) MATCH (p {name: 'Ann'}) RETURN t",
        "MATCH (a:Person)-[r:KNOWS]->(b) MATCH (b)-[s:KNOWS]->(c)-[t:KNOWS]->(a) \
         WHERE a.name = 'Ann' RETURN c",
        // A later clause gives nothing to a subquery above it.
        "MATCH (p:Person) WHERE EXISTS { (p)-[:KNOWS]->(q) } MATCH (p)-[:LIKES]->(q:Tag) RETURN q",
        // As they are written: nothing in common, a relationship that is known, and a path.
        "MATCH (p:Person) WHERE p.age > 3 MATCH (t:Tag) WHERE t.city = p.city RETURN t",
        "MATCH (p:Person)-[r:KNOWS]->(q) MATCH (a)-[r]->(b {name: 'Ann'}) RETURN a",
        "MATCH x = (p:Person)-[:KNOWS]->(q) MATCH (q {name: 'Ann'}) RETURN x",
        "MATCH (p:Person) OPTIONAL MATCH (p)-[:LIKES]->(t) MATCH (q {name: 'Ann'}) RETURN t, q",
    ]));
}

fn chain(relationships: usize) -> String {
    let mut text = String::from("MATCH (n0)");
    for next in 1..=relationships {
        write!(text, "-[:KNOWS]->(n{next}:Person {{age: {next}}})").expect("a string takes all");
    }
    text + " RETURN count(*)"
}

fn star(relationships: usize) -> String {
    let arms = (0..relationships).map(|next| format!("(n)-[r{next}]-(m{next})"));
    format!(
        "MATCH {} RETURN count(*)",
        arms.collect::<Vec<_>>().join(", ")
    )
}

fn apart(nodes: usize) -> String {
    let nodes = (0..nodes).map(|next| format!("(n{next}:Person)"));
    format!(
        "MATCH {} RETURN count(*)",
        nodes.collect::<Vec<_>>().join(", ")
    )
}

/// The time for the largest one is what a user waits.
#[test]
fn large_patterns_are_planned_or_refused() {
    for text in [chain(900), star(900), apart(1_000)] {
        let planned = plan(&parsed(&text), &Social).expect("a plan");
        assert!(planned.plan.depth() > 900);
    }
    for text in [chain(5_000), star(5_000), apart(5_000), chain(20_000)] {
        let error = plan(&parsed(&text), &Social).expect_err("too large");
        assert_eq!(error.detail, "LimitExceeded");
    }
}

#[test]
fn projections() {
    expect_file!["golden/projections.txt"].assert_eq(&printed(&[
        "MATCH (p:Person) RETURN p.age AS age, count(*) AS people ORDER BY people DESC LIMIT 3",
        "MATCH (p:Person) WITH DISTINCT p.age AS age WHERE age > 3 RETURN age SKIP 1",
        "UNWIND [1, 2] AS x RETURN x UNION RETURN 3 AS x",
        "UNWIND [1, 'a'] AS x RETURN CASE x WHEN < 2, IS NULL THEN 1 \
         WHEN IS NOT :: STRING, ENDS WITH 'a' THEN 2 END AS c",
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
        "UNWIND ['A', 'B'] AS l CREATE (n:Tag:$(l))-[:$('R' + l)]->() SET n:$([l, 'C'])",
        "MATCH (t:Tag) CALL (t) { SET t.x = 1 } IN TRANSACTIONS OF 10 ROWS",
        "LOAD CSV WITH HEADERS FROM 'a.csv' AS row FIELDTERMINATOR ';' \
         CREATE (:Tag {x: toInteger(row.x)})",
    ]));
}
