//! Environment for tests of a store extension's parts: space on a medium, a directory
//! with a superblock, views, and named snapshots, as a store has them.

use std::sync::Arc;

use evergraph_storage::medium::DramStorage;
use evergraph_storage::order::Flushed;
use evergraph_storage::{
    Directory, Medium, Needed, Region, Registry, Storage, StoredDirectory, Uuid, ViewToken,
};
use evergraph_topology::extension::Place;

pub(crate) const UUID: Uuid = [7; 16];

/// A store without edges and without a log.
pub(crate) struct Host {
    storage: DramStorage,
    pub(crate) region: Region,
    pub(crate) directory: Directory,
    pub(crate) registry: Arc<Registry<()>>,
    kept: Vec<u64>,
    root: Option<StoredDirectory>,
}

impl Host {
    pub(crate) fn new() -> Self {
        let storage = DramStorage::new();
        storage.open("extents", true).unwrap();
        let region = region(&storage);
        Host {
            storage,
            region,
            directory: Directory::default(),
            registry: Registry::new(0, ()),
            kept: Vec::new(),
            root: None,
        }
    }

    pub(crate) fn csn(&self) -> u64 {
        self.registry.csn()
    }

    pub(crate) fn needed(&self) -> Needed {
        self.registry.needed()
    }

    /// Makes a commit visible; with `keep` it is that of a named snapshot.
    pub(crate) fn publish(&mut self, csn: u64, keep: bool) {
        if keep {
            self.registry.keep(csn);
            self.kept.push(csn);
        }
        self.registry.publish(csn, ());
    }

    pub(crate) fn kept(&self) -> &[u64] {
        &self.kept
    }

    pub(crate) fn release(&mut self, index: usize) {
        self.registry.release(self.kept.remove(index));
    }

    pub(crate) fn view(&self) -> ViewToken<()> {
        self.registry.register()
    }

    /// Calls `write` with the place that parts write to, and with the directory that
    /// names their extents.
    pub(crate) fn with_place<T>(&mut self, write: impl FnOnce(&mut Place<'_>) -> T) -> T {
        let region = self.region.clone();
        write(&mut Place {
            region: &region,
            uuid: &UUID,
            directory: &mut self.directory,
        })
    }

    /// Durability steps 2 to 5: the written extents are durable, and a superblock names
    /// them.
    pub(crate) fn switch_root(&mut self, flushed: Vec<Flushed<()>>, publishing: impl FnOnce()) {
        let region = self.region.clone();
        let flushed = Flushed::all(flushed).map(|_| ());
        let stored = self.directory.store(&region, &UUID, flushed).unwrap();
        let stored = stored.fence(region.medium()).unwrap();
        self.directory.publishing();
        publishing();
        self.root = Some(*stored.get());
        self.directory.published();
    }

    /// Drops the written extents from the directory.
    pub(crate) fn roll_back(&mut self) {
        self.directory.roll_back();
    }

    /// Opens again as after a crash: no views, and only extents that the superblock
    /// names. The parts claim their extents in `restore`. The registry starts at commit
    /// `csn`; commits that are not in the extents are to be applied with
    /// [`Host::needed_at_replay`].
    pub(crate) fn reopen(&mut self, csn: u64, restore: impl FnOnce(&mut Place<'_>)) {
        self.region = region(&self.storage);
        self.directory = match self.root {
            Some(root) => {
                Directory::load(&self.region, &UUID, root.offset, root.len, root.crc).unwrap()
            }
            None => Directory::default(),
        };
        self.with_place(restore);
        self.region.finish_adoption();
        self.registry = Registry::keeping(csn, (), self.kept.iter().copied());
    }

    pub(crate) fn needed_at_replay(&self) -> Needed {
        Needed::new(Vec::new(), Arc::new(self.kept.clone()))
    }

    /// Changes bytes of the extents' file.
    pub(crate) fn damage(&self, offset: u64, change: impl FnOnce(&mut u8)) {
        let medium = self.region.medium();
        let mut byte = [0];
        medium.read(offset, &mut byte).unwrap();
        change(&mut byte[0]);
        medium.write(offset, &byte).unwrap();
    }
}

fn region(storage: &DramStorage) -> Region {
    Region::new(storage.open("extents", false).unwrap(), 64, 4096)
}
