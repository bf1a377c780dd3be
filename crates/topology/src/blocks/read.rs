//! Reading a section: its lists as chains of blocks.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use evergraph_storage::{Entry, Extent, StorageError, Words};

use super::format::{BLOCK_HEADER_WORDS, IndexImage};
use super::index::Index;
use super::lineage::Version;
use super::slabs::{Block, Slab, Slabs};
use super::source::ListSource;
use super::space::FreeRange;
use crate::lengths::LengthPage;
use crate::volume::Volume;

/// The merged part of a section as chains of blocks: one version of it.
///
/// Slices of it stay valid and unchanged as long as it lives, also while newer
/// versions are written into the same slabs.
#[derive(Debug)]
pub struct Base {
    pub(super) index: Index,
    pub(super) slabs: Slabs,
    pub(super) free: Vec<FreeRange>,
    pub(super) verified: OnceLock<()>,
    pub(super) version: Version,
}

/// Bytes that a section occupies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// The index.
    pub index: u64,
    /// All slabs.
    pub slabs: u64,
    /// Bytes of the slabs that are free for new blocks, now or when readers are gone.
    pub free: u64,
    /// Bytes of slabs after a rewrite that drops nothing.
    pub least_slabs: u64,
}

impl Base {
    /// Empty lists, without an extent; `columns` is 2 with weights, else 1.
    pub fn empty(volume: &Volume, first_vertex: u32, lists: usize, columns: usize) -> Self {
        let image = IndexImage::empty(&volume.uuid, first_vertex, lists, columns);
        let base = Base {
            index: Index::empty(&volume.uuid, &image),
            slabs: Slabs::default(),
            free: Vec::new(),
            verified: OnceLock::from(()),
            version: Version::first(),
        };
        base.version.publish();
        base
    }

    /// Opens a stored section: checks its index, and claims its slabs in the
    /// region, which is being claimed ([`evergraph_storage::Region::adopt`];
    /// the caller finishes the adoption when all sections are open). Reads no block.
    pub fn open(
        volume: &Volume,
        index: Extent,
        entry: &Entry,
        first_vertex: u32,
        lists: usize,
        columns: usize,
    ) -> Result<Self, StorageError> {
        let extent = Arc::new(index);
        extent.prefetch();
        let weighted = columns == 2;
        let index = Index::open(&volume.uuid, &extent, entry, first_vertex, lists, weighted)?;
        let mut slabs = Slabs::default();
        for place in index.slabs() {
            let bytes = 4 * u64::from(place.words);
            let extent = volume.region.adopt(place.offset, bytes)?;
            slabs.push(Slab::new(place.base, Arc::new(extent)));
        }
        // By this version at the latest.
        let free = index.free().map(|range| FreeRange { range, since: 1 });
        let base = Base {
            free: free.collect(),
            index,
            slabs,
            verified: OnceLock::new(),
            version: Version::first(),
        };
        base.version.publish();
        Ok(base)
    }

