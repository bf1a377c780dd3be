//! Conflicts of locks.

use std::sync::Arc;

use evergraph_storage::failpoint;

use super::memory::{Memory, RedoOperations};
use super::subject::commit;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::id::TransactionId;
use crate::transaction::lock::{Held, LockTable, Mode, Resource};
use crate::transaction::{
    CommittedState, Conflict, Retryable, Settings, Transaction, TransactionError,
    TransactionManager, TransactionOptions,
};

type Manager = Arc<TransactionManager<Memory>>;

fn manager() -> Manager {
    TransactionManager::new(Arc::default(), Settings::default())
}

fn begin(manager: &Manager) -> Transaction<Memory> {
    manager.begin(&TransactionOptions::default())
}

fn nodes(manager: &Manager, count: usize) -> Vec<u32> {
    let mut tx = begin(manager);
    let ids = (0..count).map(|_| tx.create_node(NodeRecord::default()).expect("a node"));
    let ids = ids.collect();
    commit(tx).expect("committed");
    ids
}

fn connect(
    tx: &mut Transaction<Memory>,
    source: u32,
    target: u32,
) -> Result<u32, TransactionError> {
    tx.create_relationship(RelationshipRecord {
        kind: 0,
        source,
        target,
        properties: Default::default(),
    })
}

fn relabel(tx: &mut Transaction<Memory>, id: u32) -> Result<(), TransactionError> {
    tx.update_node(id, |node| node.labels.push(9))
}

fn is_conflict<T>(outcome: &Result<T, TransactionError>) -> bool {
    outcome.as_ref().err().is_some_and(Retryable::is_retryable)
}

#[test]
fn the_matrix_of_modes() {
    use Mode::{Exclusive, Share, Update};
    let allowed = [(Share, Share), (Share, Update), (Update, Share)];
    for first in [Share, Update, Exclusive] {
        for second in [Share, Update, Exclusive] {
            let table = LockTable::new(3);
            let node = Resource::Node(1);
            let none = Held::default();
            let mine = table
                .acquire(TransactionId(1), &node, first, none)
                .expect("free");
            let theirs = table.acquire(TransactionId(2), &node, second, none);
            assert_eq!(
                theirs.is_ok(),
                allowed.contains(&(first, second)),
                "{first:?} {second:?}"
            );
            table.release(node.clone(), mine);
            if let Ok(theirs) = theirs {
                table.release(node.clone(), theirs);
            }
            assert_eq!(table.len(), 0);
        }
    }
}

#[test]
fn a_lock_grows_if_nobody_else_minds() {
    let table = LockTable::new(1);
    let node = Resource::Node(1);
    let one = TransactionId(1);
    let none = Held::default();
    let shares = table.acquire(one, &node, Mode::Share, none).expect("free");
    let updates = table
        .acquire(one, &node, Mode::Update, shares)
        .expect("alone");
    let all = table
        .acquire(one, &node, Mode::Exclusive, updates)
        .expect("alone");
    assert!(all.covers(Mode::Share) && all.covers(Mode::Exclusive));
    table.release(node.clone(), all);
    let shares = table.acquire(one, &node, Mode::Share, none).expect("free");
    let other = table
        .acquire(TransactionId(2), &node, Mode::Share, none)
        .expect("shared");
    assert!(table.acquire(one, &node, Mode::Exclusive, shares).is_err());
    table
        .acquire(one, &node, Mode::Update, shares)
        .expect("sharers do not mind");
    table.release(node.clone(), other);
}

/// Any number of transactions may add to a hub, and one may change it meanwhile.
#[test]
fn appending_to_a_hub_does_not_conflict() {
    let manager = manager();
    let hub = nodes(&manager, 1)[0];
    let others = nodes(&manager, 200);
    let mut open: Vec<_> = others.iter().map(|_| begin(&manager)).collect();
    let mut editor = begin(&manager);
    for (tx, &other) in open.iter_mut().zip(&others) {
        connect(tx, other, hub).expect("no conflict");
    }
    relabel(&mut editor, hub).expect("no conflict");
    commit(editor).expect("committed");
    for tx in open {
        commit(tx).expect("committed");
    }
    assert_eq!(manager.statistics().conflicts, 0);
}

