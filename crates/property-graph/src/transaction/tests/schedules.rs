//! The way of a commit under every schedule of threads that a random scheduler
//! comes up with, thousands of them.

use std::sync::Arc;

use evergraph_isolation::{Anomaly, History, Level, Plan, Report, Run, Step, check};
use evergraph_simulated::Depth;
use evergraph_storage::failpoint;
use shuttle::Runner;
use shuttle::scheduler::{PctScheduler, RandomScheduler};

use super::memory::Memory;
use super::subject::{Graph, commit};
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::{
    CommittedState, ManualClock, Settings, Transaction, TransactionError, TransactionManager,
    TransactionOptions,
};

/// How many each test tries.
fn schedules() -> usize {
    let asked = std::env::var("EVERGRAPH_SCHEDULES");
    match asked.ok().and_then(|count| count.parse().ok()) {
        Some(count) => count,
        None if Depth::asked() == Depth::Deep => 200_000,
        None => 2000,
    }
}

/// Runs plans on threads of their own and reports the anomalies.
fn run(plans: Vec<Plan>, lists: u32, sets: u32) -> Report {
    let graph = Arc::new(Graph::new(lists, sets));
    let elements = Arc::new(std::sync::atomic::AtomicU64::new(1));
    let threads: Vec<_> = plans
        .into_iter()
        .enumerate()
        .map(|(session, plan)| {
            let (graph, elements) = (Arc::clone(&graph), Arc::clone(&elements));
            shuttle::thread::spawn(move || {
                Run::new(&*graph, session as u32, &plan, &elements).complete()
            })
        })
        .collect();
    let mut transactions: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().expect("it did not panic"))
        .collect();
    let all = (0..lists).map(Step::Read).chain((0..sets).map(Step::Scan));
    let all = Plan::new(Level::Snapshot, &all.collect::<Vec<_>>());
    transactions.push(Run::new(&*graph, 99, &all, &elements).complete());
    let now = graph.manager.statistics();
    assert_eq!((now.active, now.locked, now.remembered_commits), (0, 0, 0));
    check(&History { transactions })
}

fn skewed() -> Vec<Plan> {
    let plan = |steps: &[Step]| Plan::new(Level::Serializable, steps);
    vec![
        plan(&[Step::Read(0), Step::Scan(0), Step::Append(1)]),
        plan(&[Step::Read(1), Step::Append(0)]),
        plan(&[Step::Read(1), Step::Insert(0)]),
    ]
}

#[test]
fn serializable_commits_show_no_anomaly() {
    shuttle::check_random(
        || {
            let report = run(skewed(), 2, 1);
            assert!(report.keeps(Level::Serializable), "{report}");
        },
        schedules(),
    );
}

#[test]
fn updates_are_not_lost() {
    shuttle::check_random(
        || {
            let plan = Plan::new(Level::Snapshot, &[Step::Read(0), Step::Append(0)]);
            let report = run(vec![plan; 3], 1, 0);
            assert!(report.keeps(Level::Snapshot), "{report}");
        },
        schedules(),
    );
}

