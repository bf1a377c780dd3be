//! Named snapshots of a database: making, dropping and listing them.

use evergraph_snapshots::{Diff, View, diff};
use evergraph_topology::{Snapshot, check_snapshot_name, is_reserved};

use crate::as_of::unknown;
use crate::run::now_us;
use crate::{At, Error, Session};

impl Session {
    /// Names the graph as it is now, as one commit that changes nothing else, and
    /// then applies the retention rules of the database. `time_us` is when the graph
    /// was like that, microseconds since 1970, if that is not now.
    ///
    /// # Errors
    /// Rules that would drop it at once; then nothing has changed.
    /// A name that exists, or that cannot be one: empty, longer than 255 bytes, only
    /// digits (a commit), `now`, with `..` (a range) or control characters, or that
    /// begins as those of results (`run/`, `maintain/`). Direct mode, whose edges are
    /// no commits.
    pub fn create_snapshot(&self, name: &str, time_us: Option<i64>) -> Result<Snapshot, Error> {
        check_snapshot_name(name)?;
        let rules = self.retention()?;
        let new = Snapshot {
            name: name.to_string(),
            csn: u64::MAX,
            time_us: time_us.unwrap_or_else(now_us),
            wall_us: 0,
            vertex_count: 0,
            arc_count: 0,
        };
        if !rules.keep(new, self.snapshots()) {
            return Err(Error::usage(
                format!("the rules of the database ({rules}) would drop `{name}` at once"),
                "choose a name or a time that they keep, or change them with \
                 `evergraph snapshot DB retain`",
            ));
        }
        let created = self.store().create_snapshot(name, time_us)?;
        self.apply_retention()?;
        Ok(created)
    }

    /// Drops snapshots as one commit. Views of them keep working until they end; space
    /// that only they needed is given back by later merges.
    ///
    /// # Errors
    /// A name that no snapshot has, or one that belongs to a result or to the state
    /// of a run; then nothing is dropped.
    pub fn drop_snapshots(&self, names: &[&str]) -> Result<(), Error> {
        let of_results = names.iter().any(|name| is_reserved(name));
        let _no_update = of_results.then(|| self.maintaining.lock());
        let snapshots = self.snapshots();
        for &name in names {
            let Some(snapshot) = snapshots.iter().find(|known| known.name == name) else {
                return Err(unknown(name, &snapshots));
            };
            if self.needs(snapshot)? {
                return Err(Error::usage(
                    format!("a result needs the snapshot `{name}`"),
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

    /// Changes from one view of this database to another; see [`diff`].
    ///
    /// # Errors
    /// If a view is of another database.
    pub fn diff<'a>(&self, before: &'a View, after: &'a View) -> Result<Diff<'a>, Error> {
        self.refuse_property_graph_with(
            "comparing moments",
            "`evergraph run DB ALGORITHM --over A..B` shows what an algorithm gives at each moment",
        )?;
        Ok(diff(before, after)?)
    }

    /// Drops the snapshots before a commit (before the newest snapshot, if none is
    /// given), and writes the graph without the edges that only they showed. Those that
    /// belong to results stay, and count for nothing. Returns the names that were
    /// dropped.
    pub fn flatten(&self, before: Option<&At>) -> Result<Vec<String>, Error> {
        let before = before.map(|at| self.moment(at)).transpose()?;
        let dropped = self.store().drop_snapshots_where(|snapshots| {
            let others = || snapshots.iter().filter(|known| !is_reserved(&known.name));
            let newest = others().next_back().map(|newest| newest.csn);
            let first_kept = before.map(|moment| moment.csn).or(newest);
            others()
                .take_while(|known| Some(known.csn) < first_kept)
                .map(|known| known.name.clone())
                .collect()
        })?;
        self.store().rewrite_history()?;
        self.compact()?;
        Ok(dropped)
    }

    /// All snapshots, ascending by commit, each with the bytes that are kept for it
    /// beside the graph. Reads the version history of all sections.
    pub fn snapshot_sizes(&self) -> Result<Vec<(Snapshot, u64)>, Error> {
        Ok(self.store().snapshot_sizes()?)
    }
}
