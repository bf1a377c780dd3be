//! Isolation of transactions from each other.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Direction, GraphError, NodeId, PropertyGraph, Transaction};
use evergraph_property_graph::transaction::{Isolation, Retryable, TransactionOptions};

use super::random::{age, graph};

fn two_nodes(graph: &PropertyGraph) -> (NodeId, NodeId) {
    let make = |transaction: &mut Transaction| {
        let first = transaction.create_node(&["Person"], [("age", 1.into())])?;
        let second = transaction.create_node(&["Person"], [("age", 1.into())])?;
        Ok((first, second))
    };
    graph.write(make).expect("nobody else is there")
}

fn is_conflict<T>(outcome: Result<T, GraphError>) -> bool {
    outcome.err().is_some_and(|error| error.is_retryable())
}

#[test]
fn who_writes_second_conflicts_at_once_and_after_a_commit() {
    let graph = graph();
    let (node, _) = two_nodes(&graph);
    let (mut first, mut second) = (graph.begin(), graph.begin());
    first.set(node, "age", 2).expect("nobody has it");
    assert!(is_conflict(second.set(node, "age", 3)), "somebody has it");
    first.commit().expect("committed");
    assert!(
        is_conflict(second.set(node, "age", 3)),
        "it is newer than the snapshot"
    );
    second.roll_back();
    assert_eq!(age(&graph, node), 2);
}

#[test]
fn nobody_sees_what_is_not_committed() {
    let graph = graph();
    let (node, other) = two_nodes(&graph);
    let before = graph.view();
    let mut writer = graph.begin();
    writer.set(node, "age", 5).expect("set");
    writer
        .create_relationship(node, "KNOWS", other, [])
        .expect("created");
    let reader = graph.begin();
    for view in [&before, &graph.view(), reader.snapshot()] {
        assert_eq!(
            view.degree(node, Direction::Both, &[]).expect("readable"),
            0
        );
    }
    assert_eq!(age(&graph, node), 1);
    writer.commit().expect("committed");
    assert_eq!(age(&graph, node), 5);
    assert_eq!(
        before.degree(node, Direction::Both, &[]).expect("readable"),
        0
    );
    assert_eq!(
        reader.degree(node, Direction::Both, &[]).expect("readable"),
        0
    );
    let now = graph.view();
    assert_eq!(
        now.degree(node, Direction::Outgoing, &["KNOWS"])
            .expect("readable"),
        1
    );
}

#[test]
fn appending_to_a_hub_conflicts_with_nothing_but_its_end() {
    let graph = graph();
    let (hub, other) = two_nodes(&graph);
    let mut appending: Vec<Transaction> = (0..20).map(|_| graph.begin()).collect();
    let mut updating = graph.begin();
    let mut deleting = graph.begin();
    for transaction in &mut appending {
        transaction
            .create_relationship(hub, "LIKES", other, [])
            .expect("appending is shared");
    }
    updating.set(hub, "age", 7).expect("updating is, too");
    assert!(
        is_conflict(deleting.delete_node(hub)),
        "it gets relationships"
    );
    for transaction in appending {
        transaction.commit().expect("committed");
    }
    updating.commit().expect("committed");
    assert!(
        is_conflict(deleting.delete_node(hub)),
        "it got relationships"
    );
    drop(deleting);
    let view = graph.view();
    assert_eq!(
        view.degree(hub, Direction::Outgoing, &["LIKES"])
            .expect("readable"),
        20
    );

    let mut deleting = graph.begin();
    let mut appending = graph.begin();
    assert_eq!(deleting.detach_delete_node(hub).expect("deleted"), 20);
    let late = appending.create_relationship(other, "LIKES", hub, []);
    assert!(is_conflict(late), "it is being deleted");
    deleting.commit().expect("committed");
    let late = appending.create_relationship(other, "LIKES", hub, []);
    assert!(is_conflict(late), "it was deleted");
    let report = graph.check();
    assert_eq!(report.problems, Vec::<String>::new());
}

