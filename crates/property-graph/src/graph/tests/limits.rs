//! Commits that cannot be stored are refused.

use evergraph_storage::medium::DramStorage;

use super::super::{GraphError, GraphOptions, NodeId, OpenOptions, PropertyGraph};
use crate::transaction::TransactionError;
use crate::value::Value;

fn create(storage: &DramStorage, opening: OpenOptions) -> PropertyGraph {
    let mut options = GraphOptions::default();
    options.store.log_bytes = 4 << 20;
    options.store.growth_step = 1 << 20;
    options.chunk_records = 4;
    PropertyGraph::create_with(storage, options, [7; 16], opening).expect("created")
}

fn long(bytes: usize) -> Value {
    Value::from("x".repeat(bytes))
}

fn made(graph: &PropertyGraph, bytes: usize) -> Result<NodeId, GraphError> {
    graph.write(|own| own.create_node(&["Large"], [("text", long(bytes))]))
}

#[test]
fn a_chunk_takes_no_more_than_it_can_name() {
    let storage = DramStorage::new();
    let graph = create(&storage, OpenOptions::default());
    graph.core.state.limits.set_chunk_bytes(700_000);
    let first = made(&graph, 300_000).expect("it fits");
    made(&graph, 300_000).expect("it fits");
    let refused = made(&graph, 300_000).expect_err("too much for one chunk");
    let message = refused.to_string();
    assert!(matches!(refused, GraphError::Limit(_)));
    assert!(
        message.contains("node 2") && message.contains("683.6 KiB"),
        "{message}"
    );
    // Nothing of it is left in the way, and changes of existing records are counted
    // exactly.
    for _ in 0..4 {
        graph
            .write(|own| own.set(first, "text", long(350_000)))
            .expect("in the place of the old");
    }
    made(&graph, 10).expect("small ones fit");
    graph.checkpoint().expect("written");
    // Two at a time: the first that is on its way counts.
    let set = |node: u32, bytes: usize| {
        let mut own = graph.begin();
        own.set(NodeId(node), "text", long(bytes)).expect("set");
        own
    };
    set(0, 1).commit().expect("committed");
    let (first, second) = (set(1, 400_000), set(2, 390_000));
    let room = first.check_limits().expect("it fits");
    assert!(second.check_limits().is_err());
    drop(room);
    drop(first);
    second.commit().expect("committed");
    graph.checkpoint().expect("written");
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn sets_of_labels_run_out_at_the_commit() {
    let storage = DramStorage::new();
    let graph = create(&storage, OpenOptions::default());
    graph.core.state.dictionary.set_most_label_sets(2);
    let make = |labels: &[&str]| graph.write(|own| own.create_node(labels, []));
    make(&["A"]).expect("the first");
    make(&["A", "B"]).expect("the second");
    let refused = make(&["B"]).expect_err("a third").to_string();
    assert!(
        refused.contains("node 2") && refused.contains("sets of labels"),
        "{refused}"
    );
    make(&["B", "A"]).expect("one of those there are");
    graph.checkpoint().expect("written");
    assert!(make(&["B"]).is_err());
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn a_transaction_is_held_to_its_bytes() {
    let storage = DramStorage::new();
    let mut opening = OpenOptions::default();
    opening.transactions.overlay_bytes = 100_000;
    let graph = create(&storage, opening);
    let mut own = graph.begin();
    let first = own
        .create_node(&[], [("text", long(60_000))])
        .expect("it fits");
    let refused = own.create_node(&[], [("text", long(60_000))]);
    let refused = refused.expect_err("more than it may hold");
    assert!(matches!(
        refused,
        GraphError::Transaction(TransactionError::TooLarge { limit: 100_000, .. })
    ));
    assert!(refused.to_string().contains("overlay_bytes"));
    // Earlier writes of the transaction are whole; less fits, and going back frees.
    own.set(first, "text", long(10)).expect("less");
    let savepoint = own.savepoint();
    own.create_node(&[], [("text", long(60_000))])
        .expect("it fits now");
    assert!(own.create_node(&[], [("text", long(60_000))]).is_err());
    own.roll_back_to(savepoint).expect("there");
    own.create_node(&[], [("text", long(60_000))])
        .expect("it fits again");
    own.commit().expect("committed");
    assert_eq!(graph.view().nodes().count(), 2);
    // The log has no limit of its own.
    let opening = OpenOptions::default();
    let graph = create(&DramStorage::new(), opening);
    made(&graph, 8 << 20).expect("twice the log");
    assert_eq!(graph.view().nodes().count(), 1);
}

#[test]
fn loads_keep_to_what_a_chunk_can_name() {
    let storage = DramStorage::new();
    let graph = create(&storage, OpenOptions::default());
    graph.core.state.limits.set_chunk_bytes(700_000);
    let loaded = |bytes: usize| {
        let mut load = graph.load();
        load.create_node(&["Large"], [("text", long(bytes))])?;
        load.commit()
    };
    loaded(300_000).expect("it fits");
    loaded(300_000).expect("it fits");
    let refused = loaded(300_000).expect_err("too much for one chunk");
    assert!(matches!(refused, GraphError::Limit(_)), "{refused}");
    // Known at the row, where it is so by itself; the load goes on without it.
    let mut load = graph.load();
    let refused = load.create_node(&["Large"], [("text", long(800_000))]);
    assert!(matches!(refused, Err(GraphError::Limit(_))), "{refused:?}");
    load.create_node(&["Small"], [("text", long(10))])
        .expect("it fits");
    load.commit().expect("a small one fits");
    graph.checkpoint().expect("written");
    assert_eq!(graph.view().nodes().count(), 3);
}
