//! Readers beside a writer: what they see is a prefix of what was acknowledged, and stays
//! readable whatever the writer does, against a plain list of edges.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use evergraph_graph::StoredLists;
use evergraph_storage::failpoint::Scope;
use evergraph_storage::medium::{
    Access, FileCall, FileFault, FileFaults, FileStorage, MappedKind, MappedStorage,
};
use evergraph_storage::{Storage, StorageError};
use evergraph_topology::{Batch, Config, Layout, Mode, OpenReport, Store, TopologyError};

const VERTICES: u32 = 16;

fn config(layout: Layout) -> Config {
    Config {
        direction: StoredLists::Out,
        section_shift: 2,
        first_ring_bytes: 512,
        log_bytes: 1 << 14,
        extent_alignment: 64,
        growth_step: 4096,
        layout,
        ..Config::default()
    }
}

fn files(path: &Path, access: Access) -> FileStorage {
    FileStorage::open(path).unwrap().locked(access).unwrap()
}

fn try_reading(path: &Path) -> Result<(Store, OpenReport), TopologyError> {
    Store::open(&files(path, Access::Reading), true)
}

/// A reader, with the number of commits that it shows.
fn reading(path: &Path) -> (Store, usize) {
    let (store, report) = try_reading(path).unwrap();
    assert!(!report.unconfirmed);
    (store, report.csn as usize)
}

/// Commits number `first` to `last`, an edge each.
fn commit(store: &Store, model: &mut Vec<(u32, u32)>, count: usize) {
    for _ in 0..count {
        let number = model.len() as u32;
        let edge = (number.wrapping_mul(7) % VERTICES, number);
        let mut batch = Batch::new();
        batch.insert(&[edge]);
        store.commit(batch).unwrap();
        model.push(edge);
    }
}

/// Holds a store against the first `commits` edges.
fn differs(store: &Store, model: &[(u32, u32)], commits: usize) -> Result<(), String> {
    let token = store.register();
    let mut reader = store.reader(&token, 0);
    for vertex in 0..VERTICES {
        let list = model[..commits].iter().filter(|edge| edge.0 == vertex);
        let list: Vec<u32> = list.map(|edge| edge.1).collect();
        let found = reader
            .neighbors(vertex)
            .map_err(|error| error.to_string())?;
        if found != list {
            return Err(format!("{vertex} has {found:?}, not {list:?}"));
        }
    }
    Ok(())
}

fn same(store: &Store, model: &[(u32, u32)], commits: usize) {
    differs(store, model, commits).unwrap();
    let problems = store.check().problems;
    assert!(problems.is_empty(), "{problems:?}");
}

fn in_each_layout(test: impl Fn(&Path, Layout)) {
    for layout in [Layout::Pma, Layout::Blocks] {
        let place = tempfile::tempdir().unwrap();
        test(place.path(), layout);
    }
}

fn created(path: &Path, layout: Layout) -> Store {
    let storage = files(path, Access::Creating);
    Store::create(&storage, config(layout), [7; 16]).unwrap()
}

#[test]
fn a_reader_is_at_most_one_group_of_commits_behind() {
    in_each_layout(|path, layout| {
        let store = created(path, layout);
        let mut model = Vec::new();
        for round in 0..60 {
            let (reader, seen) = reading(path);
            assert!(seen + 1 >= model.len(), "{seen} of {}", model.len());
            same(&reader, &model, seen);
            drop(reader);
            commit(&store, &mut model, 1 + round % 3);
            if round % 7 == 6 {
                store.checkpoint().unwrap();
                assert_eq!(reading(path).1, model.len(), "a checkpoint proves all");
            }
        }
        assert!(store.stats().ring_bytes > 512, "the ring was replaced");
        let (_, report) = try_reading(path).unwrap();
        assert!(report.beside_writer);
        store.close().unwrap();
        drop(store);
        let (_, report) = try_reading(path).unwrap();
        assert!(report.clean && !report.beside_writer);
        assert_eq!(report.csn as usize, model.len());
    });
}

/// Nothing needs to be logged for it, and what it publishes stands a new opening.
#[test]
fn a_writer_at_rest_shows_its_last_commit() {
    in_each_layout(|path, layout| {
        let store = created(path, layout);
        let mut model = Vec::new();
        for _ in 0..5 {
            commit(&store, &mut model, 2);
            assert_eq!(reading(path).1, model.len() - 1);
            let (before, seen) = reading(path);
            store.publish_durable().unwrap();
            let (after, all) = reading(path);
            assert_eq!(all, model.len());
            same(&after, &model, all);
            same(&before, &model, seen);
            let file = std::fs::read(path.join("pool")).unwrap();
            store.publish_durable().unwrap();
            assert!(
                std::fs::read(path.join("pool")).unwrap() == file,
                "no new root"
            );
        }
        drop(store);
        let (store, report) = Store::open(&files(path, Access::Writing), false).unwrap();
        assert_eq!(report.csn as usize, model.len());
        same(&store, &model, model.len());
    });
}

