//! Views that begin with the tables of the one before.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use evergraph_storage::failpoint;

use super::lookups::graph;
use crate::graph::{NodeId, PropertyGraph, View};
use crate::value::Value;

const NODE: NodeId = NodeId(0);

fn with_a_node() -> PropertyGraph {
    let graph = graph(&[]);
    graph
        .write(|own| own.create_node(&["Person"], [("a", Value::from(0))]))
        .expect("alone");
    graph.checkpoint().expect("merged");
    graph
}

fn set(graph: &PropertyGraph, a: i64) {
    graph.write(|own| own.set(NODE, "a", a)).expect("alone");
}

fn a_of(view: &View) -> i64 {
    let value = view.property(NODE, "a").expect("readable");
    value
        .and_then(|value| value.as_integer())
        .expect("it has one")
}

fn live_views(graph: &PropertyGraph) -> usize {
    graph.store().stats().live_views
}

#[test]
fn a_view_has_what_the_one_before_had_read() {
    let graph = with_a_node();
    let view = graph.view();
    let clone = view.clone();
    assert_eq!((a_of(&view), view.read.chunks()), (0, 1));
    drop(view);
    assert_eq!(graph.view().read.chunks(), 0, "a clone goes on with them");
    drop(clone);
    let view = graph.view();
    assert_eq!(view.read.chunks(), 1);
    assert_eq!(graph.view().read.chunks(), 0, "one has them at a time");
}

#[test]
fn nothing_older_than_the_newest_commit_is_kept() {
    let graph = with_a_node();
    drop(graph.view());
    assert_eq!(live_views(&graph), 1);
    set(&graph, 1);
    assert_eq!(live_views(&graph), 0);
    let before = graph.view();
    assert_eq!(a_of(&before), 1);
    set(&graph, 2);
    assert_eq!((a_of(&before), a_of(&graph.view())), (1, 2));
    drop(before);
    assert_eq!(a_of(&graph.view()), 2);
    graph.checkpoint().expect("merged");
    assert_eq!(live_views(&graph), 0);
}

/// The memory of a view of many chunks goes with it.
#[test]
fn a_view_of_many_chunks_leaves_nothing() {
    let graph = graph(&[]);
    let made = graph.write(|own| {
        for a in 0..2000 {
            own.create_node(&["Person"], [("a", Value::from(a))])?;
        }
        Ok(())
    });
    made.expect("alone");
    graph.checkpoint().expect("merged");
    for (nodes, left) in [(100, 1), (2000, 0)] {
        let view = graph.view();
        for node in 0..nodes {
            let value = view.property(NodeId(node), "a").expect("readable");
            assert_eq!(value, Some(Value::from(i64::from(node))));
        }
        assert_eq!(view.read.chunks(), nodes as usize / 4);
        drop(view);
        assert_eq!(live_views(&graph), left, "{nodes} nodes");
    }
}

/// Whether a view is of the newest commit, that of a snapshot, which leaves what was left.
fn is_of_the_newest(graph: &PropertyGraph, name: &str) -> bool {
    drop(graph.view());
    graph.create_snapshot(name).expect("a new name");
    let newest = graph.snapshots().last().map(|snapshot| snapshot.csn);
    Some(graph.view().csn()) == newest
}

#[test]
fn what_an_older_view_left_is_not_taken() {
    let graph = with_a_node();
    assert!(is_of_the_newest(&graph, "a"));
    let _armed = failpoint::Scope::armed("view.older-tables-taken").enter();
    assert!(!is_of_the_newest(&graph, "b"), "the mutant survives");
}

/// Whoever takes a view sees what was committed before.
#[test]
fn views_of_several_threads_show_every_commit() {
    let graph = with_a_node();
    let (committed, is_done) = (AtomicI64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Acquire) {
                    let at_least = committed.load(Ordering::Acquire);
                    let seen = a_of(&graph.view());
                    assert!(seen >= at_least, "{seen} after {at_least}");
                }
            });
        }
        for a in 1..2_000 {
            set(&graph, a);
            committed.store(a, Ordering::Release);
        }
        is_done.store(true, Ordering::Release);
    });
}
