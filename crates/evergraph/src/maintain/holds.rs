//! The snapshots that hold the history of one maintained result.

use evergraph_topology::{Batch, Snapshot};

use crate::held::prefix_of_maintained;
use crate::{Database, Error};

/// The snapshots `maintain/NAME/STEP` of one result.
pub(super) struct Holds<'db> {
    db: &'db Database,
    prefix: String,
}

impl<'db> Holds<'db> {
    pub fn of(db: &'db Database, name: &str) -> Self {
        Self {
            db,
            prefix: prefix_of_maintained(name),
        }
    }

    /// Names the graph of now for a step, and drops all other holds but that of the
    /// commit `kept`, as one commit; returns it.
    pub fn hold(&self, step: u64, kept: Option<u64>) -> Result<u64, Error> {
        let name = format!("{}{step}", self.prefix);
        let mut batch = Batch::new();
        for hold in self.all().iter().filter(|hold| Some(hold.csn) != kept) {
            batch.drop_snapshot(&hold.name);
        }
        batch.hold_snapshot(&name);
        Ok(self.db.commit(batch)?.csn)
    }

    /// Drops all but that of one commit.
    pub fn release_all_but(&self, csn: u64) -> Result<(), Error> {
        self.release(|hold| hold.csn != csn)
    }

    /// Drops all.
    pub fn release_all(&self) -> Result<(), Error> {
        self.release(|_| true)
    }

    fn release(&self, which: impl Fn(&Snapshot) -> bool) -> Result<(), Error> {
        let holds = self.all();
        let names: Vec<&str> = (holds.iter().filter(|hold| which(hold)))
            .map(|hold| hold.name.as_str())
            .collect();
        Ok(self.db.store().drop_snapshots(&names)?)
    }

    fn all(&self) -> Vec<Snapshot> {
        let mut snapshots = self.db.store().snapshots();
        snapshots.retain(|snapshot| {
            let step = snapshot.name.strip_prefix(&self.prefix);
            step.is_some_and(|step| step.parse::<u64>().is_ok())
        });
        snapshots
    }
}
