//! A process that writes and searches is killed: the graph is sound, and the index
//! answers as measuring all nodes does.

use std::path::Path;

use evergraph_property_graph::graph::NodeId;
use evergraph_search::vector::{Metric, VectorOptions, Vectors};

use crate::killed::{DIRECTORY, kill_after, open};
use crate::scan::{compare, definition, list, vector};

const DIMENSIONS: usize = 4;

/// Commits, searches and saves until it is killed.
#[test]
#[ignore = "the other test runs it as a process of its own"]
fn writes_until_it_is_killed() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let directory = Path::new(&directory);
    let graph = open(directory);
    let options = VectorOptions {
        direct: 1,
        ..VectorOptions::default()
    };
    let places = definition(DIMENSIONS, Metric::Cosine);
    let near = Vectors::open_with(&graph, directory, places, options).expect("opened");
    for round in graph.view().nodes().count() as u32.. {
        let at = list(&vector(DIMENSIONS, round.into()));
        let made = graph.write(|tx| {
            if round > 3 {
                tx.set(NodeId(round / 2), "at", at.clone())?;
            }
            tx.create_node(&["IndexFile"], [("at", at.clone())])
        });
        made.expect("committed");
        if round.is_multiple_of(2) {
            let query = vector(DIMENSIONS, 7);
            near.nearest(&graph.view(), &query, 3).expect("found");
        }
        near.save().expect("written");
        println!("round {round}");
        if round % 50 == 49 {
            graph.checkpoint().expect("written");
        }
    }
}

#[test]
fn an_index_outlives_a_killed_process() {
    let directory = tempfile::tempdir().expect("made");
    for rounds in [1, 8, 23, 40] {
        kill_after(directory.path(), rounds);
        let graph = open(directory.path());
        assert_eq!(graph.check().problems, Vec::<String>::new());
        let places = definition(DIMENSIONS, Metric::Cosine);
        let near = Vectors::open(&graph, directory.path(), places).expect("opened");
        assert!(near.statistics().was_usable, "the old file or the new one");
        let view = graph.view();
        let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
        for seed in 0..5 {
            let query = vector(DIMENSIONS, 500 + seed);
            let wanted = near.nearest_exact(&view, &query, 4).expect("found").len();
            assert_eq!(compare(&near, &view, &all, &query, 4), wanted);
        }
    }
}
