//! Commits that have their place before they are durable.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_graph::StoredLists;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::{Batch, Config, Mode, Store, TopologyError};

use crate::common::edge;

fn store(mode: Mode) -> Store {
    let config = Config {
        direction: StoredLists::Out,
        mode,
        section_shift: 2,
        log_bytes: 4096,
        growth_step: 1 << 16,
        ..Config::default()
    };
    Store::create(&DramStorage::new(), config, [6; 16]).unwrap()
}

/// Says so when it is dropped.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The order under a lock of the callers is that of the log, of CSNs, and of the list,
/// whichever waits first.
#[test]
fn the_order_of_enqueuing_is_the_order_of_commits() {
    const THREADS: u32 = 6;
    const EACH: u32 = 150;
    let store = store(Mode::Merged);
    let order = Mutex::new(Vec::new());
    let done = AtomicBool::new(false);
    let commits = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        // Also if a writer panics: the other thread waits for it.
        let _end = Ending(&done);
        // The log is small, so leaders merge; another thread does, too.
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                store.checkpoint().unwrap();
                std::thread::yield_now();
            }
        });
        let writers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (store, order, commits) = (&store, &order, &commits);
                scope.spawn(move || {
                    for i in 0..EACH {
                        let target = 1 + thread * EACH + i;
                        let prepared = store.prepare(edge(target)).unwrap();
                        let mut order = order.lock().unwrap();
                        order.push(target);
                        let enqueued = prepared.enqueue();
                        drop(order);
                        let commit = enqueued.wait().unwrap();
                        // Visible when it returns.
                        assert!(store.register().csn() >= commit.csn);
                        commits.lock().unwrap().push((commit.csn, target));
                    }
                })
            })
            .collect();
        writers
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
    });
    let order = order.into_inner().unwrap();
    let mut commits = commits.into_inner().unwrap();
    commits.sort_unstable();
    let by_csn: Vec<u32> = commits.iter().map(|commit| commit.1).collect();
    assert_eq!(by_csn, order);
    let token = store.register();
    assert_eq!(store.reader(&token, 0).neighbors(0).unwrap(), order);
}

#[test]
fn a_prepared_commit_that_is_dropped_is_none_and_an_enqueued_one_is() {
    let store = store(Mode::Merged);
    drop(store.prepare(edge(1)).unwrap());
    assert_eq!(store.published().0, 0);
    drop(store.enqueue(edge(2)).unwrap());
    assert_eq!(store.published().0, 1);
    let token = store.register();
    assert_eq!(store.reader(&token, 0).neighbors(0).unwrap(), [2]);
}

/// A commit that was enqueued is part of the group of the first leader.
#[test]
fn the_first_waiter_leads_for_all() {
    let store = store(Mode::Merged);
    let first = store.enqueue(edge(1)).unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| store.commit(edge(2)).unwrap().csn);
        assert_eq!(other.join().unwrap(), 2);
    });
    assert_eq!(store.published().0, 2);
    assert_eq!(first.wait().unwrap().csn, 1);
}

#[test]
fn what_cannot_be_logged_is_refused_before_it_has_a_place() {
    let store = store(Mode::Merged);
    let mut weighted = Batch::new();
    weighted.insert_relationships(0, vec![1], vec![2], vec![3]);
    assert!(store.enqueue(weighted).is_err());
    let direct = self::store(Mode::Direct).prepare(edge(1)).map(drop);
    assert!(matches!(direct, Err(TopologyError::WrongMode(_))));
    assert_eq!(store.commit(edge(1)).unwrap().csn, 1);
}

#[test]
fn names_are_set_aside_while_their_commit_waits() {
    let store = store(Mode::Merged);
    let mut named = Batch::new();
    named.create_snapshot("may", None);
    let enqueued = store.enqueue(named.clone()).unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| store.prepare(named).map(drop));
        let refused = other.join().unwrap();
        assert!(matches!(refused, Err(TopologyError::SnapshotBusy(_))));
    });
    enqueued.wait().unwrap();
    assert_eq!(store.snapshot("may").unwrap().csn, 1);
}
