//! A process that is killed between writing a commit and its fence: what the next one
//! shows is there after a power cut, too.

use evergraph_simulated::{
    Config as SimulatedConfig, FaultPlan, Persistence, Rest, SimulatedStorage,
};
use evergraph_storage::failpoint;
use evergraph_topology::{Batch, Config, Store};

fn edge(target: u32) -> Batch {
    let mut batch = Batch::new();
    batch.insert(&[(0, target)]);
    batch
}

/// Leaves a second commit in the log that no fence has reached.
fn killed(persistence: Persistence) -> SimulatedStorage {
    let storage = SimulatedStorage::new(SimulatedConfig::new(persistence).with_capacity(1 << 18));
    let config = Config {
        log_bytes: 4096,
        growth_step: 1 << 16,
        ..Config::default()
    };
    let store = Store::create(&storage, config, [7; 16]).unwrap();
    store.commit(edge(1)).unwrap();
    // As if it had been killed before that.
    storage.plan(FaultPlan {
        drop_fence: Some(storage.calls().fences),
        ..FaultPlan::default()
    });
    store.commit(edge(2)).unwrap();
    drop(store);
    storage.plan(FaultPlan::default());
    storage
}

fn newest(storage: &SimulatedStorage) -> u64 {
    let (_, report) = Store::open(storage, false).unwrap();
    report.csn
}

/// Whether what the opening between the two shows is there after the power cut.
fn survives(persistence: Persistence) -> bool {
    let storage = killed(persistence);
    let lost = newest(&storage.crash(&[], Rest::Oldest));
    assert_eq!(lost, 1, "nobody has promised it");
    assert_eq!(newest(&storage), 2, "and here nothing was lost");
    newest(&storage.crash(&[], Rest::Oldest)) == 2
}

#[test]
fn what_is_shown_after_a_kill_survives_a_power_cut() {
    // A file is synced when it is opened, too.
    let of_pages = "open.log-end-not-durable,file.opened-without-sync";
    for (persistence, mutants) in [
        (Persistence::Lines, "open.log-end-not-durable"),
        (Persistence::Pages, of_pages),
    ] {
        assert!(survives(persistence), "{persistence:?}");
        let _armed = failpoint::Scope::armed(mutants).enter();
        assert!(
            !survives(persistence),
            "{persistence:?}: the mutant survives"
        );
    }
}
