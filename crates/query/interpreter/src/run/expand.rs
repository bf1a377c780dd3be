//! Relationships of nodes.

use evergraph_functions::{Datum, Entities};
use evergraph_planner::{Expand, Slot, Towards};
use evergraph_property_graph::graph::{Expanded, NodeId, RelationshipId};

use super::{Filled, Flow, Out, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{BATCH, Batch, Column, NO_ID};

impl Run<'_, '_> {
    /// A node in a slot; `None` of null.
    pub(super) fn node_at(&self, batch: &Batch, slot: Slot, at: usize) -> Result<Option<NodeId>> {
        match batch.get(slot, at) {
            Datum::Node(node) => Ok(Some(node)),
            datum if datum.is_null() => Ok(None),
            other => {
                let message = format!("expected a NODE, found a {}", other.type_name());
                Err(QueryError::type_error(message))
            }
        }
    }

    /// Relationships in slots, alone or in lists, which others differ from.
    pub(super) fn unlike(&self, slots: &[Slot], batch: &Batch, at: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        for &slot in slots {
            match batch.get(slot, at) {
                Datum::Relationship(id) => ids.push(id.0),
                datum => {
                    let elements = datum.elements().into_iter().flat_map(|list| list.iter());
                    ids.extend(elements.filter_map(|element| match element {
                        Datum::Relationship(id) => Some(id.0),
                        _ => None,
                    }));
                }
            }
        }
        ids
    }

    /// Nodes in a slot, with the rows that have one.
    fn nodes_in(&self, batch: &Batch, slot: Slot) -> Result<(Vec<u32>, Vec<u32>)> {
        let (mut rows, mut nodes) = (Vec::new(), Vec::new());
        match batch.column(slot) {
            Column::Nodes(ids) => {
                for (at, &id) in ids.iter().enumerate().filter(|(_, id)| **id != NO_ID) {
                    rows.push(at as u32);
                    nodes.push(id);
                }
            }
            _ => {
                for at in 0..batch.len() {
                    if let Some(node) = self.node_at(batch, slot, at)? {
                        rows.push(at as u32);
                        nodes.push(node.0);
                    }
                }
            }
        }
        Ok((rows, nodes))
    }

    pub(super) fn expand(
        &self,
        expand: &Expand,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let types = self.graph.types(&expand.types);
        let (mut rows, mut nodes) = self.nodes_in(batch, expand.from)?;
        let mut ends = Vec::new();
        if expand.into {
            let known: Vec<Option<NodeId>> = rows
                .iter()
                .map(|&at| self.node_at(batch, expand.to, at as usize))
                .collect::<Result<_>>()?;
            let mut kept = known.iter().map(Option::is_some);
            rows.retain(|_| kept.next() == Some(true));
            let mut kept = known.iter().map(Option::is_some);
            nodes.retain(|_| kept.next() == Some(true));
            ends = known.into_iter().flatten().map(|node| node.0).collect();
        }
        // Few nodes at a time: a hub has more relationships than a batch has rows.
        const NODES: usize = 256;
        for from in (0..nodes.len()).step_by(NODES) {
            self.guard.check()?;
            let part = from..(from + NODES).min(nodes.len());
            let found = match expand.into {
                true => {
                    let pairs = (&nodes[part.clone()], &ends[part.clone()]);
                    self.graph.expand_into(pairs, expand.towards, &types)?
                }
                false => self
                    .graph
                    .expand(&nodes[part.clone()], expand.towards, &types)?,
            };
            let rows: Vec<u32> = found
                .rows
                .iter()
                .map(|&row| rows[part.start + row as usize])
                .collect();
            let flow = self.push_expanded(expand, batch, &rows, &found, sink)?;
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Pushes what an expansion found for some rows, but for relationships that others
    /// are already.
    fn push_expanded(
        &self,
        expand: &Expand,
        batch: &Batch,
        rows: &[u32],
        found: &Expanded,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut kept: Vec<usize> = (0..rows.len()).collect();
        for &slot in &expand.unlike {
            match batch.column(slot) {
                Column::Relationships(others) => {
                    kept.retain(|&at| others[rows[at] as usize] != found.relationships[at]);
                }
                _ => kept.retain(|&at| {
                    let others = self.unlike(&[slot], batch, rows[at] as usize);
                    !others.contains(&found.relationships[at])
                }),
            }
        }
        for kept in kept.chunks(BATCH) {
            let rows: Vec<u32> = kept.iter().map(|&at| rows[at]).collect();
            let mut made = batch.take(&rows);
            let relationships = kept.iter().map(|&at| found.relationships[at]);
            made.set(
                expand.relationship,
                Column::Relationships(relationships.collect()),
            );
            if !expand.into {
                let neighbors = kept.iter().map(|&at| found.neighbors[at]);
                made.set(expand.to, Column::Nodes(neighbors.collect()));
            }
            if sink(made)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Ends of a relationship that is known.
    pub(super) fn endpoints(
        &self,
        expand: &Expand,
        known: [bool; 2],
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut out = Out::new(batch, sink);
        for at in 0..batch.len() {
            let relationship = match batch.get(expand.relationship, at) {
                Datum::Relationship(id) => id,
                datum if datum.is_null() => continue,
                other => {
                    let message = format!("expected a RELATIONSHIP, found a {}", other.type_name());
                    return Err(QueryError::type_error(message));
                }
            };
            if !self.is_of_types(relationship, expand)?
                || self
                    .unlike(&expand.unlike, batch, at)
                    .contains(&relationship.0)
            {
                continue;
            }
            let (source, target) = self.graph.ends(relationship)?;
            let both = [(source, target), (target, source)];
            let orders = match expand.towards {
                Towards::Outgoing => &both[..1],
                Towards::Incoming => &both[1..],
                Towards::Both if source == target => &both[..1],
                Towards::Both => &both[..],
            };
            out.at = at as u32;
            for &(from, to) in orders {
                let is_known = |slot, known: bool, end| -> Result<bool> {
                    Ok(!known || self.node_at(batch, slot, at)? == Some(end))
                };
                let same = expand.from != expand.to || from == to;
                if !(same
                    && is_known(expand.from, known[0], from)?
                    && is_known(expand.to, known[1], to)?)
                {
                    continue;
                }
                let from = (expand.from, Filled::Node(from.0));
                let flow = out.add([from, (expand.to, Filled::Node(to.0))])?;
                if flow == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        out.flush()
    }

    fn is_of_types(&self, relationship: RelationshipId, expand: &Expand) -> Result<bool> {
        if expand.types.is_empty() {
            return Ok(true);
        }
        let kind = self.graph.relationship_type(relationship)?;
        Ok(expand.types.contains(&kind))
    }
}
