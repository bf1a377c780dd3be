//! The view that a run reads, and the snapshot that keeps it for the run's state.

use std::ops::Deref;
use std::sync::Arc;

use evergraph_graph::Column;
use evergraph_results::Stored;
use evergraph_snapshots::View;
use evergraph_topology::{Batch, Mode, TopologyError};

use super::algorithm::Algorithm;
use super::durable::{check_writable, drop_state, read_columns, saved, state_name};
use super::{Request, find};
use crate::held::{name_of_run, of_result};
use crate::{At, Error, Session, origin};

/// The view that a run reads, and the name of its state, which no other run of the
/// process can have meanwhile. When it is dropped, the snapshot `run/NAME` goes, unless a
/// state was stored that needs it.
pub struct RunView<'session> {
    view: View,
    taken: Option<NameOfRun<'session>>,
}

impl RunView<'_> {
    /// Drops the state of a run that has ended and has held it
    /// ([`Durable::hold_state`](super::Durable::hold_state)), when its result is written.
    ///
    /// # Errors
    /// If the medium refuses.
    pub fn finish(self) -> Result<(), Error> {
        match &self.taken {
            Some(taken) => drop_state(&*taken.session.results()?, &taken.name),
            None => Ok(()),
        }
    }
}

impl Deref for RunView<'_> {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

/// The name of a state, until it is dropped.
struct NameOfRun<'session> {
    session: &'session Session,
    name: String,
    /// Commit that the run reads.
    csn: Option<u64>,
    /// Name of the result that the run is to store.
    result: Option<String>,
}

impl<'session> NameOfRun<'session> {
    fn take(session: &'session Session, name: &str) -> Result<Self, Error> {
        if !session.results.running.lock().insert(name.to_string()) {
            return Err(Error::usage(
                format!("a run {name:?} goes on in this process"),
                "give this one another name",
            ));
        }
        Ok(NameOfRun {
            session,
            name: name.to_string(),
            csn: None,
            result: None,
        })
    }

    /// Drops the snapshot, if no state needs it. The graph of the commit that does is
    /// that of the run, if nothing came between: the result is of it, too.
    fn end(&self) -> Result<(), Error> {
        let Some(csn) = self.csn else { return Ok(()) };
        let dropped = drop_unneeded(self.session, &self.name, csn)?;
        match (dropped, &self.result) {
            (Some(next), Some(result)) if next == csn + 1 => {
                move_result(self.session, result, csn, next)
            }
            _ => Ok(()),
        }
    }
}

impl Drop for NameOfRun<'_> {
    fn drop(&mut self) {
        // A snapshot that cannot be dropped now goes when the database is opened.
        let _ = self.end();
        self.session.results.running.lock().remove(&self.name);
    }
}

/// The view that a request runs on: that of the state that it goes on from, else that of
/// the given snapshot, else the newest, as a new snapshot if states are kept. A run on an
/// older snapshot can go on as long as that is there.
///
/// # Errors
/// If there is nothing to go on from, its commit is not kept any more, or is not that of
/// the given snapshot; if a run of that name goes on.
pub fn view<'session>(
    session: &'session Session,
    request: &Request,
    at: Option<&At>,
) -> Result<RunView<'session>, Error> {
    let algorithm = find(&request.algorithm)?;
    view_for(session, request, at, algorithm, || {
        algorithm.check_resumable(&algorithm.parse(&request.parameters)?)
    })
}

