//! Files of an index that are not what they should be: it is made anew, and answers as
//! ever.

use std::fs;
use std::path::Path;

use evergraph_property_graph::graph::{GraphOptions, NodeId, PropertyGraph};
use evergraph_search::vector::{Metric, Vectors};
use evergraph_storage::medium::DramStorage;

use crate::scan::{compare, definition, list, vector};

const DIMENSIONS: usize = 4;

fn graph(uuid: u8, places: u64) -> PropertyGraph {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [uuid; 16]);
    let graph = graph.expect("made");
    for seed in 0..places {
        let at = list(&vector(DIMENSIONS, seed));
        let made = graph.write(|tx| tx.create_node(&["IndexFile"], [("at", at.clone())]));
        made.expect("committed");
    }
    graph
}

/// Makes the file of an index; the graph goes on a little.
fn fill(graph: &PropertyGraph, directory: &Path) {
    let places = definition(DIMENSIONS, Metric::Euclidean);
    let near = Vectors::open(graph, directory, places).expect("opened");
    near.refresh().expect("filled");
    near.save().expect("written");
    let moved = list(&vector(DIMENSIONS, 999));
    let changed = graph.write(|tx| tx.set(NodeId(2), "at", moved.clone()));
    changed.expect("committed");
}

/// Opens and asks; whether the file could be used.
fn is_usable(graph: &PropertyGraph, directory: &Path) -> bool {
    let places = definition(DIMENSIONS, Metric::Euclidean);
    let near = Vectors::open(graph, directory, places).expect("opened");
    let view = graph.view();
    let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
    for seed in 0..5 {
        let found = compare(&near, &view, &all, &vector(DIMENSIONS, 50 + seed), 5);
        assert_eq!(found, 5);
    }
    near.statistics().was_usable
}

#[test]
fn a_damaged_file_is_not_believed() {
    let graph = graph(5, 30);
    let directory = tempfile::tempdir().expect("made");
    fill(&graph, directory.path());
    assert!(is_usable(&graph, directory.path()));
    let path = directory.path().join("places.vectors");
    let bytes = fs::read(&path).expect("readable");
    let step = bytes.len() / 40;
    for at in (0..bytes.len()).step_by(step) {
        fs::write(&path, &bytes[..at]).expect("written");
        assert!(!is_usable(&graph, directory.path()), "cut to {at}");
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&path, &flipped).expect("written");
        assert!(!is_usable(&graph, directory.path()), "wrong at {at}");
    }
    // A write that was cut off leaves something beside it.
    fs::write(&path, &bytes).expect("written");
    fs::write(path.with_extension("vectors.new"), &bytes[..step]).expect("written");
    assert!(is_usable(&graph, directory.path()));
}

#[test]
fn the_index_of_something_else_is_not_believed() {
    let graph = graph(5, 30);
    let directory = tempfile::tempdir().expect("made");
    fill(&graph, directory.path());
    let other = self::graph(6, 40);
    assert!(!is_usable(&other, directory.path()), "of another database");
    let restored = self::graph(5, 20);
    assert!(!is_usable(&restored, directory.path()), "of a later state");
    assert!(is_usable(&graph, directory.path()));
    let wider = definition(DIMENSIONS + 1, Metric::Euclidean);
    let near = Vectors::open(&graph, directory.path(), wider).expect("opened");
    assert!(!near.statistics().was_usable, "of other vectors");
}
