//! A commit that no checkpoint could store is refused, by name: later there would be no
//! caller to tell, and the log could not be freed any more.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::core::Core;
use super::error::GraphError;
use super::names::NewLabelSets;
use super::scan::Tabled;
use super::transaction::Transaction;
use crate::records::{NodeRecord, RelationshipRecord};
use crate::transaction::Change;

/// Room in a chunk for commits that are not counted, because they are small.
const UNCOUNTED_BYTES: u64 = 64 << 20;
/// Properties of one chunk, which names places in them by 32 bits.
const CHUNK_BYTES: u64 = u32::MAX as u64 - UNCOUNTED_BYTES;

/// Kind of record and chunk.
type Chunk = (&'static str, u32);

/// Bytes that commits in flight add to chunks.
pub(super) struct Limits {
    in_flight: Mutex<HashMap<Chunk, u64>>,
    chunk_bytes: Mutex<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            in_flight: Mutex::default(),
            chunk_bytes: Mutex::new(CHUNK_BYTES),
        }
    }
}

impl Limits {
    /// Most bytes of the properties of one chunk together.
    pub fn chunk_bytes(&self) -> u64 {
        *self.chunk_bytes.lock()
    }

    /// Another limit, which can be reached.
    #[cfg(test)]
    pub fn set_chunk_bytes(&self, bytes: u64) {
        *self.chunk_bytes.lock() = bytes;
    }
}

/// Room that a commit needs: in chunks, which is given back when it is visible, or
/// none; and codes for sets of labels, which are given back if it came to nothing.
pub(super) struct Room {
    core: Arc<Core>,
    taken: Vec<(Chunk, u64)>,
    label_sets: NewLabelSets,
}

impl Room {
    /// The commit came about.
    pub fn keep_label_sets(&mut self) {
        self.label_sets.keep();
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut in_flight = self.core.state.limits.in_flight.lock();
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
pub(super) fn too_much(kind: &str, record: u32, size: u32, limit: u64) -> GraphError {
    let first = record / size * size;
    let last = first + (size - 1);
    GraphError::Limit(format!(
        "{kind} {record}: the properties of {kind}s {first} to {last} lie together, and would \
         exceed {limit} bytes; store less in them, or make the graph with fewer records a chunk \
         (`chunk_records`, now {size})"
    ))
}

impl Transaction {
    /// Checks that the transaction's writes can be stored beside the existing records.
    /// The result has to be held until the commit is visible.
    pub(super) fn check_limits(&self) -> Result<Room, GraphError> {
        let mut room = Room {
            core: Arc::clone(&self.core),
            taken: Vec::new(),
            label_sets: NewLabelSets::of(&self.core.state.dictionary),
        };
        self.take_label_sets(&mut room.label_sets)?;
        self.take_room::<NodeRecord>(&mut room)?;
        self.take_room::<RelationshipRecord>(&mut room)?;
        Ok(room)
    }

    /// Sets of labels get their codes at the checkpoint, which has to find some.
    fn take_label_sets(&self, sets: &mut NewLabelSets) -> Result<(), GraphError> {
        let mut seen = HashSet::new();
        for (id, change) in self.inner.overlay().nodes() {
            if let Some(after) = change.after()
                && seen.insert(&after.labels)
            {
                let added = sets.add(&after.labels);
                added.map_err(|error| GraphError::Limit(format!("node {id}: {error}")))?;
            }
        }
        Ok(())
    }

    fn take_room<R: Tabled>(&self, room: &mut Room) -> Result<(), GraphError> {
        let table = R::table(&self.core);
        let size = table.geometry().records_per_chunk;
        // Were each record of a chunk left by such a commit, there would be room.
        let uncounted = UNCOUNTED_BYTES / u64::from(size.max(1024));
        if self.inner.overlay().bytes() as u64 <= uncounted {
            return Ok(());
        }
        // For each chunk its bytes, and its largest record.
        let mut chunks: BTreeMap<u32, (u64, u32, u64)> = BTreeMap::new();
        for (id, change) in R::changes(self.inner.overlay()) {
            let bytes = change.after().map_or(0, |after| after.heap_bytes() as u64);
            let (sum, largest, most) = chunks.entry(id / size).or_default();
            *sum += bytes;
            if bytes >= *most {
                (*largest, *most) = (id, bytes);
            }
        }
        let limits = &self.core.state.limits;
        let limit = limits.chunk_bytes();
        for (number, (bytes, largest, _)) in chunks {
            let chunk = (R::KIND, number);
            let mut in_flight = limits.in_flight.lock();
            let others = in_flight.get(&chunk).copied().unwrap_or(0);
            let fits = table.most_chunk_bytes(number) + others + bytes <= limit
                || self.exact_bytes::<R>(number)? + others <= limit;
            if !fits {
                return Err(too_much(R::KIND, largest, size, limit));
            }
            *in_flight.entry(chunk).or_default() += bytes;
            room.taken.push((chunk, bytes));
        }
        Ok(())
    }

    /// Bytes of all properties of a chunk, with the transaction's own writes.
    fn exact_bytes<R: Tabled>(&self, chunk: u32) -> Result<u64, GraphError> {
        let table = R::table(&self.core);
        let size = table.geometry().records_per_chunk;
        let overlay = self.inner.overlay();
        let mut sum = 0;
        let mut encoded = Vec::new();
        let mut add = |record: &R| {
            encoded.clear();
            record.properties().encode(&mut encoded)?;
            sum += encoded.len() as u64;
            Ok::<_, GraphError>(())
        };
        let token = self.core.store.register();
        table.try_for_each_in_chunk(chunk, token.csn(), |id, found| {
            match R::change(overlay, id) {
                Some(_) => Ok(()),
                None => add(&*found.record()?),
            }
        })?;
        let is_here = |id: u32| id / size == chunk;
        let written = R::changes(overlay).filter(|(id, _)| is_here(*id));
        for after in written.filter_map(|(_, change): (u32, &Change<R>)| change.after()) {
            add(after)?;
        }
        Ok(sum)
    }
}