#[test]
fn a_node_is_not_deleted_under_a_new_relationship() {
    let manager = manager();
    let ids = nodes(&manager, 2);
    // It is being added.
    let (mut adding, mut deleting) = (begin(&manager), begin(&manager));
    connect(&mut adding, ids[0], ids[1]).expect("no conflict");
    assert!(is_conflict(&deleting.delete_node(ids[1])));
    commit(adding).expect("committed");
    // It was added after the snapshot.
    let attached = Conflict::Attached {
        node: ids[1],
        snapshot: deleting.snapshot(),
    };
    let refused = deleting.detach_delete_node(ids[1]);
    assert_eq!(refused, Err(TransactionError::Conflict(attached)));
    drop(deleting);
    // The other way round: it is being deleted, and was.
    let (mut adding, mut deleting) = (begin(&manager), begin(&manager));
    assert_eq!(
        deleting.delete_node(ids[1]),
        Err(TransactionError::StillConnected(ids[1]))
    );
    assert_eq!(deleting.detach_delete_node(ids[1]), Ok(1));
    assert!(is_conflict(&connect(&mut adding, ids[0], ids[1])));
    commit(deleting).expect("committed");
    assert!(is_conflict(&connect(&mut adding, ids[0], ids[1])));
    drop(adding);
    let late = connect(&mut begin(&manager), ids[0], ids[1]);
    assert_eq!(late, Err(TransactionError::NoNode(ids[1])));
}

#[test]
fn without_the_check_a_relationship_would_lose_its_end() {
    let _armed = failpoint::Scope::armed("transaction.deletes-attached").enter();
    let manager = manager();
    let ids = nodes(&manager, 2);
    let (mut adding, mut deleting) = (begin(&manager), begin(&manager));
    connect(&mut adding, ids[0], ids[1]).expect("no conflict");
    commit(adding).expect("committed");
    assert_eq!(deleting.delete_node(ids[1]), Ok(()));
}

#[test]
fn the_first_to_write_wins() {
    let manager = manager();
    let id = nodes(&manager, 1)[0];
    let (mut first, mut second) = (begin(&manager), begin(&manager));
    relabel(&mut first, id).expect("free");
    assert!(is_conflict(&relabel(&mut second, id)));
    commit(first).expect("committed");
    // It is too late for a snapshot from before.
    let newer = Conflict::Newer {
        resource: Resource::Node(id),
        snapshot: second.snapshot(),
        newest: 2,
    };
    assert_eq!(
        relabel(&mut second, id),
        Err(TransactionError::Conflict(newer))
    );
    drop(second);
    relabel(&mut begin(&manager), id).expect("free");
}

#[test]
fn a_value_that_is_unique_is_given_to_one() {
    let manager = manager();
    let (one, two) = (begin(&manager), begin(&manager));
    one.lock_key(1, b"a").expect("free");
    assert!(is_conflict(&two.lock_key(1, b"a")));
    two.lock_key(1, b"b").expect("another value");
    two.lock_key(2, b"a").expect("another constraint");
    let old = begin(&manager);
    let mut one = one;
    one.create_node(NodeRecord::default()).expect("a node");
    commit(one).expect("committed");
    // Whether it exists cannot be told as of a snapshot from before.
    assert!(is_conflict(&old.lock_key(1, b"a")));
    drop(old);
    begin(&manager).lock_key(1, b"a").expect("free again");
}

