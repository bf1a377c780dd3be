//! Transactions that meet, on one thread and on many.

use evergraph_isolation::{Anomaly, Key, Level, check, scenarios, workload::Workload};
use evergraph_property_graph::graph::PropertyGraph;
use evergraph_storage::medium::DramStorage;

use super::subject::{Lists, options};

fn lists(lists: Key, sets: Key) -> Lists {
    let graph = PropertyGraph::create(&DramStorage::new(), options(), [7; 16]);
    Lists::create(graph.expect("created"), lists, sets).expect("nobody else is there")
}

#[test]
fn the_cases_of_the_suite() {
    for level in [Level::Snapshot, Level::Serializable] {
        let mut has_skew = false;
        for scenario in scenarios::all(level) {
            let new = || lists(scenario.lists, scenario.sets);
            scenario.run(60, new, |schedule, history| {
                let report = check(&history);
                assert!(
                    report.keeps(level),
                    "{} as {schedule:?}: {report}\n{history:#?}",
                    scenario.name
                );
                has_skew |= report.has(Anomaly::WriteSkew);
            });
        }
        assert_eq!(has_skew, level == Level::Snapshot);
    }
}

#[test]
fn random_transactions_in_any_order() {
    for level in [Some(Level::Snapshot), Some(Level::Serializable), None] {
        let workload = Workload {
            level,
            ..Workload::default()
        };
        for seed in 0..12 {
            let lists = lists(workload.lists, workload.sets);
            let report = check(&workload.interleaved(&lists, seed));
            assert!(
                report.keeps(level.unwrap_or_default()),
                "seed {seed}: {report}"
            );
            let report = lists.graph.check();
            assert!(
                report.problems.is_empty(),
                "seed {seed}: {:?}",
                report.problems
            );
        }
    }
}

/// Threads commit in groups, and one merges all the time.
#[test]
fn random_transactions_of_threads() {
    for level in [Level::Snapshot, Level::Serializable] {
        let workload = Workload {
            level: Some(level),
            transactions: 150,
            ..Workload::default()
        };
        let lists = lists(workload.lists, workload.sets);
        let done = std::sync::atomic::AtomicBool::new(false);
        let history = std::thread::scope(|scope| {
            let merger = scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    lists.graph.checkpoint().expect("merged");
                    std::thread::yield_now();
                }
            });
            let history = workload.threaded(&lists, 3);
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            merger.join().expect("it did not panic");
            history
        });
        let report = check(&history);
        assert!(report.keeps(level), "{report}");
        let report = lists.graph.check();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }
}
