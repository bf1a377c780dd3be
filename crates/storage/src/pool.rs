//! The pool: identity, format version, epoch and root of a database.
//!
//! The file (`pool` of the graph) has two slots, each in a sector of its own, that hold the
//! root. A root is published by writing the older slot, fencing, and then
//! writing the other one the same way (durability steps 4 and 5). Between the
//! two the new root holds already; what the old root needed is reclaimed only
//! after the second, so that damage to either slot loses nothing.

use crate::error::StorageError;
use crate::failpoint;
use crate::layout::{Field, tiles};
use crate::little_endian::{put, u32_at, u64_at};
use crate::medium::{Medium, MediumHandle, Storage};
#[cfg(feature = "failpoints")]
use crate::order::Flushed;
use crate::order::{self, Durable};

/// Version of everything on the medium.
///
/// 2: sections may be newer than the root's commit, and chains of blocks.
/// 3: named snapshots, and segments of history.
/// 4: relationships, and store extensions.
/// 5: the log's file is named by the root, and large commits lie in extents.
/// 6: records of property graphs lie in columns, and what differs of them is logged.
/// 7: large values of properties lie in extents of their own.
/// 8: versions of records in the history lie in columns.
pub const FORMAT_VERSION: u32 = 8;

/// Bytes that the crates above can keep in the root.
pub const USER_BYTES: usize = 192;

/// Roots that a reader tries to hold: each was replaced while it was read.
const ROOTS_TRIED: usize = 64;

const SLOT_BYTES: usize = 512;
const SLOT_STRIDE: u64 = 4096;
const _: () = assert!(
    SLOT_BYTES == 512 && SLOT_STRIDE.is_multiple_of(SLOT_BYTES as u64),
    "a slot is one sector, so that a torn write leaves the other slot whole"
);

// Fields of a slot; what lies between them is zero.
const MAGIC: Field = (0, 8);
const VERSION: Field = (8, 4);
const UUID: Field = (16, size_of::<Uuid>());
const SEQUENCE: Field = (32, 8);
const EPOCH: Field = (40, 4);
const CLEAN: Field = (44, 4);
const CSN: Field = (48, 8);
const WALL_US: Field = (56, 8);
const LOG_START: Field = (64, 8);
const LOG_EPOCH: Field = (72, 4);
const CLEAN_LOG_END: Field = (80, 8);
const DIRECTORY_OFFSET: Field = (88, 8);
const DIRECTORY_LEN: Field = (96, 8);
const DIRECTORY_CRC: Field = (104, 4);
const LOG_FILE: Field = (108, 4);
const LOG_BYTES: Field = (112, 8);
const LOG_DURABLE: Field = (120, 8);
const USER: Field = (128, USER_BYTES);
const SLOT_CRC: Field = (SLOT_BYTES - 4, 4);
const _: () = assert!(tiles(
    &[
        MAGIC,
        VERSION,
        (12, 4),
        UUID,
        SEQUENCE,
        EPOCH,
        CLEAN,
        CSN,
        WALL_US,
        LOG_START,
        LOG_EPOCH,
        (76, 4),
        CLEAN_LOG_END,
        DIRECTORY_OFFSET,
        DIRECTORY_LEN,
        DIRECTORY_CRC,
        LOG_FILE,
        LOG_BYTES,
        LOG_DURABLE,
        USER,
        (320, 188),
        SLOT_CRC,
    ],
    SLOT_BYTES
));

/// Kinds of pool files. One kind cannot be taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolKind {
    name: &'static str,
    magic: &'static [u8; 8],
    version: u32,
    number: usize,
}

impl PoolKind {
    /// That of the graph.
    pub const GRAPH: PoolKind = PoolKind {
        name: "pool",
        magic: b"EVERGRPH",
        version: FORMAT_VERSION,
        number: 0,
    };
    /// That of results, which lie beside the graph and have their own version.
    pub const RESULTS: PoolKind = PoolKind {
        name: "results",
        magic: b"EVERRSLT",
        version: 1,
        number: 1,
    };

    /// The kinds are numbered from 0.
    pub(crate) fn number(self) -> usize {
        self.number
    }

    /// Name of the file.
    pub fn file_name(self) -> &'static str {
        self.name
    }
}

/// Identity of a database, part of every checksum in it.
pub type Uuid = [u8; 16];

