//! Parts of a list, as the tasks that share a hub read them.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use evergraph_graph::{Graph, NeighborReader, StoredLists};
use evergraph_snapshots::{GraphView, View};
use evergraph_storage::medium::DramStorage;
use evergraph_topology::record::Edges;
use evergraph_topology::{Batch, Config, Store};

const HUB: u32 = 3;
const VERTICES: u32 = 5000;

fn part(mut reader: impl NeighborReader, v: u32, range: Range<usize>) -> Vec<u32> {
    let mut found = Vec::new();
    let _ = reader.for_each_segment_in(v, range, |segment| {
        found.extend_from_slice(segment);
        ControlFlow::Continue(())
    });
    found
}

fn weighted_part(
    mut reader: impl NeighborReader,
    v: u32,
    range: Range<usize>,
) -> (Vec<u32>, Vec<f32>) {
    let (mut found, mut found_weights) = (Vec::new(), Vec::new());
    let _ = reader.visit_list::<true>(v, range, |segment, weights| {
        found.extend_from_slice(segment);
        found_weights.extend_from_slice(weights);
        ControlFlow::Continue(())
    });
    (found, found_weights)
}

/// Every part of every kind of list is the slice of the whole, with its weights.
fn parts_are_slices(graph: &GraphView) {
    for v in [HUB, 10, 11, 12, VERTICES - 1] {
        for incoming in [false, true] {
            let reader = || match incoming {
                false => graph.reader(),
                true => graph.reverse_reader().expect("both directions"),
            };
            let mut whole = Vec::new();
            reader().neighbors_into(v, &mut whole);
            let len = whole.len();
            let mut weights = Vec::new();
            let _ = reader().for_each_weighted_segment(v, |_, segment| {
                weights.extend_from_slice(segment);
                ControlFlow::Continue(())
            });
            assert_eq!(weights.len(), if graph.is_weighted() { len } else { 0 });
            for start in [0, 1, len / 2, len, len + 7] {
                for end in [start, start + 1, start + 1000, len, usize::MAX] {
                    let expected = whole.get(start..end.min(len)).unwrap_or_default();
                    let found = part(reader(), v, start..end);
                    assert_eq!(found, expected, "{v} {incoming} {start}..{end}");
                    let (found, found_weights) = weighted_part(reader(), v, start..end);
                    let weights = weights.get(start..end.min(len)).unwrap_or_default();
                    assert_eq!((&*found, &*found_weights), (expected, weights));
                }
            }
        }
    }
}

#[test]
fn a_part_of_a_list_is_a_slice_of_it() {
    parts_through_the_life_of_a_list(false);
    parts_through_the_life_of_a_list(true);
}

fn parts_through_the_life_of_a_list(weighted: bool) {
    let config = Config {
        direction: StoredLists::Both,
        weighted,
        ..Config::default()
    };
    let storage = DramStorage::new();
    let store = Arc::new(Store::create(&storage, config, [1; 16]).unwrap());
    let commit = |insert: &[(u32, u32)], delete: &[(u32, u32)]| {
        let mut batch = Batch::new();
        batch.add_vertices(u64::from(VERTICES));
        let targets = insert.iter().map(|&(_, target)| target);
        batch.insert_columns(Edges {
            sources: insert.iter().map(|&(source, _)| source).collect(),
            weights: (targets.clone().filter(|_| weighted))
                .map(|target| target as f32)
                .collect(),
            targets: targets.collect(),
        });
        batch.delete(delete);
        store.commit(batch).unwrap();
        View::new(&store).graph().unwrap()
    };
    let to = |range: Range<u32>, step| range.step_by(step).map(|v| (HUB, v)).collect::<Vec<_>>();
    let from = [(10, HUB), (11, HUB), (10, 11), (10, 12)];
    let inserted = commit(&[to(0..VERTICES, 1), from.to_vec()].concat(), &[]);
    parts_are_slices(&inserted);
    store.checkpoint().unwrap();
    let merged = View::new(&store).graph().unwrap();
    parts_are_slices(&merged);
    // Unmerged data behind it, then deletions in both, then all of it merged.
    parts_are_slices(&commit(&to(0..VERTICES, 3), &[]));
    let deleted = commit(&[], &[to(0..VERTICES, 2), vec![(10, HUB)]].concat());
    parts_are_slices(&deleted);
    store.checkpoint().unwrap();
    parts_are_slices(&View::new(&store).graph().unwrap());
    if weighted {
        return;
    }
    // Tasks of several threads want parts of two lists at once.
    let hub = |graph: &GraphView| part(graph.reader(), HUB, 0..usize::MAX);
    let (expected, of_10) = (hub(&deleted), part(deleted.reader(), 10, 0..1));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for at in 0..expected.len() {
                    assert_eq!(part(deleted.reader(), HUB, at..at + 1), expected[at..=at]);
                    assert_eq!(part(deleted.reader(), 10, 0..1), of_10);
                }
            });
        }
    });
    assert_ne!(hub(&merged), expected);
}
