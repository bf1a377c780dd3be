//! Stored parts of a run: its state while it goes on, its result when it has ended.
//!
//! The state is kept under a name, and the graph that it belongs to under a
//! snapshot `run/NAME`, so that the run can go on whatever is committed meanwhile.
//! Both go when the run ends.

use std::sync::Arc;

use evergraph_algorithms::placement::Policy;
use evergraph_algorithms::{Control, Saved};
use evergraph_graph::OwnedColumn;
use evergraph_results::{Description, Hot, ResultStore, Stored};
use evergraph_snapshots::View;

use super::algorithm::Algorithm;
use super::checkpointer::{Checkpointer, Checkpointing, now_us};
use super::given::Given;
use super::graph::AnyGraph;
use super::part::Part;
use super::placed::{Divided, Placed, divide, place};
use super::prepare::Preparation;
use super::stored::{notes, parameters, with_columns};
use super::{Computed, Outcome, Request};
use crate::threads::start;
use crate::{Error, Session, origin};

/// Options for storing the state and result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durable {
    /// The state is kept after every so many steps, not 0.
    pub checkpoint_every: Option<u64>,
    /// Name of the state; that of the algorithm if `None`.
    pub name: Option<String>,
    /// Go on from the state of that name. Without one it is an error, unless
    /// states are kept: then the run begins anew.
    pub resume: bool,
    /// Keep the result under this name.
    pub keep: Option<String>,
    /// The state stays when the run has ended, unless its result is kept, until
    /// [`RunView::finish`](super::RunView::finish): for callers that have yet to write the
    /// result, so that a failure there does not lose the run.
    pub hold_state: bool,
    /// DRAM for state that waits to be written while the run goes on; the rest is
    /// written while it waits. All of the state if `None`.
    pub staging_bytes: Option<usize>,
    /// Without `staging_bytes`: as much as the model of
    /// [`split`](evergraph_algorithms::placement::split) gives to the state, of the
    /// memory that the run leaves free.
    pub divide_memory: bool,
    /// How the vertices are chosen whose state goes there first, if there is no room
    /// for that of all.
    pub hot: Policy,
}

impl Durable {
    /// Whether the database must be open for writing.
    pub fn writes(&self) -> bool {
        self.checkpoint_every.is_some() || self.resume || self.keep.is_some()
    }

    pub(super) fn keeps_state(&self) -> bool {
        self.checkpoint_every.is_some() || self.resume
    }

    /// Whether the state stays when the run has ended.
    pub fn holds_state(&self) -> bool {
        self.hold_state && self.keep.is_none() && self.keeps_state()
    }
}

/// Refuses an impossible name, and a database that cannot be written, before anything is
/// computed.
pub(super) fn check_writable(session: &Session, name: &str) -> Result<(), Error> {
    let _given_up = session.results()?.begin(name, &[])?;
    Ok(())
}

pub(super) fn state_name<'r>(request: &'r Request, algorithm: &Algorithm) -> &'r str {
    let name = request.durable.name.as_deref();
    name.unwrap_or(algorithm.name)
}

/// The state to go on from, if there is to be one.
pub(super) fn saved(
    session: &Session,
    request: &Request,
    name: &str,
) -> Result<Option<Arc<Stored>>, Error> {
    let durable = &request.durable;
    let results = session.results()?;
    let found = match (durable.resume, durable.checkpoint_every) {
        (true, None) => Some(results.find(name)?),
        _ => results.get(name),
    };
    let Some(stored) = found else {
        return Ok(None);
    };
    if stored.description().finished {
        return Err(Error::usage(
            format!("{name:?} is a finished result, not the state of a run"),
            "give the state another name, or drop that result with `evergraph results DB drop`",
        ));
    }
    if !durable.resume {
        return Err(Error::usage(
            format!(
                "{name:?} is the state of an unfinished run, after step {}",
                stored.description().step
            ),
            "go on with --resume, drop it with `evergraph results DB drop`, or give another name",
        ));
    }
    Ok(Some(stored))
}

/// Refuses to store states of a graph that no snapshot keeps: no run could go on with it.
fn check_kept(session: &Session, csn: u64, durable: &Durable) -> Result<(), Error> {
    let is_kept = session
        .snapshots()
        .iter()
        .any(|snapshot| snapshot.csn == csn);
    match durable.keeps_state() && !is_kept {
        true => Err(Error::usage(
            format!("no snapshot keeps commit {csn}, so that no run could go on from its state"),
            "run it on the view that `run::view` gives for the request",
        )),
        false => Ok(()),
    }
}

