//! Two writers of direct mode are killed while each carries out an intent: what an
//! opening has shown of their edges is not changed by a later one.

use evergraph_graph::StoredLists;
use evergraph_simulated::{Config as SimulatedConfig, FaultPlan, Persistence, SimulatedStorage};
use evergraph_storage::failpoint;
use evergraph_topology::{Batch, Config, Mode, Store};

fn insert(store: &Store, edge: (u32, u32)) -> bool {
    let mut batch = Batch::new();
    batch.insert(&[edge]);
    store.commit(batch).is_ok()
}

fn edges(store: &Store) -> u64 {
    store.arc_count(&store.register()).unwrap()
}

/// Edges that are there at the end of the life after the kill, and at the beginning of
/// the next; `None` where the writers have come to their end before.
fn edges_after_kill(call: u64) -> Option<[u64; 2]> {
    let lines = SimulatedConfig::new(Persistence::Lines).with_capacity(1 << 18);
    let storage = SimulatedStorage::new(lines);
    let config = Config {
        mode: Mode::Direct,
        direction: StoredLists::Undirected,
        section_shift: 1,
        log_bytes: 4096,
        extent_alignment: 64,
        growth_step: 1 << 16,
        ..Config::default()
    };
    let store = Store::create(&storage, config, [7; 16]).unwrap();
    assert!(
        [(0, 2), (4, 6)]
            .into_iter()
            .all(|edge| insert(&store, edge))
    );
    let store = std::sync::Arc::new(store);
    let other = store.clone();
    let second = move |time| {
        if time == 1 {
            insert(&other, (4, 6));
        }
    };
    let kill = Some(storage.calls().all() + call);
    storage.plan(FaultPlan {
        kill,
        ..FaultPlan::default()
    });
    {
        // While the first has its slot, the second takes another.
        let _armed = failpoint::Scope::calling("direct.intent-not-fenced", second).enter();
        if insert(&store, (0, 2)) {
            return None;
        }
    }
    drop(store);
    storage.begin_process();
    let (store, _) = Store::open(&storage, false).unwrap();
    // By the first slot again, in a list that the second was about.
    assert!(insert(&store, (4, 1)));
    let before = edges(&store);
    drop(store);
    storage.begin_process();
    let (store, _) = Store::open(&storage, false).unwrap();
    Some([before, edges(&store)])
}

#[test]
fn an_intent_that_was_not_begun_stays_void() {
    let kills: Vec<_> = (0..).map_while(edges_after_kill).collect();
    assert!(kills.len() > 8, "both were killed");
    assert!(
        kills.iter().all(|[before, after]| before == after),
        "{kills:?}"
    );
}
