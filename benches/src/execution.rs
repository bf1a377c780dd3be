//! Queries interpreted, compiled, and by what adapts, beside the same written by hand
//! against the store and a tuple-at-a-time interpreter (Poseidon, Figures 7, 9 and 10).
//!
//! All of a query run on the same commit in turn, the least time of each counts; every
//! answer must be that of the one written by hand. Compiled queries run once before:
//! `compile_ms` is the time of the compiler.

mod by_hand;
mod tuples;

use std::collections::BTreeMap;
use std::time::Instant;

use evergraph_interpreter::{Datum, Execution, Limits, Parameters, Query, Rows, compiled_programs};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{PropertyGraph, View};
use serde_json::json;

use self::tuples::{Operator, Pipeline, number as n, operator as op, property};
use crate::Benchmark;
use crate::columns::data::Data;
use crate::meter::minimum;
use crate::settings::Settings;
use crate::table::{Table, number};
use crate::transactions::graph::{empty, text};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "execution",
    parameters: &["degree", "graph", "simple"],
    run,
};

/// Counts and sums by key.
type Groups = BTreeMap<i64, (i64, i64)>;

/// A query whose rows are keys, counts and sums; without a key, of one group.
struct Case {
    name: &'static str,
    text: &'static str,
    by_hand: fn(&View) -> Result<Groups, String>,
    /// `None` of what a pipeline without a breaker is not enough for.
    tuples: fn() -> Option<Pipeline>,
}

fn pipeline(
    operators: Vec<Operator>,
    key: tuples::Expression,
    sum: tuples::Expression,
) -> Option<Pipeline> {
    Some(Pipeline {
        operators,
        key,
        sum,
    })
}

const CASES: &[Case] = &[
    Case {
        name: "scan, filter of three operators, count and sum",
        text: "MATCH (n:Item) WHERE n.a * 3 + n.c % 7 < 900 RETURN 0, count(*), sum(n.c)",
        by_hand: by_hand::scan_filter_sum,
        tuples: || {
            let sum = op(
                op(property(0, "a"), '*', n(3)),
                '+',
                op(property(0, "c"), '%', n(7)),
            );
            let filter = Operator::Filter(op(sum, '<', n(900)));
            pipeline(vec![filter], n(0), property(0, "c"))
        },
    },
    Case {
        name: "scan, filter, groups",
        text: "MATCH (n:Item) WHERE n.a < 500 RETURN n.c % 50 AS k, count(*), sum(n.c)",
        by_hand: by_hand::scan_filter_group,
        tuples: || {
            let filter = Operator::Filter(op(property(0, "a"), '<', n(500)));
            let key = op(property(0, "c"), '%', n(50));
            pipeline(vec![filter], key, property(0, "c"))
        },
    },
    Case {
        name: "one hop, filters of relationship and both ends, sum",
        text: "MATCH (n:Item)-[r:LINKS]->(m) WHERE r.w < 50 AND n.a + m.a * 2 < 1500 \
               RETURN 0, count(*), sum(m.c - n.c)",
        by_hand: by_hand::one_hop,
        tuples: || {
            let ends = op(property(0, "a"), '+', op(property(2, "a"), '*', n(2)));
            let operators = vec![
                Operator::Expand(0),
                Operator::Filter(op(property(1, "w"), '<', n(50))),
                Operator::Filter(op(ends, '<', n(1500))),
            ];
            let sum = op(property(2, "c"), '-', property(0, "c"));
            pipeline(operators, n(0), sum)
        },
    },
    Case {
        name: "two hops, filters of nodes and relationships, sum",
        text: "MATCH (n:Item)-[r:LINKS]->(m)-[:LINKS]->(k) \
               WHERE n.a < 20 AND r.w < 50 AND k.a > 300 RETURN 0, count(*), sum(k.c - m.c)",
        by_hand: by_hand::two_hops,
        tuples: || {
            let operators = vec![
                Operator::Filter(op(property(0, "a"), '<', n(20))),
                Operator::Expand(0),
                Operator::Filter(op(property(1, "w"), '<', n(50))),
                Operator::Expand(2),
                Operator::Differ(1, 3),
                Operator::Filter(op(property(4, "a"), '>', n(300))),
            ];
            let sum = op(property(4, "c"), '-', property(2, "c"));
            pipeline(operators, n(0), sum)
        },
    },
    Case {
        name: "one hop, groups by the first node",
        text: "MATCH (n:Item)-[:LINKS]->(m) WHERE m.a < 500 \
               RETURN n.c % 50 AS k, count(*), sum(m.c)",
        by_hand: by_hand::hop_group,
        tuples: || {
            let operators = vec![
                Operator::Expand(0),
                Operator::Filter(op(property(2, "a"), '<', n(500))),
            ];
            let key = op(property(0, "c"), '%', n(50));
            pipeline(operators, key, property(2, "c"))
        },
    },
    Case {
        name: "hash join on integers, sum",
        text: "MATCH (n:Item), (m:Item) WHERE n.b = m.c AND n.a < 500 \
               RETURN 0, count(*), sum(n.a + m.a)",
        by_hand: by_hand::join,
        tuples: || None,
    },
    Case {
        name: "filter, first ten of an order",
        text: "MATCH (n:Item) WHERE n.a < 900 \
               WITH n.b AS b, n.c AS c ORDER BY c DESC, b LIMIT 10 RETURN b, c, 0",
        by_hand: by_hand::top,
        tuples: || None,
    },
];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let data = Data::generate(settings)?;
    let (graph, _storage, _place) = empty(settings)?;
    data.load(&graph)?;
    let trials = settings.trials.unwrap_or(5);
    let columns = [
        "query",
        "threads",
        "tuples_ms",
        "interpreted_ms",
        "compiled_ms",
        "adaptive_ms",
        "by_hand_ms",
        "compile_ms",
        "tuples_over_compiled",
        "interpreted_over_compiled",
        "compiled_over_by_hand",
        "equal",
    ];
    let mut table = Table::new(format!("queries of {}", data.name), &columns);
    for &threads in &settings.threads {
        for case in CASES {
            settings.progress(&format!("execution: {}", case.name));
            table.row(measure(case, &graph, threads, trials)?);
        }
    }
    Ok(vec![table, compile_times(&graph)?])
}

