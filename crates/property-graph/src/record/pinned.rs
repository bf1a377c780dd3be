//! The table in which a view keeps the chunks that it has read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use evergraph_storage::StorageError;

use super::at::ChunkAt;
use super::by_key::ByKey;
use super::content::Record;
use super::key_numbers::KeyNumbers;
use super::table::Table;
use crate::dictionary::KeyCode;

/// Chunks of a page of [`PinnedChunks`].
const PAGE: usize = 64;

type Slot<R> = OnceLock<Arc<ChunkAt<R>>>;
type Page<R> = OnceLock<Box<[Slot<R>]>>;

/// Chunks as of the commit of one view, by number, found again without a lock. They hold
/// their extents until the view is dropped.
pub(crate) struct PinnedChunks<R> {
    /// Made at the first use, for as many chunks as there are then: a later chunk has
    /// nothing that the view shows.
    pages: OnceLock<Box<[Page<R>]>>,
    len: AtomicUsize,
    numbers: ByKey<KeyNumbers>,
}

impl<R> Default for PinnedChunks<R> {
    fn default() -> Self {
        PinnedChunks {
            pages: OnceLock::new(),
            len: AtomicUsize::new(0),
            numbers: ByKey::default(),
        }
    }
}

impl<R> std::fmt::Debug for PinnedChunks<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PinnedChunks").finish_non_exhaustive()
    }
}

impl<R: Record> PinnedChunks<R> {
    /// Chunks that it keeps.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// A chunk that was read before.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&ChunkAt<R>> {
        let pages = self.pages.get()?;
        let page = pages.get(number as usize / PAGE)?.get()?;
        page[number as usize % PAGE].get().map(|chunk| &**chunk)
    }

    /// A chunk as of the view's commit; `None` if there is none.
    ///
    /// # Errors
    /// As [`Table::chunk_at`].
    #[inline]
    pub(crate) fn pin(
        &self,
        table: &Table<R>,
        number: u32,
        csn: u64,
    ) -> Result<Option<&ChunkAt<R>>, StorageError> {
        match self.get(number) {
            Some(chunk) => Ok(Some(chunk)),
            None => self.keep(table, number, table.chunk_at(number, csn)?),
        }
    }

    /// As [`PinnedChunks::pin`] for a single read: `None` also where it would cost more
    /// than that.
    #[inline]
    pub(crate) fn pin_if_cheap(
        &self,
        table: &Table<R>,
        number: u32,
        csn: u64,
    ) -> Result<Option<&ChunkAt<R>>, StorageError> {
        match self.get(number) {
            Some(chunk) => Ok(Some(chunk)),
            None => self.keep(table, number, table.cheap_chunk_at(number, csn)?),
        }
    }

    /// The numbers of a key, which gathers keep as they find them.
    pub(crate) fn numbers(&self, table: &Table<R>, key: KeyCode) -> &KeyNumbers {
        match self.numbers.get(key) {
            Some(numbers) => numbers,
            None => {
                let chunks = table.chunk_count() as usize;
                self.numbers.keep(key, KeyNumbers::new(chunks))
            }
        }
    }

    #[cold]
    fn keep(
        &self,
        table: &Table<R>,
        number: u32,
        chunk: Option<Arc<ChunkAt<R>>>,
    ) -> Result<Option<&ChunkAt<R>>, StorageError> {
        let Some(chunk) = chunk else {
            return Ok(None);
        };
        let pages = self.pages.get_or_init(|| {
            let pages = (table.chunk_count() as usize).div_ceil(PAGE);
            (0..pages).map(|_| OnceLock::new()).collect()
        });
        let page = pages
            .get(number as usize / PAGE)
            .map(|page| page.get_or_init(|| (0..PAGE).map(|_| OnceLock::new()).collect()));
        // A chunk behind those came into being after the view.
        let slot = page.map(|page| &page[number as usize % PAGE]);
        let kept = slot.map(|slot| {
            slot.get_or_init(|| {
                self.len.fetch_add(1, Ordering::Relaxed);
                chunk
            })
        });
        Ok(kept.map(|chunk| &**chunk))
    }
}
