//! The last ids that there are.

use evergraph_storage::medium::DramStorage;
use evergraph_topology::MAX_VERTICES;

use super::super::state::most_relationships;
use super::super::{
    Account, Direction, Filter, GraphError, GraphOptions, GraphRead, NodeId, OpenOptions,
    ProjectionOptions, PropertyGraph, RelationshipId,
};
use crate::record::EntityKind;

/// One more than the last id of a relationship.
const MOST: u32 = u32::MAX - 2047;

fn create(storage: &DramStorage) -> PropertyGraph {
    let mut options = GraphOptions::default();
    options.store.log_bytes = 4 << 20;
    options.store.growth_step = 1 << 20;
    PropertyGraph::create(storage, options, [7; 16]).expect("created")
}

fn relate(graph: &PropertyGraph, number: i64) -> Result<RelationshipId, GraphError> {
    graph.write(|own| {
        let ends = [NodeId(0), NodeId(1)];
        own.create_relationship(ends[0], "R", ends[1], [("number", number.into())])
    })
}

/// By id, by table, in batches and from a node.
fn numbers(graph: &PropertyGraph) -> Vec<(u32, i64)> {
    let view = graph.view();
    let all = view.relationships().map(|found| {
        let found = found.expect("readable");
        let number = found.get("number").and_then(|number| number.as_integer());
        (found.id().0, number.expect("it has one"))
    });
    let all: Vec<(u32, i64)> = all.collect();
    for (id, number) in &all {
        let one = view.relationship(RelationshipId(*id)).expect("readable");
        let one = one.expect("it is there");
        assert_eq!(one.get("number"), Some(&(*number).into()));
    }
    let mut ids = Vec::new();
    for morsel in view.morsels(EntityKind::Relationship).iter() {
        view.scan(&morsel, &Filter::default(), &mut ids, &Account::default())
            .expect("readable");
    }
    assert_eq!(ids, all.iter().map(|one| one.0).collect::<Vec<_>>());
    // What is kept by id has no place for those that no chunk has.
    let options = ProjectionOptions::new().weight("number", 1.0);
    let projection = view.project(&options).expect("readable");
    assert_eq!(projection.relationship_count(), all.len() as u64);
    assert!(projection.size_bytes() < 64 << 20);
    let near = view.neighbors(NodeId(0), Direction::Outgoing, &["R"]);
    let near = near.expect("readable").into_iter();
    let mut near: Vec<u32> = near.map(|one| one.relationship.0).collect();
    near.sort_unstable();
    assert_eq!(near, ids);
    all
}

#[test]
fn relationships_have_ids_up_to_the_last_whole_chunk_of_32_bits() {
    let storage = DramStorage::new();
    let graph = create(&storage);
    graph
        .write(|own| {
            own.create_node(&[], [])?;
            own.create_node(&[], [])
        })
        .expect("made");
    assert_eq!(relate(&graph, 9).expect("the first").0, 0);
    graph.core.state.relationships().skip_until(MOST - 3);
    for number in 0..3 {
        let made = relate(&graph, number).expect("an id is left");
        assert_eq!(made.0, MOST - 3 + number as u32);
    }
    let expected = [(0, 9), (MOST - 3, 0), (MOST - 2, 1), (MOST - 1, 2)];
    assert_eq!(numbers(&graph), expected);
    let refused = relate(&graph, 3).expect_err("none is left");
    assert!(matches!(refused, GraphError::Ids(_)), "{refused}");
    let mut load = graph.load();
    let loaded = load.create_relationship(NodeId(0), "R", NodeId(1), [("number", 3.into())]);
    assert!(matches!(loaded, Err(GraphError::Ids(_))), "{loaded:?}");
    drop(load);
    graph
        .write(|own| own.set(RelationshipId(MOST - 1), "number", 7))
        .expect("set");
    graph
        .write(|own| own.delete_relationship(RelationshipId(MOST - 2)))
        .expect("deleted");
    let expected = [(0, 9), (MOST - 3, 0), (MOST - 1, 7)];
    assert_eq!(numbers(&graph), expected);
    graph.checkpoint().expect("written");
    assert_eq!(numbers(&graph), expected);
    assert_eq!(graph.check().problems, Vec::<String>::new());
    drop(graph);
    let open = || PropertyGraph::open(&storage, OpenOptions::default());
    let graph = open().expect("it opens").0;
    assert_eq!(numbers(&graph), expected);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

/// A load of the last chunk, which is whole.
#[test]
fn the_last_chunk_of_relationships_is_loaded() {
    let storage = DramStorage::new();
    let graph = create(&storage);
    graph.core.state.relationships().skip_until(MOST - 2048);
    let mut load = graph.load();
    let node = load.create_node(&[], []).expect("gathered");
    for number in 0..2048_i64 {
        let made = load.create_relationship(node, "R", node, [("number", number.into())]);
        let made = made.expect("an id is left");
        assert_eq!(i64::from(made.0), i64::from(MOST) - 2048 + number);
    }
    assert!(load.create_relationship(node, "R", node, []).is_err());
    load.commit().expect("committed");
    let last = |graph: &PropertyGraph| {
        let found = graph.view().relationship(RelationshipId(MOST - 1));
        let found = found.expect("readable").expect("it is there");
        assert_eq!(found.get("number"), Some(&2047.into()));
    };
    last(&graph);
    drop(graph);
    let graph = PropertyGraph::open(&storage, OpenOptions::default())
        .expect("from the log")
        .0;
    last(&graph);
    graph.checkpoint().expect("written");
    last(&graph);
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

#[test]
fn nodes_have_as_many_ids_as_neighbor_lists_can_name() {
    let storage = DramStorage::new();
    let graph = create(&storage);
    let create_node = || graph.write(|own| own.create_node(&[], []));
    create_node().expect("the first");
    graph.core.state.nodes().skip_until(MAX_VERTICES as u32);
    let refused = create_node();
    assert!(matches!(refused, Err(GraphError::Ids(_))), "{refused:?}");
}

/// A high id in a damaged log makes tables of that many chunks.
#[test]
fn chunks_of_relationships_are_bounded() {
    for records in (1..5000).chain([1 << 16, 1 << 20]) {
        let most = most_relationships(records);
        assert!(most.is_multiple_of(records) && most > (1 << 30) - records);
        assert!(most / records <= (1_u32 << 30).div_ceil(records).max(1 << 21));
    }
    assert_eq!(most_relationships(2048), MOST);
    assert_eq!(most_relationships(4), 1 << 30);
}
