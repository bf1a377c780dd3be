//! Applying a group of commits that the log holds: edges to their sections,
//! payloads to the extension, and then the watermark moves.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_storage::Needed;
use evergraph_storage::failpoint;

use crate::error::TopologyError;
use crate::published::Published;
use crate::record::{self, Op};
use crate::section::Commits;
use crate::store::group::{GroupEdges, set_meta};
use crate::store::live::LiveGraph;
use crate::store::queue::Ticket;

impl LiveGraph {
    /// Applies a group in parts, each up to a commit that names a snapshot, so
    /// that its lengths are told from those after it.
    pub(in crate::store) fn apply_group(
        &self,
        group: &[Arc<Ticket>],
        last: u64,
    ) -> Result<Vec<u64>, TopologyError> {
        let mut missed = vec![0; group.len()];
        let mut begin = 0;
        while begin < group.len() {
            let named = group[begin..]
                .iter()
                .position(|ticket| ticket.names_snapshots());
            let end = named.map_or(group.len(), |at| begin + at + 1);
            let csn = last - (group.len() - end) as u64;
            self.apply_part(&group[begin..end], csn, &mut missed[begin..end])?;
            begin = end;
        }
        Ok(missed)
    }

    fn apply_part(
        &self,
        group: &[Arc<Ticket>],
        csn: u64,
        missed: &mut [u64],
    ) -> Result<(), TopologyError> {
        let (_, mut published) = self.registry.current();
        let mut edges = GroupEdges::new(&self.config);
        for (origin, ticket) in group.iter().enumerate() {
            for op in &ticket.ops {
                if op.makes_room() {
                    // Also if a merge came between its check and its place in the log.
                    self.makes_room.store(true, Ordering::Release);
                }
                match op {
                    Op::Insert(_)
                    | Op::Delete(_)
                    | Op::InsertRelationships(_)
                    | Op::DeleteRelationships(_) => edges.add(op, origin as u32),
                    Op::Vertices(count) => edges.vertex_count = edges.vertex_count.max(*count),
                    Op::Meta { key, value } => set_meta(&mut self.meta.write(), key, value),
                    Op::Ids(assigned) => {
                        let mut ids = self.ids.write();
                        // Checked before it was logged.
                        let fits = ids.assign(assigned);
                        fits.map_err(TopologyError::ExternalIds)?;
                        edges.vertex_count = edges.vertex_count.max(ids.len() as u64);
                    }
                    Op::CreateSnapshot { .. } | Op::DropSnapshot { .. } | Op::Payload(_) => {}
                }
            }
            published.wall_us = ticket.wall_us;
        }
        let needed = self.registry.needed();
        let commits = Commits {
            first: csn + 1 - group.len() as u64,
            last: csn,
        };
        debug_assert!(
            self.direct.is_some() || commits.first == self.registry.csn() + 1,
            "groups are applied in the order of the log: {commits:?} after {}",
            self.registry.csn()
        );
        edges.apply(
            &self.resources,
            &self.adjacencies,
            commits,
            &needed,
            &mut published,
            |origin| missed[origin as usize] += 1,
        )?;
        // Before the watermark moves: a view would show relationships without records.
        let late = failpoint!("extension.applied-late");
        if !late {
            self.apply_extension(group, commits.first, &needed)?;
        }
        self.publish_part(group, csn, published);
        if late {
            self.apply_extension(group, commits.first, &self.registry.needed())?;
        }
        Ok(())
    }

    /// The payloads of a group that begins with commit `first`.
    fn apply_extension(
        &self,
        group: &[Arc<Ticket>],
        first: u64,
        needed: &Needed,
    ) -> Result<(), TopologyError> {
        let Some(extension) = &self.extension else {
            return Ok(());
        };
        for (ticket, csn) in group.iter().zip(first..) {
            let payloads = record::payloads(&ticket.ops);
            if !payloads.is_empty() {
                extension.apply(csn, &payloads, needed)?;
            }
        }
        Ok(())
    }

    fn publish_part(&self, group: &[Arc<Ticket>], csn: u64, published: Published) {
        match &self.direct {
            None => {
                let ops = group.iter().flat_map(|ticket| &ticket.ops);
                self.snapshots.publish(csn, published, ops);
            }
            // Views are the clock there; what the log carries has no lists.
            Some(_) => self
                .registry
                .amend(|state| state.wall_us = published.wall_us),
        }
    }
}