/// Plan for storing a run's state and result, made before it begins.
pub(super) struct Plan<'a> {
    results: Arc<ResultStore>,
    durable: &'a Durable,
    /// Description of the result that is being computed.
    description: Description,
    /// The note that tells its commit.
    origin: (String, String),
    from: Option<Arc<Stored>>,
    /// See [`Plan::stage`].
    staging_bytes: Option<usize>,
    divided: Option<Divided>,
}

impl<'a> Plan<'a> {
    /// `None` if nothing is to be stored of a run on the prepared graph.
    pub(super) fn new(
        session: &'a Session,
        request: &'a Request,
        (algorithm, given): (&Algorithm, &Given),
        (view, part, graph): (&View, Option<&Part>, &Preparation<'_>),
    ) -> Result<Option<Self>, Error> {
        let durable = &request.durable;
        if !durable.writes() {
            return Ok(None);
        }
        let name = state_name(request, algorithm);
        check_kept(session, graph.identity().csn, durable)?;
        let from = match durable.keeps_state() {
            true => saved(session, request, name)?,
            false => None,
        };
        let now = now_us();
        let origin = origin::note(view)?;
        let description = Description {
            name: name.to_string(),
            algorithm: algorithm.name.to_string(),
            parameters: parameters(session, (algorithm, given), part),
            graph: graph.identity(),
            step: 0,
            finished: false,
            started_us: from
                .as_ref()
                .map_or(now, |from| from.description().started_us),
            updated_us: now,
            notes: vec![("reads".to_string(), graph.reads()), origin.clone()],
        };
        if let Some(from) = &from {
            origin::check("state", from.description(), view)?;
            check_same(from.description(), &description, algorithm)?;
        }
        let results = session.results()?;
        for name in durable.keep.iter().map(String::as_str).chain([name]) {
            check_writable(session, name)?;
        }
        if let Some(keep) = &durable.keep
            && let Some(other) = results.get(keep)
            && (!durable.keeps_state() || keep != name)
        {
            let other = other.description();
            return Err(Error::usage(
                format!("there is a result {keep:?} already, of {}", other.algorithm),
                "choose another name, or drop it with `evergraph results DB drop`",
            ));
        }
        Ok(Some(Plan {
            results,
            durable,
            description,
            origin,
            from,
            staging_bytes: None,
            divided: None,
        }))
    }

    /// Decides how much DRAM storing states may take, for a kernel that takes `bound`
    /// bytes on what was prepared and leaves `free` bytes of its limit; returns it.
    pub(super) fn stage(&mut self, bound: u64, graph: &Preparation<'_>, free: u64) -> u64 {
        if !self.durable.keeps_state() {
            return 0;
        }
        self.staging_bytes = self.durable.staging_bytes;
        if self.staging_bytes.is_none() && self.durable.divide_memory {
            let every = self.durable.checkpoint_every.unwrap_or(u64::MAX);
            let bytes = (graph.bytes_on_medium(), bound);
            let divided = divide(free, graph.size().vertices, bytes, every);
            self.divided = Some(divided);
            // If there is space for all of the state, there is nothing to choose.
            if divided.state_bytes < bound {
                self.staging_bytes = Some(divided.state_bytes as usize);
            }
        }
        bound.min(self.staging_bytes.unwrap_or(usize::MAX) as u64)
    }

    /// The vertices whose state goes to DRAM first; none where all have room, or no
    /// state is kept.
    pub(super) fn place(
        &self,
        graph: &AnyGraph<'_>,
        control: &Control<'_>,
    ) -> Result<(Hot, Option<Placed>), Error> {
        match self.staging_bytes {
            Some(bytes) if self.durable.keeps_state() => {
                let (hot, placed) = place(graph, self.durable.hot, bytes as u64, control)?;
                Ok((hot, Some(placed)))
            }
            _ => Ok((Hot::default(), None)),
        }
    }

    /// Runs a kernel that may offer its state.
    pub(super) fn supervise(
        &self,
        (hot, placed): (Hot, Option<Placed>),
        control: &Control<'_>,
        run: impl FnOnce(&Control<'_>) -> Result<Computed, Error>,
    ) -> Result<(Computed, Option<Checkpointing>), Error> {
        if !self.durable.keeps_state() {
            return Ok((run(control)?, None));
        }
        let (resumed_step, saved) = match &self.from {
            Some(from) => (
                from.description().step,
                Some(Saved::new(from.description().step, read_columns(from)?)),
            ),
            None => (0, None),
        };
        let every = self.durable.checkpoint_every.unwrap_or(u64::MAX);
        let budget = self.staging_bytes.unwrap_or(usize::MAX);
        let checkpointer = Checkpointer::new(
            (&self.results, &self.description),
            (every, budget, &hot),
            saved,
        );
        std::thread::scope(|scope| {
            let writer = checkpointer.writer();
            let writer = start(scope, move || writer.write_all())?;
            let ending = checkpointer.ending();
            let computed = run(&control.clone().with_checkpoints(&checkpointer));
            let cost = checkpointer.end();
            drop(ending);
            writer.join().expect("the writer of states does not panic");
            let cost = Checkpointing {
                resumed_step,
                placed,
                divided: self.divided,
                ..cost
            };
            match computed {
                Ok(computed) => Ok((computed, Some(cost))),
                Err(Error::Interrupted { message, .. }) if cost.kept > 0 || resumed_step > 0 => {
                    Err(Error::Interrupted {
                        message,
                        hint: "its state is kept: go on with --resume".to_string(),
                    })
                }
                Err(error) => Err(error),
            }
        })
    }

    /// Keeps the result, and drops the state; its snapshot goes with the run's view.
    pub(super) fn finish(&self, outcome: &Outcome) -> Result<(), Error> {
        let state = &self.description.name;
        if let Some(keep) = &self.durable.keep {
            let description = Description {
                name: keep.clone(),
                step: outcome.iterations.unwrap_or(0),
                finished: true,
                updated_us: now_us(),
                notes: [notes(outcome), vec![self.origin.clone()]].concat(),
                ..self.description.clone()
            };
            with_columns(outcome, |columns| self.results.put(&description, columns))?;
        }
        match self.durable.keeps_state() && !self.durable.holds_state() {
            true => drop_state(&self.results, state),
            false => Ok(()),
        }
    }
}

/// Drops the state of a run that has ended, if there is one.
pub(super) fn drop_state(results: &ResultStore, name: &str) -> Result<(), Error> {
    let is_state = |stored: &Arc<Stored>| !stored.description().finished;
    if results.get(name).filter(is_state).is_some() {
        results.remove(&[name])?;
    }
    Ok(())
}

/// All columns of a result.
pub(super) fn read_columns(from: &Stored) -> Result<Vec<(String, OwnedColumn)>, Error> {
    let names: Vec<&str> = from.columns().map(|(name, ..)| name).collect();
    let columns = names.into_iter();
    columns
        .map(|name| Ok((name.to_string(), from.column(name)?)))
        .collect()
}

/// Refuses to go on from the state of another run, and names the difference.
fn check_same(from: &Description, now: &Description, algorithm: &Algorithm) -> Result<(), Error> {
    let differs = |what: String| {
        let hint = "repeat what it began with, or drop the state with `evergraph results DB drop`";
        Err(Error::usage(
            format!("the state {:?} {what}", from.name),
            hint,
        ))
    };
    if from.algorithm != now.algorithm {
        return differs(format!(
            "is of {}, not of {}",
            from.algorithm, now.algorithm
        ));
    }
    let value = |description: &Description, name: &str| {
        let mut given = description.parameters.iter();
        let found = given.find(|(known, _)| known == name);
        match found {
            Some((_, value)) => value.clone(),
            None => algorithm.default_text(name),
        }
    };
    for (name, _) in from.parameters.iter().chain(&now.parameters) {
        let (before, after) = (value(from, name), value(now, name));
        if before != after {
            return differs(format!(
                "was computed with {name}={before}, not {name}={after}"
            ));
        }
    }
    if from.graph != now.graph {
        return differs(format!(
            "is of a graph of {} vertices and {} entries at commit {}, not of {} and {} at {}",
            from.graph.vertex_count,
            from.graph.arc_count,
            from.graph.csn,
            now.graph.vertex_count,
            now.graph.arc_count,
            now.graph.csn
        ));
    }
    let (before, after) = (from.note("reads"), now.note("reads"));
    if before != after {
        let text = |reads: Option<&str>| reads.unwrap_or("something else").to_string();
        return differs(format!("read {}, not {}", text(before), text(after)));
    }
    Ok(())
}
