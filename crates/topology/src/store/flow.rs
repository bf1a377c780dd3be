//! Waiting for room: commits that find the log full or the buffers over their
//! budget merge first, and can be stopped while they do.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evergraph_storage::failpoint;
use parking_lot::RwLock;

use super::checkpoint::Named;
use super::commit::Ticket;
use super::{RootState, Store};
use crate::error::TopologyError;
use crate::section::Wanted;

/// Says whether to stop; `None` never stops.
pub(super) type Stop<'a> = Option<&'a dyn Fn() -> bool>;

/// Interval at which a committer that can be stopped asks whether it is.
pub(super) const PATIENCE: Duration = Duration::from_millis(10);

/// Sections that are merged between two looks: each time a root is published,
/// which should not cost more than they do.
const SLICE: usize = 1024;

/// The gate of commits, and the time that was spent waiting.
#[derive(Default)]
pub(super) struct Flow {
    /// Commits share it; a commit of what its caller has just read holds it alone.
    pub gate: RwLock<()>,
    /// Bytes of the log's ring, to be known without the log.
    pub ring_bytes: AtomicU64,
    waits: AtomicU64,
    waited_us: AtomicU64,
}

/// Number and length of the waits of commits for a merge, since the opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackPressure {
    /// Times that a group of commits found no room.
    pub waits: u64,
    /// Microseconds until there was.
    pub waited_us: u64,
}

impl Flow {
    pub fn with_ring(bytes: u64) -> Self {
        Flow {
            ring_bytes: AtomicU64::new(bytes),
            ..Flow::default()
        }
    }

    pub fn back_pressure(&self) -> BackPressure {
        BackPressure {
            waits: self.waits.load(Ordering::Relaxed),
            waited_us: self.waited_us.load(Ordering::Relaxed),
        }
    }
}

/// Whether the caller wants to stop.
pub(super) fn is_stopped(stop: Stop<'_>) -> bool {
    stop.is_some_and(|stop| stop())
}

impl Store {
    /// Makes room in the log until a commit fits, with a larger ring or by merges, and in
    /// buffers if they have outgrown their budget. A single group may pass the budget, so
    /// that a budget smaller than it stops no commit. `false` if it was stopped.
    pub(super) fn make_room(&self, ticket: &Ticket, stop: Stop<'_>) -> Result<bool, TopologyError> {
        if self.has_room(ticket) && !self.is_over_budget() {
            return Ok(true);
        }
        let started = Instant::now();
        let made = self.merge_until_room(ticket, stop);
        let waited = started.elapsed().as_micros() as u64;
        self.flow.waits.fetch_add(1, Ordering::Relaxed);
        self.flow.waited_us.fetch_add(waited, Ordering::Relaxed);
        made
    }

    fn merge_until_room(&self, ticket: &Ticket, stop: Stop<'_>) -> Result<bool, TopologyError> {
        loop {
            failpoint!("commit.waits-for-room");
            if is_stopped(stop) {
                return Ok(false);
            }
            // The newest group may not be applied yet; wait for it.
            drop(self.apply.lock());
            let mut roots = match stop {
                None => self.roots.lock(),
                Some(_) => match self.roots.try_lock_for(PATIENCE) {
                    Some(roots) => roots,
                    None => continue,
                },
            };
            // Another committer may have merged meanwhile.
            if self.has_room(ticket) && !self.is_over_budget() {
                return Ok(true);
            }
            if self.needs_larger_ring(ticket) && self.replace_ring(&mut roots, 0)? {
                continue;
            }
            let more = match stop {
                None => {
                    self.merge_everything(&mut roots)?;
                    false
                }
                Some(_) => self.merge_oldest(&mut roots)?,
            };
            if !more && self.has_room(ticket) {
                return Ok(true);
            }
        }
    }

    fn has_room(&self, ticket: &Ticket) -> bool {
        self.log.lock().has_room(ticket, self.config.log_bytes)
    }

    fn is_over_budget(&self) -> bool {
        self.unmerged_bytes() > self.buffer_budget()
    }

    /// Merges some of the sections that hold back the log the longest, and the
    /// attachment when it is as old. `false` if none was left, and the log is free
    /// up to the watermark.
    fn merge_oldest(&self, roots: &mut RootState) -> Result<bool, TopologyError> {
        let visible = self.registry.csn();
        let mut waiting: Vec<(u64, Named)> = self
            .all_sections()
            .into_iter()
            .filter_map(|named| Some((named.1.unmerged_since()?, named)))
            .filter(|(since, _)| *since <= visible)
            .collect();
        waiting.sort_by_key(|(since, _)| *since);
        // The first that has to wait for the next slice.
        let next = waiting.get(SLICE).map_or(visible + 1, |(since, _)| *since);
        waiting.truncate(SLICE);
        let slice: Vec<Named> = waiting.into_iter().map(|(_, named)| named).collect();
        let with_attached = self.attached_since().is_some_and(|since| since < next);
        self.merge_some(roots, &slice, with_attached)?;
        Ok(!slice.is_empty() || with_attached)
    }

    /// As [`Store::compact`], some sections at a time. `go_on` is called before
    /// each with the sections that are done and all of them; if it says no, the
    /// rest stays as it is. Returns whether everything was compacted.
    pub fn compact_while(
        &self,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<bool, TopologyError> {
        self.refuse_if_not_writable()?;
        let sections = self.all_sections();
        if sections.is_empty() {
            // There may be something attached all the same.
            if go_on(0, 0) {
                self.merge_all(&mut self.roots.lock(), &[], Wanted::Compacted, false)?;
                return Ok(true);
            }
            return Ok(false);
        }
        for (i, slice) in sections.chunks(SLICE).enumerate() {
            if !go_on(i * SLICE, sections.len()) {
                return Ok(false);
            }
            let mut roots = self.roots.lock();
            match i {
                0 => self.merge_all(&mut roots, slice, Wanted::Compacted, false)?,
                _ => self.merge_at(&mut roots, slice, Wanted::Compacted, false)?,
            }
        }
        Ok(true)
    }
}
