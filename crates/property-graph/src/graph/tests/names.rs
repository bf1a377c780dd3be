//! Names get their codes from commits alone: neither a rolled-back name nor one that is
//! only asked for takes one, and a serializable transaction that found no code for a name
//! conflicts with the commit that gives it one.

use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::super::{Direction, GraphOptions, NodeId, OpenOptions, PropertyGraph, Transaction};
use crate::graph::{Definition, GraphError, Reading, Rule};
use crate::index::KeyRange;
use crate::transaction::{Retryable, TransactionOptions};
use crate::value::Value;

fn create(storage: &DramStorage) -> PropertyGraph {
    let mut options = GraphOptions::default();
    options.store.log_bytes = 1 << 20;
    options.store.growth_step = 1 << 20;
    PropertyGraph::create(storage, options, [7; 16]).expect("created")
}

/// A graph with a few names: two nodes, a relationship, and an index.
fn graph(storage: &DramStorage) -> (PropertyGraph, NodeId) {
    let graph = create(storage);
    let made = graph.write(|own| {
        let a = own.create_node(&["Person"], [("age", 1.into())])?;
        let b = own.create_node(&["Admin"], [("age", 2.into())])?;
        own.create_relationship(a, "KNOWS", b, [("since", 2000.into())])?;
        Ok(a)
    });
    graph
        .create_index("ages", "Person", &["age"])
        .expect("made");
    graph.checkpoint().expect("written");
    (graph, made.expect("committed"))
}

fn taken(graph: &PropertyGraph) -> [usize; 4] {
    graph.core.state.dictionary.taken()
}

fn reopened(storage: &DramStorage, graph: PropertyGraph) -> PropertyGraph {
    drop(graph);
    let (graph, _) = PropertyGraph::open(storage, OpenOptions::default()).expect("opened");
    assert_eq!(graph.check().problems, Vec::<String>::new());
    graph
}

/// Writes names that are not in use.
fn use_new(own: &mut Transaction, number: u32) -> Result<NodeId, GraphError> {
    let (label, key) = (format!("L{number}"), format!("k{number}"));
    let node = own.create_node(&["Person", &label], [(&key[..], 1.into())])?;
    own.create_relationship(node, &format!("T{number}"), node, [])?;
    Ok(node)
}

#[test]
fn what_is_rolled_back_leaves_no_names() {
    let storage = DramStorage::new();
    let (graph, a) = graph(&storage);
    let before = taken(&graph);
    for number in 0..3000 {
        let mut own = graph.begin();
        use_new(&mut own, number).expect("written");
        match number % 3 {
            0 => own.roll_back(),
            1 => drop(own),
            _ => {
                drop(own);
                let own = graph.write(|own| -> Result<(), GraphError> {
                    use_new(own, number)?;
                    Err(GraphError::User("no".into()))
                });
                assert!(own.is_err());
            }
        }
        assert_eq!(taken(&graph), before);
    }
    // One transaction of many names, and a bulk load.
    let mut own = graph.begin();
    for number in 0..3000 {
        use_new(&mut own, number).expect("written");
    }
    assert!(taken(&graph)[0] > before[0]);
    drop(own);
    assert_eq!(taken(&graph), before);
    let mut load = graph.load();
    for number in 0..3000 {
        let (label, key) = (format!("L{number}"), format!("k{number}"));
        let node = load.create_node(&[&label], [(&key[..], 1.into())]);
        let node = node.expect("gathered");
        let made = load.create_relationship(node, &format!("T{number}"), node, []);
        made.expect("gathered");
    }
    drop(load);
    assert_eq!(taken(&graph), before);
    // A conflict at the write, and one that serializable transactions find at the commit.
    let (mut first, mut second) = (graph.begin(), graph.begin());
    first.set(a, "age", 3).expect("locked");
    use_new(&mut second, 1).expect("written");
    assert!(second.set(a, "age", 4).is_err());
    drop(second);
    let mut third = graph.begin_with(&TransactionOptions::serializable());
    assert!(third.property(a, "age").expect("readable").is_some());
    use_new(&mut third, 2).expect("written");
    first.commit().expect("committed");
    assert!(third.commit().is_err());
    assert_eq!(taken(&graph), before);
    // Limits and constraints.
    graph
        .define(&Definition::of_nodes(
            "has",
            "Person",
            &["age"],
            Rule::Exists,
        ))
        .expect("defined");
    let mut own = graph.begin();
    use_new(&mut own, 3).expect("written");
    assert!(own.commit().is_err());
    assert_eq!(taken(&graph), before);
    let refused = graph.define(&Definition::of_nodes("no", "Person", &["k1"], Rule::Exists));
    assert!(refused.is_err());
    let graph = reopened(&storage, graph);
    assert_eq!(graph.view().known_labels().len(), 2);
}