/// What a reader has opened and not read yet stays as it was, while the writer merges,
/// compacts and is opened again. Returns how it came out, with the bytes of the file.
fn outlived(path: &Path, layout: Layout) -> (Result<(), String>, Vec<u64>) {
    let mut store = created(path, layout);
    let mut model = Vec::new();
    commit(&store, &mut model, 200);
    store.checkpoint().unwrap();
    commit(&store, &mut model, 30);
    let (reader, seen) = reading(path);
    let mut sizes = Vec::new();
    for round in 0..12 {
        commit(&store, &mut model, 40);
        match round % 4 {
            0 => store.checkpoint().unwrap(),
            1 => (0..VERTICES).for_each(|vertex| store.compact_vertex(vertex).unwrap()),
            2 => store.compact().unwrap(),
            _ => {
                drop(store);
                let storage = files(path, Access::Writing);
                store = Store::open(&storage, false).unwrap().0;
            }
        }
        sizes.push(store.stats().extent_bytes);
    }
    let outcome = differs(&reader, &model, seen);
    let kept = store.stats().waiting_bytes;
    drop(reader);
    for _ in 0..2 {
        commit(&store, &mut model, 1);
        store.compact().unwrap();
    }
    same(&store, &model, model.len());
    let stats = store.stats();
    assert_eq!(stats.waiting_bytes, 0);
    sizes.push(stats.extent_bytes);
    (outcome.map(|()| assert!(kept > 0)), sizes)
}

#[test]
fn what_a_reader_reads_is_not_used_again() {
    in_each_layout(|path, layout| {
        let (outcome, sizes) = outlived(path, layout);
        outcome.unwrap();
        let (after, during) = sizes.split_last().unwrap();
        let most = during.iter().max().unwrap();
        assert!(after * 2 < *most, "space comes back: {sizes:?}");
    });
}

#[test]
fn a_writer_that_does_not_ask_is_noticed() {
    in_each_layout(|path, layout| {
        let _mutant = Scope::armed("readers.not-asked").enter();
        noticed(path, layout);
    });
}

#[test]
fn a_writer_that_does_not_ask_within_slabs_is_noticed() {
    let path = tempfile::tempdir().unwrap();
    let _mutant = Scope::armed("readers.older-blocks-reused").enter();
    noticed(path.path(), Layout::Blocks);
}

/// An assertion may notice it before the comparison does.
fn noticed(path: &Path, layout: Layout) {
    let outlived = || outlived(path, layout).0.unwrap();
    std::panic::catch_unwind(outlived).unwrap_err();
}

/// Of each opening, with what the writer does while the log is copied.
fn opened_while(path: &Path, name: &str, busy: u64, mutant: &str) -> Result<usize, String> {
    // A ring that is not replaced, and written over.
    let ring = Config {
        first_ring_bytes: 1 << 13,
        log_bytes: 1 << 13,
        ..config(Layout::Pma)
    };
    let storage = files(path, Access::Creating);
    let store = Arc::new(Store::create(&storage, ring, [7; 16]).unwrap());
    let model = Arc::new(Mutex::new(Vec::new()));
    commit(&store, &mut model.lock().unwrap(), 40);
    let (writer, written) = (Arc::clone(&store), Arc::clone(&model));
    let times = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&times);
    let _mutant = (!mutant.is_empty()).then(|| Scope::armed(mutant).enter());
    let meanwhile = Scope::calling(name, move |time| {
        counted.store(time, Ordering::Relaxed);
        if time <= busy {
            let model = &mut written.lock().unwrap();
            commit(&writer, model, 90);
            writer.checkpoint().unwrap();
            commit(&writer, model, 90);
        }
    });
    let opened = {
        let _armed = meanwhile.enter();
        try_reading(path)
    };
    let (reader, report) = opened.map_err(|error| error.to_string())?;
    let (model, seen) = (model.lock().unwrap(), report.csn as usize);
    assert!(times.load(Ordering::Relaxed) > 0);
    if seen + 1 < 40 {
        return Err(format!("{seen} commits of 40"));
    }
    differs(&reader, &model, seen).map(|()| seen)
}

