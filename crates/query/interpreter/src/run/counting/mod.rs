//! Rows that are counted with what is found at their nodes, which is not found itself.

mod memo;
mod sums;

use std::collections::HashMap;

use evergraph_functions::{Datum, ErrorKind, EvaluationError};
use evergraph_planner::{Count, Expand, Plan, Slot};
use evergraph_property_graph::Value;

use self::sums::{Group, Seen, Sums};
use super::{Flow, Result, Run, Sink};
use crate::batch::{Batch, Column, NO_ID, bytes_of};
use crate::limits::Account;

/// Fewer rows are counted sooner by one thread.
const MANY_ROWS: f64 = 100_000.0;

/// Groups in the order in which they were met, and how many rows each has.
struct Counted<'g> {
    places: HashMap<Vec<Datum>, usize, foldhash::fast::RandomState>,
    groups: Vec<(Vec<Datum>, i64)>,
    account: Account<'g>,
}

impl Counted<'_> {
    fn add(&mut self, key: Vec<Datum>, count: i64) -> Result<()> {
        let next = self.groups.len();
        let place = match self.places.get(&key) {
            Some(&place) => place,
            None => {
                let bytes = key.iter().map(bytes_of).sum::<usize>();
                self.account.add(128 + 2 * bytes)?;
                self.places.insert(key.clone(), next);
                self.groups.push((key, 0));
                next
            }
        };
        let sum = &mut self.groups[place].1;
        *sum = sum.checked_add(count).ok_or_else(too_many)?;
        Ok(())
    }
}

/// More rows than can be counted.
fn too_many() -> EvaluationError {
    let message = "the number of rows is larger than 2^63";
    EvaluationError::new(ErrorKind::IntegerOverflow, message)
}

impl Run<'_, '_> {
    pub(super) fn count_rows(
        &self,
        count: &Count,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let guard = self.guard;
        let new = || {
            let counted = Counted {
                places: HashMap::default(),
                groups: Vec::new(),
                account: guard.account("grouping"),
            };
            Ok((counted, None))
        };
        let around = argument.clone();
        let take = |run: &Run<'_, '_>, state: &mut (Counted<'_>, Option<Sums>), batch: Batch| {
            let sums = match &mut state.1 {
                Some(sums) => sums,
                none => none.insert(Sums::new(run, count)?),
            };
            run.count_batch(count, sums, &batch, &mut state.0)
        };
        // What threads have computed of nodes they do not share.
        let is_alone = count.branches.iter().any(|one| !one.branches.is_empty());
        let states = match is_alone || input.rows < MANY_ROWS {
            true => None,
            false => self.in_parallel(input, &argument, new, take)?,
        };
        let mut counted = match states {
            Some(states) => {
                let mut all = new()?.0;
                for (state, _) in states {
                    for (key, count) in state.groups {
                        all.add(key, count)?;
                    }
                }
                all
            }
            None => {
                let mut state = new()?;
                self.run(input, argument, &mut |batch| {
                    take(self, &mut state, batch)?;
                    Ok(Flow::Continue)
                })?;
                state.0
            }
        };
        if count.keys.is_empty() {
            counted.add(Vec::new(), 0)?;
        }
        let mut made = around.repeated_around(self.width, counted.groups.len());
        for (place, (slot, _)) in count.keys.iter().enumerate() {
            let data = counted.groups.iter().map(|(key, _)| key[place].clone());
            made.set(*slot, Column::Data(data.collect()));
        }
        for &slot in &count.counts {
            let data = counted.groups.iter();
            let data = data.map(|&(_, count)| Datum::Value(Value::Integer(count)));
            made.set(slot, Column::Data(data.collect()));
        }
        self.push_all(made, sink)
    }

    /// Adds the rows of a batch to their groups.
    fn count_batch(
        &self,
        count: &Count,
        sums: &mut Sums,
        batch: &Batch,
        counted: &mut Counted<'_>,
    ) -> Result<()> {
        self.guard.check()?;
        let mut numbers = vec![1; batch.len()];
        for group in &sums.groups {
            self.multiply(group, &count.found, batch, &mut numbers)?;
        }
        counted.account.add(sums.new_bytes())?;
        if count.keys.is_empty() {
            let mut sum: i64 = 0;
            for number in numbers {
                sum = sum.checked_add(number).ok_or_else(too_many)?;
            }
            return counted.add(Vec::new(), sum);
        }
        let kept: Vec<u32> = (0..batch.len() as u32)
            .filter(|&at| numbers[at as usize] > 0)
            .collect();
        let batch = batch.take(&kept);
        let of_keys = count.keys.iter().map(|(_, key)| self.values(key, &batch));
        let mut of_keys: Vec<Vec<Datum>> = of_keys.collect::<Result<_>>()?;
        for (at, &row) in kept.iter().enumerate() {
            let key = of_keys.iter_mut();
            let key = key.map(|column| std::mem::take(&mut column[at]));
            counted.add(key.collect(), numbers[row as usize])?;
        }
        Ok(())
    }

