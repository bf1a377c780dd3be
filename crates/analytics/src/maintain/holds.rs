//! The snapshots that hold the history of one maintained result.

use evergraph_topology::{Batch, Snapshot};

use crate::held::{of_result, prefix_of_maintained};
use crate::{Error, Session};

/// The snapshots `maintain/NAME/STEP` of one result.
pub(super) struct Holds<'session> {
    session: &'session Session,
    name: String,
    prefix: String,
}

impl<'session> Holds<'session> {
    pub(super) fn of(session: &'session Session, name: &str) -> Self {
        Self {
            session,
            name: name.to_string(),
            prefix: prefix_of_maintained(name),
        }
    }

    /// Names the graph of now for a step, and drops all other holds but that of the
    /// commit `kept`, as one commit; returns it.
    pub(super) fn hold(&self, step: u64, kept: Option<u64>) -> Result<u64, Error> {
        let name = format!("{}{step}", self.prefix);
        let mut batch = Batch::new();
        for hold in self.all().iter().filter(|hold| Some(hold.csn) != kept) {
            batch.drop_snapshot(&hold.name);
        }
        batch.hold_snapshot(&name);
        match self.session.commit(batch) {
            Ok(commit) => Ok(commit.csn),
            Err(Error::Store(error)) => Err(of_result(error, "a maintained result", &self.name)),
            Err(error) => Err(error),
        }
    }

    /// Drops all but that of one commit.
    pub(super) fn release_all_but(&self, csn: u64) -> Result<(), Error> {
        self.release(|hold| hold.csn != csn)
    }

    /// Drops all.
    pub(super) fn release_all(&self) -> Result<(), Error> {
        self.release(|_| true)
    }

    fn release(&self, which: impl Fn(&Snapshot) -> bool) -> Result<(), Error> {
        let holds = self.all();
        let names: Vec<&str> = (holds.iter().filter(|hold| which(hold)))
            .map(|hold| hold.name.as_str())
            .collect();
        Ok(self.session.store().drop_snapshots(&names)?)
    }

    fn all(&self) -> Vec<Snapshot> {
        let mut snapshots = self.session.store().snapshots();
        snapshots.retain(|snapshot| {
            let step = snapshot.name.strip_prefix(&self.prefix);
            step.is_some_and(|step| step.parse::<u64>().is_ok())
        });
        snapshots
    }
}
