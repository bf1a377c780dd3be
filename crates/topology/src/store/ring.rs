//! The log as the store uses it: what does not fit into its ring lies in extents, and a
//! ring that has become too small is replaced.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_storage::{
    CommitLog, Extent, LogRecord, LogStart, Root, Storage, StorageError, checksum, failpoint,
};

use super::commit::Ticket;
use super::{GroupEnd, LogState, RootState, Store};
use crate::error::TopologyError;
use crate::record::{InExtent, OP_HEADER_BYTES};
use crate::section::Context;

/// A commit of more than this part of the ring, beside the header of an operation, lies
/// in an extent: else a few of them would fill the ring, and one that is longer than half
/// of it would never fit.
const MOST_OF_RING: u64 = 8;

/// Bytes of the smallest ring that a payload goes into.
fn ring_for(payload_len: u64) -> u64 {
    payload_len.saturating_sub(OP_HEADER_BYTES as u64) * MOST_OF_RING
}

/// The extents that records of the log name, in the order of their commits.
#[derive(Default)]
pub(super) struct LoggedExtents {
    extents: VecDeque<(u64, Arc<Extent>)>,
    bytes: u64,
}

impl LoggedExtents {
    /// Takes the extent of a commit, which is newer than all there are.
    pub fn push(&mut self, csn: u64, extent: Arc<Extent>) {
        self.bytes += extent.len();
        self.extents.push_back((csn, extent));
    }

    /// Those of commits up to `csn`.
    pub fn up_to(&self, csn: u64) -> impl Iterator<Item = &Arc<Extent>> {
        let older = self.extents.iter().take_while(move |(of, _)| *of <= csn);
        older.map(|(_, extent)| extent)
    }

    /// Durability step L6: gives those back that no durable root needs.
    pub fn release(&mut self, csn: u64) {
        let released = self.up_to(csn).count();
        for (_, extent) in self.extents.drain(..released) {
            self.bytes -= extent.len();
            extent.retire();
        }
    }
}

impl LogState {
    /// Bytes that recovery would read.
    pub fn used_bytes(&self) -> u64 {
        self.log.used_bytes() + self.extents.bytes
    }

    /// Bytes of the log up to each of the groups, in order.
    pub fn fill_by_group(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let start = self.log.start();
        let mut extents = self.extents.extents.iter().peekable();
        let mut bytes = 0;
        self.boundaries.iter().map(move |end| {
            while let Some((_, extent)) = extents.next_if(|(csn, _)| *csn <= end.csn) {
                bytes += extent.len();
            }
            (end.csn, end.lsn - start + bytes)
        })
    }

    /// Whether a commit may be logged now: so that recovery reads no more than `most`
    /// bytes, or this one commit.
    pub fn has_room(&self, ticket: &Ticket, most: u64) -> bool {
        self.log.has_room(ticket.payload.len() as u64) && self.is_within(ticket, most)
    }

    fn is_within(&self, ticket: &Ticket, most: u64) -> bool {
        let used = self.used_bytes();
        used == 0 || used + ticket.extent_bytes() <= most
    }
}

impl Ticket {
    fn extent_bytes(&self) -> u64 {
        self.extent.as_ref().map_or(0, |extent| extent.len())
    }
}

impl Store {
    /// Durability step L0: what is too large for the ring is written to an extent, and
    /// is durable before the record that names it is written. Returns what the record
    /// says, and the extent, which is free again if it is dropped before
    /// [`Extent::published`].
    pub(super) fn payload_for_log(
        &self,
        payload: Vec<u8>,
        makes_room: bool,
    ) -> Result<(Vec<u8>, Option<Arc<Extent>>), TopologyError> {
        let len = payload.len() as u64;
        if !self.suits_ring(len) {
            self.grow_with_traffic(len)?;
        }
        if self.suits_ring(len) {
            return Ok((payload, None));
        }
        let region = &self.context.region;
        let _borrowed = makes_room.then(|| region.borrow_reserve());
        let draft = region.allocate(len)?;
        let offset = draft.offset();
        let crc = checksum(&self.context.uuid, offset, &payload);
        let flushed = draft.finish(&payload)?;
        // A fence of its own, because no order holds between the file of extents and the
        // log but by fences: without it a record that holds could name a torn extent.
        let extent = failpoint!(
            "log.extent-not-durable",
            flushed.assume_durable(),
            else flushed.fence(region.medium())?
        );
        let place = InExtent { offset, len, crc };
        Ok((place.encode(), Some(Arc::new(extent.into_inner()))))
    }

    fn suits_ring(&self, payload_len: u64) -> bool {
        ring_for(payload_len) <= self.flow.ring_bytes.load(Ordering::Relaxed)
    }

