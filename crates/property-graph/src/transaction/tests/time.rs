//! Timeouts, termination, and running again.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use super::memory::Memory;
use super::subject::commit;
use crate::record::NodeRecord;
use crate::transaction::{
    Conflict, ManualClock, Resource, RetryPolicy, Settings, TransactionError, TransactionManager,
    TransactionOptions,
};

const SECOND: Duration = Duration::from_secs(1);

fn manager() -> (Arc<TransactionManager<Memory>>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    let settings = Settings {
        timeout: Some(SECOND),
        clock: Arc::clone(&clock) as Arc<_>,
        ..Settings::default()
    };
    (TransactionManager::new(Arc::default(), settings), clock)
}

fn node(manager: &Arc<TransactionManager<Memory>>) -> u32 {
    let mut tx = manager.begin(&TransactionOptions::default());
    let id = tx.create_node(NodeRecord::default()).expect("a node");
    commit(tx).expect("committed");
    id
}

fn options(timeout: Duration) -> TransactionOptions {
    TransactionOptions {
        timeout: Some(timeout),
        ..TransactionOptions::default()
    }
}

#[test]
fn nothing_of_a_late_transaction_is_committed() {
    let (manager, clock) = manager();
    let id = node(&manager);
    let mut late = manager.begin(&TransactionOptions::default());
    late.update_node(id, |node| node.labels.push(1))
        .expect("locked");
    clock.advance(SECOND);
    let error = commit(late).expect_err("too late");
    assert_eq!(error, TransactionError::TimedOut { limit: SECOND });
    let tx = manager.begin(&TransactionOptions::default());
    assert_eq!(
        tx.read::<crate::record::NodeRecord>(id)
            .expect("readable")
            .expect("there")
            .labels,
        []
    );
    let now = manager.statistics();
    assert_eq!((now.locked, now.expired, now.active), (0, 1, 1));
}

#[test]
fn one_in_time_is_not_disturbed() {
    let (manager, clock) = manager();
    let id = node(&manager);
    let mut tx = manager.begin(&options(3 * SECOND));
    clock.advance(2 * SECOND);
    tx.update_node(id, |node| node.labels.push(1))
        .expect("locked");
    assert_eq!(manager.expire_overdue(), 0);
    assert_eq!(commit(tx).expect("in time"), Some(2));
}

/// The locks of a transaction whose owner sleeps can be taken after its time.
#[test]
fn locks_of_an_overdue_transaction_are_taken() {
    let (manager, clock) = manager();
    let id = node(&manager);
    let mut sleeper = manager.begin(&TransactionOptions::default());
    sleeper
        .update_node(id, |node| node.labels.push(1))
        .expect("locked");
    let mut next = manager.begin(&options(5 * SECOND));
    let refused = next.update_node(id, |node| node.labels.push(2));
    let holder = Some(sleeper.id());
    let resource = Resource::Node(id);
    let held = Conflict::Held { resource, holder };
    assert_eq!(refused, Err(TransactionError::Conflict(held)));
    clock.advance(SECOND);
    next.update_node(id, |node| node.labels.push(2))
        .expect("locked");
    assert!(sleeper.update_node(id, |node| node.labels.push(3)).is_err());
    assert!(commit(sleeper).is_err());
    commit(next).expect("committed");
    let tx = manager.begin(&TransactionOptions::default());
    assert_eq!(
        tx.read::<crate::record::NodeRecord>(id)
            .expect("readable")
            .expect("there")
            .labels,
        [2]
    );
}

/// So can those of several, whose names a lock does not keep.
#[test]
fn locks_of_overdue_sharers_are_taken() {
    let (manager, clock) = manager();
    let (a, b) = (node(&manager), node(&manager));
    let connect = |tx: &mut crate::transaction::Transaction<Memory>| {
        tx.create_relationship(crate::record::RelationshipRecord {
            kind: 0,
            source: a,
            target: b,
            properties: Default::default(),
        })
    };
    let mut sleepers = [(); 2].map(|()| manager.begin(&TransactionOptions::default()));
    for sleeper in &mut sleepers {
        connect(sleeper).expect("shared");
    }
    let mut deleter = manager.begin(&options(5 * SECOND));
    assert!(deleter.delete_node(a).is_err());
    clock.advance(SECOND);
    deleter.delete_node(a).expect("nobody else is left");
    commit(deleter).expect("committed");
    assert!(
        sleepers
            .into_iter()
            .map(commit)
            .all(|outcome| outcome.is_err())
    );
}

