//! Indexes and constraints.

use std::ops::Bound;
use std::sync::Arc;

use evergraph_persistence::medium::DramStorage;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, GraphError, Node, NodeId, OpenOptions, PropertyGraph, Rule, Transaction, ValueType,
};
use evergraph_property_graph::index::KeyRange;
use evergraph_property_graph::transaction::Retryable;

use super::random::options;

fn graph() -> (Arc<DramStorage>, PropertyGraph) {
    let storage = Arc::new(DramStorage::new());
    let graph = PropertyGraph::create(&*storage, options(), [7; 16]).expect("created");
    (storage, graph)
}

fn definition(name: &str, keys: &[&str], rule: Rule) -> Definition {
    Definition {
        name: name.to_string(),
        label: "Person".to_string(),
        keys: keys.iter().map(|key| key.to_string()).collect(),
        rule,
    }
}

fn person(graph: &PropertyGraph, name: &str, age: i64) -> Result<NodeId, GraphError> {
    let properties = || [("name", name.into()), ("age", age.into())];
    graph.write(|transaction| transaction.create_node(&["Person"], properties()))
}

fn names(nodes: &[Node]) -> Vec<String> {
    let name = |node: &Node| {
        node.get("name")
            .and_then(Value::as_text)
            .map(str::to_string)
    };
    nodes.iter().filter_map(name).collect()
}

fn is_violated<T>(outcome: Result<T, GraphError>) -> bool {
    matches!(outcome, Err(GraphError::Constraint(_)))
}

/// Everything that is asked, with and without an index.
fn ask(graph: &PropertyGraph) -> Vec<Vec<String>> {
    let view = graph.view();
    let (two, five) = (Value::from(2), Value::from(5));
    let found = [
        view.find("Person", &[("age", 3.into())]),
        view.find("Person", &[("age", 3.into()), ("name", "P03".into())]),
        view.find("Person", &[("name", "P03".into()), ("age", 3.into())]),
        view.find("Nobody", &[("age", 3.into())]),
        view.find_between(
            "Person",
            "age",
            Bound::Excluded(&two),
            Bound::Included(&five),
        ),
        view.find_between("Person", "age", Bound::Unbounded, Bound::Excluded(&two)),
        view.find_in("Person", &["name"], &KeyRange::starting_with(&[], "P1")),
        view.find_in(
            "Person",
            &["age", "name"],
            &KeyRange::starting_with(&[Value::from(4)], "P1"),
        ),
    ];
    found.map(|nodes| names(&nodes.expect("readable"))).to_vec()
}