    /// The extent that the section's directory entry names, if there is one.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.index.extent()
    }

    /// All extents of the section: slabs, and the index if it is stored.
    pub fn extents(&self) -> impl Iterator<Item = &Arc<Extent>> + '_ {
        self.slab_extents().chain(self.extent())
    }

    /// The extents of the slabs.
    pub fn slab_extents(&self) -> impl Iterator<Item = &Arc<Extent>> + '_ {
        self.slabs.iter().map(Slab::extent)
    }

    /// Number of lists.
    pub fn lists(&self) -> usize {
        self.index.lists()
    }

    /// Entries in the section, tombstones included.
    pub fn entries(&self) -> u64 {
        self.index.entries()
    }

    /// Counts rewrites that dropped entries.
    pub fn generation(&self) -> u32 {
        self.index.generation()
    }

    /// Entries of one list.
    #[inline(always)]
    pub fn list_len(&self, list: usize) -> usize {
        self.index.place(list).len as usize
    }

    /// Lengths of the merged lists.
    pub fn lengths(&self, csn: u64) -> LengthPage {
        let lists = 0..self.lists();
        LengthPage {
            csn,
            len: lists.map(|list| self.index.place(list).len).collect(),
            tombstones: self.index.all_tombstones().map(Box::from),
        }
    }

    /// Calls `visit` with the words and weights (empty without weights) of the
    /// first `count` entries of a list, block by block, until it breaks.
    /// [`Base::verify`] must have succeeded.
    ///
    /// # Panics
    /// If the list is shorter, or was not verified.
    #[inline]
    pub fn for_each_segment<'a, B>(
        &'a self,
        list: usize,
        count: usize,
        mut visit: impl FnMut(&'a [u32], &'a [u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut segments = self.segments(list, count);
        segments.try_for_each(|(words, weights)| visit(words, weights))
    }

    /// Iterator over the segments that [`Base::for_each_segment`] visits, under the same
    /// conditions.
    #[inline]
    pub fn segments(&self, list: usize, count: usize) -> Segments<'_> {
        let place = self.index.place(list);
        assert!(count <= place.len as usize, "a prefix of the list");
        Segments {
            blocks: self.blocks(place.first, count),
            weighted: self.index.columns() == 2,
        }
    }

    /// Calls `visit` with the words of a list that begins at block `first`:
    /// `count` of them. [`Base::verify`] must have succeeded, and `first` and
    /// `count` be those of a list, as [`Base::place`] gives them.
    #[inline(always)]
    pub fn for_each_words<'a, B>(
        &'a self,
        first: u32,
        count: usize,
        mut visit: impl FnMut(&'a [u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut blocks = self.blocks(first, count);
        blocks.try_for_each(|(block, _, here)| visit(block.words(here)))
    }

    #[inline(always)]
    fn blocks(&self, first: u32, count: usize) -> Blocks<'_> {
        assert!(self.is_verified(), "checked before the first read");
        Blocks {
            slabs: &self.slabs,
            address: first,
            left: count,
        }
    }

    /// Whether a list lies in several blocks.
    pub fn is_chained(&self, list: usize) -> bool {
        self.index.place(list).first != self.index.end(list).last
    }

    /// Announces that the last block of a list, if it exists, is read soon.
    #[inline(always)]
    pub fn prefetch_end(&self, list: usize) {
        if list < self.lists() {
            self.slabs.prefetch(self.index.end(list).last);
        }
    }

    /// The first block of a list (any number if it is empty), and its entries.
    #[inline(always)]
    pub fn place(&self, list: usize) -> (u32, u32) {
        let place = self.index.place(list);
        (place.first, place.len)
    }

    /// Blocks of a list, for statistics. [`Base::verify`] must have succeeded.
    pub fn block_count(&self, list: usize) -> usize {
        let mut blocks = 0;
        let _ = self.for_each_segment::<()>(list, self.list_len(list), |_, _| {
            blocks += 1;
            ControlFlow::Continue(())
        });
        blocks
    }

    /// Bytes that the section occupies, for deciding on a rewrite.
    pub fn bytes(&self) -> Use {
        let used = (0..self.lists()).filter(|&list| self.list_len(list) > 0);
        let entries = self.entries() * self.index.columns() as u64;
        let free: u64 = self.free.iter().map(|f| u64::from(f.range.words)).sum();
        Use {
            index: self.extent().map_or(0, |_| self.index.bytes()),
            slabs: 4 * self.slabs.words(),
            free: 4 * free,
            least_slabs: 4 * (2 * used.count() as u64 + entries),
        }
    }

    /// Whether the section, when it has the entries of `page` and `more`, has
    /// grown by `growth` percent since all of its lists were one block each: the
    /// slab that this wrote is the first, and that long.
    pub fn has_outgrown(&self, page: &LengthPage, more: usize, growth: Option<u32>) -> bool {
        let Some(growth) = growth else {
            return false;
        };
        let lists = page.len.iter().filter(|&len| len > 0).count() as u64;
        let entries = page.totals().0 + more as u64;
        let least = u64::from(BLOCK_HEADER_WORDS) * lists + entries * self.index.columns() as u64;
        let first = self.slabs.iter().next();
        let then = first.map_or(0, |slab| u64::from(slab.place().words));
        100 * least >= then * (100 + u64::from(growth))
    }

    /// Words in which lists of one block can be read without their headers, see
    /// [`Base::span`]: the first slab.
    pub fn span_words(&self) -> Option<Words> {
        self.slabs.iter().next().map(Slab::words)
    }

    /// First entry of a list in [`Base::span_words`] and the number of its entries there,
    /// if it is one block. [`Base::verify`] must precede reading there.
    #[inline]
    pub fn span(&self, list: usize) -> Option<(u32, u32)> {
        let place = self.index.place(list);
        if place.len == 0 {
            return Some((0, 0));
        }
        let first = self.slabs.iter().next()?.place();
        let one = place.first == self.index.end(list).last && place.first < first.words;
        one.then_some((place.first + BLOCK_HEADER_WORDS, place.len))
    }

    /// Everything that the next version starts from.
    pub(super) fn image(&self, csn: u64) -> IndexImage {
        let lists = 0..self.lists();
        IndexImage {
            first_vertex: self.index.first_vertex(),
            weighted: self.index.columns() == 2,
            csn,
            generation: self.generation(),
            places: lists.clone().map(|list| self.index.place(list)).collect(),
            ends: lists.map(|list| self.index.end(list)).collect(),
            tombstones: self.index.all_tombstones().map_or(vec![], <[u32]>::to_vec),
            slabs: Vec::new(),
            free: Vec::new(),
        }
    }
}

/// The blocks of a list, the capacity of each, and how many of the entries that were
/// asked for are there.
struct Blocks<'a> {
    slabs: &'a Slabs,
    address: u32,
    left: usize,
}

impl<'a> Iterator for Blocks<'a> {
    type Item = (Block<'a>, usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let block = self.slabs.block(self.address);
        let capacity = block.capacity();
        let here = self.left.min(capacity);
        self.left -= here;
        if self.left > 0 {
            // It comes while these entries are worked on.
            self.address = block.next();
            self.slabs.prefetch(self.address);
        }
        Some((block, capacity, here))
    }
}

/// Words and weights (empty without weights) of a list, block by block.
pub struct Segments<'a> {
    blocks: Blocks<'a>,
    weighted: bool,
}

impl<'a> Iterator for Segments<'a> {
    type Item = (&'a [u32], &'a [u32]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (block, capacity, here) = self.blocks.next()?;
        let weights = match self.weighted {
            true => block.weights(capacity, here),
            false => &[],
        };
        Some((block.words(here), weights))
    }
}

impl ListSource for Base {
    fn len(&self, list: usize) -> usize {
        self.list_len(list)
    }

    fn tombstones(&self, list: usize) -> u32 {
        self.index.tombstones(list)
    }

    fn visit(&self, list: usize, visit: &mut dyn FnMut(&[u32], &[u32])) {
        let _ = self.for_each_segment::<()>(list, self.list_len(list), |words, weights| {
            visit(words, weights);
            ControlFlow::Continue(())
        });
    }
}
