//! Changes of a transaction in the orders of indexes, so that the cost of a lookup
//! depends on its hits, however much was written.
//!
//! An order is made by the first lookup that needs it, and follows every change from
//! then on, also those that go back to a savepoint. One that a copy of the changes needed
//! is made before the next copy, so that it is made once, however many copies there are.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph_storage::failpoint;
use parking_lot::Mutex;

use super::Change;
use super::map::SharedMap;

/// Bytes of an entry beside its key: a place in the tree, which is part empty.
const ENTRY_BYTES: usize = 48;

/// How an index sees records.
pub(crate) trait KeyOf<R>: Send + Sync {
    /// The key under which it has a record; `None` if it does not have it.
    fn key_of(&self, record: &R) -> Option<Vec<u8>>;
}

/// Records as they are now, in the order of one index.
struct Order<R> {
    by: Arc<dyn KeyOf<R>>,
    entries: SharedMap<(Arc<[u8]>, u32), ()>,
}

impl<R> Clone for Order<R> {
    fn clone(&self) -> Self {
        Order {
            by: Arc::clone(&self.by),
            entries: self.entries.clone(),
        }
    }
}

/// How indexes see records, by their number.
type Wanted<R> = BTreeMap<u32, Arc<dyn KeyOf<R>>>;

/// The orders that were asked for, by the number of the index.
pub(super) struct Orders<R> {
    orders: Mutex<BTreeMap<u32, Order<R>>>,
    /// Of which a lookup made an order, in any copy.
    wanted: Arc<Mutex<Wanted<R>>>,
    bytes: AtomicUsize,
    /// Entries that lookups have looked at, and changes that orders were made of.
    #[cfg(test)]
    visited: AtomicUsize,
}

impl<R> Default for Orders<R> {
    fn default() -> Self {
        Orders {
            orders: Mutex::default(),
            wanted: Arc::default(),
            bytes: AtomicUsize::new(0),
            #[cfg(test)]
            visited: AtomicUsize::new(0),
        }
    }
}

impl<R> Clone for Orders<R> {
    fn clone(&self) -> Self {
        Orders {
            orders: Mutex::new(self.orders.lock().clone()),
            wanted: Arc::clone(&self.wanted),
            bytes: AtomicUsize::new(self.bytes()),
            #[cfg(test)]
            visited: AtomicUsize::new(self.visited()),
        }
    }
}

impl<R> fmt::Debug for Orders<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let orders = self.orders.lock();
        let entries = orders
            .iter()
            .map(|(number, order)| (number, &order.entries));
        f.debug_map().entries(entries).finish()
    }
}

impl<R> Order<R> {
    fn of(by: &Arc<dyn KeyOf<R>>, changes: &SharedMap<u32, Change<R>>) -> Self {
        let entry = |(&id, change): (&u32, &Change<R>)| {
            let key = by.key_of(change.after.as_deref()?)?;
            Some((Arc::from(key), id))
        };
        let mut entries = SharedMap::default();
        for entry in changes.iter().filter_map(entry) {
            entries.insert(entry, ());
        }
        Order {
            by: Arc::clone(by),
            entries,
        }
    }

    fn bytes(&self) -> usize {
        let keys = self.entries.iter().map(|((key, _), ())| key.len());
        keys.sum::<usize>() + self.entries.len() * ENTRY_BYTES
    }
}

impl<R> Orders<R> {
    /// The records with keys from one on up to another, exclusively, by key and id.
    /// O(log) for each; the first lookup by an index goes through all changes.
    pub(super) fn range(
        &self,
        number: u32,
        by: &Arc<dyn KeyOf<R>>,
        changes: &SharedMap<u32, Change<R>>,
        from: &[u8],
        to: Option<&[u8]>,
    ) -> Vec<u32> {
        if changes.is_empty() || to.is_some_and(|to| to <= from) {
            return Vec::new();
        }
        let mut orders = self.orders.lock();
        let order = orders.entry(number).or_insert_with(|| {
            self.wanted.lock().insert(number, Arc::clone(by));
            self.made(by, changes)
        });
        let bound = |key: &[u8]| (Arc::from(key), 0);
        let to = to.map_or(Bound::Unbounded, |to| Bound::Excluded(bound(to)));
        let found = order.entries.range((Bound::Included(bound(from)), to));
        let found: Vec<u32> = found.map(|((_, id), ())| *id).collect();
        self.visit(1 + found.len());
        found
    }

    fn made(&self, by: &Arc<dyn KeyOf<R>>, changes: &SharedMap<u32, Change<R>>) -> Order<R> {
        let order = Order::of(by, changes);
        self.bytes.fetch_add(order.bytes(), Ordering::Relaxed);
        self.visit(changes.len());
        order
    }

    /// A copy; what other copies made is made here before.
    pub(super) fn copy(&self, changes: &SharedMap<u32, Change<R>>) -> Self {
        let wanted = self.wanted.lock().clone();
        let mut orders = self.orders.lock();
        for (number, by) in wanted {
            orders
                .entry(number)
                .or_insert_with(|| self.made(&by, changes));
        }
        drop(orders);
        self.clone()
    }

    /// A record is another from now on.
    pub(super) fn follow(&mut self, id: u32, old: Option<&R>, new: Option<&R>) {
        failpoint!("overlay.order-stale" => {
            return;
        });
        let bytes = self.bytes.get_mut();
        for order in self.orders.get_mut().values_mut() {
            let key_of = |record: Option<&R>| order.by.key_of(record?).map(Arc::<[u8]>::from);
            let (old, new) = (key_of(old), key_of(new));
            if old == new {
                continue;
            }
            if let Some(key) = old {
                *bytes -= key.len() + ENTRY_BYTES;
                order.entries.remove(&(key, id));
            }
            if let Some(key) = new {
                *bytes += key.len() + ENTRY_BYTES;
                order.entries.insert((key, id), ());
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Panics if an order is not that of the changes.
    pub(super) fn invariants(&self, changes: &SharedMap<u32, Change<R>>) {
        let orders = self.orders.lock();
        for (number, order) in &*orders {
            assert!(
                order
                    .entries
                    .iter()
                    .eq(Order::of(&order.by, changes).entries.iter()),
                "the order of index {number} is not that of what was changed"
            );
        }
        let bytes = orders.values().map(Order::bytes);
        assert_eq!(self.bytes(), bytes.sum(), "DRAM of orders");
    }

    #[cfg(not(test))]
    fn visit(&self, _: usize) {}

    #[cfg(test)]
    fn visit(&self, entries: usize) {
        self.visited.fetch_add(entries, Ordering::Relaxed);
    }

    /// Entries that lookups have looked at.
    #[cfg(test)]
    pub(super) fn visited(&self) -> usize {
        self.visited.load(Ordering::Relaxed)
    }
}
