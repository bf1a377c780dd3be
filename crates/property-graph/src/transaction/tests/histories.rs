//! Isolation, seen from outside: every order of the suite's cases, and random
//! transactions by the thousand. Mutants show that a fault would be found.

use std::collections::BTreeSet;

use evergraph_isolation::{Anomaly, Level, check, scenarios, workload::Workload};
use evergraph_storage::failpoint::{Entered, Scope};

use super::subject::Graph;
use crate::transaction::Settings;

const ORDERS: usize = 3000;

fn arm(mutant: Option<&str>) -> Option<Entered> {
    mutant.map(|mutant| Scope::armed(mutant).enter())
}

/// Anomalies that any order of any case shows.
fn scenario_anomalies(level: Level, mutant: Option<&str>) -> BTreeSet<Anomaly> {
    let _armed = arm(mutant);
    let mut found = BTreeSet::new();
    for scenario in scenarios::all(level) {
        let new = || Graph::new(scenario.lists, scenario.sets);
        scenario.run(ORDERS, new, |schedule, history| {
            let report = check(&history);
            found.extend(report.anomalies());
            if mutant.is_none() {
                assert!(
                    report.keeps(level),
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
    let found = scenario_anomalies(Level::Snapshot, None);
    assert_eq!(found, BTreeSet::from([Anomaly::WriteSkew]));
}

#[test]
fn serializable_transactions_show_no_anomaly() {
    let found = scenario_anomalies(Level::Serializable, None);
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn without_locks_updates_are_lost() {
    for mutant in [
        "transaction.no-locks",
        "transaction.writes-over-newer",
        "transaction.early-release",
    ] {
        let found = scenario_anomalies(Level::Snapshot, Some(mutant));
        // A list is written as a whole: the other's addition may be gone.
        let is_lost = found.contains(&Anomaly::LostUpdate) || found.contains(&Anomaly::Lost);
        assert!(is_lost, "{mutant}: {found:?}");
    }
}

#[test]
fn without_validation_serializable_transactions_show_write_skew() {
    for mutant in [
        "transaction.no-validation",
        "transaction.in-flight-unseen",
        "transaction.phantoms-unseen",
    ] {
        let found = scenario_anomalies(Level::Serializable, Some(mutant));
        assert!(found.contains(&Anomaly::WriteSkew), "{mutant}: {found:?}");
    }
}

/// Histories of a workload over seeds.
fn check_workload(
    workload: &Workload,
    seeds: u64,
    settings: &Settings,
    mutant: Option<&str>,
) -> BTreeSet<Anomaly> {
    let _armed = arm(mutant);
    let mut found = BTreeSet::new();
    for seed in 0..seeds {
        let graph = Graph::with(workload.lists, workload.sets, settings.clone());
        let history = workload.interleaved(&graph, seed);
        let report = check(&history);
        if mutant.is_none() {
            let level = workload.level.unwrap_or_default();
            assert!(report.keeps(level), "seed {seed}: {report}");
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
        level: Some(Level::Snapshot),
        ..Workload::default()
    };
    let found = check_workload(&workload, 60, &Settings::default(), None);
    assert!(
        found.contains(&Anomaly::WriteSkew),
        "the workload is too tame"
    );
}

#[test]
fn thousands_of_random_transactions_are_serializable() {
    let workload = Workload {
        level: Some(Level::Serializable),
        ..Workload::default()
    };
    check_workload(&workload, 60, &Settings::default(), None);
}

/// Serializable transactions among others.
#[test]
fn mixed_transactions_keep_snapshot_isolation() {
    check_workload(&Workload::default(), 60, &Settings::default(), None);
}

#[test]
fn forgetting_early_aborts_and_shows_nothing_wrong() {
    let workload = Workload {
        level: Some(Level::Serializable),
        ..Workload::default()
    };
    for (remembered_writes, remembered_reads) in [(0, 1 << 20), (8, 4), (1 << 20, 0), (30, 2)] {
        let settings = Settings {
            remembered_writes,
            remembered_reads,
            lock_shards: 1,
            ..Settings::default()
        };
        check_workload(&workload, 20, &settings, None);
    }
}

#[test]
fn random_transactions_catch_mutants() {
    let snapshot = Workload {
        level: Some(Level::Snapshot),
        ..Workload::default()
    };
    let serializable = Workload {
        level: Some(Level::Serializable),
        ..Workload::default()
    };
    for (mutant, workload) in [
        ("transaction.no-locks", &snapshot),
        ("transaction.writes-over-newer", &snapshot),
        ("transaction.early-release", &snapshot),
        ("transaction.no-validation", &serializable),
        ("transaction.in-flight-unseen", &serializable),
        ("transaction.phantoms-unseen", &serializable),
    ] {
        let level = workload.level.unwrap_or_default();
        let found = check_workload(workload, 30, &Settings::default(), Some(mutant));
        let is_found = found.iter().any(|anomaly| !anomaly.is_allowed(level));
        assert!(is_found, "{mutant} shows nothing: {found:?}");
    }
}

#[test]
fn threads_keep_their_isolation() {
    for (seed, level) in [(1, Level::Snapshot), (2, Level::Serializable)] {
        let workload = Workload {
            level: Some(level),
            transactions: 300,
            ..Workload::default()
        };
        let graph = Graph::new(workload.lists, workload.sets);
        let report = check(&workload.threaded(&graph, seed));
        assert!(report.keeps(level), "{report}");
    }
}