#[test]
fn a_terminated_transaction_finds_out() {
    let (manager, _) = manager();
    let id = node(&manager);
    let mut tx = manager.begin(&TransactionOptions {
        name: Some("nightly".into()),
        ..TransactionOptions::default()
    });
    tx.update_node(id, |node| node.labels.push(1))
        .expect("locked");
    let active = manager.active();
    assert_eq!((active.len(), active[0].locks), (1, 1));
    assert_eq!(active[0].name.as_deref(), Some("nightly"));
    assert!(manager.terminate(tx.id()));
    assert!(!manager.terminate(tx.id()));
    assert_eq!(manager.statistics().locked, 0);
    let id = tx.id();
    assert_eq!(commit(tx), Err(TransactionError::Terminated(id)));
}

/// Ids that a transaction does not use are free again, at its end.
#[test]
fn unused_ids_are_released() {
    let (manager, _) = manager();
    let mut tx = manager.begin(&TransactionOptions::default());
    tx.create_node(NodeRecord::default()).expect("a node");
    drop(tx);
    assert!(manager.state().reserved().is_empty());
    let mut tx = manager.begin(&TransactionOptions::default());
    let savepoint = tx.savepoint();
    let undone = tx.create_node(NodeRecord::default()).expect("a node");
    tx.rollback_to(savepoint).expect("there");
    let deleted = tx.create_node(NodeRecord::default()).expect("a node");
    tx.delete_node(deleted).expect("mine");
    tx.create_node(NodeRecord::default()).expect("a node");
    assert!(
        manager
            .state()
            .reserved()
            .contains(&(crate::record::EntityKind::Node, undone))
    );
    commit(tx).expect("committed");
    assert!(manager.state().reserved().is_empty());
}

#[test]
fn conflicts_are_tried_again_until_the_policy_gives_up() {
    let conflict = || {
        TransactionError::Conflict(Conflict::Attached {
            node: 1,
            snapshot: 1,
        })
    };
    let policy = RetryPolicy {
        attempts: 4,
        first_pause: 8 * SECOND,
        longest_pause: 20 * SECOND,
        give_up_after: 60 * SECOND,
    };
    let now = Cell::new(Duration::ZERO);
    let run = |attempt: &mut dyn FnMut(u32) -> Result<u32, TransactionError>| {
        let (mut attempts, mut pauses) = (0, Vec::new());
        let outcome = policy.run(
            || now.get(),
            |_, pause| pauses.push(pause),
            || {
                attempts += 1;
                attempt(attempts)
            },
        );
        (outcome, attempts, pauses)
    };
    let (outcome, attempts, pauses) = run(&mut |attempt| match attempt {
        1 | 2 => Err(conflict()),
        other => Ok(other),
    });
    assert_eq!((outcome, attempts, pauses.len()), (Ok(3), 3, 2));
    let (outcome, attempts, pauses) = run(&mut |_| Err(conflict()));
    assert_eq!((outcome, attempts), (Err(conflict()), 4));
    let longest = [8, 16, 20];
    for (pause, longest) in pauses.into_iter().zip(longest) {
        assert!(pause <= longest * SECOND && pause >= longest * SECOND / 2);
    }
    let (outcome, attempts, _) = run(&mut |_| Err(TransactionError::NoNode(1)));
    assert_eq!((outcome, attempts), (Err(TransactionError::NoNode(1)), 1));
    let (_, attempts, _) = run(&mut |_| {
        now.set(now.get() + 31 * SECOND);
        Err(conflict())
    });
    assert_eq!(attempts, 2);
}

/// Every thread that adds one to the same counter gets through.
#[test]
fn threads_that_race_for_a_node_all_get_through() {
    let manager = TransactionManager::new(Arc::<Memory>::default(), Settings::default());
    let id = node(&manager);
    let (threads, rounds) = (4, 50);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..rounds {
                    let options = TransactionOptions::default();
                    let outcome = manager.execute(&options, |mut tx| {
                        tx.update_node(id, |node| node.labels.push(1))?;
                        commit(tx)
                    });
                    outcome.expect("committed in the end");
                }
            });
        }
    });
    let tx = manager.begin(&TransactionOptions::default());
    let labels = tx
        .read::<crate::record::NodeRecord>(id)
        .expect("readable")
        .expect("there")
        .labels
        .len();
    assert_eq!(labels, threads * rounds);
}
