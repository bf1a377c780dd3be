//! A commit that panics while its records are applied.

use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use evergraph_property_graph::graph::{GraphError, NodeId, OpenOptions, PropertyGraph};
use evergraph_storage::failpoint::Scope;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::TopologyError;

use super::random::{age, options};

/// After that, a thread hangs.
const FOR_EVER: Duration = Duration::from_secs(120);

fn set_age(graph: &PropertyGraph, node: NodeId, age: i64) -> Result<(), GraphError> {
    graph.write(|transaction| transaction.set(node, "age", age))
}

fn says_so(outcome: Result<(), GraphError>) {
    match outcome.expect_err("nothing is committed over a gap") {
        GraphError::Topology(error) if matches!(error.cause(), TopologyError::Poisoned) => {}
        error => panic!("{error}"),
    }
}

/// Neither a commit that waits in the log's queue nor a transaction that wants the same
/// lock waits for ever; nothing is built on what is half applied; the next opening has
/// all of it or nothing.
#[test]
fn records_that_are_half_applied_are_not_built_on() {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
    let nodes = graph.write(|transaction| {
        let make = |_| transaction.create_node(&["Person"], [("age", 1.into())]);
        (0..3).map(make).collect::<Result<Vec<NodeId>, _>>()
    });
    let nodes = nodes.expect("created");
    let (told, reached) = channel();
    let (go_on, waiting) = channel::<()>();
    let waiting = Mutex::new(waiting);
    let scope = Scope::calling("graph.applied-in-part", move |time| {
        if time == 1 {
            told.send(()).expect("the test waits");
            let _ = waiting.lock().expect("once").recv_timeout(FOR_EVER);
            panic!("the test's panic");
        }
    });
    thread::scope(|threads| {
        let first = threads.spawn(|| {
            let _armed = scope.enter();
            graph.write(|transaction| {
                transaction.set(nodes[0], "age", 2)?;
                transaction.set(nodes[1], "age", 2)
            })
        });
        reached.recv_timeout(FOR_EVER).expect("it is applied");
        let (outcomes, outcome) = channel();
        for node in [nodes[1], nodes[2]] {
            let (graph, outcomes) = (&graph, outcomes.clone());
            threads.spawn(move || outcomes.send(set_age(graph, node, 3)));
        }
        go_on.send(()).expect("it waits");
        assert!(first.join().is_err(), "it panicked");
        for _ in 0..2 {
            says_so(
                outcome
                    .recv_timeout(FOR_EVER)
                    .expect("nothing waits for ever"),
            );
        }
    });
    says_so(set_age(&graph, nodes[2], 4));
    says_so(graph.checkpoint());
    assert!(
        nodes.iter().all(|&node| age(&graph, node) == 1),
        "reads go on"
    );
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    let found: Vec<i64> = nodes.iter().map(|&node| age(&graph, node)).collect();
    assert_eq!(found[0], found[1], "a commit is all or nothing");
    assert_eq!(graph.check().problems, Vec::<String>::new());
    set_age(&graph, nodes[0], 5).expect("life goes on");
}
