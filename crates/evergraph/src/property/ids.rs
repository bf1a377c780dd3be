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

#[derive(Default)]
struct Space {
    integers: HashMap<i64, NodeId, RandomState>,
    texts: HashMap<Arc<str>, NodeId, RandomState>,
}

impl NodeIds {
    /// The node of an id.
    pub fn get(&self, id: &ExternalId) -> Option<NodeId> {
        let space = &self.spaces[self.position(&id.space)?].1;
        match &id.id {
            Id::Integer(number) => space.integers.get(number),
            Id::Text(text) => space.texts.get(text),
        }
        .copied()
    }

    /// Gives an id to a node. Returns whether nothing had it; else nothing changes.
    pub fn insert(&mut self, id: &ExternalId, node: NodeId) -> bool {
        let at = self.position(&id.space).unwrap_or_else(|| {
            let space = (Arc::clone(&id.space), Space::default());
            self.spaces.push(space);
            self.spaces.len() - 1
        });
        use std::collections::hash_map::Entry;
        let space = &mut self.spaces[at].1;
        let is_new = match &id.id {
            Id::Integer(number) => match space.integers.entry(*number) {
                Entry::Vacant(free) => Some(free.insert(node)),
                Entry::Occupied(_) => None,
            },
            Id::Text(text) => match space.texts.entry(Arc::clone(text)) {
                Entry::Vacant(free) => Some(free.insert(node)),
                Entry::Occupied(_) => None,
            },
        };
        is_new.is_some()
    }

    /// Nothing has the id any more.
    pub fn remove(&mut self, id: &ExternalId) {
        if let Some(at) = self.position(&id.space) {
            let space = &mut self.spaces[at].1;
            match &id.id {
                Id::Integer(number) => space.integers.remove(number),
                Id::Text(text) => space.texts.remove(text),
            };
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
}
