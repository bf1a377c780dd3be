//! Checks that a transaction's writes can be stored beside the existing records.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::graph::error::GraphError;
use crate::graph::limits::{Room, UNCOUNTED_BYTES, too_much};
use crate::graph::names::NewLabelSets;
use crate::graph::read::tabled::Tabled;
use crate::graph::transaction::Transaction;
use crate::record::{NodeRecord, RelationshipRecord};

impl Transaction {
    /// Checks that the transaction's writes can be stored beside the existing records.
    /// The result has to be held until the commit is visible.
    pub(in crate::graph) fn check_limits(&self) -> Result<Room, GraphError> {
        let mut room = Room {
            limits: Arc::clone(&self.core.state.limits),
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
        for (id, change) in self.inner.overlay().changes::<NodeRecord>() {
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
        let changes = self.inner.overlay().changes::<R>();
        let bytes: usize = changes.map(|(_, change)| change.whole_bytes()).sum();
        if bytes as u64 <= uncounted {
            return Ok(());
        }
        // For each chunk its bytes, and its largest record.
        let mut chunks: BTreeMap<u32, (u64, u32, u64)> = BTreeMap::new();
        for (id, change) in self.inner.overlay().changes::<R>() {
            let bytes = change.whole_bytes() as u64;
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
            let record = found.record()?;
            match overlay.change::<R>(id) {
                Some(change) => change
                    .over(Some(&record))
                    .map_or(Ok(()), |after| add(&after)),
                None => add(&record),
            }
        })?;
        let is_here = |id: u32| id / size == chunk;
        let written = overlay.changes::<R>().filter(|(id, _)| is_here(*id));
        let created = written.filter(|(_, change)| change.is_created());
        for after in created.filter_map(|(_, change)| change.after()) {
            add(after)?;
        }
        Ok(sum)
    }
}
