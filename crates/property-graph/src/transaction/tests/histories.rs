//! Isolation, as the checker sees it: every order of the suite's cases, and
//! random transactions by the thousand. Planted faults show that it would tell.

use std::collections::BTreeSet;

use super::subject::Graph;
use crate::transaction::isolation::{Anomaly, check, scenarios, workload::Workload};
use crate::transaction::planted::Fault;
use crate::transaction::{Isolation, Settings};

const ORDERS: usize = 3000;

/// Anomalies that any order of any case shows.
fn scenario_anomalies(isolation: Isolation, fault: Fault) -> BTreeSet<Anomaly> {
    let mut found = BTreeSet::new();
    for scenario in scenarios::all(isolation) {
        let new = || Graph::new(scenario.lists, scenario.sets, fault);
        scenario.run(ORDERS, new, |schedule, history| {
            let report = check(&history);
            found.extend(report.anomalies());
            if fault == Fault::None {
                assert!(
                    report.keeps(isolation),
                    "{} as {schedule:?}: {report}\n{history:#?}",
                    scenario.name
                );
            }
        });
    }
    found
}

#[test]
fn snapshot_isolation_allows_write_skew_and_nothing_else() {
    let found = scenario_anomalies(Isolation::Snapshot, Fault::None);
    assert_eq!(found, BTreeSet::from([Anomaly::WriteSkew]));
}

#[test]
fn serializable_transactions_show_no_anomaly() {
    let found = scenario_anomalies(Isolation::Serializable, Fault::None);
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn without_locks_updates_are_lost() {
    for fault in [Fault::NoLocks, Fault::WritesOverNewer, Fault::EarlyRelease] {
        let found = scenario_anomalies(Isolation::Snapshot, fault);
        // A list is written as a whole: what the other appended may be gone.
        let is_lost = found.contains(&Anomaly::LostUpdate) || found.contains(&Anomaly::Lost);
        assert!(is_lost, "{fault:?}: {found:?}");
    }
}

#[test]
fn without_validation_serializable_transactions_show_write_skew() {
    for fault in [
        Fault::NoValidation,
        Fault::InFlightUnseen,
        Fault::PhantomsUnseen,
    ] {
        let found = scenario_anomalies(Isolation::Serializable, fault);
        assert!(found.contains(&Anomaly::WriteSkew), "{fault:?}: {found:?}");
    }
}

/// Histories of a workload over seeds.
fn check_workload(
    workload: &Workload,
    seeds: u64,
    settings: &Settings,
    fault: Fault,
) -> BTreeSet<Anomaly> {
    let mut found = BTreeSet::new();
    for seed in 0..seeds {
        let graph = Graph::with(workload.lists, workload.sets, fault, settings.clone());
        let history = workload.interleaved(&graph, seed);
        let report = check(&history);
        if fault == Fault::None {
            let isolation = workload.isolation.unwrap_or_default();
            assert!(report.keeps(isolation), "seed {seed}: {report}");
            let now = graph.manager.statistics();
            assert_eq!((now.active, now.locked), (0, 0), "seed {seed}");
            assert_eq!(
                (now.remembered_commits, now.remembered_writes),
                (0, 0),
                "seed {seed}"
            );
        }
        found.extend(report.anomalies());
    }
    found
}

#[test]
fn thousands_of_random_transactions_keep_snapshot_isolation() {
    let workload = Workload {
        isolation: Some(Isolation::Snapshot),
        ..Workload::default()
    };
    let found = check_workload(&workload, 60, &Settings::default(), Fault::None);
    assert!(
        found.contains(&Anomaly::WriteSkew),
        "the workload is too tame"
    );
}

#[test]
fn thousands_of_random_transactions_are_serializable() {
    let workload = Workload {
        isolation: Some(Isolation::Serializable),
        ..Workload::default()
    };
    check_workload(&workload, 60, &Settings::default(), Fault::None);
}

/// Serializable transactions among others.
#[test]
fn mixed_transactions_keep_snapshot_isolation() {
    check_workload(&Workload::default(), 60, &Settings::default(), Fault::None);
}

#[test]
fn forgetting_early_aborts_and_shows_nothing_wrong() {
    let workload = Workload {
        isolation: Some(Isolation::Serializable),
        ..Workload::default()
    };
    for (remembered_writes, remembered_reads) in [(0, 1 << 20), (8, 4), (1 << 20, 0), (30, 2)] {
        let settings = Settings {
            remembered_writes,
            remembered_reads,
            lock_shards: 1,
            ..Settings::default()
        };
        check_workload(&workload, 20, &settings, Fault::None);
    }
}

/// Each fault is found by random transactions, too.
#[test]
fn planted_faults_are_found() {
    let snapshot = Workload {
        isolation: Some(Isolation::Snapshot),
        ..Workload::default()
    };
    let serializable = Workload {
        isolation: Some(Isolation::Serializable),
        ..Workload::default()
    };
    for (fault, workload) in [
        (Fault::NoLocks, &snapshot),
        (Fault::WritesOverNewer, &snapshot),
        (Fault::EarlyRelease, &snapshot),
        (Fault::NoValidation, &serializable),
        (Fault::InFlightUnseen, &serializable),
        (Fault::PhantomsUnseen, &serializable),
    ] {
        let isolation = workload.isolation.unwrap_or_default();
        let found = check_workload(workload, 30, &Settings::default(), fault);
        let is_found = found.iter().any(|anomaly| !anomaly.is_allowed(isolation));
        assert!(is_found, "{fault:?} shows nothing: {found:?}");
    }
}

#[test]
fn threads_keep_their_isolation() {
    for (seed, isolation) in [(1, Isolation::Snapshot), (2, Isolation::Serializable)] {
        let workload = Workload {
            isolation: Some(isolation),
            transactions: 300,
            ..Workload::default()
        };
        let graph = Graph::new(workload.lists, workload.sets, Fault::None);
        let report = check(&workload.threaded(&graph, seed));
        assert!(report.keeps(isolation), "{report}");
    }
}
