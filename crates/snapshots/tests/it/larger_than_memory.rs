//! A store that is larger than memory shows what any other shows, and fetches
//! what its readers are about to read.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use evergraph_graph::{Graph, NeighborReader, StoredLists};
use evergraph_snapshots::{GraphView, View};
use evergraph_storage::medium::{DramStorage, FileStorage};
use evergraph_storage::{MediumHandle, Storage};
use evergraph_topology::record::Edges;
use evergraph_topology::{Batch, Config, Layout, Store};
use proptest::prelude::*;

const VERTICES: u32 = 40;

fn config(layout: Layout, weighted: bool) -> Config {
    Config {
        direction: StoredLists::Both,
        layout,
        weighted,
        section_shift: 2,
        growth_step: 4096,
        log_bytes: 1 << 20,
        ..Config::default()
    }
}

fn large(path: &Path) -> FileStorage {
    FileStorage::create(path).unwrap().with_memory(2)
}

/// Announced bytes of the extents, which only the store's own medium knows.
fn announced(store: &Store) -> u64 {
    match store.medium() {
        MediumHandle::File(file) => file.announced_bytes(),
        _ => 0,
    }
}

type Lists = Vec<Vec<(u32, f32)>>;

fn lists(graph: &GraphView) -> Lists {
    let readers = [Some(graph.reader()), graph.reverse_reader()];
    let mut lists = Vec::new();
    for mut reader in readers.into_iter().flatten() {
        for v in 0..graph.vertex_count() as u32 {
            let (mut list, mut plain) = (Vec::new(), Vec::new());
            let _ = reader.for_each_weighted_segment(v, |words, weights| {
                let weight = |i: usize| weights.get(i).copied().unwrap_or(1.0);
                list.extend(words.iter().enumerate().map(|(i, &u)| (u, weight(i))));
                ControlFlow::Continue(())
            });
            reader.neighbors_into(v, &mut plain);
            assert_eq!(plain.len(), reader.degree(v));
            assert!(plain.iter().eq(list.iter().map(|(u, _)| u)));
            let mut half = Vec::new();
            let _ = reader.for_each_segment_in(v, plain.len() / 2..usize::MAX, |words| {
                half.extend_from_slice(words);
                ControlFlow::Continue(())
            });
            assert_eq!(half, plain[plain.len() / 2..]);
            lists.push(list);
        }
    }
    lists
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(u32, u32)>),
    Delete(Vec<usize>),
    Checkpoint,
    MergeDue,
    Compact,
    Relayout(bool),
    Pin,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let edges = prop::collection::vec((0..VERTICES, 0..VERTICES), 1..200);
    prop_oneof![
        4 => edges.prop_map(Step::Insert),
        2 => prop::collection::vec(0..10_000usize, 1..20).prop_map(Step::Delete),
        2 => Just(Step::Checkpoint),
        1 => Just(Step::MergeDue),
        1 => Just(Step::Compact),
        1 => any::<bool>().prop_map(Step::Relayout),
        2 => Just(Step::Pin),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The same work on a medium that fits and on one that does not.
    #[test]
    fn it_shows_the_same(
        steps in prop::collection::vec(step(), 1..30),
        blocks: bool,
        weighted: bool,
    ) {
        let layout = if blocks { Layout::Blocks } else { Layout::Pma };
        let dir = tempfile::tempdir().unwrap();
        let config = config(layout, weighted);
        let (one, other) = (DramStorage::new(), large(dir.path()));
        let mut model = Arc::new(Store::create(&one, config, [1; 16]).unwrap());
        let mut store = Arc::new(Store::create(&other, config, [1; 16]).unwrap());
        let mut batch = Batch::new();
        batch.add_vertices(u64::from(VERTICES));
        model.commit(batch.clone()).unwrap();
        store.commit(batch).unwrap();
        let mut inserted: Vec<(u32, u32)> = Vec::new();
        let mut pinned: Vec<(GraphView, Lists)> = Vec::new();
        for step in steps {
            let mut batch = Batch::new();
            match step {
                Step::Insert(edges) => {
                    batch.insert_columns(Edges {
                        sources: edges.iter().map(|e| e.0).collect(),
                        targets: edges.iter().map(|e| e.1).collect(),
                        weights: match weighted {
                            true => edges.iter().map(|e| e.1 as f32).collect(),
                            false => Vec::new(),
                        },
                    });
                    inserted.extend(edges);
                }
                Step::Delete(which) if !inserted.is_empty() => {
                    let edges: Vec<_> = which.iter().map(|i| inserted[i % inserted.len()]).collect();
                    batch.delete(&edges);
                }
                Step::Delete(_) => {}
                Step::Checkpoint => [&model, &store].iter().for_each(|s| s.checkpoint().unwrap()),
                Step::MergeDue => {
                    [&model, &store].iter().for_each(|s| s.merge_what_is_due().unwrap());
                }
                Step::Compact => [&model, &store].iter().for_each(|s| s.compact().unwrap()),
                Step::Relayout(blocks) => {
                    let layout = if blocks { Layout::Blocks } else { Layout::Pma };
                    [&model, &store].iter().for_each(|s| s.relayout(layout).unwrap());
                }
                Step::Pin => {
                    let graph = View::new(&store).graph().unwrap();
                    let expected = lists(&View::new(&model).graph().unwrap());
                    pinned.push((graph, expected));
                }
                Step::Reopen => {
                    pinned.clear();
                    drop((model, store));
                    model = Arc::new(Store::open(&one, false).unwrap().0);
                    store = Arc::new(Store::open(&other, false).unwrap().0);
                }
            }
            model.commit(batch.clone()).unwrap();
            store.commit(batch).unwrap();
            for (graph, expected) in &pinned {
                prop_assert_eq!(&lists(graph), expected);
            }
        }
        let shown = lists(&View::new(&store).graph().unwrap());
        prop_assert_eq!(shown, lists(&View::new(&model).graph().unwrap()));
        prop_assert_eq!(store.check().problems, Vec::<String>::new());
    }
}

