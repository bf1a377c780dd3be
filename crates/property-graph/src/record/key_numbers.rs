//! Numbers of one key by chunk, which a view keeps: what a gather at random needs of a
//! chunk lies in one place, found again without a lock.

use std::sync::OnceLock;

use evergraph_storage::failpoint;

use super::column_at::ColumnAt;
use crate::column::{Number, Scattered};

/// Chunks of a page of [`KeyNumbers`].
const PAGE: usize = 64;

type Slot = OnceLock<Option<ChunkNumbers>>;

/// Numbers of one key as of the commit of a view.
#[derive(Debug)]
pub(crate) struct KeyNumbers(Box<[OnceLock<Box<[Slot; PAGE]>>]>);

/// Numbers of one key in a chunk.
#[derive(Debug)]
pub(crate) struct ChunkNumbers {
    number: Number,
    integers: Scattered,
    /// Slots that have one of these; `None` if all have.
    in_place: Option<Box<[u64]>>,
}

impl KeyNumbers {
    /// Of so many chunks.
    pub(super) fn new(chunks: usize) -> Self {
        let pages = 0..chunks.div_ceil(PAGE);
        KeyNumbers(pages.map(|_| OnceLock::new()).collect())
    }

    /// Chunks that it has a place for.
    pub(crate) fn chunks(&self) -> usize {
        PAGE * self.0.len()
    }

    /// What was kept of a chunk: `None` in it if it has no numbers in place.
    #[inline(always)]
    pub(crate) fn get(&self, chunk: u32) -> Option<&Option<ChunkNumbers>> {
        let page = self.0.get(chunk as usize / PAGE)?.get()?;
        page[chunk as usize % PAGE].get()
    }

    /// Keeps the numbers of a column, and gives them if there are some.
    #[cold]
    pub(crate) fn keep(&self, chunk: u32, column: &ColumnAt) -> Option<&ChunkNumbers> {
        let page = self.0.get(chunk as usize / PAGE)?;
        let page = page.get_or_init(|| Box::new([const { Slot::new() }; PAGE]));
        let kept = page[chunk as usize % PAGE].get_or_init(|| ChunkNumbers::of(column));
        kept.as_ref()
    }
}

impl ChunkNumbers {
    fn of(column: &ColumnAt) -> Option<Self> {
        let (number, integers) = column.scattered()?;
        Some(ChunkNumbers {
            number,
            integers,
            in_place: column.base().1.map(Box::from),
        })
    }

    /// Their type.
    #[inline]
    pub(crate) fn number(&self) -> Number {
        self.number
    }

    /// All of them if every slot has one.
    #[inline]
    pub(crate) fn whole(&self) -> Option<(Number, Scattered<&[u8]>)> {
        let is_whole = self.in_place.is_none() || failpoint!("gather.gaps-forgotten");
        is_whole.then(|| (self.number, self.integers.borrowed()))
    }

    /// Whether a slot has one.
    #[inline]
    pub(crate) fn has(&self, slot: usize) -> bool {
        let in_place = self.in_place.as_deref();
        in_place.is_none_or(|words| words[slot / 64] >> (slot % 64) & 1 == 1)
    }

    /// That of a slot; anything if it has none.
    #[inline(always)]
    pub(crate) fn get(&self, slot: usize) -> i64 {
        self.integers.get(slot)
    }
}
