//! Results that are kept up to date with the graph.
//!
//! A maintained result is a result like any other, of one commit. A snapshot of its
//! own, `maintain/NAME/STEP`, holds the history that it still needs: that commit.
//! Bringing it up to date
//!
//! 1. names the graph of now by a new snapshot, and drops, in the same commit, what
//!    an update that was cut off has left;
//! 2. finds out what changed between the two snapshots, and lets the state follow;
//! 3. writes the result, which is of the new snapshot from then on;
//! 4. drops the old snapshot.
//!
//! Both commits are held until the result is durable, so that it is of a commit that
//! is held, whenever the power fails: before step 3 of the old one, after it of the new
//! one. What an update that was cut off holds too much goes with the next.

#[cfg(test)]
mod crashes;
mod holds;
mod problem;

use std::sync::Arc;
use std::time::Instant;

use evergraph_algorithms::Control;
use evergraph_algorithms::maintained::Summary;
use evergraph_results::{Description, GraphIdentity, Stored};
use evergraph_snapshots::{View, diff};
use evergraph_storage::failpoint;

use crate::changes::changes_between;
use crate::held::{MAINTAINED_NOTE, is_maintained};
use crate::run::{Fact, Format, now_us, stored_notes};
use crate::{Error, Session, origin};
use holds::Holds;
use problem::{Problem, State};

/// Request to maintain a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Name of the result.
    pub name: String,
    /// Name or alias of the algorithm; one of [`maintainable`].
    pub algorithm: String,
    /// Its parameters by name; without any, those that the result has.
    pub parameters: Vec<(String, String)>,
    /// Threads; all that the machine has if `None`.
    pub threads: Option<usize>,
}

/// Outcome of an update of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// Name of the result.
    pub name: String,
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// The commit that it was of; `None` if it is new.
    pub from: Option<u64>,
    /// The commit that it is of. As before, if no edge changed since.
    pub csn: u64,
    /// Entries of lists that changed in between, net.
    pub changes: u64,
    /// Vertices and entries that were looked at; 0 for a new one.
    pub work: Summary,
    /// Seconds, to find the changes, to follow them, and to write the result.
    pub seconds: [f64; 3],
    /// Bytes of the result that were written; unchanged blocks are shared with the
    /// version before.
    pub bytes_written: u64,
    /// The summary.
    pub result: Vec<(&'static str, Fact)>,
}

/// Full names of the algorithms whose results can be maintained.
pub fn maintainable() -> impl Iterator<Item = &'static str> {
    Problem::names()
}

impl Session {
    /// Brings a maintained result up to date, or makes it if there is none of that
    /// name.
    ///
    /// # Errors
    /// A name that another result has, other parameters than the result has, a
    /// commit that is not kept any more; or if `control` ends it: then the result is
    /// as it was.
    pub fn maintain(&self, request: &Request, control: &Control<'_>) -> Result<Followed, Error> {
        self.follow(request)?.update(control)
    }

    /// Names of the maintained results.
    ///
    /// # Errors
    /// If results cannot be read.
    pub fn maintained(&self) -> Result<Vec<String>, Error> {
        let kept = self.results()?.list();
        let maintained = kept.iter().filter(|stored| is_maintained(stored));
        Ok(maintained
            .map(|stored| stored.description().name.clone())
            .collect())
    }