/// A store of 2048 vertices with 100 neighbors each, in 128 sections, and its bytes.
fn merged(storage: &dyn Storage) -> (Arc<Store>, u64) {
    let config = Config {
        section_shift: 4,
        ..Config::default()
    };
    let store = Arc::new(Store::create(storage, config, [1; 16]).unwrap());
    let vertices = 2048;
    let mut batch = Batch::new();
    batch.add_vertices(vertices);
    let edges = (0..100u32).flat_map(|i| (0..2048).map(move |v| (v, (v + i * 7) % 2048)));
    batch.insert(&edges.collect::<Vec<_>>());
    store.commit(batch).unwrap();
    store.checkpoint().unwrap();
    (store, 4 * 100 * vertices)
}

#[test]
fn passes_are_announced_and_jumps_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let storage = large(dir.path());
    let (store, bytes) = merged(&storage);
    assert!(!store.fits_in_memory());
    let graph = View::new(&store).graph().unwrap();
    let read = |vertices: &mut dyn Iterator<Item = u32>| {
        let before = announced(&store);
        let mut reader = graph.reader();
        for v in vertices {
            let mut list = Vec::new();
            reader.neighbors_into(v, &mut list);
            assert_eq!(list.len(), 100);
        }
        announced(&store) - before
    };
    // One list in each section, and far apart.
    assert_eq!(read(&mut (0..128).map(|i| (i * 17 % 128) * 16)), 0);
    let once = read(&mut (0..2048));
    assert!(
        (bytes..bytes * 11 / 10).contains(&once),
        "{once} of {bytes}"
    );
}

#[test]
fn a_merge_announces_what_it_reads_and_reads_nothing_back() {
    let dir = tempfile::tempdir().unwrap();
    let storage = large(dir.path());
    let (store, bytes) = merged(&storage);
    // The first merge had nothing to read.
    assert_eq!(announced(&store), 0);
    let mut batch = Batch::new();
    batch.insert(&(0..2048).map(|v| (v, 0)).collect::<Vec<_>>());
    store.commit(batch).unwrap();
    store.checkpoint().unwrap();
    let announced = announced(&store);
    assert!(
        (bytes..bytes * 11 / 10).contains(&announced),
        "{announced} of {bytes}"
    );
}

#[test]
fn what_fits_is_not_announced() {
    let dir = tempfile::tempdir().unwrap();
    let storage = FileStorage::create(dir.path())
        .unwrap()
        .with_memory(1 << 40);
    let (store, _) = merged(&storage);
    let graph = View::new(&store).graph().unwrap();
    assert_eq!(lists(&graph).len(), 2048);
    assert!(store.fits_in_memory());
    assert_eq!(announced(&store), 0);
}
