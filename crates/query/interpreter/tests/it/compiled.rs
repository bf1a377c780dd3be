//! Queries whose expressions become machine code, against the same interpreted.

use evergraph_interpreter::{Datum, Execution, Limits, Parameters, Profile, Query, QueryError};
use evergraph_property_graph::graph::PropertyGraph;

use crate::{graph, rows};

fn executed(
    graph: &PropertyGraph,
    execution: Execution,
    threads: usize,
    text: &str,
) -> Result<(Vec<Vec<Datum>>, Option<Profile>), QueryError> {
    let query = Query::prepare(graph, text)?.with_limits(Limits {
        execution,
        threads,
        ..Limits::default()
    });
    let rows = query.execute(graph, &Parameters::new())?;
    let profile = rows.summary().profile.clone();
    Ok((rows.collect(), profile))
}

/// Nodes whose properties change their types, or are null, as the ids grow.
fn changing() -> PropertyGraph {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 19999) AS x CREATE (:N {x: x, \
         a: CASE WHEN x < 6000 THEN x % 10 WHEN x < 12000 THEN x * 0.5 \
            WHEN x < 16000 THEN null ELSE 'text' END, \
         b: CASE WHEN x % 3 = 0 THEN null ELSE x % 7 END, t: x % 2 = 0})",
    );
    graph
}

const EXECUTIONS: [Execution; 5] = [
    Execution::Compile,
    Execution::Adapt,
    Execution::SwitchAfter(1),
    Execution::SwitchAfter(5000),
    Execution::SwitchAfter(11_000),
];

#[test]
fn every_way_gives_the_same_rows() {
    let graph = changing();
    for text in [
        "MATCH (n:N) WHERE n.x % 7 + n.b > 5 RETURN n.x ORDER BY n.x",
        "MATCH (n:N) WHERE n.a + n.b > 5 AND n.x < 12000 RETURN n.x ORDER BY n.x",
        "MATCH (n:N) WHERE n.x < 16000 RETURN n.x AS x, n.a * 2 + n.b AS y ORDER BY x",
        "MATCH (n:N) WHERE NOT (n.t AND n.b > 3) OR n.x % 5 = 0 RETURN count(*), sum(n.b * n.x - 1)",
        "MATCH (n:N) RETURN n.x % 10 + n.b AS k, count(*), avg(n.x / 2.0 + n.b) ORDER BY k",
        "MATCH (n:N) RETURN CASE WHEN n.b IS NULL THEN -n.x WHEN n.b > 3 THEN coalesce(n.b, 1) \
         ELSE n.x + 1 END AS v ORDER BY n.x",
        "MATCH (n:N) WHERE n.x < 300 MATCH (m:N) WHERE m.x = n.x * 3 + n.b - 1 \
         RETURN n.x, m.x ORDER BY n.x, m.x",
        "UNWIND range(1, 9000) AS i WITH i WHERE i * i % 11 < 3 RETURN sum(i + i * 2)",
        "MATCH (n:N) WHERE n.x % 7 + n.b > 5 RETURN 'k', count(*), count(n.b), avg(n.b), \
         sum(n.x % 5), count(n.t), max(n.x)",
        "MATCH (n:N) WHERE n.x % 7 + n.b > 5 RETURN 'k', count(*), count(n.b), avg(n.b), \
         sum(n.x % 5), count(n.t)",
        "MATCH (n:N) WHERE n.x % 7 > 5 RETURN count(*), count(n.a), count(n.x * 2)",
        "MATCH (n:N) WHERE n.x % 7 > 5 AND n.x < 16000 RETURN sum(n.a * 2), avg(n.a)",
        "MATCH (n:N) WHERE n.x % 7 > 9 RETURN count(*), sum(n.x), avg(n.x)",
        "MATCH (n:N) RETURN sum(n.x * 2 + n.b), sum(n.b), count(n.x % 2 = 0 OR null)",
        "MATCH (n:N) WHERE n.x % 2 = 0 RETURN sum(n.x + 9223372036854750000), count(DISTINCT n.b)",
        "MATCH (n:N) WHERE n.x % 2 = 0 RETURN sum(n.x + 9223372036854750000), avg(n.x - 7)",
        "UNWIND [2, 3] AS k CALL (k) { MATCH (n:N) WHERE n.x % k = 1 RETURN sum(n.x * k) AS s } \
         RETURN k, s",
    ] {
        let interpreted = executed(&graph, Execution::Interpret, 1, text)
            .expect(text)
            .0;
        for execution in EXECUTIONS {
            for threads in [1, 2] {
                let found = executed(&graph, execution, threads, text).expect(text).0;
                assert!(
                    found == interpreted,
                    "{execution:?}, {threads} threads: {text}"
                );
            }
        }
    }
}

