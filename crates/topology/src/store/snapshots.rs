//! Named snapshots: creating, dropping, listing, and views of them.

use evergraph_storage::ViewToken;

use super::{Batch, Published, Store};
use crate::error::TopologyError;
use crate::history::Snapshot;
use crate::history::names::Change;
use crate::record::Op;

/// Snapshots that one commit of [`Store::drop_snapshots_where`] drops: as many as
/// fit into a record of the log.
const DROPPED_AT_ONCE: usize = 256;

/// Names that a commit on its way creates or drops, and no other may.
pub(super) struct Reserved<'a> {
    store: &'a Store,
    names: Vec<String>,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if !self.names.is_empty() {
            self.store.names.write().release(&self.names);
        }
    }
}

impl Store {
    /// Names the graph as of a commit of its own, which changes nothing else:
    /// one log record, durable when this returns. `time_us` is when the graph
    /// was like that, microseconds since 1970, if not now.
    ///
    /// # Errors
    /// A name that exists, or is none (see [`TopologyError::BadSnapshotName`]), or
    /// reserved ([`is_reserved`](crate::is_reserved)); direct mode, whose edges are no commits; and what [`Store::commit`] says.
    pub fn create_snapshot(
        &self,
        name: &str,
        time_us: Option<i64>,
    ) -> Result<Snapshot, TopologyError> {
        let mut batch = Batch::new();
        batch.create_snapshot(name, time_us);
        let _shared = self.flow.gate.read();
        // Until it has been read back, no other commit may drop it.
        let batches = std::slice::from_ref(&batch);
        self.validate(batches)?;
        let _reserved = self.reserve_names(batches)?;
        let csn = self.commit_logged(batch, None)?.csn;
        let names = self.names.read();
        let created = names.snapshots_of(csn).find(|s| s.name == name);
        created
            .cloned()
            .ok_or_else(|| TopologyError::UnknownSnapshot(name.to_string()))
    }

    /// Drops snapshots as one commit. What only they showed is given back by
    /// later merges of as much, or by [`Store::rewrite_history`]; what was sealed
    /// of them at once, or by the next checkpoint if that cannot be written now.
    /// Views of them keep it until they end.
    ///
    /// # Errors
    /// A name that does not exist (then nothing is dropped), and what
    /// [`Store::commit`] says.
    pub fn drop_snapshots(&self, names: &[&str]) -> Result<(), TopologyError> {
        let batch = dropping(names);
        if !batch.is_empty() {
            self.commit(batch)?;
            // They are dropped, whatever comes of this; checkpoints do it again.
            let _ = self.drop_orphans();
        }
        Ok(())
    }

    /// Drops those of all snapshots, ascending by commit, that `which` names. None is
    /// created or dropped between the choice and the commits. Returns their names.
    ///
    /// # Errors
    /// As [`Store::drop_snapshots`]; of more than 256, some may be dropped.
    pub fn drop_snapshots_where(
        &self,
        which: impl FnOnce(&[Snapshot]) -> Vec<String>,
    ) -> Result<Vec<String>, TopologyError> {
        let alone = self.flow.gate.write();
        let names = which(&self.snapshots());
        for some in names.chunks(DROPPED_AT_ONCE) {
            self.commit_in_gate(dropping(some), None)?;
        }
        drop(alone);
        if !names.is_empty() {
            let _ = self.drop_orphans();
        }
        Ok(names)
    }

    /// All snapshots, ascending by commit.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.names.read().snapshots().cloned().collect()
    }

    /// The snapshot of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn snapshot(&self, name: &str) -> Result<Snapshot, TopologyError> {
        let names = self.names.read();
        let unknown = || TopologyError::UnknownSnapshot(name.to_string());
        let csn = names.commit_of(name).ok_or_else(unknown)?;
        let found = names.snapshots_of(csn).find(|s| s.name == name);
        found.cloned().ok_or_else(unknown)
    }

    /// A view as of a commit that is kept: that of a snapshot, or the newest.
    /// Dropping the snapshot takes nothing from the view.
    ///
    /// # Errors
    /// If the commit is not kept; the error names the nearest that are.
    pub fn register_at(&self, csn: u64) -> Result<ViewToken<Published>, TopologyError> {
        let names = self.names.read();
        if let Some(snapshot) = names.at(csn)
            && let Some(token) = self.registry.register_at(csn, snapshot.published())
        {
            return Ok(token);
        }
        if self.direct.is_none() {
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
    pub(super) fn reserve_names(&self, batches: &[Batch]) -> Result<Reserved<'_>, TopologyError> {
        let mut names = Vec::new();
        let ops = || batches.iter().flat_map(|batch| &batch.ops);
        if ops().any(Op::names_snapshots) {
            if self.direct.is_some() {
                return Err(TopologyError::Unsupported(
                    "direct mode has no named snapshots: its edges are no commits that a \
                     name could stand for; import into a database in merged mode"
                        .to_string(),
                ));
            }
            names = self.names.write().reserve(ops())?;
        }
        Ok(Reserved { store: self, names })
    }

    /// Moves the watermark to commit `csn`, with the changes of names that come
    /// with it.
    pub(super) fn publish_commit<'a>(
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

/// A commit that drops snapshots.
fn dropping(names: &[impl AsRef<str>]) -> Batch {
    let mut batch = Batch::new();
    for name in names {
        batch.drop_snapshot(name.as_ref());
    }
    batch
}
