//! What `PROFILE` shows.

use std::time::Duration;

use evergraph_interpreter::{Limits, Parameters, Profile, Query};
use evergraph_property_graph::graph::PropertyGraph;
use expect_test::expect;

use crate::{graph, rows, within};

fn profiled(graph: &PropertyGraph, threads: usize, text: &str) -> (String, Profile) {
    let limits = Limits {
        threads,
        ..Limits::default()
    };
    let text = format!("PROFILE {text}");
    let query = within(graph, &text, limits).expect("a query");
    let rows = query.execute(graph, &Parameters::new()).expect("rows");
    let summary = rows.summary().clone();
    let (plan, profile) = (summary.plan.expect("a plan"), summary.profile);
    (masked(&plan), profile.expect("a profile"))
}

/// Without times and bytes.
fn masked(plan: &str) -> String {
    let lines = plan.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let words = words.iter().enumerate().map(|(at, word)| {
            let next = words
                .get(at + 1)
                .map_or("", |next| next.trim_end_matches([',', ']']));
            match ["ms", "bytes"].contains(&next) {
                true => "*",
                false => word,
            }
        });
        words.collect::<Vec<_>>().join(" ") + "\n"
    });
    lines.collect()
}

#[test]
fn operators_tell_rows_beside_estimates() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(1, 5000) AS x CREATE (:N {x: x})-[:R]->(:M {y: x % 7})",
    );
    let mut shown = String::new();
    for text in [
        "MATCH (n:N)-[:R]->(m) WHERE n.x > 1000 RETURN m.y AS y, count(*) ORDER BY y LIMIT 3",
        "MATCH (n:N {x: 1}) OPTIONAL MATCH (n)<--(m) RETURN n, m UNION MATCH (n:M) RETURN n, 1 AS m",
        "MATCH (n:N {x: 1}) SET n.z = 1",
    ] {
        shown += &format!("{text}\n{}\n", profiled(&graph, 1, text).0);
    }
    expect![[r#"
        MATCH (n:N)-[:R]->(m) WHERE n.x > 1000 RETURN m.y AS y, count(*) ORDER BY y LIMIT 3
        Keep y, _4 [3.0 estimated, 3 rows in 1 batch, * ms]
        Top 3 of y [3.0 estimated, 3 rows in 1 batch, * ms]
        Aggregate [_4 = count(*)] by [y = m.y] [57 estimated, 7 rows in 1 batch, * ms]
        Expand (n)-[_2:R]->(m) [3202 estimated, 4000 rows in 4 batches, * ms]
        Filter n.x > 1000 [3202 estimated, 4000 rows in 4 batches, * ms]
        NodeScan n:N with x > 1000 [4001 estimated, 4000 rows in 4 batches, * ms]
        Argument [1.0 estimated, 1 row in 1 batch, * ms]
        * ms, at most * bytes, 1 thread

        MATCH (n:N {x: 1}) OPTIONAL MATCH (n)<--(m) RETURN n, m UNION MATCH (n:M) RETURN n, 1 AS m
        Distinct n, m [5001 estimated, 5001 rows in 5 batches, * ms]
        Union n, m [5001 estimated, 5001 rows in 5 batches, * ms]
          |
            Keep n, m [1.0 estimated, 1 row in 1 batch, * ms]
            Optional m [1.0 estimated, 1 row in 1 batch, * ms]
              |
                Expand (n)<-[_2]-(m) [0.5 estimated, 0 rows in 0 batches, * ms]
                Argument [1.0 estimated, 1 row in 1 batch, * ms]
            Filter n.x = 1 [1.0 estimated, 1 row in 1 batch, * ms]
            NodeScan n:N with x = 1 [1.0 estimated, 1 row in 1 batch, * ms]
            Argument [1.0 estimated, 1 row in 1 batch, * ms]
          |
            Keep n, m [5000 estimated, 5000 rows in 4 batches, * ms]
            Extend m = 1 [5000 estimated, 5000 rows in 4 batches, * ms]
            NodeScan n:M [5000 estimated, 5000 rows in 4 batches, * ms]
            Argument [1.0 estimated, 1 row in 1 batch, * ms]
        * ms, at most * bytes, 1 thread

        MATCH (n:N {x: 1}) SET n.z = 1
        Set n.z = 1 [1.0 estimated, 1 row in 1 batch, * ms]
        Eager [1.0 estimated, 1 row in 1 batch, * ms]
        Filter n.x = 1 [1.0 estimated, 1 row in 1 batch, * ms]
        NodeScan n:N with x = 1 [1.0 estimated, 1 row in 1 batch, * ms]
        Argument [1.0 estimated, 1 row in 1 batch, * ms]
        * ms, at most * bytes, 1 thread

    "#]]
    .assert_eq(&shown);
}

#[test]
fn threads_are_summed() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 9000) AS x CREATE (:N {x: x})");
    let text = "MATCH (n:N) WHERE n.x % 2 = 0 RETURN count(*)";
    let (one, two) = (profiled(&graph, 1, text).1, profiled(&graph, 2, text).1);
    assert_eq!((one.threads(), two.threads() > 0), (1, true));
    let rows = |profile: &Profile| -> Vec<u64> {
        let operators = profile.operators.iter();
        // The argument is each thread's own.
        operators.map(|operator| operator.rows).take(4).collect()
    };
    assert_eq!(rows(&one), rows(&two));
    // Of each moment of one thread, one operator has the time.
    let times: Duration = one.operators.iter().map(|operator| operator.time).sum();
    assert!(times <= one.time, "{one:?}");
    assert!(one.memory > 0 || one.operators.len() < 3);
}

#[test]
fn what_is_not_profiled_has_no_profile() {
    let graph = graph();
    let query = Query::prepare(&graph, "RETURN 1").expect("a query");
    let rows = query.execute(&graph, &Parameters::new()).expect("rows");
    assert_eq!(rows.summary().profile, None);
    assert_eq!(rows.summary().plan, None);
}

#[test]
fn subqueries_that_count_run_once_a_batch() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(1, 50) AS x CREATE (:N {x: x})-[:R]->(:M)-[:R]->(:M)",
    );
    let text =
        "MATCH (n:N) CALL { WITH n MATCH (n)-[:R]->()-[:R]->() RETURN count(*) AS c } RETURN c";
    let plan = profiled(&graph, 1, text).0;
    let line = plan.lines().find(|line| line.contains("Count ["));
    let line = line.unwrap_or_else(|| panic!("{plan}"));
    assert!(line.contains("50 rows in 1 batch"), "{plan}");
}
