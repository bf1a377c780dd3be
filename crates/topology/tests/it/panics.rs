//! A thread that panics in the middle of a change: nothing is built on what it leaves,
//! and nothing waits for it for ever.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evergraph_graph::{Csr, StoredLists};
use evergraph_simulated::{Config as Simulated, Persistence, SimulatedStorage};
use evergraph_storage::failpoint::Scope;
use evergraph_topology::{Commit, Config, Mode, SealedGraph, SealedName, Store, TopologyError};

use crate::common::edge;

/// After that, a thread hangs.
const FOR_EVER: Duration = Duration::from_secs(120);

fn storage(persistence: Persistence) -> SimulatedStorage {
    SimulatedStorage::new(Simulated::new(persistence).with_capacity(4 << 20))
}

fn merged_config() -> Config {
    Config {
        direction: StoredLists::Out,
        section_shift: 2,
        log_bytes: 4096,
        growth_step: 1 << 16,
        ..Config::default()
    }
}

/// The list of vertex 0.
fn list(store: &Store) -> Vec<u32> {
    let token = store.register();
    store.reader(&token, 0).neighbors(0).unwrap().to_vec()
}

fn is_poisoned<T>(result: &Result<T, TopologyError>) -> bool {
    let error = result.as_ref().err().map(TopologyError::cause);
    matches!(error, Some(TopologyError::Poisoned))
}

/// A failpoint that tells of its first time, waits until it may go on, and panics.
fn meeting(name: &str) -> (Scope, Receiver<()>, Sender<()>) {
    let (told, reached) = channel();
    let (go_on, waiting) = channel::<()>();
    let waiting = Mutex::new(waiting);
    let scope = Scope::calling(name, move |time| {
        if time == 1 {
            told.send(()).expect("the test waits");
            let _ = waiting.lock().unwrap().recv_timeout(FOR_EVER);
            panic!("the test's panic");
        }
    });
    (scope, reached, go_on)
}

/// One thread commits and panics at a place; another commits meanwhile. Gives what the
/// other was told.
fn meets_a_panic(store: &Arc<Store>, place: &str) -> Result<Commit, TopologyError> {
    let (scope, reached, go_on) = meeting(place);
    let panics = Arc::clone(store);
    let first = std::thread::spawn(move || {
        let _armed = scope.enter();
        panics.commit(edge(1001))
    });
    reached
        .recv_timeout(FOR_EVER)
        .expect("the place is reached");
    let (told, outcome) = channel();
    let (enqueued, in_queue) = channel();
    let other = Arc::clone(store);
    let second = std::thread::spawn(move || {
        let place = other.enqueue(edge(1002)).unwrap();
        enqueued.send(()).unwrap();
        let _ = told.send(place.wait());
    });
    in_queue.recv_timeout(FOR_EVER).expect("it has its place");
    go_on.send(()).unwrap();
    assert!(first.join().is_err(), "it panicked");
    let outcome = outcome.recv_timeout(FOR_EVER);
    let outcome = outcome.expect("no commit waits for ever");
    second.join().unwrap();
    outcome
}

/// Refused and permitted operations; then the state that the next opening finds.
fn assert_poisoned(storage: &SimulatedStorage, store: Arc<Store>, acknowledged: &[u32]) {
    assert_eq!(list(&store), acknowledged, "reads go on");
    assert!(is_poisoned(&store.commit(edge(1))));
    assert!(is_poisoned(&store.checkpoint()));
    assert!(is_poisoned(&store.create_snapshot("after", None)));
    drop(Arc::into_inner(store).expect("no thread has it"));
    let (store, _) = Store::open(storage, false).unwrap();
    let found = list(&store);
    assert!(found.starts_with(acknowledged), "{found:?}");
    assert!(
        found[acknowledged.len()..]
            .iter()
            .all(|&target| target > 1000)
    );
    assert!(store.check().problems.is_empty());
    store.commit(edge(7)).unwrap();
}

/// Commits until `is_enough`; the targets.
fn fill(store: &Store, is_enough: impl Fn(&Store) -> bool) -> Vec<u32> {
    let mut targets = Vec::new();
    while !is_enough(store) {
        let target = targets.len() as u32 % 900;
        store.commit(edge(target)).unwrap();
        targets.push(target);
    }
    targets
}

#[test]
fn a_group_that_is_half_applied_is_not_followed_by_another() {
    let storage = storage(Persistence::Pages);
    let store = Arc::new(Store::create(&storage, merged_config(), [1; 16]).unwrap());
    let acknowledged = fill(&store, |store| store.published().0 == 3);
    let other = meets_a_panic(&store, "commit.logged");
    assert!(is_poisoned(&other), "{other:?} over a gap");
    assert_poisoned(&storage, store, &acknowledged);
}

#[test]
fn a_panic_while_room_is_made_ends_all_waiting() {
    let storage = storage(Persistence::Pages);
    let store = Arc::new(Store::create(&storage, merged_config(), [1; 16]).unwrap());
    let acknowledged = fill(&store, |store| {
        let (used, all) = store.log_fill();
        // As many bytes as each commit takes.
        store.published().0 > 0 && all - used < used / store.published().0
    });
    let other = meets_a_panic(&store, "commit.waits-for-room");
    assert!(is_poisoned(&other), "{other:?}");
    assert_poisoned(&storage, store, &acknowledged);
}

