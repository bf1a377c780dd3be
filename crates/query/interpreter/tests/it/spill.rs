//! Sorting beyond memory, against sorting within it.

use std::path::PathBuf;

use evergraph_interpreter::{Datum, Limits, Options, Parameters, Query, QueryError};
use evergraph_property_graph::graph::PropertyGraph;

use crate::{graph, rows};

fn with(
    graph: &PropertyGraph,
    text: &str,
    memory: usize,
    spill: Option<PathBuf>,
) -> Result<Vec<Vec<Datum>>, QueryError> {
    let limits = Limits {
        memory,
        spill,
        threads: 1,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let query = Query::prepare_with(graph, text, options)?;
    let mut found = Vec::new();
    query.read_each(&graph.view(), &Parameters::new(), &mut |row| {
        found.push(row);
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Rows with nulls, mixed types, zeros of both signs, NaN, nodes, paths, lists of nodes.
fn sample() -> PropertyGraph {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 9999) AS x \
         WITH x, (x * 7919) % 10007 AS y \
         CREATE (n:N {x: x, y: CASE y % 9 \
            WHEN 0 THEN null WHEN 1 THEN toString(y) WHEN 2 THEN y / 10 \
            WHEN 3 THEN y * 0.5 WHEN 4 THEN [toString(y), 'a'] WHEN 5 THEN date() + duration({days: y}) \
            WHEN 6 THEN -0.0 WHEN 7 THEN 0.0 / 0.0 ELSE y % 2 = 0 END})\
         -[:R {w: y % 100}]->(:M)",
    );
    graph
}

#[test]
fn spilled_rows_are_those_of_memory() {
    let graph = sample();
    let directory = std::env::temp_dir().join(format!("evergraph-sort-{}", std::process::id()));
    for text in [
        "MATCH (n:N) RETURN n, n.y AS y, n.x AS x ORDER BY y, x",
        "MATCH (n:N) RETURN n.x AS x, n.y AS y ORDER BY y DESC",
        "MATCH p = (n:N)-[r]->(m) RETURN p, [n, m] AS l, {a: r} AS e, m ORDER BY r.w, n.x % 3 DESC",
        "MATCH (n:N) OPTIONAL MATCH (n)-[r:R {w: 3}]->(m) RETURN r, m, n.x AS x ORDER BY n.y",
        "MATCH (n:N) WITH n ORDER BY n.x % 10, n.x DESC SKIP 100 MATCH (n)-->(m) RETURN n, m",
    ] {
        let expected = with(&graph, text, 1 << 30, None).expect("memory for all");
        let memory = 1 << 19;
        let without = with(&graph, text, memory, None);
        assert!(matches!(without, Err(QueryError::Memory { .. })), "{text}");
        let found = with(&graph, text, memory, Some(directory.clone())).expect("a disk");
        assert!(found == expected, "{text}");
        let left = std::fs::read_dir(&directory).expect("a directory").count();
        assert_eq!(left, 0, "{text}");
    }
    std::fs::remove_dir(&directory).expect("it is empty");
}

#[test]
fn a_directory_that_cannot_be_is_told() {
    let graph = sample();
    let text = "MATCH (n:N) RETURN n.x AS x ORDER BY n.y";
    let nowhere = Some(PathBuf::from("/dev/null/nowhere"));
    let error = with(&graph, text, 1 << 18, nowhere).expect_err("no directory");
    assert!(matches!(&error, QueryError::Spill { .. }), "{error}");
    assert!(error.to_string().contains("/dev/null/nowhere"), "{error}");
}
