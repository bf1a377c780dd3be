//! Definitions in a transaction beside its writes.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Broken, Definition, Entity, GraphError, NodeId, OpenOptions, PropertyGraph, Rule, Subject,
    ValueType, Violation,
};
use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::random::graph_on;

fn unique(name: &str) -> Definition {
    Definition::of_nodes(name, "Person", &["name"], Rule::Unique)
}

fn person(graph: &PropertyGraph, name: &str) -> Result<NodeId, GraphError> {
    graph.write(|own| own.create_node(&["Person"], [("name", name.into())]))
}

fn names(graph: &PropertyGraph) -> Vec<String> {
    let definitions = graph.definitions().into_iter();
    definitions.map(|definition| definition.name).collect()
}

fn found(graph: &PropertyGraph, name: &str) -> usize {
    let found = graph.view().find("Person", &[("name", name.into())]);
    found.expect("readable").len()
}

fn violation<T: std::fmt::Debug>(outcome: Result<T, GraphError>) -> Violation {
    match outcome {
        Err(GraphError::Constraint(violation)) => *violation,
        other => panic!("no constraint is broken: {other:?}"),
    }
}

#[test]
fn definitions_come_with_the_writes_beside_them() {
    let storage = DramStorage::new();
    let mut graph = graph_on(&storage);
    person(&graph, "Ann").expect("committed");
    graph
        .write(|own| {
            own.create_node(&["Person"], [("name", "Bob".into()), ("age", 7.into())])?;
            own.define(&unique("names"))?;
            own.define(&Definition::of_nodes(
                "ages",
                "Person",
                &["age"],
                Rule::Type(ValueType::Integer),
            ))?;
            own.define(&Definition::of_relationships(
                "since",
                "KNOWS",
                &["since"],
                Rule::Index,
            ))?;
            let late = own.create_node(&["Person"], [("name", "Carl".into())])?;
            own.create_relationship(late, "KNOWS", late, [("since", 1.into())])
        })
        .expect("committed");
    // Also after a process that ended at once.
    for _ in 0..2 {
        assert_eq!(names(&graph), ["names", "ages", "since"]);
        for name in ["Ann", "Bob", "Carl"] {
            assert_eq!(found(&graph, name), 1, "{name}");
            let broken = violation(person(&graph, name));
            assert_eq!(broken.constraint.name, "names");
        }
        let indexes = graph.statistics().indexes;
        let entries: Vec<u64> = indexes.iter().map(|(_, usage)| usage.entries).collect();
        assert_eq!(entries, [3, 1], "they are built");
        assert_eq!(graph.check().problems, Vec::<String>::new());
        drop(graph);
        let opened = PropertyGraph::open(&storage, OpenOptions::default());
        graph = opened.expect("opened").0;
    }
}

#[test]
fn a_violation_says_what_breaks_what() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    let ann = person(&graph, "Ann").expect("committed");
    let broken = violation(graph.write(|own| {
        own.define(&unique("names"))?;
        own.create_node(&["Person"], [("name", "Ann".into())])
    }));
    assert_eq!(broken.constraint.name, "names");
    assert_eq!(broken.constraint.subject, Subject::Nodes("Person".into()));
    assert_eq!(broken.constraint.keys, ["name"]);
    assert_eq!(broken.values, [Some(Value::from("Ann"))]);
    assert_eq!(broken.record, Entity::Node(NodeId(1)));
    assert_eq!(broken.reason, Broken::SameValues(Entity::Node(ann)));
    let message = broken.to_string();
    assert!(
        message.contains("\"names\"") && message.contains("Person"),
        "{message}"
    );
    // A key that no commit has used.
    let exists = Definition::of_nodes("ages", "Person", &["never"], Rule::Exists);
    let broken = violation(graph.write(|own| own.define(&exists)));
    assert_eq!(broken.constraint, exists);
    assert_eq!(
        (broken.record, broken.reason),
        (ann.into(), Broken::Missing)
    );
    assert_eq!(
        names(&graph),
        Vec::<String>::new(),
        "nothing of it is there"
    );
    assert_eq!(graph.view().nodes().count(), 1);
}

/// What was committed between the begin and the definition is held to it, too.
fn a_write_before_the_lock_is_seen() -> bool {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    person(&graph, "Ann").expect("committed");
    let mut own = graph.begin();
    person(&graph, "Ann").expect("nothing forbids it");
    own.define(&unique("names")).expect("no other writes");
    let refused = own.commit();
    matches!(refused, Err(GraphError::Constraint(_)))
}

#[test]
fn a_definition_holds_for_what_others_wrote_before_it() {
    assert!(a_write_before_the_lock_is_seen());
    let _armed = failpoint::Scope::armed("definitions.own-not-checked").enter();
    assert!(!a_write_before_the_lock_is_seen(), "the mutant survives");
}

#[test]
fn others_do_not_write_beside_a_definition() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    let mut own = graph.begin();
    own.define(&unique("names")).expect("no other writes");
    let mut other = graph.begin();
    let refused = other.create_node(&["Person"], [("name", "Ann".into())]);
    assert!(refused.is_err(), "the schema is locked");
    drop(other);
    own.commit().expect("committed");
    person(&graph, "Ann").expect("free again");
    // And a writer that has not ended keeps a definition off.
    let mut writer = graph.begin();
    writer
        .create_node(&["Person"], [("name", "Bob".into())])
        .expect("written");
    assert!(graph.begin().drop_definition("names").is_err());
    writer.commit().expect("committed");
}

