//! Shortest paths between two nodes, breadth first from both.

use std::collections::HashMap;

use evergraph_planner::Towards;

use super::{Flow, Result, Run};
use crate::graph::Types;

/// A relationship that is gone along: where it begins, itself, where it leads.
pub(super) type Hop = (u32, u32, u32);

/// Relationships of nodes that a path may take, forward from its first node or backward
/// from its last.
pub(super) type Hops<'h> = dyn FnMut(&[u32], bool) -> Result<Vec<Hop>> + 'h;

/// Relationships of a path, each with the node behind it.
pub(super) type Found<'f> = dyn FnMut(&[(u32, u32)]) -> Result<Flow> + 'f;

/// Nodes that are expanded at a time: a hub has many relationships.
const NODES: usize = 256;

/// What has been reached from one end.
struct Side {
    root: u32,
    /// The relationships that lead to a node on shortest paths, with the nodes before.
    reached: HashMap<u32, Vec<(u32, u32)>, foldhash::fast::RandomState>,
    frontier: Vec<u32>,
}

impl Side {
    fn new(root: u32) -> Self {
        let mut reached = HashMap::default();
        reached.insert(root, Vec::new());
        Side {
            root,
            reached,
            frontier: vec![root],
        }
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

    /// Gives the shortest paths between two nodes that differ, one or all, of at most so
    /// many relationships. O(relationships of the nodes within half their length of an
    /// end), and the length of each path.
    pub(super) fn shortest_paths(
        &self,
        (from, to): (u32, u32),
        most: u64,
        all: bool,
        hops: &mut Hops<'_>,
        found: &mut Found<'_>,
    ) -> Result<Flow> {
        let mut account = self.guard.account("nodes that shortest paths reach");
        let mut sides = [Side::new(from), Side::new(to)];
        let mut meetings: Vec<u32> = Vec::new();
        let mut length = 0;
        while meetings.is_empty() {
            let backward = sides[1].frontier.len() < sides[0].frontier.len();
            let [own, other] = match (&mut sides, backward) {
                ([forward, back], false) => [forward, back],
                ([forward, back], true) => [back, forward],
            };
            if own.frontier.is_empty() || length == most {
                return Ok(Flow::Continue);
            }
            let mut next: HashMap<u32, Vec<(u32, u32)>, foldhash::fast::RandomState> =
                HashMap::default();
            for (before, relationship, node) in hops(&own.frontier, !backward)? {
                self.step()?;
                if !own.reached.contains_key(&node) {
                    next.entry(node).or_default().push((relationship, before));
                }
            }
            length += 1;
            let relationships: usize = next.values().map(Vec::len).sum();
            account.add(64 * next.len() + 8 * relationships)?;
            own.frontier = next.keys().copied().collect();
            own.reached.extend(next);
            let meets = |node: &&u32| other.reached.contains_key(*node);
            meetings = own.frontier.iter().filter(meets).copied().collect();
        }
        let mut path = Vec::new();
        for meeting in meetings {
            let flow = self.each_way(&sides[0], meeting, &mut |first| {
                self.each_way(&sides[1], meeting, &mut |second| {
                    path.clear();
                    // From the meeting back: each relationship leads to the node before it.
                    let nodes = first.iter().map(|&(_, node)| node);
                    let nodes = std::iter::once(meeting).chain(nodes);
                    let ways = first
                        .iter()
                        .map(|&(relationship, _)| relationship)
                        .zip(nodes);
                    path.extend(ways);
                    path.reverse();
                    path.extend_from_slice(second);
                    match found(&path)? {
                        Flow::Continue if all => Ok(Flow::Continue),
                        _ => Ok(Flow::Stop),
                    }
                })
            })?;
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
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
