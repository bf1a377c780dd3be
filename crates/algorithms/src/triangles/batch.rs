//! The lists N+ of some consecutive ranks.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use crate::Cancelled;

/// Entries of a batch for each vertex of the graph: half a word each.
const ENTRIES: usize = 4;

/// Lists that one task fills.
const TASK_LISTS: usize = 256;

/// Lists of ranks `first..`.
pub(super) struct Batch {
    first: u32,
    /// Start of each list, and the end of the last.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

/// Some lists of a batch, to be filled by one task.
pub(super) struct Unfilled<'a> {
    first: u32,
    starts: &'a [u32],
    entries: &'a mut [u32],
}

impl Unfilled<'_> {
    /// Calls `fill` with each rank that has a list, and the list.
    pub(super) fn fill(
        self,
        mut fill: impl FnMut(u32, &mut [u32]) -> Result<(), Cancelled>,
    ) -> Result<(), Cancelled> {
        let mut rest = self.entries;
        for (rank, ends) in (self.first..).zip(self.starts.windows(2)) {
            let (list, behind) = rest.split_at_mut((ends[1] - ends[0]) as usize);
            rest = behind;
            if !list.is_empty() {
                fill(rank, list)?;
            }
        }
        Ok(())
    }
}

impl Batch {
    /// As many lists from `first` as there is room for, and at least one; `lens`
    /// has their lengths. `fill` makes some of them.
    pub(super) fn new(
        lens: &[AtomicU32],
        first: usize,
        fill: impl Fn(Unfilled<'_>) -> Result<(), Cancelled> + Send + Sync,
    ) -> Result<Self, Cancelled> {
        let room = ENTRIES * lens.len();
        let mut starts = vec![0];
        let mut end = 0;
        for len in &lens[first..] {
            end += len.load(Relaxed) as usize;
            if end > room && starts.len() > 1 {
                break;
            }
            // At most 4 · 2^30 − 4 entries; a single list is shorter.
            starts.push(end as u32);
        }
        let mut entries = vec![0; starts[starts.len() - 1] as usize];
        {
            let mut rest = &mut *entries;
            let mut tasks = Vec::with_capacity(starts.len() / TASK_LISTS + 1);
            for task in 0..(starts.len() - 1).div_ceil(TASK_LISTS) {
                let lists = task * TASK_LISTS..(starts.len() - 1).min((task + 1) * TASK_LISTS);
                let len = (starts[lists.end] - starts[lists.start]) as usize;
                tasks.push(Unfilled {
                    first: (first + lists.start) as u32,
                    starts: &starts[lists.start..=lists.end],
                    entries: rest.split_off_mut(..len).expect("room for all lists"),
                });
            }
            (tasks.into_par_iter().with_max_len(1)).try_for_each(fill)?;
        }
        Ok(Self {
            first: first as u32,
            starts,
            entries,
        })
    }

    /// The rank behind the last.
    pub(super) fn end(&self) -> usize {
        self.first as usize + self.starts.len() - 1
    }

    /// The list of a rank of the batch; of another, nothing.
    #[inline]
    pub(super) fn list(&self, rank: u32) -> &[u32] {
        let at = rank.wrapping_sub(self.first) as usize;
        match self
            .starts
            .get(at..)
            .and_then(|starts| starts.first_chunk())
        {
            Some(&[start, end]) => &self.entries[start as usize..end as usize],
            None => &[],
        }
    }
}
