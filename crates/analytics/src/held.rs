//! Snapshots that belong to results: `run/NAME` of the state of a run, and
//! `maintain/NAME/STEP` of a maintained result.
//!
//! No rule counts or drops them. One is needed as long as its result is there, and is of
//! its commit; then it goes with the result. Snapshots left by a process that was killed
//! are dropped when the database is opened: then no other run can be about to need them.

use evergraph_topology::{RESERVED_NAMES, Snapshot, TopologyError};

use crate::{Error, Session};
use evergraph_results::Stored;

const RUN: &str = RESERVED_NAMES[0];
const MAINTAINED: &str = RESERVED_NAMES[1];

/// The note that tells a maintained result.
pub(crate) const MAINTAINED_NOTE: &str = "maintained";

/// Whether a result is a maintained one.
pub(crate) fn is_maintained(stored: &Stored) -> bool {
    stored.description().note(MAINTAINED_NOTE) == Some("true")
}

/// Name of the snapshot of the run whose state has this name.
pub(crate) fn name_of_run(state: &str) -> String {
    format!("{RUN}{state}")
}

/// Prefix of the names of a maintained result's snapshots.
pub(crate) fn prefix_of_maintained(result: &str) -> String {
    format!("{MAINTAINED}{result}/")
}

/// The error for a name of a result that its snapshot cannot have, in the words of the
/// user, who named no snapshot.
pub(crate) fn of_result(error: TopologyError, what: &str, name: &str) -> Error {
    match error {
        TopologyError::BadSnapshotName { why, .. } => Error::usage(
            format!("{what} cannot be called {name:?}, after which its snapshot is named: {why}"),
            "choose another name",
        ),
        other => other.into(),
    }
}

/// Result that a snapshot belongs to.
enum Holder<'n> {
    Run(&'n str),
    Maintained(&'n str),
}

impl<'n> Holder<'n> {
    /// `None` for names that no result gives.
    fn of(name: &'n str) -> Option<Self> {
        if let Some(state) = name.strip_prefix(RUN) {
            return Some(Holder::Run(state));
        }
        let (result, step) = name.strip_prefix(MAINTAINED)?.rsplit_once('/')?;
        step.parse::<u64>().ok()?;
        Some(Holder::Maintained(result))
    }
}

impl Session {
    /// Whether a result needs a snapshot, which must not be dropped then. During an
    /// update, which holds a commit before its result is of it, the answer is wrong.
    ///
    /// # Errors
    /// If results cannot be read.
    pub(crate) fn needs(&self, snapshot: &Snapshot) -> Result<bool, Error> {
        let Some(holder) = Holder::of(&snapshot.name) else {
            return Ok(false);
        };
        let (Holder::Run(name) | Holder::Maintained(name)) = holder;
        // Before the results: a run that ends meanwhile has its state there by then.
        let is_running = self.results.running.lock().contains(name);
        let results = self.results()?;
        let stored = results.get(name);
        let stored = stored.filter(|stored| stored.description().graph.csn == snapshot.csn);
        Ok(match holder {
            Holder::Run(_) => {
                let is_state = stored.is_some_and(|stored| !stored.description().finished);
                is_state || is_running
            }
            Holder::Maintained(_) => stored.is_some_and(|stored| is_maintained(&stored)),
        })
    }

    /// Drops the snapshots that belong to results and that none of them needs.
    ///
    /// # Errors
    /// If results cannot be read; and errors of committing.
    pub fn drop_abandoned(&self) -> Result<(), Error> {
        let mut abandoned = Vec::new();
        for snapshot in self.snapshots() {
            if Holder::of(&snapshot.name).is_some() && !self.needs(&snapshot)? {
                abandoned.push(snapshot.name);
            }
        }
        if !abandoned.is_empty() {
            self.store().drop_snapshots_where(|_| abandoned)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Snapshots of databases are called so.
    #[test]
    fn names_are_pinned() {
        assert_eq!(name_of_run("pagerank"), "run/pagerank");
        assert_eq!(prefix_of_maintained("a/b"), "maintain/a/b/");
        assert!(matches!(Holder::of("run/a/7"), Some(Holder::Run("a/7"))));
        let maintained = Holder::of("maintain/a/b/7");
        assert!(matches!(maintained, Some(Holder::Maintained("a/b"))));
        for other in ["maintain/a/x", "maintain/7", "2024-05"] {
            assert!(Holder::of(other).is_none(), "{other}");
        }
    }
}