    /// Multiplies the number of each row by the ways to choose relationships of a group.
    fn multiply(
        &self,
        group: &Group,
        found: &[Expand],
        batch: &Batch,
        numbers: &mut [i64],
    ) -> Result<()> {
        let nodes = self.ids_of(batch, group.from)?;
        let rows: Vec<u32> = (0..batch.len() as u32)
            .filter(|&at| nodes[at as usize] != NO_ID && numbers[at as usize] != 0)
            .collect();
        numbers.iter_mut().zip(&nodes).for_each(|(number, &node)| {
            if node == NO_ID {
                *number = 0;
            }
        });
        let nodes: Vec<u32> = rows.iter().map(|&at| nodes[at as usize]).collect();
        let ways = match group.into {
            Some(to) => self.between((group, to), found, batch, (&rows, &nodes))?,
            None => {
                let others = self.excluded(group, found, batch, &rows)?;
                group.ways(self, &nodes, &others)?
            }
        };
        for (&at, ways) in rows.iter().zip(ways) {
            let number = &mut numbers[at as usize];
            *number = number.checked_mul(ways).ok_or_else(too_many)?;
        }
        Ok(())
    }

    /// How many relationships of a group there are to a node of the row.
    fn between(
        &self,
        (group, to): (&Group, Slot),
        found: &[Expand],
        batch: &Batch,
        (rows, nodes): (&[u32], &[u32]),
    ) -> Result<Vec<i64>> {
        let step = &group.branches[0];
        let unlike = found.iter().filter(|one| group.subsets_of(one) != 0);
        let unlike: Vec<Slot> = unlike.map(|one| one.relationship).collect();
        let ends = self.ids_of(batch, to)?;
        let mut ways = vec![0; rows.len()];
        let there = (0..rows.len()).filter(|&at| ends[rows[at] as usize] != NO_ID);
        let there: Vec<usize> = there.collect();
        let from: Vec<u32> = there.iter().map(|&at| nodes[at]).collect();
        let to: Vec<u32> = there.iter().map(|&at| ends[rows[at] as usize]).collect();
        let found = self
            .graph
            .expand_into((&from, &to), step.towards, &step.types)?;
        for (&row, id) in found.rows.iter().zip(&found.relationships) {
            let at = there[row as usize];
            let is_other =
                !unlike.is_empty() && self.unlike(&unlike, batch, rows[at] as usize).contains(id);
            ways[at] += i64::from(!is_other);
        }
        Ok(ways)
    }

    /// What the relationships of a group are not, of each row: relationships of the row by
    /// their ends, and nodes.
    fn excluded(
        &self,
        group: &Group,
        found: &[Expand],
        batch: &Batch,
        rows: &[u32],
    ) -> Result<Vec<(Vec<Seen>, Vec<u32>)>> {
        let mut others = Vec::new();
        let fixed = found.iter().map(|step| (step, group.subsets_of(step)));
        let fixed: Vec<_> = fixed.filter(|&(_, subsets)| subsets != 0).collect();
        if fixed.is_empty() && group.differs.is_empty() {
            return Ok(others);
        }
        others.resize(rows.len(), (Vec::new(), Vec::new()));
        for (step, subsets) in fixed {
            let (from, to) = (self.ids_of(batch, step.from)?, self.ids_of(batch, step.to)?);
            for (&at, other) in rows.iter().zip(&mut others) {
                let (from, to) = (from[at as usize], to[at as usize]);
                other.0.push(Seen {
                    from,
                    to,
                    towards: step.towards,
                    subsets,
                });
            }
        }
        for &slot in &group.differs {
            let nodes = self.ids_of(batch, slot)?;
            for (&at, other) in rows.iter().zip(&mut others) {
                other.1.push(nodes[at as usize]);
            }
        }
        for (_, nodes) in &mut others {
            nodes.sort_unstable();
            nodes.dedup();
        }
        Ok(others)
    }

    /// Nodes in a slot; [`NO_ID`] of null.
    pub(super) fn ids_of(&self, batch: &Batch, slot: Slot) -> Result<Vec<u32>> {
        if let Column::Nodes(ids) = batch.column(slot) {
            return Ok(ids.clone());
        }
        let id = |at| Ok(self.node_at(batch, slot, at)?.map_or(NO_ID, |node| node.0));
        (0..batch.len()).map(id).collect()
    }
}
