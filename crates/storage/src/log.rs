//! The commit log: a ring of checksummed records.
//!
//! A position in the log, its LSN, counts bytes since the database was made; it
//! lies at `LSN mod capacity` in the file. Every record carries its LSN, so that
//! a record of an earlier lap cannot be taken for one of this lap, the epoch of
//! the opening that wrote it, so that what a torn tail left behind cannot
//! continue a later life's log, and the LSN up to which the log was durable when
//! it was written, so that damage in the middle can be told from a torn tail.
//!
//! A ring that has become too small is replaced: what is still needed of it is
//! written into a larger one, in a file of its own, which the next root names.
//!
//! The log does not know what its records mean.

mod copied;

use crate::error::StorageError;
use crate::failpoint;
use crate::layout::{Field, tiles};
use crate::little_endian::{put, u32_at, u64_at};
use crate::medium::{Medium, MediumHandle};
use crate::order;
#[cfg(feature = "failpoints")]
use crate::order::Flushed;
use crate::pool::Uuid;

pub use copied::CopiedLog;

/// Bytes before the payload of each record.
pub const RECORD_HEADER_BYTES: usize = 56;

/// Names of the log's file: a larger ring takes the next one. Each is several times
/// as large as the one before, so that so many are enough for any size.
const NAMES: [&str; 17] = [
    "log", "log.1", "log.2", "log.3", "log.4", "log.5", "log.6", "log.7", "log.8", "log.9",
    "log.10", "log.11", "log.12", "log.13", "log.14", "log.15", "log.16",
];
/// Records start at multiples of this.
const ALIGNMENT: u64 = 8;

// Fields of a record's header.
const CRC: Field = (0, 4);
const KIND: Field = (4, 4);
const LEN: Field = (8, 8);
const LSN: Field = (16, 8);
const CSN: Field = (24, 8);
const WALL_US: Field = (32, 8);
const DURABLE: Field = (40, 8);
const EPOCH: Field = (48, 4);
const ZERO: Field = (52, 4);
const _: () = assert!(tiles(
    &[CRC, KIND, LEN, LSN, CSN, WALL_US, DURABLE, EPOCH, ZERO],
    RECORD_HEADER_BYTES
));
const _: () = assert!(
    (RECORD_HEADER_BYTES as u64).is_multiple_of(ALIGNMENT)
        && (LSN.0 as u64).is_multiple_of(ALIGNMENT),
    "the search for damage looks for LSNs at multiples of the alignment"
);
/// Byte of a record at which its LSN begins.
const LSN_AT: u64 = LSN.0 as u64;
/// Bytes that the search for damage looks at in one go.
const SEARCH_BYTES: u64 = 1 << 20;
const KIND_COMMIT: u32 = 1;
const KIND_PAD: u32 = 2;

/// Behind the ring: whose log it is, in a sector of its own.
const IDENTITY_BYTES: usize = 512;
const IDENTITY_MAGIC: &[u8; 8] = b"EVERGLOG";

// Its fields: magic, zero, UUID, capacity, zero, checksum.
const IDENTITY_UUID: Field = (16, size_of::<Uuid>());
const IDENTITY_CAPACITY: Field = (32, 8);
const IDENTITY_CRC: Field = (IDENTITY_BYTES - 4, 4);
const _: () = assert!(tiles(
    &[
        (0, IDENTITY_MAGIC.len()),
        (8, 8),
        IDENTITY_UUID,
        IDENTITY_CAPACITY,
        (40, 468),
        IDENTITY_CRC
    ],
    IDENTITY_BYTES
));

/// The log, open for appending.
pub struct CommitLog {
    medium: MediumHandle,
    seed: u32,
    epoch: u32,
    capacity: u64,
    /// Oldest position that replay still needs.
    start: u64,
    /// Position of the next record.
    head: u64,
    /// Everything before is durable.
    durable: u64,
    /// CSN of the last commit.
    csn: u64,
    /// Written and not flushed, as offsets in the file.
    dirty: Vec<(u64, u64)>,
}