#[test]
fn a_dropped_constraint_holds_no_more() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    graph.define(&unique("names")).expect("made");
    person(&graph, "Ann").expect("committed");
    // Given up, it stays.
    let given_up = graph.write(|own| {
        own.drop_definition("names")?;
        own.create_node(&["Person"], [("name", "Ann".into())])?;
        Err::<(), _>(GraphError::User("no".into()))
    });
    assert!(given_up.is_err());
    violation(person(&graph, "Ann"));
    // One of the same name takes its place.
    let other = Definition::of_nodes("names", "Person", &["name"], Rule::Exists);
    graph
        .write(|own| {
            own.drop_definition("names")?;
            own.define(&other)?;
            own.create_node(&["Person"], [("name", "Ann".into())])
        })
        .expect("not unique any more");
    assert_eq!(graph.definitions(), [other]);
    assert_eq!(found(&graph, "Ann"), 2);
    let unnamed = graph.write(|own| own.create_node(&["Person"], []));
    violation(unnamed);
}

#[test]
fn savepoints_take_definitions_back() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    graph.define(&unique("names")).expect("made");
    let mut own = graph.begin();
    let before = own.savepoint();
    own.define(&Definition::of_nodes("a", "A", &["a"], Rule::Index))
        .expect("made");
    let between = own.savepoint();
    own.drop_definition("names").expect("dropped");
    own.define(&unique("others")).expect("made");
    own.roll_back_to(between).expect("back");
    own.define(&Definition::of_nodes("b", "B", &["b"], Rule::Index))
        .expect("made");
    own.commit().expect("committed");
    assert_eq!(names(&graph), ["names", "a", "b"]);
    let mut own = graph.begin();
    let empty = own.savepoint();
    own.drop_definition("names").expect("dropped");
    own.roll_back_to(empty).expect("back");
    assert!(own.commit().expect("nothing").is_none());
    assert_eq!(names(&graph), ["names", "a", "b"]);
    let _ = before;
}

#[test]
fn what_is_there_is_not_made_again() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    assert!(graph.define_if_absent(&unique("names")).expect("made"));
    let index = Definition::of_nodes("names", "City", &["name"], Rule::Index);
    for same in [unique("names"), unique("others"), index.clone()] {
        assert!(!graph.define_if_absent(&same).expect("there"), "{same:?}");
        let made = graph.write(|own| own.define_if_absent(&same));
        assert!(!made.expect("there"), "{same:?}");
    }
    let refused = graph.write(|own| own.define(&index));
    assert!(matches!(refused, Err(GraphError::DefinitionExists(name)) if name == "names"));
    let made = graph.write(|own| {
        let city = Definition::of_nodes("cities", "City", &["name"], Rule::Index);
        // The second sees the first.
        Ok((own.define_if_absent(&city)?, own.define_if_absent(&city)?))
    });
    assert_eq!(made.expect("committed"), (true, false));
    let dropped = graph.write(|own| {
        let names = ["cities", "cities", "nothing"];
        names
            .map(|name| own.drop_definition_if_exists(name))
            .into_iter()
            .collect::<Result<Vec<bool>, _>>()
    });
    assert_eq!(dropped.expect("committed"), [true, false, false]);
    let unknown = graph.write(|own| own.drop_definition("cities"));
    assert!(matches!(unknown, Err(GraphError::UnknownDefinition(_))));
    assert!(graph.drop_definition_if_exists("names").expect("dropped"));
    assert!(!graph.drop_definition_if_exists("names").expect("gone"));
    let empty = Definition::of_nodes("empty", "City", &[], Rule::Index);
    let refused = graph.write(|own| own.define_if_absent(&empty));
    assert!(matches!(refused, Err(GraphError::BadDefinition(_))));
}

/// A definition is held to what its transaction leaves, and not to what was there before.
#[test]
fn a_definition_is_about_what_a_transaction_leaves() {
    let storage = DramStorage::new();
    let graph = graph_on(&storage);
    let first = person(&graph, "Ann").expect("committed");
    person(&graph, "Ann").expect("nothing forbids it");
    let gone = graph.write(|own| {
        own.define(&unique("names"))?;
        own.drop_definition("names")?;
        own.create_node(&["City"], [])
    });
    gone.expect("a definition that is gone forbids nothing");
    assert_eq!(names(&graph), Vec::<String>::new());
    let told_apart = graph.write(|own| {
        own.set(first, "name", "Bob")?;
        own.define(&unique("names"))
    });
    told_apart.expect("they are unique by then");
    assert_eq!((found(&graph, "Ann"), found(&graph, "Bob")), (1, 1));
    let renamed = graph.write(|own| {
        own.drop_definition("names")?;
        own.set(first, "name", "Carl")?;
        own.create_node(&["Person"], [("name", "Bob".into())])?;
        own.define(&unique("names"))
    });
    renamed.expect("the name is free again");
    assert_eq!((found(&graph, "Bob"), found(&graph, "Carl")), (1, 1));
    assert_eq!(graph.check().problems, Vec::<String>::new());
}
