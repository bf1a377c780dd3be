//! Vertices as units, many deletions at once, and commits that are withdrawn,
//! against a plain list of live edges.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use evergraph_graph::StoredLists;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::ids::IdKind;
use evergraph_topology::{Batch, Config, Store, TopologyError, Tuning};
use proptest::prelude::*;

/// Live edges in insertion order.
#[derive(Clone, Debug, Default)]
struct Model {
    undirected: bool,
    edges: Vec<(u32, u32)>,
}

impl Model {
    fn same(&self, edge: (u32, u32), other: (u32, u32)) -> bool {
        edge == other || self.undirected && edge == (other.1, other.0)
    }

    /// Whether there was one to delete.
    fn delete(&mut self, edge: (u32, u32)) -> bool {
        let latest = self.edges.iter().rposition(|&e| self.same(e, edge));
        latest.map(|at| self.edges.remove(at)).is_some()
    }

    fn delete_vertices(&mut self, vertices: &[u32]) {
        let doomed = |v| vertices.contains(&v);
        self.edges.retain(|&(u, v)| !doomed(u) && !doomed(v));
    }

    fn neighbors(&self, vertex: u32, incoming: bool) -> Vec<u32> {
        let mut neighbors = Vec::new();
        for &(u, v) in &self.edges {
            let (from, to) = if incoming { (v, u) } else { (u, v) };
            if from == vertex {
                neighbors.push(to);
            }
            if self.undirected && to == vertex {
                neighbors.push(from);
            }
        }
        neighbors
    }
}

fn store(direction: StoredLists, log_bytes: u64, tuning: Tuning) -> Store {
    let config = Config {
        direction,
        section_shift: 2,
        log_bytes,
        growth_step: 1 << 16,
        ..Config::default()
    };
    Store::create_with(&DramStorage::new(), config, [5; 16], tuning).unwrap()
}

fn compare(store: &Store, model: &Model, vertices: u32) {
    let token = store.register();
    let adjacencies = store.adjacencies().len();
    for adjacency in 0..adjacencies {
        let mut reader = store.reader(&token, adjacency);
        for v in 0..vertices {
            let expected = model.neighbors(v, adjacency == 1);
            assert_eq!(
                reader.neighbors(v).unwrap(),
                expected,
                "adjacency {adjacency}, {v}"
            );
        }
    }
    let entries = model.edges.len() * (1 + usize::from(model.undirected));
    assert_eq!(store.arc_count(&token).unwrap(), entries as u64);
    let report = store.check();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

fn direction() -> impl Strategy<Value = StoredLists> {
    prop_oneof![
        Just(StoredLists::Out),
        Just(StoredLists::Undirected),
        Just(StoredLists::Both)
    ]
}

fn insert(edges: &[(u32, u32)]) -> Batch {
    let mut batch = Batch::new();
    batch.insert(edges);
    batch
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Few vertices, so that there are loops and parallel edges in numbers, and
    /// lists with more deletions than are counted one by one.
    #[test]
    fn deleting_vertices_deletes_exactly_their_edges(
        direction in direction(),
        rounds in proptest::collection::vec((
            proptest::collection::vec((0u32..9, 0u32..9), 0..150),
            proptest::collection::vec((0u32..9, 0u32..9), 0..150),
            proptest::collection::vec(0u32..14, 0..4),
            0u8..4,
        ), 1..8),
    ) {
        let store = store(direction, 1 << 16, Tuning::default());
        let mut model = Model { undirected: direction == StoredLists::Undirected, ..Model::default() };
        for (inserted, deleted, vertices, merge) in rounds {
            let mut batch = insert(&inserted);
            batch.delete(&deleted).insert(&deleted);
            model.edges.extend(&inserted);
            let missed = deleted.iter().filter(|&&edge| !model.delete(edge)).count();
            model.edges.extend(&deleted);
            prop_assert_eq!(store.commit(batch).unwrap().missed_deletes, missed as u64);
            compare(&store, &model, 14);
            let before = (store.register(), model.clone());
            model.delete_vertices(&vertices);
            let csn = store.published().0;
            let commit = store.delete_vertices(&vertices).unwrap();
            prop_assert_eq!((commit.csn, commit.missed_deletes), (csn + 1, 0));
            compare(&store, &model, 14);
            match merge {
                0 => store.checkpoint().unwrap(),
                1 => store.compact().unwrap(),
                2 => prop_assert!(store.compact_while(&mut |_, _| true).unwrap()),
                _ => {}
            }
            compare(&store, &model, 14);
            let mut reader = store.reader(&before.0, 0);
            for v in 0..9 {
                prop_assert_eq!(reader.neighbors(v).unwrap(), before.1.neighbors(v, false));
            }
        }
    }
}

/// Writers go on while vertices are deleted: in the order of the commits, each
/// deletion finds exactly the edges that were there.
#[test]
fn no_commit_comes_between_reading_and_deleting() {
    enum Done {
        Inserted(Vec<(u32, u32)>),
        Deleted(u32),
    }
    for direction in [StoredLists::Out, StoredLists::Undirected, StoredLists::Both] {
        let store = store(direction, 1 << 16, Tuning::default());
        let history = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            let (store, history) = (&store, &history);
            for writer in 0..3u32 {
                scope.spawn(move || {
                    for i in 0..300u32 {
                        let edges = vec![(i % 7, (i * 5 + writer) % 7), (writer, i % 7)];
                        let csn = store.commit(insert(&edges)).unwrap().csn;
                        let mut history = history.lock().unwrap();
                        history.insert(csn, Done::Inserted(edges));
                    }
                });
            }
            scope.spawn(move || {
                for i in 0..150u32 {
                    let commit = store.delete_vertices(&[i % 7]).unwrap();
                    assert_eq!(commit.missed_deletes, 0);
                    let mut history = history.lock().unwrap();
                    history.insert(commit.csn, Done::Deleted(i % 7));
                }
            });
        });
        let mut model = Model {
            undirected: direction == StoredLists::Undirected,
            ..Model::default()
        };
        for done in history.into_inner().unwrap().into_values() {
            match done {
                Done::Inserted(edges) => model.edges.extend(edges),
                Done::Deleted(vertex) => model.delete_vertices(&[vertex]),
            }
        }
        compare(&store, &model, 7);
    }
}

