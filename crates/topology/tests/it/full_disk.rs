//! A disk that is full, or nearly: what goes on, and with how little.

use std::collections::BTreeMap;

use evergraph_graph::StoredLists;
use evergraph_storage::medium::FileStorage;
use evergraph_storage::{MediumError, Storage, StorageError};
use evergraph_topology::{Batch, Config, Layout, Store, TopologyError};

use super::limited::LimitedStorage;

const LISTS: u32 = 1024;

/// The store, and the lists that it must show.
struct Reference {
    store: Store,
    lists: BTreeMap<u32, Vec<u32>>,
    inserted: u32,
}

fn config(layout: Layout, growth_step: u64, log_bytes: u64) -> Config {
    Config {
        direction: StoredLists::Out,
        layout,
        section_shift: 3,
        log_bytes,
        growth_step,
        ..Config::default()
    }
}

fn is_no_space<T>(result: &Result<T, TopologyError>) -> bool {
    use StorageError::Medium;
    matches!(
        result.as_ref().err().map(TopologyError::cause),
        Some(TopologyError::Storage(Medium(MediumError::NoSpace { .. })))
    )
}

impl Reference {
    fn create(storage: &dyn Storage, config: Config) -> Self {
        Reference {
            store: Store::create(storage, config, [3; 16]).unwrap(),
            lists: BTreeMap::new(),
            inserted: 0,
        }
    }

    /// An edge in some lists of all sections.
    fn insert(&mut self) -> Result<(), TopologyError> {
        let first = self.inserted;
        let list = |i: u32| (first * 5 + i) % LISTS;
        let edges: Vec<(u32, u32)> = (0..400).map(|i| (list(i * 3), first)).collect();
        let mut batch = Batch::new();
        batch.insert(&edges);
        self.store.commit(batch)?;
        self.inserted += 1;
        for (u, v) in edges {
            self.lists.entry(u).or_default().push(v);
        }
        Ok(())
    }

    /// The newest half of each list, some edges in each commit.
    fn delete_half(&mut self) -> Result<(), TopologyError> {
        let gone: Vec<(u32, u32)> = (self.lists.iter())
            .flat_map(|(&u, list)| list[list.len() / 2..].iter().map(move |&v| (u, v)))
            .collect();
        for edges in gone.chunks(400) {
            let mut batch = Batch::new();
            batch.delete(edges);
            self.store.commit(batch)?;
            for (u, v) in edges {
                self.lists.get_mut(u).unwrap().retain(|other| other != v);
            }
        }
        Ok(())
    }

    /// Commits until there is no room. Merges come when the log is full.
    fn fill(&mut self) {
        loop {
            if let refused @ Err(_) = self.insert() {
                assert!(is_no_space(&refused), "{refused:?}");
                return;
            }
        }
    }

    fn compare(&self) {
        let token = self.store.register();
        let mut reader = self.store.reader(&token, 0);
        for u in 0..LISTS {
            let expected = self.lists.get(&u).map_or(&[][..], |list| list);
            assert_eq!(reader.neighbors(u).unwrap(), expected, "list {u}");
        }
        assert_eq!(self.store.check().problems, Vec::<String>::new());
    }

    /// Operations that make room do so, and then there is room again.
    fn makes_room(mut self, storage: &dyn Storage) {
        self.compare();
        for round in 0..3 {
            self.delete_half().unwrap();
            self.store.checkpoint().unwrap();
            self.store.compact().unwrap();
            self.compare();
            self.insert().unwrap();
            self.store
                .create_snapshot(&format!("round {round}"), None)
                .unwrap();
            self.store.checkpoint().unwrap();
            let name = format!("round {round}");
            self.store.drop_snapshots(&[&name]).unwrap();
            self.store.rewrite_history().unwrap();
            self.fill();
            self.compare();
        }
        drop(self.store);
        // Closed while the disk is full, and opened again.
        self.store = Store::open(storage, false).unwrap().0;
        self.compare();
        self.delete_half().unwrap();
        self.store.close().unwrap();
        self.store = Store::open(storage, false).unwrap().0;
        self.store.compact().unwrap();
        self.insert().unwrap();
        self.store.checkpoint().unwrap();
        self.compare();
    }
}

/// A step more than there is: all that there is can be used.
#[test]
fn files_grow_by_what_there_is() {
    for layout in [Layout::Pma, Layout::Blocks] {
        // Two slots, the log, and a step and a half.
        let (step, log) = (1 << 20, 32 << 10);
        let storage = LimitedStorage::new((16 << 10) + 2 * log + step * 3 / 2);
        let mut reference = Reference::create(&storage, config(layout, step, log));
        reference.fill();
        let stats = reference.store.stats();
        assert!(
            stats.extent_bytes > step + step / 4,
            "{layout:?}: {stats:?}"
        );
        reference.compare();
    }
}

#[test]
fn deleting_compacting_and_dropping_go_on() {
    // With the small log each commit lies in an extent, deletions too.
    for (bytes, log) in [(500, 32), (1028, 32), (500, 16), (1028, 16)] {
        let storage = LimitedStorage::new(bytes << 10);
        let mut reference = Reference::create(&storage, config(Layout::Pma, 256 << 10, log << 10));
        reference.fill();
        reference.makes_room(&storage);
    }
}

/// The same on a file system of its own.
#[test]
fn a_small_file_system() {
    let place = tempfile::tempdir().unwrap();
    let Some(_mounted) = Mounted::tmpfs(place.path(), 3 << 20) else {
        return;
    };
    let storage = FileStorage::open(place.path()).unwrap();
    let mut reference = Reference::create(&storage, config(Layout::Pma, 2 << 20, 64 << 10));
    reference.fill();
    assert!(reference.store.stats().extent_bytes > 2 << 20);
    reference.makes_room(&storage);
}

/// A file system in memory, until it is dropped.
struct Mounted<'a>(&'a std::path::Path);

impl<'a> Mounted<'a> {
    /// None where it may not be mounted; says so.
    fn tmpfs(path: &'a std::path::Path, bytes: u64) -> Option<Self> {
        let size = format!("size={bytes}");
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "evergraph-test"])
            .arg(path)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Mounted(path)),
            other => {
                println!("SKIPPED: no file system can be mounted here: {other:?}");
                None
            }
        }
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let unmounted = std::process::Command::new("umount")
            .arg("--lazy")
            .arg(self.0)
            .status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}
