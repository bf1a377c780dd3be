//! Queries on graphs, through the public interface.

mod bad_input;
mod compiled;
mod counts;
mod groups;
mod joins;
mod limits;
mod modes;
mod paths;
mod profile;
mod queries;
mod random_queries;
mod spellings;
mod spill;
mod streams;
mod subqueries;
mod threads;
mod writes;

use evergraph_interpreter::{Datum, Parameters, Query, QueryError};
use evergraph_property_graph::graph::{GraphOptions, PropertyGraph};
use evergraph_storage::medium::DramStorage;

/// An empty graph.
fn graph() -> PropertyGraph {
    PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [1; 16]).expect("a graph")
}

/// The rows of a query.
fn rows(graph: &PropertyGraph, text: &str) -> Vec<Vec<Datum>> {
    attempt(graph, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn attempt(graph: &PropertyGraph, text: &str) -> Result<Vec<Vec<Datum>>, QueryError> {
    let query = Query::prepare(graph, text)?;
    Ok(query.execute(graph, &Parameters::new())?.collect())
}

/// The only value of a query.
fn value(graph: &PropertyGraph, text: &str) -> Datum {
    let mut rows = rows(graph, text);
    assert_eq!((rows.len(), rows[0].len()), (1, 1), "{text}");
    rows.remove(0).remove(0)
}
