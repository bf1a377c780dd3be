//! A file and a name as the running program has them.

use std::sync::Arc;

use crate::Config;
use crate::memory::Block;

/// A file: its memory, and what of it is decided.
pub(super) struct LiveFile {
    pub block: Arc<Block>,
    pub name: Arc<str>,
    /// By unit: 1 + its undecided entry, or 0.
    pub state: Vec<u32>,
    /// `state` at the start of each execution.
    pub home: Vec<u32>,
    /// Units to be put back before the next execution.
    pub dirty: Vec<u32>,
    pub is_dirty: Vec<bool>,
    pub undecided: u32,
    /// Bytes of the base's image that the memory holds.
    pub filled: usize,
    pub size: Option<u64>,
    pub poisoned: bool,
}

/// A name: what it stands for.
pub(super) struct LiveName {
    pub name: Arc<str>,
    pub current: Option<u32>,
    /// File it stood for after the power cut, once that is decided.
    pub initial: Option<Option<u32>>,
}

impl LiveFile {
    pub fn new(name: Arc<str>, config: &Config, unit_bytes: usize) -> Self {
        let units = config.capacity_bytes.div_ceil(unit_bytes);
        Self {
            block: Arc::new(Block::new(config.capacity_bytes)),
            name,
            state: vec![0; units],
            home: vec![0; units],
            dirty: Vec::new(),
            is_dirty: vec![false; units],
            undecided: 0,
            filled: 0,
            size: None,
            poisoned: false,
        }
    }

    pub fn mark_dirty(&mut self, unit: u32) {
        if !self.is_dirty[unit as usize] {
            self.is_dirty[unit as usize] = true;
            self.dirty.push(unit);
        }
    }

    pub fn decided(&mut self, unit: u32) {
        self.state[unit as usize] = 0;
        self.undecided -= 1;
        self.mark_dirty(unit);
    }
}