    /// Returns a handle that keeps the state of a maintained result in memory, for
    /// callers that update it repeatedly. Nothing happens before the first
    /// [`Follower::update`].
    ///
    /// # Errors
    /// An unknown algorithm or parameter.
    pub fn follow(&self, request: &Request) -> Result<Follower<'_>, Error> {
        self.refuse_property_graph_with(
            "maintaining a result",
            "`evergraph run DB ALGORITHM --keep NAME` computes it anew on a projection, and keeps it",
        )?;
        self.read_ids()?;
        let problem = Problem::new(self, &request.algorithm, &request.parameters)?;
        Ok(Follower {
            session: self,
            name: request.name.clone(),
            problem,
            threads: request.threads,
            loaded: None,
        })
    }

    /// As [`Session::follow`], of a result that exists.
    ///
    /// # Errors
    /// If there is none, or it is not a maintained one.
    pub fn follow_existing(
        &self,
        name: &str,
        threads: Option<usize>,
    ) -> Result<Follower<'_>, Error> {
        let stored = self.results()?.find(name)?;
        check_maintained(&stored)?;
        self.follow(&Request {
            name: name.to_string(),
            algorithm: stored.description().algorithm.clone(),
            parameters: Vec::new(),
            threads,
        })
    }
}

/// Keeps a maintained result up to date.
pub struct Follower<'session> {
    session: &'session Session,
    name: String,
    problem: Problem,
    threads: Option<usize>,
    /// The state, and the commit that it is of. None after an update that failed.
    loaded: Option<(u64, State)>,
}

