//! `--where` and `--where-relationship`: parts of property graphs by their properties.

use std::collections::BTreeMap;

use crate::common::Place;

/// Thirty nodes and their properties, and two relationships of each.
struct Sample {
    place: Place,
}

fn age(node: u64) -> Option<u64> {
    (!node.is_multiple_of(4)).then_some(10 + node * 7 % 40)
}

fn city(node: u64) -> &'static str {
    ["Rome", "Riga", "Oslo"][node as usize % 3]
}

fn targets(node: u64) -> [(u64, u64); 2] {
    [
        ((node * 3 + 1) % 30, node % 5),
        ((node * 7 + 2) % 30, node % 7),
    ]
}

impl Sample {
    fn new() -> Self {
        let place = Place::new();
        let mut rows = String::new();
        for node in 0..30 {
            let label = if node % 2 == 0 { "Even" } else { "Odd" };
            let age = age(node).map_or(String::new(), |age| format!(",\"age\":{age}"));
            let city = city(node);
            rows += &format!(
                "{{\"id\":\"n{node}\",\"label\":\"{label}\",\"props\":{{\"no\":{node},\
                 \"city\":\"{city}\"{age}}}}}\n"
            );
        }
        for node in 0..30 {
            for (target, strength) in targets(node) {
                rows += &format!(
                    "{{\"from\":\"n{node}\",\"type\":\"R\",\"to\":\"n{target}\",\
                     \"props\":{{\"strength\":{strength}}}}}\n"
                );
            }
        }
        place.file("all.jsonl", rows);
        place.json("import db all.jsonl");
        Sample { place }
    }

    /// Out-degrees by the number of a node.
    fn degrees(&self, flags: &[&str]) -> BTreeMap<u64, u64> {
        let all = [
            &["run", "db", "degrees", "--name-by", "no", "-o", "-"],
            flags,
        ]
        .concat();
        let written = self.place.call_with(&all);
        written.expect(0);
        let line = |line: &str| {
            let (node, degree) = line.split_once('\t').expect("two columns");
            (
                node.parse().expect("a number"),
                degree.parse().expect("a number"),
            )
        };
        written.stdout.lines().map(line).collect()
    }
}

/// The degrees in a part, from the definition.
fn expected(
    is_chosen: impl Fn(u64) -> bool,
    is_followed: impl Fn(u64) -> bool,
) -> BTreeMap<u64, u64> {
    let degree = |node: u64| {
        let targets = targets(node).into_iter();
        let left = targets.filter(|&(target, strength)| is_chosen(target) && is_followed(strength));
        left.count() as u64
    };
    let chosen = (0..30).filter(|&node| is_chosen(node));
    chosen.map(|node| (node, degree(node))).collect()
}

#[test]
fn parts_are_those_for_which_conditions_hold() {
    let sample = Sample::new();
    type Holds = fn(u64) -> bool;
    let nodes: [(&str, Holds); 6] = [
        ("age >= 30", |n| age(n).is_some_and(|age| age >= 30)),
        ("NOT age >= 30", |n| age(n).is_some_and(|age| age < 30)),
        ("age IS NULL OR city = 'Rome'", |n| {
            age(n).is_none() || city(n) == "Rome"
        }),
        ("city STARTS WITH 'R' XOR no IN [0, 1, 2, 3]", |n| {
            city(n).starts_with('R') != (n < 4)
        }),
        ("20 < age <= 40 AND city CONTAINS 'i'", |n| {
            age(n).is_some_and(|age| 20 < age && age <= 40) && city(n).contains('i')
        }),
        ("no >= 0", |_| true),
    ];
    let relationships: [(&str, Holds); 3] = [
        ("strength > 2", |s| s > 2),
        ("strength IN [0, 4] OR strength = 6", |s| {
            [0, 4, 6].contains(&s)
        }),
        ("strength IS NOT NULL", |_| true),
    ];
    for (condition, is_chosen) in &nodes {
        let found = sample.degrees(&["--where", condition]);
        assert_eq!(found, expected(is_chosen, |_| true), "{condition}");
        for (other, is_followed) in &relationships {
            let found = sample.degrees(&["--where", condition, "--where-relationship", other]);
            assert_eq!(
                found,
                expected(is_chosen, is_followed),
                "{condition}; {other}"
            );
        }
    }
    for (other, is_followed) in &relationships {
        let found = sample.degrees(&["--where-relationship", other]);
        assert_eq!(found, expected(|_| true, is_followed), "{other}");
    }
    // With labels, as an undirected graph, and of an export.
    let odd = sample.degrees(&["--where", "age >= 30", "--labels", "Odd"]);
    assert_eq!(
        odd,
        expected(|n| n % 2 == 1 && age(n).is_some_and(|a| a >= 30), |_| true)
    );
    let condition = [
        "--where",
        "age < 30",
        "--where-relationship",
        "strength > 2",
    ];
    let export = [&["--json", "export", "db", "part.jsonl"], &condition[..]].concat();
    let exported = sample.place.call_with(&export);
    exported.expect(0);
    let part = expected(|n| age(n).is_some_and(|age| age < 30), |s| s > 2);
    let json = exported.json();
    assert_eq!(json["nodes"], part.len());
    assert_eq!(json["relationships"], part.values().sum::<u64>());
    let shown = sample
        .place
        .call_with(&["--json", "show", "db", "node", "--where", condition[1]]);
    assert_eq!(shown.json()["total"], part.len());
}

#[test]
fn a_result_is_of_its_condition() {
    let sample = Sample::new();
    let run = |flags: &[&str]| {
        let all = [&["--json", "run", "db", "pagerank"], flags].concat();
        let outcome = sample.place.call_with(&all);
        outcome.expect(0);
        outcome.json()
    };
    run(&["--where", "age > 20", "--keep", "ranks"]);
    assert_eq!(run(&["--where", "age > 20"])["kept"], "ranks");
    for other in [
        &["--where", "age > 21"][..],
        &[],
        &["--where-relationship", "strength > 1"],
    ] {
        assert_eq!(run(other)["kept"], serde_json::Value::Null, "{other:?}");
    }
}

#[test]
fn errors_are_shown_where_they_stand() {
    let sample = Sample::new();
    for (condition, marked, hint) in [
        ("agee > 3", "  agee > 3\n  ^^^^\n", "did you mean `age`?"),
        ("age >> 3", "  age >> 3\n       ^\n", "such as"),
        (
            "age > 3 ADN no = 1",
            "          ^^^\n",
            "did you mean `AND`?",
        ),
        (
            "no = 3 AND city",
            "  no = 3 AND city\n             ^^^^\n",
            "differ in type",
        ),
        ("age", "  age\n  ^^^\n", "differ in type"),
        (
            "no = 1000",
            "there is no node where no = 1000",
            "show DB node",
        ),
    ] {
        let said = sample
            .place
            .call_with(&["run", "db", "degrees", "--where", condition]);
        assert!([Some(1), Some(2)].contains(&said.code), "{said:#?}");
        assert!(said.stderr.contains(marked), "{condition}: {}", said.stderr);
        assert!(said.stderr.contains(hint), "{condition}: {}", said.stderr);
    }
    sample.place.file("edges.txt", "1 2\n");
    sample.place.json("import plain edges.txt");
    let said = sample
        .place
        .call_with(&["run", "plain", "degrees", "--where", "x = 1"]);
    assert!(said.stderr.contains("it has no projections"), "{said:#?}");
}
