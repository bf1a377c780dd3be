//! Checking what the blocks of a section hold, before the first of it is read.

use evergraph_persistence::{PersistenceError, Uuid};

use super::format::{BLOCK_HEADER_WORDS, FILE, Tail, extend_crc, list_seed};
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
    pub fn verify(&self, uuid: &Uuid) -> Result<(), PersistenceError> {
        if self.is_verified() {
            return Ok(());
        }
        for list in 0..self.lists() {
            self.verify_list(uuid, list)?;
        }
        let _ = self.verified.set(());
        Ok(())
    }

    fn verify_list(&self, uuid: &Uuid, list: usize) -> Result<(), PersistenceError> {
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
            // What an append relies on is what the index says of this block.
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
            return Err(PersistenceError::damaged(
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
    fn block_at(&self, address: u32) -> Result<Block<'_>, PersistenceError> {
        let Some(block) = self.slabs.find(address) else {
            let offset = self.index.extent().map_or(0, |extent| extent.offset());
            return Err(PersistenceError::damaged(
                FILE,
                offset,
                format!("a list of this section leads to word {address}, where no block is"),
            ));
        };
        block.touch(0, BLOCK_HEADER_WORDS as usize)?;
        Ok(block)
    }

    /// What the program wrote itself needs no check before it is read.
    pub fn trust(&self) {
        let _ = self.verified.set(());
    }
}
