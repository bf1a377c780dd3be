//! Named snapshots: creating, dropping, listing, and views of them.

use crate::error::TopologyError;
use crate::history::Snapshot;
use crate::store::batch::Batch;
use crate::store::commit::Committer;

/// Snapshots that one commit of [`crate::store::Store::drop_snapshots_where`] drops: as many as
/// fit into a record of the log.
const DROPPED_AT_ONCE: usize = 256;

impl Committer {
    pub(in crate::store) fn create_snapshot(
        &self,
        name: &str,
        time_us: Option<i64>,
    ) -> Result<Snapshot, TopologyError> {
        let mut batch = Batch::new();
        batch.create_snapshot(name, time_us);
        let _shared = self.gate.read();
        // Until it has been read back, no other commit may drop it.
        let batches = std::slice::from_ref(&batch);
        self.validate(batches)?;
        let _reserved = self.live().snapshots.reserve(batches)?;
        let csn = self.commit_logged(batch, None)?.csn;
        let names = self.live().snapshots.names.read();
        let created = names.snapshots_of(csn).find(|s| s.name == name);
        created
            .cloned()
            .ok_or_else(|| TopologyError::UnknownSnapshot(name.to_string()))
    }

    pub(in crate::store) fn drop_snapshots(&self, names: &[&str]) -> Result<(), TopologyError> {
        let batch = dropping(names);
        if !batch.is_empty() {
            self.commit(batch)?;
            // They are dropped, whatever comes of this; checkpoints do it again.
            let _ = self.checkpointer.drop_orphans();
        }
        Ok(())
    }

    pub(in crate::store) fn drop_snapshots_where(
        &self,
        which: impl FnOnce(&[Snapshot]) -> Vec<String>,
    ) -> Result<Vec<String>, TopologyError> {
        let alone = self.gate.write();
        let names = which(&self.live().snapshots.snapshots());
        for some in names.chunks(DROPPED_AT_ONCE) {
            self.commit_in_gate(dropping(some), None)?;
        }
        drop(alone);
        if !names.is_empty() {
            let _ = self.checkpointer.drop_orphans();
        }
        Ok(names)
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
