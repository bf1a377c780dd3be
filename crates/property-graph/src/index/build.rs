//! Building an index from records, while commits go on.

use evergraph_persistence::order::Flushed;
use evergraph_persistence::{Region, Uuid};

use rayon::prelude::*;

use super::base::{Base, Fence};
use super::entry::{EntryRef, Interval};
use super::writer::{ExtentWriter, Target};
use super::{Geometry, Index, IndexError, Kind};

/// Entries in any order, to be sorted in DRAM: about 24 bytes each and their keys.
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

    /// Sorts the entries, in parallel.
    pub fn sort(&mut self) {
        let Collector { keys, entries, .. } = self;
        entries.par_sort_unstable_by(|a, b| {
            let by_head = a.0.cmp(&b.0);
            by_head.then_with(|| (key_of(keys, a), a.3).cmp(&(key_of(keys, b), b.3)))
        });
    }

    /// The ids of each key that more than one has, where the entries are sorted.
    pub fn ids_of_shared_keys(&self) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        let has_same = |a: &Collected, b: &Collected| {
            a.0 == b.0 && key_of(&self.keys, a) == key_of(&self.keys, b)
        };
        let runs = self.entries.chunk_by(has_same);
        let shared = runs.filter(|run| run.len() > 1);
        shared.map(|run| run.iter().map(|entry| entry.3))
    }

    fn iter(&self) -> impl Iterator<Item = EntryRef<'_>> {
        let entries = self.entries.iter();
        entries.map(|entry| (key_of(&self.keys, entry), entry.3))
    }
}

fn key_of<'k>(keys: &'k [u8], &(_, start, len, _): &Collected) -> &'k [u8] {
    &keys[start as usize..][..len.into()]
}

impl Index {
    /// Builds the content: what the records show as of the view at `csn`, which the
    /// caller holds. Changes of later commits are applied meanwhile as ever, and
    /// readers find it at once when this returns (if a round of checkpoint is going
    /// on, when that ends). It answers as of `csn` and later; its extents are named by
    /// the next checkpoint, and until then lost with the process.
    ///
    /// Cost: sorting, and one pass of writing. Fences on its own thread.
    ///
    /// # Errors
    /// A full disk, say: then nothing has changed.
    pub fn build(
        &self,
        csn: u64,
        region: &Region,
        uuid: &Uuid,
        mut entries: Collector,
    ) -> Result<(), IndexError> {
        entries.sort();
        self.build_sorted(csn, region, uuid, entries.iter())
    }

    /// As [`Index::build`], from entries that ascend by key (as kept, that is cut to
    /// [`Geometry::key_bytes`]) and id, in little DRAM.
    ///
    /// # Errors
    /// [`IndexError::Unsorted`] if they do not ascend.
    pub fn build_sorted<K: AsRef<[u8]>>(
        &self,
        csn: u64,
        region: &Region,
        uuid: &Uuid,
        entries: impl IntoIterator<Item = (K, u32)>,
    ) -> Result<(), IndexError> {
        let target = match self.kind {
            Kind::Hybrid | Kind::OnMedium => Target::Medium { region, uuid },
            Kind::Volatile => Target::Memory,
        };
        let mut writer = ExtentWriter::new(target, self.geometry);
        let mut last: Option<Fence> = None;
        for (key, id) in entries {
            let key = self.cut(key.as_ref());
            match last.as_mut() {
                Some(last) if (key, id) < (&last.0[..], last.1) => {
                    return Err(IndexError::Unsorted);
                }
                Some(last) if (key, id) == (&last.0[..], last.1) => continue,
                Some(last) => {
                    last.0.clear();
                    last.0.extend_from_slice(key);
                    last.1 = id;
                }
                None => last = Some((key.to_vec(), id)),
            }
            writer.push((key, id), &[Interval::ALWAYS])?;
        }
        writer.end()?;
        let written = Flushed::all(writer.flushed);
        let medium = region.medium();
        let fenced = written.fence(medium);
        fenced.map_err(evergraph_persistence::PersistenceError::from)?;
        let base = Base::new(writer.extents, csn, csn, self.inner());
        self.state.write().built(base);
        Ok(())
    }

    /// A collector for [`Index::build`].
    pub fn collector(&self) -> Collector {
        Collector::new(self.geometry)
    }
}
