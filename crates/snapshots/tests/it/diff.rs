//! The difference of two views is that of two copies of the whole graph.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_snapshots::{Diff, EdgeChange, View, diff};
use evergraph_storage::medium::DramStorage;
use evergraph_topology::record::Edges;
use evergraph_topology::{Batch, Config, Layout, Store};
use proptest::prelude::*;

/// Edges by source, target and bits of the weight, and how many there are.
type Multiset = BTreeMap<(u32, u32, u32), i64>;

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(u32, u32, u8)>),
    Delete(Vec<(u32, u32)>),
    /// Deletes edges that exist, by their number in the order of the graph.
    DeleteLive(Vec<usize>),
    Vertices(u64),
    Checkpoint,
    Compact,
    View,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Two sections, and few ends in them, so that edges meet again.
    let vertex = || prop_oneof![0..6u32, 254..260u32];
    let step = prop_oneof![
        4 => prop::collection::vec((vertex(), vertex(), 0..3u8), 1..12).prop_map(Step::Insert),
        2 => prop::collection::vec((vertex(), vertex()), 1..6).prop_map(Step::Delete),
        3 => prop::collection::vec(any::<usize>(), 1..6).prop_map(Step::DeleteLive),
        1 => (1..600u64).prop_map(Step::Vertices),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Compact),
        3 => Just(Step::View),
    ];
    prop::collection::vec(step, 1..24)
}

/// Every edge of a view once, read list by list.
fn copy_of(view: &View, direction: StoredLists) -> Multiset {
    let mut edges = Multiset::new();
    for source in 0..view.vertex_count() as u32 {
        for (target, weight) in view.weighted_neighbors(source).unwrap() {
            *edges.entry((source, target, weight.to_bits())).or_insert(0) += 1;
        }
    }
    if direction == StoredLists::Undirected {
        edges.retain(|&(source, target, _), count| {
            *count /= 1 + i64::from(source == target);
            source <= target
        });
    }
    edges
}

fn difference(before: &Multiset, after: &Multiset) -> Multiset {
    let mut net = after.clone();
    for (edge, count) in before {
        *net.entry(*edge).or_insert(0) -= count;
    }
    net.retain(|_, count| *count != 0);
    net
}

fn told(diff: &Diff<'_>) -> Multiset {
    let mut net = Multiset::new();
    let flow = diff.for_each_edge(|change: EdgeChange| {
        let edge = (change.source, change.target, change.weight.to_bits());
        let count = net.entry(edge).or_insert(0);
        let step = if change.added { 1 } else { -1 };
        // No edge is told as added and as removed.
        assert!(*count * step >= 0, "{edge:?}");
        *count += step;
        ControlFlow::Continue(())
    });
    assert!(flow.unwrap().is_continue());
    net
}

/// By list: both ends of an undirected edge.
fn told_by_list(diff: &Diff<'_>) -> Multiset {
    let mut net = Multiset::new();
    for piece in 0..diff.pieces() {
        let flow = diff.for_each_list_in(piece, |list| {
            for (side, step) in [(list.added, 1), (list.removed, -1)] {
                assert!(side.is_sorted_by_key(|edge| edge.0));
                for (target, weight) in side {
                    let edge = (list.vertex, *target, weight.to_bits());
                    *net.entry(edge).or_insert(0) += step;
                }
            }
            ControlFlow::Continue(())
        });
        assert!(flow.unwrap().is_continue());
    }
    net
}

fn lists_of(view: &View) -> Multiset {
    copy_of(view, StoredLists::Out)
}

