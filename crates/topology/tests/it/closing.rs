//! A store that is closed while others still have it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

use evergraph_storage::failpoint::Scope;
use evergraph_storage::medium::{DramStorage, FileCall, FileFault};
use evergraph_topology::{Commit, Config, Store, TopologyError};

use crate::common::{edge, failing};

fn config() -> Config {
    Config {
        section_shift: 2,
        log_bytes: 1 << 16,
        growth_step: 1 << 16,
        ..Config::default()
    }
}

#[test]
fn whatever_writes_is_told_that_the_store_was_closed() {
    let storage = DramStorage::new();
    let mut store = Store::create(&storage, config(), [7; 16]).unwrap();
    for _ in 0..2 {
        store.commit(edge(1)).unwrap();
        store.close().unwrap();
        let closed = |outcome: Result<(), TopologyError>| match outcome {
            Err(TopologyError::Closed) => {}
            other => panic!("{other:?}"),
        };
        closed(store.commit(edge(2)).map(drop));
        closed(store.commit_all(vec![edge(2)]).map(drop));
        closed(store.commit_cancellable(edge(2), &|| false).map(drop));
        closed(store.prepare(edge(2)).map(drop));
        closed(store.add_vertices(1).map(drop));
        closed(store.delete_vertices(&[0]).map(drop));
        closed(store.compact());
        closed(store.checkpoint());
        store.close().unwrap();
        let (reopened, report) = Store::open(&storage, false).unwrap();
        assert!(report.clean);
        store = reopened;
    }
}

/// A failure of the medium and a closed store are different errors.
#[test]
fn a_store_is_closed_after_a_failure_too() {
    let directory = tempfile::tempdir().unwrap();
    let (storage, faults) = failing(directory.path());
    let store = Store::create(&storage, config(), [7; 16]).unwrap();
    store.commit(edge(1)).unwrap();
    faults.fail_from(FileCall::Sync, 0, FileFault::IO);
    store.commit(edge(2)).unwrap_err();
    let failed = store.commit(edge(3)).unwrap_err();
    assert!(matches!(failed, TopologyError::Failed), "{failed}");
    let _ = store.close();
    assert!(matches!(store.commit(edge(3)), Err(TopologyError::Closed)));
}

/// A commit of a handle that is left, which comes when the clean stop is published; and
/// what is there after the next opening.
fn commit_while_closing(
    scope: impl FnOnce(Box<dyn Fn(u64) + Send + Sync>) -> Scope,
) -> (Result<Commit, TopologyError>, u64) {
    let storage = DramStorage::new();
    let store = Arc::new(Store::create(&storage, config(), [7; 16]).unwrap());
    store.commit(edge(1)).unwrap();
    let (tell, told) = channel();
    let other = Arc::downgrade(&store);
    let commits = move |_| {
        let looks = AtomicU64::new(0);
        let stop = || looks.fetch_add(1, Ordering::Relaxed) > 2;
        let store = other.upgrade().unwrap();
        tell.send(store.commit_cancellable(edge(2), &stop)).unwrap();
    };
    {
        let _armed = scope(Box::new(commits)).enter();
        store.close().unwrap();
    }
    drop(store);
    let (_, report) = Store::open(&storage, false).unwrap();
    (told.recv().unwrap(), report.csn)
}

#[test]
fn no_commit_is_acknowledged_behind_a_clean_stop() {
    let place = "checkpoint.published";
    let (commit, csn) = commit_while_closing(|commits| Scope::calling(place, commits));
    assert!(
        matches!(commit, Err(TopologyError::Cancelled)),
        "it waits for the end"
    );
    assert_eq!(csn, 1);
    let _mutant = Scope::armed("close.commits-go-on").enter();
    let (commit, csn) = commit_while_closing(|commits| Scope::calling(place, commits));
    assert!(csn < commit.unwrap().csn, "the mutant loses nothing");
}
