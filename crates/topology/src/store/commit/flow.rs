//! Waiting for room: commits that find the log full or the buffers over their
//! budget merge first, and can be stopped while they do.

use std::time::Instant;

use evergraph_storage::failpoint;

use crate::error::TopologyError;
use crate::store::checkpoint::{RootState, SLICE};
use crate::store::commit::Committer;
use crate::store::live::Named;
use crate::store::queue::{PATIENCE, Stop, Ticket, is_stopped};

impl Committer {
    /// Makes room in the log until a commit fits, with a larger ring or by merges, and in
    /// buffers if they have outgrown their budget. A single group may pass the budget, so
    /// that a budget smaller than it stops no commit. `false` if it was stopped.
    pub(in crate::store) fn make_room(
        &self,
        ticket: &Ticket,
        stop: Stop<'_>,
    ) -> Result<bool, TopologyError> {
        if self.has_room(ticket) && !self.is_over_budget() {
            return Ok(true);
        }
        let started = Instant::now();
        let made = self.merge_until_room(ticket, stop);
        let waited = started.elapsed().as_micros() as u64;
        self.waits.add(waited);
        made
    }

    fn merge_until_room(&self, ticket: &Ticket, stop: Stop<'_>) -> Result<bool, TopologyError> {
        loop {
            failpoint!("commit.waits-for-room");
            if is_stopped(stop) {
                return Ok(false);
            }
            // The newest group may not be applied yet; wait for it.
            drop(self.live().applying.lock());
            let mut roots = match stop {
                None => self.checkpointer.roots.lock(),
                Some(_) => match self.checkpointer.roots.try_lock_for(PATIENCE) {
                    Some(roots) => roots,
                    None => continue,
                },
            };
            // Another committer may have merged meanwhile.
            if self.has_room(ticket) && !self.is_over_budget() {
                return Ok(true);
            }
            if self.checkpointer.needs_larger_ring(ticket)
                && self.checkpointer.replace_ring(&mut roots, 0)?
            {
                continue;
            }
            let more = match stop {
                None => {
                    self.checkpointer.merge_everything(&mut roots)?;
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
        self.checkpointer
            .log
            .lock()
            .has_room(ticket, self.live().config.log_bytes)
    }

    fn is_over_budget(&self) -> bool {
        self.live().unmerged_bytes() > self.checkpointer.buffer_budget
    }

    /// Merges some of the sections that hold back the log the longest, and the
    /// extension when it is as old. `false` if none was left, and the log is free
    /// up to the watermark.
    fn merge_oldest(&self, roots: &mut RootState) -> Result<bool, TopologyError> {
        let visible = self.live().registry.csn();
        let mut waiting: Vec<(u64, Named)> = self
            .live()
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
        let with_extension = self
            .live()
            .extension_since()
            .is_some_and(|since| since < next);
        self.checkpointer
            .merge_some(roots, &slice, with_extension)?;
        Ok(!slice.is_empty() || with_extension)
    }
}