impl Follower<'_> {
    /// Name of the result.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Brings the result up to date. Writers go on meanwhile.
    ///
    /// # Errors
    /// As [`Session::maintain`]. The next update begins from the stored result.
    pub fn update(&mut self, control: &Control<'_>) -> Result<Followed, Error> {
        let pool = crate::threads::pool(self.threads)?;
        // Two updates of one result would each take the other's snapshot for a rest.
        let _one_at_a_time = self.session.maintaining.lock();
        let stored = self.session.results()?.get(&self.name);
        let updated = match &stored {
            None => self.create(&pool, control),
            Some(stored) => self.advance(stored, &pool, control),
        };
        let results = self.session.results()?;
        // The version that may be the newest needs its graph.
        if updated.is_err() && !results.is_uncertain() {
            // A snapshot that cannot be dropped now goes with the next update.
            let holds = Holds::of(self.session, &self.name);
            let _ = match results.get(&self.name) {
                None => holds.release_all(),
                Some(stored) => holds.release_all_but(stored.description().graph.csn),
            };
        }
        updated
    }

    fn create(
        &mut self,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Result<Followed, Error> {
        if self.session.view().vertex_count() == 0 {
            return Err(Error::usage(
                "the graph has no vertices",
                "import edges first",
            ));
        }
        let csn = Holds::of(self.session, &self.name).hold(1, None)?;
        let started = Instant::now();
        let view = self.session.view_at(csn)?;
        let graph = view.graph()?;
        let problem = self.problem.resolved(self.session, &graph);
        let state = pool.install(|| problem.start(&graph, control));
        let state = state.map_err(|error| problem.stopped(self.session, error))?;
        let seconds = started.elapsed().as_secs_f64();
        self.problem = problem;
        let description = self.description(&view, &state, 1, now_us())?;
        let followed = Followed {
            name: self.name.clone(),
            algorithm: self.problem.name(),
            from: None,
            csn,
            changes: 0,
            work: Summary::default(),
            seconds: [0.0, seconds, 0.0],
            bytes_written: 0,
            result: Vec::new(),
        };
        self.keep(followed, description, state)
    }

    fn advance(
        &mut self,
        stored: &Arc<Stored>,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Result<Followed, Error> {
        check_maintained(stored)?;
        let known = stored.description();
        self.problem = self.problem.as_in(self.session, known)?;
        let from = known.graph.csn;
        let before = self.session.view_at(from).map_err(|error| {
            Error::usage(
                format!(
                    "the result {:?} is of commit {from}, whose graph is gone: {}",
                    self.name,
                    error.summary()
                ),
                "drop it with `evergraph results DB drop`, and maintain it anew",
            )
        })?;
        origin::check("result", known, &before)?;
        let unchanged = !differs(&before, &self.session.view())?;
        let started = Instant::now();
        let state = self.loaded.take().filter(|loaded| loaded.0 == from);
        let state = match state {
            Some((_, state)) => state,
            None => self.problem.restore(stored)?,
        };
        let mut followed = Followed {
            name: self.name.clone(),
            algorithm: self.problem.name(),
            from: Some(from),
            csn: from,
            changes: 0,
            work: Summary::default(),
            seconds: [started.elapsed().as_secs_f64(), 0.0, 0.0],
            bytes_written: 0,
            result: state.facts(self.session),
        };
        if unchanged {
            Holds::of(self.session, &self.name).release_all_but(from)?;
            self.loaded = Some((from, state));
            return Ok(followed);
        }
        let step = known.step + 1;
        let holds = Holds::of(self.session, &self.name);
        followed.csn = holds.hold(step, Some(from))?;
        let after = self.session.view_at(followed.csn)?;
        let changes = changes_between(&before, &after)?;
        followed.changes = changes.len() as u64;
        followed.seconds[0] = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let graph = after.graph()?;
        let mut state = state;
        let work = pool.install(|| state.update(&graph, &changes, control));
        followed.work = work.map_err(|error| self.problem.stopped(self.session, error))?;
        followed.seconds[1] = started.elapsed().as_secs_f64();
        let description = self.description(&after, &state, step, known.started_us)?;
        self.keep(followed, description, state)
    }

    /// Writes the result, releases the snapshots that it needs no more, and keeps the
    /// state.
    fn keep(
        &mut self,
        mut followed: Followed,
        description: Description,
        state: State,
    ) -> Result<Followed, Error> {
        let started = Instant::now();
        let columns = state.columns();
        let columns: Vec<_> = (columns.iter())
            .map(|(name, column)| (*name, column.as_column()))
            .collect();
        if failpoint!("maintain.released-first") {
            Holds::of(self.session, &self.name).release_all_but(followed.csn)?;
        }
        failpoint!("maintain.computed");
        let written = self.session.results()?.put(&description, &columns)?;
        failpoint!("maintain.published");
        Holds::of(self.session, &self.name).release_all_but(followed.csn)?;
        followed.bytes_written = written.bytes_written;
        followed.seconds[2] = started.elapsed().as_secs_f64();
        followed.result = state.facts(self.session);
        self.loaded = Some((followed.csn, state));
        Ok(followed)
    }

    fn description(
        &self,
        view: &View,
        state: &State,
        step: u64,
        started_us: i64,
    ) -> Result<Description, Error> {
        let config = self.session.config();
        let facts = state.facts(self.session);
        let mut notes = stored_notes(state.kind(), Format::Evergraph, &facts);
        notes.push((MAINTAINED_NOTE.to_string(), "true".to_string()));
        notes.push(origin::note(view)?);
        notes.extend(state.notes());
        Ok(Description {
            name: self.name.clone(),
            algorithm: self.problem.name().to_string(),
            parameters: self.problem.parameters().to_vec(),
            graph: GraphIdentity {
                csn: view.csn(),
                vertex_count: view.vertex_count() as u64,
                arc_count: view.arc_count()?,
                direction: config.direction,
                weighted: config.weighted,
            },
            step,
            finished: true,
            started_us,
            updated_us: now_us(),
            notes,
        })
    }
}

fn check_maintained(stored: &Stored) -> Result<(), Error> {
    if is_maintained(stored) {
        return Ok(());
    }
    Err(Error::usage(
        format!(
            "{:?} is a kept result, not a maintained one",
            stored.description().name
        ),
        "choose another name, or drop it with `evergraph results DB drop`",
    ))
}

/// Lets go of the history that a maintained result needed.
pub(crate) fn release(session: &Session, name: &str) -> Result<(), Error> {
    Holds::of(session, name).release_all()
}

/// Whether anything of the graph is different.
fn differs(before: &View, after: &View) -> Result<bool, Error> {
    if before.vertex_count() != after.vertex_count() {
        return Ok(true);
    }
    let mut differs = false;
    let _ = diff(before, after)?.for_each_list(|_| {
        differs = true;
        std::ops::ControlFlow::Break(())
    })?;
    Ok(differs)
}
