//! The log as a reader has it: a copy, of which a writer overwrites nothing.

use super::{CommitLog, LogRecord, LogStart};
use crate::error::StorageError;
use crate::failpoint;
use crate::medium::{DramStorage, Medium, MediumHandle, Storage};
use crate::pool::{Root, Uuid};

/// Bytes that are copied in one go.
const COPIED_BYTES: u64 = 1 << 20;

/// A ring in DRAM, as it was under a root.
pub struct CopiedLog {
    /// The ring.
    pub medium: MediumHandle,
    /// Position up to which it may be read, if that is known: where a clean stop ended, or
    /// what is proven to be durable. Else the log ends where no record holds any more.
    pub end: Option<u64>,
}

impl CopiedLog {
    /// Copies a ring. Beside a writer, only what a later record or the root proves to be
    /// durable is to be read of it.
    ///
    /// The copy holds if `root` still is the newest afterwards: what it needs of the ring is
    /// not overwritten before another is published. Costs the bytes of the ring, after a
    /// clean stop those that are not merged.
    ///
    /// # Errors
    /// Damage. Beside a writer it may be that of a copy during which much was written.
    pub fn of(
        ring: &MediumHandle,
        uuid: &Uuid,
        root: &Root,
        is_written: bool,
    ) -> Result<Self, StorageError> {
        let capacity = CommitLog::ring_bytes(ring);
        let medium = DramStorage::new().open(ring.name(), true)?;
        medium.grow(ring.len())?;
        let limit = root.clean_log_end.unwrap_or(root.log_start + capacity);
        let mut at = root.log_start;
        while at < limit && capacity > 0 {
            let offset = at % capacity;
            let len = (limit - at).min(capacity - offset).min(COPIED_BYTES);
            copy(ring, &medium, offset, len)?;
            at += len;
        }
        copy(ring, &medium, capacity, ring.len() - capacity)?;
        let end = match (root.clean_log_end, is_written) {
            (None, false) => None,
            (None, true) => Some(proven_end(&medium, uuid, root)?),
            (Some(end), _) => {
                // What lies behind the end is looked at, and not copied.
                let nothing = |_: LogRecord<'_>| Ok::<_, StorageError>(());
                let (ring, epoch) = (ring.clone(), root.epoch + 1);
                CommitLog::open(ring, uuid, epoch, start(root), Some(end), nothing)?;
                Some(end)
            }
        };
        Ok(CopiedLog { medium, end })
    }
}

fn start(root: &Root) -> LogStart {
    LogStart {
        lsn: root.log_start,
        epoch: root.log_epoch,
        csn: root.csn,
    }
}

fn copy(from: &MediumHandle, to: &MediumHandle, at: u64, len: u64) -> Result<(), StorageError> {
    let mut bytes = vec![0; len as usize];
    from.read(at, &mut bytes)?;
    // Memory that nothing was written to takes no space.
    if bytes.iter().any(|&byte| byte != 0) {
        to.write(at, &bytes)?;
    }
    Ok(())
}

/// Reader step B3: position up to which records are durable. Each says how far the log was when it was
/// written, and so does the root.
fn proven_end(copy: &MediumHandle, uuid: &Uuid, root: &Root) -> Result<u64, StorageError> {
    let mut proven = root.log_start.max(root.log_durable);
    let (log, _) = CommitLog::open(
        copy.clone(),
        uuid,
        root.epoch + 1,
        start(root),
        None,
        |record| {
            proven = proven.max(record.durable);
            Ok::<_, StorageError>(())
        },
    )?;
    if failpoint!("readers.unproven-tail") {
        return Ok(log.head());
    }
    if proven > log.head() {
        let what = format!(
            "the log was durable up to {proven} and can be read up to {}",
            log.head()
        );
        let offset = log.head() % log.capacity_bytes();
        return Err(StorageError::damaged(copy.name(), offset, what));
    }
    Ok(proven)
}
