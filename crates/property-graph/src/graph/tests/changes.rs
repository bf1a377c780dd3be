//! Replay of changes over chunks that are merged further.

use std::sync::Arc;

use evergraph_storage::medium::DramStorage;
use evergraph_storage::{Needed, failpoint};
use evergraph_topology::extension::StoreExtension;

use super::super::redo::changed::Changes;
use super::super::redo::encode;
use super::super::{GraphOptions, PropertyGraph};
use crate::record::NodeRecord;
use crate::value::{Properties, Value};

/// Whether the second of three commits, all merged, is replayed without an effect.
fn a_merged_change_is_skipped() -> bool {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, GraphOptions::default(), [7; 16]);
    let graph = graph.expect("created");
    let node = graph.write(|own| own.create_node(&[], [("age", 1.into())]));
    let node = node.expect("committed");
    for age in [2, 3] {
        let set = graph.write(|own| own.set(node, "age", age));
        set.expect("committed");
    }
    graph.checkpoint().expect("written");
    let record = |age: i64| NodeRecord {
        labels: Vec::new(),
        properties: Properties::from_iter([(0, Value::from(age))]),
    };
    let mut changes = Changes::default();
    changes.add(node.0, &record(1), &[0], &record(2));
    let operations: Vec<_> = changes.into_operations().collect();
    let payload = encode(&operations).expect("stored");
    let second = graph.view().csn() - 1;
    let needed = Needed::new(vec![second + 1], Arc::default());
    let replayed = graph.core.state.apply(second, &[&payload], &needed);
    let age = graph.view().property(node, "age").expect("readable");
    replayed.is_ok() && age == Some(3.into())
}

#[test]
fn what_a_chunk_holds_is_not_changed_again() {
    assert!(a_merged_change_is_skipped());
    let _armed = failpoint::Scope::armed("changes.over-what-is-merged").enter();
    assert!(!a_merged_change_is_skipped(), "the mutant survives");
}
