//! Vectors in the index and their nodes, by the keys they have there.

use std::collections::{BTreeSet, HashMap};

/// A vector in the index: the node above, a number of its own below.
pub(crate) type Key = u64;

/// The node of a key.
pub(crate) fn node_of(key: Key) -> u32 {
    (key >> 32) as u32
}

/// The vectors in the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Items {
    /// Numbers of those that nodes have, as far as the index goes.
    pub(crate) newest: HashMap<u32, u32>,
    /// Vectors that only older views and snapshots show.
    pub(crate) old: BTreeSet<Key>,
    /// The next number.
    pub(crate) next: u32,
}

impl Items {
    /// A key for a vector of a node; `None` if all numbers were given.
    pub(crate) fn key(&mut self, node: u32) -> Option<Key> {
        let number = self.next;
        self.next = number.checked_add(1)?;
        Some((u64::from(node) << 32) | u64::from(number))
    }

    /// The key of the vector that a node has.
    fn newest_of(&self, node: u32) -> Option<Key> {
        let number = self.newest.get(&node)?;
        Some((u64::from(node) << 32) | u64::from(*number))
    }

    /// All keys of a node.
    pub(crate) fn of(&self, node: u32) -> Vec<Key> {
        let first = u64::from(node) << 32;
        let old = self.old.range(first..=(first | u64::from(u32::MAX)));
        self.newest_of(node)
            .into_iter()
            .chain(old.copied())
            .collect()
    }

    /// A node has another vector from now on, or none; the one it had is old.
    pub(crate) fn set_newest(&mut self, node: u32, key: Option<Key>) {
        if let Some(before) = self.newest_of(node) {
            self.old.insert(before);
        }
        match key {
            Some(key) => {
                self.old.remove(&key);
                self.newest.insert(node, key as u32);
            }
            None => {
                self.newest.remove(&node);
            }
        }
    }

    /// A vector is not in the index after all.
    pub(crate) fn forget(&mut self, key: Key) {
        self.old.remove(&key);
        if self.newest_of(node_of(key)) == Some(key) {
            self.newest.remove(&node_of(key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_its_newest_vector_and_the_old_ones() {
        let mut items = Items::default();
        let (a, b) = (items.key(7).unwrap(), items.key(7).unwrap());
        let other = items.key(8).unwrap();
        items.set_newest(8, Some(other));
        items.set_newest(7, Some(a));
        items.set_newest(7, Some(b));
        assert_eq!((items.newest_of(7), items.of(7)), (Some(b), vec![b, a]));
        items.set_newest(7, Some(a));
        assert_eq!(items.of(7), [a, b], "the first vector again");
        items.set_newest(7, None);
        assert_eq!((items.newest_of(7), items.of(7)), (None, vec![a, b]));
        assert_eq!((items.of(8), node_of(other)), (vec![other], 8));
        items.forget(b);
        items.set_newest(7, Some(a));
        items.forget(a);
        assert!(items.of(7).is_empty());
        items.next = u32::MAX;
        assert_eq!(items.key(7), None, "no number is given twice");
    }
}
