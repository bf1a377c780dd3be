//! Checking what the blocks of a section hold, before the first of it is read.

use evergraph_storage::layout::WALKED_AT_MOST;
use evergraph_storage::{StorageError, Uuid};

use super::format::{BLOCK_HEADER_WORDS, FILE, Range, Tail, extend_crc, list_seed};
use super::read::Base;
use super::slabs::Block;

impl Base {
    /// Whether the entries are known to be what was written.
    #[inline(always)]
    pub fn is_verified(&self) -> bool {
        self.verified.get().is_some()
    }

    /// Walks all chains, once: every link leads to a block in a slab, every
    /// list has its length and its checksum. Must precede the first read.
    ///
    /// Links cannot go round for ever: each block takes entries off the length
    /// that is left, and lengths are covered by the index's checksum.
    pub fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        if self.is_verified() {
            return Ok(());
        }
        for list in 0..self.lists() {
            self.verify_list(uuid, list)?;
        }
        let _ = self.verified.set(());
        Ok(())
    }

    fn verify_list(&self, uuid: &Uuid, list: usize) -> Result<(), StorageError> {
        let (place, end) = (self.index.place(list), self.index.end(list));
        let columns = self.index.columns();
        let mut crc = list_seed(uuid, self.index.first_vertex() + list as u32);
        let (mut address, mut left) = (place.first, place.len as usize);
        while left > 0 {
            let block = self.block_at(address)?;
            let capacity = block.capacity();
            if capacity == 0 || capacity > block.words_to_end() / columns {
                return Err(block.damaged("a block has an impossible size"));
            }
            if block.words_to_end() < BLOCK_HEADER_WORDS as usize + columns * capacity {
                return Err(block.damaged("a block goes beyond its slab"));
            }
            let here = left.min(capacity);
            block.touch(BLOCK_HEADER_WORDS as usize, here)?;
            let mut weights: &[u32] = &[];
            if columns == 2 {
                block.touch(BLOCK_HEADER_WORDS as usize + capacity, here)?;
                weights = block.weights(capacity, here);
            }
            crc = extend_crc(crc, block.words(here), weights);
            left -= here;
            if left > 0 {
                address = block.next();
                continue;
            }
            // Appends rely on what the index says of this block.
            let expected = Tail::Partial {
                filled: here as u32,
                capacity: capacity as u32,
            };
            let agrees = match end.tail {
                Tail::Full => here == capacity,
                partial => partial == expected,
            };
            if address != end.last || !agrees {
                return Err(block.damaged("a list does not end where its section says"));
            }
        }
        if crc != end.crc {
            let offset = self.index.extent().map_or(0, |extent| extent.offset());
            return Err(StorageError::damaged(
                FILE,
                offset,
                format!(
                    "the list of vertex {} has a wrong checksum",
                    self.index.first_vertex() as usize + list
                ),
            ));
        }
        Ok(())
    }

    /// The block at an address that may be anything; its header can be read.
    fn block_at(&self, address: u32) -> Result<Block<'_>, StorageError> {
        let Some(block) = self.slabs.find(address) else {
            let offset = self.index.extent().map_or(0, |extent| extent.offset());
            return Err(StorageError::damaged(
                FILE,
                offset,
                format!("a list of this section leads to word {address}, where no block is"),
            ));
        };
        block.touch(0, BLOCK_HEADER_WORDS as usize)?;
        Ok(block)
    }

    /// Panics in debug builds if a block of a small section has words of another
    /// block, or of free space: an append would write over a list. Of a section
    /// whose blocks were not verified nothing is asserted.
    pub(super) fn invariants(&self) {
        let is_small = self.lists() + self.entries() as usize <= WALKED_AT_MOST;
        if !cfg!(debug_assertions) || !self.is_verified() || !is_small {
            return;
        }
        let mut used: Vec<Range> = self.free.iter().map(|free| free.range).collect();
        for list in 0..self.lists() {
            let place = self.index.place(list);
            let (mut address, mut left) = (place.first, place.len as usize);
            while left > 0 {
                let Ok(block) = self.block_at(address) else {
                    return;
                };
                let words = block.capacity() * self.index.columns();
                used.push(Range {
                    start: address,
                    words: BLOCK_HEADER_WORDS + words as u32,
                });
                left -= left.min(block.capacity());
                if left > 0 {
                    address = block.next();
                }
            }
        }
        disjoint(used);
    }
}

fn disjoint(mut ranges: Vec<Range>) {
    ranges.sort_unstable_by_key(|range| range.start);
    for pair in ranges.windows(2) {
        let (range, next) = (pair[0], pair[1]);
        assert!(
            u64::from(range.start) + u64::from(range.words) <= u64::from(next.start),
            "{range:?} and {next:?} overlap: a list has words that another has, or that are free"
        );
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Range, disjoint};

    fn range(start: u32, words: u32) -> Range {
        Range { start, words }
    }

    #[test]
    fn blocks_may_touch() {
        disjoint(vec![range(16, 8), range(0, 8), range(8, 8)]);
    }

    #[test]
    #[should_panic(expected = "overlap")]
    fn a_word_belongs_to_one_block() {
        disjoint(vec![range(16, 8), range(0, 17)]);
    }
}
