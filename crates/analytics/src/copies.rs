//! Sealed copies in memory that a database keeps for the next run.

use std::sync::Arc;

use evergraph_graph::{Compressed, Csr};
use parking_lot::Mutex;

/// The lists that a sealed graph holds; sorted but for the first.
#[derive(Clone, std::marker::Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Content {
    /// Stored lists, in their order.
    InOrder,
    /// Stored lists.
    Stored,
    /// Out- and in-lists.
    InLists,
    /// Of out- and in-lists a simple graph.
    Simple,
    /// Each edge at both ends.
    Undirected,
    /// Each edge at both ends, once.
    SimpleUndirected,
}

/// Identity of a copy: its commit, and the lists that it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub csn: u64,
    /// The part of the graph that it is of, or projection of a property graph.
    pub part: Option<Arc<str>>,
    pub lists: Content,
    pub compressed: bool,
}

/// A copy.
#[derive(Clone)]
pub(crate) enum Copy {
    Sealed(Arc<Csr>),
    Compressed(Arc<Compressed>),
}

impl Copy {
    /// DRAM that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = match self {
            Copy::Sealed(graph) => graph.size_bytes(),
            Copy::Compressed(graph) => graph.size_bytes(),
        };
        bytes as u64
    }
}

/// Copies in the order in which they were used, the latest last.
pub(crate) struct Copies {
    budget: u64,
    kept: Mutex<Vec<(Key, Copy)>>,
}

impl Copies {
    /// Keeps `budget` bytes at most.
    pub(crate) fn new(budget: u64) -> Self {
        Copies {
            budget,
            kept: Mutex::new(Vec::new()),
        }
    }

    /// The copy, if it is kept.
    pub(crate) fn get(&self, key: &Key) -> Option<Copy> {
        let mut kept = self.kept.lock();
        let place = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(place);
        let graph = found.1.clone();
        kept.push(found);
        Some(graph)
    }

    /// Keeps a copy, unless it is larger than the budget alone. To make space, copies of
    /// other commits go first, then those least recently used.
    pub(crate) fn keep(&self, key: Key, graph: &Copy) {
        let mut kept = self.kept.lock();
        if graph.bytes() > self.budget || kept.iter().any(|(known, _)| *known == key) {
            return;
        }
        let bytes =
            |kept: &[(Key, Copy)]| -> u64 { kept.iter().map(|(_, graph)| graph.bytes()).sum() };
        while bytes(&kept) + graph.bytes() > self.budget {
            let old = kept.iter().position(|(known, _)| known.csn != key.csn);
            kept.remove(old.unwrap_or(0));
        }
        kept.push((key, graph.clone()));
    }
}

#[cfg(test)]
mod tests {
    use evergraph_graph::StoredLists;

    use super::*;

    fn graph() -> Copy {
        Copy::Sealed(Arc::new(Csr::from_edges(2, &[(0, 1)], StoredLists::Out)))
    }

    fn key(csn: u64, lists: Content) -> Key {
        Key {
            csn,
            part: None,
            lists,
            compressed: false,
        }
    }

    #[test]
    fn copies_of_other_commits_go_first() {
        let graph = graph();
        let sealed = Copies::new(2 * graph.bytes());
        let (a, b, c) = (
            key(1, Content::Stored),
            key(2, Content::Stored),
            key(2, Content::Simple),
        );
        for key in [&b, &a, &c] {
            sealed.keep(key.clone(), &graph);
        }
        let kept = [&a, &b, &c].map(|key| sealed.get(key).is_some());
        assert_eq!(kept, [false, true, true]);
        // `b` was used after `c`, and goes all the same once its commit is old.
        sealed.get(&b);
        sealed.keep(key(3, Content::Stored), &graph);
        assert!(sealed.get(&c).is_none() && sealed.get(&b).is_some());
        // Another part of the same commit is another graph.
        let part = Key {
            part: Some("part".into()),
            ..b
        };
        assert!(sealed.get(&part).is_none());
    }

    #[test]
    fn a_copy_is_kept_once() {
        let graph = graph();
        let sealed = Copies::new(2 * graph.bytes());
        let (a, b) = (key(1, Content::Stored), key(2, Content::Stored));
        for key in [&a, &b, &b] {
            sealed.keep(key.clone(), &graph);
        }
        assert!(sealed.get(&a).is_some() && sealed.get(&b).is_some());
    }

    #[test]
    fn what_is_larger_than_the_budget_is_not_kept() {
        let graph = graph();
        let sealed = Copies::new(graph.bytes() - 1);
        let key = key(1, Content::Stored);
        sealed.keep(key.clone(), &graph);
        assert!(sealed.get(&key).is_none());
    }
}
