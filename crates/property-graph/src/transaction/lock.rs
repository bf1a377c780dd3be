//! The lock table.
//!
//! Locks are taken early and kept until the commit is visible. No transaction waits
//! for one, so there are no deadlocks.
//!
//! A resource can be reserved for a transaction that is to have it exclusively
//! ([`Claim`](super::claim::Claim)): younger ones do not get it any more, so that it
//! is free when those that hold it have ended.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use evergraph_storage::failpoint;

use super::id::TransactionId;
use super::sync::{AtomicUsize, Mutex, Ordering, RandomState};

/// Resources that can be locked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// A node.
    Node(u32),
    /// A relationship.
    Relationship(u32),
    /// A value that is to be unique: the number of the constraint and the
    /// encoded value. It need not exist.
    Key(u32, Arc<[u8]>),
    /// Constraints and indexes: shared by transactions that write their subjects,
    /// exclusive for those that change them.
    Schema,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Node(id) => write!(f, "node {id}"),
            Resource::Relationship(id) => write!(f, "relationship {id}"),
            Resource::Key(constraint, _) => write!(f, "a value of constraint {constraint}"),
            Resource::Schema => write!(f, "the schema"),
        }
    }
}

/// How something is locked.
///
/// | | Share | Update | Exclusive |
/// |---|---|---|---|
/// | **Share** | yes | yes | – |
/// | **Update** | yes | – | – |
/// | **Exclusive** | – | – | – |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// It shall go on existing: both ends of a new relationship.
    Share,
    /// Its content is to change.
    Update,
    /// It is to be deleted, or to come into being.
    Exclusive,
}

/// How one transaction holds a resource. Update and Exclusive imply Share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// It counts among the sharers.
    pub(super) shares: bool,
    /// It is the writer, in this mode.
    pub(super) writes: Option<Mode>,
}

impl Held {
    /// Whether nothing needs to be taken for `mode`.
    pub(super) fn covers(self, mode: Mode) -> bool {
        let strongest = self.writes.or(self.shares.then_some(Mode::Share));
        strongest.is_some_and(|held| held >= mode)
    }
}

/// Another transaction is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It holds the resource; `None` if several do.
    Held(Option<TransactionId>),
    /// It is older and waits for the resource.
    Reserved(TransactionId),
}

/// One resource; it is in the table as long as it is locked or reserved.
#[derive(Debug, Default)]
struct Entry {
    sharers: u32,
    writer: Option<(TransactionId, Mode)>,
    /// The oldest transaction that waits for it.
    reserved: Option<TransactionId>,
}

/// Locked resources, in parts that do not wait for each other.
#[derive(Debug)]
pub(super) struct LockTable {
    shards: Box<[Mutex<HashMap<Resource, Entry, RandomState>>]>,
    hasher: RandomState,
    /// Reserved resources.
    reserved: AtomicUsize,
}

impl LockTable {
    /// An empty table of at least one part.
    pub(super) fn new(shards: usize) -> Self {
        let shards = (0..shards.max(1)).map(|_| Mutex::default()).collect();
        LockTable {
            shards,
            hasher: RandomState::default(),
            reserved: AtomicUsize::new(0),
        }
    }

    fn shard(&self, resource: &Resource) -> &Mutex<HashMap<Resource, Entry, RandomState>> {
        let hash = self.hasher.hash_one(resource);
        &self.shards[(hash % self.shards.len() as u64) as usize]
    }

    /// Takes a lock for a transaction that holds `held` of it already, and returns its
    /// new hold.
    pub(super) fn acquire(
        &self,
        by: TransactionId,
        resource: &Resource,
        mode: Mode,
        held: Held,
    ) -> Result<Held, Refused> {
        if held.covers(mode) {
            return Ok(held);
        }
        let mut shard = self.shard(resource).lock();
        let entry = shard.entry(resource.clone());
        let entry = match entry {
            Slot::Occupied(entry) => {
                entry.get().check(by, mode, held)?;
                entry.into_mut()
            }
            Slot::Vacant(entry) => entry.insert(Entry::default()),
        };
        let mut now = held;
        if mode == Mode::Share {
            entry.sharers += 1;
            now.shares = true;
        } else {
            entry.writer = Some((by, mode));
            now.writes = Some(mode);
        }
        entry.invariants(now);
        debug_assert!(now.covers(mode), "asked for {mode:?}, holds {now:?}");
        Ok(now)
    }

