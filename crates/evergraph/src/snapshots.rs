//! Named snapshots of a database: making, dropping and listing them.

use evergraph_snapshots::{Diff, View, diff};
use evergraph_topology::{Snapshot, TopologyError};

use crate::as_of::unknown;
use crate::retention::is_needed;
use crate::{At, Database, Error};

/// So many names fit into one record of the smallest log.
const DROPPED_AT_ONCE: usize = 256;

impl Database {
    /// Names the graph as it is now, as one commit that changes nothing else, and
    /// then applies the retention rules of the database. `time_us` is when the graph
    /// was like that, microseconds since 1970, if that is not now.
    ///
    /// # Errors
    /// A name that exists, or that cannot be one: empty, longer than 255 bytes, only
    /// digits (a commit), `now`, or with `..` (a range) or control characters. Direct
    /// mode, whose edges are no commits.
    pub fn create_snapshot(&self, name: &str, time_us: Option<i64>) -> Result<Snapshot, Error> {
        check_name(name)?;
        let created = self.store().create_snapshot(name, time_us)?;
        self.apply_retention()?;
        Ok(created)
    }

    /// Drops snapshots as one commit. Views of them keep working until they end; what
    /// nothing else keeps is given back by later merges.
    ///
    /// # Errors
    /// A name that no snapshot has, or one that belongs to a kept result (it begins
    /// with `maintain/` or `run/`); then nothing is dropped.
    pub fn drop_snapshots(&self, names: &[&str]) -> Result<(), Error> {
        let snapshots = self.snapshots();
        for &name in names {
            if snapshots.iter().all(|snapshot| snapshot.name != name) {
                return Err(unknown(name, &snapshots));
            }
            if is_needed(name) {
                return Err(Error::usage(
                    format!("a kept result needs the snapshot `{name}`"),
                    "drop the result instead; its snapshot goes with it",
                ));
            }
        }
        Ok(self.store().drop_snapshots(names)?)
    }

    /// All snapshots, ascending by commit.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.store().snapshots()
    }

    /// What changed from one view of this database to another; see [`diff`].
    ///
    /// # Errors
    /// If a view is of another database.
    pub fn diff<'a>(&self, before: &'a View, after: &'a View) -> Result<Diff<'a>, Error> {
        Ok(diff(before, after)?)
    }

    /// Drops the snapshots before a moment (before the newest snapshot, if none is
    /// given), and writes the graph without what only they showed. Those that kept
    /// results need stay. Returns the names that were dropped.
    pub fn flatten(&self, before: Option<&At>) -> Result<Vec<String>, Error> {
        let snapshots = self.snapshots();
        let first_kept = match before {
            Some(at) => self.moment(at)?.csn,
            None => snapshots.last().map_or(0, |snapshot| snapshot.csn),
        };
        let dropped: Vec<String> = snapshots
            .into_iter()
            .filter(|snapshot| snapshot.csn < first_kept && !is_needed(&snapshot.name))
            .map(|snapshot| snapshot.name)
            .collect();
        self.drop_without_question(&dropped)?;
        // Nothing is before the first commit: only the past that is left is written.
        self.store().rewrite_history()?;
        self.compact()?;
        Ok(dropped)
    }

    /// All snapshots, ascending by commit, each with the bytes that are kept for it
    /// beside the graph. Reads the past of all sections.
    pub fn snapshot_sizes(&self) -> Result<Vec<(Snapshot, u64)>, Error> {
        Ok(self.store().snapshot_sizes()?)
    }

    /// Drops snapshots that exist and that nobody needs.
    pub(crate) fn drop_without_question(&self, names: &[String]) -> Result<(), Error> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for some in names.chunks(DROPPED_AT_ONCE) {
            self.store().drop_snapshots(some)?;
        }
        Ok(())
    }
}

/// Refuses names that [`At::from_text`] takes for something else.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let bad = |why| {
        Err(Error::from(TopologyError::BadSnapshotName {
            name: name.chars().take(40).collect(),
            why,
        }))
    };
    if name == "now" {
        return bad("it stands for the newest commit");
    }
    if name.contains("..") {
        return bad("`..` stands between the ends of a range");
    }
    if name.trim() != name {
        return bad("it begins or ends with a blank");
    }
    Ok(())
}