/// Whether some schedule of a mutant shows one of the anomalies. All threads of a schedule
/// are coroutines of this thread, so the failpoint is armed for them, too.
fn shows(mutant: &str, anomalies: &'static [Anomaly], plans: fn() -> Vec<Plan>) -> bool {
    let _armed = failpoint::Scope::armed(mutant).enter();
    let found = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let search = || {
        let found = Arc::clone(&found);
        move || {
            let report = run(plans(), 2, 1);
            if anomalies.iter().any(|&anomaly| report.has(anomaly)) {
                found.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
    };
    // The same schedules in every run: whether one of them shows it is no matter of luck.
    (0..1000).any(|seed| {
        let random = RandomScheduler::new_from_seed(seed, 20);
        Runner::new(random, Default::default()).run(search());
        // Lets a thread rest for long.
        let priorities = PctScheduler::new_from_seed(seed, 3, 20);
        Runner::new(priorities, Default::default()).run(search());
        found.load(std::sync::atomic::Ordering::Relaxed)
    })
}

#[test]
fn validation_and_order_have_to_be_one_step() {
    assert!(shows(
        "transaction.validated-apart",
        &[Anomaly::WriteSkew],
        skewed
    ));
}

#[test]
fn validation_has_to_see_what_is_in_flight() {
    assert!(shows(
        "transaction.in-flight-unseen",
        &[Anomaly::WriteSkew],
        skewed
    ));
}

#[test]
fn locks_have_to_last_until_the_commit_is_visible() {
    let plans = || {
        let plan = Plan::new(Level::Snapshot, &[Step::Read(0), Step::Append(0)]);
        vec![plan; 3]
    };
    assert!(shows("transaction.early-release", LOST, plans));
}

/// A list is written as a whole: another transaction's addition may be lost.
const LOST: &[Anomaly] = &[Anomaly::LostUpdate, Anomaly::Lost];

/// No relationship is left without an end, in any order of the transactions.
#[test]
fn a_node_goes_only_without_relationships() {
    shuttle::check_random(
        || {
            let manager = TransactionManager::new(Arc::<Memory>::default(), Settings::default());
            let mut setup = manager.begin(&TransactionOptions::default());
            let mut node = || setup.create_node(NodeRecord::default()).expect("a node");
            let (source, target) = (node(), node());
            commit(setup).expect("committed");
            let adder = Arc::clone(&manager);
            let adder = shuttle::thread::spawn(move || {
                adder.execute(&TransactionOptions::default(), |mut tx| {
                    tx.create_relationship(RelationshipRecord {
                        kind: 0,
                        source,
                        target,
                        properties: Default::default(),
                    })?;
                    commit(tx)
                })
            });
            let deleter = Arc::clone(&manager);
            let deleter = shuttle::thread::spawn(move || {
                deleter.execute(&TransactionOptions::default(), |mut tx| {
                    tx.delete_node(target)?;
                    commit(tx)
                })
            });
            let added = adder.join().expect("it did not panic").is_ok();
            let deleted = deleter.join().expect("it did not panic").is_ok();
            assert_ne!(added, deleted);
            assert_eq!(manager.statistics().locked, 0);
        },
        schedules(),
    );
}

type Manager = Arc<TransactionManager<Memory>>;

/// A manager, a node, and a transaction that has written a label to it.
fn begun(settings: Settings) -> (Manager, u32, Transaction<Memory>) {
    let manager = TransactionManager::new(Arc::<Memory>::default(), settings);
    let mut setup = manager.begin(&TransactionOptions::default());
    let id = setup.create_node(NodeRecord::default()).expect("a node");
    commit(setup).expect("committed");
    let mut tx = manager.begin(&TransactionOptions::default());
    relabel(&mut tx, id).expect("nobody else is there");
    (manager, id, tx)
}

fn relabel(tx: &mut Transaction<Memory>, id: u32) -> Result<(), TransactionError> {
    tx.update_node(id, |node| node.labels.push(9))
}

fn labels(manager: &Manager, id: u32) -> usize {
    let tx = manager.begin(&TransactionOptions::default());
    tx.read::<crate::record::NodeRecord>(id)
        .expect("readable")
        .expect("there")
        .labels
        .len()
}

/// A transaction that waits for another to end is woken, and no write is lost.
#[test]
fn attempts_wait_for_each_other_and_get_through() {
    shuttle::check_random(
        || {
            let (manager, id, tx) = begun(Settings::default());
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let manager = Arc::clone(&manager);
                    shuttle::thread::spawn(move || {
                        let options = TransactionOptions::default();
                        let outcome = manager.execute(&options, |mut tx| {
                            relabel(&mut tx, id)?;
                            commit(tx)
                        });
                        outcome.expect("committed in the end");
                    })
                })
                .collect();
            commit(tx).expect("it was first");
            for thread in threads {
                thread.join().expect("it did not panic");
            }
            assert_eq!(labels(&manager, id), 3);
        },
        schedules(),
    );
}

/// A node of which three threads want something: two add relationships to it, one
/// deletes it. Gives the attempts of the deletion.
fn delete_a_hub() -> usize {
    let manager = TransactionManager::new(Arc::<Memory>::default(), Settings::default());
    let mut setup = manager.begin(&TransactionOptions::default());
    let mut node = || setup.create_node(NodeRecord::default()).expect("a node");
    let (source, target) = (node(), node());
    commit(setup).expect("committed");
    let adders: Vec<_> = (0..2)
        .map(|_| {
            let manager = Arc::clone(&manager);
            shuttle::thread::spawn(move || {
                for _ in 0..2 {
                    let added = manager.execute(&TransactionOptions::default(), |mut tx| {
                        tx.create_relationship(RelationshipRecord {
                            kind: 0,
                            source,
                            target,
                            properties: Default::default(),
                        })?;
                        commit(tx)
                    });
                    match added {
                        Ok(_) => {}
                        Err(error) => assert_eq!(error, TransactionError::NoNode(target)),
                    }
                }
            })
        })
        .collect();
    let mut attempts = 0;
    let deleted = manager.execute(&TransactionOptions::default(), |mut tx| {
        attempts += 1;
        tx.detach_delete_node(target)?;
        commit(tx)
    });
    deleted.expect("it is there until this deletes it");
    for adder in adders {
        adder.join().expect("it did not panic");
    }
    let memory = manager.state();
    let left = memory.all_relationships(memory.view());
    assert!(left.is_empty(), "without an end: {left:?}");
    let now = manager.statistics();
    assert_eq!((now.active, now.locked, now.remembered_commits), (0, 0, 0));
    attempts
}

