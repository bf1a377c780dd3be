//! Bounds of time, memory and depth.

use std::time::Duration;

use evergraph_interpreter::{Cancellation, Limits, Options, Parameters, Query, QueryError};

use crate::{attempt, graph, rows, value};

fn with(limits: Limits, text: &str) -> Result<usize, QueryError> {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 3000) AS x CREATE (:N {x: x})");
    let options = Options {
        limits,
        ..Options::default()
    };
    let query = Query::prepare_with(&graph, text, options)?;
    Ok(query.execute(&graph, &Parameters::new())?.count())
}

const PRODUCT: &str = "MATCH (a:N), (b:N), (c:N), (d:N) RETURN count(*)";

#[test]
fn a_query_is_cancelled() {
    let cancellation = Cancellation::new();
    let limits = Limits {
        cancellation: cancellation.clone(),
        ..Limits::default()
    };
    cancellation.cancel();
    assert!(matches!(with(limits, PRODUCT), Err(QueryError::Cancelled)));
}

#[test]
fn a_query_ends_at_its_timeout() {
    let limits = Limits {
        timeout: Some(Duration::from_millis(20)),
        ..Limits::default()
    };
    assert!(matches!(with(limits, PRODUCT), Err(QueryError::Timeout(_))));
}

#[test]
fn a_query_keeps_to_its_memory() {
    for text in [
        "MATCH (a:N), (b:N) RETURN a.x AS x, b.x AS y ORDER BY x",
        "MATCH (a:N), (b:N) RETURN collect(a.x * b.x)",
        "MATCH (a:N), (b:N) RETURN DISTINCT a.x, b.x",
        "MATCH (a:N), (b:N) RETURN a, b",
    ] {
        let limits = Limits {
            memory: 1 << 20,
            ..Limits::default()
        };
        let ended = with(limits, text);
        assert!(
            matches!(ended, Err(QueryError::Memory { .. })),
            "{text}: {ended:?}"
        );
    }
    let limits = Limits {
        memory: 1 << 20,
        ..Limits::default()
    };
    let text = "MATCH (a:N), (b:N) WHERE a.x < 100 RETURN a.x AS x, b.x AS y ORDER BY x LIMIT 5";
    assert_eq!(with(limits, text).expect("few rows are held"), 5);
}

#[test]
fn what_is_deep_or_long_is_refused_or_runs() {
    let graph = graph();
    let deep = "WITH 1 AS x ".repeat(900) + "RETURN x";
    assert_eq!(value(&graph, &deep), 1i64.into());
    let deeper = "WITH 1 AS x ".repeat(5000) + "RETURN x";
    assert!(attempt(&graph, &deeper).is_err());
    let long = vec!["1"; 100_000].join(" + ");
    assert_eq!(value(&graph, &format!("RETURN {long}")), 100_000i64.into());
    let many = vec!["RETURN 1 AS x"; 10_000].join(" UNION ");
    assert_eq!(value(&graph, &many), 1i64.into());
    rows(&graph, &"CREATE (:N) ".repeat(900));
    assert_eq!(value(&graph, "MATCH (n:N) RETURN count(*)"), 900i64.into());
    assert!(
        attempt(
            &graph,
            "UNWIND range(1, 1000000000000) AS x RETURN count(*)"
        )
        .is_err()
    );
    assert!(attempt(&graph, "RETURN reduce(s = 'a', x IN range(1, 100) | s + s)").is_err());
}
