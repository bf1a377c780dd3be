//! Tells the commit of a result from another with the same number: where a copy of the
//! database was put back beside newer results, its next commits are numbered as those
//! that the results are of.

use evergraph_results::{Description, Stored};
use evergraph_snapshots::View;
use evergraph_topology::Mode;

use crate::{Error, Session};

/// The note of a result that tells its commit.
const NOTE: &str = "commit";

/// A result without the note is of a commit that was made before it was written, but for
/// the one that dropped the snapshot of a run, which came this much later at most.
const DROPPED_WITHIN_US: i64 = 60_000_000;

/// Tells the commit of a view beside its number: wall time, vertices and entries. They
/// stay as they are, whatever is merged, dropped or copied.
pub(crate) fn note(view: &View) -> Result<(String, String), Error> {
    let (vertices, entries) = (view.vertex_count(), view.arc_count()?);
    let text = format!("{} {vertices} {entries}", view.wall_us());
    Ok((NOTE.to_string(), text))
}

/// Makes a result one of the commit of a view.
pub(crate) fn replace_note(description: &mut Description, view: &View) -> Result<(), Error> {
    description.notes.retain(|(name, _)| name != NOTE);
    description.notes.push(note(view)?);
    Ok(())
}

/// Whether a result of the commit number of a view is of the commit that it shows.
pub(crate) fn is_of(description: &Description, view: &View) -> Result<bool, Error> {
    Ok(match description.note(NOTE) {
        Some(known) => known == note(view)?.1,
        None => view.wall_us() <= description.updated_us.saturating_add(DROPPED_WITHIN_US),
    })
}

/// Words that follow "the result", of one that is of another history.
pub(crate) fn of_another(csn: u64) -> String {
    format!("is of another history of the database, in which commit {csn} was another")
}

/// Refuses to go on from a result of another history.
pub(crate) fn check(what: &str, description: &Description, view: &View) -> Result<(), Error> {
    match is_of(description, view)? {
        true => Ok(()),
        false => Err(Error::usage(
            format!(
                "the {what} {:?} {}",
                description.name,
                of_another(view.csn())
            ),
            "drop it with `evergraph results DB drop`, and begin anew",
        )),
    }
}

impl Session {
    /// Why a result is of no commit of this graph, in words that follow "the result":
    /// copies of the database may have gone other ways. `None` if it is of one, or if its
    /// commit cannot be read, so that nothing tells.
    ///
    /// # Errors
    /// Damage.
    pub fn other_history(&self, stored: &Stored) -> Result<Option<String>, Error> {
        // Commits there are numbered anew by each process.
        if self.config().mode == Mode::Direct {
            return Ok(None);
        }
        let description = stored.description();
        let (csn, newest) = (description.graph.csn, self.store().published().0);
        if csn > newest {
            return Ok(Some(format!(
                "is of commit {csn}, and the newest of the graph is {newest}"
            )));
        }
        let Ok(view) = self.view_at(csn) else {
            return Ok(None);
        };
        Ok((!is_of(description, &view)?).then(|| of_another(csn)))
    }
}