#[test]
fn more_edges_than_the_log_holds_go_at_once() {
    let store = store(StoredLists::Out, 8 << 10, Tuning::default());
    let mut model = Model::default();
    for i in 0..20 {
        let edges: Vec<_> = (0..100).map(|j| (0, i * 100 + j)).collect();
        store.commit(insert(&edges)).unwrap();
        model.edges.extend(edges);
    }
    store.delete_vertices(&[0]).unwrap();
    model.delete_vertices(&[0]);
    compare(&store, &model, 2000);
    store.delete_vertices(&[7, 9]).unwrap();
    model.delete_vertices(&[7, 9]);
    compare(&store, &model, 2000);
    let refused = store.delete_vertices(&[u32::MAX]);
    assert!(matches!(
        refused,
        Err(TopologyError::VertexOutOfRange { .. })
    ));
    assert_eq!(store.delete_vertices(&[]).unwrap().missed_deletes, 0);
}

#[test]
fn new_vertices_get_ids_of_their_own() {
    let store = store(StoredLists::Out, 1 << 16, Tuning::default());
    let firsts = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let first = store.add_vertices(2).unwrap().0;
                    firsts.lock().unwrap().push(first);
                }
            });
        }
    });
    let mut firsts = firsts.into_inner().unwrap();
    firsts.sort_unstable();
    assert_eq!(firsts, (0..150).map(|i| 2 * i).collect::<Vec<u32>>());
    assert_eq!(store.published().1.vertex_count, 300);
    let named = Config {
        ids: IdKind::Numbers,
        ..store.config()
    };
    let named = Store::create(&DramStorage::new(), named, [5; 16]).unwrap();
    assert!(named.add_vertices(1).is_err());
}