fn measure(
    case: &Case,
    graph: &PropertyGraph,
    threads: usize,
    trials: usize,
) -> Result<Vec<serde_json::Value>, String> {
    let view = graph.view();
    let query_of = |execution| {
        let query = Query::prepare(graph, case.text).map_err(text)?;
        Ok::<Query, String>(query.with_limits(Limits {
            execution,
            threads,
            ..Limits::default()
        }))
    };
    let timed = |query: &Query| {
        let began = Instant::now();
        let rows = query.read(&view, &Parameters::new()).map_err(text)?;
        let groups = groups_of(rows)?;
        Ok::<_, String>((began.elapsed().as_secs_f64(), groups))
    };
    let interpreted = query_of(Execution::Interpret)?;
    let compiled = query_of(Execution::Compile)?;
    // What is read first is in no cache.
    timed(&interpreted)?;
    timed(&compiled)?;
    let programs = compiled_programs().into_iter();
    let of_case = programs.filter(|one| &*one.text == case.text);
    let compiling: f64 = of_case.map(|one| one.time.as_secs_f64()).sum();
    let mut times: [Vec<f64>; 5] = Default::default();
    let mut equal = true;
    for _ in 0..trials {
        let began = Instant::now();
        let expected = (case.by_hand)(&view)?;
        times[0].push(began.elapsed().as_secs_f64());
        if let Some(pipeline) = (case.tuples)() {
            let began = Instant::now();
            equal &= tuples::Run::of(&pipeline, &view)? == expected;
            times[4].push(began.elapsed().as_secs_f64());
        }
        // That which adapts begins without code of its own each time.
        let adaptive = query_of(Execution::Adapt)?;
        for (place, query) in [&interpreted, &compiled, &adaptive].into_iter().enumerate() {
            let (seconds, answer) = timed(query)?;
            times[place + 1].push(seconds);
            equal &= answer == expected;
        }
    }
    let [by_hand, interpreted, compiled, adaptive, tuples] = times.map(|times| match times.len() {
        0 => f64::NAN,
        _ => minimum(&times),
    });
    let milliseconds = |seconds: f64| number(seconds * 1e3);
    Ok(vec![
        json!(case.name),
        json!(threads),
        milliseconds(tuples),
        milliseconds(interpreted),
        milliseconds(compiled),
        milliseconds(adaptive),
        milliseconds(by_hand),
        milliseconds(compiling),
        number(tuples / compiled),
        number(interpreted / compiled),
        number(compiled / by_hand),
        json!(equal),
    ])
}

fn groups_of(rows: Rows) -> Result<Groups, String> {
    let integer = |datum: &Datum| match datum {
        Datum::Value(Value::Integer(number)) => Ok(*number),
        other => Err(format!("{other:?} is no integer")),
    };
    rows.map(|row| match row.as_slice() {
        [key, count, sum] => Ok((integer(key)?, (integer(count)?, integer(sum)?))),
        _ => Err("a row has a key, a count and a sum".to_string()),
    })
    .collect()
}

/// Time of the compiler by the number of operators (Figure 9).
fn compile_times(graph: &PropertyGraph) -> Result<Table, String> {
    let mut table = Table::new("compiling", &["operators", "terms", "bytes", "compile_ms"]);
    // Each adds two terms within each other: there are no more than 64.
    for operators in [1usize, 2, 4, 8, 16] {
        let signs = ["+ n.a", "- n.b", "* 3", "+ n.c"];
        let parts = (0..operators).map(|place| signs[place % signs.len()]);
        let expression = parts.fold("n.c".to_string(), |all, part| {
            format!("({all} {part}) % 97")
        });
        let query = format!("MATCH (n:Item) WHERE n.b < 100 RETURN sum({expression})");
        let prepared = Query::prepare(graph, &query).map_err(text)?;
        let prepared = prepared.with_limits(Limits {
            execution: Execution::Compile,
            ..Limits::default()
        });
        prepared
            .read(&graph.view(), &Parameters::new())
            .map_err(text)?;
        let programs = compiled_programs();
        let of_query = programs.iter().filter(|one| *one.text == *query);
        if let Some(largest) = of_query.max_by_key(|one| one.terms) {
            table.row(vec![
                json!(operators),
                json!(largest.terms),
                json!(largest.bytes),
                number(largest.time.as_secs_f64() * 1e3),
            ]);
        }
    }
    Ok(table)
}
