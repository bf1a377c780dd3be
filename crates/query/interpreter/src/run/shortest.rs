//! Shortest paths between two nodes, breadth first from both; where many pairs have an end
//! in common, from that one.

use std::collections::HashMap;

use evergraph_planner::Towards;

use super::{Flow, Result, Run};
use crate::batch::NO_ID;
use crate::graph::Types;
use crate::limits::Account;

/// A relationship that is gone along: where it begins, itself, where it leads.
pub(super) type Hop = (u32, u32, u32);

/// Relationships of nodes that a path may take, forward from its first node or backward
/// from its last.
pub(super) type Hops<'h> = dyn FnMut(&[u32], bool) -> Result<Vec<Hop>> + 'h;

/// Relationships of a path, each with the node behind it.
pub(super) type Found<'f> = dyn FnMut(&[(u32, u32)]) -> Result<Flow> + 'f;

/// Nodes that are expanded at a time: a hub has many relationships.
const NODES: usize = 256;

/// Bytes of a node that is reached, about.
const REACHED: usize = 64;

const WHAT: &str = "nodes that shortest paths reach";

/// What has been reached from one end.
struct Side {
    root: u32,
    /// The relationships that lead to a node on shortest paths, with the nodes before.
    reached: HashMap<u32, Vec<(u32, u32)>, foldhash::fast::RandomState>,
    frontier: Vec<u32>,
    /// The length of paths to the nodes of the frontier.
    length: u64,
}

impl Side {
    fn new(root: u32) -> Self {
        let mut reached = HashMap::default();
        reached.insert(root, Vec::new());
        Side {
            root,
            reached,
            frontier: vec![root],
            length: 0,
        }
    }

    /// Whether it has reached a node, or reaches it by paths of at most so many
    /// relationships.
    fn may_reach(&self, node: u32, most: u64) -> Option<bool> {
        match self.reached.contains_key(&node) {
            true => Some(true),
            false => (self.frontier.is_empty() || self.length >= most).then_some(false),
        }
    }
}

/// A way from where a search began.
struct Way {
    /// The way that it goes on.
    before: u32,
    /// The relationship that it began with.
    first: u32,
    /// The last relationship, and where it leads.
    relationship: u32,
    node: u32,
}

/// The first two ways to each node that began with different relationships.
#[derive(Default)]
struct Ways {
    all: Vec<Way>,
    begun: HashMap<u32, [u32; 2], foldhash::fast::RandomState>,
}

impl Ways {
    /// Adds a way, unless there are two to its node, or one that began alike.
    fn add(&mut self, before: u32, first: u32, (relationship, node): (u32, u32)) {
        let begun = self.begun.entry(node).or_insert([NO_ID; 2]);
        if begun.contains(&first) {
            return;
        }
        if let Some(free) = begun.iter_mut().find(|known| **known == NO_ID) {
            *free = first;
            self.all.push(Way {
                before,
                first,
                relationship,
                node,
            });
        }
    }

    /// A way with one more relationship.
    fn back(&self, mut at: u32, last: (u32, u32)) -> Vec<(u32, u32)> {
        let mut path = vec![last];
        while let Some(way) = self.all.get(at as usize) {
            path.push((way.relationship, way.node));
            at = way.before;
        }
        path.reverse();
        path
    }
}

/// How searches between pairs of nodes go, of an operator whose pairs follow each other:
/// where many have an end in common and have looked at as many relationships as there are,
/// the rest are found by one search from that end.
pub(super) struct Searches<'r> {
    most: u64,
    all: bool,
    /// Relationships in the graph; more than can be where searches differ by row.
    relationships: usize,
    /// The pair before.
    last: Option<(u32, u32)>,
    /// The end that the last pairs have in common, and whether it is their last node.
    common: Option<(u32, bool)>,
    /// Relationships that searches from the common end have looked at.
    looked: usize,
    /// The search from the common end.
    shared: Option<Side>,
    account: Account<'r>,
}

