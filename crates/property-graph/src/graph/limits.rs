//! A commit that no checkpoint could store is refused, by name: later there would be no
//! caller to tell, and the log could not be freed any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_graph::Bytes;
use parking_lot::Mutex;

use super::error::GraphError;
use super::names::NewLabelSets;
use crate::record::EntityKind;

/// Room in a chunk for commits that are not counted, because they are small.
pub(super) const UNCOUNTED_BYTES: u64 = 64 << 20;
/// Properties of one chunk: a checkpoint holds them in DRAM.
const CHUNK_BYTES: u64 = (32 << 30) - UNCOUNTED_BYTES;

pub(super) type Chunk = (EntityKind, u32);

/// Bytes that commits in flight add to chunks.
pub(super) struct Limits {
    pub(super) in_flight: Mutex<HashMap<Chunk, u64>>,
    chunk_bytes: AtomicU64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            in_flight: Mutex::default(),
            chunk_bytes: AtomicU64::new(CHUNK_BYTES),
        }
    }
}

impl Limits {
    /// Most bytes of the properties of one chunk together.
    pub(super) fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes.load(Ordering::Relaxed)
    }

    /// Another limit, which can be reached.
    #[cfg(test)]
    pub(super) fn set_chunk_bytes(&self, bytes: u64) {
        self.chunk_bytes.store(bytes, Ordering::Relaxed);
    }
}

/// Room that a commit needs: in chunks, which is given back when it is visible, or
/// none; and codes for sets of labels, which are given back if it came to nothing.
pub(super) struct Room {
    pub(super) limits: Arc<Limits>,
    pub(super) taken: Vec<(Chunk, u64)>,
    pub(super) label_sets: NewLabelSets,
}

impl Room {
    /// The commit came about.
    pub(super) fn keep_label_sets(&mut self) {
        self.label_sets.keep();
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut in_flight = self.limits.in_flight.lock();
        for (chunk, bytes) in self.taken.drain(..) {
            if let Some(total) = in_flight.get_mut(&chunk) {
                *total -= bytes;
                if *total == 0 {
                    in_flight.remove(&chunk);
                }
            }
        }
    }
}

/// The error of a record in a chunk of `size` whose properties exceed `limit` bytes.
pub(super) fn too_much(kind: EntityKind, record: u32, size: u32, limit: u64) -> GraphError {
    let first = record / size * size;
    let last = first + (size - 1);
    GraphError::Limit(format!(
        "{kind} {record}: the properties of {kind}s {first} to {last} lie together, and would \
         exceed {}; store less in them, or make the graph with fewer records a chunk \
         (`chunk_records`, now {size})",
        Bytes(limit)
    ))
}