/// After one conflict at most: from then on the lock comes first, and the snapshot shows
/// all that was added before it.
#[test]
fn a_hub_is_deleted_at_the_second_attempt() {
    shuttle::check_random(|| assert!(delete_a_hub() <= 2), schedules());
}

/// Two that each want what the other holds, shared and exclusively, and the schema: no
/// schedule keeps one of them waiting for ever.
#[test]
fn claims_do_not_wait_for_each_other() {
    shuttle::check_random(
        || {
            let manager = TransactionManager::new(Arc::<Memory>::default(), Settings::default());
            let mut setup = manager.begin(&TransactionOptions::default());
            let mut node = || setup.create_node(NodeRecord::default()).expect("a node");
            let (ends, other) = ([node(), node()], node());
            commit(setup).expect("committed");
            let threads = [[0, 1], [1, 0], [0, 0]].map(|[kept, gone]| {
                let manager = Arc::clone(&manager);
                shuttle::thread::spawn(move || {
                    manager.execute(&TransactionOptions::default(), |mut tx| {
                        if kept == gone {
                            tx.lock_schema()?;
                            return commit(tx);
                        }
                        tx.share_schema()?;
                        tx.create_relationship(RelationshipRecord {
                            kind: 0,
                            source: ends[kept],
                            target: other,
                            properties: Default::default(),
                        })?;
                        tx.detach_delete_node(ends[gone])?;
                        commit(tx)
                    })
                })
            });
            let ended = threads.map(|thread| thread.join().expect("it did not panic"));
            assert!(ended[2].is_ok());
            assert_ne!(ended[0].is_ok(), ended[1].is_ok(), "{ended:?}");
            let now = manager.statistics();
            assert_eq!((now.active, now.locked, now.remembered_commits), (0, 0, 0));
        },
        schedules(),
    );
}

/// A transaction is committed or terminated, never both and never half.
#[test]
fn termination_and_commit_exclude_each_other() {
    shuttle::check_random(
        || {
            let (manager, id, tx) = begun(Settings::default());
            let (who, killer) = (tx.id(), Arc::clone(&manager));
            let killer = shuttle::thread::spawn(move || killer.terminate(who));
            let is_committed = commit(tx).is_ok();
            let is_terminated = killer.join().expect("it did not panic");
            // Too late is neither.
            assert!(!(is_committed && is_terminated));
            assert!(is_committed || is_terminated);
            assert_eq!(labels(&manager, id), usize::from(is_committed));
            assert_eq!(manager.statistics().locked, 0);
        },
        schedules(),
    );
}

/// Locks of an overdue transaction are taken while it commits, or not: the next
/// one writes over nothing that it has not seen.
#[test]
fn locks_are_not_taken_from_a_commit() {
    shuttle::check_random(
        || {
            let clock = Arc::new(ManualClock::default());
            let second = std::time::Duration::from_secs(1);
            let (manager, id, tx) = begun(Settings {
                timeout: Some(second),
                clock: Arc::clone(&clock) as Arc<_>,
                ..Settings::default()
            });
            let next = Arc::clone(&manager);
            let next = shuttle::thread::spawn(move || {
                let mut tx = next.begin(&TransactionOptions {
                    timeout: Some(10 * second),
                    ..TransactionOptions::default()
                });
                clock.advance(second);
                relabel(&mut tx, id).and_then(|()| commit(tx)).is_ok()
            });
            let committed = usize::from(commit(tx).is_ok());
            let next = usize::from(next.join().expect("it did not panic"));
            assert_eq!(labels(&manager, id), committed + next);
            assert_eq!(manager.statistics().locked, 0);
        },
        schedules(),
    );
}
