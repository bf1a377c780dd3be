//! The log's ring grows, and large commits lie in extents: against a plain list of edges.

use std::os::unix::fs::MetadataExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_graph::StoredLists;
use evergraph_simulated::{Image, SimulatedStorage};
use evergraph_storage::medium::{DramStorage, FileStorage, MappedKind, MappedStorage};
use evergraph_storage::{CommitLog, Storage};
use evergraph_topology::{Batch, Config, Mode, Store};

use crate::common::small_pages;

fn config(first_ring_bytes: u64, log_bytes: u64) -> Config {
    Config {
        direction: StoredLists::Out,
        section_shift: 2,
        first_ring_bytes,
        log_bytes,
        extent_alignment: 64,
        growth_step: 4096,
        ..Config::default()
    }
}

/// A batch of `count` edges from vertex 0 on.
fn edges(first: u32, count: u32) -> Vec<(u32, u32)> {
    (first..first + count).map(|i| (i % 8, i)).collect()
}

fn commit(store: &Store, model: &mut Vec<(u32, u32)>, count: u32) {
    let new = edges(model.len() as u32, count);
    let mut batch = Batch::new();
    batch.insert(&new);
    store.commit(batch).unwrap();
    model.extend(new);
}

fn compare(store: &Store, model: &[(u32, u32)]) {
    let token = store.register();
    let mut reader = store.reader(&token, 0);
    for vertex in 0..8 {
        let list = model.iter().filter(|edge| edge.0 == vertex);
        let list: Vec<u32> = list.map(|edge| edge.1).collect();
        assert_eq!(reader.neighbors(vertex).unwrap(), list, "of {vertex}");
    }
    assert_eq!(store.arc_count(&token).unwrap(), model.len() as u64);
    let problems = store.check().problems;
    assert!(problems.is_empty(), "{problems:?}");
}

fn logs(storage: &dyn Storage) -> Vec<&'static str> {
    let names = CommitLog::file_names().iter().copied();
    names.filter(|name| storage.exists(name).unwrap()).collect()
}

fn open(storage: &dyn Storage, read_only: bool) -> Store {
    Store::open(storage, read_only).unwrap().0
}

#[test]
fn a_ring_grows_before_a_commit_waits() {
    let directory = tempfile::tempdir().unwrap();
    let storage = FileStorage::open(directory.path()).unwrap();
    let store = Store::create(&storage, config(256, 1 << 16), [1; 16]).unwrap();
    let mut model = Vec::new();
    let mut rings = Vec::new();
    for _ in 0..300 {
        commit(&store, &mut model, 2);
        let stats = store.stats();
        if rings.last() != Some(&stats.ring_bytes) {
            rings.push(stats.ring_bytes);
        }
        // Nothing was merged for room.
        assert_eq!(stats.merged_csn, 0);
    }
    assert_eq!(rings, [256, 4096, 1 << 16]);
    assert_eq!(logs(&storage), ["log.2"]);
    assert!(store.back_pressure().waits >= 2);
    compare(&store, &model);
    drop(store);
    compare(&open(&storage, true), &model);
    let store = open(&storage, false);
    assert_eq!(store.stats().ring_bytes, 1 << 16);
    compare(&store, &model);
    // As large as it may be: from here on merges make room.
    for _ in 0..800 {
        commit(&store, &mut model, 2);
    }
    assert!(store.stats().merged_csn > 0);
    assert_eq!(logs(&storage), ["log.2"]);
    store.close().unwrap();
    compare(&open(&storage, true), &model);
}

#[test]
fn rings_grow_up_to_what_the_log_may_hold() {
    for (most, expected) in [(256, vec![256]), (504, vec![504]), (8000, vec![256, 8000])] {
        let storage = DramStorage::new();
        let store = Store::create(&storage, config(256, most), [1; 16]).unwrap();
        let (mut model, mut rings) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            rings.push(store.stats().ring_bytes);
            commit(&store, &mut model, 1);
        }
        rings.dedup();
        assert_eq!(rings, expected);
        compare(&store, &model);
    }
}

#[test]
fn a_commit_may_be_larger_than_the_log() {
    let storage = DramStorage::new();
    let store = Store::create(&storage, config(1024, 8192), [2; 16]).unwrap();
    let mut model = Vec::new();
    commit(&store, &mut model, 10_000);
    // Nothing else fits beside it.
    assert!(store.stats().log_used_bytes > 80_000);
    commit(&store, &mut model, 1);
    assert_eq!(store.stats().merged_csn, 1);
    assert!(store.stats().log_used_bytes < 200);
    commit(&store, &mut model, 5000);
    drop(store);
    compare(&open(&storage, true), &model);
    let store = open(&storage, false);
    compare(&store, &model);
    store.close().unwrap();
    compare(&open(&storage, true), &model);
}

