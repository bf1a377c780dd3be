//! Expressions over columns, and compiled, against the same row by row: random
//! expressions, on values of all types, with nulls and errors.

use std::sync::Arc;

use evergraph_functions::Datum;
use evergraph_functions::operators::boolean;
use evergraph_jit::Compiler;
use evergraph_planner::{Expression, Operator};
use evergraph_property_graph::graph::{Account, GraphOptions, PropertyGraph};
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::{Gathered, Over, Row};
use crate::batch::Batch;
use crate::graph::{Access, Graph};
use crate::limits::{Guard, Limits};
use crate::run::Run;
use crate::{Execution, Parameters, Query};

fn graph() -> PropertyGraph {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [1; 16]);
    let graph = graph.expect("a graph");
    for text in [
        "UNWIND range(0, 69) AS i CREATE (:N {i: i, \
         a: CASE i % 5 WHEN 0 THEN null WHEN 1 THEN i - 30 WHEN 2 THEN i % 4 \
            WHEN 3 THEN -9223372036854775807 - 1 ELSE 3 END, \
         b: [null, 0.0, -0.0, 0.0 / 0.0, 1.5, 1.0, 3.0, 9007199254740993.0][i % 8], \
         c: [1, 1.0, 'a', true, null, [1, 2], 2.5, 'ab', date('2020-01-02')][i % 9], \
         s: ['a', 'ab', 'b', '', null][i % 5], t: [true, false, null][i % 3], \
         d: date({year: 2000 + i % 3, month: 1, day: 1}), k: i % 4})",
        "MATCH (n:N), (m:N) WHERE m.i = n.i * 7 % 70 AND n.i % 3 > 0 CREATE (n)-[:R {w: n.i}]->(m)",
        "MATCH (n:N) WHERE n.i % 2 = 0 SET n:M",
    ] {
        let query = Query::prepare(&graph, text).expect(text);
        query.execute(&graph, &parameters()).expect(text);
    }
    graph
}

fn parameters() -> Parameters {
    Parameters::from([
        ("p".to_string(), 2i64.into()),
        ("q".to_string(), vec![1i64, 3].into()),
    ])
}

const ATOMS: &[&str] = &[
    "n.a",
    "n.b",
    "n.c",
    "n.s",
    "n.t",
    "n.d",
    "n.k",
    "n.none",
    "m.a",
    "m.c",
    "m.t",
    "r.w",
    "x",
    "y",
    "n",
    "m",
    "r",
    "0",
    "1",
    "-1",
    "2",
    "9223372036854775807",
    "1.5",
    "0.0 / 0.0",
    "'a'",
    "true",
    "false",
    "null",
    "$p",
    "$q",
    "[1, 2, null]",
    "['a', 'b']",
    "[n.k, x]",
    "n:M",
    "m:M",
    "m:M|X",
    "id(n)",
    "n.d.year",
    "{k: n.k}.k",
    "$q[n.k]",
    "n.c[0]",
    "n = m",
    "n <> m",
];

fn text() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(ATOMS).prop_map(str::to_string);
    let binary = [
        "+",
        "-",
        "*",
        "/",
        "%",
        "^",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "AND",
        "OR",
        "XOR",
        "IN",
        "STARTS WITH",
        "ENDS WITH",
        "CONTAINS",
        "AND",
        "OR",
        "=",
    ];
    atom.prop_recursive(4, 16, 4, move |inner| {
        let one = inner.clone();
        let two = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner);
        let binary = prop::sample::select(binary.to_vec());
        prop_oneof![
            6 => (two.clone(), binary).prop_map(|((a, b), sign)| format!("({a} {sign} {b})")),
            1 => one.clone().prop_map(|a| format!("(NOT {a})")),
            1 => one.clone().prop_map(|a| format!("(-{a})")),
            1 => one.clone().prop_map(|a| format!("({a} IS NULL)")),
            1 => one.clone().prop_map(|a| format!("({a} IS NOT NULL)")),
            1 => one.prop_map(|a| format!("toString({a})")),
            1 => two.clone().prop_map(|(a, b)| format!("[v IN [{a}, 1] WHERE v = {b} | {b}]")),
            2 => two.prop_map(|(a, b)| format!("coalesce({a}, {b}, 7)")),
            1 => three.clone().prop_map(|(a, b, c)| format!("({a} < {b} <= {c})")),
            1 => three.clone().prop_map(|(a, b, c)| format!("(({a}) AND ({b}) AND ({c}))")),
            2 => three.clone().prop_map(|(a, b, c)| {
                format!("CASE WHEN {a} THEN {b} WHEN {c} THEN {a} END")
            }),
            1 => three.prop_map(|(a, b, c)| format!("CASE {a} WHEN {b}, {c} THEN {b} ELSE {a} END")),
        ]
    })
}

