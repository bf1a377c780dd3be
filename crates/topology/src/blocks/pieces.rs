//! Stores of a flush, collected so that they go out in order of address.

use evergraph_storage::StorageError;
use evergraph_storage::order::Flushed;

use super::format::{BLOCK_HEADER_WORDS, Range};
use super::slabs::Slabs;
use super::space::{BlockSize, LINE_WORDS};

/// Words to be stored.
#[derive(Default)]
pub(super) struct Pieces {
    words: Vec<u32>,
    /// By address: where in `words`, and how many.
    at: Vec<(u32, usize, usize)>,
}

impl Pieces {
    /// Notes words.
    pub(super) fn add(&mut self, address: u32, words: &[u32]) {
        self.at.push((address, self.words.len(), words.len()));
        self.words.extend_from_slice(words);
    }

    /// Notes a new block. One of up to a line is stored whole, so that neighbors
    /// form one write; of a longer one only what is used.
    pub(super) fn add_block(
        &mut self,
        size: BlockSize,
        address: u32,
        words: &[u32],
        weights: &[u32],
    ) {
        let from = self.words.len();
        let whole = size.words <= LINE_WORDS;
        self.words.extend([0, size.capacity]);
        self.words.extend_from_slice(words);
        if !weights.is_empty() && (whole || words.len() == size.capacity as usize) {
            let weights_at = (BLOCK_HEADER_WORDS + size.capacity) as usize;
            self.words.resize(from + weights_at, 0);
            self.words.extend_from_slice(weights);
        }
        if whole {
            self.words.resize(from + size.words as usize, 0);
        }
        self.at.push((address, from, self.words.len() - from));
        if !weights.is_empty() && !whole && words.len() < size.capacity as usize {
            self.add(address + BLOCK_HEADER_WORDS + size.capacity, weights);
        }
    }

    /// Stores everything; pieces that touch each other go out as one.
    pub(super) fn store(mut self, slabs: &Slabs) -> Result<Flushed<()>, StorageError> {
        self.at.sort_unstable();
        let mut sorted = Vec::with_capacity(self.words.len());
        let mut runs: Vec<Range> = Vec::new();
        for &(start, from, count) in &self.at {
            sorted.extend_from_slice(&self.words[from..from + count]);
            let words = count as u32;
            debug_assert!(
                runs.last().is_none_or(|run| run.start + run.words <= start),
                "two lists store to word {start}: a block was handed out twice"
            );
            match runs.last_mut() {
                Some(run) if run.start + run.words == start => run.words += words,
                _ => runs.push(Range { start, words }),
            }
        }
        let mut bytes: &[u8] = bytemuck::cast_slice(&sorted);
        let mut runs = runs.into_iter().peekable();
        let mut written = Vec::new();
        // Slabs do not touch each other, so no run lies in two.
        for slab in slabs.iter() {
            let place = slab.place();
            let mut pieces = Vec::new();
            while let Some(run) = runs.next_if(|run| u64::from(run.start) < place.end()) {
                let (piece, rest) = bytes.split_at(4 * run.words as usize);
                bytes = rest;
                pieces.push((4 * u64::from(run.start - place.base), piece));
            }
            written.push(slab.extent().write_pieces(&pieces)?);
        }
        assert!(runs.next().is_none(), "every block was placed in a slab");
        Ok(Flushed::all(written).map(drop))
    }
}
