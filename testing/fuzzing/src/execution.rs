//! Queries that run, on a small graph in DRAM, interpreted and compiled.

use std::ops::ControlFlow;
use std::time::Duration;

use evergraph_interpreter::{Datum, Execution, Limits, Options, Parameters, Query, QueryError};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, GraphError, GraphOptions, OpenOptions, PropertyGraph, Rule, Transaction,
};
use evergraph_property_graph::transaction::Settings;
use evergraph_storage::medium::DramStorage;
use evergraph_syntax::parse;
use evergraph_syntax::tree::Statement;

const MOST_ROWS: usize = 1000;
/// Bytes that a query may hold, and what its transaction has written.
pub const MEMORY: usize = 1 << 20;
const TIMEOUT: Duration = Duration::from_millis(200);

/// A statement that is run by the interpreter, and by machine code on an equal graph: both
/// have the same rows or the same error. Files are not touched: `COPY` is no query, and
/// without a way to open files `LOAD CSV` is refused. Returns whether it is a statement.
pub fn execution(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let Ok(statement) = parse(text) else {
        return false;
    };
    let modes = [Execution::Interpret, Execution::Compile];
    let found = modes.map(|mode| outcome(text, &statement, mode));
    if let [Some(interpreted), Some(compiled)] = found
        && is_repeatable(text)
    {
        assert_eq!(interpreted, compiled, "interpreted and compiled: {text}");
    }
    true
}

/// Whether a text gives the same each time: nothing in it may be random or ask for the time,
/// however it is spelled.
fn is_repeatable(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut changing = ["rand", "uuid", "date", "time", "\\", "profile"].iter();
    !changing.any(|part| text.contains(part))
}

/// Rows in an order of their own, or an error's class and detail; nothing where a limit
/// ended it, or where rows are missing.
fn outcome(
    text: &str,
    statement: &Statement,
    execution: Execution,
) -> Option<Result<Vec<String>, String>> {
    let options = Options {
        limits: Limits {
            timeout: Some(TIMEOUT),
            memory: MEMORY,
            threads: 1,
            execution,
            ..Limits::default()
        },
        ..Options::default()
    };
    let graph = graph().expect("a graph");
    let mut rows = Vec::new();
    let run = || -> Result<(), QueryError> {
        let query = Query::prepare_statement(&graph, text, statement, options)?;
        query.plan();
        let mut transaction = graph.begin();
        query.run_each(&mut transaction, &parameters(), &mut |_, row| {
            rows.push(format!("{row:?}"));
            match rows.len() < MOST_ROWS {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
        Ok(())
    };
    match run() {
        Err(QueryError::Timeout(_) | QueryError::Memory { .. }) => None,
        Err(QueryError::Graph(GraphError::MemoryLimit { .. })) => None,
        Err(error) => Some(Err(format!("{} {}", error.class(), error.detail()))),
        Ok(()) if rows.len() == MOST_ROWS => None,
        Ok(()) => {
            rows.sort();
            Some(Ok(rows))
        }
    }
}

fn parameters() -> Parameters {
    let list = Value::List([1.into(), "b".into()].into());
    let values = [("a", 1.into()), ("b", Value::from("a")), ("c", list)];
    let datums = values.map(|(name, value)| (name.into(), Datum::Value(value)));
    datums.into()
}

/// A graph of its own for each run, so that new nodes have the same ids.
fn graph() -> Result<PropertyGraph, GraphError> {
    let opening = OpenOptions {
        transactions: Settings {
            overlay_bytes: MEMORY,
            ..Settings::default()
        },
        ..OpenOptions::default()
    };
    let (storage, options) = (DramStorage::new(), GraphOptions::default());
    let graph = PropertyGraph::create_with(&storage, options, [1; 16], opening)?;
    graph.define_all(&[
        Definition::of_nodes("x", "A", &["x"], Rule::Index),
        Definition::of_nodes("k", "B", &["k"], Rule::Unique),
    ])?;
    graph.write(fill)?;
    Ok(graph)
}

fn fill(transaction: &mut Transaction) -> Result<(), GraphError> {
    let labels = [&["A"][..], &["B"], &["A", "B"], &[]];
    let mut nodes = Vec::new();
    for k in 0..8 {
        let node = transaction.create_node(labels[k % 4], [("k", (k as i64).into())])?;
        if k != 5 {
            transaction.set(node, "x", k as i64 % 3)?;
        }
        match k % 3 {
            0 => transaction.set(node, "y", ["a", "ab", "b"][k / 3])?,
            1 => transaction.set(node, "y", k as f64 / 2.0)?,
            _ => {}
        }
        nodes.push(node);
    }
    for step in 0..12 {
        let (source, target) = (nodes[step % 8], nodes[(step * step + 1) % 8]);
        let weight = [("w", (step as i64 % 4).into())];
        transaction.create_relationship(source, ["R", "S"][step % 2], target, weight)?;
    }
    Ok(())
}
