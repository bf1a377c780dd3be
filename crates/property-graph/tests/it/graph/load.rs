//! What bulk loads and transactions keep from each other.

use std::thread;

use evergraph_persistence::medium::DramStorage;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{GraphError, NodeId, PropertyGraph, Towards};
use evergraph_property_graph::transaction::{Retryable, TransactionError, TransactionOptions};

use super::random::options;

fn graph() -> PropertyGraph {
    let storage = DramStorage::new();
    PropertyGraph::create(&storage, options(), [7; 16]).expect("created")
}

/// Loads so many persons, each of which knows the one before, and gives the first.
fn load_persons(graph: &PropertyGraph, count: i64) -> NodeId {
    let mut load = graph.load();
    let mut persons = Vec::new();
    for number in 0..count {
        let age = [("age", Value::from(number))];
        persons.push(load.create_node(&["Person"], age).expect("gathered"));
        if let [.., before, last] = persons[..] {
            let none: [(&str, Value); 0] = [];
            load.create_relationship(last, "KNOWS", before, none)
                .expect("gathered");
        }
    }
    load.commit().expect("committed");
    persons[0]
}

#[test]
fn a_load_is_seen_as_a_whole_and_by_later_views_only() {
    let graph = graph();
    let before = graph.view();
    let first = load_persons(&graph, 50);
    assert_eq!(before.nodes().count(), 0);
    let view = graph.view();
    assert_eq!(view.nodes_with_label("Person").count(), 50);
    assert_eq!(view.relationship_count().expect("counted"), 49);
    graph.checkpoint().expect("written");
    assert_eq!(before.nodes().count(), 0, "also after a checkpoint");
    let adjacent = view.neighbors(first, Towards::Both, &["KNOWS"]);
    assert_eq!(adjacent.expect("readable").len(), 1);
    assert!(graph.check().problems.is_empty());
}

#[test]
fn what_is_not_committed_gives_its_ids_back() {
    let graph = graph();
    let mut load = graph.load();
    for _ in 0..50 {
        load.create_node(&[], [("age", 1.into())])
            .expect("gathered");
    }
    drop(load);
    assert_eq!(load_persons(&graph, 3), NodeId(0));
    let next = graph.write(|tx| tx.create_node(&[], [("age", 1.into())]));
    assert_eq!(next.expect("committed"), NodeId(3));
}

#[test]
fn a_relationship_needs_its_ends() {
    let graph = graph();
    let first = load_persons(&graph, 3);
    let gone = NodeId(first.0 + 2);
    graph
        .write(|tx| tx.detach_delete_node(gone))
        .expect("deleted");
    for missing in [gone, NodeId(77)] {
        let mut load = graph.load();
        let none: [(&str, Value); 0] = [];
        load.create_relationship(first, "KNOWS", missing, none)
            .expect("gathered");
        let refused = load.commit().expect_err("an end is missing");
        assert!(
            matches!(refused, GraphError::Transaction(TransactionError::NoNode(id)) if id == missing.0),
            "{refused}"
        );
    }
    assert_eq!(graph.view().relationship_count().expect("counted"), 1);
}

#[test]
fn nobody_deletes_a_node_past_a_load() {
    let graph = graph();
    let first = load_persons(&graph, 2);
    let mut deletes = graph.begin();
    // It has seen the node without the relationship that the load adds.
    let mut load = graph.load();
    let none: [(&str, Value); 0] = [];
    load.create_relationship(first, "LIKES", first, none)
        .expect("gathered");
    load.commit().expect("committed");
    let conflict = deletes
        .detach_delete_node(first)
        .expect_err("it is older than the load");
    assert!(conflict.is_retryable(), "{conflict}");
    drop(deletes);
    let deleted = graph.write(|tx| tx.detach_delete_node(first));
    assert_eq!(deleted.expect("deleted"), 2);
    assert!(graph.check().problems.is_empty());
}

#[test]
fn a_serializable_transaction_notices_a_load() {
    let graph = graph();
    load_persons(&graph, 2);
    let mut transaction = graph.begin_with(&TransactionOptions::serializable());
    let count = transaction.nodes_with_label("Person").count() as i64;
    load_persons(&graph, 5);
    let set = transaction.set(NodeId(0), "age", count);
    let outcome = set.and_then(|()| transaction.commit().map(drop));
    assert!(outcome.is_err_and(|error| error.is_retryable()));
}

#[test]
fn loads_and_transactions_of_several_threads_all_come_about() {
    let graph = graph();
    let start = load_persons(&graph, 1);
    thread::scope(|scope| {
        for number in 0..4 {
            let graph = &graph;
            scope.spawn(move || {
                for round in 0..20 {
                    if number < 2 {
                        load_persons(graph, 1 + round % 11);
                        continue;
                    }
                    let made = graph.write(|tx| {
                        let node = tx.create_node(&["Admin"], [("age", round.into())])?;
                        tx.create_relationship(node, "LIKES", start, [])?;
                        Ok(node)
                    });
                    made.expect("made after some attempts");
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..10 {
                graph.checkpoint().expect("written");
            }
        });
    });
    let persons: i64 = 1 + 2 * (0..20).map(|round| 1 + round % 11).sum::<i64>();
    let view = graph.view();
    assert_eq!(
        view.nodes_with_label("Person").count() as i64,
        persons,
        "{:?}",
        graph.check().problems
    );
    assert_eq!(view.nodes_with_label("Admin").count(), 40);
    let likes = view.degree(start, Towards::Incoming, &["LIKES"]);
    assert_eq!(likes.expect("readable"), 40);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn indexes_come_after_loads() {
    let graph = graph();
    load_persons(&graph, 20);
    assert!(graph.can_load());
    graph
        .create_index("ages", "Person", &["age"])
        .expect("built");
    assert!(!graph.can_load());
    let mut load = graph.load();
    load.create_node(&["Person"], [("age", 7.into())])
        .expect("gathered");
    let refused = load.commit().expect_err("there is an index");
    assert!(matches!(refused, GraphError::Unsupported(_)), "{refused}");
    let found = graph
        .view()
        .find("Person", &[("age", 7.into())])
        .expect("found");
    assert_eq!(found.len(), 1);
}
