//! The pool: identity, format version, epoch and root of a database.
//!
//! The file (`pool` of the graph) has two slots, each in a sector of its own, that hold the
//! root. A root is published by writing the older slot, fencing, and then
//! writing the other one the same way (durability steps 4 and 5). Between the
//! two the new root holds already; what the old root needed is reclaimed only
//! after the second, so that damage to either slot loses nothing.

use crate::error::PersistenceError;
use crate::failpoint;
use crate::little_endian::{u32_at, u64_at};
use crate::medium::{Medium, MediumHandle, Storage};
use crate::order::{self, Durable};

/// Version of everything on the medium.
///
/// 2: sections may be newer than the root's commit, and chains of blocks.
/// 3: named snapshots, and segments of history.
/// 4: relationships, and what is attached to a store.
pub const FORMAT_VERSION: u32 = 4;

/// Bytes that the rooms above can keep in the root.
pub const USER_BYTES: usize = 192;

const SLOT_BYTES: usize = 512;
const SLOT_STRIDE: u64 = 4096;

/// Whose root a pool file holds. One kind cannot be taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolKind {
    name: &'static str,
    magic: &'static [u8; 8],
    version: u32,
}

impl PoolKind {
    /// That of the graph.
    pub const GRAPH: PoolKind = PoolKind {
        name: "pool",
        magic: b"EVERGRPH",
        version: FORMAT_VERSION,
    };
    /// That of results, which lie beside the graph and have their own version.
    pub const RESULTS: PoolKind = PoolKind {
        name: "results",
        magic: b"EVERRSLT",
        version: 1,
    };

    /// Name of the file.
    pub fn file_name(self) -> &'static str {
        self.name
    }
}

/// Identity of a database, part of every checksum in it.
pub type Uuid = [u8; 16];

/// What recovery starts from.
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
    /// Log position after the last commit, known only after a clean stop.
    pub clean_log_end: Option<u64>,
    /// Where the section directory's root blob is.
    pub directory_offset: u64,
    /// Its length.
    pub directory_len: u64,
    /// Its checksum.
    pub directory_crc: u32,
    /// Configuration and counters of the rooms above.
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
            clean_log_end: None,
            directory_offset: 0,
            directory_len: 0,
            directory_crc: 0,
            user,
        }
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
    fn check(&self, kind: PoolKind) -> Result<Option<(Uuid, Root)>, PersistenceError> {
        let bytes = &self.0;
        if &bytes[..8] != kind.magic {
            return Ok(None);
        }
        let stored = u32_at(bytes, SLOT_BYTES - 4);
        if crc32c::crc32c(&bytes[..SLOT_BYTES - 4]) != stored {
            return Ok(None);
        }
        let version = u32_at(bytes, 8);
        if version > kind.version {
            return Err(PersistenceError::NewerFormat {
                found: version,
                newest: kind.version,
            });
        }
        let mut uuid = [0; 16];
        uuid.copy_from_slice(&bytes[16..32]);
        let mut user = [0; USER_BYTES];
        user.copy_from_slice(&bytes[128..128 + USER_BYTES]);
        let clean_end = u64_at(bytes, 80);
        Ok(Some((
            uuid,
            Root {
                sequence: u64_at(bytes, 32),
                epoch: u32_at(bytes, 40),
                csn: u64_at(bytes, 48),
                wall_us: u64_at(bytes, 56) as i64,
                log_start: u64_at(bytes, 64),
                log_epoch: u32_at(bytes, 72),
                clean_log_end: (u32_at(bytes, 44) == 1).then_some(clean_end),
                directory_offset: u64_at(bytes, 88),
                directory_len: u64_at(bytes, 96),
                directory_crc: u32_at(bytes, 104),
                user,
            },
        )))
    }
}

