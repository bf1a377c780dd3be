//! Changes of records in the log: what differs, and no more.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Account, EntityKind, GraphOptions, GraphRead, NodeId, OpenOptions, PropertyGraph,
    RelationshipId, Transaction,
};
use evergraph_property_graph::transaction::Retryable;
use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::model::{Model, compare, model_of};

/// Words of a wide record.
const WIDE: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

/// A graph whose log takes a MiB.
fn create(storage: &DramStorage) -> PropertyGraph {
    let mut options = GraphOptions::default();
    options.store.log_bytes = 1 << 20;
    PropertyGraph::create(storage, options, [7; 16]).expect("created")
}

/// The same, of which a transaction may hold so many bytes.
fn create_with(storage: &DramStorage, overlay_bytes: usize) -> PropertyGraph {
    drop(create(storage));
    let mut options = OpenOptions::default();
    options.transactions.overlay_bytes = overlay_bytes;
    PropertyGraph::open(storage, options).expect("opened").0
}

/// Opens what a process left that ended without closing.
fn reopen(storage: &DramStorage, graph: PropertyGraph) -> PropertyGraph {
    drop(graph);
    let opened = PropertyGraph::open(storage, OpenOptions::default());
    opened.expect("opened").0
}

fn used(graph: &PropertyGraph) -> u64 {
    graph.statistics().store.log_used_bytes
}

/// So many nodes of some 2 KiB, loaded and merged.
fn load_wide(graph: &PropertyGraph, count: i64) {
    let text = "some text of a wide record ".repeat(6);
    for first in (0..count).step_by(10_000) {
        let mut load = graph.load();
        for number in first..count.min(first + 10_000) {
            let wide = WIDE.iter().map(|key| (*key, Value::from(text.as_str())));
            let age = [("age", Value::from(number))];
            load.create_node(&["Wide"], wide.chain(age))
                .expect("gathered");
        }
        load.commit().expect("committed");
    }
    graph.checkpoint().expect("written");
}

/// Updates one integer of all nodes in one commit, and returns its bytes in the log.
fn update_all(graph: &PropertyGraph, count: u32) -> u64 {
    let before = used(graph);
    graph
        .write(|own| (0..count).try_for_each(|id| own.set(NodeId(id), "age", -i64::from(id))))
        .expect("committed");
    used(graph) - before
}

fn ages_are_updated(graph: &PropertyGraph, count: u32) {
    let view = graph.view();
    for id in (0..count).step_by(997) {
        let age = view.property(NodeId(id), "age").expect("readable");
        assert_eq!(age, Some(Value::from(-i64::from(id))));
        let text = view.property(NodeId(id), "l").expect("readable");
        assert!(text.is_some(), "the rest of node {id} stays");
    }
}

/// An update takes at most 250 bytes of DRAM, a quarter of what each of a million may.
#[test]
fn an_update_of_many_wide_records_is_one_commit() {
    let storage = DramStorage::new();
    let count = 10_000;
    let graph = create_with(&storage, 250 * count as usize);
    load_wide(&graph, count.into());
    let logged = update_all(&graph, count);
    assert!(logged < 8 * u64::from(count), "{logged} bytes for {count}");
    let graph = reopen(&storage, graph);
    ages_are_updated(&graph, count);
}

/// A million of them with the limits as they are, whose records together are 30 times what
/// the log takes, and twice what a transaction may hold.
#[test]
#[ignore = "takes 3.5 GB of memory"]
fn an_update_of_a_million_wide_records_is_one_commit() {
    let storage = DramStorage::new();
    let options = GraphOptions::default();
    let limit = options.store.log_bytes;
    let graph = PropertyGraph::create(&storage, options, [7; 16]).expect("created");
    let count = 1_000_000;
    load_wide(&graph, count.into());
    let logged = update_all(&graph, count);
    println!("{logged} bytes for {count} updates; the log takes {limit}");
    assert!(logged < limit / 4);
    let graph = reopen(&storage, graph);
    ages_are_updated(&graph, count);
}

