//! The plans of `docs/query-execution.md` are those of its queries.
//!
//! A block begins with a query; behind an empty line is its plan without what the page leaves
//! out. `UPDATE_EXPECT=1` writes the plans anew.

use std::fmt::Write;

use evergraph_interpreter::Query;
use evergraph_property_graph::graph::PropertyGraph;
use expect_test::expect_file;

use crate::{graph, rows};

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../docs/query-execution.md"
);

/// Persons that know each other, in triangles too, and like a few of many tags.
fn network() -> PropertyGraph {
    let graph = graph();
    for text in [
        "UNWIND range(1, 600) AS x CREATE (:Person {id: x, x: x})",
        "UNWIND range(1, 200) AS x CREATE (:Tag {id: x, x: x})",
        "MATCH (a:Person) UNWIND [1, 2, 3, 5, 8, 13, 21, 34] AS step \
         MATCH (b:Person {id: (a.id * 7 + step) % 600 + 1}) CREATE (a)-[:KNOWS]->(b)",
        "MATCH (a:Person) MATCH (t:Tag {id: a.id % 200 + 1}) CREATE (a)-[:LIKES]->(t)",
    ] {
        rows(&graph, text);
    }
    graph
}

/// A plan without the rows that it begins with, what it keeps, and estimates.
fn shortened(plan: &str) -> String {
    let mut text = String::new();
    for line in plan.lines() {
        let operator = match line.rsplit_once(" [") {
            Some((operator, estimate)) if is_estimate(estimate) => operator,
            _ => line,
        };
        if !["Argument", "Keep"].contains(&operator.split_whitespace().next().unwrap_or("")) {
            let _ = writeln!(text, "{operator}");
        }
    }
    text
}

fn is_estimate(text: &str) -> bool {
    let number = text.strip_suffix(']');
    number.is_some_and(|number| number.parse::<f64>().is_ok())
}

#[test]
fn queries_have_the_plans_that_the_page_shows() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let graph = network();
    let mut examples = 0;
    // Every second piece is a block of code.
    let pieces = page.split("```\n").enumerate().map(|(at, piece)| {
        let query = piece.split_once("\n\n").filter(|_| at % 2 == 1);
        let Some((query, _)) = query.filter(|_| piece.starts_with("MATCH ")) else {
            return piece.to_string();
        };
        examples += 1;
        let prepared = Query::prepare(&graph, query);
        let prepared = prepared.unwrap_or_else(|error| panic!("{query}: {error}"));
        format!("{query}\n\n{}", shortened(&prepared.plan()))
    });
    let written = pieces.collect::<Vec<String>>().join("```\n");
    assert!(examples >= 5, "{examples} examples");
    expect_file![PAGE].assert_eq(&written);
}
