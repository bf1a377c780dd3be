//! Several definitions at once, and what is hard about unique values.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, Node, NodeId, OpenOptions, PropertyGraph, Rule, ValueType,
};
use evergraph_property_graph::transaction::{Retryable, TransactionOptions};
use evergraph_storage::medium::DramStorage;

use super::random::{graph_on, is_violated};

fn person(graph: &PropertyGraph, name: &str) -> NodeId {
    let name = || [("name", name.into())];
    let made = graph.write(|own| own.create_node(&["Person"], name()));
    made.expect("committed")
}

fn unique() -> Definition {
    Definition::of_nodes("name", "Person", &["name"], Rule::Unique)
}

fn ids(found: Vec<Node>) -> Vec<u32> {
    found.iter().map(|node| node.id().0).collect()
}

/// A hundred nodes of two labels, and as many relationships of two types.
fn fill(graph: &PropertyGraph) {
    let fill = graph.write(|own| {
        for number in 0..100i64 {
            let label = if number % 3 == 0 { "Person" } else { "City" };
            let properties = [("number", number.into()), ("half", (number / 2).into())];
            let node = own.create_node(&[label], properties)?;
            let kind = if number % 2 == 0 { "KNOWS" } else { "LIKES" };
            own.create_relationship(node, kind, node, [("number", number.into())])?;
        }
        Ok(())
    });
    fill.expect("committed");
}

fn several() -> Vec<Definition> {
    vec![
        Definition::of_nodes("a", "Person", &["number"], Rule::Unique),
        Definition::of_nodes("b", "City", &["half"], Rule::Index),
        Definition::of_nodes("c", "City", &["half", "number"], Rule::Key),
        Definition::of_nodes("d", "Person", &["half"], Rule::Type(ValueType::Integer)),
        Definition::of_relationships("e", "KNOWS", &["number"], Rule::Unique),
        Definition::of_relationships("f", "LIKES", &["number"], Rule::Exists),
    ]
}

#[test]
fn several_definitions_are_as_those_made_one_by_one() {
    let (one_by_one, at_once) = (DramStorage::new(), DramStorage::new());
    let (one_by_one, graph_at_once) = (graph_on(&one_by_one), graph_on(&at_once));
    for graph in [&one_by_one, &graph_at_once] {
        fill(graph);
    }
    for definition in several() {
        one_by_one.define(&definition).expect("it holds");
    }
    graph_at_once.define_all(&several()).expect("they hold");
    let ask = |graph: &PropertyGraph| {
        let view = graph.view();
        let half = [("half", Value::from(20))];
        let both = [("half", Value::from(20)), ("number", Value::from(40))];
        [
            view.find("City", &half).map(ids),
            view.find("City", &both).map(ids),
            view.find("Person", &[("number", Value::from(39))]).map(ids),
        ]
        .map(|found| found.expect("readable"))
    };
    assert_eq!(ask(&one_by_one), [vec![40, 41], vec![40], vec![39]]);
    let is_same = |graph: &PropertyGraph| {
        assert_eq!(ask(graph), ask(&one_by_one));
        let numbered = one_by_one.numbered_definitions();
        assert_eq!(graph.numbered_definitions(), numbered);
        assert_eq!(graph.check().problems, Vec::<String>::new());
        let again = || [("number", 39.into()), ("half", 0.into())];
        let again = graph.write(|own| own.create_node(&["Person"], again()));
        assert!(is_violated(again));
    };
    is_same(&graph_at_once);
    graph_at_once.checkpoint().expect("written");
    is_same(&graph_at_once);
    drop(graph_at_once);
    let (graph, _) = PropertyGraph::open(&at_once, OpenOptions::default()).expect("opened");
    is_same(&graph);
}

#[test]
fn several_definitions_are_made_or_none() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    fill(&graph);
    let wrong = Definition::of_nodes("z", "City", &["half"], Rule::Unique);
    let mut definitions = several();
    definitions.push(wrong);
    assert!(is_violated(graph.define_all(&definitions)));
    assert_eq!(graph.definitions(), []);
    definitions.pop();
    definitions.push(several()[0].clone());
    let twice = graph.define_all(&definitions).map_err(|e| e.to_string());
    assert!(twice.is_err_and(|error| error.contains("name \"a\"")));
    assert_eq!(graph.definitions(), []);
    graph.define_all(&several()).expect("they hold");
    graph.define_all(&[]).expect("nothing to make");
    assert_eq!(graph.definitions(), several());
}