/// Keys of a definition are kept beside what is written; the rest is read from the
/// records, with what was written in its place, also after a return.
#[test]
fn a_changed_wide_record_is_whole_for_its_transaction() {
    let graph = create_with(&DramStorage::new(), 100_000);
    load_wide(&graph, 40);
    graph.create_index("a", "Wide", &["a"]).expect("made");
    let text = graph.view().property(NodeId(0), "a").expect("readable");
    let text = text.expect("there");
    let with_text = |own: &Transaction| {
        let found = own.find("Wide", &[("a", text.clone())]).expect("readable");
        found.iter().map(|node| node.id().0).collect::<Vec<_>>()
    };
    let mut own = graph.begin();
    let before = own.savepoint();
    for id in 0..40 {
        own.set(NodeId(id), "age", -1).expect("alone");
        if id % 2 == 0 {
            own.remove(NodeId(id), "b").expect("alone");
        }
    }
    assert!(with_text(&own).into_iter().eq(0..40));
    own.set(NodeId(3), "a", "short").expect("alone");
    assert!(
        with_text(&own)
            .into_iter()
            .eq((0..40).filter(|id| *id != 3))
    );
    let node = own.node(NodeId(4)).expect("readable").expect("there");
    assert_eq!(node.get("l"), Some(&text));
    assert_eq!((node.get("age"), node.get("b")), (Some(&(-1).into()), None));
    let of_batch = own.current_view();
    let key = of_batch.key_code("l").expect("known");
    let ids: Vec<u32> = (0..40).collect();
    let texts = of_batch
        .gather(EntityKind::Node, &ids, key, &Account::default())
        .expect("readable");
    assert!((0..40).all(|row| texts.get(row) == text));
    let one = own.property(NodeId(5), "b").expect("readable");
    assert_eq!(one, Some(text.clone()));
    own.roll_back_to(before).expect("there");
    assert!(with_text(&own).into_iter().eq(0..40));
    let one = own.property(NodeId(4), "b").expect("readable");
    assert_eq!(one, Some(text.clone()));
}

/// A transaction finds by an index what it changed otherwise.
fn changed_nodes_are_found() -> bool {
    let graph = create(&DramStorage::new());
    load_wide(&graph, 4);
    graph.create_index("ages", "Wide", &["age"]).expect("made");
    let mut own = graph.begin();
    own.set(NodeId(2), "a", "short").expect("alone");
    let found = own.find("Wide", &[("age", 2.into())]).expect("readable");
    found.iter().map(|node| node.id()).eq([NodeId(2)])
}

#[test]
fn changes_keep_what_indexes_are_about() {
    assert!(changed_nodes_are_found());
    let _armed = failpoint::Scope::armed("overlay.indexed-keys-lost").enter();
    assert!(!changed_nodes_are_found(), "the mutant survives");
}

#[test]
fn one_integer_of_a_large_node_is_a_small_commit() {
    let storage = DramStorage::new();
    let graph = create(&storage);
    let text = "large ".repeat((10 << 20) / 6);
    let large = [("text", Value::from(text.as_str())), ("age", 1.into())];
    let node = graph.write(|own| own.create_node(&["Large"], large.clone()));
    let node = node.expect("committed");
    graph.checkpoint().expect("written");
    let before = used(&graph);
    graph
        .write(|own| own.set(node, "age", 2))
        .expect("committed");
    let logged = used(&graph) - before;
    assert!(logged < 200, "{logged} bytes");
    let graph = reopen(&storage, graph);
    let view = graph.view();
    let read = |key| view.property(node, key).expect("readable");
    assert_eq!(read("age"), Some(2.into()));
    assert_eq!(read("text"), Some(Value::from(text)));
}

