//! Readers, a writer, checkpoints and a build at the same time.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_storage::medium::DramStorage;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Directory, Medium, Region, Registry, Storage};
use parking_lot::Mutex;

use super::host::{Truth, UUID, apply};
use crate::index::{Geometry, Index, KeyRange, Kind};

const IDS: u32 = 200;
const COMMITS: u64 = 3_000;

/// Every record always has one key; each commit gives one of them another.
fn commit(truth: &mut Truth, csn: u64) -> Vec<(Vec<u8>, u32, bool)> {
    let id = (csn * 17 % u64::from(IDS)) as u32;
    let key = (csn * 31 % 500).to_be_bytes().to_vec();
    truth.commit(csn, &vec![(id, Some(key))])
}

#[test]
fn readers_find_every_record_while_everything_goes_on() {
    let storage = DramStorage::new();
    let region = Region::new(storage.open("extents", true).unwrap(), 256, 4096);
    let geometry = Geometry {
        leaf_bytes: 256,
        leaves_per_extent: 2,
        key_bytes: 24,
    };
    let index = Index::new(1 << 31, Kind::Hybrid, geometry);
    index
        .build(0, &region, &UUID, &index.collector().sorted())
        .unwrap();
    let truth = Mutex::new(Truth::default());
    let registry = Registry::new(0, ());
    let first = (0..IDS).map(|id| (id, Some(id.to_be_bytes().to_vec())));
    let changes = truth.lock().commit(1, &first.collect());
    apply(&index, 1, &changes);
    registry.publish(1, ());
    let done = AtomicBool::new(false);

    let write = || {
        for csn in 2..COMMITS {
            let changes = commit(&mut truth.lock(), csn);
            apply(&index, csn, &changes);
            registry.publish(csn, ());
        }
        done.store(true, Ordering::Release);
    };
    let read = || {
        let mut rounds = 0;
        while !done.load(Ordering::Acquire) || rounds < 3 {
            rounds += 1;
            let view = registry.register();
            let mut candidates = index.range(view.csn(), &KeyRange::all()).unwrap();
            let mut found = BTreeSet::new();
            while let Some((key, id)) = candidates.next_entry().unwrap() {
                found.insert((key.to_vec(), id));
            }
            let truth = truth.lock().at(view.csn());
            assert_eq!(truth.len(), IDS as usize);
            assert!(found.is_superset(&truth), "as of {}", view.csn());
            for (key, id) in &truth {
                let mut ids = Vec::new();
                index.lookup(view.csn(), key, &mut ids).unwrap();
                assert!(ids.contains(id), "as of {}: {id}", view.csn());
            }
        }
    };
    let checkpoint = || {
        let mut directory = Directory::default();
        let mut rounds = 0;
        while !done.load(Ordering::Acquire) || rounds < 3 {
            rounds += 1;
            let token = registry.register();
            let needed = registry.needed();
            let written = index.write(token.csn(), &needed, &region, &UUID, &mut directory);
            let written = Flushed::all(written.unwrap()).map(|_| ());
            if rounds % 5 == 0 {
                directory.roll_back();
                index.abandoned();
                continue;
            }
            let stored = directory.store(&region, &UUID, written).unwrap();
            stored.fence(region.medium()).unwrap();
            directory.publishing();
            index.publishing();
            directory.published();
            index.published(&|| registry.needed());
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(write);
        scope.spawn(checkpoint);
        scope.spawn(read);
        scope.spawn(read);
    });
    let mut problems = Vec::new();
    index.check(&mut problems);
    assert_eq!(problems, Vec::<String>::new());
    assert!(region.medium().len() > 0);
}

#[test]
fn an_index_is_built_while_commits_go_on() {
    let storage = DramStorage::new();
    let region = Region::new(storage.open("extents", true).unwrap(), 256, 4096);
    let index = Index::new(1 << 31, Kind::Hybrid, Geometry::default());
    let truth = Mutex::new(Truth::default());
    let registry = Registry::new(0, ());
    let first = (0..IDS).map(|id| (id, Some(id.to_be_bytes().to_vec())));
    let changes = truth.lock().commit(1, &first.collect());
    apply(&index, 1, &changes);
    registry.publish(1, ());
    let write = || {
        for csn in 2..COMMITS {
            let changes = commit(&mut truth.lock(), csn);
            apply(&index, csn, &changes);
            registry.publish(csn, ());
        }
    };
    let build = || {
        let view = registry.register();
        let mut entries = index.collector();
        let records = truth.lock().at(view.csn());
        for (key, id) in &records {
            entries.push(key, *id);
            std::thread::yield_now();
        }
        index
            .build(view.csn(), &region, &UUID, &entries.sorted())
            .unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(write);
        scope.spawn(build);
    });
    let csn = registry.csn();
    let mut found = Vec::new();
    let mut candidates = index.range(csn, &KeyRange::all()).unwrap();
    while let Some((key, id)) = candidates.next_entry().unwrap() {
        found.push((key.to_vec(), id));
    }
    let expected: Vec<_> = truth.lock().at(csn).into_iter().collect();
    assert_eq!(found, expected);
    assert!(!index.covers(0));
}
