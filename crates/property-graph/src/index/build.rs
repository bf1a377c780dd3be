//! Building an index from records, while commits go on.

use evergraph_persistence::order::Flushed;
use evergraph_persistence::{Region, Uuid};

use super::base::{Base, Fence};
use super::entry::{EntryRef, Interval};
use super::writer::{ExtentWriter, Target};
use super::{Geometry, Index, IndexError, Kind};

/// Entries in any order, to be sorted in DRAM: about 24 bytes each and their keys.
#[derive(Debug)]
pub struct Collector {
    key_bytes: usize,
    keys: Vec<u8>,
    /// Beginning of the key as a number, where it begins and its length, and the id.
    entries: Vec<(u64, u64, u16, u32)>,
}

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

    /// The entries, ascending.
    fn sort(&mut self) -> impl Iterator<Item = EntryRef<'_>> {
        let keys = &self.keys;
        let key =
            |&(_, start, len, _): &(u64, u64, u16, u32)| &keys[start as usize..][..len.into()];
        self.entries.sort_unstable_by(|a, b| {
            let by_head = a.0.cmp(&b.0);
            by_head.then_with(|| (key(a), a.3).cmp(&(key(b), b.3)))
        });
        self.entries.iter().map(move |entry| (key(entry), entry.3))
    }
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
        self.build_sorted(csn, region, uuid, entries.sort())
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