#[test]
fn every_way_gives_the_same_error() {
    let graph = changing();
    for text in [
        "MATCH (n:N) WHERE n.x < 9000 RETURN sum(9223372036854770000 + n.x * 2)",
        "MATCH (n:N) WHERE 100 / (n.x - 15000) + 1 > 0 RETURN count(*)",
        "MATCH (n:N) WHERE (n.x > 19000 AND 7 % (n.x - 19500) = 1) RETURN count(*)",
        "MATCH (n:N) RETURN sum(n.a * 2 + n.b)",
    ] {
        let message = |execution| {
            let done = executed(&graph, execution, 1, text);
            done.map(|(rows, _)| rows)
                .map_err(|error| error.to_string())
        };
        let interpreted = message(Execution::Interpret);
        for execution in EXECUTIONS {
            assert_eq!(message(execution), interpreted, "{execution:?}: {text}");
        }
    }
    // What a row leaves out is no error.
    let text = "MATCH (n:N) WHERE n.x <> 15000 AND 100 / (n.x - 15000) + 1 > 0 RETURN count(*)";
    for execution in EXECUTIONS {
        let found = executed(&graph, execution, 1, text)
            .expect("no division by zero")
            .0;
        assert_eq!(
            found,
            executed(&graph, Execution::Interpret, 1, text).unwrap().0
        );
    }
}

#[test]
fn the_switch_is_in_the_middle_of_a_query_and_told() {
    let graph = changing();
    let text = "PROFILE MATCH (n:N) WHERE n.x * 3 + n.x % 11 > 0 RETURN count(*)";
    let filter_of = |execution| {
        let profile = executed(&graph, execution, 1, text).expect("rows").1;
        let operators = profile.expect("a profile").operators;
        *operators.iter().find(|one| one.compiled > 0).expect("code")
    };
    let filter = filter_of(Execution::SwitchAfter(5000));
    // The first two batches have 2,048 rows, the others 4,096: three are interpreted.
    assert_eq!(
        (filter.batches, filter.compiled, filter.compiled_from),
        (6, 3, 4)
    );
    assert!(!filter.compiling.is_zero());
    let filter = filter_of(Execution::Compile);
    assert_eq!((filter.compiled, filter.compiled_from), (6, 1));
    let (rows, profile) = executed(&graph, Execution::Interpret, 1, text).expect("rows");
    let operators = profile.expect("a profile").operators;
    assert!(operators.iter().all(|one| one.compiled == 0), "{rows:?}");
}

#[test]
fn code_of_another_query_is_used_from_the_first_batch() {
    let graph = changing();
    let text = |least| format!("PROFILE MATCH (n:N) WHERE n.x * 7 + n.x % 19 > {least} RETURN n.x");
    let compiled_from = |execution, text: &str| {
        let profile = executed(&graph, execution, 1, text).expect("rows").1;
        let operators = profile.expect("a profile").operators;
        let compiled = operators.iter().find(|one| one.compiled > 0);
        compiled.map(|one| one.compiled_from)
    };
    let early = Execution::Adapt;
    assert_eq!(compiled_from(early, &text(1)), None, "too few rows to ask");
    assert_eq!(compiled_from(Execution::Compile, &text(2)), Some(1));
    assert_eq!(compiled_from(early, &text(3)), Some(1));
}

#[test]
fn a_filter_and_the_totals_of_its_rows_are_one_program() {
    let graph = changing();
    let programs = |text: &str| {
        let query = Query::prepare(&graph, text).expect("a query");
        let query = query.with_limits(Limits {
            execution: Execution::Compile,
            threads: 1,
            ..Limits::default()
        });
        query.execute(&graph, &Parameters::new()).expect("rows");
        query.code_lines().len()
    };
    let filter = "MATCH (n:N) WHERE n.x * 3 + n.x % 11 > 20";
    assert_eq!(
        programs(&format!("{filter} RETURN count(*), avg(n.x * 2)")),
        1
    );
    // Groups, and what is no count and no sum, are looked at behind the filter.
    assert!(programs(&format!("{filter} RETURN n.t, avg(n.x * 2)")) > 1);
    assert!(programs(&format!("{filter} RETURN max(n.x * 2)")) > 1);
}

#[test]
fn a_query_that_is_run_again_has_its_code() {
    let graph = changing();
    let text = "PROFILE MATCH (n:N) RETURN sum(n.x * 5 - n.x % 13)";
    let query = Query::prepare(&graph, text)
        .expect("a query")
        .with_limits(Limits {
            execution: Execution::SwitchAfter(30_000),
            threads: 1,
            ..Limits::default()
        });
    let compiled = || {
        let rows = query.execute(&graph, &Parameters::new()).expect("rows");
        let profile = rows.summary().profile.clone().expect("a profile");
        profile
            .operators
            .iter()
            .map(|one| one.compiled)
            .sum::<u64>()
    };
    assert_eq!([compiled(), compiled(), compiled()], [0, 2, 6]);
}

#[test]
fn what_is_too_long_or_too_deep_is_interpreted() {
    let graph = changing();
    let sum = vec!["n.x"; 10_000].join(" + ");
    let deep = format!("{}n.x{}", "(1 + ".repeat(80), ")".repeat(80));
    for (expression, most) in [(sum, 1), (deep, 3)] {
        let text = format!("PROFILE MATCH (n:N) WHERE n.x < 100 RETURN sum({expression})");
        let interpreted = executed(&graph, Execution::Interpret, 1, &text)
            .expect("rows")
            .0;
        let (found, profile) = executed(&graph, Execution::Compile, 1, &text).expect("rows");
        assert_eq!(found, interpreted);
        let operators = profile.expect("a profile").operators;
        let compiled: u64 = operators.iter().map(|one| one.compiled).sum();
        // The condition, and of what is deep two parts.
        assert!(compiled <= most, "{compiled}");
    }
}
