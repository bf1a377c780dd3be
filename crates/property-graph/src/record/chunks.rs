//! A sparse index of chunks by number, read without a lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::chunk::Chunk;
use super::content::Record;
use super::stored::StoredChunk;

/// Chunks of a page of the index.
const PAGE: usize = 1024;

type Page<R> = Box<[OnceLock<Box<Chunk<R>>>]>;

/// Chunks by number. A chunk that came into being stays.
pub(super) struct Chunks<R> {
    pages: Box<[OnceLock<Page<R>>]>,
    most: usize,
    count: AtomicU32,
}

impl<R: Record> Chunks<R> {
    /// No chunks; there can be `most`. 24 bytes for each 1024 of them.
    pub(super) fn new(most: u32) -> Self {
        let most = most as usize;
        Chunks {
            pages: (0..most.div_ceil(PAGE)).map(|_| OnceLock::new()).collect(),
            most,
            count: AtomicU32::new(0),
        }
    }

    /// One more than the highest number.
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// A chunk, if there is one.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&Chunk<R>> {
        let page = self.pages.get(number as usize / PAGE)?.get()?;
        page[number as usize % PAGE].get().map(|chunk| &**chunk)
    }

    /// A chunk, made if need be. `None` if there can be none of that number.
    pub(super) fn get_or_make(&self, number: u32) -> Option<&Chunk<R>> {
        let at = number as usize;
        if at >= self.most {
            return None;
        }
        let page = self.page(at)[at % PAGE].get_or_init(|| Box::new(Chunk::new(None)));
        self.count.fetch_max(number + 1, Ordering::AcqRel);
        Some(page)
    }

    /// Puts a stored chunk into its place; whether it was free and exists.
    pub(super) fn restore(&self, number: u32, stored: StoredChunk) -> bool {
        let at = number as usize;
        if at >= self.most {
            return false;
        }
        self.count.fetch_max(number + 1, Ordering::AcqRel);
        let chunk = Box::new(Chunk::new(Some(stored)));
        self.page(at)[at % PAGE].set(chunk).is_ok()
    }

    fn page(&self, at: usize) -> &Page<R> {
        self.pages[at / PAGE].get_or_init(|| (0..PAGE).map(|_| OnceLock::new()).collect())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Chunk<R>)> {
        (0..self.count()).filter_map(|number| Some((number, self.get(number)?)))
    }
}