#[test]
fn what_is_taken_back_within_a_transaction_is_not_committed() {
    let storage = DramStorage::new();
    let (graph, a) = graph(&storage);
    let before = taken(&graph);
    let mut own = graph.begin();
    for number in 0..100 {
        let savepoint = own.savepoint();
        use_new(&mut own, number).expect("written");
        own.roll_back_to(savepoint).expect("there");
        own.add_label(a, "Gone").expect("locked");
        own.remove_label(a, "Gone").expect("locked");
    }
    own.add_label(a, "New").expect("locked");
    own.commit().expect("committed");
    let mut after = before;
    // One label and a set with it.
    (after[0], after[3]) = (before[0] + 1, before[3] + 1);
    assert_eq!(taken(&graph), after);
    let graph = reopened(&storage, graph);
    let labels = graph.view().known_labels();
    assert!(labels.iter().any(|label| **label == *"New"));
    assert_eq!(labels.len(), before[0] + 1);
}

/// Asks for names that mean nothing in every way there is.
fn ask<R: Reading>(reader: &R) {
    assert_eq!(reader.nodes_with_label("X").count(), 0);
    let view = reader.view();
    assert_eq!(view.nodes_with_label("X").count(), 0);
    let wanted = [("x", Value::from(1))];
    for (label, key) in [("X", "age"), ("X", "x"), ("Person", "x")] {
        let wanted = [(key, Value::from(1))];
        assert!(view.find(label, &wanted).expect("readable").is_empty());
    }
    assert!(
        view.find_relationships("X", &wanted)
            .expect("readable")
            .is_empty()
    );
}

#[test]
fn reading_gives_no_codes() {
    let storage = DramStorage::new();
    let (graph, a) = graph(&storage);
    let before = taken(&graph);
    ask(&graph.view());
    for options in [
        TransactionOptions::default(),
        TransactionOptions::serializable(),
    ] {
        let mut own = graph.begin_with(&options);
        ask(&own);
        for round in 0..2 {
            let all = KeyRange::all();
            let wanted = [("x", Value::from(1))];
            for label in ["X", "Person"] {
                assert!(own.find(label, &wanted).expect("readable").is_empty());
                assert!(
                    own.find_in(label, &["x"], &all)
                        .expect("readable")
                        .is_empty()
                );
            }
            for kind in ["X", "KNOWS"] {
                let found = own.find_relationships(kind, &wanted);
                assert!(found.expect("readable").is_empty());
                let found = own.find_relationships_in(kind, &["x"], &all);
                assert!(found.expect("readable").is_empty());
            }
            let near = own.neighbors(a, Direction::Both, &["X"]).expect("readable");
            assert!(near.is_empty());
            assert_eq!(own.property(a, "x").expect("readable"), None);
            let node = own.node(a).expect("readable").expect("there");
            assert_eq!((node.has_label("X"), node.get("x")), (false, None));
            assert_eq!(taken(&graph), before);
            if round == 0 {
                own.remove_label(a, "X").expect("locked");
                own.set(a, "age", 7).expect("locked");
                assert_eq!(taken(&graph), before);
            }
        }
        own.commit().expect("nobody else wrote");
    }
    assert_eq!(taken(&graph), before);
}

type Read = fn(&Transaction, NodeId) -> usize;
type Write = fn(&mut Transaction, NodeId) -> Result<(), GraphError>;

