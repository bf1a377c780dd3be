//! Isolation of bulk loads and transactions from each other.

use std::thread;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, Direction, GraphError, NodeId, OpenOptions, PropertyGraph, Rule, ValueType,
};
use evergraph_property_graph::transaction::{Retryable, TransactionError, TransactionOptions};
use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::random::{graph, options};

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
    let adjacent = view.neighbors(first, Direction::Both, &["KNOWS"]);
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
    let likes = view.degree(start, Direction::Incoming, &["LIKES"]);
    assert_eq!(likes.expect("readable"), 40);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

/// Loads persons with these numbers.
fn load_numbers(graph: &PropertyGraph, numbers: &[i64]) -> Result<(), GraphError> {
    let mut load = graph.load();
    let mut before = None;
    for &number in numbers {
        let node = load.create_node(&["Person"], [("number", number.into())])?;
        let since = [("since", number.into())];
        load.create_relationship(node, "KNOWS", before.unwrap_or(node), since)?;
        before = Some(node);
    }
    load.commit().map(drop)
}

fn numbered(graph: &PropertyGraph, number: i64) -> usize {
    let view = graph.view();
    let wanted = [("number", Value::from(number))];
    let nodes = view.find("Person", &wanted).expect("found");
    let of_type = view.find_relationships("KNOWS", &[("since", number.into())]);
    assert_eq!(of_type.expect("found").len(), nodes.len());
    nodes.len()
}

/// Rows of whole chunks and of parts of one, in indexes of nodes and relationships
/// that hold some already.
#[test]
fn indexes_take_in_what_is_loaded() {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
    load_numbers(&graph, &[3, 3, 7]).expect("loaded");
    graph
        .create_index("numbers", "Person", &["number"])
        .expect("built");
    graph
        .create_relationship_index("since", "KNOWS", &["since"])
        .expect("built");
    let before = graph.view();
    let many: Vec<i64> = (0..1000).map(|number| number % 500).collect();
    load_numbers(&graph, &many).expect("loaded");
    let all_are_found = |graph: &PropertyGraph| {
        for (number, count) in [(3, 4), (7, 3), (499, 2), (500, 0)] {
            assert_eq!(numbered(graph, number), count, "{number}");
        }
        // A check holds every index against a scan.
        assert_eq!(graph.check().problems, Vec::<String>::new());
    };
    all_are_found(&graph);
    let then = before.find("Person", &[("number", 7.into())]);
    assert_eq!(then.expect("found").len(), 1, "as of before the load");
    drop((before, graph));
    let open = || PropertyGraph::open(&storage, OpenOptions::default());
    let graph = open().expect("from the log").0;
    all_are_found(&graph);
    graph.checkpoint().expect("written");
    all_are_found(&graph);
    drop(graph);
    all_are_found(&open().expect("from what is stored").0);
}

