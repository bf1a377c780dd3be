//! Common neighbors of nodes.

use evergraph_planner::{Expression, Intersect, Slot};
use evergraph_property_graph::graph::IdBounds;
use evergraph_syntax::tree::Comparison;

use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column, NO_ID};

/// Rows whose lists are intersected together.
const ROWS: usize = 1024;

impl Run<'_, '_> {
    pub(super) fn intersect(
        &self,
        intersect: &Intersect,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let steps = intersect.steps.iter();
        let known: Vec<Vec<u32>> = steps
            .map(|step| self.ids_of(batch, step.from))
            .collect::<Result<_>>()?;
        let above = self.bound_of(&intersect.above, batch, u32::max)?;
        let below = self.bound_of(&intersect.below, batch, u32::min)?;
        let is_there = |at: &u32| known.iter().all(|ids| ids[*at as usize] != NO_ID);
        let rows: Vec<u32> = (0..batch.len() as u32).filter(is_there).collect();
        for rows in rows.chunks(ROWS) {
            self.guard.check()?;
            let of_rows =
                |ids: &Vec<u32>| -> Vec<u32> { rows.iter().map(|&at| ids[at as usize]).collect() };
            let steps = intersect.steps.iter().zip(&known);
            let of: Vec<_> = steps
                .map(|(step, ids)| (of_rows(ids), step.towards, self.graph.types(&step.types)))
                .collect();
            let (above, below) = (above.as_ref().map(of_rows), below.as_ref().map(of_rows));
            let bounds = IdBounds {
                above: above.as_deref(),
                below: below.as_deref(),
            };
            let found = self.graph.common_neighbors(&of, bounds)?;
            let of_found: Vec<u32> = found.rows.iter().map(|&row| rows[row as usize]).collect();
            let kept = self.unlike_others(intersect, batch, &of_found, &found.relationships);
            for kept in kept.chunks(BATCH) {
                let rows: Vec<u32> = kept.iter().map(|&at| of_found[at]).collect();
                let mut made = batch.take(&rows);
                for (step, ids) in intersect.steps.iter().zip(&found.relationships) {
                    let ids = kept.iter().map(|&at| ids[at]).collect();
                    made.set(step.relationship, Column::Relationships(ids));
                }
                let nodes = kept.iter().map(|&at| found.nodes[at]).collect();
                made.set(intersect.to, Column::Nodes(nodes));
                if sink(made)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// Rows of some that satisfy a comparison of the ids of two nodes, if the condition is
    /// one.
    pub(super) fn ids_compared(
        &self,
        condition: &Expression,
        batch: &Batch,
        rows: &[u32],
    ) -> Option<Vec<u32>> {
        let Expression::Comparison(left, others) = condition else {
            return None;
        };
        let [(comparison, right)] = others.as_slice() else {
            return None;
        };
        let ids = |of: &Expression| match of {
            Expression::Call(name, arguments) if &**name == "id" => match arguments.as_slice() {
                [Expression::Slot(slot)] => match batch.column(*slot) {
                    Column::Nodes(ids) => Some(ids),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let (left, right) = (ids(left)?, ids(right)?);
        let holds: fn(u32, u32) -> bool = match comparison {
            Comparison::Less => |one, other| one < other,
            Comparison::LessOrEqual => |one, other| one <= other,
            Comparison::Greater => |one, other| one > other,
            Comparison::GreaterOrEqual => |one, other| one >= other,
            Comparison::Equal | Comparison::Unequal => return None,
        };
        let pair = |at: u32| (left[at as usize], right[at as usize]);
        let satisfies = |&at: &u32| {
            let (one, other) = pair(at);
            one != NO_ID && other != NO_ID && holds(one, other)
        };
        Some(rows.iter().copied().filter(satisfies).collect())
    }

    /// Ids of the nodes that bound what is looked for, the nearest of each row.
    fn bound_of(
        &self,
        slots: &[Slot],
        batch: &Batch,
        nearer: fn(u32, u32) -> u32,
    ) -> Result<Option<Vec<u32>>> {
        let mut bound: Option<Vec<u32>> = None;
        for &slot in slots {
            let ids = self.ids_of(batch, slot)?;
            bound = Some(match bound {
                None => ids,
                Some(others) => {
                    let both = others.into_iter().zip(ids);
                    both.map(|(one, other)| nearer(one, other)).collect()
                }
            });
        }
        Ok(bound)
    }

    /// Places of what was found whose relationships are different where they have to be.
    fn unlike_others(
        &self,
        intersect: &Intersect,
        batch: &Batch,
        rows: &[u32],
        relationships: &[Vec<u32>],
    ) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..rows.len()).collect();
        for (step, ids) in intersect.steps.iter().zip(relationships) {
            for &slot in &step.unlike {
                let steps = intersect.steps.iter();
                let beside = steps
                    .zip(relationships)
                    .find(|(one, _)| one.relationship == slot);
                match (beside, batch.column(slot)) {
                    (Some((_, others)), _) => kept.retain(|&at| others[at] != ids[at]),
                    (None, Column::Relationships(others)) => {
                        kept.retain(|&at| others[rows[at] as usize] != ids[at]);
                    }
                    (None, _) => kept.retain(|&at| {
                        let others = self.unlike(&[slot], batch, rows[at] as usize);
                        !others.contains(&ids[at])
                    }),
                }
            }
        }
        kept
    }
}
