//! Values that have to be unique, and writers while the constraint is made.

use std::slice;
use std::sync::{Arc, Mutex};

use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::super::{
    Definition, GraphError, GraphOptions, NodeId, PropertyGraph, Rule, Transaction,
};
use crate::graph::definitions::build::{build, check_written};
use crate::graph::schema::{Entry, Subject};
use crate::transaction::Retryable;

/// A graph with a constraint that is being made.
struct Populating {
    graph: PropertyGraph,
    entry: Arc<Entry>,
    definition: Definition,
    /// Ends of all relationships.
    end: NodeId,
}

/// Nodes and relationships, of unique values and of keys.
fn definitions() -> Vec<Definition> {
    let of = |rule| {
        [
            Definition::of_nodes("one", "Person", &["name"], rule),
            Definition::of_relationships("one", "KNOWS", &["name"], rule),
        ]
    };
    [Rule::Unique, Rule::Key].into_iter().flat_map(of).collect()
}

impl Populating {
    /// With an Ann and a Bob, which no pass has looked at.
    fn new(definition: &Definition) -> Self {
        let storage = DramStorage::new();
        let graph = PropertyGraph::create(&storage, GraphOptions::default(), [7; 16]);
        let graph = graph.expect("created");
        let end = graph.write(|own| own.create_node(&[], []));
        let end = end.expect("committed");
        let make = |own: &mut Transaction| {
            add(own, definition, end, "Ann")?;
            add(own, definition, end, "Bob")
        };
        graph.write(make).expect("committed");
        let defined = graph.write(|own| own.add_definition(definition));
        defined.expect("committed");
        let entry = graph.core.state.schema.named("one").expect("defined");
        Populating {
            graph,
            entry,
            definition: definition.clone(),
            end,
        }
    }

    fn built(definition: &Definition) -> Self {
        let populating = Self::new(definition);
        populating.build();
        populating
    }

    fn build(&self) {
        build(&self.graph.core, slice::from_ref(&self.entry), None).expect("it holds");
    }

    fn add(&self, own: &mut Transaction, name: &str) -> Result<(), GraphError> {
        add(own, &self.definition, self.end, name)
    }

    fn write(&self, name: &str) -> Result<(), GraphError> {
        self.graph.write(|own| self.add(own, name))
    }

    fn switch(&self) -> Result<(), GraphError> {
        let confirm = |own: &mut Transaction| own.confirm(slice::from_ref(&self.entry));
        self.graph.write(confirm)
    }
}

/// One more node, or relationship, that a definition is about.
fn add(
    own: &mut Transaction,
    definition: &Definition,
    end: NodeId,
    name: &str,
) -> Result<(), GraphError> {
    let properties = [("name", name.into())];
    match &definition.subject {
        Subject::Nodes(label) => own.create_node(&[label], properties).map(|_| ()),
        Subject::Relationships(kind) => own
            .create_relationship(end, kind, end, properties)
            .map(|_| ()),
    }
}

fn is_violated(outcome: Result<(), GraphError>) -> bool {
    match outcome {
        Ok(()) => false,
        Err(GraphError::Constraint(_)) => true,
        Err(error) => panic!("{error}"),
    }
}

/// Whether a violating write is told from an allowed one, committed before the pass or
/// behind it.
fn is_told(definition: &Definition, is_behind: bool, name: &str) -> bool {
    let populating = Populating::new(definition);
    if is_behind {
        populating.build();
    }
    populating.write(name).expect("nothing is held to it yet");
    let core = &populating.graph.core;
    let entries = slice::from_ref(&populating.entry);
    match is_behind || build(core, entries, None).is_ok() {
        true => is_violated(populating.switch()),
        false => true,
    }
}

