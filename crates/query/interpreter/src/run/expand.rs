//! Relationships of nodes.

use evergraph_functions::{Datum, Entities};
use evergraph_planner::{Expand, Slot, Towards};
use evergraph_property_graph::graph::{Expanded, NodeId, RelationshipId};
use evergraph_syntax::with_article;

use super::{Filled, Flow, Out, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{BATCH, Batch, Column, NO_ID};
use crate::graph::Types;

/// Nodes whose relationships are found first: not many, as few rows may be wanted.
const FIRST_NODES: usize = 256;

/// Nodes at a time, at least.
const FEWEST_NODES: usize = 16;

/// Rows of a batch, at most.
const MOST_ROWS: usize = 2 * BATCH;

impl Run<'_, '_> {
    /// A node in a slot; `None` of null.
    pub(super) fn node_at(&self, batch: &Batch, slot: Slot, at: usize) -> Result<Option<NodeId>> {
        match batch.get(slot, at) {
            Datum::Node(node) => Ok(Some(node)),
            datum if datum.is_null() => Ok(None),
            other => {
                let message = format!("expected a NODE, found {}", with_article(other.type_name()));
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
            Column::Nodes(ids) if !ids.contains(&NO_ID) => {
                (rows, nodes) = ((0..batch.len() as u32).collect(), ids.clone());
            }
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
        // A hub has more relationships than a batch has rows: so many nodes at a time as give
        // about one, told by those before, also of other batches.
        let (mut from, mut most) = (0, self.nodes_at_once(expand));
        while from < nodes.len() {
            self.guard.check()?;
            let part = from..(from + most).min(nodes.len());
            from = part.end;
            let ends = ends.get(part.clone());
            let found = self.find(expand, &nodes[part.clone()], ends, &types)?;
            most = BATCH * part.len() / found.rows.len().max(1);
            most = most.clamp(FEWEST_NODES, BATCH);
            self.take_at_once(expand, most);
            let flow = self.push_expanded(expand, batch, &rows[part], found, sink)?;
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    fn nodes_at_once(&self, expand: &Expand) -> usize {
        let known = self.nodes_at_once.borrow();
        let mut known = known.iter();
        let found = known.find(|(slot, _)| *slot == expand.relationship);
        found.map_or(FIRST_NODES, |&(_, nodes)| nodes)
    }

    fn take_at_once(&self, expand: &Expand, nodes: usize) {
        let mut known = self.nodes_at_once.borrow_mut();
        match known
            .iter_mut()
            .find(|(slot, _)| *slot == expand.relationship)
        {
            Some((_, known)) => *known = nodes,
            None => known.push((expand.relationship, nodes)),
        }
    }

    /// Relationships of some nodes, or those to some ends; without ids, where nothing asks
    /// for them.
    fn find(
        &self,
        expand: &Expand,
        nodes: &[u32],
        ends: Option<&[u32]>,
        types: &Types,
    ) -> Result<Expanded> {
        let towards = expand.towards;
        if let (true, Some(ends)) = (expand.into, ends) {
            return Ok(self.graph.expand_into((nodes, ends), towards, types)?);
        }
        if !(expand.unread && expand.unlike.is_empty()) {
            return Ok(self.graph.expand(nodes, towards, types)?);
        }
        let found = self.graph.neighbors(nodes, towards, types)?;
        Ok(Expanded {
            rows: found.rows(),
            neighbors: found.into_all(),
            relationships: Vec::new(),
        })
    }

    /// Pushes what an expansion found for some rows, but for relationships that others
    /// are already.
    fn push_expanded(
        &self,
        expand: &Expand,
        batch: &Batch,
        rows: &[u32],
        mut found: Expanded,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        found
            .rows
            .iter_mut()
            .for_each(|row| *row = rows[*row as usize]);
        for &slot in &expand.unlike {
            let differs: Vec<bool> = match batch.column(slot) {
                Column::Relationships(others) => {
                    let pairs = found.rows.iter().zip(&found.relationships);
                    pairs
                        .map(|(&row, id)| others[row as usize] != *id)
                        .collect()
                }
                _ => {
                    let pairs = found.rows.iter().zip(&found.relationships);
                    let others = |row: u32| self.unlike(&[slot], batch, row as usize);
                    pairs.map(|(&row, id)| !others(row).contains(id)).collect()
                }
            };
            if differs.contains(&false) {
                for column in [
                    &mut found.rows,
                    &mut found.neighbors,
                    &mut found.relationships,
                ] {
                    let mut kept = differs.iter();
                    column.retain(|_| kept.next() == Some(&true));
                }
            }
        }
        for part in parts_of(found) {
            let mut made = batch.take(&part.rows);
            if !expand.unread {
                made.set(
                    expand.relationship,
                    Column::Relationships(part.relationships),
                );
            }
            if !expand.into {
                made.set(expand.to, Column::Nodes(part.neighbors));
            }
            if self.push(self.still_open(made), sink)? == Flow::Stop {
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
                    let message = format!(
                        "expected a RELATIONSHIP, found {}",
                        with_article(other.type_name())
                    );
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

/// Relationships in parts that batches have.
fn parts_of(found: Expanded) -> Vec<Expanded> {
    if found.len() <= MOST_ROWS {
        return if found.is_empty() {
            Vec::new()
        } else {
            vec![found]
        };
    }
    let part = |column: &[u32], place: usize| match column.get(place * BATCH..) {
        Some(rest) => rest[..rest.len().min(BATCH)].to_vec(),
        None => Vec::new(),
    };
    let places = 0..found.len().div_ceil(BATCH);
    let parts = places.map(|place| Expanded {
        rows: part(&found.rows, place),
        neighbors: part(&found.neighbors, place),
        relationships: part(&found.relationships, place),
    });
    parts.collect()
}