#[test]
fn recovery_reads_no_more_than_the_log_may_hold() {
    const MOST: u64 = 16 << 10;
    let storage = DramStorage::new();
    let store = Store::create(&storage, config(512, MOST), [3; 16]).unwrap();
    let mut model = Vec::new();
    let mut largest = 0;
    for i in 0..400 {
        commit(&store, &mut model, 1 + i % 150);
        let used = store.stats().log_used_bytes;
        assert!(used <= MOST, "{used} bytes after {i}");
        largest = largest.max(used);
    }
    assert!(largest > MOST * 3 / 4, "most of it is used: {largest}");
    compare(&store, &model);
}

#[test]
fn extents_of_commits_are_free_after_a_checkpoint() {
    let storage = DramStorage::new();
    let store = Store::create(&storage, config(512, 1 << 17), [4; 16]).unwrap();
    let mut model = Vec::new();
    commit(&store, &mut model, 100);
    store.checkpoint().unwrap();
    let stored = store.stats().extent_bytes;
    for _ in 0..4 {
        commit(&store, &mut model, 3000);
    }
    // The log held more than the ring could.
    assert_eq!(store.stats().ring_bytes, 1 << 17);
    assert!(store.stats().extent_bytes >= stored + 4 * 24_000);
    store.checkpoint().unwrap();
    let merged = store.stats().extent_bytes;
    drop(store);
    // What the log named once is not claimed.
    let store = open(&storage, false);
    assert_eq!(store.stats().extent_bytes, merged);
    compare(&store, &model);
    // What is withdrawn leaves nothing.
    let mut batch = Batch::new();
    batch.insert(&edges(0, 1000));
    store.commit_cancellable(batch, &|| true).unwrap_err();
    let mut batch = Batch::new();
    batch.insert(&edges(0, 1000));
    drop(store.prepare(batch).unwrap());
    assert_eq!(store.stats().extent_bytes, merged);
}

#[test]
fn facts_of_direct_mode_may_be_large() {
    let storage = DramStorage::new();
    let shape = Config {
        mode: Mode::Direct,
        ..config(256, 4096)
    };
    let store = Store::create(&storage, shape, [5; 16]).unwrap();
    let value = vec![7; 10_000];
    for key in 0..3u8 {
        let mut batch = Batch::new();
        batch.set_meta(&[key], &value);
        store.commit(batch).unwrap();
    }
    drop(store);
    let store = open(&storage, false);
    assert!((0..3u8).all(|key| store.meta(&[key]).as_ref() == Some(&value)));
}

/// A ring that the root does not name, as a kill between two steps leaves it.
#[test]
fn the_next_writer_removes_what_an_interrupted_replacement_left() {
    let storage = DramStorage::new();
    let mut model = Vec::new();
    let store = Store::create(&storage, config(256, 4096), [6; 16]).unwrap();
    for _ in 0..10 {
        commit(&store, &mut model, 1);
    }
    assert_eq!(logs(&storage), ["log.1"]);
    drop(store);
    for left in ["log", "log.2"] {
        let medium = storage.open(left, true).unwrap();
        CommitLog::create(&medium, &[6; 16], 512).unwrap();
    }
    compare(&open(&storage, true), &model);
    assert_eq!(logs(&storage), ["log", "log.1", "log.2"]);
    compare(&open(&storage, false), &model);
    assert_eq!(logs(&storage), ["log.1"]);
}

#[test]
fn a_ring_with_commits_is_not_created_over() {
    let storage = DramStorage::new();
    let store = Store::create(&storage, config(256, 4096), [7; 16]).unwrap();
    let mut model = Vec::new();
    for _ in 0..10 {
        commit(&store, &mut model, 1);
    }
    drop(store);
    storage.remove("pool").unwrap();
    let refused = Store::create(&storage, config(256, 4096), [8; 16]);
    let refused = refused.map(drop).unwrap_err().to_string();
    assert!(refused.contains("log.1"), "{refused}");
}