fn check(config: Config, steps: &[Step]) {
    let storage = DramStorage::new();
    let store = Arc::new(Store::create(&storage, config, [1; 16]).unwrap());
    let mut views = vec![View::new(&store)];
    for step in steps {
        let mut batch = Batch::new();
        match step {
            Step::Insert(edges) => {
                let weights = edges.iter().map(|edge| f32::from(edge.2));
                batch.insert_columns(Edges {
                    sources: edges.iter().map(|edge| edge.0).collect(),
                    targets: edges.iter().map(|edge| edge.1).collect(),
                    weights: weights.filter(|_| config.weighted).collect(),
                });
            }
            Step::Delete(edges) => {
                batch.delete(edges);
            }
            Step::DeleteLive(numbers) => {
                let live = copy_of(&View::new(&store), config.direction);
                let edge = |n: &usize| live.keys().nth(n % live.len().max(1));
                let chosen = numbers.iter().filter_map(edge);
                batch.delete(&chosen.map(|edge| (edge.0, edge.1)).collect::<Vec<_>>());
            }
            Step::Vertices(count) => {
                batch.add_vertices(*count);
            }
            Step::Checkpoint => store.checkpoint().unwrap(),
            Step::Compact => store.compact().unwrap(),
            Step::View => views.push(View::new(&store)),
        }
        if !batch.is_empty() {
            store.commit(batch).unwrap();
        }
    }
    views.push(View::new(&store));
    let copies: Vec<Multiset> = (views.iter())
        .map(|view| copy_of(view, config.direction))
        .collect();
    for (i, before) in views.iter().enumerate() {
        for (j, after) in views.iter().enumerate() {
            let found = diff(before, after).unwrap();
            assert_eq!(told(&found), difference(&copies[i], &copies[j]), "{i} {j}");
            let (from, to) = (before.vertex_count() as u32, after.vertex_count() as u32);
            assert_eq!(found.added_vertices().len() as u32, to.saturating_sub(from));
            assert_eq!(
                found.removed_vertices().len() as u32,
                from.saturating_sub(to)
            );
            if from != to {
                let both = [found.added_vertices(), found.removed_vertices()];
                assert!(both.contains(&(from.min(to)..from.max(to))));
            }
        }
    }
    let (first, last) = (&views[0], &views[views.len() - 1]);
    let by_list = told_by_list(&diff(first, last).unwrap());
    assert_eq!(by_list, difference(&lists_of(first), &lists_of(last)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_diff_is_the_difference_of_two_copies(
        steps in steps(),
        weighted in any::<bool>(),
        blocks in any::<bool>(),
        direction in prop_oneof![
            Just(StoredLists::Out),
            Just(StoredLists::Both),
            Just(StoredLists::Undirected)
        ],
    ) {
        let layout = if blocks { Layout::Blocks } else { Layout::Pma };
        check(Config { direction, weighted, layout, ..Config::default() }, &steps);
    }
}

#[test]
fn what_came_and_went_between_is_not_told() {
    let storage = DramStorage::new();
    let config = Config {
        weighted: true,
        ..Config::default()
    };
    let store = Arc::new(Store::create(&storage, config, [1; 16]).unwrap());
    let insert = |weight: f32| {
        let mut batch = Batch::new();
        batch.insert_columns(Edges {
            sources: vec![1],
            targets: vec![2],
            weights: vec![weight],
        });
        store.commit(batch).unwrap();
        View::new(&store)
    };
    let delete = || {
        let mut batch = Batch::new();
        batch.delete(&[(1, 2)]);
        store.commit(batch).unwrap();
        View::new(&store)
    };
    let one = insert(1.0);
    insert(2.0);
    let gone = delete();
    assert!(told(&diff(&one, &gone).unwrap()).is_empty());
    delete();
    let again = insert(1.0);
    assert!(told(&diff(&one, &again).unwrap()).is_empty());
    delete();
    let heavier = insert(3.0);
    let expected = [((1, 2, 1f32.to_bits()), -1), ((1, 2, 3f32.to_bits()), 1)];
    assert_eq!(
        told(&diff(&one, &heavier).unwrap()),
        Multiset::from(expected)
    );
}

#[test]
fn a_diff_ends_when_its_reader_has_enough() {
    let storage = DramStorage::new();
    let store = Arc::new(Store::create(&storage, Config::default(), [1; 16]).unwrap());
    let before = View::new(&store);
    let mut batch = Batch::new();
    batch.insert(&[(0, 1), (0, 2), (700, 3)]);
    store.commit(batch).unwrap();
    let after = View::new(&store);
    let mut seen = 0;
    let flow = diff(&before, &after).unwrap().for_each_edge(|_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert!(flow.unwrap().is_break());
    assert_eq!(seen, 1);
    let another = Arc::new(Store::create(&DramStorage::new(), Config::default(), [2; 16]).unwrap());
    assert!(diff(&before, &View::new(&another)).is_err());
}
