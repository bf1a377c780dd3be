//! Paths of relationships.

use std::sync::Arc;

use evergraph_functions::{Datum, Entities};
use evergraph_planner::{Towards, VariableExpand};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};

use super::{Filled, Flow, Out, Result, Run, Sink};
use crate::batch::Batch;
use crate::evaluate::Row;
use crate::graph::Types;

/// Nodes that were reached, as bits.
#[derive(Default)]
struct Reached {
    pages: Vec<Option<Box<Page>>>,
    /// Pages with a bit that is set.
    used: Vec<usize>,
}

/// Bits of some nodes.
type Page = [u64; NODES_OF_PAGE / 64];

const NODES_OF_PAGE: usize = 2048;

impl Reached {
    /// Notes a node; whether it is new.
    fn insert(&mut self, node: u32) -> bool {
        let (number, at) = (node as usize / NODES_OF_PAGE, node as usize % NODES_OF_PAGE);
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        let page = self.pages[number].get_or_insert_with(|| {
            self.used.push(number);
            Box::new([0; NODES_OF_PAGE / 64])
        });
        let (word, bit) = (&mut page[at / 64], 1 << (at % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn clear(&mut self) {
        for number in self.used.drain(..) {
            self.pages[number] = None;
        }
    }

    fn bytes(&self) -> usize {
        self.pages.len() * size_of::<usize>() + self.used.len() * size_of::<Page>()
    }
}

/// Nodes whose lists are read together.
const NODES: usize = 256;

/// Relationships of a node that have not been gone along, with their other ends.
type Ahead = Vec<(u32, u32)>;

impl Run<'_, '_> {
    /// Values that the properties of each relationship of a path equal.
    pub(super) fn wanted(
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
            if self.has_wanted(relationship, wanted)? {
                fitting.push((relationship, to));
            }
        }
        Ok(fitting)
    }

    /// Whether a relationship has these properties.
    pub(super) fn has_wanted(
        &self,
        relationship: u32,
        wanted: &[(Arc<str>, Datum)],
    ) -> Result<bool> {
        for (key, value) in wanted {
            let id = RelationshipId(relationship);
            let found: Value = self.graph.property(id.into(), key)?;
            if Datum::Value(found).equals(value) != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All paths from a node, none of which has a relationship twice.
    pub(super) fn walk(
        &self,
        paths: &VariableExpand,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let is_closed = |at| self.is_closed(batch, at);
        let mut out = Out::new(batch, sink);
        if self.may_be_closed(batch) {
            out.end_rows_if(&is_closed);
        }
        let mut reached = Reached::default();
        for at in 0..batch.len() {
            if !out.begin(at) {
                continue;
            }
            let flow = match paths.ends_once {
                true => self.reach_from(paths, batch, &mut reached, &mut out)?,
                false => self.walk_from(paths, batch, at, &mut out)?,
            };
            if flow == Flow::Stop && out.is_stopped() {
                return Ok(Flow::Stop);
            }
        }
        out.finish()
    }

    /// The ends of all paths from a node, each once: level by level.
    fn reach_from(
        &self,
        paths: &VariableExpand,
        batch: &Batch,
        reached: &mut Reached,
        out: &mut Out<'_>,
    ) -> Result<Flow> {
        let (step, at) = (&paths.step, out.at as usize);
        let Some(from) = self.node_at(batch, step.from, at)? else {
            return Ok(Flow::Continue);
        };
        let types = self.graph.types(&step.types);
        let wanted = self.wanted(paths, batch, at)?;
        let mut account = self.guard.account("nodes that paths reach");
        reached.clear();
        // By an undirected relationship it is reached again, but by no path.
        if paths.least == 0 || step.towards == Towards::Both {
            reached.insert(from.0);
        }
        if paths.least == 0 && out.nodes(step.to, &[from.0])? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        let (mut level, mut length) = (vec![from.0], 0);
        while !level.is_empty() && paths.most.is_none_or(|most| length < most) {
            length += 1;
            let mut next = Vec::new();
            for nodes in level.chunks(NODES) {
                self.guard.check()?;
                let ends = self.ends_of_step(paths, &types, &wanted, nodes)?;
                next.extend(ends.into_iter().filter(|&end| reached.insert(end)));
            }
            account.set(reached.bytes() + 4 * next.len())?;
            if out.nodes(step.to, &next)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            level = next;
        }
        Ok(Flow::Continue)
    }

    /// Other ends of the relationships of nodes that fit into a path.
    fn ends_of_step(
        &self,
        paths: &VariableExpand,
        types: &Types,
        wanted: &[(Arc<str>, Datum)],
        nodes: &[u32],
    ) -> Result<Vec<u32>> {
        if wanted.is_empty() {
            let found = self.graph.neighbors(nodes, paths.step.towards, types)?;
            return Ok(found.all().to_vec());
        }
        let found = self.graph.expand(nodes, paths.step.towards, types)?;
        let mut ends = Vec::new();
        for (relationship, end) in found.relationships.into_iter().zip(found.neighbors) {
            if self.has_wanted(relationship, wanted)? {
                ends.push(end);
            }
        }
        Ok(ends)
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
                let end = (step.to, Filled::Node(node.0));
                let flow = match step.unread {
                    true => out.add([end])?,
                    false => {
                        let list = list_of(&trail, paths.reversed);
                        match out.add([(step.relationship, Filled::Datum(list)), end])? {
                            Flow::Continue => out.grow(trail.len() * size_of::<Datum>())?,
                            Flow::Stop => Flow::Stop,
                        }
                    }
                };
                if flow == Flow::Stop {
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
}

/// Relationships as a list, from left to right.
pub(super) fn list_of(trail: &[u32], reversed: bool) -> Datum {
    let data = trail
        .iter()
        .map(|&id| Datum::Relationship(RelationshipId(id)));
    Datum::list(match reversed {
        false => data.collect(),
        true => data.rev().collect(),
    })
}
