//! Bits that flip while the graph is in use: a damaged index is built again from the
//! records, damaged records stay an error.

use evergraph_storage::Medium;
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

use super::super::{Definition, GraphError, GraphOptions, OpenOptions, PropertyGraph, Rule};
use crate::value::Value;

const NODES: i64 = 120;

fn create(storage: &DramStorage) -> PropertyGraph {
    let mut options = GraphOptions::default();
    options.store.section_shift = 2;
    options.store.log_bytes = 1 << 16;
    options.store.extent_alignment = 64;
    options.store.growth_step = 1 << 16;
    options.chunk_records = 16;
    let graph = PropertyGraph::create(storage, options, [7; 16]).expect("created");
    let unique = Definition::of_nodes("numbers", "Person", &["number"], Rule::Unique);
    graph.define(&unique).expect("it holds");
    let index = graph.create_relationship_index("weights", "KNOWS", &["weight"]);
    index.expect("made");
    let filled = graph.write(|own| {
        let mut last = None;
        for number in 0..NODES {
            let properties = [("number", number.into()), ("age", (number % 9).into())];
            let node = own.create_node(&["Person"], properties)?;
            let weight = [("weight", Value::from(number % 7))];
            own.create_relationship(last.unwrap_or(node), "KNOWS", node, weight)?;
            last = Some(node);
        }
        Ok(())
    });
    filled.expect("committed");
    graph.checkpoint().expect("written");
    graph
}

fn flip(graph: &PropertyGraph, offset: u64, bit: u8) {
    let (region, _) = graph.core.state.schema.place().expect("open");
    let mut byte = [0];
    region.medium().read(offset, &mut byte).expect("readable");
    let other = [byte[0] ^ (1 << (bit % 8))];
    region.medium().write(offset, &other).expect("writable");
}

/// Offsets and lengths of an index's leaves.
fn leaves(graph: &PropertyGraph, name: &str) -> Vec<(u64, u64)> {
    let entry = graph.core.state.schema.named(name).expect("defined");
    let mut places = entry.index.as_ref().expect("an index").stored_places();
    places.pop();
    places
}

/// All that is asked of the indexes.
fn compare(graph: &PropertyGraph, shift: i64) -> Result<(), GraphError> {
    let view = graph.view();
    for number in 0..NODES {
        let found = view.find("Person", &[("number", (number + shift).into())])?;
        assert_eq!(found.len(), 1, "number {number}");
    }
    for weight in 0..7 {
        let found = view.find_relationships("KNOWS", &[("weight", weight.into())])?;
        let expected = (0..NODES).filter(|number| number % 7 == weight).count();
        assert_eq!(found.len(), expected, "weight {weight}");
    }
    Ok(())
}

fn is_damaged(graph: &PropertyGraph, name: &str) -> bool {
    let entry = graph.core.state.schema.named(name).expect("defined");
    entry.index.as_ref().expect("an index").is_damaged()
}

/// Gives each node another number, or each relationship its weight again.
fn change(graph: &PropertyGraph, shift: i64) {
    let changed = graph.write(|own| {
        let nodes: Vec<_> = own.snapshot().nodes().collect::<Result<_, _>>()?;
        // From the top: no value is taken.
        for node in nodes.iter().rev() {
            let number: Option<i64> = node.get_as("number")?;
            own.set(node.id(), "number", number.unwrap_or(0) + shift)?;
        }
        let relationships: Vec<_> = own.snapshot().relationships().collect::<Result<_, _>>()?;
        for relationship in &relationships {
            let weight: Option<i64> = relationship.get_as("weight")?;
            own.set(relationship.id(), "weight", Value::Null)?;
            own.set(relationship.id(), "weight", weight.unwrap_or(0))?;
        }
        Ok(())
    });
    changed.expect("committed");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_damaged_index_is_built_again(
        of_nodes in any::<bool>(),
        by_checkpoint in any::<bool>(),
        place in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let storage = DramStorage::new();
        let graph = create(&storage);
        let name = if of_nodes { "numbers" } else { "weights" };
        let places = leaves(&graph, name);
        let (offset, len) = places[place.index(places.len())];
        flip(&graph, offset + place.index(len as usize) as u64, bit);
        let mut shift = 0;
        if by_checkpoint {
            // No reader is first: the merge meets it.
            shift = 1000;
            change(&graph, shift);
            graph.checkpoint().expect("it goes on without the index");
        }
        compare(&graph, shift).expect("found by scans or by the index");
        // The next commit builds it again, if no checkpoint has.
        let lonely = graph.write(|own| own.create_node(&["Lonely"], []));
        lonely.expect("committed");
        prop_assert!(!is_damaged(&graph, name));
        compare(&graph, shift).expect("found");
        // The flipped bit may be one that was not read yet.
        change(&graph, shift + 1000);
        graph.checkpoint().expect("written");
        graph.checkpoint().expect("written");
        let shift = 2 * shift + 1000;
        compare(&graph, shift).expect("found");
        prop_assert_eq!(graph.check().problems, Vec::<String>::new());
        let taken = graph.write(|own| {
            own.create_node(&["Person"], [("number", shift.into())])
        });
        prop_assert!(matches!(taken, Err(GraphError::Constraint(_))), "still unique");
        drop(graph);
        let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
        compare(&graph, shift).expect("found");
        prop_assert_eq!(graph.check().problems, Vec::<String>::new());
    }
}