/// As [`view`], for an entry of the registry; `check_resumable` says whether its state can
/// be kept.
pub(super) fn view_for<'session>(
    session: &'session Session,
    request: &Request,
    at: Option<&At>,
    algorithm: &Algorithm,
    check_resumable: impl FnOnce() -> Result<(), Error>,
) -> Result<RunView<'session>, Error> {
    // The newest commit may have no snapshot: the run makes one of it.
    let at = at.filter(|at| !matches!(at, At::Now));
    let moment = at.map(|at| session.moment(at)).transpose()?;
    if !request.durable.keeps_state() {
        let view = match &moment {
            Some(moment) => session.view_of(moment)?,
            None => session.view(),
        };
        return Ok(RunView { view, taken: None });
    }
    check_resumable()?;
    if session.config().mode == Mode::Direct {
        return Err(Error::usage(
            "direct mode keeps no moment of the graph that a run could go on from",
            "use a database in merged mode",
        ));
    }
    let name = state_name(request, algorithm);
    check_writable(session, name)?;
    let mut taken = NameOfRun::take(session, name)?;
    let view = match saved(session, request, name)? {
        Some(stored) => {
            let csn = stored.description().graph.csn;
            if let Some(other) = moment.filter(|moment| moment.csn != csn) {
                return Err(Error::usage(
                    format!(
                        "the run {name:?} began at commit {csn}, and not at {}",
                        other.csn
                    ),
                    "go on without --as-of, or give the new run another name",
                ));
            }
            let view = session.view_at(csn).map_err(|error| {
                Error::usage(
                    format!(
                        "the run {name:?} began at commit {csn}: {}",
                        error.summary()
                    ),
                    "that graph cannot be read any more; drop the state and run it anew",
                )
            })?;
            origin::check("state", stored.description(), &view)?;
            view
        }
        None => match moment.filter(|moment| moment.snapshot.is_some()) {
            Some(moment) => session.view_of(&moment)?,
            None => {
                let csn = hold_newest(session, name)?;
                taken.csn = Some(csn);
                session.view_at(csn)?
            }
        },
    };
    taken.csn = Some(view.csn());
    taken.result = request.durable.keep.clone();
    Ok(RunView {
        view,
        taken: Some(taken),
    })
}

/// Makes the snapshot of the newest commit that the state of a run will need, in
/// place of one that a run left that ended before its first state. Returns its commit.
fn hold_newest(session: &Session, name: &str) -> Result<u64, Error> {
    let snapshot = name_of_run(name);
    let mut batch = Batch::new();
    if session.store().snapshot(&snapshot).is_ok() {
        batch.drop_snapshot(&snapshot);
    }
    batch.hold_snapshot(&snapshot);
    match session.commit(batch) {
        Ok(commit) => Ok(commit.csn),
        Err(Error::Store(error)) => Err(of_result(error, "the state of a run", name)),
        Err(error) => Err(error),
    }
}

/// Drops the snapshot of a run on a commit, if no state needs it; returns the commit
/// that did.
fn drop_unneeded(session: &Session, name: &str, csn: u64) -> Result<Option<u64>, Error> {
    let snapshot = name_of_run(name);
    let is_of_run = (session.store().snapshot(&snapshot)).is_ok_and(|held| held.csn == csn);
    let needs_it = |stored: Arc<Stored>| {
        let state = stored.description();
        !state.finished && state.graph.csn == csn
    };
    if !is_of_run || session.results()?.get(name).is_some_and(needs_it) {
        return Ok(None);
    }
    let mut batch = Batch::new();
    batch.drop_snapshot(&snapshot);
    Ok(Some(session.commit(batch)?.csn))
}

/// Makes a result of one commit one of another, whose graph is the same, so that a
/// later run reads it. The values stay as they are stored.
fn move_result(session: &Session, name: &str, from: u64, to: u64) -> Result<(), Error> {
    let results = session.results()?;
    let is_of_run = |stored: &Arc<Stored>| {
        let result = stored.description();
        result.finished && result.graph.csn == from
    };
    let Some(stored) = results.get(name).filter(is_of_run) else {
        return Ok(());
    };
    // If the next commit has come already, none will read the result.
    let Ok(view) = session.view_at(to) else {
        return Ok(());
    };
    let columns = read_columns(&stored)?;
    let columns: Vec<(&str, Column<'_>)> = (columns.iter())
        .map(|(name, column)| (name.as_str(), column.as_column()))
        .collect();
    let mut description = stored.description().clone();
    description.graph.csn = to;
    origin::replace_note(&mut description, &view)?;
    results.put(&description, &columns)?;
    Ok(())
}

/// Drops the snapshot of a run, if there is one.
pub(crate) fn drop_snapshot(session: &Session, state: &str) -> Result<(), Error> {
    match session.store().drop_snapshots(&[&name_of_run(state)]) {
        Ok(()) | Err(TopologyError::UnknownSnapshot(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