/// Reads that find nothing, and writes that change that.
const PHANTOMS: [(&str, Read, Write); 8] = [
    (
        "label",
        |own, _| own.nodes_with_label("X").count(),
        |own, _| own.create_node(&["X"], []).map(drop),
    ),
    (
        "label of a node that is there",
        |own, _| own.find("X", &[("age", 1.into())]).expect("read").len(),
        |own, a| own.add_label(a, "X"),
    ),
    (
        "set of labels",
        |own, _| {
            let persons = own.nodes_with_label("Person");
            let is_admin = |node: &super::super::Node| node.has_label("Admin");
            persons
                .filter(|node| is_admin(node.as_ref().expect("read")))
                .count()
        },
        |own, _| own.create_node(&["Person", "Admin"], []).map(drop),
    ),
    (
        "type",
        |own, _| {
            own.find_relationships("X", &[("since", 1.into())])
                .expect("read")
                .len()
        },
        |own, a| {
            own.create_relationship(a, "X", a, [("since", 1.into())])
                .map(drop)
        },
    ),
    (
        "type at a node",
        |own, a| {
            own.neighbors(a, Direction::Outgoing, &["X"])
                .expect("read")
                .len()
        },
        |own, a| own.create_relationship(a, "X", a, []).map(drop),
    ),
    (
        "key",
        |own, _| own.find("Person", &[("x", 1.into())]).expect("read").len(),
        |own, a| own.set(a, "x", 1),
    ),
    (
        "key of a property",
        |own, a| usize::from(own.property(a, "x").expect("read").is_some()),
        |own, a| own.set(a, "x", 1),
    ),
    (
        "value in an index",
        |own, _| {
            own.find("Person", &[("age", 99.into())])
                .expect("read")
                .len()
        },
        |own, _| own.create_node(&["Person"], [("age", 99.into())]).map(drop),
    ),
];

/// Whether a serializable transaction is told that what it did not find has come, when
/// the other is on its way before it reads, or begins after; and that it is not told of
/// other names.
fn phantoms_are_seen() -> bool {
    let mut all_seen = true;
    for (_, read, write) in PHANTOMS {
        for is_on_its_way in [false, true] {
            let storage = DramStorage::new();
            let (graph, a) = graph(&storage);
            let mut own = graph.begin_with(&TransactionOptions::serializable());
            let mut other = graph.begin();
            if is_on_its_way {
                write(&mut other, a).expect("written");
            }
            assert_eq!(read(&own, a), 0);
            if !is_on_its_way {
                write(&mut other, a).expect("written");
            }
            use_new(&mut own, 1).expect("written");
            other.commit().expect("the first");
            all_seen &= own.commit().is_err_and(|error| error.is_retryable());
            // Again, it finds it.
            let again = graph.begin_with(&TransactionOptions::serializable());
            assert_eq!(read(&again, a), 1);
        }
    }
    all_seen
}

#[test]
fn who_found_nothing_is_told_when_it_comes() {
    assert!(phantoms_are_seen());
    let _armed = failpoint::Scope::armed("transaction.unknown-names-unseen").enter();
    assert!(!phantoms_are_seen(), "the mutant survives");
}

#[test]
fn other_names_are_no_conflict() {
    for (what, read, _) in PHANTOMS {
        let storage = DramStorage::new();
        let (graph, a) = graph(&storage);
        let mut own = graph.begin_with(&TransactionOptions::serializable());
        assert_eq!(read(&own, a), 0);
        graph
            .write(|other| {
                let node = other.create_node(&["Other"], [("other", 1.into())])?;
                other.create_relationship(node, "OTHER", node, [])
            })
            .expect("committed");
        own.create_node(&["Y"], []).expect("written");
        let committed = own.commit();
        // Without an index over the key all relationships are read.
        assert!(committed.is_ok(), "{what}: {committed:?}");
    }
}

/// Names that several transactions are the first to use, in any order of their ends.
#[test]
fn one_name_has_one_code() {
    for order in 0..4u8 {
        let storage = DramStorage::new();
        let (graph, a) = graph(&storage);
        let mut all: Vec<Transaction> = (0..3).map(|_| graph.begin()).collect();
        for own in &mut all {
            own.create_node(&["Shared"], [("shared", 1.into())])
                .expect("made");
        }
        all[0].create_node(&["First"], []).expect("made");
        let third = all.pop().expect("three");
        let second = all.pop().expect("two");
        let first = all.pop().expect("one");
        let mut expected = 0;
        for (number, own) in [first, second, third].into_iter().enumerate() {
            match order >> number & 1 {
                0 => own.roll_back(),
                _ => {
                    own.commit().expect("no conflict");
                    expected += 1;
                }
            }
        }
        // Codes that are free again are those of others.
        graph
            .write(|own| own.add_label(a, "Later"))
            .expect("committed");
        let graph = reopened(&storage, graph);
        graph.checkpoint().expect("written");
        let graph = reopened(&storage, graph);
        let view = graph.view();
        let count = |label: &str| view.nodes_with_label(label).count();
        assert_eq!((count("Shared"), count("Later")), (expected, 1));
        assert_eq!(count("First"), usize::from(order & 1 == 1));
        let wanted = [("shared", Value::from(1))];
        assert_eq!(view.find("Shared", &wanted).expect("read").len(), expected);
    }
}