/// A tiny log, a tiny budget, and no thread that merges in the background: commits wait,
/// and those that are stopped meanwhile leave nothing.
#[test]
fn a_commit_that_waits_for_room_can_be_withdrawn() {
    let budgets = [Tuning::default().buffer_bytes, 1 << 12];
    for buffer_bytes in budgets {
        let tuning = Tuning {
            buffer_bytes,
            ..Tuning::default()
        };
        let store = store(StoredLists::Out, 8 << 10, tuning);
        let mut model = Model::default();
        let mut withdrawn = 0;
        for i in 0..600u32 {
            let edges: Vec<_> = (0..20).map(|j| (i % 50 + 7 * j, j)).collect();
            // Yes at the n-th question: n = 1 is before anything, 2 in the
            // queue, 3 while room is made.
            let (asked, patience) = (AtomicU32::new(0), 1 + i % 5);
            let stop = || asked.fetch_add(1, Ordering::Relaxed) + 1 >= patience;
            match store.commit_cancellable(insert(&edges), &stop) {
                Ok(commit) => {
                    assert!(commit.csn > 0);
                    model.edges.extend(edges);
                }
                Err(TopologyError::Cancelled) => withdrawn += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(withdrawn > 240, "{withdrawn}");
        assert!(model.edges.len() > 600, "{}", model.edges.len());
        let waits = store.back_pressure().waits;
        assert!(waits > 0 && store.stats().back_pressure.waits == waits);
        compare(&store, &model, 200);
    }
}

/// Many sections are not merged: between some of them the commit can still be
/// withdrawn, and what was merged by then is not merged again.
#[test]
fn room_is_made_some_sections_at_a_time() {
    let store = store(StoredLists::Out, 64 << 10, Tuning::default());
    let (mut edges, mut asked_most, mut withdrawn) = (0, 0, 0);
    for i in 0..60u32 {
        // Each edge in a section of its own.
        let batch: Vec<_> = (0..3000).map(|j| (4 * j, i)).collect();
        let (asked, patience) = (AtomicU32::new(0), 3 + i % 8);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) + 1 >= patience;
        match store.commit_cancellable(insert(&batch), &stop) {
            Ok(_) => edges += 3000,
            Err(TopologyError::Cancelled) => withdrawn += 1,
            Err(error) => panic!("{error}"),
        }
        asked_most = asked_most.max(asked.into_inner());
        assert_eq!(store.published().1.arc_count, edges);
    }
    assert!(asked_most > 5 && withdrawn > 0 && edges > 60_000);
    assert!(store.check().problems.is_empty());
}

/// Another commit is under way, or has the gate: a committer that waits for it can leave.
#[test]
fn withdrawing_disturbs_no_other_commit() {
    let store = store(StoredLists::Out, 8 << 10, Tuning::default());
    let (stopped, committed) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for writer in 0..2u32 {
            let (store, stopped, committed) = (&store, &stopped, &committed);
            scope.spawn(move || {
                for i in 0..2000 {
                    let batch = insert(&[(writer, i), (i, writer)]);
                    let stop = || stopped.load(Ordering::Relaxed);
                    match store.commit_cancellable(batch, &stop) {
                        Ok(_) => committed.fetch_add(1, Ordering::Relaxed),
                        Err(TopologyError::Cancelled) => return,
                        Err(error) => panic!("{error}"),
                    };
                }
            });
        }
        for i in 0..500 {
            store.commit(insert(&[(9, i)])).unwrap();
        }
        stopped.store(true, Ordering::Relaxed);
    });
    let expected = 500 + 2 * u64::from(committed.into_inner());
    assert_eq!(store.published().1.arc_count, expected);
    assert!(store.check().problems.is_empty());
}

/// Deleting a hub reads its list once, not once for each of its edges, which would take
/// minutes.
#[test]
fn deleting_a_hub_is_linear() {
    const LEAVES: u32 = 200_000;
    let store = store(StoredLists::Both, 16 << 20, Tuning::default());
    let edges: Vec<_> = (1..=LEAVES).map(|leaf| (0, leaf)).collect();
    store.commit(insert(&edges)).unwrap();
    let commit = store.delete_vertices(&[0]).unwrap();
    assert_eq!(commit.missed_deletes, 0);
    assert_eq!(store.published().1.arc_count, 0);
}
