//! Rows that are counted with what is found at their nodes, which is not found itself.

mod ends;
mod labels;
mod memo;
mod pairs;
mod sums;

use evergraph_functions::{ErrorKind, EvaluationError};
use evergraph_planner::{Count, Expand, Expression, Plan, Slot};
use evergraph_property_graph::vector::{Validity, Values, Vector};

use self::sums::{Group, Seen, Sums};
use super::keys::Keys;
use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column, NO_ID};
use crate::evaluate::{Gathered, Held, Over};
use crate::limits::Account;

/// Fewer rows are counted sooner by one thread.
const MANY_ROWS: f64 = 100_000.0;

/// Groups in the order in which they were met, and how many rows each has.
struct Counted<'g> {
    keys: Keys,
    counts: Vec<i64>,
    /// Bytes of numbers of nodes.
    memos: usize,
    account: Account<'g>,
}

/// Counts of one thread, and rows that wait.
struct State<'g> {
    counted: Counted<'g>,
    sums: Option<Sums>,
    rows: Batch,
}

impl<'g> Counted<'g> {
    fn new(keys: usize, account: Account<'g>) -> Self {
        Counted {
            keys: Keys::new(keys),
            counts: Vec::new(),
            memos: 0,
            account,
        }
    }

    /// Adds numbers of rows to the only group.
    fn add_all(&mut self, numbers: &[i64]) -> Result<()> {
        self.keys.numbers::<&Column>(&[], 1);
        let mut sum = self.counts.pop().unwrap_or(0);
        for &number in numbers {
            sum = sum.checked_add(number).ok_or_else(too_many)?;
        }
        self.counts.push(sum);
        self.account.set(self.bytes())
    }

    /// Adds numbers of rows, each to the group of its keys.
    fn add(&mut self, keys: &[Held<'_>], numbers: &[i64]) -> Result<()> {
        if keys.is_empty() {
            return self.add_all(numbers);
        }
        let groups = self.keys.numbers(keys, numbers.len());
        self.counts.resize(self.keys.len(), 0);
        for (group, number) in groups.into_iter().zip(numbers) {
            let sum = &mut self.counts[group as usize];
            *sum = sum.checked_add(*number).ok_or_else(too_many)?;
        }
        self.account.set(self.bytes())
    }

    fn bytes(&self) -> usize {
        self.keys.bytes() + size_of_val(self.counts.as_slice()) + self.memos
    }

    /// Adds what another has counted.
    fn merge(&mut self, other: Counted<'_>, columns: usize) -> Result<()> {
        let keys = (0..columns).map(|place| other.keys.column(place).into());
        self.add(&keys.collect::<Vec<Held<'_>>>(), &other.counts)
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
        let (guard, width) = (self.guard, self.width);
        // Of many rows around at once, each has groups of its own.
        let number = argument.numbers_in();
        let of_number = number.map(|slot| (slot, Expression::Slot(slot)));
        let keys: Vec<_> = count.keys.iter().cloned().chain(of_number).collect();
        let new = || {
            Ok(State {
                counted: Counted::new(keys.len(), guard.account("grouping")),
                sums: None,
                rows: Batch::rows_of(width, 0),
            })
        };
        let around = argument.clone();
        let flush = |run: &Run<'_, '_>, state: &mut State<'_>| {
            if state.rows.is_empty() {
                return Ok(());
            }
            let rows = std::mem::replace(&mut state.rows, Batch::rows_of(width, 0));
            let sums = state
                .sums
                .get_or_insert_with(|| Sums::new(run, count, input.rows));
            run.count_batch((count, &keys), sums, &rows, &mut state.counted)
        };
        // Lists that many rows need are read once for all of them.
        let take = |run: &Run<'_, '_>, state: &mut State<'_>, batch: Batch| {
            match state.rows.is_empty() {
                true => state.rows = batch,
                false => state.rows.append(batch),
            }
            match state.rows.len() < BATCH {
                true => Ok(()),
                false => flush(run, state),
            }
        };
        // What threads have computed of nodes they do not share.
        let is_alone = count.branches.iter().any(|one| !one.branches.is_empty());
        let states = match is_alone || input.rows < MANY_ROWS {
            true => None,
            false => self.in_parallel(input, &argument, new, take)?,
        };
        let mut counted = match states {
            Some(states) => {
                let mut all = new()?.counted;
                for mut state in states {
                    flush(self, &mut state)?;
                    all.merge(state.counted, keys.len())?;
                }
                all
            }
            None => {
                let mut state = new()?;
                self.run(input, argument, &mut |batch| {
                    take(self, &mut state, batch)?;
                    Ok(Flow::Continue)
                })?;
                flush(self, &mut state)?;
                state.counted
            }
        };
        match (keys.as_slice(), number) {
            ([], _) => counted.add_all(&[])?,
            // Also rows around that have none.
            ([_], Some(slot)) => {
                let rows = [around.column(slot)];
                counted.keys.numbers(&rows, around.len());
                counted.counts.resize(counted.keys.len(), 0);
            }
            _ => {}
        }
        let groups = counted.counts.len();
        let mut made = match number {
            Some(slot) => {
                let mut numbers = Batch::rows_of(slot + 1, groups);
                numbers.set(slot, counted.keys.column(keys.len() - 1));
                around.beside(&numbers)
            }
            None => around.repeated_around(self.width, groups),
        };
        for (place, (slot, _)) in keys.iter().enumerate() {
            made.set(*slot, counted.keys.column(place));
        }
        for &slot in &count.counts {
            let counts = Values::Integer(counted.counts.clone());
            let counts = Vector::from_parts(counts, Validity::all(groups));
            made.set(slot, Column::Vector(counts));
        }
        self.push_all(made, sink)
    }