#[test]
fn an_index_is_built_again_while_others_write() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let storage = DramStorage::new();
    let graph = create(&storage);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (graph, is_over) = (&graph, &is_over);
        for writer in 0..3i64 {
            scope.spawn(move || {
                let mut number = 0;
                while !is_over.load(Ordering::Acquire) {
                    let value = Value::from(10_000 * (writer + 1) + number);
                    let made = graph
                        .write(|own| own.create_node(&["Person"], [("number", value.clone())]));
                    made.expect("committed");
                    let found = graph.view().find("Person", &[("number", value)]);
                    assert_eq!(
                        found.expect("readable").len(),
                        1,
                        "what was committed is found"
                    );
                    number += 1;
                }
            });
        }
        scope.spawn(move || {
            for _ in 0..30 {
                let entry = graph.core.state.schema.named("numbers").expect("defined");
                graph
                    .core
                    .state
                    .schema
                    .give_up(entry.index.as_ref().expect("an index"));
                graph.checkpoint().expect("written");
            }
            is_over.store(true, Ordering::Release);
        });
    });
    let made = graph.write(|own| own.create_node(&["Lonely"], []));
    made.expect("committed");
    assert!(!is_damaged(&graph, "numbers"));
    assert_eq!(graph.check().problems, Vec::<String>::new());
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

/// Records have no second copy: damage of them is told, never skipped.
#[test]
fn damaged_records_stay_an_error() {
    let storage = DramStorage::new();
    drop(create(&storage));
    let open = || PropertyGraph::open(&storage, OpenOptions::default());
    let (graph, _) = open().expect("opened");
    // Chunks begin with this.
    let (region, _) = graph.core.state.schema.place().expect("open");
    let mut bytes = vec![0; region.file_bytes() as usize];
    region.medium().read(0, &mut bytes).expect("readable");
    let chunks = (0..bytes.len() - 4)
        .step_by(64)
        .filter(|&at| bytes[at..at + 4] == *b"CNOD");
    for chunk in chunks {
        flip(&graph, chunk as u64 + 300, 3);
    }
    assert!(graph.view().nodes().any(|node| node.is_err()));
    let by_age = graph.view().find("Person", &[("age", 3.into())]);
    assert!(by_age.is_err(), "a scan does not skip what it cannot read");
    let mut own = graph.begin();
    let id = super::super::NodeId(3);
    assert!(own.set(id, "age", 1).is_err());
    drop(own);
    // An index that cannot be built again is not taken for an empty one.
    let entry = graph.core.state.schema.named("numbers").expect("defined");
    graph
        .core
        .state
        .schema
        .give_up(entry.index.as_ref().expect("an index"));
    graph.checkpoint().expect("nothing of it has changed");
    assert!(is_damaged(&graph, "numbers"));
    let found = graph.view().find("Person", &[("number", 5.into())]);
    assert!(found.is_err());
    assert!(!graph.check().problems.is_empty());
    drop(graph);
    let (graph, _) = open().expect("opened: records are read when they are asked for");
    let found = graph.view().find("Person", &[("number", 5.into())]);
    assert!(found.is_err());
}