/// Start of the part of the log that is still needed.
#[derive(Clone, Copy, Debug)]
pub struct LogStart {
    /// Position of the first record.
    pub lsn: u64,
    /// Epoch of the last record before it. An older one that stands there was never
    /// acknowledged: the rest of its group is overwritten and freed.
    pub epoch: u32,
    /// The last commit before it.
    pub csn: u64,
}

/// One commit read back.
#[derive(Clone, Copy, Debug)]
pub struct LogRecord<'a> {
    /// Commit sequence number.
    pub csn: u64,
    /// Microseconds since 1970.
    pub wall_us: i64,
    /// Position of the record.
    pub lsn: u64,
    /// Life of the database that wrote it.
    pub epoch: u32,
    /// Position after it.
    pub end: u64,
    /// Position up to which the log was durable when it was written.
    pub durable: u64,
    /// Operations of the commit, encoded.
    pub payload: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
struct Header {
    crc: u32,
    kind: u32,
    /// Bytes with header, without padding.
    len: u64,
    lsn: u64,
    csn: u64,
    wall_us: i64,
    durable: u64,
    epoch: u32,
}

impl Header {
    fn encode(&self) -> [u8; RECORD_HEADER_BYTES] {
        let mut bytes = [0; RECORD_HEADER_BYTES];
        put(&mut bytes, KIND, &self.kind.to_le_bytes());
        put(&mut bytes, LEN, &self.len.to_le_bytes());
        put(&mut bytes, LSN, &self.lsn.to_le_bytes());
        put(&mut bytes, CSN, &self.csn.to_le_bytes());
        put(&mut bytes, WALL_US, &self.wall_us.to_le_bytes());
        put(&mut bytes, DURABLE, &self.durable.to_le_bytes());
        put(&mut bytes, EPOCH, &self.epoch.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Self {
        Header {
            crc: u32_at(bytes, CRC.0),
            kind: u32_at(bytes, KIND.0),
            len: u64_at(bytes, LEN.0),
            lsn: u64_at(bytes, LSN.0),
            csn: u64_at(bytes, CSN.0),
            wall_us: u64_at(bytes, WALL_US.0) as i64,
            durable: u64_at(bytes, DURABLE.0),
            epoch: u32_at(bytes, EPOCH.0),
        }
    }
}

/// Outcome of a scan of the log.
struct ScanEnd {
    end: u64,
    csn: u64,
    epoch: u32,
}

impl CommitLog {
    /// Makes the log file of a new database: a ring of `capacity` bytes,
    /// reserved and zeroed, and the mark of whose it is. The caller syncs the
    /// name.
    pub fn create(medium: &MediumHandle, uuid: &Uuid, capacity: u64) -> Result<(), StorageError> {
        Self::lay_out(medium, uuid, capacity)?;
        Ok(medium.fence()?)
    }

    /// As [`CommitLog::create`], durable with the next fence.
    fn lay_out(medium: &MediumHandle, uuid: &Uuid, capacity: u64) -> Result<(), StorageError> {
        assert!(capacity.is_multiple_of(ALIGNMENT) && capacity > 0);
        medium.grow(Self::file_bytes(capacity))?;
        medium.write(capacity, &identity(uuid, capacity))?;
        let flushed = if failpoint!("log.identity-not-flushed") {
            capacity
        } else {
            Self::file_bytes(capacity)
        };
        Ok(medium.flush(0, flushed)?)
    }

    /// Whether a log file holds more than its creation wrote.
    pub fn is_used(medium: &MediumHandle) -> Result<bool, StorageError> {
        let ring = medium.len().saturating_sub(IDENTITY_BYTES as u64);
        let mut start = vec![0; ring.min(4096) as usize];
        medium.read(0, &mut start)?;
        Ok(start.iter().any(|&byte| byte != 0))
    }

    /// Bytes of the ring in a file.
    pub fn ring_bytes(medium: &MediumHandle) -> u64 {
        medium.len().saturating_sub(IDENTITY_BYTES as u64)
    }

    /// Size of the file for a ring of `capacity` bytes.
    pub fn file_bytes(capacity: u64) -> u64 {
        capacity.saturating_add(IDENTITY_BYTES as u64)
    }

    /// Names that the log's file can have in the storage, by their number.
    pub fn file_names() -> &'static [&'static str] {
        &NAMES
    }

    /// Name of the log's file as the root counts it.
    ///
    /// # Errors
    /// There is none of that number: the root is damaged.
    pub fn file_name(number: u32) -> Result<&'static str, StorageError> {
        NAMES.get(number as usize).copied().ok_or_else(|| {
            StorageError::damaged("pool", 0, format!("the log has the number {number}"))
        })
    }

