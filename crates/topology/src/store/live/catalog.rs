//! The named snapshots of a store, and the views of what they keep.

use std::sync::Arc;

use evergraph_storage::{Registry, ViewToken};
use parking_lot::RwLock;

use crate::error::TopologyError;
use crate::history::Snapshot;
use crate::history::names::{Change, Names};
use crate::published::Published;
use crate::record::Op;
use crate::store::batch::Batch;

/// Names of commits, and the registry that keeps those commits readable.
pub(in crate::store) struct SnapshotCatalog {
    pub names: RwLock<Names>,
    pub registry: Arc<Registry<Published>>,
    is_direct: bool,
}

/// Names that a commit on its way creates or drops, and no other may.
pub(in crate::store) struct Reserved<'a> {
    catalog: &'a SnapshotCatalog,
    names: Vec<String>,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if !self.names.is_empty() {
            self.catalog.names.write().release(&self.names);
        }
    }
}

impl SnapshotCatalog {
    /// Over the newest commit `csn`.
    pub(in crate::store) fn new(
        names: Names,
        csn: u64,
        published: Published,
        is_direct: bool,
    ) -> Self {
        SnapshotCatalog {
            registry: Registry::keeping(csn, published, names.snapshots().map(|s| s.csn)),
            names: RwLock::new(names),
            is_direct,
        }
    }

    pub(in crate::store) fn snapshots(&self) -> Vec<Snapshot> {
        self.names.read().snapshots().cloned().collect()
    }

    pub(in crate::store) fn snapshot(&self, name: &str) -> Result<Snapshot, TopologyError> {
        let names = self.names.read();
        let unknown = || TopologyError::UnknownSnapshot(name.to_string());
        let csn = names.commit_of(name).ok_or_else(unknown)?;
        let found = names.snapshots_of(csn).find(|s| s.name == name);
        found.cloned().ok_or_else(unknown)
    }

    pub(in crate::store) fn register_at(
        &self,
        csn: u64,
    ) -> Result<ViewToken<Published>, TopologyError> {
        let names = self.names.read();
        if let Some(snapshot) = names.at(csn)
            && let Some(token) = self.registry.register_at(csn, snapshot.published())
        {
            return Ok(token);
        }
        if !self.is_direct {
            let newest = self.registry.register();
            if newest.csn() == csn {
                return Ok(newest);
            }
        }
        let (before, after) = names.around(csn);
        Err(TopologyError::NotKept {
            csn,
            before,
            after,
            newest: self.registry.csn(),
        })
    }

    /// Sets aside the names that batches create or drop, if they may.
    pub(in crate::store) fn reserve(
        &self,
        batches: &[Batch],
    ) -> Result<Reserved<'_>, TopologyError> {
        let mut names = Vec::new();
        let ops = || batches.iter().flat_map(|batch| &batch.ops);
        if ops().any(Op::names_snapshots) {
            if self.is_direct {
                return Err(TopologyError::WrongMode(
                    "direct mode has no named snapshots: its edges are no commits that a \
                     name could stand for; import into a database in merged mode",
                ));
            }
            names = self.names.write().reserve(ops())?;
        }
        Ok(Reserved {
            catalog: self,
            names,
        })
    }

    /// Moves the watermark to commit `csn`, with the changes of names that come
    /// with it.
    pub(in crate::store) fn publish<'a>(
        &self,
        csn: u64,
        published: Published,
        ops: impl Iterator<Item = &'a Op>,
    ) {
        let mut ops = ops.filter(|op| op.names_snapshots()).peekable();
        if ops.peek().is_none() {
            return self.registry.publish(csn, published);
        }
        let mut names = self.names.write();
        let changes: Vec<Change> = ops
            .filter_map(|op| names.apply(op, csn, &published))
            .collect();
        // Kept before it is published: nothing newer can come between.
        for change in &changes {
            if let Change::Kept(csn) = change {
                self.registry.keep(*csn);
            }
        }
        self.registry.publish(csn, published);
        for change in &changes {
            if let Change::Released(csn) = change {
                self.registry.release(*csn);
            }
        }
    }
}
