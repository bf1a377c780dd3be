//! Building an index from records, while commits go on.

use evergraph_storage::order::Flushed;
use evergraph_storage::{Region, Uuid};

use rayon::prelude::*;

use super::base::Base;
use super::entry::{EntryRef, Interval};
use super::writer::{ExtentWriter, Target};
use super::{Geometry, Index, IndexError, Kind};

/// Entries in any order, in DRAM: about 24 bytes each and their keys.
#[derive(Debug)]
pub struct Collector {
    key_bytes: usize,
    keys: Vec<u8>,
    entries: Vec<Collected>,
}

/// Beginning of a key as a number, where it begins and its length, and the id.
type Collected = (u64, u64, u16, u32);

impl Collector {
    /// For an index of this geometry.
    pub fn new(geometry: Geometry) -> Self {
        Collector {
            key_bytes: geometry.checked().key_bytes,
            keys: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Adds an entry.
    pub fn push(&mut self, key: &[u8], id: u32) {
        let key = &key[..key.len().min(self.key_bytes)];
        let mut head = [0; 8];
        let common = key.len().min(8);
        head[..common].copy_from_slice(&key[..common]);
        let start = self.keys.len() as u64;
        self.keys.extend_from_slice(key);
        let head = u64::from_be_bytes(head);
        self.entries.push((head, start, key.len() as u16, id));
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds the entries of another for the same index.
    pub fn append(&mut self, other: Self) {
        let behind = self.keys.len() as u64;
        self.keys.extend_from_slice(&other.keys);
        let moved = other.entries.iter();
        self.entries
            .extend(moved.map(|&(head, start, len, id)| (head, start + behind, len, id)));
    }

    /// The entries, ascending and each once. Sorts in parallel.
    pub fn sorted(mut self) -> Sorted {
        let Collector { keys, entries, .. } = &mut self;
        entries.par_sort_unstable_by(|a, b| {
            let by_head = a.0.cmp(&b.0);
            by_head.then_with(|| (key_of(keys, a), a.3).cmp(&(key_of(keys, b), b.3)))
        });
        entries.dedup_by(|a, b| a.3 == b.3 && has_key_of(keys, a, b));
        Sorted {
            keys: self.keys,
            entries: self.entries,
        }
    }
}

/// Entries that an index can be built from, by [`Collector::sorted`].
#[derive(Debug)]
pub struct Sorted {
    keys: Vec<u8>,
    entries: Vec<Collected>,
}

impl Sorted {
    /// The ids of each key, as kept, that more than one record has.
    pub fn ids_of_shared_keys(&self) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        let runs = self.entries.chunk_by(|a, b| has_key_of(&self.keys, a, b));
        let shared = runs.filter(|run| run.len() > 1);
        shared.map(|run| run.iter().map(|entry| entry.3))
    }

    fn iter(&self) -> impl Iterator<Item = EntryRef<'_>> {
        let entries = self.entries.iter();
        entries.map(|entry| (key_of(&self.keys, entry), entry.3))
    }
}

fn has_key_of(keys: &[u8], a: &Collected, b: &Collected) -> bool {
    a.0 == b.0 && key_of(keys, a) == key_of(keys, b)
}

fn key_of<'k>(keys: &'k [u8], &(_, start, len, _): &Collected) -> &'k [u8] {
    &keys[start as usize..][..len.into()]
}

impl Index {
    /// Builds the content from the records as of the view at `csn`, which the caller
    /// holds. Changes of later commits are applied meanwhile as ever, and readers find it
    /// at once when this returns (if a round of checkpoint is going on, when that ends).
    /// It answers as of `csn` and later; its extents are named by the next checkpoint,
    /// and until then lost with the process.
    ///
    /// Cost: one pass of writing. Fences on its own thread.
    ///
    /// # Errors
    /// A full disk, say: then nothing has changed.
    pub fn build(
        &self,
        csn: u64,
        region: &Region,
        uuid: &Uuid,
        entries: &Sorted,
    ) -> Result<(), IndexError> {
        let target = match self.kind {
            Kind::Hybrid | Kind::OnMedium => Target::Medium { region, uuid },
            Kind::Volatile => Target::Memory,
        };
        let mut writer = ExtentWriter::new(target, self.geometry);
        for entry in entries.iter() {
            writer.push(entry, &[Interval::ALWAYS])?;
        }
        writer.end()?;
        let written = Flushed::all(writer.flushed);
        let medium = region.medium();
        let fenced = written.fence(medium);
        fenced.map_err(evergraph_storage::StorageError::from)?;
        let base = Base::new(writer.extents, csn, csn, self.inner());
        self.state.write().built(base);
        Ok(())
    }

    /// A collector for [`Index::build`].
    pub fn collector(&self) -> Collector {
        Collector::new(self.geometry)
    }
}