    /// Adds the rows of a batch to their groups.
    fn count_batch(
        &self,
        (count, keys): (&Count, &[(Slot, Expression)]),
        sums: &mut Sums,
        batch: &Batch,
        counted: &mut Counted<'_>,
    ) -> Result<()> {
        self.guard.check()?;
        let mut numbers = vec![1; batch.len()];
        for group in &sums.groups {
            self.multiply(group, &count.found, batch, &mut numbers)?;
        }
        for pair in &sums.apart {
            self.multiply_apart(pair, batch, &mut numbers)?;
        }
        counted.memos += sums.new_bytes();
        if keys.is_empty() {
            return counted.add_all(&numbers);
        }
        let is_kept = |at: &u32| numbers[*at as usize] > 0;
        let kept: Vec<u32> = (0..batch.len() as u32).filter(is_kept).collect();
        let batch = batch.take(&kept);
        numbers.retain(|&number| number > 0);
        let gathered = Gathered::default();
        let over = Over::new(self, &batch, &gathered);
        let keys = keys.iter().map(|(_, key)| over.held(key));
        let keys: Vec<Held<'_>> = keys.collect::<Result<_>>()?;
        counted.add(&keys, &numbers)
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
        let (rows, nodes) = with_nodes(&nodes, numbers, group.optional);
        let ways = match group.into {
            Some(to) => self.between((group, to), found, batch, (&rows, &nodes))?,
            None if !group.beside.is_empty() => {
                self.ways_beside(group, found, batch, (&rows, &nodes))?
            }
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
        if unlike.is_empty()
            && let Some(counts) = self.between_many(step, &from, &to)?
        {
            for (at, count) in there.into_iter().zip(counts) {
                ways[at] = count;
            }
            return Ok(ways);
        }
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

/// Rows that have a node, and a number that is not 0, with their nodes. Without a node the
/// number becomes 0, unless it is `optional`.
// A function of its own keeps its loop in registers.
#[inline(never)]
fn with_nodes(nodes: &[u32], numbers: &mut [i64], optional: bool) -> (Vec<u32>, Vec<u32>) {
    // A place is written for each row, and taken by those that are kept.
    let (mut rows, mut kept) = (vec![0; nodes.len()], vec![0; nodes.len()]);
    let mut count = 0;
    for (at, (&node, number)) in nodes.iter().zip(numbers).enumerate() {
        (rows[count], kept[count]) = (at as u32, node);
        *number *= i64::from(node != NO_ID || optional);
        count += usize::from(node != NO_ID && *number != 0);
    }
    rows.truncate(count);
    kept.truncate(count);
    (rows, kept)
}