    /// Name of the file that this log is in.
    pub fn name(&self) -> &str {
        self.medium.name()
    }

    /// Opens the log and hands every commit from `start` on to `replay`. Returns the log, positioned after the last
    /// one, and that commit's CSN. Writes nothing.
    ///
    /// `clean_end` is the position after the last commit if the database was
    /// stopped cleanly; then anything else is damage. Otherwise the log ends at
    /// the first record that does not hold, which is a torn tail unless a later
    /// record shows that it had been durable.
    ///
    /// # Errors
    /// Damage, and those of `replay`.
    pub fn open<E: From<StorageError>>(
        medium: MediumHandle,
        uuid: &Uuid,
        epoch: u32,
        start: LogStart,
        clean_end: Option<u64>,
        mut replay: impl FnMut(LogRecord<'_>) -> Result<(), E>,
    ) -> Result<(Self, u64), E> {
        let mut log = CommitLog {
            seed: crc32c::crc32c(uuid),
            epoch,
            capacity: Self::ring_bytes(&medium),
            start: start.lsn,
            head: start.lsn,
            durable: start.lsn,
            csn: start.csn,
            dirty: Vec::new(),
            medium,
        };
        if log.capacity == 0 || !log.capacity.is_multiple_of(ALIGNMENT) {
            return Err(StorageError::damaged(
                log.name(),
                0,
                format!("the log has {} bytes", log.capacity),
            )
            .into());
        }
        if log.slice(log.capacity, IDENTITY_BYTES as u64)? != identity(uuid, log.capacity) {
            return Err(StorageError::damaged(
                log.name(),
                log.capacity,
                "this is not the log of this database",
            )
            .into());
        }
        let scan_start = ScanEnd {
            end: start.lsn,
            csn: start.csn,
            epoch: match failpoint!("log.start-epoch-forgotten") {
                true => 0,
                false => start.epoch,
            },
        };
        let scan = log.scan(scan_start, clean_end, &mut replay)?;
        log.refuse_an_older_root(&scan)?;
        if let Some(clean_end) = clean_end
            && scan.end != clean_end
        {
            return Err(StorageError::damaged(
                log.name(),
                scan.end % log.capacity,
                format!(
                    "the log was closed at position {clean_end} and can be read up to {}",
                    scan.end
                ),
            )
            .into());
        }
        if clean_end.is_none() {
            log.refuse_damage_before_durable_records(&scan)?;
        }
        log.head = scan.end;
        log.durable = scan.end;
        log.csn = scan.csn;
        if failpoint!("log.epoch-not-bumped") {
            log.epoch = scan.epoch;
        }
        log.invariants();
        Ok((log, scan.csn))
    }

    fn scan<E: From<StorageError>>(
        &self,
        mut at: ScanEnd,
        clean_end: Option<u64>,
        replay: &mut impl FnMut(LogRecord<'_>) -> Result<(), E>,
    ) -> Result<ScanEnd, E> {
        let start = at.end;
        let mut skip_next = failpoint!("log.replay-off-by-one");
        while clean_end != Some(at.end) && at.end - start < self.capacity {
            let room = self.room_to_lap_end(at.end);
            if room < RECORD_HEADER_BYTES as u64 {
                if at.end + room - start >= self.capacity {
                    // Nothing lies behind it: the ring is full.
                    break;
                }
                at.end += room;
                continue;
            }
            let Some((header, payload)) = self.record_at(at.end)? else {
                break;
            };
            if header.epoch < at.epoch {
                break;
            }
            let end = at.end + header.len.next_multiple_of(ALIGNMENT);
            if end - start > self.capacity {
                // It would lie where the log begins.
                break;
            }
            if header.kind == KIND_COMMIT {
                if header.csn != at.csn + 1 {
                    break;
                }
                if !std::mem::take(&mut skip_next) {
                    replay(LogRecord {
                        csn: header.csn,
                        wall_us: header.wall_us,
                        lsn: header.lsn,
                        epoch: header.epoch,
                        end,
                        durable: header.durable,
                        payload,
                    })?;
                }
                at.csn = header.csn;
            }
            at.end = end;
            at.epoch = header.epoch;
        }
        Ok(at)
    }

    /// The record at `lsn` if one holds there.
    fn record_at(&self, lsn: u64) -> Result<Option<(Header, &[u8])>, StorageError> {
        let offset = lsn % self.capacity;
        let room = self.capacity - offset;
        if room < RECORD_HEADER_BYTES as u64 {
            return Ok(None);
        }
        let header = Header::decode(self.slice(offset, RECORD_HEADER_BYTES as u64)?);
        // The LSN tells what a misdirected write has put here; a record of an earlier lap
        // replay would refuse by its commit or its epoch as well.
        let plausible = (header.kind == KIND_COMMIT || header.kind == KIND_PAD)
            && header.lsn == lsn
            && header.len >= RECORD_HEADER_BYTES as u64
            && header.len <= room;
        if !plausible {
            if failpoint!("log.valid-by-nonzero") && header.csn != 0 && header.lsn == lsn {
                let len = header.len.min(room).max(RECORD_HEADER_BYTES as u64);
                let bytes = self.slice(offset, len)?;
                return Ok(Some((header, &bytes[RECORD_HEADER_BYTES..])));
            }
            return Ok(None);
        }
        // A pad's body is whatever was there before.
        let covered = if header.kind == KIND_PAD {
            RECORD_HEADER_BYTES as u64
        } else {
            header.len
        };
        let bytes = self.slice(offset, covered)?;
        let holds = crc32c::crc32c_append(self.seed, &bytes[4..]) == header.crc;
        if !holds && !failpoint!("log.valid-by-nonzero") {
            return Ok(None);
        }
        Ok(Some((header, &bytes[RECORD_HEADER_BYTES..])))
    }

    fn slice(&self, offset: u64, len: u64) -> Result<&[u8], StorageError> {
        self.medium.touch(offset, len)?;
        // SAFETY: `touch` checked the range, `base` is valid there as long as
        // the medium lives, and the log is only written through `&mut self`
        // while the returned slice borrows `self`.
        Ok(unsafe {
            std::slice::from_raw_parts(self.medium.base().add(offset as usize), len as usize)
        })
    }

    /// A record after the torn tail that was written when the tail was durable
    /// already proves that the tail is not torn but damaged.
    fn refuse_damage_before_durable_records(&self, scan: &ScanEnd) -> Result<(), StorageError> {
        let limit = self.start + self.capacity;
        let mut lsn = scan.end + ALIGNMENT;
        while lsn < limit {
            let offset = lsn % self.capacity;
            let span = (limit - lsn).min(self.capacity - offset).min(SEARCH_BYTES);
            // The last candidate's field lies behind the span.
            let reach = (span + LSN_AT + 8).min(self.capacity - offset);
            let fields = self.slice(offset, reach)?.get(LSN_AT as usize..);
            let candidates = (lsn..lsn + span).step_by(ALIGNMENT as usize);
            for (at, field) in candidates.zip(fields.unwrap_or(&[]).chunks_exact(8)) {
                if field == at.to_le_bytes() {
                    self.refuse_proof_of_damage(scan, at)?;
                }
            }
            lsn += span;
        }
        Ok(())
    }

    fn refuse_proof_of_damage(&self, scan: &ScanEnd, at: u64) -> Result<(), StorageError> {
        match self.record_at(at)? {
            Some((header, _)) if self.is_behind(&header) => Err(older_root(header.csn)),
            Some((header, _)) if header.epoch >= scan.epoch && header.durable > scan.end => {
                Err(StorageError::damaged(
                    self.name(),
                    scan.end % self.capacity,
                    format!(
                        "commit {} does not hold, though commit {} after it does",
                        scan.csn + 1,
                        header.csn
                    ),
                ))
            }
            _ => Ok(()),
        }
    }

    /// The root is the newest: else the pool file is a copy of an earlier time. Replay might
    /// find all commits under it, but the next ones would have an epoch below theirs.
    ///
    /// Whatever the root and the newest record are, the record behind the scan is as it was
    /// written, unless a later lap came to lie over it, which begins with the ring.
    fn refuse_an_older_root(&self, scan: &ScanEnd) -> Result<(), StorageError> {
        if failpoint!("log.older-root-taken") {
            return Ok(());
        }
        let room = self.room_to_lap_end(scan.end);
        let is_skipped = room < RECORD_HEADER_BYTES as u64;
        let next = scan.end + if is_skipped { room } else { 0 };
        for record in [self.record_at(next)?, self.first_of_newest_lap()?] {
            if let Some((header, _)) = record
                && self.is_behind(&header)
            {
                return Err(older_root(header.csn));
            }
        }
        match scan.epoch >= self.epoch {
            true => Err(older_root(scan.csn)),
            false => Ok(()),
        }
    }

    /// Whether a record was written after a later root than the one that was read: each
    /// opening publishes one before it writes a record, and so does a merge before a record
    /// comes to lie where the log began.
    fn is_behind(&self, header: &Header) -> bool {
        let end = header.lsn.saturating_add(header.len);
        header.epoch >= self.epoch || end > self.start + self.capacity
    }

    /// The first record in the ring, which no other can lie over in part.
    fn first_of_newest_lap(&self) -> Result<Option<(Header, &[u8])>, StorageError> {
        if self.capacity < RECORD_HEADER_BYTES as u64 || failpoint!("log.newest-lap-not-read") {
            return Ok(None);
        }
        let header = Header::decode(self.slice(0, RECORD_HEADER_BYTES as u64)?);
        match header.lsn.is_multiple_of(self.capacity) {
            true => self.record_at(header.lsn),
            false => Ok(None),
        }
    }

    fn room_to_lap_end(&self, lsn: u64) -> u64 {
        self.capacity - lsn % self.capacity
    }

    /// Epoch of the records that are appended now.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Oldest position that is still needed.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Position after the last record.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// Position up to which records are durable.
    pub fn durable(&self) -> u64 {
        self.durable
    }

    /// Bytes between the oldest position still needed and the head.
    pub fn used_bytes(&self) -> u64 {
        self.head - self.start
    }

    /// Bytes of the ring.
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity
    }

    /// Whether a record with `payload_len` bytes fits now. In an empty ring each fits
    /// that is not longer than half of it: a record does not wrap, so up to its own
    /// length is lost at a lap's end.
    pub fn has_room(&self, payload_len: u64) -> bool {
        let len = Self::record_bytes(payload_len);
        let room = self.room_to_lap_end(self.head);
        let is_skipped = room < len && !failpoint!("log.lap-end-not-counted");
        let skipped = if is_skipped { room } else { 0 };
        self.used_bytes() + skipped + len <= self.capacity
    }

    /// Bytes of a record in the ring.
    fn record_bytes(payload_len: u64) -> u64 {
        (RECORD_HEADER_BYTES as u64 + payload_len).next_multiple_of(ALIGNMENT)
    }

    /// Durability step L1: writes one record. It is durable after
    /// [`CommitLog::sync`]. Returns the position after it.
    pub fn append(&mut self, csn: u64, wall_us: i64, payload: &[u8]) -> Result<u64, StorageError> {
        debug_assert_eq!(
            csn,
            self.csn + 1,
            "replay takes a gap between two commits for the log's end"
        );
        if !self.has_room(payload.len() as u64) {
            return Err(StorageError::LogFull);
        }
        let len = RECORD_HEADER_BYTES as u64 + payload.len() as u64;
        let room = self.room_to_lap_end(self.head);
        if room < len.next_multiple_of(ALIGNMENT) {
            if room >= RECORD_HEADER_BYTES as u64 {
                self.write_record(KIND_PAD, room, csn, wall_us, &[])?;
            }
            self.head += room;
        }
        self.write_record(KIND_COMMIT, len, csn, wall_us, payload)?;
        self.head += len.next_multiple_of(ALIGNMENT);
        self.csn = csn;
        self.invariants();
        Ok(self.head)
    }

    fn write_record(
        &mut self,
        kind: u32,
        len: u64,
        csn: u64,
        wall_us: i64,
        payload: &[u8],
    ) -> Result<(), StorageError> {
        let written = (RECORD_HEADER_BYTES + payload.len()) as u64;
        debug_assert!(
            written <= len && len <= self.room_to_lap_end(self.head),
            "a record does not wrap"
        );
        let mut header = Header {
            crc: 0,
            kind,
            len,
            lsn: self.head,
            csn,
            wall_us,
            durable: self.durable,
            epoch: self.epoch,
        }
        .encode();
        let crc = crc32c::crc32c_append(crc32c::crc32c_append(self.seed, &header[4..]), payload);
        header[..4].copy_from_slice(&crc.to_le_bytes());
        let offset = self.head % self.capacity;
        self.medium.write(offset, &header)?;
        if !payload.is_empty() {
            self.medium
                .write(offset + RECORD_HEADER_BYTES as u64, payload)?;
        }
        if kind != KIND_PAD || !failpoint!("log.pad-not-flushed") {
            self.dirty.push((offset, written));
        }
        Ok(())
    }

    /// Durability step L2: makes all records appended so far durable. Only
    /// after it may a commit be acknowledged.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        if !failpoint!("log.records-not-flushed") {
            for &(offset, len) in &self.dirty {
                let len = if failpoint!("log.header-flushed-alone") {
                    RECORD_HEADER_BYTES as u64
                } else {
                    len
                };
                self.medium.flush(offset, len)?;
            }
        }
        // One fence for all records: replay takes none behind the first that does not
        // hold, so the order among them is of no account.
        if !failpoint!("log.fence-missing") {
            self.medium.fence()?;
        }
        // Not before: a merge on its way releases what is durable also behind a failure.
        self.dirty.clear();
        self.durable = self.head;
        self.invariants();
        Ok(())
    }

    /// Recovery step R5: makes what was replayed durable. A process that was killed
    /// between writing records and their fence, or whose fence failed, leaves them
    /// readable all the same.
    pub fn make_tail_durable(&mut self) -> Result<(), StorageError> {
        if self.start == self.head || failpoint!("open.log-end-not-durable") {
            return Ok(());
        }
        let mut at = self.start;
        while at < self.head {
            let len = self.room_to_lap_end(at).min(self.head - at);
            let offset = at % self.capacity;
            let _flushed = failpoint!(
                "open.log-only-flushed",
                Flushed::of_stores(&self.medium, offset, len)?,
                else order::rewrite(&self.medium, offset, len)?
            );
            at += len;
            if failpoint!("open.log-end-durable-to-lap-end") {
                break;
            }
        }
        self.medium.fence()?;
        Ok(())
    }

    /// Durability step L3: writes what is still needed into a new ring on `medium`,
    /// which is larger and empty, and makes it durable; the caller syncs the name and
    /// publishes the root. `start` is what the root says. Returns the log in the new
    /// ring, positioned as this one, and where each commit ends in it, ascending.
    ///
    /// Positions are behind those of this log, so that no record of the old ring can be
    /// taken for one of the new, and begin where the file does: in the middle of space
    /// that is reserved and not written, ext4 takes a second flush for each sync.
    pub fn carry(
        &self,
        medium: MediumHandle,
        uuid: &Uuid,
        start: LogStart,
        capacity: u64,
    ) -> Result<(Self, Vec<(u64, u64)>), StorageError> {
        debug_assert!(
            self.dirty.is_empty() && start.lsn == self.start && capacity > self.capacity,
            "only what is durable is carried over, into a larger ring: {self:?}"
        );
        Self::lay_out(&medium, uuid, capacity)?;
        let at = self.head.next_multiple_of(capacity);
        let mut carried = CommitLog {
            seed: self.seed,
            epoch: self.epoch,
            capacity,
            start: at,
            head: at,
            durable: at,
            csn: start.csn,
            dirty: Vec::new(),
            medium,
        };
        let mut ends = Vec::new();
        let from = ScanEnd {
            end: start.lsn,
            csn: start.csn,
            epoch: start.epoch,
        };
        let scan = self.scan(from, Some(self.head), &mut |record| {
            let end = carried.append(record.csn, record.wall_us, record.payload)?;
            ends.push((record.csn, end));
            Ok::<_, StorageError>(())
        })?;
        if scan.end != self.head {
            return Err(StorageError::damaged(
                self.name(),
                scan.end % self.capacity,
                format!("commit {} does not hold any more", scan.csn + 1),
            ));
        }
        if failpoint!("log.carried-not-durable") {
            carried.dirty.clear();
            carried.durable = carried.head;
        } else {
            carried.sync()?;
        }
        Ok((carried, ends))
    }

    /// Frees everything before `start`, which a durable root no longer needs.
    pub fn release(&mut self, start: u64) {
        assert!(start >= self.start && start <= self.head);
        debug_assert!(
            start <= self.durable,
            "a root covers only commits that are durable"
        );
        self.start = start;
        self.invariants();
    }

    /// Panics in debug builds if the log contradicts itself.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.start <= self.durable && self.durable <= self.head,
            "start <= durable <= head: {self:?}"
        );
        assert!(
            self.head - self.start <= self.capacity,
            "a record lies where replay still reads: {self:?}"
        );
        for position in [self.durable, self.head] {
            assert!(
                (position - self.start).is_multiple_of(ALIGNMENT),
                "records start at multiples of {ALIGNMENT}: {self:?}"
            );
        }
        // Bytes up to the end of a lap that are too few for a record are skipped
        // and not written.
        assert!(
            !self.dirty.is_empty() || self.head == self.durable,
            "records wait for a sync that will not flush them: {self:?}"
        );
        assert!(
            self.dirty
                .iter()
                .all(|&(offset, len)| len > 0 && offset + len <= self.capacity),
            "a record wraps: {self:?}"
        );
    }
}

/// The log has a record that is newer than the root; `csn` is its commit.
fn older_root(csn: u64) -> StorageError {
    let what = format!(
        "it is older than the log, which goes on with commit {csn} (an old copy?): put the \
         newest one back, or restore all files of one backup"
    );
    StorageError::damaged("pool", 0, what)
}

fn identity(uuid: &Uuid, capacity: u64) -> [u8; IDENTITY_BYTES] {
    let mut bytes = [0; IDENTITY_BYTES];
    bytes[..8].copy_from_slice(IDENTITY_MAGIC);
    put(&mut bytes, IDENTITY_UUID, uuid);
    put(&mut bytes, IDENTITY_CAPACITY, &capacity.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[..IDENTITY_CRC.0]);
    put(&mut bytes, IDENTITY_CRC, &crc.to_le_bytes());
    bytes
}

impl std::fmt::Debug for CommitLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "CommitLog({}..{} of {} bytes, durable up to {})",
            self.start, self.head, self.capacity, self.durable
        )
    }
}

#[cfg(all(test, debug_assertions))]
mod tests;