/// Values that are equal but not the same: a change of one into the other is a change.
#[test]
fn a_change_of_type_or_sign_is_a_change() {
    let storage = DramStorage::new();
    let mut graph = create(&storage);
    let values = [
        Value::from(1),
        Value::from(1.0),
        Value::from(-0.0),
        Value::from(0.0),
        Value::from(f64::NAN),
        Value::from(vec![1, 2]),
        Value::from(vec![1.0, 2.0]),
        Value::from(i64::MIN),
        Value::from(5e-324),
        Value::from(""),
    ];
    let node = graph.write(|own| own.create_node(&[], [])).expect("made");
    for value in values {
        graph
            .write(|own| own.set(node, "value", value.clone()))
            .expect("committed");
        graph = reopen(&storage, graph);
        let found = graph.view().property(node, "value").expect("readable");
        assert_eq!(format!("{found:?}"), format!("{:?}", Some(value)));
    }
}

/// Nodes and relationships of which each is changed otherwise, also what is not merged.
fn change_variously(graph: &PropertyGraph) -> (Model, Model) {
    graph
        .write(|own| {
            let first = own.create_node(&["Person", "City"], [("name", "one".into())])?;
            let second = own.create_node(&["Person"], [("age", 7.into())])?;
            own.create_node(&[], [])?;
            own.create_relationship(first, "KNOWS", second, [("note", "first".into())])
        })
        .expect("committed");
    graph.checkpoint().expect("written");
    graph.create_snapshot("before").expect("made");
    let before = model_of(&graph.view());
    // Of one, what differs from a version that is not merged.
    graph
        .write(|own| {
            own.remove_label(NodeId(0), "City")?;
            own.add_label(NodeId(0), "Admin")?;
            own.remove(NodeId(0), "name")?;
            own.set(NodeId(1), "name", "two")?;
            own.set(RelationshipId(0), "age", 3)?;
            own.remove(RelationshipId(0), "note")
        })
        .expect("committed");
    graph
        .write(|own| (0..3).try_for_each(|id| own.set(NodeId(id), "note", i64::from(id))))
        .expect("committed");
    (model_of(&graph.view()), before)
}

/// Whether changes are there, before and after an opening.
fn changes_are_replayed() -> Result<(), String> {
    let storage = DramStorage::new();
    let graph = create(&storage);
    graph
        .create_index("names", "Person", &["name"])
        .expect("made");
    let (now, before) = change_variously(&graph);
    let node = &now.nodes[&0];
    let labels: Vec<&str> = node.labels.iter().map(String::as_str).collect();
    if labels != ["Admin", "Person"] || node.values.len() != 1 {
        return Err(format!("node 0 is {node:?}"));
    }
    let mut graph = graph;
    for _ in 0..2 {
        graph = reopen(&storage, graph);
        compare(&graph.view(), &now)?;
        compare(&graph.as_of("before").expect("kept"), &before)?;
        let problems = graph.check().problems;
        if !problems.is_empty() {
            return Err(format!("{problems:?}"));
        }
        graph.checkpoint().expect("written");
    }
    Ok(())
}

#[test]
fn changes_of_all_kinds_are_replayed() {
    changes_are_replayed().expect("clean");
    let _armed = failpoint::Scope::armed("changes.removals-forgotten").enter();
    changes_are_replayed().expect_err("the mutant survives");
}

/// A write conflicts with later ones of older transactions, also if it leaves the node
/// as it was.
fn an_unchanged_node_is_written() -> bool {
    let graph = create(&DramStorage::new());
    let make = |own: &mut Transaction| own.create_node(&[], [("age", 1.into())]);
    let node = graph.write(make).expect("made");
    let mut older = graph.begin();
    graph.write(|own| own.set(node, "age", 1)).expect("written");
    let refused = older.set(node, "age", 2);
    refused.is_err_and(|error| error.conflict().is_some())
}

#[test]
fn a_write_without_a_difference_is_a_write() {
    assert!(an_unchanged_node_is_written());
    let _armed = failpoint::Scope::armed("changes.untouched-not-logged").enter();
    assert!(!an_unchanged_node_is_written(), "the mutant survives");
}
