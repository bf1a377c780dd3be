//! Output of a checkpoint between its writing and its publication.

use std::sync::Arc;

use super::segment::Segment;
use super::stored::StoredChunk;
use super::versions::Version;

/// Chunks that are written, before a superblock names them.
pub(super) struct Round<R> {
    pub(super) chunks: Vec<Written<R>>,
    pub(super) history: Option<Arc<Vec<Arc<Segment>>>>,
}

pub(super) struct Written<R> {
    pub(super) number: u32,
    pub(super) stored: Arc<StoredChunk>,
    /// Versions that only the old chunk has and live views show.
    pub(super) shown: Vec<(u32, Version<R>)>,
}
