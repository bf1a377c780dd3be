//! Queries on graphs, through the public interface.

mod bad_input;
mod chains;
mod compiled;
mod counts;
mod documented_plans;
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
mod transactions;
mod writes;

use std::sync::Arc;

use evergraph_interpreter::{Datum, Limits, Options, Parameters, Query, QueryError};
use evergraph_property_graph::graph::{GraphOptions, OpenOptions, PropertyGraph};
use evergraph_storage::Storage;
use evergraph_storage::medium::{DramStorage, EmulatedStorage, FileStorage};
use tempfile::TempDir;

/// An empty graph.
fn graph() -> PropertyGraph {
    graph_on(&DramStorage::new())
}

fn graph_on(storage: &dyn Storage) -> PropertyGraph {
    PropertyGraph::create(storage, GraphOptions::default(), [1; 16]).expect("a graph")
}

/// Medium of one graph.
enum Medium {
    Dram,
    /// Counts, and waits for nothing.
    Emulated(EmulatedStorage),
    File {
        storage: FileStorage,
        _directory: TempDir,
    },
}

impl Medium {
    fn emulated() -> Self {
        Medium::Emulated(EmulatedStorage::new(Arc::new(DramStorage::new()), None))
    }

    fn file() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        Medium::File {
            storage: FileStorage::create(directory.path()).expect("files"),
            _directory: directory,
        }
    }

    fn graph(&self) -> PropertyGraph {
        match self {
            Medium::Dram => graph(),
            Medium::Emulated(storage) => graph_on(storage),
            Medium::File { storage, .. } => graph_on(storage),
        }
    }

    /// The graph after a checkpoint and an opening, but in DRAM: its records and lists are
    /// read from the medium.
    fn reopened(&self, graph: PropertyGraph) -> PropertyGraph {
        let storage: &dyn Storage = match self {
            Medium::Dram => return graph,
            Medium::Emulated(storage) => storage,
            Medium::File { storage, .. } => storage,
        };
        graph.checkpoint().expect("a checkpoint");
        drop(graph);
        let opened = PropertyGraph::open(storage, OpenOptions::default());
        let (graph, _) = opened.expect("opened");
        let reads = || match self {
            Medium::Emulated(storage) => storage.device().drain().media_reads,
            _ => 0,
        };
        let before = reads();
        let nodes = graph.view().nodes().filter(Result::is_ok).count();
        let has_read = !matches!(self, Medium::Emulated(_)) || reads() > before;
        assert!(nodes > 0 && has_read, "{nodes} nodes");
        graph
    }
}

/// The rows of a query.
fn rows(graph: &PropertyGraph, text: &str) -> Vec<Vec<Datum>> {
    attempt(graph, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn attempt(graph: &PropertyGraph, text: &str) -> Result<Vec<Vec<Datum>>, QueryError> {
    let query = Query::prepare(graph, text)?;
    Ok(query.execute(graph, &Parameters::new())?.collect())
}

fn within(graph: &PropertyGraph, text: &str, limits: Limits) -> Result<Query, QueryError> {
    let options = Options {
        limits,
        ..Options::default()
    };
    Query::prepare_with(graph, text, options)
}

/// The only value of a query.
fn value(graph: &PropertyGraph, text: &str) -> Datum {
    let mut rows = rows(graph, text);
    assert_eq!((rows.len(), rows[0].len()), (1, 1), "{text}");
    rows.remove(0).remove(0)
}