impl Searches<'_> {
    /// Notes the next pair; the end that it has in common with those before.
    fn next(&mut self, (from, to): (u32, u32)) -> Option<(u32, bool)> {
        let common = match self.last {
            Some((last, _)) if last == from => Some((from, false)),
            Some((_, last)) if last == to => Some((to, true)),
            _ => None,
        };
        if common != self.common {
            (self.common, self.looked, self.shared) = (common, 0, None);
            self.account.clear();
        }
        self.last = Some((from, to));
        common.filter(|_| self.looked > self.relationships)
    }
}

impl Run<'_, '_> {
    /// Relationships of nodes.
    pub(super) fn hops(&self, nodes: &[u32], towards: Towards, types: &Types) -> Result<Vec<Hop>> {
        let mut hops = Vec::new();
        for nodes in nodes.chunks(NODES) {
            self.guard.check()?;
            let found = self.graph.expand(nodes, towards, types)?;
            let rows = found.rows.iter().map(|&row| nodes[row as usize]);
            let pairs = found.relationships.iter().zip(&found.neighbors);
            hops.extend(rows.zip(pairs).map(|(from, (&one, &to))| (from, one, to)));
        }
        Ok(hops)
    }

    /// Searches of paths of at most so many relationships, one or all between two nodes.
    /// `is_same` says that they take the same relationships for each row.
    pub(super) fn searches(&self, most: u64, all: bool, is_same: bool) -> Searches<'_> {
        let view = self.graph.committed().filter(|_| is_same);
        let counts = view.and_then(|view| {
            let nodes = usize::try_from(view.node_count().ok()?).ok()?;
            let relationships = usize::try_from(view.relationship_count().ok()?).ok()?;
            // A search from one end may hold all nodes.
            let free = self.guard.memory().saturating_sub(self.guard.used());
            (nodes.saturating_mul(REACHED) < free / 4).then_some(relationships)
        });
        Searches {
            most,
            all,
            relationships: counts.unwrap_or(usize::MAX),
            last: None,
            common: None,
            looked: 0,
            shared: None,
            account: self.guard.account(WHAT),
        }
    }

    /// Gives the shortest paths between two nodes that differ. O(relationships of the nodes
    /// within half their length of an end), and the length of each path; of many pairs
    /// with an end in common together O(relationships).
    pub(super) fn shortest_paths(
        &self,
        searches: &mut Searches<'_>,
        (from, to): (u32, u32),
        hops: &mut Hops<'_>,
        found: &mut Found<'_>,
    ) -> Result<Flow> {
        if let Some((root, is_last)) = searches.next((from, to)) {
            let end = if is_last { from } else { to };
            let mut side = searches.shared.take().unwrap_or_else(|| Side::new(root));
            let is_reached = loop {
                match side.may_reach(end, searches.most) {
                    Some(is_reached) => break is_reached,
                    None => self.go_on(&mut side, (!is_last, searches), hops)?,
                }
            };
            let flow = match is_reached {
                true => self.each_way(&side, end, &mut |way| match is_last {
                    true => found(way),
                    false => found(&turned(end, way)),
                }),
                false => Ok(Flow::Continue),
            };
            searches.shared = Some(side);
            return flow;
        }
        let mut sides = [Side::new(from), Side::new(to)];
        let before = searches.account.bytes();
        let mut meetings: Vec<u32> = Vec::new();
        while meetings.is_empty() {
            let backward = sides[1].frontier.len() < sides[0].frontier.len();
            let length = sides[0].length + sides[1].length;
            let [own, other] = match (&mut sides, backward) {
                ([forward, back], false) => [forward, back],
                ([forward, back], true) => [back, forward],
            };
            if own.frontier.is_empty() || length == searches.most {
                break;
            }
            self.go_on(own, (!backward, searches), hops)?;
            let meets = |node: &&u32| other.reached.contains_key(*node);
            meetings = own.frontier.iter().filter(meets).copied().collect();
        }
        let mut path = Vec::new();
        let mut flow = Flow::Continue;
        for meeting in meetings {
            flow = self.each_way(&sides[0], meeting, &mut |first| {
                self.each_way(&sides[1], meeting, &mut |second| {
                    path = turned(meeting, first);
                    path.extend_from_slice(second);
                    match found(&path)? {
                        Flow::Continue if searches.all => Ok(Flow::Continue),
                        _ => Ok(Flow::Stop),
                    }
                })
            })?;
            if flow == Flow::Stop {
                break;
            }
        }
        searches.account.set(before)?;
        Ok(flow)
    }

    /// The shortest path that ends where it began and takes no relationship twice; `None`
    /// if there is none. Breadth first: a way that began with one relationship is back by
    /// another. Of the ways to a node two that began otherwise are enough, as one of them
    /// did not begin with the relationship that leads back. O(relationships).
    pub(super) fn shortest_round(
        &self,
        searches: &mut Searches<'_>,
        root: u32,
        hops: &mut Hops<'_>,
    ) -> Result<Option<Vec<(u32, u32)>>> {
        let held = searches.account.bytes();
        let mut ways = Ways::default();
        for (_, relationship, node) in hops(&[root], true)? {
            if node == root {
                return Ok(Some(vec![(relationship, root)]));
            }
            ways.add(NO_ID, relationship, (relationship, node));
        }
        let (mut frontier, mut length, mut round) = (0..ways.all.len(), 1, None);
        while round.is_none() && !frontier.is_empty() && length < searches.most {
            let mut at_node: HashMap<u32, Vec<u32>, foldhash::fast::RandomState> =
                HashMap::default();
            for at in frontier {
                let node = ways.all[at].node;
                at_node.entry(node).or_default().push(at as u32);
            }
            let nodes: Vec<u32> = at_node.keys().copied().collect();
            let begin = ways.all.len();
            for (from, relationship, node) in hops(&nodes, true)? {
                self.step()?;
                for &at in &at_node[&from] {
                    let first = ways.all[at as usize].first;
                    if node != root {
                        ways.add(at, first, (relationship, node));
                    } else if relationship != first && round.is_none() {
                        round = Some(ways.back(at, (relationship, root)));
                    }
                }
            }
            frontier = begin..ways.all.len();
            length += 1;
            searches.account.set(held + REACHED * ways.all.len())?;
        }
        searches.account.set(held)?;
        Ok(round)
    }

    /// Reaches the nodes behind the frontier of a side.
    fn go_on(
        &self,
        side: &mut Side,
        (forward, searches): (bool, &mut Searches<'_>),
        hops: &mut Hops<'_>,
    ) -> Result<()> {
        let mut next: HashMap<u32, Vec<(u32, u32)>, foldhash::fast::RandomState> =
            HashMap::default();
        let hops = hops(&side.frontier, forward)?;
        searches.looked += hops.len();
        for (before, relationship, node) in hops {
            self.step()?;
            if !side.reached.contains_key(&node) {
                let ways = next.entry(node).or_default();
                if searches.all || ways.is_empty() {
                    ways.push((relationship, before));
                }
            }
        }
        let relationships: usize = next.values().map(Vec::len).sum();
        searches
            .account
            .add(REACHED * next.len() + 8 * relationships)?;
        side.length += 1;
        side.frontier = next.keys().copied().collect();
        side.reached.extend(next);
        Ok(())
    }

    /// Each way back from a node to where a side began.
    fn each_way(&self, side: &Side, from: u32, found: &mut Found<'_>) -> Result<Flow> {
        let mut stack = vec![(from, 0)];
        let mut way: Vec<(u32, u32)> = Vec::new();
        while let Some((node, place)) = stack.last_mut() {
            self.step()?;
            let next = match *node == side.root {
                true => {
                    if found(&way)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    None
                }
                false => side.reached[node].get(*place).copied(),
            };
            *place += 1;
            match next {
                Some((relationship, before)) => {
                    way.push((relationship, before));
                    stack.push((before, 0));
                }
                None => {
                    stack.pop();
                    way.pop();
                }
            }
        }
        Ok(Flow::Continue)
    }
}

/// A way back to where a search began, from there to a node: each relationship with the
/// node that it leads to.
fn turned(to: u32, way: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let nodes = std::iter::once(to).chain(way.iter().map(|&(_, before)| before));
    let relationships = way.iter().map(|&(relationship, _)| relationship);
    let mut path: Vec<(u32, u32)> = relationships.zip(nodes).collect();
    path.reverse();
    path
}
