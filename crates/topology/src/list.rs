//! Reading lists that contain tombstones.

use std::collections::HashMap;

use crate::entry::{is_tombstone, neighbor};

/// Buffers for assembling the live entries of a list; reuse it between lists.
#[derive(Debug, Default)]
pub struct ListScratch {
    /// Live neighbors.
    pub words: Vec<u32>,
    /// Their weights, empty without weights.
    pub weights: Vec<u32>,
    pending: HashMap<u32, u32>,
}

impl ListScratch {
    /// Makes the buffers empty.
    pub fn clear(&mut self) {
        self.words.clear();
        self.weights.clear();
    }

    /// Adds a segment of the raw list.
    pub fn extend(&mut self, words: &[u32], weights: &[u32]) {
        self.words.extend_from_slice(words);
        self.weights.extend_from_slice(weights);
    }

    /// Removes tombstones and what they cancel, keeping the order: each cancels
    /// the latest earlier live entry of its neighbor. O(length).
    pub fn cancel(&mut self) {
        self.pending.clear();
        let weighted = !self.weights.is_empty();
        // From the end, an entry is live unless a tombstone behind it still
        // waits for one; live ones are moved to the back.
        let mut write = self.words.len();
        for read in (0..self.words.len()).rev() {
            let word = self.words[read];
            if is_tombstone(word) {
                *self.pending.entry(neighbor(word)).or_insert(0) += 1;
                continue;
            }
            if let Some(waiting) = self.pending.get_mut(&word)
                && *waiting > 0
            {
                *waiting -= 1;
                continue;
            }
            write -= 1;
            self.words[write] = word;
            if weighted {
                self.weights[write] = self.weights[read];
            }
        }
        self.words.drain(..write);
        if weighted {
            self.weights.drain(..write);
        }
    }
}

/// Whether each tombstone has an earlier live entry to cancel, as in every
/// list that was written: a deletion of nothing leaves no tombstone.
pub fn tombstones_cancel(words: impl Iterator<Item = u32>) -> bool {
    let mut live: HashMap<u32, u32> = HashMap::new();
    for word in words {
        let count = live.entry(neighbor(word)).or_insert(0);
        if !is_tombstone(word) {
            *count += 1;
        } else if *count == 0 {
            return false;
        } else {
            *count -= 1;
        }
    }
    true
}

/// Finds out, segment by segment from the front, whether a list holds a live
/// edge to one vertex.
#[derive(Debug, Default)]
pub struct LiveCount {
    live: u64,
}

impl LiveCount {
    /// Counts the live edges to `target` in a further segment. As deletions of
    /// nothing leave no tombstone, every tombstone has an entry to cancel.
    pub fn add(&mut self, words: &[u32], target: u32) {
        for &word in words {
            if word == target {
                self.live += 1;
            } else if is_tombstone(word) && neighbor(word) == target {
                self.live -= 1;
            }
        }
    }

    /// Live edges so far.
    pub fn live(&self) -> u64 {
        self.live
    }
}
