//! Rows as they are found.

use std::ops::ControlFlow;

use evergraph_interpreter::{Datum, Limits, Parameters, Query, QueryError};
use evergraph_property_graph::graph::PropertyGraph;

use crate::{graph, rows, within};

const QUERIES: [&str; 6] = [
    "MATCH (a:N) RETURN a, a.x AS x",
    "MATCH (a:N) WHERE a.x < 3 RETURN a.x AS x UNION ALL MATCH (a:N) RETURN a.y AS x",
    "MATCH (a:N) RETURN a.x AS x ORDER BY x DESC SKIP 3 LIMIT 4000",
    "MATCH (a:N) OPTIONAL MATCH (a)-[r]->(b) RETURN DISTINCT r, b.x AS x",
    "UNWIND [] AS x RETURN x",
    "MATCH (a:N) RETURN count(*)",
];

fn sample() -> PropertyGraph {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(1, 5000) AS x CREATE (:N {x: x})-[:R]->(:M {x: x % 7})",
    );
    graph
}

fn query(graph: &PropertyGraph, text: &str, limits: Limits) -> Query {
    within(graph, text, limits).expect("a query")
}

/// As many rows as a caller takes.
fn taken(graph: &PropertyGraph, query: &Query, most: usize) -> Vec<Vec<Datum>> {
    let mut found = Vec::new();
    let each = &mut |row| {
        found.push(row);
        match found.len() < most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    };
    let done = query.read_each(&graph.view(), &Parameters::new(), each);
    done.expect("rows");
    found
}

#[test]
fn rows_are_the_same_one_by_one() {
    let graph = sample();
    for text in QUERIES {
        let query = query(&graph, text, Limits::default());
        let all = rows(&graph, text);
        for most in [1, 2048, 2049, usize::MAX] {
            let expected = &all[..all.len().min(most)];
            assert_eq!(taken(&graph, &query, most), expected, "{text}, {most} rows");
        }
        let mut within = Vec::new();
        let mut transaction = graph.begin();
        let each = &mut |_: &_, row| {
            within.push(row);
            ControlFlow::Continue(())
        };
        let done = query.run_each(&mut transaction, &Parameters::new(), each);
        done.expect("rows");
        assert_eq!(within, all, "{text}");
    }
}

/// 25 million rows, of which none is held.
#[test]
fn rows_that_are_not_held_need_no_memory() {
    let graph = sample();
    let limits = Limits {
        memory: 1 << 19,
        ..Limits::default()
    };
    let query = query(&graph, "MATCH (a:N), (b:N) RETURN a, b", limits);
    let held = query.read(&graph.view(), &Parameters::new());
    assert!(matches!(held, Err(QueryError::Memory { .. })));
    assert_eq!(taken(&graph, &query, 1_000_000).len(), 1_000_000);
}

#[test]
fn writes_are_done_before_the_first_row() {
    let graph = sample();
    let text = "UNWIND range(1, 5000) AS x CREATE (n:New {x: x}) RETURN n.x AS x";
    let query = query(&graph, text, Limits::default());
    let mut transaction = graph.begin();
    let each = &mut |transaction: &evergraph_property_graph::graph::Transaction,
                     row: Vec<Datum>| {
        assert_eq!(row, [Datum::from(1)]);
        let last = transaction.find("New", &[("x", 5000.into())]);
        assert_eq!(last.expect("a read").len(), 1);
        ControlFlow::Break(())
    };
    let summary = query
        .run_each(&mut transaction, &Parameters::new(), each)
        .expect("rows");
    assert_eq!(summary.counters.nodes_created, 5000);
}

/// A query that was prepared before holds, whatever was written since.
#[test]
fn prepared_queries_hold() {
    let graph = sample();
    let text = "MATCH (n:N {x: $x}) RETURN n.name AS name";
    let query = query(&graph, text, Limits::default());
    assert!(query.is_current(&graph));
    let parameters = Parameters::from([("x".into(), 17.into())]);
    let names = |query: &Query| -> Vec<Vec<Datum>> {
        query
            .read(&graph.view(), &parameters)
            .expect("rows")
            .collect()
    };
    assert_eq!(names(&query), [[Datum::NULL]]);
    rows(&graph, "MATCH (n:N {x: 17}) SET n.name = 'Ann'");
    assert!(!query.is_current(&graph), "a key is new");
    assert_eq!(names(&query), [[Datum::from("Ann")]]);
    let query = Query::prepare(&graph, text).expect("a query");
    rows(&graph, "UNWIND range(1, 100) AS x CREATE (:N {x: x})");
    assert!(query.is_current(&graph), "counts are about the same");
    rows(&graph, "UNWIND range(1, 20000) AS x CREATE (:N {x: -x})");
    assert!(!query.is_current(&graph), "counts have grown");
    let query = Query::prepare(&graph, text).expect("a query");
    graph.create_index("xs", "N", &["x"]).expect("an index");
    assert!(!query.is_current(&graph), "an index is new");
    assert_eq!(names(&query).len(), 2);
}