    /// Gives back all that a transaction holds of a resource.
    pub(super) fn release(&self, resource: Resource, held: Held) {
        let mut shard = self.shard(&resource).lock();
        let Slot::Occupied(mut slot) = shard.entry(resource) else {
            return;
        };
        let entry = slot.get();
        debug_assert!(
            entry.sharers >= u32::from(held.shares)
                && (held.writes.is_none() || entry.writer.is_some()),
            "{} is held as {held:?}, the table has {entry:?}",
            slot.key()
        );
        let entry = slot.get_mut();
        if held.shares {
            entry.sharers = entry.sharers.saturating_sub(1);
        }
        if held.writes.is_some() {
            entry.writer = None;
        }
        if entry.is_unused() {
            slot.remove();
        }
    }

    /// Reserves a resource, unless it is reserved for an older transaction. A younger
    /// one loses its reservation.
    pub(super) fn reserve(&self, resource: &Resource, by: TransactionId) {
        let mut shard = self.shard(resource).lock();
        let entry = shard.entry(resource.clone()).or_default();
        if entry.reserved.is_none() {
            self.reserved.fetch_add(1, Ordering::Relaxed);
        }
        entry.reserved = Some(entry.reserved.map_or(by, |other| other.min(by)));
    }

    /// Gives up a reservation, if the transaction has it.
    pub(super) fn unreserve(&self, resource: &Resource, by: TransactionId) {
        let mut shard = self.shard(resource).lock();
        let Some(entry) = shard.get_mut(resource) else {
            return;
        };
        if entry.reserved != Some(by) {
            return;
        }
        entry.reserved = None;
        if entry.is_unused() {
            shard.remove(resource);
        }
        self.reserved.fetch_sub(1, Ordering::Relaxed);
    }

    /// For which transaction a resource is reserved. Costs nothing where nothing is
    /// reserved at all.
    pub(super) fn reserved_for(&self, resource: &Resource) -> Option<TransactionId> {
        if self.reserved.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let shard = self.shard(resource).lock();
        shard.get(resource).and_then(|entry| entry.reserved)
    }

    /// Number of resources that are locked or reserved.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }
}

impl Entry {
    /// Panics in debug builds if two hold it that must not; `newest` is the hold that was
    /// granted last.
    fn invariants(&self, newest: Held) {
        if !cfg!(debug_assertions) {
            return;
        }
        let is_exclusive = matches!(self.writer, Some((_, Mode::Exclusive)));
        let others = self.sharers > u32::from(newest.shares);
        assert!(
            !(is_exclusive && others),
            "exclusive, and shared with others: {self:?}"
        );
        assert!(
            self.writer.is_none_or(|(_, mode)| mode != Mode::Share),
            "a writer that shares: {self:?}"
        );
    }

    /// Whether the others let `by` have it in `mode`.
    fn check(&self, by: TransactionId, mode: Mode, held: Held) -> Result<(), Refused> {
        if let Some(older) = self.reserved.filter(|&reserved| reserved < by)
            && !failpoint!("transaction.reservation-ignored")
        {
            return Err(Refused::Reserved(older));
        }
        if let Some((writer, its)) = self.writer.filter(|writer| writer.0 != by)
            && (mode != Mode::Share || its == Mode::Exclusive)
        {
            return Err(Refused::Held(Some(writer)));
        }
        if mode == Mode::Exclusive && self.sharers > u32::from(held.shares) {
            return Err(Refused::Held(None));
        }
        Ok(())
    }

    fn is_unused(&self) -> bool {
        self.sharers == 0 && self.writer.is_none() && self.reserved.is_none()
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Entry, Held, LockTable, Mode, Resource, TransactionId};

    #[test]
    #[should_panic(expected = "shared with others")]
    fn what_is_exclusive_is_not_shared() {
        let entry = Entry {
            sharers: 1,
            writer: Some((TransactionId(1), Mode::Exclusive)),
            reserved: None,
        };
        entry.invariants(Held::default());
    }

    #[test]
    #[should_panic(expected = "a writer that shares")]
    fn a_writer_does_more_than_share() {
        let entry = Entry {
            sharers: 0,
            writer: Some((TransactionId(1), Mode::Share)),
            reserved: None,
        };
        entry.invariants(Held::default());
    }

    #[test]
    #[should_panic(expected = "the table has")]
    fn what_is_released_was_held() {
        let table = LockTable::new(1);
        let (resource, none) = (Resource::Node(1), Held::default());
        let held = table.acquire(TransactionId(1), &resource, Mode::Share, none);
        assert!(held.unwrap().shares);
        let writes = Held {
            shares: false,
            writes: Some(Mode::Update),
        };
        table.release(resource, writes);
    }
}
