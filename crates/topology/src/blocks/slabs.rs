//! The slabs of a section: extents side by side in one address space.

#![allow(unsafe_code)]

use std::sync::Arc;

use evergraph_storage::{Extent, StorageError, Words};

use super::format::{BLOCK_HEADER_WORDS, FILE, SlabPlace};

/// A slab, readable where entries are published.
#[derive(Clone, Debug)]
pub(super) struct Slab {
    base: u32,
    /// Read only below what a published version counts.
    words: Words,
    extent: Arc<Extent>,
}

/// Slabs by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Slabs(Vec<Slab>);

impl Slab {
    pub(super) fn new(base: u32, extent: Arc<Extent>) -> Self {
        let count = extent.len() as usize / 4;
        // SAFETY: this module gives out only `Block` and `Slab::words` below, whose
        // callers (the rest of `blocks`, and section views by `Base::span`) read what a published version of the section counts:
        // headers of its blocks (never the link of a list's last block) and
        // entries below its lengths. Such words are never stored to again:
        // writers hold the lineage's `Attempt` and write behind the published
        // lengths of the newest version, or where no version that is still read
        // has a block. A version is handed over by `Written::publish` under the
        // lineage's lock, after everything of it was stored.
        let words = unsafe { Words::live(&extent, 0, count) };
        Slab {
            base,
            words,
            extent,
        }
    }

    pub(super) fn place(&self) -> SlabPlace {
        SlabPlace {
            offset: self.extent.offset(),
            words: self.words.count() as u32,
            base: self.base,
        }
    }

    pub(super) fn extent(&self) -> &Arc<Extent> {
        &self.extent
    }

    /// All words; only those that a published version counts may be read.
    pub(super) fn words(&self) -> Words {
        self.words.clone()
    }
}

/// A block by its slab and its word there.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    slab: &'a Slab,
    at: usize,
}

impl<'a> Block<'a> {
    /// Address of the next block. Only of blocks that the list goes on behind.
    #[inline(always)]
    pub(super) fn next(self) -> u32 {
        self.slab.words.range(self.at, 1)[0]
    }

    /// Entries that the block can hold.
    #[inline(always)]
    pub(super) fn capacity(self) -> usize {
        self.slab.words.range(self.at + 1, 1)[0] as usize
    }

    /// Its first `count` words.
    #[inline(always)]
    pub(super) fn words(self, count: usize) -> &'a [u32] {
        let at = self.at + BLOCK_HEADER_WORDS as usize;
        self.slab.words.range(at, count)
    }

    /// The weights of its first `count` words.
    #[inline(always)]
    pub(super) fn weights(self, capacity: usize, count: usize) -> &'a [u32] {
        let at = self.at + BLOCK_HEADER_WORDS as usize + capacity;
        self.slab.words.range(at, count)
    }

    /// Words from the block's start to the end of its slab.
    pub(super) fn words_to_end(self) -> usize {
        self.slab.words.count() - self.at
    }

    /// Checks that some of its words can be read.
    pub(super) fn touch(self, from: usize, count: usize) -> Result<(), StorageError> {
        let at = 4 * (self.at + from) as u64;
        self.slab.extent.touch_range(at, 4 * count as u64)
    }

    /// An error at this block.
    pub(super) fn damaged(self, what: &str) -> StorageError {
        StorageError::damaged(FILE, self.slab.extent.offset() + 4 * self.at as u64, what)
    }
}

impl Slabs {
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Slab> {
        self.0.iter()
    }

    pub(super) fn push(&mut self, slab: Slab) {
        self.0.push(slab);
    }

    /// Address behind the last slab.
    pub(super) fn end(&self) -> u64 {
        self.0.last().map_or(0, |slab| slab.place().end())
    }

    /// Words of all slabs.
    pub(super) fn words(&self) -> u64 {
        self.0.iter().map(|slab| slab.words.count() as u64).sum()
    }

    /// The slab of an address, if there is one.
    #[inline]
    fn slab_of(&self, address: u32) -> Option<&Slab> {
        // There are few, and what was written last is in the last.
        let slab = self.0.iter().rev().find(|slab| slab.base <= address)?;
        let at = address.checked_sub(slab.base)? as usize;
        (at < slab.words.count()).then_some(slab)
    }

    /// Announces that a block is read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, address: u32) {
        if let Some(slab) = self.slab_of(address) {
            slab.words.prefetch((address - slab.base) as usize);
        }
    }

    /// The block at an address, if its header lies in a slab.
    #[inline(always)]
    pub(super) fn find(&self, address: u32) -> Option<Block<'_>> {
        let slab = self.slab_of(address)?;
        let at = (address - slab.base) as usize;
        (slab.words.count() - at >= BLOCK_HEADER_WORDS as usize).then_some(Block { slab, at })
    }

    /// The block at an address that was checked.
    #[inline(always)]
    pub(super) fn block(&self, address: u32) -> Block<'_> {
        self.find(address)
            .expect("`verify` has checked every link before the first read")
    }
}
