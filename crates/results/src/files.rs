//! The two files of results, and the switch from one superblock to the next.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{
    Directory, Medium, Pool, PoolFile, PoolKind, Readers, Region, Root, Storage, StorageError,
    StoredDirectory, USER_BYTES, Uuid,
};

use super::block::Block;
use super::manifest::Manifest;
use super::version::{self, StoredColumn};
use super::{Description, StateError, Stored};

/// File of the blocks, manifests and the directory.
const EXTENTS: &str = "results.extents";
/// Kind of a manifest among the directory's blobs.
const MANIFEST: u32 = 1;
/// Bytes read at once to see whether a file was ever written.
const READ_BYTES: u64 = 1 << 20;

/// How results lie in their file; chosen when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of a block, a multiple of 8.
    pub block_bytes: u32,
    /// Every block begins at a multiple of this power of two.
    pub alignment: u32,
    /// Bytes that the file grows by at least.
    pub growth_step: u64,
}

impl Default for Geometry {
    /// Blocks of 64 KiB, at pages; 1 MiB.
    fn default() -> Self {
        Geometry {
            block_bytes: 64 << 10,
            alignment: 4096,
            growth_step: 1 << 20,
        }
    }
}

/// The pool and the extents of the stored results.
pub(super) struct Files {
    pool: Pool,
    pool_file: PoolFile,
    pub region: Region,
    directory: Directory,
    pub block_bytes: usize,
    growth_step: u64,
    pub results: BTreeMap<String, Arc<Stored>>,
    /// A publication failed, so either slot of the superblock may be the newest.
    pub broken: bool,
}

impl Files {
    /// State step S0: the extents' file is durable with its name before the pool
    /// file is made.
    pub(crate) fn create(
        storage: &dyn Storage,
        uuid: &Uuid,
        geometry: Geometry,
    ) -> Result<Self, StateError> {
        // Left by an interrupted creation; no result was ever stored there.
        for name in [PoolKind::RESULTS.file_name(), EXTENTS] {
            if storage.exists(name)? {
                storage.remove(name)?;
            }
        }
        let extents = storage.open(EXTENTS, true)?;
        if !failpoint!("results.superblock-first") {
            Region::reserve_first(&extents, geometry.growth_step)?;
            extents.fence()?;
            storage.sync_names()?;
        }
        drop(extents);
        let mut user = [0; USER_BYTES];
        user[..4].copy_from_slice(&geometry.block_bytes.to_le_bytes());
        user[4..8].copy_from_slice(&geometry.alignment.to_le_bytes());
        user[8..16].copy_from_slice(&geometry.growth_step.to_le_bytes());
        let root = Root::first(user);
        drop(Pool::create_kind(storage, PoolKind::RESULTS, *uuid, root)?);
        let files = Self::open(storage, uuid)?;
        Ok(files.expect("the files that were just made"))
    }

    /// `None` if there are no files, or only what an interrupted creation left.
    pub(crate) fn open(storage: &dyn Storage, uuid: &Uuid) -> Result<Option<Self>, StateError> {
        let name = PoolKind::RESULTS.file_name();
        let (pool, pool_file) = match Pool::open_kind(storage, PoolKind::RESULTS) {
            Ok(opened) => opened,
            Err(StorageError::NotADatabase(_)) if is_blank(storage)? => return Ok(None),
            Err(StorageError::NotADatabase(_)) => {
                let what = "the root of results is missing, though there are some";
                return Err(StorageError::damaged(name, 0, what).into());
            }
            Err(error) => return Err(error.into()),
        };
        let damaged = |offset, what: &str| StorageError::damaged(name, offset, what);
        if pool.uuid() != uuid {
            return Err(damaged(16, "these are the results of another database").into());
        }
        let root = pool.root();
        let geometry = Geometry::of(&root.user)
            .ok_or_else(|| damaged(0, "the size of blocks makes no sense"))?;
        let region = Region::beside(
            Readers::of(storage, PoolKind::RESULTS, root),
            storage.open(EXTENTS, false)?,
            u64::from(geometry.alignment),
            geometry.growth_step,
        );
        let (offset, len) = (root.directory_offset, root.directory_len);
        let directory = Directory::load(&region, uuid, offset, len, root.directory_crc)?;
        let mut files = Files {
            pool,
            pool_file,
            region,
            directory,
            block_bytes: geometry.block_bytes as usize,
            growth_step: geometry.growth_step,
            results: BTreeMap::new(),
            broken: false,
        };
        files.results = files.read_manifests(uuid)?;
        files.region.finish_adoption();
        Ok(Some(files))
    }

    /// State step S6: makes durable what was found, its names too. A process that was
    /// killed may not have come to its fence.
    pub(crate) fn confirm(&self, storage: &dyn Storage) -> Result<(), StorageError> {
        if failpoint!("results.root-not-confirmed") {
            return Ok(());
        }
        storage.sync_names()?;
        self.pool.confirm(&self.pool_file)
    }