    /// Replaces the ring by one for many commits of this size, if the log comes to hold more
    /// than the ring could: those by way of extents cost a fence more. Failing that, the log
    /// goes on as it is.
    fn grow_with_traffic(&self, payload_len: u64) -> Result<(), TopologyError> {
        let outgrows = {
            let state = self.log.lock();
            let used = state.used_bytes();
            used > 0 && used + payload_len > state.log.capacity_bytes()
        };
        if outgrows && let Some(mut roots) = self.roots.try_lock() {
            self.poisoning(|| self.replace_ring(&mut roots, ring_for(payload_len)))?;
        }
        Ok(())
    }

    /// Whether the ring alone has no room for a commit.
    pub(super) fn needs_larger_ring(&self, ticket: &Ticket) -> bool {
        let state = self.log.lock();
        !state.log.has_room(ticket.payload.len() as u64)
            && state.is_within(ticket, self.config.log_bytes)
    }

    /// Replaces the ring by one that holds the same, and is much larger than it and than
    /// `wanted`. `false` if it is as large
    /// as it may be, or a larger one could not be made: nothing has changed then, and a
    /// merge makes room in this one.
    pub(super) fn replace_ring(
        &self,
        roots: &mut RootState,
        wanted: u64,
    ) -> Result<bool, TopologyError> {
        self.refuse_if_failed()?;
        let state = &mut *self.log.lock();
        let Some(bytes) = self.config.next_ring(state.log.capacity_bytes(), wanted) else {
            return Ok(false);
        };
        let mut root = roots.pool.root().clone();
        let old = CommitLog::file_name(root.log_file)?;
        root.log_file += 1;
        root.log_bytes = bytes;
        let new = CommitLog::file_name(root.log_file)?;
        let Ok((carried, ends)) = self.carry_log(state, &root, new) else {
            // Failing that, the next opening removes it.
            let _ = self.storage.remove(new);
            return Ok(false);
        };
        root.log_start = carried.start();
        root.log_epoch = carried.epoch();
        for end in &mut state.boundaries {
            *end = carried_end(*end, &ends, carried.epoch());
        }
        // The old ring is open no longer; nothing is logged while the log is held.
        state.log = carried;
        let remove_old = || self.storage.remove(old);
        failpoint!("log.old-ring-removed-first" => {
            remove_old().map_err(StorageError::from)?;
        });
        // Durability step L4: the root names the new ring.
        if let Err(error) = roots.pool.update(&roots.file, root) {
            self.failed.store(true, Ordering::Release);
            return Err(error.into());
        }
        failpoint!("log.ring-published");
        self.flow.ring_bytes.store(bytes, Ordering::Relaxed);
        state.invariants();
        // Durability step L5: only now is the old ring removed. Failing that, the next
        // opening does it.
        let _ = remove_old();
        Ok(true)
    }

    /// Durability step L3: the new ring is durable with its name.
    fn carry_log(
        &self,
        state: &LogState,
        root: &Root,
        name: &str,
    ) -> Result<(CommitLog, Vec<(u64, u64)>), StorageError> {
        if self.storage.exists(name)? {
            self.storage.remove(name)?;
        }
        let medium = self.storage.open(name, true)?;
        let start = LogStart {
            lsn: root.log_start,
            epoch: root.log_epoch,
            csn: root.csn,
        };
        let uuid = &self.context.uuid;
        let carried = state.log.carry(medium, uuid, start, root.log_bytes)?;
        if !failpoint!("log.ring-named-too-early") {
            self.storage.sync_names()?;
        }
        failpoint!("log.ring-durable");
        Ok(carried)
    }
}

/// A group's end in the new ring.
fn carried_end(end: GroupEnd, ends: &[(u64, u64)], epoch: u32) -> GroupEnd {
    let at = ends.binary_search_by_key(&end.csn, |(csn, _)| *csn);
    let lsn = at.map(|at| ends[at].1).expect("the log holds each group");
    GroupEnd { lsn, epoch, ..end }
}

/// Removes the rings that the root does not name: one that was replaced, or was to
/// replace this one when the process ended.
pub(super) fn remove_other_rings(storage: &dyn Storage, named: &str) -> Result<(), StorageError> {
    for name in CommitLog::file_names() {
        if *name != named && storage.exists(name)? {
            storage.remove(name)?;
        }
    }
    Ok(())
}

/// Recovery step R4 for a record that names an extent: claims and verifies it.
pub(super) fn claim(
    context: &Context,
    record: &LogRecord<'_>,
) -> Result<Arc<Extent>, TopologyError> {
    let place = InExtent::decode(record.payload, record.lsn)?;
    let extent = context.region.adopt(place.offset, place.len)?;
    extent.touch()?;
    if checksum(&context.uuid, place.offset, extent.bytes()) != place.crc {
        return Err(StorageError::damaged(
            &extent.file_name(),
            place.offset,
            format!(
                "commit {}, which lies there, has a wrong checksum",
                record.csn
            ),
        )
        .into());
    }
    failpoint!("log.extents-not-claimed" => {
        context.region.disown(&extent);
    });
    Ok(Arc::new(extent))
}
