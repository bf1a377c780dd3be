//! Results of a query.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use evergraph_functions::Datum;
use evergraph_planner::Slot;

use crate::batch::Batch;
use crate::profile::Profile;

/// Effects of a query. Each step counts, also one that a later step undoes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nodes that were made.
    pub nodes_created: u64,
    /// Nodes that were deleted.
    pub nodes_deleted: u64,
    /// Relationships that were made.
    pub relationships_created: u64,
    /// Relationships that were deleted.
    pub relationships_deleted: u64,
    /// Properties that were set or removed.
    pub properties_set: u64,
    /// Labels that were given to nodes.
    pub labels_added: u64,
    /// Labels that were taken from nodes.
    pub labels_removed: u64,
}

impl Counters {
    /// Adds the effects of another part of the query.
    pub(crate) fn add(&mut self, other: Counters) {
        self.nodes_created += other.nodes_created;
        self.nodes_deleted += other.nodes_deleted;
        self.relationships_created += other.relationships_created;
        self.relationships_deleted += other.relationships_deleted;
        self.properties_set += other.properties_set;
        self.labels_added += other.labels_added;
        self.labels_removed += other.labels_removed;
    }
}

/// Effects of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Its effects.
    pub counters: Counters,
    /// Its plan, if it was asked for by `EXPLAIN` or `PROFILE`, then with what its
    /// operators did.
    pub plan: Option<String>,
    /// Work of its operators, of `PROFILE`.
    pub profile: Option<Profile>,
}

/// Rows of a query: an iterator over their values in the order of the columns.
#[derive(Debug)]
pub struct Rows {
    columns: Arc<[String]>,
    slots: Vec<Slot>,
    batches: VecDeque<Batch>,
    at: usize,
    summary: Summary,
}

impl Rows {
    pub(crate) fn new(
        columns: Arc<[String]>,
        slots: Vec<Slot>,
        batches: VecDeque<Batch>,
        summary: Summary,
    ) -> Self {
        Rows {
            columns,
            slots,
            batches,
            at: 0,
            summary,
        }
    }

    /// Names of the columns.
    pub fn columns(&self) -> &Arc<[String]> {
        &self.columns
    }

    /// Effects of the query.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether there is no row left.
    pub fn is_empty(&self) -> bool {
        let mut batches = self.batches.iter();
        let first = batches.next();
        first.is_none_or(|first| self.at == first.len()) && batches.all(|other| other.len() == 0)
    }

    /// The next row, as something that is made of its values.
    pub fn next_of<T, E>(
        &mut self,
        of: impl FnMut(Datum) -> Result<T, E>,
    ) -> Option<Result<Vec<T>, E>> {
        while let Some(batch) = self.batches.front_mut() {
            if self.at < batch.len() {
                self.at += 1;
                return Some(made_of_row(batch, &self.slots, self.at - 1, of));
            }
            self.batches.pop_front();
            self.at = 0;
        }
        None
    }

    /// Shows the values that are left, by column, without taking them.
    pub fn for_each_value(&self, mut visit: impl FnMut(usize, &Datum)) {
        for (number, batch) in self.batches.iter().enumerate() {
            let from = if number == 0 { self.at } else { 0 };
            for (column, &slot) in self.slots.iter().enumerate() {
                for row in from..batch.len() {
                    visit(column, &batch.get(slot, row));
                }
            }
        }
    }
}

/// A row of a batch, which is asked for once.
pub(crate) fn row_of(batch: &mut Batch, slots: &[Slot], row: usize) -> Vec<Datum> {
    let Ok(values) = made_of_row(batch, slots, row, Ok::<_, Infallible>);
    values
}

/// As [`row_of`], with each value made into something else.
fn made_of_row<T, E>(
    batch: &mut Batch,
    slots: &[Slot],
    row: usize,
    mut of: impl FnMut(Datum) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    let mut made = Vec::with_capacity(slots.len());
    for (at, &slot) in slots.iter().enumerate() {
        // Two columns may have one slot.
        made.push(of(match slots[at + 1..].contains(&slot) {
            true => batch.get(slot, row),
            false => batch.take_value(slot, row),
        })?);
    }
    Ok(made)
}

impl Iterator for Rows {
    type Item = Vec<Datum>;

    fn next(&mut self) -> Option<Vec<Datum>> {
        self.next_of(Ok::<_, Infallible>).map(|Ok(values)| values)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rows: usize = self.batches.iter().map(Batch::len).sum();
        (rows - self.at, Some(rows - self.at))
    }
}