/// Each sets its node to 0 if both sum up to more than 1.
fn skew(graph: &PropertyGraph, isolation: Isolation) -> [Result<(), GraphError>; 2] {
    let (first, second) = two_nodes(graph);
    let options = TransactionOptions {
        isolation,
        ..TransactionOptions::default()
    };
    let begin = || graph.begin_with(&options);
    let mut transactions = [(begin(), first), (begin(), second)];
    for (transaction, own) in &mut transactions {
        let mut sum = 0;
        for node in [first, second] {
            let node = transaction.node(node).expect("readable").expect("exists");
            sum += node.get("age").and_then(Value::as_integer).expect("set");
        }
        assert_eq!(sum, 2);
        transaction
            .set(*own, "age", 0)
            .expect("each writes its own");
    }
    transactions.map(|(transaction, _)| transaction.commit().map(drop))
}

#[test]
fn write_skew_is_for_snapshot_isolation_only() {
    let graph = graph();
    let both = skew(&graph, Isolation::Snapshot);
    assert!(both.iter().all(Result::is_ok));
    let [first, second] = skew(&graph, Isolation::Serializable);
    assert!(first.is_ok());
    assert!(is_conflict(second));
}

#[test]
fn serializable_transactions_see_no_phantoms() {
    let graph = graph();
    let (node, other) = two_nodes(&graph);
    type Read = fn(&Transaction, NodeId) -> usize;
    type Write = fn(&mut Transaction, NodeId, NodeId);
    let cases: [(Read, Write); 3] = [
        (
            |transaction, _| transaction.nodes_with_label("Person").count(),
            |transaction, _, _| {
                transaction.create_node(&["Person"], []).expect("created");
            },
        ),
        (
            |transaction, _| transaction.nodes_with_label("Unheard").count(),
            |transaction, node, _| transaction.add_label(node, "Unheard").expect("added"),
        ),
        (
            |transaction, node| {
                let found = transaction.neighbors(node, Direction::Both, &["KNOWS"]);
                found.expect("readable").len()
            },
            |transaction, node, other| {
                transaction
                    .create_relationship(node, "KNOWS", other, [])
                    .expect("created");
            },
        ),
    ];
    for (number, (read, write)) in cases.into_iter().enumerate() {
        for conflicts in [false, true] {
            let mut reader = graph.begin_with(&TransactionOptions::serializable());
            read(&reader, node);
            reader.create_node(&["Reader"], []).expect("created");
            if conflicts {
                let done = graph.write(|transaction| {
                    write(transaction, node, other);
                    Ok(())
                });
                done.expect("committed");
            }
            let outcome = reader.commit();
            assert_eq!(is_conflict(outcome), conflicts, "case {number}");
        }
    }
}

#[test]
fn threads_that_conflict_try_again_until_all_is_done() {
    let graph = graph();
    let (counter, other) = two_nodes(&graph);
    let attempts = AtomicU64::new(0);
    const THREADS: i64 = 4;
    const EACH: i64 = 50;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let done = graph.write(|transaction| {
                        attempts.fetch_add(1, Ordering::Relaxed);
                        let now = transaction.node(counter)?.expect("exists");
                        let now = now.get("age").and_then(Value::as_integer).expect("set");
                        transaction.set(counter, "age", now + 1)?;
                        transaction.create_relationship(counter, "KNOWS", other, [])?;
                        Ok(())
                    });
                    done.expect("in the end");
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..20 {
                graph.checkpoint().expect("written");
            }
        });
    });
    let total = THREADS * EACH;
    assert_eq!(age(&graph, counter), 1 + total);
    let degree = graph.view().degree(counter, Direction::Outgoing, &[]);
    assert_eq!(degree.expect("readable"), total as usize);
    assert!(attempts.load(Ordering::Relaxed) >= total as u64);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

/// Changes of a node by an older commit may be forgotten, and those by a newer one not.
#[test]
fn a_newer_relationship_is_remembered_when_an_older_one_is_forgotten() {
    let graph = graph();
    let (hub, node) = two_nodes(&graph);
    let attach = || {
        let made = graph.write(|own| own.create_relationship(node, "KNOWS", hub, []));
        made.expect("nothing is in the way");
    };
    let oldest = graph.begin();
    attach();
    let mut own = graph.begin();
    attach();
    // Nobody needs the first of them any more.
    oldest.roll_back();
    let deleted = own.detach_delete_node(hub);
    assert!(is_conflict(deleted), "it does not see the second");
    drop(own);
    let deleted = graph.write(|own| own.detach_delete_node(hub));
    assert_eq!(deleted.expect("alone"), 2);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}
