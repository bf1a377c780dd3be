//! Paths of relationships.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use evergraph_functions::{Datum, Entities};
use evergraph_planner::{ShortestPath, VariableExpand};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};

use super::{Filled, Flow, Out, Result, Run, Sink};
use crate::batch::Batch;
use crate::evaluate::Row;
use crate::graph::Types;

/// Relationships of a node that have not been gone along, with their other ends.
type Ahead = Vec<(u32, u32)>;

impl Run<'_, '_> {
    /// Values that the properties of each relationship of a path equal.
    fn wanted(
        &self,
        paths: &VariableExpand,
        batch: &Batch,
        at: usize,
    ) -> Result<Vec<(Arc<str>, Datum)>> {
        let properties = paths.properties.iter();
        properties
            .map(|(key, value)| {
                let value = self.value(value, &mut Row::new(batch, at))?;
                Ok((Arc::clone(key), value))
            })
            .collect()
    }

    /// Relationships of a node that fit into a path.
    fn ahead(
        &self,
        paths: &VariableExpand,
        types: &Types,
        wanted: &[(Arc<str>, Datum)],
        node: NodeId,
    ) -> Result<Ahead> {
        self.step()?;
        let found = self.graph.expand(&[node.0], paths.step.towards, types)?;
        let pairs = found.relationships.into_iter().zip(found.neighbors);
        let ahead: Ahead = pairs.collect();
        if wanted.is_empty() {
            return Ok(ahead);
        }
        let mut fitting = Ahead::new();
        for (relationship, to) in ahead {
            let mut fits = true;
            for (key, value) in wanted {
                let found: Value = self
                    .graph
                    .property(RelationshipId(relationship).into(), key)?;
                fits &= Datum::Value(found).equals(value) == Some(true);
            }
            if fits {
                fitting.push((relationship, to));
            }
        }
        Ok(fitting)
    }

    /// All paths from a node, none of which has a relationship twice.
    pub(super) fn walk(
        &self,
        paths: &VariableExpand,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut out = Out::new(batch, sink);
        for at in 0..batch.len() {
            out.at = at as u32;
            if self.walk_from(paths, batch, at, &mut out)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        out.flush()
    }

    fn walk_from(
        &self,
        paths: &VariableExpand,
        batch: &Batch,
        at: usize,
        out: &mut Out<'_>,
    ) -> Result<Flow> {
        let step = &paths.step;
        let Some(from) = self.node_at(batch, step.from, at)? else {
            return Ok(Flow::Continue);
        };
        let into = match step.into {
            true => match self.node_at(batch, step.to, at)? {
                Some(to) => Some(to),
                None => return Ok(Flow::Continue),
            },
            false => None,
        };
        let types = self.graph.types(&step.types);
        let wanted = self.wanted(paths, batch, at)?;
        let unlike = self.unlike(&step.unlike, batch, at);
        let most = paths.most.unwrap_or(u64::MAX);
        let mut trail: Vec<u32> = Vec::new();
        let mut stack: Vec<Ahead> = Vec::new();
        let mut node = from;
        loop {
            let length = trail.len() as u64;
            if length >= paths.least && length <= most && into.is_none_or(|into| into == node) {
                let list = list_of(&trail, paths.reversed);
                let list = (step.relationship, Filled::Datum(list));
                if out.add([list, (step.to, Filled::Node(node.0))])? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            stack.push(match length < most {
                true => self.ahead(paths, &types, &wanted, node)?,
                false => Ahead::new(),
            });
            // The next relationship that is not on the trail.
            loop {
                let Some(ahead) = stack.last_mut() else {
                    return Ok(Flow::Continue);
                };
                match ahead.pop() {
                    Some((next, to)) if !trail.contains(&next) && !unlike.contains(&next) => {
                        trail.push(next);
                        node = NodeId(to);
                        break;
                    }
                    Some(_) => {}
                    None => {
                        stack.pop();
                        trail.pop();
                    }
                }
            }
        }
    }

    /// Shortest paths between two nodes, one or all.
    pub(super) fn shortest(
        &self,
        shortest: &ShortestPath,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let step = &shortest.paths.step;
        let mut out = Out::new(batch, sink);
        for at in 0..batch.len() {
            let from = self.node_at(batch, step.from, at)?;
            let to = self.node_at(batch, step.to, at)?;
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            out.at = at as u32;
            for trail in self.shortest_between(shortest, batch, at, (from, to))? {
                let list = list_of(&trail, shortest.paths.reversed);
                let list = (step.relationship, Filled::Datum(list));
                if out.add([list, (step.to, Filled::Node(to.0))])? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        out.flush()
    }

    fn shortest_between(
        &self,
        shortest: &ShortestPath,
        batch: &Batch,
        at: usize,
        (from, to): (NodeId, NodeId),
    ) -> Result<Vec<Vec<u32>>> {
        let paths = &shortest.paths;
        let types = self.graph.types(&paths.step.types);
        let wanted = self.wanted(paths, batch, at)?;
        let most = paths.most.unwrap_or(u64::MAX);
        if from == to && paths.least == 0 {
            return Ok(vec![Vec::new()]);
        }
        // Depth of each node, and the steps that lead to it from the depth before.
        let mut reached: HashMap<u32, (u64, Vec<(u32, u32)>)> = HashMap::new();
        reached.insert(from.0, (0, Vec::new()));
        let mut queue = VecDeque::from([(from, 0u64)]);
        let mut found = None;
        while let Some((node, depth)) = queue.pop_front() {
            if depth >= most || found.is_some_and(|found| depth >= found) {
                break;
            }
            for (relationship, next) in self.ahead(paths, &types, &wanted, node)? {
                let entry = reached.entry(next).or_insert_with(|| {
                    queue.push_back((NodeId(next), depth + 1));
                    (depth + 1, Vec::new())
                });
                if entry.0 == depth + 1 {
                    entry.1.push((relationship, node.0));
                }
                if next == to.0 && from != to {
                    found = Some(depth + 1);
                }
            }
        }
        if found.is_none() {
            return Ok(Vec::new());
        }
        let mut trails = Vec::new();
        let mut open: Vec<(u32, Vec<u32>)> = vec![(to.0, Vec::new())];
        while let Some((node, trail)) = open.pop() {
            self.step()?;
            if node == from.0 {
                let mut trail = trail;
                trail.reverse();
                trails.push(trail);
                if !shortest.all {
                    break;
                }
                continue;
            }
            for &(relationship, before) in &reached[&node].1 {
                let mut longer = trail.clone();
                longer.push(relationship);
                open.push((before, longer));
            }
        }
        Ok(trails)
    }
}

/// Relationships as a list, from left to right.
fn list_of(trail: &[u32], reversed: bool) -> Datum {
    let data = trail
        .iter()
        .map(|&id| Datum::Relationship(RelationshipId(id)));
    Datum::list(match reversed {
        false => data.collect(),
        true => data.rev().collect(),
    })
}
