//! Lists that are queried become one block, if few queries run at once.

use std::ops::ControlFlow;
use std::path::Path;

use evergraph_storage::ViewToken;
use evergraph_storage::medium::{DramStorage, FileStorage};
use evergraph_topology::{Batch, Config, Layout, Published, Store, Tuning};

const LISTS: u32 = 600;
const ROUNDS: u32 = 40;

fn config() -> Config {
    Config {
        layout: Layout::Blocks,
        log_bytes: 1 << 20,
        ..Config::default()
    }
}

fn tuning(below: Option<usize>) -> Tuning {
    Tuning {
        merge_queried_below: below,
        rewrite_growth: None,
        ..Tuning::default()
    }
}

fn model(v: u32) -> Vec<u32> {
    (0..ROUNDS).map(|round| (v * 7 + round) % LISTS).collect()
}

/// Lists of several blocks each, in three sections.
fn chained(directory: &Path, below: usize) -> Store {
    let storage = FileStorage::open(directory).unwrap();
    let store = Store::create_with(&storage, config(), [6; 16], tuning(Some(below))).unwrap();
    grow(&store);
    store
}

fn grow(store: &Store) {
    for round in 0..ROUNDS {
        let edges: Vec<_> = (0..LISTS).map(|v| (v, (v * 7 + round) % LISTS)).collect();
        let mut batch = Batch::new();
        batch.insert(&edges);
        store.commit(batch).unwrap();
        store.checkpoint().unwrap();
    }
}

fn segments(store: &Store, token: &ViewToken<Published>, v: u32) -> usize {
    let section = store.pin_section(token, 0, v).unwrap().unwrap();
    let list = v as usize & ((1 << store.config().section_shift) - 1);
    let (mut words, mut segments) = (Vec::new(), 0);
    let _ = section.for_each_raw_segment::<()>(list, |segment, _| {
        words.extend_from_slice(segment);
        segments += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(words, model(v));
    segments
}

fn read(store: &Store, token: &ViewToken<Published>, v: u32) {
    assert_eq!(store.reader(token, 0).neighbors(v).unwrap(), model(v));
}

#[test]
fn a_queried_list_becomes_one_block_and_no_view_sees_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = chained(directory.path(), 4);
    let token = store.register();
    let blocks = segments(&store, &token, 5);
    assert!(blocks >= 4, "{blocks} blocks");
    assert!(!store.has_queried(), "what is not a query leaves no hint");
    let pinned = store.pin(&token, 0).unwrap();
    [5, 5, 300, 7].iter().for_each(|&v| read(&store, &token, v));
    assert!(store.has_queried());
    // One of each section at a time.
    assert_eq!(store.merge_queried().unwrap(), 2);
    assert_eq!(store.merge_queried().unwrap(), 1);
    assert_eq!(store.merge_queried().unwrap(), 0);
    assert!(!store.has_queried());
    assert_eq!(store.stats().query_merging.merged_lists, 3);
    for v in 0..LISTS {
        let expected = if [5, 7, 300].contains(&v) { 1 } else { blocks };
        assert_eq!(segments(&store, &token, v), expected, "list of {v}");
    }
    // A graph that was pinned before still reads its own blocks.
    for v in 0..LISTS {
        let (section, list) = (&pinned[v as usize >> 8], v as usize & 255);
        let mut words = Vec::new();
        let _ = section.for_each_raw_segment::<()>(list, |segment, _| {
            words.extend_from_slice(segment);
            ControlFlow::Continue(())
        });
        assert_eq!(words, model(v));
    }
    // What is one block leaves no hint any more.
    read(&store, &token, 5);
    assert!(!store.has_queried());
    assert!(store.check().problems.is_empty());
    drop((pinned, token));
    drop(store);
    let storage = FileStorage::open(directory.path()).unwrap();
    let (store, _) = Store::open(&storage, false).unwrap();
    assert_eq!(segments(&store, &store.register(), 5), 1, "it is durable");
}

#[test]
fn many_queries_at_once_merge_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = chained(directory.path(), 3);
    let token = store.register();
    let section = store.pin_section(&token, 0, 500).unwrap().unwrap();
    // Two others run: the third is not below three. Nor are those that came
    // after it.
    let running = [500, 501, 502].map(|v| store.query(0, v, &section));
    while store.has_queried() {
        store.merge_queried().unwrap();
    }
    let before = store.stats().query_merging.merged_lists;
    for v in 0..LISTS {
        read(&store, &token, v);
    }
    assert!(!store.has_queried());
    assert_eq!(store.merge_queried().unwrap(), 0);
    assert_eq!(store.stats().query_merging.merged_lists, before);
    // When they are gone, it does.
    drop(running);
    read(&store, &token, 9);
    assert_eq!(store.merge_queried().unwrap(), 1);
}

#[test]
fn zero_is_never_and_so_is_a_medium_without_a_device() {
    let directory = tempfile::tempdir().unwrap();
    let store = chained(directory.path(), 0);
    let token = store.register();
    (0..LISTS).for_each(|v| read(&store, &token, v));
    assert!(!store.has_queried());

    let storage = DramStorage::new();
    let store = Store::create_with(&storage, config(), [6; 16], tuning(None)).unwrap();
    grow(&store);
    assert_eq!(store.stats().query_merging.below, 0);
    let token = store.register();
    (0..LISTS).for_each(|v| read(&store, &token, v));
    assert!(!store.has_queried());
}

/// Without a number there is one all the same: measured, or the usual one.
#[test]
fn the_threshold_is_found_at_the_opening() {
    let directory = tempfile::tempdir().unwrap();
    drop(chained(directory.path(), 0));
    let storage = FileStorage::open(directory.path()).unwrap();
    for read_only in [false, true] {
        let (store, _) = Store::open(&storage, read_only).unwrap();
        let below = store.stats().query_merging.below;
        assert!((1..=16).contains(&below), "{below}");
        let token = store.register();
        read(&store, &token, 1);
        assert_eq!(store.has_queried(), !read_only && below > 1);
    }
}

/// A list that changes between the query and the merge, or goes.
#[test]
fn hints_may_be_out_of_date() {
    let directory = tempfile::tempdir().unwrap();
    let store = chained(directory.path(), 4);
    let token = store.register();
    [3, 300, 550].iter().for_each(|&v| read(&store, &token, v));
    drop(token);
    store.delete_vertices(&[3]).unwrap();
    store.compact_vertex(300).unwrap();
    assert_eq!(
        store.merge_queried().unwrap(),
        2,
        "300 is one block already"
    );
    let token = store.register();
    assert_eq!(store.reader(&token, 0).neighbors(3).unwrap(), [0u32; 0]);
    read(&store, &token, 550);
    assert!(store.has_queried() == (segments_of(&store, &token, 550) > 1));
    store.relayout(Layout::Pma).unwrap();
    assert_eq!(store.merge_queried().unwrap(), 0);
    assert!(store.check().problems.is_empty());
}

/// As [`segments`], of a list that others changed.
fn segments_of(store: &Store, token: &ViewToken<Published>, v: u32) -> usize {
    let section = store.pin_section(token, 0, v).unwrap().unwrap();
    let list = v as usize & ((1 << store.config().section_shift) - 1);
    let mut segments = 0;
    let _ = section.for_each_raw_segment::<()>(list, |_, _| {
        segments += 1;
        ControlFlow::Continue(())
    });
    segments
}