/// Each value to the last bit, or the message of the error.
fn exact(values: Result<Vec<Datum>, crate::QueryError>) -> Result<Vec<String>, String> {
    let values = values.map_err(|error| error.to_string())?;
    Ok(values.iter().map(|datum| format!("{datum:?}")).collect())
}

fn by_row(run: &Run<'_, '_>, of: &Expression, batch: &Batch) -> Result<Vec<String>, String> {
    let rows = 0..batch.len();
    exact(
        rows.map(|at| run.value(of, &mut Row::new(batch, at)))
            .collect(),
    )
}

fn filtered_by_row(
    run: &Run<'_, '_>,
    condition: &Expression,
    batch: &Batch,
    rows: &[u32],
) -> Result<Vec<u32>, String> {
    let mut kept = Vec::new();
    for &at in rows {
        let value = run.value(condition, &mut Row::new(batch, at as usize));
        let value = value.map_err(|error| error.to_string())?;
        if boolean(&value).map_err(|error| error.to_string())? == Some(true) {
            kept.push(at);
        }
    }
    Ok(kept)
}

/// Compares all expressions of the last projection of a query.
fn compare(
    graph: &PropertyGraph,
    text: &str,
    some: &[bool],
    execution: Execution,
) -> Result<usize, TestCaseError> {
    // Some have types that never fit.
    let Ok(query) = Query::prepare(graph, text) else {
        return Ok(0);
    };
    let mut plan = &query.prepared.planned.plan;
    let items = loop {
        match &plan.operator {
            Operator::Extend(items) => break items,
            _ => plan = plan.input.as_deref().expect("a projection"),
        }
    };
    let input = plan.input.as_deref().expect("rows to project");
    let account = Arc::new(Account::default());
    let reader = Graph::new(Access::View(graph.view()), account);
    let guard = Guard::new(&Limits::default());
    let parameters = parameters();
    let query = query.with_limits(Limits {
        execution,
        ..Limits::default()
    });
    let compared = query.with_run(&reader, &guard, &parameters, None, |run| {
        let (batch, _account) = run.collect(input, Batch::start(query.width()), "a test")?;
        let gathered = Gathered::default();
        let over = Over::new(run, &batch, &gathered);
        let mut compared = Vec::new();
        for (_, item) in items {
            let column = over.all(item);
            let found = exact(column.map(|column| column.into_data(batch.len())));
            compared.push((found, by_row(run, item, &batch)));
            let rows = (0..batch.len() as u32).filter(|&at| some[at as usize % some.len()]);
            let rows: Vec<u32> = rows.collect();
            let expected = filtered_by_row(run, item, &batch, &rows);
            let found = over
                .satisfying(item, rows)
                .map_err(|error| error.to_string());
            let texts = |rows: Vec<u32>| rows.iter().map(u32::to_string).collect();
            compared.push((found.map(texts), expected.map(texts)));
        }
        Ok(compared)
    });
    let compared = compared.expect("rows");
    let count = compared.len();
    for (found, expected) in compared {
        prop_assert_eq!(found, expected, "{}", text);
    }
    Ok(count)
}

/// Compares the expressions of so many random queries.
fn compare_many(queries: usize, execution: Execution) {
    let graph = graph();
    let mut compared = 0;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..queries {
        let strategy = (text(), text(), prop::collection::vec(any::<bool>(), 1..9));
        let tree = strategy.new_tree(&mut runner).expect("an expression");
        let (first, second, some) = tree.current();
        let query = format!(
            "MATCH (n:N) OPTIONAL MATCH (n)-[r:R]->(m) WITH n, r, m, n.k AS x, n.c AS y \
             RETURN {first} AS first, {second} AS second"
        );
        let found = compare(&graph, &query, &some, execution);
        compared += found.unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(
        compared > queries,
        "{compared} of the expressions were possible"
    );
}

#[test]
fn columns_have_the_values_of_rows() {
    compare_many(3000, Execution::Interpret);
}

#[test]
fn compiled_columns_have_the_values_of_rows() {
    let before = calls();
    compare_many(1500, Execution::Compile);
    let calls = calls() - before;
    assert!(calls > 300, "code was called {calls} times");
}

/// Batches that code in the shared compiler was called for.
fn calls() -> u64 {
    let stored = Compiler::shared().stored();
    stored.iter().map(|one| one.calls).sum()
}
