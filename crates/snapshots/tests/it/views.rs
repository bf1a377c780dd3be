//! Views tell of their graph, and refuse some questions.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_graph::{Graph, NeighborReader, StoredLists};
use evergraph_snapshots::{View, ViewReader, diff};
use evergraph_storage::medium::DramStorage;
use evergraph_topology::{Batch, Config, Store, TopologyError};

fn store(config: Config) -> Arc<Store> {
    Arc::new(Store::create(&DramStorage::new(), config, [1; 16]).unwrap())
}

#[test]
fn edges_are_counted_once_and_lists_have_both_ends() {
    for (direction, into_2) in [
        (StoredLists::Out, None),
        (StoredLists::Both, Some(vec![0, 1])),
        (StoredLists::Undirected, Some(vec![0, 1, 3])),
    ] {
        let config = Config {
            direction,
            ..Config::default()
        };
        let store = store(config);
        let mut batch = Batch::new();
        batch.insert(&[(0, 2), (1, 2), (2, 3)]);
        store.commit(batch).unwrap();
        let view = View::new(&store);
        assert_eq!(view.edge_count().unwrap(), 3, "{direction:?}");
        assert_eq!(view.in_neighbors(2).ok(), into_2, "{direction:?}");
    }
}

#[test]
fn the_last_vertex_has_neighbors_and_none_behind_it() {
    let store = store(Config::default());
    let mut batch = Batch::new();
    batch.insert(&[(3, 0), (3, 1)]);
    store.commit(batch).unwrap();
    let graph = View::new(&store).graph().unwrap();
    for (v, expected) in [
        (2, vec![]),
        (3, vec![0, 1]),
        (4, vec![]),
        (u32::MAX, vec![]),
    ] {
        let mut found = Vec::new();
        graph.neighbors_into(v, &mut found);
        assert_eq!(found, expected, "{v}");
    }
}

/// Both have deletions, so that they are put together for their parts.
#[test]
fn parts_of_the_out_list_and_of_the_in_list_are_told_apart() {
    let store = store(Config {
        direction: StoredLists::Both,
        ..Config::default()
    });
    for (inserted, deleted) in [
        (
            &[(1, 2), (1, 3), (1, 4), (5, 1), (6, 1), (7, 1)][..],
            &[][..],
        ),
        (&[], &[(1, 2), (5, 1)]),
    ] {
        let mut batch = Batch::new();
        batch.insert(inserted).delete(deleted);
        store.commit(batch).unwrap();
    }
    let graph = View::new(&store).graph().unwrap();
    let first = |mut reader: ViewReader<'_>| {
        let mut found = Vec::new();
        let _ = reader.for_each_segment_in(1, 0..1, |some| {
            found.extend_from_slice(some);
            ControlFlow::Continue(())
        });
        found
    };
    assert_eq!(first(graph.reader()), [3]);
    assert_eq!(first(graph.reverse_reader().unwrap()), [6]);
    assert_eq!(first(graph.reader()), [3]);
}

#[test]
fn relationships_are_no_edges_to_compare() {
    let store = store(Config {
        direction: StoredLists::Both,
        relationships: true,
        ..Config::default()
    });
    let view = View::new(&store);
    let refused = diff(&view, &view).err();
    assert!(
        matches!(refused, Some(TopologyError::WrongGraphKind(_))),
        "{refused:?}"
    );
}