/// Each byte of an extent that the log names is covered.
#[test]
fn damage_to_a_commit_in_an_extent_is_noticed() {
    let storage = SimulatedStorage::new(small_pages());
    let store = Store::create(&storage, config(512, 8192), [9; 16]).unwrap();
    let mut model = Vec::new();
    commit(&store, &mut model, 2);
    commit(&store, &mut model, 40);
    commit(&store, &mut model, 2);
    drop(store);
    let image = storage.image();
    let reopened = |image: &Image| {
        let storage = SimulatedStorage::from_image(small_pages(), image);
        Store::open(&storage, true).map(|(store, _)| compare(&store, &model))
    };
    reopened(&image).unwrap();
    let extents = &image.files["extents"];
    let used = extents.iter().rposition(|&byte| byte != 0).unwrap() + 1;
    assert!((320..400).contains(&used), "the one extent: {used}");
    for at in 0..used {
        let mut damaged = image.clone();
        damaged.files.get_mut("extents").unwrap()[at] ^= 4;
        let error = reopened(&damaged).unwrap_err().to_string();
        assert!(error.contains("commit 2"), "byte {at}: {error}");
    }
}

/// The second of two: a fence more for each would cost more than the larger ring.
#[test]
fn a_ring_becomes_large_for_the_large_commits_that_come() {
    let storage = DramStorage::new();
    let store = Store::create(&storage, config(512, 1 << 23), [12; 16]).unwrap();
    let mut model = Vec::new();
    let mut seen = Vec::new();
    for _ in 0..4 {
        commit(&store, &mut model, 2000);
        let stats = store.stats();
        seen.push((stats.ring_bytes, stats.extent_bytes));
    }
    let in_extent = (16_016u64).next_multiple_of(64);
    assert_eq!(seen[0], (512, in_extent));
    assert_eq!(seen[1..], [(16 * 128_000, in_extent); 3]);
    drop(store);
    compare(&open(&storage, false), &model);
}

/// Space of all files, as their lengths and on the disk, before a clean stop and after it.
#[test]
fn a_database_of_three_edges_takes_less_than_a_mebibyte() {
    for mode in [Mode::Merged, Mode::Direct] {
        let directory = tempfile::tempdir().unwrap();
        let storage: Box<dyn Storage> = match mode {
            Mode::Merged => Box::new(FileStorage::open(directory.path()).unwrap()),
            Mode::Direct => {
                let mapped = MappedStorage::open(directory.path(), MappedKind::Dax, true);
                Box::new(mapped.unwrap())
            }
        };
        let shape = Config {
            mode,
            direction: StoredLists::Both,
            ..Config::default()
        };
        let store = Store::create(&*storage, shape, [11; 16]).unwrap();
        let mut batch = Batch::new();
        batch.insert(&[(0, 1), (1, 2), (2, 0)]);
        store.commit(batch).unwrap();
        for _ in 0..2 {
            let files = std::fs::read_dir(directory.path()).unwrap();
            let files = files.map(|file| file.unwrap().metadata().unwrap());
            let (lengths, blocks) = files.fold((0, 0), |(lengths, blocks), file| {
                (lengths + file.len(), blocks + file.blocks() * 512)
            });
            assert!(
                lengths.max(blocks) < 1 << 20,
                "{mode:?}: {lengths}, {blocks}"
            );
            store.close().unwrap();
        }
    }
}

/// Small and large commits of several threads, checkpoints, and a ring that grows.
#[test]
fn writers_and_merges_go_on_while_the_ring_grows() {
    const THREADS: u32 = 4;
    const EACH: u32 = 120;
    let directory = tempfile::tempdir().unwrap();
    let storage = FileStorage::open(directory.path()).unwrap();
    let store = Store::create(&storage, config(256, 1 << 15), [10; 16]).unwrap();
    let done = AtomicBool::new(false);
    let commits = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let merging = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                store.merge_what_is_due().unwrap();
                std::thread::yield_now();
            }
        });
        let writers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (store, commits) = (&store, &commits);
                scope.spawn(move || {
                    for i in 0..EACH {
                        let count = if i % 7 == 0 { 200 } else { 1 + i % 3 };
                        let new = edges(thread * 100_000 + i * 500, count);
                        let mut batch = Batch::new();
                        batch.insert(&new);
                        let csn = store.commit(batch).unwrap().csn;
                        commits.lock().unwrap().push((csn, new));
                    }
                })
            })
            .collect();
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        done.store(true, Ordering::Release);
        merging.join().unwrap();
        results.into_iter().for_each(|result| result.unwrap());
    });
    let mut commits = commits.into_inner().unwrap();
    commits.sort_unstable_by_key(|commit| commit.0);
    let model: Vec<(u32, u32)> = commits.into_iter().flat_map(|commit| commit.1).collect();
    compare(&store, &model);
    drop(store);
    compare(&open(&storage, true), &model);
    let store = open(&storage, false);
    compare(&store, &model);
    store.close().unwrap();
    compare(&open(&storage, true), &model);
}
