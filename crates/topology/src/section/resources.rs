//! Resources that all sections of a store share.

use std::sync::Arc;

use crate::entry::Cancels;
use crate::front::buffers::{BufferWriter, Levels, VertexBuffers};
use crate::front::pool::BufferPool;
use crate::history::PageCache;
use crate::volume::Volume;

/// The medium and the DRAM of sections, and the rules of their lists.
#[derive(Clone)]
pub struct Resources {
    pub volume: Volume,
    pub buffers: Buffers,
    /// Length pages of the past.
    pub pages: Arc<PageCache>,
    pub rules: Rules,
}

/// DRAM for what is not merged.
#[derive(Clone)]
pub struct Buffers {
    pub pool: Arc<BufferPool>,
    /// Sizes of vertex buffers.
    pub levels: Levels,
}

/// Choices of the creation and of the opening that change how lists are read and merged.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Edges that a deletion cancels.
    pub cancels: Cancels,
    /// [`crate::Tuning::rewrite_growth`].
    pub rewrite_growth: Option<u32>,
    /// Direct mode: what is stored names only vertices below this.
    pub vertex_limit: u64,
    /// Direct mode: a process may have been killed between a store and its fence, so a
    /// section is made durable when it is first touched.
    pub confirms_sections: bool,
}

impl Buffers {
    /// Empty vertex buffers.
    pub fn new_for(&self, lists: usize, columns: usize) -> (VertexBuffers, BufferWriter) {
        VertexBuffers::new(lists, columns, &self.pool, self.levels)
    }
}
