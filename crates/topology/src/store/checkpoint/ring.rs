//! The log as the store uses it: what does not fit into its ring lies in extents, and a
//! ring that has become too small is replaced.

use std::sync::Arc;

use evergraph_storage::{
    CommitLog, Extent, LogRecord, LogStart, Root, Storage, StorageError, checksum, failpoint,
};

use crate::error::TopologyError;
use crate::record::{InExtent, OP_HEADER_BYTES};
use crate::store::checkpoint::{Checkpointer, RootState};
use crate::store::log::{GroupEnd, LogState};
use crate::store::queue::Ticket;
use crate::volume::Volume;

/// A commit of more than this part of the ring, beside the header of an operation, lies
/// in an extent: else a few of them would fill the ring, and one that is longer than half
/// of it would never fit.
const MOST_OF_RING: u64 = 8;

/// Bytes of the smallest ring that a payload goes into.
fn ring_for(payload_len: u64) -> u64 {
    payload_len.saturating_sub(OP_HEADER_BYTES as u64) * MOST_OF_RING
}

impl Checkpointer {
    /// Durability step L0: what is too large for the ring is written to an extent, and
    /// is durable before the record that names it is written. Returns what the record
    /// says, and the extent, which is free again if it is dropped before
    /// [`Extent::published`].
    pub(in crate::store) fn payload_for_log(
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
        let region = &self.live.resources.volume.region;
        let _borrowed = makes_room.then(|| region.borrow_reserve());
        let draft = region.allocate(len)?;
        let offset = draft.offset();
        let crc = checksum(&self.live.resources.volume.uuid, offset, &payload);
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
        ring_for(payload_len) <= self.log.ring_bytes()
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
            self.live
                .status
                .poisoning(|| self.replace_ring(&mut roots, ring_for(payload_len)))?;
        }
        Ok(())
    }

    /// Whether the ring alone has no room for a commit.
    pub(in crate::store) fn needs_larger_ring(&self, ticket: &Ticket) -> bool {
        let state = self.log.lock();
        !state.log.has_room(ticket.payload.len() as u64)
            && state.is_within(ticket, self.live.config.log_bytes)
    }

    /// Replaces the ring by one that holds the same, and is much larger than it and than
    /// `wanted`. `false` if it is as large
    /// as it may be, or a larger one could not be made: nothing has changed then, and a
    /// merge makes room in this one.
    pub(in crate::store) fn replace_ring(
        &self,
        roots: &mut RootState,
        wanted: u64,
    ) -> Result<bool, TopologyError> {
        self.live.status.refuse_if_failed()?;
        let state = &mut *self.log.lock();
        let Some(bytes) = self
            .live
            .config
            .next_ring(state.log.capacity_bytes(), wanted)
        else {
            return Ok(false);
        };
        let mut root = roots.pool.root().clone();
        let old = CommitLog::file_name(root.log_file)?;
        root.log_file += 1;
        root.log_bytes = bytes;
        let new = CommitLog::file_name(root.log_file)?;
        let Ok((carried, ends)) = self.carry_log(state, &root, new) else {
            // Failing that, the next opening removes it.
            let _ = self.log.storage.remove(new);
            return Ok(false);
        };
        root.log_start = carried.start();
        root.log_epoch = carried.epoch();
        root.log_durable = carried.durable();
        for end in &mut state.boundaries {
            *end = carried_end(*end, &ends, carried.epoch());
        }
        // The old ring is open no longer; nothing is logged while the log is held.
        state.log = carried;
        let remove_old = || self.log.storage.remove(old);
        failpoint!("log.old-ring-removed-first" => {
            remove_old().map_err(StorageError::from)?;
        });
        // Durability step L4: the root names the new ring.
        if let Err(error) = roots.pool.update(&roots.file, root) {
            self.live.status.fail();
            return Err(error.into());
        }
        failpoint!("log.ring-published");
        self.log.set_ring_bytes(bytes);
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
        if self.log.storage.exists(name)? {
            self.log.storage.remove(name)?;
        }
        let medium = self.log.storage.open(name, true)?;
        let start = LogStart {
            lsn: root.log_start,
            epoch: root.log_epoch,
            csn: root.csn,
        };
        let uuid = &self.live.resources.volume.uuid;
        let carried = state.log.carry(medium, uuid, start, root.log_bytes)?;
        if !failpoint!("log.ring-named-too-early") {
            self.log.storage.sync_names()?;
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
pub(in crate::store) fn remove_other_rings(
    storage: &dyn Storage,
    named: &str,
) -> Result<(), StorageError> {
    for name in CommitLog::file_names() {
        if *name != named && storage.exists(name)? {
            storage.remove(name)?;
        }
    }
    Ok(())
}

/// Recovery step R4 for a record that names an extent: claims and verifies it.
pub(in crate::store) fn claim(
    volume: &Volume,
    record: &LogRecord<'_>,
) -> Result<Arc<Extent>, TopologyError> {
    let place = InExtent::decode(record.payload, record.lsn)?;
    let extent = volume.region.adopt(place.offset, place.len)?;
    extent.touch()?;
    if checksum(&volume.uuid, place.offset, extent.bytes()) != place.crc {
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
        volume.region.disown(&extent);
    });
    Ok(Arc::new(extent))
}