#[test]
fn a_panic_of_the_leader_ends_all_waiting() {
    let storage = storage(Persistence::Pages);
    let store = Arc::new(Store::create(&storage, merged_config(), [1; 16]).unwrap());
    let acknowledged = fill(&store, |store| store.published().0 == 3);
    let other = meets_a_panic(&store, "commit.leads");
    assert!(is_poisoned(&other), "{other:?}");
    assert_poisoned(&storage, store, &acknowledged);
}

#[test]
fn a_root_that_sections_were_not_switched_to_is_not_built_on() {
    for place in ["checkpoint.extents-written", "checkpoint.not-switched"] {
        let storage = storage(Persistence::Pages);
        let store = Arc::new(Store::create(&storage, merged_config(), [1; 16]).unwrap());
        let acknowledged = fill(&store, |store| store.published().0 == 5);
        let scope = Scope::armed(&format!("{place}=panic"));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _armed = scope.enter();
            store.checkpoint()
        }));
        assert!(panicked.is_err(), "{place}");
        assert_poisoned(&storage, store, &acknowledged);
    }
}

#[test]
fn a_sealed_graph_that_was_half_published_is_not_built_on() {
    let storage = storage(Persistence::Pages);
    let store = Arc::new(Store::create(&storage, merged_config(), [1; 16]).unwrap());
    let acknowledged = fill(&store, |store| store.published().0 == 5);
    let name = |text: &str| SealedName::Own(text.to_string());
    let edges: Vec<(u32, u32)> = acknowledged.iter().map(|&target| (0, target)).collect();
    let graph = Csr::from_edges(5, &edges, StoredLists::Out);
    let Ok::<_, Infallible>(graph) = Csr::copy(&graph, &|| Ok(()));
    let graph = SealedGraph::Plain(Arc::new(graph));
    let csn = store.published().0;
    let seal = |text| store.store_sealed(name(text), csn, &graph, &mut |_, _| true);
    seal("first").unwrap();
    let scope = Scope::armed("sealed.publishing=panic");
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _armed = scope.enter();
        seal("second").map(drop)
    }));
    assert!(panicked.is_err());
    assert!(is_poisoned(&seal("third").map(drop)));
    assert!(is_poisoned(&store.drop_sealed(&[name("first")])));
    drop(graph);
    assert_poisoned(&storage, store, &acknowledged);
}

fn direct_config(direction: StoredLists) -> Config {
    Config {
        mode: Mode::Direct,
        direction,
        edge_log_bytes: 64,
        ..merged_config()
    }
}

/// The section has moved, and the thread that moved it knows of the old place alone.
#[test]
fn a_section_that_has_half_moved_takes_no_more_edges() {
    for direction in [StoredLists::Out, StoredLists::Undirected, StoredLists::Both] {
        let storage = storage(Persistence::Lines);
        let store = Store::create(&storage, direct_config(direction), [1; 16]).unwrap();
        let mut acknowledged = Vec::new();
        let mut insert = |target: u32| {
            let inserted = store.insert_edges_direct(&[(0, target)]);
            acknowledged.extend(inserted.is_ok().then_some(target));
            inserted
        };
        (1..10).for_each(|target| insert(target).unwrap());
        let scope = Scope::armed("direct.moved=panic");
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _armed = scope.enter();
            (10..1000).try_for_each(&mut insert)
        }));
        assert!(panicked.is_err(), "{direction:?}: a section has moved");
        let refused = insert(1001);
        assert!(is_poisoned(&refused), "{direction:?}: {refused:?}");
        let shown = |store: &Store| {
            let found = list(store);
            assert!(found.starts_with(&acknowledged), "{direction:?}: {found:?}");
            assert!(found.len() <= acknowledged.len() + 1);
        };
        shown(&store);
        drop(store);
        let (store, _) = Store::open(&storage, false).unwrap();
        shown(&store);
        assert!(store.check().problems.is_empty());
        store.insert_edges_direct(&[(0, 5)]).unwrap();
    }
}

/// A thread that waits for the lock of the section learns of the panic, too.
#[test]
fn an_edge_that_waits_for_a_panicking_thread_is_refused() {
    for direction in [StoredLists::Out, StoredLists::Undirected] {
        let storage = storage(Persistence::Lines);
        let store = Store::create(&storage, direct_config(direction), [1; 16]).unwrap();
        let store = Arc::new(store);
        let (scope, reached, go_on) = meeting("direct.moved");
        let panics = Arc::clone(&store);
        let first = std::thread::spawn(move || {
            let _armed = scope.enter();
            panics.insert_edges_direct(&[(0, 1001)])
        });
        reached
            .recv_timeout(FOR_EVER)
            .expect("the first edge makes the section");
        let (told, outcome) = channel();
        let (begins, begun) = channel();
        let other = Arc::clone(&store);
        std::thread::spawn(move || {
            begins.send(()).unwrap();
            let _ = told.send(other.insert_edges_direct(&[(0, 1002)]));
        });
        begun.recv_timeout(FOR_EVER).unwrap();
        go_on.send(()).unwrap();
        assert!(first.join().is_err());
        let refused = outcome
            .recv_timeout(FOR_EVER)
            .expect("it does not wait for ever");
        assert!(is_poisoned(&refused), "{direction:?}: {refused:?}");
        drop(store);
        let (store, _) = Store::open(&storage, false).unwrap();
        assert!(list(&store).iter().all(|&target| target == 1001));
    }
}
