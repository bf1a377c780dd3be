//! Lists that are queried become one block (XPGraph-S's workload-aware merging,
//! its section 4.3).
//!
//! On a device that is slow at single random reads, a list of many blocks costs a read
//! each. So a query of one leaves a hint, if few queries run at once; the background
//! merge then compacts that list as it would any other. With many queries at once the
//! device is as fast at scattered reads as at others, and merging would only cost
//! ingestion.
//!
//! A query never waits for it, and no view sees anything of it: the list moves to
//! another block, with the same entries in the same order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use evergraph_storage::{Medium, SectionKey};
use parking_lot::Mutex;

use crate::error::TopologyError;
use crate::layout::{Base, Layout};
use crate::section_view::SectionView;
use crate::store::Store;
use crate::store::checkpoint::Purpose;
use crate::store::config::Tuning;
use crate::store::live::Named;

/// Used where nothing was measured: the number that XPGraph's authors found for their
/// SSD.
const USUAL_CONCURRENCY: usize = 8;
/// Lists of fewer blocks stay as they are: the section's index is written again
/// for one of them.
const BLOCKS_AT_LEAST: usize = 4;
/// More hints than that are dropped; who asks often comes again.
const MOST_HINTS: usize = 1 << 10;

/// Queries that run, and hints of finished ones.
#[derive(Debug, Default)]
pub(in crate::store) struct Queried {
    /// With so many queries at once, and with more, nothing is merged.
    below: usize,
    running: AtomicUsize,
    hints: Mutex<BTreeSet<(SectionKey, usize)>>,
    merged: AtomicU64,
}

/// Merging of lists that are queried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryMerging {
    /// Lists are merged if fewer queries than that run at once; 0 is never.
    pub below: usize,
    /// Lists that were merged since the opening.
    pub merged_lists: u64,
}

/// A query of one list, as long as it reads.
pub struct Query<'a>(Option<&'a Queried>);

impl Drop for Query<'_> {
    fn drop(&mut self) {
        if let Some(queried) = self.0 {
            queried.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Queried {
    /// For a store over `medium`: the threshold of `tuning`, or where the sections
    /// are on a device, one that is measured if they are blocks now.
    pub(in crate::store) fn new(tuning: &Tuning, layout: Layout, medium: &dyn Medium) -> Self {
        let measured = || match layout {
            Layout::Blocks => medium.concurrency_for_random_reads(),
            Layout::Pma => None,
        };
        Queried {
            below: match tuning.merge_queried_below {
                Some(below) => below,
                None if medium.properties().byte_addressed => 0,
                None => measured().unwrap_or(USUAL_CONCURRENCY),
            },
            ..Queried::default()
        }
    }

    pub(in crate::store) fn report(&self) -> QueryMerging {
        QueryMerging {
            below: self.below,
            merged_lists: self.merged.load(Ordering::Relaxed),
        }
    }
}

impl Store {
    /// A query of one list begins; it ends when the result is dropped. `section`
    /// is what it reads. Never waits.
    #[inline(always)]
    pub fn query(&self, adjacency: usize, vertex: u32, section: &SectionView) -> Query<'_> {
        match section.is_packed() {
            true => Query(None),
            false => self.query_of(adjacency, vertex, section.base()),
        }
    }

    /// As [`Store::query`]. Lists that are never of several blocks do not count:
    /// threads that only read would hinder each other by counting.
    #[inline(always)]
    pub(crate) fn query_of(&self, adjacency: usize, vertex: u32, base: &Base) -> Query<'_> {
        match base {
            Base::Blocks(_) if self.queried.below > 0 => self.query_blocks(adjacency, vertex, base),
            _ => Query(None),
        }
    }

    fn query_blocks(&self, adjacency: usize, vertex: u32, base: &Base) -> Query<'_> {
        let queried = &self.queried;
        let running = 1 + queried.running.fetch_add(1, Ordering::Relaxed);
        let shift = self.live().config.section_shift;
        let list = vertex as usize & ((1 << shift) - 1);
        if running < queried.below
            && !self.live().status.is_read_only()
            && base.is_chained(list)
            && let Some(mut hints) = queried.hints.try_lock()
            && hints.len() < MOST_HINTS
        {
            let key = SectionKey {
                owner: adjacency as u32,
                section: vertex >> shift,
            };
            hints.insert((key, list));
        }
        Query(Some(queried))
    }

    /// Whether lists were queried that [`Store::merge_queried`] may merge.
    pub fn has_queried(&self) -> bool {
        !self.queried.hints.lock().is_empty()
    }

    /// Makes lists that were queried one block each, at most one of each section;
    /// others stay for the next call. Returns how many were merged.
    pub fn merge_queried(&self) -> Result<usize, TopologyError> {
        let mut roots = self.checkpointer().roots.lock();
        let mut lists = BTreeMap::new();
        self.queried.hints.lock().retain(|&(key, list)| {
            let first = !lists.contains_key(&key);
            if first {
                lists.insert(key, list);
            }
            !first
        });
        if self.layout() != Layout::Blocks {
            return Ok(0);
        }
        let mut sections: Vec<Named> = Vec::new();
        for (&key, &list) in &lists {
            if let Some(section) = self.live().adjacencies.section(key)
                && section.block_count(&self.live().resources, list)? >= BLOCKS_AT_LEAST
            {
                sections.push((key, section));
            }
        }
        if sections.is_empty() {
            return Ok(0);
        }
        self.checkpointer()
            .merge_at(&mut roots, &sections, Purpose::Lists(&lists), false)?;
        let merged = sections.len();
        self.queried
            .merged
            .fetch_add(merged as u64, Ordering::Relaxed);
        Ok(merged)
    }
}