/// The state from which recovery starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Counts publications.
    pub sequence: u64,
    /// Counts openings for writing.
    pub epoch: u32,
    /// All commits up to this CSN are merged into the extents.
    pub csn: u64,
    /// Wall time of that commit, microseconds since 1970.
    pub wall_us: i64,
    /// Log position of the first commit that is not merged.
    pub log_start: u64,
    /// Epoch of the last record before that position, so that no older record is taken
    /// for the first one; 0 if it is not known (there is none, or the root was written
    /// before this was kept).
    pub log_epoch: u32,
    /// Log position up to which records were durable when the root was published, for
    /// readers beside the writer; 0 if it is not known, as [`Root::log_epoch`].
    pub log_durable: u64,
    /// Log position after the last commit, known only after a clean stop.
    pub clean_log_end: Option<u64>,
    /// Number of the log's file.
    pub log_file: u32,
    /// Bytes of its ring; 0 in databases of before version 5, whose ring is as large
    /// as their configuration says.
    pub log_bytes: u64,
    /// Offset of the section directory's root blob.
    pub directory_offset: u64,
    /// Its length.
    pub directory_len: u64,
    /// Its checksum.
    pub directory_crc: u32,
    /// Configuration and counters of the crates above.
    pub user: [u8; USER_BYTES],
}

impl Root {
    /// The root of a database in which nothing has happened.
    pub fn first(user: [u8; USER_BYTES]) -> Self {
        Root {
            sequence: 0,
            epoch: 0,
            csn: 0,
            wall_us: 0,
            log_start: 0,
            log_epoch: 0,
            log_durable: 0,
            clean_log_end: None,
            log_file: 0,
            log_bytes: 0,
            directory_offset: 0,
            directory_len: 0,
            directory_crc: 0,
            user,
        }
    }
}

impl Root {
    /// Returns a contradiction that no program has written, though the checksum holds:
    /// numbers that only grow and have no room left, a log of another order.
    fn contradiction(&self) -> Option<&'static str> {
        let most = [self.sequence, self.csn, self.log_start].into_iter().max();
        if most > Some(i64::MAX as u64) || self.epoch == u32::MAX {
            return Some("the root counts more than there can have been");
        }
        if self.log_epoch > self.epoch || !self.log_start.is_multiple_of(8) {
            return Some("the root's start of the log is none");
        }
        let ends_early = |end| end < self.log_start;
        let what = "the root's log ends before it starts";
        self.clean_log_end.is_some_and(ends_early).then_some(what)
    }
}

/// The open pool.
#[derive(Debug)]
pub struct Pool {
    kind: PoolKind,
    uuid: Uuid,
    root: Root,
    /// Slot that the next publication writes first.
    next_slot: u64,
}

/// Header slots read from the medium; nothing in them is trusted yet.
struct UncheckedSlot([u8; SLOT_BYTES]);

impl UncheckedSlot {
    fn is_blank(&self) -> bool {
        self.0.iter().all(|&byte| byte == 0)
    }

    /// The slot's identity and root if its checksum holds.
    fn check(&self, kind: PoolKind) -> Result<Option<(Uuid, Root)>, StorageError> {
        let bytes = &self.0;
        if &bytes[..8] != kind.magic {
            return Ok(None);
        }
        let stored = u32_at(bytes, SLOT_CRC.0);
        if crc32c::crc32c(&bytes[..SLOT_CRC.0]) != stored {
            return Ok(None);
        }
        let version = u32_at(bytes, VERSION.0);
        if version > kind.version {
            return Err(StorageError::NewerFormat {
                found: version,
                newest: kind.version,
            });
        }
        let mut uuid = [0; 16];
        uuid.copy_from_slice(&bytes[UUID.0..][..UUID.1]);
        let mut user = [0; USER_BYTES];
        user.copy_from_slice(&bytes[USER.0..][..USER.1]);
        let clean_end = u64_at(bytes, CLEAN_LOG_END.0);
        Ok(Some((
            uuid,
            Root {
                sequence: u64_at(bytes, SEQUENCE.0),
                epoch: u32_at(bytes, EPOCH.0),
                csn: u64_at(bytes, CSN.0),
                wall_us: u64_at(bytes, WALL_US.0) as i64,
                log_start: u64_at(bytes, LOG_START.0),
                log_epoch: u32_at(bytes, LOG_EPOCH.0),
                clean_log_end: (u32_at(bytes, CLEAN.0) == 1).then_some(clean_end),
                directory_offset: u64_at(bytes, DIRECTORY_OFFSET.0),
                directory_len: u64_at(bytes, DIRECTORY_LEN.0),
                directory_crc: u32_at(bytes, DIRECTORY_CRC.0),
                log_file: u32_at(bytes, LOG_FILE.0),
                log_bytes: u64_at(bytes, LOG_BYTES.0),
                log_durable: u64_at(bytes, LOG_DURABLE.0),
                user,
            },
        )))
    }
}