#[test]
fn constraints_are_held_to_what_is_loaded() {
    let graph = graph();
    load_numbers(&graph, &[1, 2, 3]).expect("loaded");
    let define = |name: &str, rule: Rule| {
        let definition = Definition::of_nodes(name, "Person", &["number"], rule);
        graph.define(&definition).expect("it holds");
    };
    define("unique", Rule::Unique);
    define("there", Rule::Exists);
    define("whole", Rule::Type(ValueType::Integer));
    let count = || graph.view().nodes_with_label("Person").count();
    // Unique among committed records, and among those of the load.
    for numbers in [[4, 3], [5, 5]] {
        let refused = load_numbers(&graph, &numbers).expect_err("it is taken");
        assert!(matches!(refused, GraphError::Constraint(_)), "{refused}");
        assert!(refused.to_string().contains("\"unique\""), "{refused}");
        assert_eq!(count(), 3, "nothing of it is left");
        assert_eq!(numbered(&graph, 4) + numbered(&graph, 5), 0);
    }
    for (value, name) in [(Value::Null, "there"), (2.5.into(), "whole")] {
        let mut load = graph.load();
        load.create_node(&["Person"], [("number", 6.into())])
            .expect("gathered");
        load.create_node(&["Person"], [("number", value)])
            .expect("gathered");
        let refused = load.commit().expect_err("it does not hold");
        assert!(refused.to_string().contains(name), "{refused}");
        assert_eq!(count(), 3);
    }
    load_numbers(&graph, &[4, 5, 6]).expect("none of it was committed");
    let again = graph.write(|tx| tx.create_node(&["Person"], [("number", 5.into())]));
    assert!(matches!(again, Err(GraphError::Constraint(_))), "{again:?}");
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

/// A transaction that has seen the graph without the load does not take its values.
#[test]
fn a_value_is_not_given_twice_beside_a_load() {
    let graph = graph();
    let unique = Definition::of_nodes("unique", "Person", &["number"], Rule::Unique);
    graph.define(&unique).expect("it holds");
    let mut transaction = graph.begin();
    load_numbers(&graph, &[1]).expect("nobody has written");
    let made = transaction.create_node(&["Person"], [("number", 1.into())]);
    let made = made.and_then(|_| transaction.commit().map(drop));
    assert!(made.is_err_and(|error| error.is_retryable()));
    let mut writes = graph.begin();
    writes
        .create_node(&["Person"], [("number", 2.into())])
        .expect("free");
    // A load waits for open writers; both may come first.
    let loaded = std::thread::scope(|scope| {
        let loading = scope.spawn(|| load_numbers(&graph, &[2]));
        writes.commit().expect("committed");
        loading.join().expect("no panic")
    });
    let refused = loaded.expect_err("it is taken");
    assert!(matches!(refused, GraphError::Constraint(_)), "{refused}");
}

/// Without each of the two steps, the checks above would fail.
#[test]
fn a_load_past_indexes_and_constraints_is_noticed() {
    let graph = graph();
    let unique = Definition::of_nodes("unique", "Person", &["number"], Rule::Unique);
    graph.define(&unique).expect("it holds");
    load_numbers(&graph, &[1]).expect("loaded");
    let armed = failpoint::Scope::armed("load.constraints-ignored").enter();
    load_numbers(&graph, &[1]).expect("nothing is in the way");
    drop(armed);
    assert_eq!(graph.view().nodes_with_label("Person").count(), 2);
    assert!(!graph.check().problems.is_empty());
    let graph = self::graph();
    graph
        .create_index("numbers", "Person", &["number"])
        .expect("built");
    let armed = failpoint::Scope::armed("load.not-indexed").enter();
    load_numbers(&graph, &[1, 2, 3, 4, 5, 6, 7, 8]).expect("loaded");
    drop(armed);
    assert!(!graph.check().problems.is_empty());
}

/// Whole chunks go another way than rows: keys below, between and behind those that are
/// there, and values that a rule forbids.
#[test]
fn constraints_are_held_to_whole_chunks() {
    let graph = graph();
    load_numbers(&graph, &[10, 20, 30, 40, 50, 60, 70, 80]).expect("loaded");
    let define = |name: &str, rule: Rule| {
        let definition = Definition::of_nodes(name, "Person", &["number"], rule);
        graph.define(&definition).expect("it holds");
    };
    define("unique", Rule::Unique);
    let fine = [
        [1, 2, 3, 4, 5, 6, 7, 8],
        [91, 92, 93, 94, 95, 96, 97, 98],
        [9, 11, 31, 99, 41, 51, 71, 81],
    ];
    for numbers in fine {
        load_numbers(&graph, &numbers).expect("all are new");
    }
    for taken in [1, 8, 10, 31, 80, 98] {
        let refused = load_numbers(&graph, &[101, 0, 103, taken, 12, 106, 107, 108]);
        let refused = refused.expect_err("it is taken").to_string();
        assert!(refused.contains("\"unique\""), "{refused}");
    }
    let twice = load_numbers(&graph, &[101, 102, 103, 104, 105, 106, 107, 101]);
    assert!(twice.is_err(), "the load has it twice");
    define("there", Rule::Exists);
    define("whole", Rule::Type(ValueType::Integer));
    define("key", Rule::Key);
    for (value, names) in [
        (Value::Null, ["there", "key"]),
        (2.5.into(), ["whole", "whole"]),
    ] {
        let mut load = graph.load();
        for number in 200..208 {
            let number = match number {
                206 => value.clone(),
                number => number.into(),
            };
            load.create_node(&["Person"], [("number", number)])
                .expect("gathered");
        }
        let refused = load.commit().expect_err("it does not hold").to_string();
        let is_named = names.iter().any(|name| refused.contains(name));
        assert!(is_named, "{refused}");
    }
    load_numbers(&graph, &[101, 102, 103, 104, 105, 106, 107, 108]).expect("nothing was left");
    assert_eq!(graph.view().nodes_with_label("Person").count(), 40);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

/// All nodes and relationships with their ids.
fn all_of(graph: &PropertyGraph) -> Vec<String> {
    let view = graph.view();
    let nodes = view.nodes().map(|node| {
        let node = node.expect("readable");
        let properties: Vec<_> = node.properties().collect();
        format!("{:?} {:?} {properties:?}", node.id(), node.labels())
    });
    let relationships = view.relationships().map(|found| {
        let found = found.expect("readable");
        let ends = (found.source(), found.target());
        let properties: Vec<_> = found.properties().collect();
        format!("{:?} {} {ends:?} {properties:?}", found.id(), found.kind())
    });
    nodes.chain(relationships).collect()
}

/// Held against rows; and what the log gives back against what the load handed over.
#[test]
fn a_load_by_column_is_one_by_row() {
    let value = |at: i64| match at % 6 {
        0 => Value::Null,
        1 => Value::Float(-0.0),
        2 => Value::Text("".into()),
        3 => Value::List([Value::Null].into()),
        4 => Value::Integer(i64::MIN),
        _ => Value::Integer(at),
    };
    let columns: Vec<(String, Vec<Value>)> = (0..70)
        .map(|key| {
            let values = (0..23).map(|at| value(at * (key % 5) + key)).collect();
            (format!("k{}", 69 - key), values)
        })
        .collect();
    let named: Vec<(&str, &[Value])> = columns.iter().map(|(key, all)| (&**key, &**all)).collect();
    let storages = [DramStorage::new(), DramStorage::new()];
    let mut found = Vec::new();
    for (by_column, storage) in [true, false].into_iter().zip(&storages) {
        let graph = PropertyGraph::create(storage, options(), [7; 16]).expect("created");
        load_persons(&graph, 3);
        let mut load = graph.load();
        let labels = ["B", "A"];
        let row = |at: usize| named.iter().map(move |(key, all)| (*key, all[at].clone()));
        let nodes: Vec<NodeId> = match by_column {
            true => load.create_nodes(&labels, &named, 23).expect("gathered"),
            false => (0..23)
                .map(|at| load.create_node(&labels, row(at)).expect("gathered"))
                .collect(),
        };
        let ends: Vec<[NodeId; 2]> = (0..23).map(|at| [nodes[at], nodes[22 - at]]).collect();
        match by_column {
            true => load
                .create_relationships("R", &ends, &named)
                .expect("gathered"),
            false => {
                for (at, [source, target]) in ends.iter().enumerate() {
                    load.create_relationship(*source, "R", *target, row(at))
                        .expect("gathered");
                }
            }
        }
        load.commit().expect("committed");
        assert_eq!(graph.check().problems, Vec::<String>::new());
        found.push(all_of(&graph));
        drop(graph);
        let open = || PropertyGraph::open(storage, OpenOptions::default());
        let graph = open().expect("from the log").0;
        found.push(all_of(&graph));
        graph.checkpoint().expect("written");
        drop(graph);
        found.push(all_of(&open().expect("from what is stored").0));
    }
    assert_eq!(found[0].len(), 3 + 2 + 23 + 23);
    for other in &found[1..] {
        assert_eq!(*other, found[0]);
    }
}

/// Without either, the test above would fail.
#[test]
fn a_column_that_is_shifted_or_loses_its_nulls_is_noticed() {
    // A chunk, and some more.
    let ages: Vec<Value> = (0..11)
        .map(|at| match at % 4 {
            2 => Value::Null,
            _ => Value::Integer(at),
        })
        .collect();
    let load_ages = || {
        let graph = graph();
        let mut load = graph.load();
        let nodes = load.create_nodes(&["Person"], &[("age", &ages)], ages.len());
        let nodes = nodes.expect("gathered");
        load.commit().expect("committed");
        let view = graph.view();
        let age = |&node| {
            let node = view.node(node).expect("readable").expect("it is there");
            node.get("age").cloned().unwrap_or_default()
        };
        nodes.iter().map(age).collect::<Vec<_>>()
    };
    assert_eq!(load_ages(), ages);
    for mutant in ["load.column-shifted", "load.nulls-lost"] {
        let _armed = failpoint::Scope::armed(mutant).enter();
        assert_ne!(load_ages(), ages, "{mutant}");
    }
}
