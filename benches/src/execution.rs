//! Queries interpreted, compiled, and by what adapts, beside the same loops over plain
//! arrays (Poseidon, Figures 7 and 9).
//!
//! All of a query run on the same graph in turn, the least time of each counts; every
//! answer must be that of the loop. Compiled queries run once before: `compile_ms` is
//! what that took longer.

use std::time::Instant;

use evergraph_interpreter::{Datum, Execution, Limits, Parameters, Query};
use evergraph_property_graph::graph::PropertyGraph;
use serde_json::json;

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

/// A query, rows that it looks at, and its answer.
struct Case {
    name: &'static str,
    text: &'static str,
    rows: fn(&Data) -> usize,
    answer: fn(&Data) -> i64,
}

const CASES: &[Case] = &[
    Case {
        name: "scan, filter of three operators, count",
        text: "MATCH (n:Item) WHERE n.a * 3 + n.c % 7 < 900 RETURN count(*)",
        rows: Data::nodes,
        answer: |data| {
            let pairs = data.a.iter().zip(&data.c);
            pairs.filter(|(a, c)| **a * 3 + **c % 7 < 900).count() as i64
        },
    },
    Case {
        name: "scan, sum of four operators",
        text: "MATCH (n:Item) RETURN sum(n.a * 2 + n.c - n.b % 10)",
        rows: Data::nodes,
        answer: |data| {
            let rows = data.a.iter().zip(&data.b).zip(&data.c);
            rows.map(|((a, b), c)| a * 2 + c - b % 10).sum()
        },
    },
    Case {
        name: "scan, sum of a CASE",
        text: "MATCH (n:Item) RETURN sum(CASE WHEN n.a < 100 THEN n.c * 2 \
               WHEN n.a > 900 THEN n.c + 1 ELSE 0 END)",
        rows: Data::nodes,
        answer: |data| {
            let rows = data.a.iter().zip(&data.c);
            rows.map(|(&a, &c)| match a {
                a if a < 100 => c * 2,
                a if a > 900 => c + 1,
                _ => 0,
            })
            .sum()
        },
    },
    Case {
        name: "one hop, filter of both ends, sum",
        text: "MATCH (n:Item)-[:LINKS]->(m) WHERE n.a + m.a * 2 < 1500 RETURN sum(m.c - n.c)",
        rows: |data| data.edges.len(),
        answer: |data| {
            let of = |node: u32| (data.a[node as usize], data.c[node as usize]);
            let ends = data.edges.iter().map(|&(n, m)| (of(n), of(m)));
            let passing = ends.filter(|((a, _), (b, _))| a + b * 2 < 1500);
            passing.map(|((_, c), (_, d))| d - c).sum()
        },
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
        "rows",
        "loop_ns",
        "interpreted_ns",
        "compiled_ns",
        "adaptive_ns",
        "compile_ms",
        "interpreted_over_compiled",
        "compiled_over_loop",
        "equal",
    ];
    let mut table = Table::new(format!("queries of {}", data.name), &columns);
    for &threads in &settings.threads {
        for case in CASES {
            table.row(measure(case, &data, &graph, threads, trials)?);
        }
    }
    Ok(vec![table])
}

fn measure(
    case: &Case,
    data: &Data,
    graph: &PropertyGraph,
    threads: usize,
    trials: usize,
) -> Result<Vec<serde_json::Value>, String> {
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
        let mut rows = query
            .read(&graph.view(), &Parameters::new())
            .map_err(text)?;
        let answer = rows.next().and_then(|row| row.into_iter().next());
        Ok::<_, String>((began.elapsed().as_secs_f64(), answer))
    };
    let interpreted = query_of(Execution::Interpret)?;
    let compiled = query_of(Execution::Compile)?;
    // What is read first is in no cache.
    timed(&interpreted)?;
    let first = timed(&compiled)?.0;
    let mut times: [Vec<f64>; 4] = Default::default();
    let mut equal = true;
    for _ in 0..trials {
        let began = Instant::now();
        let expected = std::hint::black_box((case.answer)(data));
        times[0].push(began.elapsed().as_secs_f64());
        // That which adapts begins without code of its own each time.
        let adaptive = query_of(Execution::Adapt)?;
        for (place, query) in [&interpreted, &compiled, &adaptive].into_iter().enumerate() {
            let (seconds, answer) = timed(query)?;
            times[place + 1].push(seconds);
            equal &= answer == Some(Datum::from(expected));
        }
    }
    let rows = (case.rows)(data);
    let [plain, interpreted, compiled, adaptive] = times.map(|times| minimum(&times));
    let a_row = |seconds: f64| number(seconds / rows.max(1) as f64 * 1e9);
    Ok(vec![
        json!(case.name),
        json!(threads),
        json!(rows),
        a_row(plain),
        a_row(interpreted),
        a_row(compiled),
        a_row(adaptive),
        number((first - compiled) * 1e3),
        number(interpreted / compiled),
        number(compiled / plain),
        json!(equal),
    ])
}