#[test]
fn an_index_finds_what_a_scan_finds() {
    let (storage, graph) = graph();
    for number in 0..30 {
        person(&graph, &format!("P{number:02}"), number % 7).expect("committed");
    }
    let scanned = ask(&graph);
    assert_eq!(scanned[0].len(), 4);
    assert_eq!(scanned[6].len(), 10);
    for keys in [&["age"][..], &["age", "name"], &["name"]] {
        let name = keys.join("-");
        graph.create_index(&name, "Person", keys).expect("made");
        assert_eq!(ask(&graph), scanned);
    }
    assert!(
        graph.create_index("age", "Person", &["name"]).is_err(),
        "the name is taken"
    );
    assert_eq!(graph.definitions().len(), 3);
    graph.checkpoint().expect("written");
    assert_eq!(ask(&graph), scanned);
    drop(graph);
    let (graph, _) = PropertyGraph::open(&*storage, OpenOptions::default()).expect("opened");
    assert_eq!(ask(&graph), scanned);
    assert_eq!(graph.definitions().len(), 3);
    graph.drop_definition("age").expect("it is there");
    assert_eq!(ask(&graph), scanned);
    drop(graph);
    let (graph, _) = PropertyGraph::open(&*storage, OpenOptions::default()).expect("opened");
    assert_eq!(graph.definitions().len(), 2);
    assert_eq!(ask(&graph), scanned);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn a_transaction_finds_what_it_wrote() {
    let (_, graph) = graph();
    let ann = person(&graph, "Ann", 1).expect("committed");
    let bob = person(&graph, "Bob", 2).expect("committed");
    for indexed in [false, true] {
        if indexed {
            graph
                .create_index("ages", "Person", &["age"])
                .expect("made");
        }
        let mut transaction = graph.begin();
        transaction.set(ann, "age", 2).expect("set");
        transaction.delete_node(bob).expect("deleted");
        let cleo = [("name", "Cleo".into()), ("age", 2.into())];
        transaction.create_node(&["Person"], cleo).expect("created");
        let found = transaction.find("Person", &[("age", 2.into())]);
        assert_eq!(names(&found.expect("readable")), ["Ann", "Cleo"]);
        let found = transaction.find("Person", &[("age", 1.into())]);
        assert!(found.expect("readable").is_empty());
        let found = transaction.snapshot().find("Person", &[("age", 2.into())]);
        assert_eq!(names(&found.expect("readable")), ["Bob"]);
    }
}

#[test]
fn unique_values_stay_unique() {
    let (storage, graph) = graph();
    let ann = person(&graph, "Ann", 1).expect("committed");
    let unique = definition("name", &["name"], Rule::Unique);
    graph.define(&unique).expect("it holds");
    assert!(is_violated(person(&graph, "Ann", 2)));
    let bob = person(&graph, "Bob", 2).expect("another name");
    assert!(is_violated(graph.write(|own| own.set(bob, "name", "Ann"))));
    // What was refused was taken back, and the transaction may go on.
    let mut transaction = graph.begin();
    assert!(is_violated(transaction.set(bob, "name", "Ann")));
    let now = transaction.node(bob).expect("readable").expect("exists");
    assert_eq!(now.get("name"), Some(&Value::from("Bob")));
    transaction.set(ann, "name", "Anna").expect("unused");
    transaction
        .set(bob, "name", "Ann")
        .expect("free in this transaction");
    transaction.commit().expect("committed");

    // Two at a time: one of them has the value.
    let (mut first, mut second) = (graph.begin(), graph.begin());
    let make = |own: &mut Transaction| own.create_node(&["Person"], [("name", "Cleo".into())]);
    make(&mut first).expect("unused");
    assert!(make(&mut second).is_err_and(|error| error.is_retryable()));
    first.commit().expect("committed");
    assert!(make(&mut second).is_err_and(|error| error.is_retryable()));
    drop(second);
    assert!(is_violated(person(&graph, "Cleo", 3)));

    drop(graph);
    let (graph, _) = PropertyGraph::open(&*storage, OpenOptions::default()).expect("opened");
    assert!(is_violated(person(&graph, "Cleo", 3)));
    graph.write(|own| own.delete_node(ann)).expect("deleted");
    person(&graph, "Anna", 4).expect("free again");
    graph.drop_definition("name").expect("it is there");
    person(&graph, "Cleo", 3).expect("nothing holds any more");
    assert!(is_violated(graph.define(&unique)), "it does not hold");
    assert!(graph.definitions().is_empty());
}

#[test]
fn properties_are_there_and_of_their_type() {
    let (_, graph) = graph();
    person(&graph, "Ann", 1).expect("committed");
    let exists = definition("exists", &["name"], Rule::Exists);
    graph.define(&exists).expect("it holds");
    let typed = definition("typed", &["age"], Rule::Type(ValueType::Integer));
    graph.define(&typed).expect("it holds");
    graph
        .define(&definition("key", &["name", "age"], Rule::Key))
        .expect("it holds");
    // Looked at when it commits: what is missing may come later.
    let late = graph.write(|own| {
        let node = own.create_node(&["Person"], [])?;
        own.set(node, "name", "Bob")?;
        own.set(node, "age", 2)
    });
    late.expect("all is there");
    let missing = |own: &mut Transaction| own.create_node(&["Person"], []);
    assert!(is_violated(graph.write(missing)));
    let other = |own: &mut Transaction| {
        own.create_node(
            &["Person"],
            [("name", "Cleo".into()), ("age", "old".into())],
        )
    };
    assert!(is_violated(graph.write(other)));
    assert!(is_violated(person(&graph, "Ann", 1)), "the key is taken");
    person(&graph, "Ann", 2).expect("another key");
    assert_eq!(graph.view().nodes().count(), 3);
    let wrong = definition("wrong", &["name"], Rule::Type(ValueType::Float));
    assert!(is_violated(graph.define(&wrong)));
    assert_eq!(graph.definitions().len(), 3);
}