#[test]
fn long_values_that_begin_alike_are_told_apart() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    // Longer than what an index keeps of a key.
    let long = |end: &str| "a".repeat(2000) + end;
    let (first, second) = (person(&graph, &long("1")), person(&graph, &long("2")));
    graph.define(&unique()).expect("they differ at their ends");
    let found = graph.view().find("Person", &[("name", long("2").into())]);
    assert_eq!(ids(found.expect("readable")), [second.0]);
    let same = graph.write(|own| own.set(first, "name", long("2")));
    assert!(is_violated(same));
    graph.drop_definition("name").expect("it is there");
    person(&graph, &long("1"));
    assert!(is_violated(graph.define(&unique())));
}

#[test]
fn a_value_that_comes_back_may_have_been_taken() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    let (ann, bob) = (person(&graph, "Ann"), person(&graph, "Bob"));
    graph.define(&unique()).expect("it holds");
    let mut own = graph.begin();
    own.set(ann, "name", "Anna").expect("free");
    own.set(bob, "name", "Ann").expect("free in here");
    assert!(is_violated(own.set(ann, "name", "Ann")));
    own.set(bob, "name", "Bob").expect("its own");
    own.set(ann, "name", "Ann").expect("its own again");
    // A rollback releases the values of the writes that it undoes.
    let savepoint = own.savepoint();
    own.set(ann, "name", "Anna").expect("free");
    own.set(bob, "name", "Ann").expect("free in here");
    own.roll_back_to(savepoint).expect("it is active");
    assert!(is_violated(own.set(bob, "name", "Ann")));
    // A record written for another reason keeps its value locked, too.
    own.set(ann, "age", 3).expect("set");
    assert!(is_violated(own.set(bob, "name", "Ann")));
    own.commit().expect("committed");
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn who_read_an_index_that_was_dropped_meanwhile_runs_again() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    person(&graph, "Ann");
    graph.define(&unique()).expect("it holds");
    let mut reader = graph.begin_with(&TransactionOptions::serializable());
    let found = reader.find("Person", &[("name", "Bob".into())]);
    assert!(found.expect("readable").is_empty());
    graph.drop_definition("name").expect("it is there");
    // No entry of an index tells of this one.
    person(&graph, "Bob");
    reader.set_fact(b"found", b"nobody");
    assert!(reader.commit().is_err_and(|error| error.is_retryable()));
    assert_eq!(graph.store().meta(b"found"), None);
}

#[test]
fn facts_alone_are_a_commit() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    let noted = graph.write(|own| {
        own.set_fact(b"found", b"somebody");
        Ok(())
    });
    noted.expect("committed");
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    let fact = graph.store().meta(b"found");
    assert_eq!(fact.as_deref(), Some(&b"somebody"[..]));
}

/// A value that comes and goes is found as of each snapshot that shows it.
#[test]
fn an_index_finds_what_came_back_as_of_each_snapshot() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    graph
        .define(&Definition::of_nodes(
            "name",
            "Person",
            &["name"],
            Rule::Index,
        ))
        .expect("made");
    let node = person(&graph, "Ann");
    let moments: Vec<String> = (0..6).map(|number| format!("moment {number}")).collect();
    for moment in &moments {
        graph.create_snapshot(moment).expect("a new name");
        for name in ["Bob", "Ann"] {
            graph
                .write(|own| own.set(node, "name", name))
                .expect("alone");
        }
        graph.checkpoint().expect("merged");
    }
    for moment in &moments {
        let view = graph.as_of(moment).expect("it is kept");
        let found = |name: &str| {
            ids(view
                .find("Person", &[("name", name.into())])
                .expect("found"))
        };
        assert_eq!(
            (found("Ann"), found("Bob")),
            (vec![node.0], vec![]),
            "{moment}"
        );
    }
}