fn encode_slot(kind: PoolKind, uuid: &Uuid, root: &Root) -> [u8; SLOT_BYTES] {
    let mut bytes = [0u8; SLOT_BYTES];
    bytes[..8].copy_from_slice(kind.magic);
    bytes[8..12].copy_from_slice(&kind.version.to_le_bytes());
    bytes[16..32].copy_from_slice(uuid);
    bytes[32..40].copy_from_slice(&root.sequence.to_le_bytes());
    bytes[40..44].copy_from_slice(&root.epoch.to_le_bytes());
    bytes[44..48].copy_from_slice(&u32::from(root.clean_log_end.is_some()).to_le_bytes());
    bytes[48..56].copy_from_slice(&root.csn.to_le_bytes());
    bytes[56..64].copy_from_slice(&root.wall_us.to_le_bytes());
    bytes[64..72].copy_from_slice(&root.log_start.to_le_bytes());
    bytes[72..76].copy_from_slice(&root.log_epoch.to_le_bytes());
    bytes[80..88].copy_from_slice(&root.clean_log_end.unwrap_or(0).to_le_bytes());
    bytes[88..96].copy_from_slice(&root.directory_offset.to_le_bytes());
    bytes[96..104].copy_from_slice(&root.directory_len.to_le_bytes());
    bytes[104..108].copy_from_slice(&root.directory_crc.to_le_bytes());
    bytes[128..128 + USER_BYTES].copy_from_slice(&root.user);
    let crc = crc32c::crc32c(&bytes[..SLOT_BYTES - 4]);
    bytes[SLOT_BYTES - 4..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

impl Pool {
    /// Makes the pool file with its first root. The caller has made the other
    /// files durable before (names included), so that a pool file that can be
    /// read stands for a complete database.
    pub fn create(
        storage: &dyn Storage,
        uuid: Uuid,
        root: Root,
    ) -> Result<(Pool, PoolFile), PersistenceError> {
        Self::create_kind(storage, PoolKind::GRAPH, uuid, root)
    }

    /// As [`Pool::create`], of any kind.
    pub fn create_kind(
        storage: &dyn Storage,
        kind: PoolKind,
        uuid: Uuid,
        root: Root,
    ) -> Result<(Pool, PoolFile), PersistenceError> {
        if storage.exists(kind.name)? {
            return Err(PersistenceError::Exists(kind.name.to_string()));
        }
        let medium = storage.open(kind.name, true)?;
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

    /// Reads the newest root. Writes nothing.
    pub fn open(storage: &dyn Storage) -> Result<(Pool, PoolFile), PersistenceError> {
        Self::open_kind(storage, PoolKind::GRAPH)
    }

    /// As [`Pool::open`], of any kind.
    pub fn open_kind(
        storage: &dyn Storage,
        kind: PoolKind,
    ) -> Result<(Pool, PoolFile), PersistenceError> {
        let name = kind.name;
        if !storage.exists(name)? {
            return Err(PersistenceError::NotADatabase(format!(
                "there is no file `{name}` (check the path, or import into a new one)"
            )));
        }
        let medium = storage.open(name, false)?;
        if medium.is_empty() {
            return Err(PersistenceError::NotADatabase(format!(
                "the file `{name}` is empty; if its creation was interrupted, make it again"
            )));
        }
        if medium.len() < 2 * SLOT_STRIDE {
            // Not what an interrupted creation leaves: nobody may make it again.
            return Err(PersistenceError::damaged(
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
                PersistenceError::NotADatabase(
                    "its creation was interrupted; make it again".to_string(),
                )
            } else {
                PersistenceError::damaged(name, 0, "neither header slot has a valid checksum")
            });
        };
        Ok((
            Pool {
                kind,
                uuid,
                root,
                next_slot: 1 - slot,
            },
            PoolFile { medium },
        ))
    }

    /// Makes the root that was read durable: a process that was killed may have
    /// written it and not come to its fence.
    pub fn confirm(&self, file: &PoolFile) -> Result<(), PersistenceError> {
        file.medium.flush(0, file.medium.len())?;
        Ok(file.medium.fence()?)
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
    ) -> Result<(), PersistenceError> {
        let _ = directory;
        self.publish_root(file, root)
    }

    /// A new root over the directory that is published already (epoch, clean
    /// stop).
    pub fn update(&mut self, file: &PoolFile, root: Root) -> Result<(), PersistenceError> {
        assert_eq!(
            (root.directory_offset, root.directory_len),
            (self.root.directory_offset, self.root.directory_len),
            "a new directory goes through `publish`"
        );
        self.publish_root(file, root)
    }

    fn publish_root(&mut self, file: &PoolFile, mut root: Root) -> Result<(), PersistenceError> {
        root.sequence = self.root.sequence + 1;
        let bytes = encode_slot(self.kind, &self.uuid, &root);
        let medium = &file.medium;
        for slot in [self.next_slot, 1 - self.next_slot] {
            let dirty = order::write(medium, slot * SLOT_STRIDE, &bytes, ())?;
            if failpoint!("superblock.slots-share-one-fence") && slot == self.next_slot {
                let _ = dirty.flush(medium)?;
                continue;
            }
            let _durable = dirty.flush(medium)?.fence(medium)?;
        }
        self.root = root;
        self.next_slot = 1 - self.next_slot;
        Ok(())
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
