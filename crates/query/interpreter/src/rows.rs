//! What a query gives.

use std::collections::VecDeque;
use std::sync::Arc;

use evergraph_functions::Datum;
use evergraph_planner::Slot;

use crate::batch::Batch;

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

/// What a query did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Its effects.
    pub counters: Counters,
    /// Its plan, if it was asked for by `EXPLAIN` or `PROFILE`.
    pub plan: Option<String>,
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
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What the query did.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

impl Iterator for Rows {
    type Item = Vec<Datum>;

    fn next(&mut self) -> Option<Vec<Datum>> {
        while let Some(batch) = self.batches.front() {
            if self.at < batch.len() {
                let row = self.slots.iter().map(|&slot| batch.get(slot, self.at));
                let row = row.collect();
                self.at += 1;
                return Some(row);
            }
            self.batches.pop_front();
            self.at = 0;
        }
        None
    }
}
