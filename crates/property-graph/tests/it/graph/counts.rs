//! Counts by label and type. Beside the model they are held in `model.rs`.

use evergraph_property_graph::graph::{OpenOptions, PropertyGraph, View};
use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::random::options;

fn open(storage: &DramStorage) -> PropertyGraph {
    let opened = PropertyGraph::open(storage, OpenOptions::default());
    opened.expect("opened").0
}

/// Whether a snapshot has its counts after checkpoints and openings.
fn a_snapshot_keeps_its_counts() -> bool {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
    let make = |count: i64| {
        let made = graph.write(|own| {
            for _ in 0..count {
                let node = own.create_node(&["Person", "Here"], [])?;
                own.create_relationship(node, "KNOWS", node, [])?;
            }
            Ok(())
        });
        made.expect("committed");
    };
    make(3);
    graph.create_snapshot("three").expect("made");
    make(2);
    graph.checkpoint().expect("written");
    let view = graph.view();
    make(1);
    assert_eq!(view.count_with_label("Person").expect("known"), 5);
    let expected = (graph.view().counts().expect("known"), 6);
    drop((view, graph));
    let graph = open(&storage);
    let now = graph.view();
    assert_eq!(now.counts().expect("known"), expected.0);
    assert_eq!(now.count_of_type("KNOWS").expect("known"), expected.1);
    assert_eq!(now.node_count().expect("known"), expected.1);
    assert_eq!(now.count_with_label("Nowhere").expect("known"), 0);
    assert_eq!(now.count_of_type("NOTHING").expect("known"), 0);
    let then = graph.as_of("three").expect("kept");
    let counts = then.counts().expect("known");
    counts.nodes == 3 && counts.labels.get("Here") == Some(&3) && counts.types.len() == 1
}

#[test]
fn counts_are_stored_for_snapshots() {
    assert!(a_snapshot_keeps_its_counts());
    let _armed = failpoint::Scope::armed("counts.past-not-stored").enter();
    assert!(!a_snapshot_keeps_its_counts(), "the mutant survives");
}

/// A scan of a label reads the chunks that hold it, also for views of before it went.
#[test]
fn a_scan_of_a_label_finds_what_a_transaction_gave_it() {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
    let nodes = graph.write(|own| {
        let make = |number| own.create_node(if number % 50 == 0 { &["Rare"] } else { &[] }, []);
        (0..200).map(make).collect::<Result<Vec<_>, _>>()
    });
    let nodes = nodes.expect("committed");
    let rare = |view: &View| -> Vec<u32> {
        let scan = view.nodes_with_label("Rare");
        scan.map(|node| node.expect("readable").id().0).collect()
    };
    let before = graph.view();
    let mut own = graph.begin();
    own.remove_label(nodes[50], "Rare").expect("written");
    own.add_label(nodes[77], "Rare").expect("written");
    let scan = own.nodes_with_label("Rare");
    let seen: Vec<u32> = scan.map(|node| node.expect("readable").id().0).collect();
    assert_eq!(seen, [0, 77, 100, 150]);
    own.commit().expect("committed");
    assert_eq!(rare(&graph.view()), [0, 77, 100, 150]);
    assert_eq!(rare(&before), [0, 50, 100, 150]);
    graph.checkpoint().expect("written");
    drop((before, graph));
    assert_eq!(rare(&open(&storage).view()), [0, 77, 100, 150]);
}
