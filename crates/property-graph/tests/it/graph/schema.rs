//! Indexes and constraints.

use std::ops::Bound;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, GraphError, Node, NodeId, OpenOptions, PropertyGraph, Relationship, Rule, Subject,
    Transaction, ValueType,
};
use evergraph_property_graph::index::KeyRange;
use evergraph_property_graph::transaction::Retryable;
use evergraph_storage::medium::DramStorage;

use super::random::{is_violated, options};

fn graph() -> (Arc<DramStorage>, PropertyGraph) {
    let storage = Arc::new(DramStorage::new());
    let graph = PropertyGraph::create(&*storage, options(), [7; 16]).expect("created");
    (storage, graph)
}

fn definition(name: &str, keys: &[&str], rule: Rule) -> Definition {
    Definition::of_nodes(name, "Person", keys, rule)
}

fn of_relationships(name: &str, keys: &[&str], rule: Rule) -> Definition {
    Definition::of_relationships(name, "KNOWS", keys, rule)
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
    // A refused write was taken back, and the transaction may go on.
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

fn numbers(found: Result<Vec<Relationship>, GraphError>) -> Vec<i64> {
    let found = found.expect("readable");
    let number = |relationship: &Relationship| relationship.get_as("number").expect("a number");
    found.iter().filter_map(number).collect()
}

#[test]
fn an_index_of_relationships_finds_what_a_scan_finds() {
    let (storage, graph) = graph();
    let ann = person(&graph, "Ann", 1).expect("committed");
    let bob = person(&graph, "Bob", 2).expect("committed");
    let made = graph.write(|own| {
        for number in 0..30i64 {
            let kind = if number % 5 == 0 { "LIKES" } else { "KNOWS" };
            let properties = [("number", number.into()), ("weight", (number % 4).into())];
            own.create_relationship(ann, kind, bob, properties)?;
        }
        Ok(())
    });
    made.expect("committed");
    let ask = |graph: &PropertyGraph| {
        let view = graph.view();
        let own = graph.begin();
        let weight = [("weight", Value::from(2))];
        let both = [("weight", Value::from(2)), ("number", Value::from(6))];
        let small = KeyRange::between(&[], Bound::Unbounded, Bound::Excluded(&Value::from(7)));
        [
            numbers(view.find_relationships("KNOWS", &weight)),
            numbers(view.find_relationships("KNOWS", &both)),
            numbers(view.find_relationships("HATES", &weight)),
            numbers(view.find_relationships_in("KNOWS", &["number"], &small)),
            numbers(own.find_relationships("KNOWS", &weight)),
            numbers(own.find_relationships_in("KNOWS", &["number"], &small)),
        ]
    };
    let scanned = ask(&graph);
    assert_eq!(scanned[0], [2, 6, 14, 18, 22, 26]);
    assert_eq!(scanned[3], [1, 2, 3, 4, 6]);
    for keys in [&["weight"][..], &["number", "weight"], &["number"]] {
        let name = keys.join("-");
        let made = graph.create_relationship_index(&name, "KNOWS", keys);
        made.expect("made");
        assert_eq!(ask(&graph), scanned);
    }
    // A transaction finds its own writes, too.
    let mut own = graph.begin();
    let new = own.create_relationship(bob, "KNOWS", ann, [("number", 5.into())]);
    own.set(new.expect("created"), "weight", 2).expect("set");
    let found = own.find_relationships("KNOWS", &[("weight", 2.into())]);
    assert_eq!(numbers(found), [2, 6, 14, 18, 22, 26, 5], "by value and id");
    own.roll_back();
    graph.checkpoint().expect("written");
    assert_eq!(ask(&graph), scanned);
    drop(graph);
    let (graph, _) = PropertyGraph::open(&*storage, OpenOptions::default()).expect("opened");
    assert_eq!(ask(&graph), scanned);
    assert_eq!(graph.definitions().len(), 3);
    assert_eq!(
        graph.definitions()[0].subject,
        Subject::Relationships("KNOWS".to_string())
    );
    graph
        .write(|own| own.detach_delete_node(bob))
        .expect("gone");
    assert_eq!(ask(&graph)[0], Vec::<i64>::new());
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn unique_values_of_relationships_stay_unique() {
    let (storage, graph) = graph();
    let ann = person(&graph, "Ann", 1).expect("committed");
    let bob = person(&graph, "Bob", 2).expect("committed");
    let make = |own: &mut Transaction, kind: &str, number: i64| {
        own.create_relationship(ann, kind, bob, [("number", number.into())])
    };
    let made = |graph: &PropertyGraph, number| graph.write(|own| make(own, "KNOWS", number));
    let first = made(&graph, 1).expect("committed");
    let unique = of_relationships("number", &["number"], Rule::Unique);
    graph.define(&unique).expect("it holds");
    assert!(is_violated(made(&graph, 1)));
    let second = made(&graph, 2).expect("another");
    graph
        .write(|own| make(own, "LIKES", 1))
        .expect("of another type");
    assert!(is_violated(graph.write(|own| own.set(second, "number", 1))));

    // A transaction that frees a value keeps it locked until it has committed.
    let (mut taker, mut giver) = (graph.begin(), graph.begin());
    taker.delete_relationship(first).expect("deleted");
    assert!(make(&mut giver, "KNOWS", 1).is_err_and(|error| error.is_retryable()));
    drop(giver);
    make(&mut taker, "KNOWS", 1).expect("free in this transaction");
    taker.roll_back();
    // Also if it goes with its node.
    let (mut taker, mut giver) = (graph.begin(), graph.begin());
    taker.detach_delete_node(bob).expect("deleted");
    let elsewhere = giver.create_relationship(ann, "KNOWS", ann, [("number", 1.into())]);
    assert!(elsewhere.is_err_and(|error| error.is_retryable()));
    drop((taker, giver));

    graph.checkpoint().expect("written");
    drop(graph);
    let (graph, _) = PropertyGraph::open(&*storage, OpenOptions::default()).expect("opened");
    assert!(is_violated(made(&graph, 2)));
    graph
        .write(|own| own.delete_relationship(second))
        .expect("deleted");
    made(&graph, 2).expect("free again");
    graph.drop_definition("number").expect("it is there");
    made(&graph, 2).expect("nothing holds any more");
    assert!(is_violated(graph.define(&unique)), "it does not hold");
    assert!(graph.definitions().is_empty());
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn properties_of_relationships_are_there_and_of_their_type() {
    let (_, graph) = graph();
    let ann = person(&graph, "Ann", 1).expect("committed");
    let make = |since: Option<Value>| {
        graph.write(|own| {
            let since = since.clone().map(|value| ("since", value));
            own.create_relationship(ann, "KNOWS", ann, since)
        })
    };
    make(Some(3.into())).expect("committed");
    let exists = of_relationships("exists", &["since"], Rule::Exists);
    graph.define(&exists).expect("it holds");
    let typed = of_relationships("typed", &["since"], Rule::Type(ValueType::Integer));
    graph.define(&typed).expect("it holds");
    let key = of_relationships("key", &["since"], Rule::Key);
    graph.define(&key).expect("it holds");
    assert!(is_violated(make(None)));
    assert!(is_violated(make(Some("long".into()))));
    assert!(is_violated(make(Some(3.into()))));
    let four = make(Some(4.into())).expect("another key");
    assert!(is_violated(graph.write(|own| own.remove(four, "since"))));
    // Looked at when it commits: what is missing may come later.
    let late = graph.write(|own| {
        let made = own.create_relationship(ann, "KNOWS", ann, [])?;
        own.set(made, "since", 5)
    });
    late.expect("all is there");
    let wrong = of_relationships("wrong", &["since"], Rule::Type(ValueType::Text));
    assert!(is_violated(graph.define(&wrong)));
    assert_eq!(graph.definitions().len(), 3);
    assert_eq!(graph.view().relationships().count(), 3);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}