fn encode_slot(kind: PoolKind, uuid: &Uuid, root: &Root) -> [u8; SLOT_BYTES] {
    let mut bytes = [0u8; SLOT_BYTES];
    let clean = u32::from(root.clean_log_end.is_some());
    let clean_log_end = root.clean_log_end.unwrap_or(0);
    put(&mut bytes, MAGIC, kind.magic);
    put(&mut bytes, VERSION, &kind.version.to_le_bytes());
    put(&mut bytes, UUID, uuid);
    put(&mut bytes, SEQUENCE, &root.sequence.to_le_bytes());
    put(&mut bytes, EPOCH, &root.epoch.to_le_bytes());
    put(&mut bytes, CLEAN, &clean.to_le_bytes());
    put(&mut bytes, CSN, &root.csn.to_le_bytes());
    put(&mut bytes, WALL_US, &root.wall_us.to_le_bytes());
    put(&mut bytes, LOG_START, &root.log_start.to_le_bytes());
    put(&mut bytes, LOG_EPOCH, &root.log_epoch.to_le_bytes());
    put(&mut bytes, CLEAN_LOG_END, &clean_log_end.to_le_bytes());
    put(
        &mut bytes,
        DIRECTORY_OFFSET,
        &root.directory_offset.to_le_bytes(),
    );
    put(&mut bytes, DIRECTORY_LEN, &root.directory_len.to_le_bytes());
    put(&mut bytes, DIRECTORY_CRC, &root.directory_crc.to_le_bytes());
    put(&mut bytes, LOG_FILE, &root.log_file.to_le_bytes());
    put(&mut bytes, LOG_BYTES, &root.log_bytes.to_le_bytes());
    put(&mut bytes, LOG_DURABLE, &root.log_durable.to_le_bytes());
    put(&mut bytes, USER, &root.user);
    let crc = crc32c::crc32c(&bytes[..SLOT_CRC.0]);
    put(&mut bytes, SLOT_CRC, &crc.to_le_bytes());
    bytes
}

impl Pool {
    /// Writes the first root into the pool file, which is made if there is none; there
    /// may be one without a root, by which the database is locked. The caller has made
    /// the other files durable before (names included), so that a root that can be read
    /// stands for a complete database.
    pub fn create(
        storage: &dyn Storage,
        uuid: Uuid,
        root: Root,
    ) -> Result<(Pool, PoolFile), StorageError> {
        Self::create_kind(storage, PoolKind::GRAPH, uuid, root)
    }

    /// As [`Pool::create`], of any kind.
    pub fn create_kind(
        storage: &dyn Storage,
        kind: PoolKind,
        uuid: Uuid,
        root: Root,
    ) -> Result<(Pool, PoolFile), StorageError> {
        let medium = match storage.exists(kind.name)? {
            true => {
                Self::refuse_if_made(storage, kind)?;
                storage.open(kind.name, false)?
            }
            false => storage.open(kind.name, true)?,
        };
        medium.grow(2 * SLOT_STRIDE)?;
        let mut pool = Pool {
            kind,
            uuid,
            root: root.clone(),
            next_slot: 0,
        };
        let file = PoolFile { medium };
        pool.publish_root(&file, root)?;
        storage.sync_names()?;
        Ok((pool, file))
    }

    /// Refuses a pool file that has a root, or had one. One without is what a creation
    /// leaves that came to no end: nothing was ever acknowledged.
    ///
    /// # Errors
    /// [`StorageError::Exists`]; what the medium says.
    pub fn refuse_if_made(storage: &dyn Storage, kind: PoolKind) -> Result<(), StorageError> {
        match Self::open_kind(storage, kind) {
            Err(StorageError::NotADatabase(_)) => Ok(()),
            Err(error @ StorageError::Medium(_)) => Err(error),
            _ => Err(StorageError::Exists(storage.kind().to_string())),
        }
    }

    /// Reads the newest root. Writes nothing. A reader holds what it names
    /// ([`crate::medium::DatabaseLock::hold_root`]), until it opens the pool again.
    pub fn open(storage: &dyn Storage) -> Result<(Pool, PoolFile), StorageError> {
        Self::open_kind(storage, PoolKind::GRAPH)
    }

