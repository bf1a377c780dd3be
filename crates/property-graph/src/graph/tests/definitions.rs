//! A process that ends between a definition and its confirmation, with a checkpoint in
//! between; and one that ends before the first checkpoint.

use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::super::{Definition, GraphOptions, OpenOptions, PropertyGraph, Rule};
use crate::graph::definitions::build::build;

/// Two nodes, and a constraint that they have different names, stored before the check.
fn interrupted(storage: &DramStorage) -> PropertyGraph {
    let mut options = GraphOptions::default();
    options.store.log_bytes = 1 << 16;
    options.store.growth_step = 1 << 16;
    let graph = PropertyGraph::create(storage, options, [7; 16]).expect("created");
    let unique = Definition::of_nodes("name", "Person", &["name"], Rule::Unique);
    let made = graph.write(|own| {
        own.create_node(&["Person"], [("name", "Ann".into())])?;
        own.create_node(&["Person"], [("name", "Bob".into())])
    });
    made.expect("committed");
    let defined = graph.write(|own| own.add_definition(&unique));
    defined.expect("committed");
    graph.checkpoint().expect("written");
    graph
}

/// How many definitions there are after the next opening.
fn reopened(storage: &DramStorage, graph: PropertyGraph) -> usize {
    drop(graph);
    let (graph, _) = PropertyGraph::open(storage, OpenOptions::default()).expect("opened");
    assert_eq!(graph.check().problems, Vec::<String>::new());
    let listed = graph.definitions().len();
    assert_eq!(graph.core.state.schema.entries().len(), listed);
    listed
}

fn is_gone() -> bool {
    let storage = DramStorage::new();
    let graph = interrupted(&storage);
    assert_eq!(graph.definitions(), []);
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    graph.core.state.schema.entries().is_empty()
}

fn is_kept() -> bool {
    let storage = DramStorage::new();
    let graph = interrupted(&storage);
    let entry = graph.core.state.schema.named("name").expect("defined");
    build(&graph.core, std::slice::from_ref(&entry), None).expect("it holds");
    let confirmed = graph.write(|own| own.confirm(std::slice::from_ref(&entry)));
    confirmed.expect("committed");
    graph.checkpoint().expect("written");
    reopened(&storage, graph) == 1
}

fn with(mutant: &str, test: fn() -> bool) -> bool {
    let _armed = failpoint::Scope::armed(mutant).enter();
    test()
}

#[test]
fn what_was_not_held_to_is_gone() {
    assert!(is_gone());
    for mutant in [
        "definitions.stored-as-confirmed",
        "definitions.unconfirmed-kept",
    ] {
        assert!(!with(mutant, is_gone), "{mutant} survives");
    }
}

#[test]
fn what_was_held_to_stays() {
    assert!(is_kept());
    let mutant = "definitions.confirmation-not-kept";
    assert!(!with(mutant, is_kept), "{mutant} survives");
}

/// A constraint that failed, an index behind it, and no checkpoint: the log has no word
/// of the failure.
fn is_told_from_what_failed() -> bool {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, GraphOptions::default(), [7; 16]);
    let graph = graph.expect("created");
    let make = || graph.write(|own| own.create_node(&["Person"], [("name", "Ann".into())]));
    make().expect("committed");
    make().expect("committed");
    let unique = Definition::of_nodes("one", "Person", &["name"], Rule::Unique);
    graph.define(&unique).expect_err("two have the same name");
    graph
        .create_index("names", "Person", &["name"])
        .expect("made");
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    let names: Vec<String> = graph.definitions().into_iter().map(|d| d.name).collect();
    names == ["names"]
}

#[test]
fn what_failed_is_not_taken_for_what_came_after_it() {
    assert!(is_told_from_what_failed());
    let mutant = "definitions.number-given-again";
    assert!(!with(mutant, is_told_from_what_failed), "{mutant} survives");
}

/// Whether chunks have the size that was chosen, as of which the log has to be read.
fn is_as_chosen() -> bool {
    let storage = DramStorage::new();
    let options = GraphOptions {
        chunk_records: 4,
        ..GraphOptions::default()
    };
    let graph = PropertyGraph::create(&storage, options, [7; 16]).expect("created");
    let made = graph.write(|own| own.create_node(&["Person"], []));
    made.expect("committed");
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    graph.core.state.nodes().geometry().records_per_chunk == 4
}

#[test]
fn the_size_of_chunks_is_known_before_the_first_checkpoint() {
    assert!(is_as_chosen());
    let mutant = "graph.choices-not-stored";
    assert!(!with(mutant, is_as_chosen), "{mutant} survives");
}