#[test]
fn a_log_that_is_replaced_while_it_is_copied_is_copied_again() {
    for place in [
        "readers.root-read",
        "readers.root-held",
        "readers.root-found",
        "readers.log-copied",
    ] {
        for (busy, least) in [(0, 39), (1, 219), (3, 579)] {
            let path = tempfile::tempdir().unwrap();
            let seen = opened_while(path.path(), place, busy, "").unwrap();
            assert!(seen >= least, "{seen} commits at {place}");
        }
    }
    let path = tempfile::tempdir().unwrap();
    let overtaken = opened_while(path.path(), "readers.log-copied", u64::MAX, "").unwrap_err();
    assert!(
        overtaken.contains("faster than it can be opened"),
        "{overtaken}"
    );
}

#[test]
fn a_reader_that_does_not_look_at_the_root_again_is_noticed() {
    let path = tempfile::tempdir().unwrap();
    // Where the log has come to lie over all that was copied, it tells by itself.
    let mutants = ["readers.log-start-not-reread", "log.newest-lap-not-read"].join(",");
    opened_while(path.path(), "readers.root-found", 1, &mutants).unwrap_err();
}

/// Number of commits that a reader shows, beside a writer whose last sync has failed.
fn seen_behind_a_failed_sync(path: &Path) -> usize {
    drop(created(path, Layout::Pma));
    let faults = Arc::new(FileFaults::new());
    let storage = files(path, Access::Writing).with_faults(Arc::clone(&faults));
    let (store, _) = Store::open(&storage, false).unwrap();
    let mut model = Vec::new();
    commit(&store, &mut model, 5);
    faults.fail_from(FileCall::Sync, 0, FileFault::IO);
    let mut batch = Batch::new();
    batch.insert(&[(0, 1)]);
    store.commit(batch).unwrap_err();
    let (reader, seen) = reading(path);
    model.push((0, 1));
    differs(&reader, &model, seen).unwrap();
    seen
}

#[test]
fn what_a_power_cut_could_take_back_is_not_shown() {
    let path = tempfile::tempdir().unwrap();
    let seen = seen_behind_a_failed_sync(path.path());
    assert!((4..=5).contains(&seen), "{seen} commits of 5");
    // Alone, a reader shows them, and says so.
    let (_, report) = try_reading(path.path()).unwrap();
    assert_eq!((report.csn, report.unconfirmed), (6, true));
}

#[test]
fn a_reader_that_takes_what_is_not_proven_is_noticed() {
    let path = tempfile::tempdir().unwrap();
    let _mutant = Scope::armed("readers.unproven-tail").enter();
    assert_eq!(seen_behind_a_failed_sync(path.path()), 6);
}

#[test]
fn direct_mode_is_not_read_beside_a_writer() {
    let place = tempfile::tempdir().unwrap();
    let open = |access| {
        let storage = MappedStorage::open(place.path(), MappedKind::Battery, true).unwrap();
        storage.locked(access).unwrap()
    };
    let direct = Config {
        mode: Mode::Direct,
        ..config(Layout::Pma)
    };
    let store = Store::create(&open(Access::Creating), direct, [7; 16]).unwrap();
    let refused = Store::open(&open(Access::Reading), true).map(drop);
    let is_locked = |error: &TopologyError| {
        matches!(error, TopologyError::Storage(StorageError::Locked { .. }))
    };
    assert!(refused.is_err_and(|error| is_locked(&error)));
    drop(store);
    let reader = Store::open(&open(Access::Reading), true).unwrap();
    let refused = Store::open(&open(Access::Writing), false).map(drop);
    let is_read =
        |error: &TopologyError| matches!(error, TopologyError::Storage(StorageError::BeingRead));
    assert!(refused.is_err_and(|error| is_read(&error)));
    drop(reader);
    Store::open(&open(Access::Writing), false).unwrap();
}

/// Neither a byte nor a time of change is another after it.
#[test]
fn a_reader_writes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let store = created(place.path(), Layout::Pma);
    let mut model = Vec::new();
    commit(&store, &mut model, 10);
    let state = || {
        let mut files: Vec<_> = std::fs::read_dir(place.path())
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let (bytes, data) = (std::fs::read(entry.path()), entry.metadata().unwrap());
                (entry.file_name(), bytes.unwrap(), data.modified().unwrap())
            })
            .collect();
        files.sort();
        files
    };
    let before = state();
    let storage = files(place.path(), Access::Reading);
    let (reader, report) = Store::open(&storage, true).unwrap();
    same(&reader, &model, report.csn as usize);
    assert!(storage.open("extents", false).is_ok());
    drop((reader, storage));
    assert!(before == state());
}