    /// As [`Pool::open`], of any kind.
    pub fn open_kind(
        storage: &dyn Storage,
        kind: PoolKind,
    ) -> Result<(Pool, PoolFile), StorageError> {
        let name = kind.name;
        if !storage.exists(name)? {
            return Err(StorageError::NotADatabase(format!(
                "there is no file `{name}` (check the path, or import into a new one)"
            )));
        }
        let file = PoolFile {
            medium: storage.open(name, false)?,
        };
        let lock = storage.database_lock();
        let Some(lock) = lock.filter(|lock| lock.is_reader()) else {
            return Ok((Self::read(kind, &file)?, file));
        };
        // Reader step B1: the writer may publish another root and use the space of this one
        // before it is held. When it publishes one afterwards, it asks.
        let mut failed = StorageError::Overtaken;
        for _ in 0..ROOTS_TRIED {
            match Self::read(kind, &file) {
                Ok(pool) => {
                    failpoint!("readers.root-read");
                    lock.hold_root(kind, pool.root.sequence)?;
                    failpoint!("readers.root-held");
                    if pool.is_newest(&file) {
                        return Ok((pool, file));
                    }
                }
                // Both slots may have been read while they were written.
                Err(error) if !lock.is_written()? => return Err(error),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Whether no later root has been published since.
    pub fn is_newest(&self, file: &PoolFile) -> bool {
        let now = Self::read(self.kind, file);
        now.is_ok_and(|now| now.root.sequence == self.root.sequence)
    }

    /// The newest root.
    fn read(kind: PoolKind, PoolFile { medium }: &PoolFile) -> Result<Pool, StorageError> {
        let name = kind.name;
        if medium.is_empty() {
            return Err(StorageError::NotADatabase(format!(
                "the file `{name}` is empty; if its creation was interrupted, make it again"
            )));
        }
        if medium.len() < 2 * SLOT_STRIDE {
            // An interrupted creation leaves no such file, so it must not be created
            // anew.
            return Err(StorageError::damaged(
                name,
                medium.len(),
                format!("it has been cut short of its {} bytes", 2 * SLOT_STRIDE),
            ));
        }
        let mut slots = Vec::new();
        let mut any_blank = false;
        for slot in 0..2 {
            let mut bytes = [0; SLOT_BYTES];
            medium.read(slot * SLOT_STRIDE, &mut bytes)?;
            let unchecked = UncheckedSlot(bytes);
            any_blank |= unchecked.is_blank();
            if let Some((uuid, root)) = unchecked.check(kind)? {
                slots.push((slot, uuid, root));
            }
        }
        // The older slot is written first, so the newer root wins.
        let newest = slots.into_iter().max_by_key(|(_, _, root)| root.sequence);
        let Some((slot, uuid, root)) = newest else {
            // Every publication writes both slots, so a blank one shows that the
            // creation was interrupted before anything was acknowledged.
            return Err(if any_blank {
                StorageError::NotADatabase(
                    "its creation was interrupted; make it again".to_string(),
                )
            } else {
                StorageError::damaged(name, 0, "neither header slot has a valid checksum")
            });
        };
        if let Some(what) = root.contradiction() {
            return Err(StorageError::damaged(name, slot * SLOT_STRIDE, what));
        }
        Ok(Pool {
            kind,
            uuid,
            root,
            next_slot: 1 - slot,
        })
    }

    /// Makes the root that was read durable: a process that was killed may have
    /// written it and not come to its fence, or its fence may have failed.
    pub fn confirm(&self, file: &PoolFile) -> Result<(), StorageError> {
        let (medium, slot) = (&file.medium, 1 - self.next_slot);
        let (offset, len) = (slot * SLOT_STRIDE, SLOT_BYTES as u64);
        let flushed = failpoint!(
            "results.root-only-flushed",
            Flushed::of_stores(medium, offset, len)?,
            else order::rewrite(medium, offset, len)?
        );
        let _durable = flushed.fence(medium)?;
        Ok(())
    }

    /// Identity of the database.
    pub fn uuid(&self) -> &Uuid {
        &self.uuid
    }

    /// The current root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Durability steps 4 and 5: publishes a root whose directory is durable, in
    /// both slots. When this has returned, nothing on the medium refers to the
    /// root before.
    pub fn publish(
        &mut self,
        file: &PoolFile,
        directory: &Durable<()>,
        root: Root,
    ) -> Result<(), StorageError> {
        let _ = directory;
        self.publish_root(file, root)
    }

    /// A new root over the directory that is published already (epoch, clean
    /// stop).
    pub fn update(&mut self, file: &PoolFile, root: Root) -> Result<(), StorageError> {
        assert_eq!(
            (root.directory_offset, root.directory_len),
            (self.root.directory_offset, self.root.directory_len),
            "a new directory goes through `publish`"
        );
        self.publish_root(file, root)
    }

    fn publish_root(&mut self, file: &PoolFile, mut root: Root) -> Result<(), StorageError> {
        root.sequence = self.root.sequence + 1;
        self.succession(&root);
        let bytes = encode_slot(self.kind, &self.uuid, &root);
        let medium = &file.medium;
        // A fence for each slot: with one for both, a power cut could tear both, and no
        // root would be left. The slot written less recently comes first, so that the
        // other still holds the root before.
        for slot in [self.next_slot, 1 - self.next_slot] {
            let dirty = order::write(medium, slot * SLOT_STRIDE, &bytes, ())?;
            if failpoint!("superblock.slots-share-one-fence") && slot == self.next_slot {
                let _ = dirty.flush(medium)?;
                continue;
            }
            let _durable = dirty.flush(medium)?.fence(medium)?;
            if failpoint!("superblock.one-slot") {
                break;
            }
        }
        self.root = root;
        self.next_slot = 1 - self.next_slot;
        Ok(())
    }

    /// Panics in debug builds if `next` cannot come after the root.
    fn succession(&self, next: &Root) {
        if !cfg!(debug_assertions) {
            return;
        }
        let now = &self.root;
        assert!(self.next_slot < 2, "there are two slots");
        assert!(
            now.sequence < next.sequence,
            "opening takes the slot with the higher sequence"
        );
        assert!(
            now.epoch <= next.epoch,
            "a record of epoch {} would not continue the log of epoch {}",
            next.epoch,
            now.epoch
        );
        assert!(
            now.csn <= next.csn && now.log_start <= next.log_start,
            "what the log has released cannot be replayed: {now:?}, then {next:?}"
        );
        assert!(
            next.clean_log_end.is_none_or(|end| end >= next.log_start),
            "the log ends before it starts: {next:?}"
        );
        assert!(
            now.log_epoch <= next.log_epoch && next.log_epoch <= next.epoch,
            "a record before the log's start is of a later opening: {now:?}, then {next:?}"
        );
        assert!(
            now.log_file <= next.log_file && now.log_bytes <= next.log_bytes,
            "a log is replaced by a larger one: {now:?}, then {next:?}"
        );
    }
}

/// The open file of a pool; apart from [`Pool`] so that reading the root needs
/// no access to the medium.
pub struct PoolFile {
    medium: MediumHandle,
}

impl std::fmt::Debug for PoolFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PoolFile")
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Pool, PoolFile, Root, USER_BYTES};
    use crate::medium::DramStorage;

    fn pool() -> (Pool, PoolFile) {
        let mut root = Root::first([0; USER_BYTES]);
        (root.epoch, root.csn, root.log_start) = (3, 10, 640);
        Pool::create(&DramStorage::new(), [7; 16], root).unwrap()
    }

    fn publish(change: impl FnOnce(&mut Root)) {
        let (mut pool, file) = pool();
        let mut root = pool.root().clone();
        change(&mut root);
        let _ = pool.update(&file, root);
    }

    #[test]
    fn a_root_may_stay_where_it_is() {
        publish(|root| root.clean_log_end = Some(640));
    }

    #[test]
    #[should_panic(expected = "would not continue the log")]
    fn an_epoch_never_goes_back() {
        publish(|root| root.epoch = 2);
    }

    #[test]
    #[should_panic(expected = "cannot be replayed")]
    fn a_commit_is_not_taken_back() {
        publish(|root| root.csn = 9);
    }

    #[test]
    #[should_panic(expected = "cannot be replayed")]
    fn the_log_does_not_start_earlier() {
        publish(|root| root.log_start = 632);
    }

    #[test]
    #[should_panic(expected = "ends before it starts")]
    fn a_clean_end_is_behind_the_start() {
        publish(|root| root.clean_log_end = Some(632));
    }

    #[test]
    #[should_panic(expected = "replaced by a larger one")]
    fn a_log_does_not_shrink() {
        let (mut pool, file) = pool();
        let root = pool.root().clone();
        pool.update(
            &file,
            Root {
                log_bytes: 512,
                ..root.clone()
            },
        )
        .unwrap();
        let _ = pool.update(&file, root);
    }

    #[test]
    #[should_panic(expected = "the higher sequence")]
    fn a_sequence_grows() {
        let (pool, _file) = pool();
        pool.succession(&pool.root().clone());
    }
}