/// A transaction reads its own new names, and a node that was read stays the same when
/// its transaction is gone and its codes belong to other names.
#[test]
fn new_names_are_read_by_their_own_transaction() {
    let storage = DramStorage::new();
    let (graph, a) = graph(&storage);
    let before = taken(&graph);
    let mut own = graph.begin_with(&TransactionOptions::serializable());
    let node = own
        .create_node(&["New"], [("new", 5.into())])
        .expect("made");
    let made = own.create_relationship(a, "NEW", node, [("new", 6.into())]);
    let made = made.expect("made");
    let read = own.node(node).expect("read").expect("there");
    let check = |read: &super::super::Node| {
        assert_eq!(
            read.labels()
                .iter()
                .map(|l| l.to_string())
                .collect::<Vec<_>>(),
            ["New"]
        );
        assert!(read.has_label("New") && read.get("new") == Some(&5.into()));
        assert_eq!(read.properties().next().expect("one").0.to_string(), "new");
    };
    check(&read);
    let wanted = [("new", Value::from(5))];
    let found = own.find("New", &wanted).expect("read");
    assert_eq!(found.len(), 1);
    found.iter().for_each(check);
    drop(found);
    own.nodes_with_label("New")
        .for_each(|node| check(&node.expect("read")));
    assert_eq!(own.property(made, "new").expect("read"), Some(6.into()));
    let relationship = own.relationship(made).expect("read").expect("there");
    assert_eq!(relationship.kind().to_string(), "NEW");
    assert_eq!(
        own.neighbors(a, Direction::Outgoing, &["NEW"])
            .expect("read")
            .len(),
        1
    );
    assert_eq!(
        own.degree(node, Direction::Incoming, &["NEW", "KNOWS"])
            .expect("read"),
        1
    );
    let found = own
        .find_relationships("NEW", &[("new", 6.into())])
        .expect("read");
    assert_eq!(found[0].kind().to_string(), "NEW");
    own.add_label(a, "New").expect("locked");
    own.remove_label(a, "New").expect("locked");
    assert_eq!(own.nodes_with_label("New").count(), 1);
    // Other transactions do not know them.
    ask_for_new(&graph);
    drop((own, found, relationship));
    graph
        .write(|own| own.create_node(&["Taken"], [("taken", 1.into())]))
        .expect("committed");
    check(&read);
    assert!(!read.has_label("Taken"));
    drop(read);
    let with_one_more = [before[0] + 1, before[1], before[2] + 1, before[3] + 1];
    assert_eq!(taken(&graph), with_one_more);
    graph
        .write(|own| own.create_node(&["Next"], [("next", 1.into())]))
        .expect("committed");
    reopened(&storage, graph);
}

fn ask_for_new(graph: &PropertyGraph) {
    let view = graph.view();
    assert_eq!(view.nodes_with_label("New").count(), 0);
    let known = view.known_labels();
    assert!(known.iter().all(|label| **label != *"New"));
    let other = graph.begin();
    assert_eq!(other.nodes_with_label("New").count(), 0);
}

#[test]
fn definitions_that_say_nothing_are_refused() {
    let storage = DramStorage::new();
    let (graph, _) = graph(&storage);
    let before = taken(&graph);
    let long = "x".repeat(1 << 17);
    for (name, label, keys, why) in [
        ("", "Person", &["age"][..], "1 to 65536 bytes"),
        (&long, "Person", &["age"], "1 to 65536 bytes"),
        ("twice", "Person", &["age", "x", "age"], "\"age\" twice"),
        ("none", "Person", &[], "at least"),
        ("label", "", &["age"], "0 bytes"),
        ("key", "Person", &[""], "0 bytes"),
    ] {
        for rule in [Rule::Index, Rule::Unique, Rule::Exists] {
            let of_nodes = Definition::of_nodes(name, label, keys, rule);
            let of_relationships = Definition::of_relationships(name, label, keys, rule);
            for definition in [of_nodes, of_relationships] {
                let refused = graph.define(&definition).expect_err("refused").to_string();
                assert!(refused.contains(why), "{refused}");
            }
        }
    }
    assert_eq!(graph.definitions().len(), 1);
    assert_eq!(taken(&graph), before);
}