    /// The results that the directory names; their blocks are claimed.
    fn read_manifests(&self, uuid: &Uuid) -> Result<BTreeMap<String, Arc<Stored>>, StateError> {
        let mut results = BTreeMap::new();
        for (number, blob) in self.directory.numbered_blobs(MANIFEST) {
            let bytes = blob.read(uuid)?;
            let manifest = Manifest::decode(bytes).ok_or_else(|| {
                let (file, offset) = (self.region.file_name(), blob.extent.offset());
                StorageError::damaged(&file, offset, "the manifest of a result makes no sense")
            })?;
            let (description, columns) = version::adopt(&self.region, self.block_bytes, manifest)?;
            let stored = Stored {
                description,
                columns,
                uuid: *uuid,
                number,
                manifest_bytes: blob.extent.reserved_bytes(),
            };
            results.insert(stored.description.name.clone(), Arc::new(stored));
        }
        Ok(results)
    }

    /// State steps S2 to S5 for one result: its manifest, the fence, the superblock, and
    /// then the space of what only the version before had.
    pub(crate) fn switch_to(
        &mut self,
        uuid: &Uuid,
        description: &Description,
        columns: Vec<StoredColumn>,
        blocks: Flushed<Vec<()>>,
    ) -> Result<(), StateError> {
        let before = self.results.get(&description.name).cloned();
        let number = before
            .as_ref()
            .map_or_else(|| self.free_number(), |b| b.number);
        let manifest = version::manifest(description, &columns).encode();
        let written = (self.directory).set_blob(&self.region, uuid, MANIFEST, number, &manifest);
        let manifest_written = match written {
            Ok(token) => token,
            Err(error) => return Err(self.undo(error)),
        };
        let new: HashSet<*const _> = blocks_of(&columns).map(Arc::as_ptr).collect();
        let replaced: Vec<_> = before
            .iter()
            .flat_map(|before| blocks_of(&before.columns))
            .filter(|block| !new.contains(&Arc::as_ptr(block)))
            .cloned()
            .collect();
        failpoint!("results.freed-first" => {
            for block in &replaced {
                self.region.scribble(&block.extent)?;
            }
        });
        let published: Vec<_> = blocks_of(&columns).cloned().collect();
        self.publish(uuid, blocks.and(manifest_written).map(|_| ()), || {
            published.iter().for_each(|block| block.extent.published());
        })?;
        replaced.iter().for_each(|block| block.extent.retire());
        let blob = self.directory.numbered_blobs(MANIFEST);
        let manifest_bytes = blob
            .filter(|&(known, _)| known == number)
            .map(|(_, blob)| blob.extent.reserved_bytes())
            .sum();
        let stored = Stored {
            description: description.clone(),
            columns,
            uuid: *uuid,
            number,
            manifest_bytes,
        };
        self.results
            .insert(description.name.clone(), Arc::new(stored));
        drop((before, replaced));
        self.region.root_published(self.pool.root().sequence);
        self.invariants();
        Ok(())
    }

    /// Panics in debug builds if the results in DRAM are not those that the directory
    /// names, or have not the blocks that they need. To be called when a superblock is
    /// published.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let mut numbers: Vec<u32> = self.results.values().map(|stored| stored.number).collect();
        numbers.sort_unstable();
        let named = self.directory.numbered_blobs(MANIFEST);
        assert!(
            named.map(|(number, _)| number).eq(numbers.iter().copied()),
            "the directory names other manifests than {numbers:?}"
        );
        for (name, stored) in &self.results {
            assert_eq!(
                *name, stored.description.name,
                "a result has the name that it is found by"
            );
            for column in &stored.columns {
                let bytes = column.len * column.kind.value_bytes();
                let held: u64 = column.blocks.iter().map(|block| block.extent.len()).sum();
                assert!(
                    held == bytes as u64 && column.blocks.len() == bytes.div_ceil(self.block_bytes),
                    "{} blocks with {held} bytes for {} values of column {:?}",
                    column.blocks.len(),
                    column.len,
                    column.name
                );
            }
        }
    }

    pub(crate) fn remove(&mut self, uuid: &Uuid, names: &[&str]) -> Result<(), StateError> {
        let removed: Vec<Arc<Stored>> = names
            .iter()
            .filter_map(|&name| self.results.get(name).cloned())
            .collect();
        for stored in &removed {
            self.directory.remove_blob(MANIFEST, stored.number);
        }
        self.publish(uuid, Flushed::all([]).map(|_: Vec<()>| ()), || ())?;
        for stored in &removed {
            blocks_of(&stored.columns).for_each(|block| block.extent.retire());
            self.results.remove(&stored.description.name);
        }
        drop(removed);
        self.region.root_published(self.pool.root().sequence);
        // The next version will need some of it.
        self.region.trim(self.growth_step);
        self.invariants();
        Ok(())
    }

    /// State steps S3 and S4: a superblock over the directory as it is now. `written` is
    /// what it names beside itself; `publishing` is called before the superblock may be
    /// on the medium.
    fn publish(
        &mut self,
        uuid: &Uuid,
        written: Flushed<()>,
        publishing: impl FnOnce(),
    ) -> Result<(), StateError> {
        let stored = match self.directory.store(&self.region, uuid, written) {
            Ok(stored) => stored,
            Err(error) => return Err(self.undo(error)),
        };
        let medium = self.region.medium().clone();
        let durable = failpoint!(
            "results.root-before-blocks",
            Ok(stored.assume_durable()),
            else stored.fence(&medium)
        );
        let durable = match durable {
            Ok(durable) => durable,
            Err(error) => return Err(self.undo(error.into())),
        };
        publishing();
        self.directory.publishing();
        let StoredDirectory { offset, len, crc } = *durable.get();
        let root = Root {
            directory_offset: offset,
            directory_len: len,
            directory_crc: crc,
            ..self.pool.root().clone()
        };
        let switched = (self.pool).publish(&self.pool_file, &durable.map(|_| ()), root);
        if let Err(error) = switched {
            self.broken = true;
            return Err(error.into());
        }
        if failpoint!("results.root-before-blocks") {
            medium.fence()?;
        }
        self.directory.published();
        Ok(())
    }

    /// The directory as the durable superblock names it, after `error` and before a new
    /// superblock was written.
    fn undo(&mut self, error: StorageError) -> StateError {
        self.directory.roll_back();
        error.into()
    }

    fn free_number(&self) -> u32 {
        let used: HashSet<u32> = self.results.values().map(|stored| stored.number).collect();
        let mut numbers = 0..;
        numbers
            .find(|number| !used.contains(number))
            .expect("fewer than 2^32 results")
    }
}

