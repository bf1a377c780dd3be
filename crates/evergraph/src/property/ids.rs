//! Mapping from the ids in files to nodes.

use std::collections::HashMap;
use std::sync::Arc;

use evergraph_io::interchange::{ExternalId, Id};
use foldhash::fast::RandomState;

use super::NodeId;

/// Nodes by the ids that files give them. Some 20 bytes for an integer; for a text
/// some 40 and its bytes.
#[derive(Default)]
pub(super) struct NodeIds {
    /// One for each kind of node, at most some dozens.
    spaces: Vec<(Arc<str>, Space)>,
}

/// Nodes by the ids of one space.
#[derive(Default)]
pub(super) struct Space {
    integers: Integers,
    texts: HashMap<Arc<str>, NodeId, RandomState>,
}

/// Nodes by integers: those that are not much larger than there are, by position.
#[derive(Default)]
struct Integers {
    /// One more than the node of each integer from 0 on; 0 of none.
    dense: Vec<u32>,
    sparse: HashMap<i64, NodeId, RandomState>,
    count: usize,
}

impl Integers {
    /// Entries of `dense` that are worth their DRAM without any integer.
    const LEAST: usize = 1 << 12;

    #[inline]
    fn get(&self, number: i64) -> Option<NodeId> {
        let at = usize::try_from(number).ok();
        match at.and_then(|at| self.dense.get(at)) {
            Some(&node) if node > 0 => Some(NodeId(node - 1)),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&number).copied(),
        }
    }

    /// Returns whether the integer was not there; else nothing changes.
    fn insert(&mut self, number: i64, node: NodeId) -> bool {
        if self.get(number).is_some() {
            return false;
        }
        self.count += 1;
        let most = Self::LEAST.max(3 * self.count);
        let at = usize::try_from(number).ok().filter(|&at| at < most);
        match (at, node.0.checked_add(1)) {
            (Some(at), Some(entry)) => {
                if at >= self.dense.len() {
                    self.dense.resize(at + 1, 0);
                }
                self.dense[at] = entry;
            }
            _ => drop(self.sparse.insert(number, node)),
        }
        true
    }

    fn remove(&mut self, number: i64) {
        let at = usize::try_from(number).ok();
        let was_there = match at.and_then(|at| self.dense.get_mut(at)) {
            Some(node) if *node > 0 => {
                *node = 0;
                true
            }
            _ => self.sparse.remove(&number).is_some(),
        };
        self.count -= usize::from(was_there);
    }
}

impl Space {
    /// The node of an id.
    #[inline]
    pub fn get(&self, id: &Id) -> Option<NodeId> {
        match id {
            Id::Integer(number) => self.integers.get(*number),
            Id::Text(text) => self.texts.get(text).copied(),
        }
    }

    /// The node of an integer.
    #[inline]
    pub fn integer(&self, number: i64) -> Option<NodeId> {
        self.integers.get(number)
    }

    /// The node of a text.
    pub fn text(&self, text: &Arc<str>) -> Option<NodeId> {
        self.texts.get(text).copied()
    }

    /// Gives an id to a node. Returns whether nothing had it; else nothing changes.
    pub fn insert(&mut self, id: &Id, node: NodeId) -> bool {
        use std::collections::hash_map::Entry;
        match id {
            Id::Integer(number) => self.integers.insert(*number, node),
            Id::Text(text) => match self.texts.entry(Arc::clone(text)) {
                Entry::Vacant(free) => {
                    free.insert(node);
                    true
                }
                Entry::Occupied(_) => false,
            },
        }
    }

    /// Nothing has the id any more.
    pub fn remove(&mut self, id: &Id) {
        match id {
            Id::Integer(number) => self.integers.remove(*number),
            Id::Text(text) => drop(self.texts.remove(text)),
        }
    }
}

impl NodeIds {
    /// The node of an id.
    pub fn get(&self, id: &ExternalId) -> Option<NodeId> {
        self.space(&id.space)?.get(&id.id)
    }

    /// The ids of a space, if it has any.
    pub fn space(&self, name: &Arc<str>) -> Option<&Space> {
        Some(&self.spaces[self.position(name)?].1)
    }

    /// The ids of a space.
    pub fn space_mut(&mut self, name: &Arc<str>) -> &mut Space {
        let at = self.position(name).unwrap_or_else(|| {
            let space = (Arc::clone(name), Space::default());
            self.spaces.push(space);
            self.spaces.len() - 1
        });
        &mut self.spaces[at].1
    }

    /// Whether a space has ids that are integers, and texts.
    pub fn kinds(&self, name: &Arc<str>) -> (bool, bool) {
        self.space(name).map_or((false, false), |space| {
            (space.integers.count > 0, !space.texts.is_empty())
        })
    }

    /// Gives an id to a node. Returns whether nothing had it; else nothing changes.
    pub fn insert(&mut self, id: &ExternalId, node: NodeId) -> bool {
        self.space_mut(&id.space).insert(&id.id, node)
    }

    /// Nothing has the id any more.
    pub fn remove(&mut self, id: &ExternalId) {
        if let Some(at) = self.position(&id.space) {
            self.spaces[at].1.remove(&id.id);
        }
    }

    /// Rows of one file share the name of their space.
    fn position(&self, name: &Arc<str>) -> Option<usize> {
        let mut spaces = self.spaces.iter();
        let same = spaces.position(|space| Arc::ptr_eq(&space.0, name));
        same.or_else(|| self.spaces.iter().position(|space| space.0 == *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_their_space_and_kind() {
        let mut ids = NodeIds::default();
        let all = [
            ExternalId::integer(7),
            ExternalId::text("7"),
            ExternalId::integer(7).within("Person"),
            ExternalId::text("7").within("Person"),
        ];
        for (node, id) in (0..).zip(&all) {
            assert!(ids.insert(id, NodeId(node)), "{id:?}");
            assert!(!ids.insert(id, NodeId(99)), "{id:?} is taken");
        }
        for (node, id) in (0..).zip(&all) {
            assert_eq!(ids.get(&id.clone()), Some(NodeId(node)));
        }
        assert_eq!(ids.get(&ExternalId::integer(8)), None);
        assert_eq!(ids.get(&ExternalId::integer(7).within("Post")), None);
        ids.remove(&all[2]);
        assert_eq!(ids.get(&all[2]), None);
        assert_eq!(ids.get(&all[3]), Some(NodeId(3)));
    }

    /// Against a map.
    #[test]
    fn integers_near_and_far_are_found() {
        let (mut ids, mut known) = (NodeIds::default(), HashMap::new());
        let mut state = 7_u64;
        for node in 0..20_000_u32 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let random = (state >> 33) as i64;
            let number = match node % 5 {
                0 => random % 1000 - 500,
                1 => random % 70_000,
                2 => i64::MAX - random % 100,
                3 => i64::MIN + random % 100,
                _ => i64::from(node),
            };
            let id = ExternalId::integer(number);
            if node % 7 == 0 {
                ids.remove(&id);
                known.remove(&number);
            }
            let is_new = !known.contains_key(&number);
            known.entry(number).or_insert(NodeId(node));
            assert_eq!(ids.insert(&id, NodeId(node)), is_new, "{number}");
            assert_eq!(ids.get(&id), known.get(&number).copied(), "{number}");
        }
        for number in -1000..80_000 {
            let found = ids.get(&ExternalId::integer(number));
            assert_eq!(found, known.get(&number).copied(), "{number}");
        }
    }
}