#[test]
fn the_schema_changes_when_nobody_writes() {
    let manager = manager();
    let writer = begin(&manager);
    writer.share_schema().expect("free");
    writer.share_schema().expect("its own");
    begin(&manager).share_schema().expect("shared");
    let changer = begin(&manager);
    assert!(is_conflict(&changer.lock_schema()));
    let old = begin(&manager);
    drop(writer);
    changer.lock_schema().expect("free");
    assert!(is_conflict(&old.share_schema()));
    assert_eq!(
        commit(changer),
        Ok(Some(1)),
        "it may be all that a commit does"
    );
    assert!(is_conflict(&old.share_schema()));
    begin(&manager).share_schema().expect("free");
}

#[test]
fn what_a_transaction_made_itself_needs_no_lock() {
    let manager = manager();
    let mut tx = begin(&manager);
    let a = tx.create_node(NodeRecord::default()).expect("a node");
    let b = tx.create_node(NodeRecord::default()).expect("a node");
    connect(&mut tx, a, b).expect("mine");
    relabel(&mut tx, a).expect("mine");
    assert_eq!(manager.statistics().locked, 0);
    assert_eq!(tx.detach_delete_node(a), Ok(1));
    assert_eq!(tx.delete_node(b), Ok(()));
    assert!(!tx.has_effects());
    assert_eq!(commit(tx), Ok(None));
}

/// Locks last until the commit is visible, not until it is in the log.
#[test]
fn commits_in_flight_keep_their_locks() {
    let manager = manager();
    let id = nodes(&manager, 1)[0];
    let mut tx = begin(&manager);
    relabel(&mut tx, id).expect("free");
    let operations = RedoOperations::new(tx.overlay());
    let memory = Arc::clone(manager.state());
    let pending = tx.enqueue(Vec::new(), || Ok(memory.enqueue(operations)));
    let pending = pending.expect("enqueued");
    let active = manager.active()[0].clone();
    assert!(active.is_committing && !manager.terminate(active.id));
    assert!(is_conflict(&relabel(&mut begin(&manager), id)));
    let csn = pending.finish(|csn| Ok::<_, TransactionError>(memory.wait(csn)));
    assert_eq!(csn, Ok(2));
    relabel(&mut begin(&manager), id).expect("free");
}

/// A commit that the log does not take leaves nothing behind.
#[test]
fn a_failed_commit_is_as_a_rollback() {
    let manager = manager();
    let id = nodes(&manager, 1)[0];
    let fail = || TransactionError::NoSavepoint;
    let mut tx = begin(&manager);
    relabel(&mut tx, id).expect("free");
    tx.create_node(NodeRecord::default()).expect("a node");
    let outcome = tx.commit(
        Vec::new(),
        || Err(fail()),
        |()| unreachable!("not enqueued"),
    );
    assert_eq!(outcome, Err(fail()));
    assert!(manager.state().reserved().is_empty());
    let mut tx = begin(&manager);
    relabel(&mut tx, id).expect("free again");
    tx.create_node(NodeRecord::default()).expect("a node");
    let outcome = tx.commit(Vec::new(), || Ok(()), |()| Err(fail()));
    assert_eq!(outcome, Err(fail()));
    // Its record may or may not be in the log: the id is not given away.
    assert_eq!(manager.state().reserved().len(), 1);
    relabel(&mut begin(&manager), id).expect("free again");
    let now = manager.statistics();
    assert_eq!((now.active, now.locked, now.remembered_commits), (0, 0, 0));
}

/// Write sets do not outlive the transactions that may need them.
#[test]
fn commits_are_remembered_as_long_as_somebody_is_older() {
    let manager = manager();
    let ids = nodes(&manager, 2);
    let old = begin(&manager);
    for round in 1..=5 {
        let mut tx = begin(&manager);
        connect(&mut tx, ids[0], ids[1]).expect("no conflict");
        commit(tx).expect("committed");
        assert_eq!(manager.statistics().remembered_commits, round);
    }
    assert_eq!(
        manager.statistics().oldest_snapshot,
        Some(Memory::csn(old.view()))
    );
    drop(old);
    let now = manager.statistics();
    assert_eq!((now.remembered_commits, now.remembered_writes), (0, 0));
}
