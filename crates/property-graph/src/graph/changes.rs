//! Queue of the nodes that commits changed, for followers of a graph.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// Nodes that one commit changed, made or deleted.
#[derive(Clone, Debug)]
struct Change {
    csn: u64,
    nodes: Range<u32>,
}

/// The changes of commits that a follower has not taken yet. Holds 16 bytes a
/// change, and not more of them than it was made for.
#[derive(Debug)]
pub struct Changes {
    limit: usize,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    /// Ascending by commit.
    changes: VecDeque<Change>,
    /// Of commits up to this one, not all changes are here.
    lost: u64,
}

impl Queue {
    /// Position of the first change after a commit.
    fn after(&self, csn: u64) -> usize {
        self.changes.partition_point(|change| change.csn <= csn)
    }
}

impl Changes {
    fn new(limit: usize, lost: u64) -> Self {
        let queue = Queue {
            changes: VecDeque::new(),
            lost,
        };
        Changes {
            limit,
            queue: Mutex::new(queue),
        }
    }

    fn push(&self, csn: u64, nodes: &[Range<u32>]) {
        let mut queue = self.queue.lock();
        if queue.changes.len() + nodes.len() > self.limit {
            queue.changes = VecDeque::new();
            queue.lost = csn;
            return;
        }
        let changes = nodes.iter().cloned();
        queue
            .changes
            .extend(changes.map(|nodes| Change { csn, nodes }));
    }

    /// The nodes that commits after one up to another changed, ascending; `None` if
    /// they are not all known any more, or more than `most`.
    pub fn between(&self, after: u64, until: u64, most: usize) -> Option<Vec<u32>> {
        if until <= after {
            return Some(Vec::new());
        }
        let queue = self.queue.lock();
        let range = queue.after(after)..queue.after(until);
        let changes = queue.changes.range(range).map(|change| &change.nodes);
        let count: usize = changes.clone().map(|nodes| nodes.len()).sum();
        if after < queue.lost || count > most {
            return None;
        }
        let mut nodes: Vec<u32> = changes.flat_map(|nodes| nodes.clone()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Some(nodes)
    }

    /// As [`Changes::between`], however many, with the last of the commits that changed
    /// each. Commits wait for a copy of the queue, no longer.
    pub(super) fn latest(&self, after: u64, until: u64) -> Option<Vec<ChangedNodes>> {
        let changes: Vec<Change> = {
            let queue = self.queue.lock();
            if after < queue.lost {
                return None;
            }
            let range = queue.after(after)..queue.after(until).max(queue.after(after));
            queue.changes.range(range).cloned().collect()
        };
        Some(latest_of(&changes))
    }

    /// Drops changes of commits up to this one.
    pub fn forget(&self, until: u64) {
        let mut queue = self.queue.lock();
        let taken = queue.after(until);
        queue.changes.drain(..taken);
        queue.lost = queue.lost.max(until);
    }

    /// Changes that wait.
    pub fn len(&self) -> usize {
        self.queue.lock().changes.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Each node of some changes with the last of their commits, as ranges that have no
/// node twice. `changes` are ascending by commit.
fn latest_of(changes: &[Change]) -> Vec<ChangedNodes> {
    // By first node. From the newest change on: what has a commit keeps it.
    let mut latest: BTreeMap<u32, ChangedNodes> = BTreeMap::new();
    for change in changes.iter().rev() {
        let Range { mut start, end } = change.nodes;
        while start < end {
            let before = latest.range(..=start).next_back();
            if let Some((_, known)) = before.filter(|entry| entry.1.nodes.end > start) {
                start = known.nodes.end;
                continue;
            }
            let next = latest.range(start..).next().map_or(end, |entry| *entry.0);
            let nodes = start..next.min(end);
            start = nodes.end;
            let until = change.csn;
            latest.insert(nodes.start, ChangedNodes { nodes, until });
        }
    }
    latest.into_values().collect()
}

/// Followers of a graph.
#[derive(Debug, Default)]
pub(super) struct Followers(Mutex<Following>);

#[derive(Debug, Default)]
struct Following {
    /// The last commit that was told, also if there was no follower.
    told: u64,
    followers: Vec<Weak<Changes>>,
}

impl Followers {
    /// Tells the nodes that a commit changed: in log order, before it is visible.
    pub(super) fn tell(&self, csn: u64, nodes: &[Range<u32>]) {
        let mut following = self.0.lock();
        following.told = csn;
        if nodes.is_empty() {
            return;
        }
        following.followers.retain(|follower| {
            let follower = follower.upgrade();
            follower
                .inspect(|changes| changes.push(csn, nodes))
                .is_some()
        });
    }

    /// Adds a follower that begins when `visible` is the newest commit that views show.
    /// Commits before the opening were never told, hence the larger of both.
    pub(super) fn add(&self, limit: usize, visible: u64) -> Arc<Changes> {
        let mut following = self.0.lock();
        let changes = Arc::new(Changes::new(limit, following.told.max(visible)));
        following.followers.push(Arc::downgrade(&changes));
        changes
    }
}

/// Nodes of which some may have been changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedNodes {
    /// Their ids; not each of them need be there.
    pub nodes: Range<u32>,
    /// No commit after this one has changed any of them.
    pub until: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_has_the_last_of_its_commits() {
        let mut random = 7u32;
        let mut below = |bound: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % bound
        };
        for _ in 0..500 {
            let mut changes = Vec::new();
            let mut expected = BTreeMap::new();
            for csn in 1..u64::from(below(12)) {
                let start = below(40);
                let nodes = start..start + below(15);
                expected.extend(nodes.clone().map(|node| (node, csn)));
                changes.push(Change { csn, nodes });
            }
            let latest = latest_of(&changes);
            let each = latest.iter().flat_map(|changed| {
                let until = changed.until;
                changed.nodes.clone().map(move |node| (node, until))
            });
            let each: Vec<(u32, u64)> = each.collect();
            assert!(
                each.windows(2).all(|pair| pair[0].0 < pair[1].0),
                "{latest:?}"
            );
            assert_eq!(each, expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_load_of_many_nodes_is_one_range() {
        let changes = Changes::new(10, 0);
        changes.push(1, std::slice::from_ref(&(0..u32::MAX)));
        changes.push(2, std::slice::from_ref(&(7..8)));
        let latest = changes.latest(0, 2).expect("known");
        let ranges: Vec<_> = latest
            .into_iter()
            .map(|changed| (changed.nodes, changed.until))
            .collect();
        assert_eq!(ranges, [(0..7, 1), (7..8, 2), (8..u32::MAX, 1)]);
        changes.forget(1);
        assert!(changes.latest(0, 2).is_none(), "not all is known any more");
        assert!(changes.between(0, 2, 10).is_none());
        assert_eq!(changes.between(1, 2, 10), Some(vec![7]));
    }
}
