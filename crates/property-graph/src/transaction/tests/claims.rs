//! Exclusive locks among transactions that keep coming.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use evergraph_storage::failpoint;

use super::memory::Memory;
use super::subject::commit;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::id::TransactionId;
use crate::transaction::lock::{Held, LockTable, Mode, Refused, Resource};
use crate::transaction::{
    CommittedState, Conflict, ManualClock, RetryPolicy, Settings, Transaction, TransactionError,
    TransactionManager, TransactionOptions,
};

type Manager = Arc<TransactionManager<Memory>>;

fn manager() -> Manager {
    TransactionManager::new(Arc::default(), Settings::default())
}

fn begin(manager: &Manager) -> Transaction<Memory> {
    manager.begin(&TransactionOptions::default())
}

fn nodes<const N: usize>(manager: &Manager) -> [u32; N] {
    let mut tx = begin(manager);
    let ids = [(); N].map(|()| tx.create_node(NodeRecord::default()).expect("a node"));
    commit(tx).expect("committed");
    ids
}

fn connect(tx: &mut Transaction<Memory>, ends: [u32; 2]) -> Result<u32, TransactionError> {
    tx.create_relationship(RelationshipRecord {
        kind: 0,
        source: ends[0],
        target: ends[1],
        properties: Default::default(),
    })
}

fn is_reserved<T>(outcome: &Result<T, TransactionError>) -> bool {
    let Err(TransactionError::Conflict(conflict)) = outcome else {
        return false;
    };
    matches!(conflict, Conflict::Reserved { .. })
}

#[test]
fn what_is_reserved_is_refused_to_the_younger() {
    use Mode::{Exclusive, Share, Update};
    let (table, node, none) = (LockTable::new(1), Resource::Node(1), Held::default());
    let [older, waiting, younger] = [3, 5, 7].map(TransactionId);
    let holder = table
        .acquire(TransactionId(1), &node, Share, none)
        .expect("free");
    table.reserve(&node, younger);
    table.reserve(&node, waiting);
    table.reserve(&node, younger);
    assert_eq!(table.reserved_for(&node), Some(waiting), "the oldest");
    for mode in [Share, Update, Exclusive] {
        let refused = table.acquire(younger, &node, mode, none);
        assert_eq!(refused, Err(Refused::Reserved(waiting)));
    }
    let shared = table
        .acquire(older, &node, Share, none)
        .expect("it is older");
    table.release(node.clone(), shared);
    assert!(table.acquire(waiting, &node, Exclusive, none).is_err());
    table.release(node.clone(), holder);
    let held = table
        .acquire(waiting, &node, Exclusive, none)
        .expect("free");
    table.release(node.clone(), held);
    table.unreserve(&node, younger);
    assert_eq!(table.len(), 1, "it is not the younger's");
    table.unreserve(&node, waiting);
    assert_eq!((table.len(), table.reserved_for(&node)), (0, None));
}

/// A node that is shared all the time: each transaction that adds a relationship to it
/// begins before the one before it ends. Returns whether another deletes it meanwhile, as
/// the attempt that did and the number of relationships then; `None` if that has not
/// happened after `most`.
fn deleted_from_a_relay(most: Option<usize>) -> Option<(usize, usize)> {
    let manager = manager();
    let ends = nodes(&manager);
    let mut last = begin(&manager);
    connect(&mut last, ends).expect("free");
    std::thread::scope(|scope| {
        let (deleter, (tried, hears)) = (Arc::clone(&manager), channel());
        let deleter = scope.spawn(failpoint::hand_on(move || {
            let mut attempts = 0;
            let deleted = deleter.execute(&TransactionOptions::default(), |mut tx| {
                attempts += 1;
                let deleted = tx.detach_delete_node(ends[1]).map(drop);
                let _ = tried.send(());
                deleted.and_then(|()| commit(tx).map(drop))
            });
            deleted.map(|()| attempts)
        }));
        hears.recv().expect("it has tried once");
        for made in 0.. {
            let mut next = begin(&manager);
            let refused = is_reserved(&connect(&mut next, ends));
            if refused || most.is_some_and(|most| made >= most) {
                // The last that shares it ends, or all have had their chance.
                let is_starved = !refused;
                commit(last).expect("it was first");
                drop(next);
                let attempts = deleter.join().expect("it did not panic");
                let now = manager.statistics();
                assert_eq!((now.locked, now.active), (0, 0));
                let memory = manager.state();
                let left = memory.all_relationships(memory.view()).len();
                let attempts = attempts.ok().filter(|_| !is_starved);
                return attempts.map(|attempts| (attempts, left));
            }
            commit(std::mem::replace(&mut last, next)).expect("no conflict");
        }
        unreachable!("it ends when the node is reserved")
    })
}

#[test]
fn a_hub_is_deleted_while_others_keep_adding_to_it() {
    assert_eq!(deleted_from_a_relay(None), Some((2, 0)));
}

#[test]
fn with_a_snapshot_before_its_lock_a_deletion_leaves_relationships() {
    let _armed = failpoint::Scope::armed("transaction.snapshot-before-locks").enter();
    assert_ne!(deleted_from_a_relay(None), Some((2, 0)));
}

