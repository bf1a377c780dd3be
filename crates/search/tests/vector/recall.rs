//! How many of the nearest are found, on random vectors.

use evergraph_property_graph::graph::{GraphOptions, NodeId, PropertyGraph, View};
use evergraph_search::vector::{Metric, Vectors};
use evergraph_storage::medium::DramStorage;

use crate::scan::{compare, definition, list, vector};

const DIMENSIONS: usize = 24;
/// More than are measured one by one.
const PLACES: u64 = 5000;
const QUERIES: u64 = 40;
const K: usize = 10;

fn filled() -> PropertyGraph {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    for first in (0..PLACES).step_by(500) {
        let made = graph.write(|tx| {
            for seed in first..first + 500 {
                tx.create_node(&["IndexFile"], [("at", list(&vector(DIMENSIONS, seed)))])?;
            }
            Ok(())
        });
        made.expect("committed");
    }
    graph
}

/// The share of the nearest that are found.
fn recall(near: &Vectors<'_>, view: &View, first: u64) -> f64 {
    let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
    let queries = (first..first + QUERIES).map(|seed| vector(DIMENSIONS, 1_000_000 + seed));
    let found: usize = queries
        .map(|query| compare(near, view, &all, &query, K))
        .sum();
    found as f64 / (QUERIES as usize * K) as f64
}

#[test]
fn nearly_all_of_the_nearest_are_found() {
    let graph = filled();
    let directory = tempfile::tempdir().expect("made");
    for &(name, metric) in Metric::ALL {
        let mut definition = definition(DIMENSIONS, metric);
        definition.name = name.to_string();
        let near = Vectors::open(&graph, directory.path(), definition).expect("opened");
        let recall = recall(&near, &graph.view(), 0);
        assert!(recall >= 0.95, "{name}: {recall}");
    }
}

/// Views from before and after many changes, and the file.
#[test]
fn changes_do_not_make_answers_worse() {
    let graph = filled();
    let directory = tempfile::tempdir().expect("made");
    let definition = || definition(DIMENSIONS, Metric::Euclidean);
    let near = Vectors::open(&graph, directory.path(), definition()).expect("opened");
    let mut views = vec![graph.view()];
    near.refresh().expect("up to date");
    for round in 1..4u64 {
        let changed = graph.write(|tx| {
            for node in (round as u32..PLACES as u32).step_by(4) {
                let moved = vector(DIMENSIONS, 10_000 * round + u64::from(node));
                match node % 20 {
                    3 if tx.node(NodeId(node))?.is_some() => tx.delete_node(NodeId(node))?,
                    _ if tx.node(NodeId(node))?.is_some() => {
                        tx.set(NodeId(node), "at", list(&moved))?;
                    }
                    _ => {}
                }
            }
            Ok(())
        });
        changed.expect("committed");
        views.push(graph.view());
        near.refresh().expect("up to date");
    }
    for (round, view) in (0..).zip(&views) {
        let recall = recall(&near, view, 100 * round);
        assert!(recall >= 0.95, "{recall} as of commit {}", view.csn());
    }
    drop(views);
    near.save().expect("written");
    drop(near);
    let near = Vectors::open(&graph, directory.path(), definition()).expect("opened");
    assert!(near.statistics().was_usable);
    let recall = recall(&near, &graph.view(), 900);
    assert!(recall >= 0.95, "{recall} after opening");
}

/// Only places that are asked for, also where they are few.
#[test]
fn only_nodes_that_are_wanted_are_found() {
    let graph = filled();
    let directory = tempfile::tempdir().expect("made");
    let definition = definition(DIMENSIONS, Metric::Cosine);
    let near = Vectors::open(&graph, directory.path(), definition).expect("opened");
    let (view, query) = (graph.view(), vector(DIMENSIONS, 77_777));
    let exact = near
        .nearest_exact(&view, &query, usize::MAX)
        .expect("found");
    for every in [1, 7, 400] {
        let wanted = |node: NodeId| node.0.is_multiple_of(every);
        let found = near.nearest_where(&view, &query, 5, wanted).expect("found");
        assert!(found.iter().all(|one| wanted(one.node)));
        let expected: Vec<_> = exact
            .iter()
            .filter(|one| wanted(one.node))
            .take(5)
            .collect();
        assert_eq!(found.len(), 5);
        let same = found.iter().filter(|one| expected.contains(one)).count();
        assert!(same >= 4, "{same} of {every}");
    }
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        near.nearest_where(&view, &query, 5, |_| panic!("asked for"))
    }));
    assert!(panics.is_err(), "a panic comes back through the library");
    assert_eq!(near.nearest(&view, &query, 5).expect("found").len(), 5);
}

/// Of each vector the same share is found that reading all of them finds, also where the
/// neighbors of most are their equals.
#[test]
fn equal_vectors_hide_no_others() {
    const EQUAL: u64 = 4500;
    const OTHERS: u64 = 20;
    for &(name, metric) in Metric::ALL {
        let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [6; 16]);
        let graph = graph.expect("made");
        let made = graph.write(|tx| {
            for number in 0..EQUAL + OTHERS {
                let seed = number.saturating_sub(EQUAL - 1);
                let at = [("at", list(&vector(8, seed)))];
                tx.create_node(&["IndexFile"], at)?;
            }
            Ok(())
        });
        made.expect("committed");
        let directory = tempfile::tempdir().expect("made");
        let mut definition = definition(8, metric);
        definition.name = name.to_string();
        let near = Vectors::open(&graph, directory.path(), definition).expect("opened");
        let view = graph.view();
        let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
        for other in 1..=OTHERS {
            assert_eq!(
                compare(&near, &view, &all, &vector(8, other), 1),
                1,
                "{name}"
            );
        }
    }
}

/// Products that single precision loses beside 1 are told apart.
#[test]
fn small_products_have_an_order() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [7; 16]);
    let graph = graph.expect("made");
    let made = graph.write(|tx| {
        for number in 0..200 {
            let vector: Vec<f32> = vector(3, number).iter().map(|x| x * 1e-5).collect();
            tx.create_node(&["IndexFile"], [("at", list(&vector))])?;
        }
        Ok(())
    });
    made.expect("committed");
    let directory = tempfile::tempdir().expect("made");
    let definition = definition(3, Metric::InnerProduct);
    let near = Vectors::open(&graph, directory.path(), definition).expect("opened");
    let view = graph.view();
    let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
    assert_eq!(compare(&near, &view, &all, &[1e-5, 0.0, 0.0], K), K);
}