/// Whether nothing was ever written to the extents' file: a creation that was
/// interrupted leaves it so.
fn is_blank(storage: &dyn Storage) -> Result<bool, StateError> {
    if !storage.exists(EXTENTS)? {
        return Ok(true);
    }
    let medium = storage.open(EXTENTS, false)?;
    let mut bytes = vec![0; READ_BYTES as usize];
    let mut at = 0;
    while at < medium.len() {
        let count = (medium.len() - at).min(READ_BYTES);
        let piece = &mut bytes[..count as usize];
        medium.read(at, piece)?;
        if piece.iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        at += count;
    }
    Ok(true)
}

fn blocks_of(columns: &[StoredColumn]) -> impl Iterator<Item = &Arc<Block>> {
    columns.iter().flat_map(|column| &column.blocks)
}

impl Geometry {
    /// Decodes the user bytes of a superblock slot; `None` if they are impossible.
    fn of(user: &[u8; USER_BYTES]) -> Option<Self> {
        let geometry = Geometry {
            block_bytes: u32::from_le_bytes(user[..4].try_into().ok()?),
            alignment: u32::from_le_bytes(user[4..8].try_into().ok()?),
            growth_step: u64::from_le_bytes(user[8..16].try_into().ok()?),
        };
        let sound = geometry.block_bytes > 0
            && geometry.block_bytes.is_multiple_of(8)
            && geometry.alignment.is_power_of_two()
            && geometry.alignment >= 8
            && geometry.growth_step > 0;
        sound.then_some(geometry)
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::sync::Arc;

    use evergraph_graph::{ColumnKind, StoredLists};
    use evergraph_storage::Uuid;
    use evergraph_storage::medium::DramStorage;

    use super::{Description, Files, Geometry, MANIFEST, Stored, StoredColumn};
    use crate::GraphIdentity;

    const UUID: Uuid = [7; 16];

    /// Files with one result, whose column has no block.
    fn files(len: usize) -> Files {
        let mut files = Files::create(&DramStorage::new(), &UUID, Geometry::default()).unwrap();
        let named = files
            .directory
            .set_blob(&files.region, &UUID, MANIFEST, 0, b"manifest");
        let _ = named.unwrap();
        let description = Description {
            name: "degrees".to_string(),
            algorithm: "degrees".to_string(),
            parameters: Vec::new(),
            graph: GraphIdentity {
                csn: 1,
                vertex_count: 0,
                arc_count: 0,
                direction: StoredLists::Out,
                weighted: false,
            },
            step: 0,
            finished: true,
            started_us: 0,
            updated_us: 0,
            notes: Vec::new(),
        };
        let column = StoredColumn {
            name: "degree".to_string(),
            kind: ColumnKind::U32,
            len,
            blocks: Vec::new(),
        };
        let stored = Stored {
            description,
            columns: vec![column],
            uuid: UUID,
            number: 0,
            manifest_bytes: 8,
        };
        files
            .results
            .insert("degrees".to_string(), Arc::new(stored));
        files
    }

    #[test]
    fn an_empty_column_has_no_block() {
        files(0).invariants();
    }

    #[test]
    #[should_panic(expected = "0 blocks with 0 bytes for 3 values")]
    fn a_column_has_its_blocks() {
        files(3).invariants();
    }

    #[test]
    #[should_panic(expected = "names other manifests")]
    fn a_result_has_a_manifest() {
        let mut files = files(0);
        files.directory.remove_blob(MANIFEST, 0);
        files.invariants();
    }

    #[test]
    #[should_panic(expected = "the name that it is found by")]
    fn a_result_has_its_name() {
        let mut files = files(0);
        let stored = files.results.remove("degrees").unwrap();
        files.results.insert("ranks".to_string(), stored);
        files.invariants();
    }
}
