//! An ordered map whose copy costs nothing: both share what neither has changed since.
//!
//! A B-tree with counted references. A change copies the nodes on its path that a copy of
//! the map still has, and no others.

use std::ops::{Bound, RangeBounds};
use std::slice;
use std::sync::Arc;

/// Entries of a node, at most.
const MOST: usize = if cfg!(test) { 4 } else { 64 };

type Child<K, V> = (K, Arc<Node<K, V>>);

/// The map.
#[derive(Clone, Debug)]
pub(super) struct SharedMap<K, V> {
    root: Arc<Node<K, V>>,
    len: usize,
}

#[derive(Clone, Debug)]
enum Node<K, V> {
    Leaf(Vec<(K, V)>),
    /// Children, each with a key that is not above its first, and above all before.
    Inner(Vec<Child<K, V>>),
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        SharedMap {
            root: Arc::new(Node::Leaf(Vec::new())),
            len: 0,
        }
    }
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Leaf(entries) => {
                    let at = entries.binary_search_by(|entry| entry.0.cmp(key)).ok()?;
                    return Some(&entries[at].1);
                }
                Node::Inner(children) => node = &children[child_of(children, key)].1,
            }
        }
    }

    /// The value of a key, to be changed.
    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        // What is not there copies nothing.
        self.get(key)?;
        let mut node = Arc::make_mut(&mut self.root);
        loop {
            match node {
                Node::Leaf(entries) => {
                    let at = entries.binary_search_by(|entry| entry.0.cmp(key)).ok()?;
                    return Some(&mut entries[at].1);
                }
                Node::Inner(children) => {
                    let at = child_of(children, key);
                    node = Arc::make_mut(&mut children[at].1);
                }
            }
        }
    }

    /// Sets a value, and gives the old one.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (old, split) = Arc::make_mut(&mut self.root).insert(key, value);
        if let Some(right) = split {
            let left = Arc::clone(&self.root);
            let first = left.first().expect("it was split").clone();
            self.root = Arc::new(Node::Inner(vec![(first, left), right]));
        }
        self.len += usize::from(old.is_none());
        old
    }

    /// Takes an entry out, and gives its value.
    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        self.get(key)?;
        let old = Arc::make_mut(&mut self.root).remove(key);
        while let Node::Inner(children) = &*self.root {
            match &children[..] {
                [] => self.root = SharedMap::default().root,
                [(_, only)] => self.root = Arc::clone(only),
                _ => break,
            }
        }
        self.len -= usize::from(old.is_some());
        old
    }

    /// The last key.
    pub(super) fn last_key(&self) -> Option<&K> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Leaf(entries) => return entries.last().map(|entry| &entry.0),
                Node::Inner(children) => node = &children.last()?.1,
            }
        }
    }

    /// All entries, ascending.
    pub(super) fn iter(&self) -> Entries<'_, K, V> {
        self.range(..)
    }

    /// Entries with keys in a range, ascending.
    pub(super) fn range(&self, range: impl RangeBounds<K>) -> Entries<'_, K, V> {
        let mut entries = Entries {
            above: Vec::new(),
            leaf: [].iter(),
            to: range.end_bound().cloned(),
        };
        entries.descend(&self.root, range.start_bound());
        entries
    }
}

impl<K: Ord + Clone, V: Clone> Node<K, V> {
    fn first(&self) -> Option<&K> {
        match self {
            Node::Leaf(entries) => entries.first().map(|entry| &entry.0),
            Node::Inner(children) => children.first().map(|child| &child.0),
        }
    }

    /// Sets a value. Gives the old one, and the right half of a node that was full.
    fn insert(&mut self, key: K, value: V) -> (Option<V>, Option<Child<K, V>>) {
        match self {
            Node::Leaf(entries) => {
                let at = match entries.binary_search_by(|entry| entry.0.cmp(&key)) {
                    Ok(at) => return (Some(std::mem::replace(&mut entries[at].1, value)), None),
                    Err(at) => at,
                };
                entries.insert(at, (key, value));
                let right = split(entries, at);
                let right = right.map(|right| (right[0].0.clone(), Arc::new(Node::Leaf(right))));
                (None, right)
            }
            Node::Inner(children) => {
                let at = child_of(children, &key);
                let (old, new) = Arc::make_mut(&mut children[at].1).insert(key, value);
                if let Some(new) = new {
                    children.insert(at + 1, new);
                }
                let right = split(children, at + 1);
                let right = right.map(|right| (right[0].0.clone(), Arc::new(Node::Inner(right))));
                (old, right)
            }
        }
    }