#[test]
fn what_is_written_meanwhile_is_checked_before_it_holds() {
    for definition in definitions() {
        for is_behind in [false, true] {
            assert!(is_told(&definition, is_behind, "Ann"), "{definition:?}");
            assert!(!is_told(&definition, is_behind, "Cleo"), "{definition:?}");
        }
    }
    let _armed = failpoint::Scope::armed("definitions.written-not-checked").enter();
    let is_caught = is_told(&definitions()[0], true, "Ann");
    assert!(!is_caught, "the mutant survives");
}

/// Whether the switch waits for a writer that has written an existing value, and commits
/// only then.
fn is_waited_for(definition: &Definition, mutant: &str) -> bool {
    let populating = Populating::built(definition);
    let mut own = populating.graph.begin();
    populating.add(&mut own, "Ann").expect("not held to it");
    let writer = Arc::new(Mutex::new(Some(own)));
    let commit = {
        let writer = Arc::clone(&writer);
        move || {
            let own = writer.lock().expect("not poisoned").take();
            if let Some(own) = own {
                own.commit().expect("nothing forbids it");
            }
        }
    };
    let waits = commit.clone();
    let _mutant = failpoint::Scope::armed(mutant).enter();
    let armed = failpoint::Scope::calling("schema.waits-for-writers", move |_| waits()).enter();
    let is_told = is_violated(populating.switch());
    drop(armed);
    commit();
    is_told
}

#[test]
fn writers_on_their_way_are_waited_for() {
    for definition in definitions() {
        assert!(is_waited_for(&definition, "no.mutant"), "{definition:?}");
    }
    let mutant = "definitions.switched-beside-writers";
    assert!(
        !is_waited_for(&definitions()[0], mutant),
        "the mutant survives"
    );
}

/// Checkpoints merge what indexes have of it; and of an index that is damaged there is
/// nothing to read.
#[test]
fn what_is_written_is_checked_wherever_it_is() {
    for definition in definitions() {
        for (name, is_told) in [("Ann", true), ("Cleo", false)] {
            let populating = Populating::built(&definition);
            populating.write(name).expect("not held to it");
            populating.graph.checkpoint().expect("written");
            assert_eq!(is_violated(populating.switch()), is_told);
            let populating = Populating::built(&definition);
            populating.write(name).expect("not held to it");
            let index = populating.entry.index.as_ref().expect("there is one");
            index.damaged();
            assert_eq!(is_violated(populating.switch()), is_told);
        }
    }
}

/// Each key is looked at once, and a key that is gone again is no violation.
#[test]
fn what_is_written_is_checked_once() {
    let definition = &definitions()[0];
    let populating = Populating::built(definition);
    let (graph, entries) = (&populating.graph, slice::from_ref(&populating.entry));
    let check = || check_written(&graph.core, entries).expect("it holds");
    let make = || graph.write(|own| own.create_node(&["Person"], [("name", "Ann".into())]));
    let duplicate = make().expect("not held to it");
    let deleted = graph.write(|own| own.delete_node(duplicate));
    deleted.expect("committed");
    for name in ["Cleo", "Dan"] {
        populating.write(name).expect("not held to it");
    }
    assert_eq!(check(), 3);
    assert_eq!(check(), 0);
    populating.write("Cleo").expect("not held to it");
    assert!(is_violated(populating.switch()));
}

/// A transaction that began before the switch cannot have checked and must be run again;
/// one that begins after it checks.
#[test]
fn writers_are_held_to_it_from_the_switch_on() {
    for definition in definitions() {
        let populating = Populating::built(&definition);
        let mut early = populating.graph.begin();
        populating.write("Cleo").expect("not held to it");
        populating.switch().expect("it holds");
        let refused = populating.add(&mut early, "Cleo");
        assert!(refused.is_err_and(|error| error.is_retryable()));
        drop(early);
        for name in ["Ann", "Cleo"] {
            assert!(is_violated(populating.write(name)), "{definition:?}");
        }
        populating.write("Dan").expect("there is none");
        assert_eq!(populating.graph.check().problems, Vec::<String>::new());
    }
}