#[test]
fn without_reservations_the_deletion_of_a_hub_starves() {
    let _armed = failpoint::Scope::armed("transaction.reservation-ignored").enter();
    assert_eq!(deleted_from_a_relay(Some(2000)), None);
}

/// Relationships that a deletion removes cannot be changed any more once it has had a
/// conflict.
#[test]
fn relationships_of_a_node_that_is_reserved_are_left_alone() {
    let manager = manager();
    let ends = nodes(&manager);
    let mut setup = begin(&manager);
    let (changed, other) = (connect(&mut setup, ends), connect(&mut setup, ends));
    let [changed, other] = [changed, other].map(|id| id.expect("made"));
    commit(setup).expect("committed");
    let mut changing = Some(begin(&manager));
    let change = |tx: &mut Transaction<Memory>, id| tx.update_relationship(id, |_| ());
    change(changing.as_mut().expect("begun"), changed).expect("free");
    let mut attempts = 0;
    let deleted = manager.execute(&TransactionOptions::default(), |mut tx| {
        attempts += 1;
        if attempts == 2 {
            let mut younger = begin(&manager);
            assert!(is_reserved(&change(&mut younger, other)));
            assert!(is_reserved(&younger.delete_relationship(other)));
            assert!(is_reserved(&connect(&mut younger, ends)));
            commit(changing.take().expect("not ended")).expect("it was first");
        }
        let deleted = tx.detach_delete_node(ends[0])?;
        commit(tx)?;
        Ok::<_, TransactionError>(deleted)
    });
    assert_eq!(deleted, Ok(2));
    let newer = "the first change was committed after the second snapshot";
    assert_eq!(attempts, 3, "{newer}");
    assert_eq!(manager.statistics().locked, 0);
}

/// An older transaction is not kept off: the reservation may wait for it.
#[test]
fn who_is_older_is_not_kept_off() {
    let manager = manager();
    let ends = nodes(&manager);
    let (mut older, mut sharer) = (begin(&manager), begin(&manager));
    connect(&mut sharer, ends).expect("free");
    let mut sharer = Some(sharer);
    let mut attempts = 0;
    let locked = manager.execute(&TransactionOptions::default(), |mut tx| {
        attempts += 1;
        if attempts == 1 {
            let outcome = tx.delete_node(ends[1]);
            commit(sharer.take().expect("not ended")).expect("it was first");
            return outcome;
        }
        // It has the node, so that this is a conflict with its holder.
        let held = Conflict::Held {
            resource: Resource::Node(ends[1]),
            holder: Some(tx.id()),
        };
        assert_eq!(connect(&mut older, ends), Err(held.into()));
        Ok(())
    });
    assert_eq!((locked, attempts), (Ok(()), 2));
    connect(&mut older, ends).expect("free");
}

/// A claim gives up at its time, and locks out no transaction afterwards.
#[test]
fn a_claim_ends_at_its_time() {
    let clock = Arc::new(ManualClock::default());
    let settings = Settings {
        clock: Arc::clone(&clock) as Arc<_>,
        ..Settings::default()
    };
    let manager = TransactionManager::new(Arc::<Memory>::default(), settings);
    let writer = begin(&manager);
    writer.share_schema().expect("free");
    let mut attempts = 0;
    let give_up_after = Duration::from_secs(1);
    let options = TransactionOptions {
        retry: RetryPolicy {
            give_up_after,
            ..RetryPolicy::default()
        },
        ..TransactionOptions::default()
    };
    let refused = std::thread::scope(|scope| {
        let (tried, hears) = channel();
        let advance = move || {
            hears.recv().expect("it has tried once");
            clock.advance(give_up_after);
        };
        scope.spawn(advance);
        manager.execute(&options, |tx| {
            attempts += 1;
            let outcome = tx.lock_schema();
            tried.send(()).expect("somebody listens");
            outcome
        })
    });
    let held = Conflict::Held {
        resource: Resource::Schema,
        holder: None,
    };
    assert_eq!((refused, attempts), (Err(held.into()), 1));
    begin(&manager).share_schema().expect("shared");
    drop(writer);
    assert_eq!(manager.statistics().locked, 0);
}

/// A claim takes locks from a holder that is past its time.
#[test]
fn a_claim_takes_the_locks_of_the_overdue() {
    let clock = Arc::new(ManualClock::default());
    let second = Duration::from_secs(1);
    let settings = Settings {
        clock: Arc::clone(&clock) as Arc<_>,
        ..Settings::default()
    };
    let manager = TransactionManager::new(Arc::<Memory>::default(), settings);
    let sleeper = manager.begin(&TransactionOptions {
        timeout: Some(second),
        ..TransactionOptions::default()
    });
    sleeper.share_schema().expect("free");
    let mut attempts = 0;
    let locked = manager.execute(&TransactionOptions::default(), |tx| {
        attempts += 1;
        let outcome = tx.lock_schema();
        clock.advance(second);
        outcome
    });
    assert_eq!((locked, attempts), (Ok(()), 2));
    assert!(sleeper.check().is_err());
}