    /// Takes an entry out. Nodes are not joined, but empty ones go.
    fn remove(&mut self, key: &K) -> Option<V> {
        match self {
            Node::Leaf(entries) => {
                let at = entries.binary_search_by(|entry| entry.0.cmp(key)).ok()?;
                Some(entries.remove(at).1)
            }
            Node::Inner(children) => {
                let at = child_of(children, key);
                let child = Arc::make_mut(&mut children[at].1);
                let old = child.remove(key);
                if child.is_empty() {
                    children.remove(at);
                }
                old
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Node::Leaf(entries) => entries.is_empty(),
            Node::Inner(children) => children.is_empty(),
        }
    }
}

/// The child that has a key, if any has.
fn child_of<K: Ord, V>(children: &[Child<K, V>], key: &K) -> usize {
    let behind = children.partition_point(|child| child.0 <= *key);
    behind.saturating_sub(1)
}

/// The right part of a node that has too many entries, of which the one at `new` came
/// last. Behind what comes in order nodes are full.
fn split<T>(entries: &mut Vec<T>, new: usize) -> Option<Vec<T>> {
    let at = match new + 1 == entries.len() {
        true => MOST,
        false => MOST / 2,
    };
    (entries.len() > MOST).then(|| entries.split_off(at))
}

/// Entries of a [`SharedMap`], ascending.
pub(super) struct Entries<'a, K, V> {
    /// The children behind the present one, from the root on.
    above: Vec<slice::Iter<'a, Child<K, V>>>,
    leaf: slice::Iter<'a, (K, V)>,
    to: Bound<K>,
}

impl<'a, K: Ord + Clone, V: Clone> Entries<'a, K, V> {
    fn descend(&mut self, mut node: &'a Node<K, V>, from: Bound<&K>) {
        loop {
            match node {
                Node::Leaf(entries) => {
                    let start = match from {
                        Bound::Unbounded => 0,
                        Bound::Included(from) => entries.partition_point(|e| e.0 < *from),
                        Bound::Excluded(from) => entries.partition_point(|e| e.0 <= *from),
                    };
                    self.leaf = entries[start..].iter();
                    return;
                }
                Node::Inner(children) => {
                    let at = match from {
                        Bound::Unbounded => 0,
                        Bound::Included(from) | Bound::Excluded(from) => child_of(children, from),
                    };
                    self.above.push(children[at + 1..].iter());
                    node = &children[at].1;
                }
            }
        }
    }
}

impl<'a, K: Ord + Clone, V: Clone> Iterator for Entries<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.leaf.next() {
                let is_in = match &self.to {
                    Bound::Unbounded => true,
                    Bound::Included(to) => key <= to,
                    Bound::Excluded(to) => key < to,
                };
                if !is_in {
                    (self.above, self.leaf) = (Vec::new(), [].iter());
                    return None;
                }
                return Some((key, value));
            }
            match self.above.last_mut()?.next() {
                Some((_, child)) => self.descend(child, Bound::Unbounded),
                None => drop(self.above.pop()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn is_same(map: &SharedMap<u8, u32>, model: &BTreeMap<u8, u32>) {
        assert_eq!(map.len(), model.len());
        assert_eq!(map.last_key(), model.keys().next_back());
        assert!(map.iter().eq(model.iter()));
        for from in [0, 7, 60, 200] {
            assert_eq!(map.get(&from), model.get(&from));
            let (after, until) = (Bound::Excluded(from), Bound::Included(from + 50));
            assert!(map.range((after, until)).eq(model.range((after, until))));
            assert!(map.range(from..).eq(model.range(from..)));
            assert!(map.range(..from).eq(model.range(..from)));
        }
    }

    proptest! {
        /// A copy stays what it was.
        #[test]
        fn a_map_and_its_copies_are_ordered_maps(
            steps in prop::collection::vec((any::<u8>(), 0..5u8), 0..400),
        ) {
            let (mut map, mut model) = (SharedMap::default(), BTreeMap::new());
            let mut copies = Vec::new();
            for (at, &(key, what)) in steps.iter().enumerate() {
                let value = at as u32;
                match what {
                    0 => prop_assert_eq!(map.remove(&key), model.remove(&key)),
                    1 => {
                        let (own, other) = (map.get_mut(&key), model.get_mut(&key));
                        prop_assert_eq!(&own, &other);
                        if let (Some(own), Some(other)) = (own, other) {
                            (*own, *other) = (value, value);
                        }
                    }
                    _ => prop_assert_eq!(map.insert(key, value), model.insert(key, value)),
                }
                if at % 16 == 0 {
                    copies.push((map.clone(), model.clone()));
                }
            }
            copies.push((map, model));
            copies.iter().for_each(|(map, model)| is_same(map, model));
        }
    }
}
