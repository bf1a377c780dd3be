//! Relationships that are found without a node.

use evergraph_planner::{Expand, Lookup, Population, Relationships, Towards};
use evergraph_property_graph::graph::EntityKind;

use super::scan::number_of;
use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::Row;

impl Run<'_, '_> {
    /// Each row with the relationships that an index or an id leads to.
    pub(super) fn seek_relationships(
        &self,
        found: &Relationships,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let step = &found.step;
        for at in 0..batch.len() {
            self.step()?;
            let row = &mut Row::new(batch, at);
            let ids = match (&found.by, step.types.as_slice()) {
                (Lookup::Id(id), _) => match number_of(&self.value(id, row)?) {
                    Some(id) => self.relationship_of_id(id)?,
                    None => Vec::new(),
                },
                (Lookup::Index(seek), [kind]) => self.seek(Population::Type(kind), seek, row)?,
                _ => Vec::new(),
            };
            for part in ids.chunks(BATCH) {
                self.guard.check()?;
                let made = self.with_ends(found, batch, at, part.to_vec())?;
                if self.push(made, sink)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// The relationship of an id, if there is one.
    fn relationship_of_id(&self, id: u32) -> Result<Vec<u32>> {
        let found = self.graph.reader().exist(EntityKind::Relationship, &[id])?;
        Ok(found.is_valid(0).then_some(id).into_iter().collect())
    }

    /// A row with each of these relationships that may be the one of a step, and its ends:
    /// in both orders, if it has no direction.
    pub(super) fn with_ends(
        &self,
        found: &Relationships,
        batch: &Batch,
        at: usize,
        ids: Vec<u32>,
    ) -> Result<Batch> {
        let step = &found.step;
        let is_by_type = !matches!(found.by, Lookup::Id(_));
        if found.ends_unread && is_by_type && step.unlike.is_empty() {
            let mut made = batch.repeated(at, ids.len());
            made.set(step.relationship, Column::Relationships(ids));
            return Ok(made);
        }
        let ends = self.graph.ends_of(&ids)?;
        let others = self.unlike(&step.unlike, batch, at);
        let is_loop = step.from == step.to;
        let has_all = is_by_type && others.is_empty() && !is_loop && ends.validity.is_all();
        if has_all && step.towards != Towards::Both {
            let (from, to) = match step.towards {
                Towards::Incoming => (ends.targets, ends.sources),
                _ => (ends.sources, ends.targets),
            };
            return Ok(related(step, batch.repeated(at, ids.len()), ids, from, to));
        }
        let types = self.graph.types(&step.types);
        let new = || Vec::with_capacity(ids.len());
        let (mut relationships, mut from, mut to) = (new(), new(), new());
        let mut push = |id, one, other| {
            relationships.push(id);
            from.push(one);
            to.push(other);
        };
        for (row, &id) in ids.iter().enumerate() {
            let (source, target) = (ends.sources[row], ends.targets[row]);
            let is_one = ends.validity.is_valid(row)
                && (types.as_ref()).is_none_or(|types| types.contains(&ends.types[row]))
                && !others.contains(&id)
                && (!is_loop || source == target);
            if !is_one {
                continue;
            }
            if step.towards != Towards::Incoming {
                push(id, source, target);
            }
            let is_turned = step.towards == Towards::Both && source != target;
            if is_turned || step.towards == Towards::Incoming {
                push(id, target, source);
            }
        }
        let made = batch.repeated(at, relationships.len());
        Ok(related(step, made, relationships, from, to))
    }
}

/// Rows with relationships and their ends.
fn related(
    step: &Expand,
    mut made: Batch,
    relationships: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
) -> Batch {
    made.set(step.relationship, Column::Relationships(relationships));
    made.set(step.from, Column::Nodes(from));
    made.set(step.to, Column::Nodes(to));
    made
}
