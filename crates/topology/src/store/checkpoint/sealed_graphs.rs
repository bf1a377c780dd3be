//! The sealed graphs of a store, by the number of their table.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::{Directory, StorageError, failpoint};
use parking_lot::Mutex;

use crate::sealed::{SealedName, Stored};
use crate::volume::Volume;

/// Headers of sealed graphs, among the blobs of the directory.
pub(in crate::store) const BLOB_SEALED: u32 = 16;

/// The sealed graphs that the published root names, by the number of their table.
pub(in crate::store) struct SealedGraphs(pub Mutex<BTreeMap<u32, Arc<Stored>>>);

impl SealedGraphs {
    /// Recovery step R3 for sealed graphs: reads their headers and claims what they
    /// name.
    pub(in crate::store) fn claim(
        volume: &Volume,
        directory: &Directory,
    ) -> Result<Self, StorageError> {
        let mut stored = BTreeMap::new();
        if failpoint!("sealed.not-claimed") {
            return Ok(SealedGraphs(Mutex::new(stored)));
        }
        for (number, blob) in directory.numbered_blobs(BLOB_SEALED) {
            let header = blob.read(&volume.uuid)?;
            let graph = Stored::claim(volume, header, blob.extent.offset())?;
            stored.insert(number, Arc::new(graph));
        }
        Ok(SealedGraphs(Mutex::new(stored)))
    }

    /// A graph is sealed only of commits that are durable: a log that ends before
    /// one has lost it, and would give its number to another.
    pub(in crate::store) fn refuse_if_newer_than(&self, csn: u64) -> Result<(), StorageError> {
        let graphs = self.0.lock();
        match graphs.values().find(|graph| graph.info().csn > csn) {
            None => Ok(()),
            Some(graph) => Err(StorageError::damaged(
                "log",
                0,
                format!(
                    "the log ends with commit {csn}, but the {} is of commit {}",
                    graph.info().name,
                    graph.info().csn
                ),
            )),
        }
    }

    pub(in crate::store) fn number_of(&self, name: &SealedName) -> Option<u32> {
        let graphs = self.0.lock();
        let mut numbered = graphs.iter();
        let found = numbered.find(|(_, graph)| graph.info().name == *name);
        found.map(|(&number, _)| number)
    }

    pub(in crate::store) fn find(&self, name: &SealedName) -> Option<Arc<Stored>> {
        let graphs = self.0.lock();
        let mut graphs = graphs.values();
        graphs.find(|graph| graph.info().name == *name).cloned()
    }

    pub(in crate::store) fn all(&self) -> Vec<Arc<Stored>> {
        self.0.lock().values().cloned().collect()
    }

    pub(in crate::store) fn numbered(&self) -> Vec<(u32, Arc<Stored>)> {
        let graphs = self.0.lock();
        let numbered = graphs.iter();
        numbered.map(|(&n, graph)| (n, Arc::clone(graph))).collect()
    }
}
