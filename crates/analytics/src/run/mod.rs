//! Algorithms by name, on the live graph.
//!
//! [`algorithms`] is the one list of what can be run: lists, help texts,
//! validation, limits and suggestions come from it. It consists of families, one
//! file each: an [`Algorithm`] says how it is called and what it needs, and its
//! function makes parameters of texts, and a summary of the result.

/// The function of an algorithm. Unit tests run none but connected components: so kernels
/// are compiled for the library, and not, which takes minutes, once more for its tests.
#[cfg(not(test))]
macro_rules! kernel {
    ($run:path) => {
        $run
    };
}

#[cfg(test)]
macro_rules! kernel {
    ($run:path) => {
        |_| {
            let _ = $run;
            unreachable!("unit tests do not run it");
        }
    };
}

mod algorithm;
mod canonical;
mod centralities;
mod checkpointer;
mod communities;
mod component;
mod components;
mod context;
mod conventions;
mod custom;
mod degrees;
mod durable;
mod file_format;
mod given;
mod graph;
mod naming;
mod numbers;
mod output;
mod over;
mod parameters;
mod part;
mod paths;
mod peeling;
mod placed;
mod plan;
mod prepare;
mod registry;
mod resumable;
mod routes;
mod rows;
mod sampling;
mod sealing;
mod sets;
mod spreading;
mod stopped;
mod stored;
mod stream;
mod traversal;
mod trees;
mod triangles;
mod values;
mod view;
mod writing;

use std::borrow::Cow;

use evergraph_algorithms::Control;
use evergraph_graph::{Bytes, Graph};
use evergraph_snapshots::View;
use evergraph_storage::memory_bytes;

use crate::threads::pool;
use crate::{Error, Session};
pub use algorithm::{Algorithm, Determinism, Dram, Needs, Size, Weights};
pub(crate) use canonical::between_ids;
pub use checkpointer::Checkpointing;
pub(crate) use checkpointer::now_us;
use component::Component;
pub use component::largest_component;
use context::{Computed, Context, Measured};
pub(crate) use context::{busiest, largest};
use conventions::{column, counted, peers};
pub use custom::{Answer, CustomAlgorithm, run_custom, view_custom};
pub(crate) use degrees::facts as degree_facts;
pub use durable::Durable;
use durable::Plan;
use evergraph_property_graph::graph::ProjectionOptions;
pub use file_format::FileFormat;
use given::Given;
pub use graph::{AnyGraph, AnyReader};
pub use naming::{Naming, Nodes};
pub use numbers::real;
pub use output::{ValueColumn, write_columns, write_values};
pub use over::over;
pub use parameters::{COMMON, Kind, Parameter};
use part::Part;
pub use placed::{Divided, Placed};
use plan::Wanted;
use prepare::{Preparation, Projected};

pub use plan::Form;
pub use prepare::Prepared;
pub use registry::{algorithms, find};
pub use rows::{Rows, check_titles};
pub(crate) use sealing::{Source, seal};
pub(crate) use stopped::stopped;
pub use stored::Kept;
pub(crate) use stored::stored_notes;
pub use stream::{Holds, Stream, StreamColumn, StreamValue};
pub use values::{Cell, Format, Lists, Values};
pub(crate) use view::drop_snapshot;
pub use view::{RunView, view};
pub use writing::{WriteBack, Written};

/// Request to run an algorithm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Name or alias of the algorithm.
    pub algorithm: String,
    /// Parameters by name; lists may be given by repeating the name.
    pub parameters: Vec<(String, String)>,
    /// Threads; all that the machine has if `None`.
    pub threads: Option<usize>,
    /// DRAM in bytes that the run may take, beside the graph as it is stored. A run
    /// whose bound is above it is refused before it starts; with a [`MemoryMeter`] one
    /// that takes more is ended. All that the process may use if `None`.
    pub memory_limit: Option<u64>,
    /// Storing of the run's state and result.
    pub durable: Durable,
    /// The part of a property graph that it reads; all of it, as it points and without
    /// weights, if `None`.
    pub projection: Option<ProjectionOptions>,
    /// Properties of the nodes of a property graph that they go by where the result
    /// names them: a column each. Nodes without the only one go by their id.
    pub name_by: Vec<String>,
    /// Nodes go by their ids, also where imports have given them keys, which name them
    /// else.
    pub by_number: bool,
    /// The result is to go to the nodes ([`WriteBack`]): one that no transaction could
    /// write is refused before anything is computed.
    pub write_back: bool,
}

/// One fact of a summary.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A count.
    Whole(u64),
    /// A measure.
    Real(f64),
    /// A vertex by its external id, or another name.
    Text(String),
    /// Whether something is so.
    Flag(bool),
    /// A vertex by its external id, where ids are numbers.
    Id(u64),
    /// Vertices by their names, in an order, such as a path.
    Names(Vec<Fact>),
    /// A histogram: from which value on, up to the next, there are how many.
    Counts(Vec<(u64, u64)>),
}

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Full name of the algorithm.
    pub algorithm: &'static str,
    /// The commit that the graph was read at.
    pub csn: u64,
    /// Vertices of the graph; of a property graph, nodes of the projection.
    pub vertices: u64,
    /// Edges of the graph; of a property graph, relationships of the projection.
    pub edges: u64,
    /// External names of the vertices of the values.
    pub naming: Naming,
    /// Seconds of the algorithm alone.
    pub seconds: f64,
    /// Graph made of the stored one, if that was not read as it is.
    pub prepared: Option<Prepared>,
    /// Iterations, levels or searches, where the algorithm has such.
    pub iterations: Option<u64>,
    /// The kept result that was read instead of computing it again.
    pub kept: Option<String>,
    /// Why a kept result was not read, though it is of this commit.
    pub damaged: Option<String>,
    /// Convention of the result, in one line: directions, parallel edges, self-loops,
    /// weights, samples.
    pub counted: String,
    /// Where igraph and networkx count otherwise, and how to get theirs; empty if they
    /// do not.
    pub peers: &'static str,
    /// Title of the values.
    pub column: String,
    /// The summary.
    pub result: Vec<(Cow<'static, str>, Fact)>,
    /// The values, of vertices or of whatever the result consists.
    pub values: Values,
    /// How they are to be written.
    pub format: Format,
    /// DRAM that the algorithm took at its peak, if it was measured.
    pub dram_bytes: Option<u64>,
    /// The most that it may take, by its documented bound.
    pub dram_bound: u64,
    /// Writes of the emulated medium meanwhile; 0 if it counts nothing.
    pub medium_writes: u64,
    /// The verifier's judgement, if it was asked for.
    pub verified: Option<Result<(), String>>,
    /// Cost of storing states, if they were to be stored.
    pub checkpointing: Option<Checkpointing>,
}

/// How to find out how much DRAM is in use; the allocator belongs to the
/// program, not to the library.
#[derive(Clone, Copy, Debug)]
pub struct MemoryMeter {
    /// Bytes in use now, to compare with earlier ones: what was in use when the first
    /// was asked for need not be known.
    pub current: fn() -> usize,
    /// Most bytes that were in use since the last reset.
    pub peak: fn() -> usize,
    /// Begins a new measurement.
    pub reset: fn(),
}

/// Runs an algorithm on a view. Writers may go on meanwhile. A request of which
/// the state is kept, or that goes on from one, runs on the view that [`view`]
/// gives.
///
/// # Errors
/// [`Error::Argument`] for unknown names and values out of range,
/// [`Error::Interrupted`] if `control` ends the run.
pub fn run(
    session: &Session,
    view: &View,
    request: &Request,
    control: &Control<'_>,
    memory: Option<MemoryMeter>,
) -> Result<Outcome, Error> {
    match run_if_any(session, view, request, control, memory)? {
        Some(outcome) => Ok(outcome),
        None => Err(without_vertices(session, view, request)?),
    }
}

/// As [`run`]; `None` if the graph has no vertices.
///
/// # Errors
/// As [`run`].
pub fn run_if_any(
    session: &Session,
    view: &View,
    request: &Request,
    control: &Control<'_>,
    memory: Option<MemoryMeter>,
) -> Result<Option<Outcome>, Error> {
    let algorithm = find(&request.algorithm)?;
    let task = Task {
        algorithm,
        given: algorithm.parse(&request.parameters)?,
        dram_bound: &|given, size, threads| algorithm.dram.bytes(given, size, threads),
        run: &algorithm.run,
    };
    run_task(session, view, request, task, control, memory)
}

/// An algorithm to run: the entry of the registry alone, or with the bound and the function
/// of a custom algorithm.
struct Task<'a> {
    algorithm: &'a Algorithm,
    given: Given,
    dram_bound: &'a (dyn Fn(&Given, Size, usize) -> u64 + Sync),
    run: &'a (dyn Fn(&Context<'_>) -> Result<Computed, Error> + Sync),
}

/// As [`run_if_any`], of any task.
fn run_task(
    session: &Session,
    view: &View,
    request: &Request,
    task: Task<'_>,
    control: &Control<'_>,
    memory: Option<MemoryMeter>,
) -> Result<Option<Outcome>, Error> {
    let Task {
        algorithm, given, ..
    } = task;
    if view.vertex_count() == 0 {
        return Ok(None);
    }
    // Damage is told before anything is computed that could not be named.
    session.read_ids()?;
    let part = Part::of(session, view, request, (algorithm, &given))?;
    let part = part.as_ref();
    let mut damaged = None;
    if !request.durable.writes() && !given.is_on("verify") {
        match stored::find_kept(session, view, (algorithm, &given), part) {
            Ok(Some(kept)) => return Ok(Some(kept)),
            Ok(None) => {}
            // No reason not to compute one.
            Err(error) => damaged = Some(error.summary()),
        }
    }
    let pool = pool(request.threads)?;
    let limit = request.memory_limit.unwrap_or_else(memory_bytes);
    let control = &limited(control, memory, limit);
    let projected = match part {
        None => {
            session.note_run(view);
            check_weights(session, algorithm)?;
            None
        }
        Some(part) => match pool.install(|| part.project(limit, control))? {
            None => return Ok(None),
            projected => projected,
        },
    };
    let needs = algorithm.needs_with(&given);
    let component = match given.is_of_largest_component() {
        false => None,
        true => Some(pool.install(|| component_of(view, projected.as_ref(), limit, control))?),
    };
    let wanted = Wanted {
        needs,
        form: given.form(),
        undirected: given.is_undirected(),
    };
    let preparation = Preparation::new(session, view, (projected, component), wanted)?;
    let (directed, weighted) = preparation.is_directed_and_weighted();
    let (vertices, edges) = preparation.counts()?;
    if request.write_back {
        writing::check_fits(session, algorithm, vertices)?;
    }
    let naming = match part {
        None => Naming::of_vertices(preparation.nodes()),
        Some(part) => part.naming(vertices as u32, preparation.nodes()),
    };
    let threads = pool.current_num_threads();
    let mut dram_bound = (task.dram_bound)(&given, preparation.size(), threads);
    let mut plan = Plan::new(
        session,
        request,
        (algorithm, &given),
        (view, part, &preparation),
    )?;
    if let Some(plan) = &mut plan {
        let free = limit.saturating_sub(dram_bound.saturating_add(preparation.bytes()));
        dram_bound += plan.stage(dram_bound, &preparation, free);
    }
    check_limit(limit, dram_bound, &preparation)?;
    let made = preparation.bytes();
    let (held, prepared) = pool.install(|| preparation.prepare(control))?;
    let control = &limited(control, memory, limit).with_memory_held(made);
    let format = given.format();
    let given = &given;
    let compute = |control: &Control<'_>| {
        let context = Context {
            session,
            graph: &held.graph(),
            given,
            control,
            memory,
            naming: &naming,
            part,
        };
        pool.install(|| (task.run)(&context))
    };
    let (computed, checkpointing) = match &plan {
        Some(plan) => {
            let hot = pool.install(|| plan.place(&held.graph(), control))?;
            plan.supervise(hot, control, compute)?
        }
        None => (compute(control)?, None),
    };
    let asked = (algorithm, given);
    let outcome = Outcome {
        counted: counted(asked, (directed, weighted), &computed.result),
        peers: peers(algorithm.name),
        column: column(algorithm.name, given.text("output"), &computed.result),
        prepared,
        damaged,
        format,
        dram_bound,
        checkpointing,
        vertices,
        edges,
        naming: naming.clone(),
        ..computed.outcome(algorithm, view)
    };
    if let Some(plan) = &plan {
        plan.finish(&outcome)?;
    }
    Ok(Some(outcome))
}

/// The largest component of a view, or of its projection, in no more DRAM than `limit`.
fn component_of(
    view: &View,
    projected: Option<&Projected>,
    limit: u64,
    control: &Control<'_>,
) -> Result<Component, Error> {
    let live;
    let graph = match projected {
        Some(projected) => AnyGraph::Projected(&projected.projection),
        None => {
            live = view.graph()?;
            AnyGraph::Live(&live)
        }
    };
    let size = Size {
        vertices: graph.vertex_count() as u64,
        arcs: graph.arc_count(),
    };
    let most = component::most_bytes(size, rayon::current_num_threads())?;
    if most > limit {
        return Err(Error::usage(
            format!(
                "the run may take {} of memory to find the largest component; \
                 the limit is {}",
                Bytes(most),
                Bytes(limit)
            ),
            "raise the limit, or use fewer threads",
        ));
    }
    control.report("finding the largest component", 0, Some(1));
    Component::of(&graph, control)
}

/// The error for a graph of which nothing can be computed.
fn without_vertices(session: &Session, view: &View, request: &Request) -> Result<Error, Error> {
    let algorithm = find(&request.algorithm)?;
    let given = algorithm.parse(&request.parameters)?;
    let part = Part::of(session, view, request, (algorithm, &given))?;
    Ok(match part {
        Some(part) => part.without_nodes(),
        None => Error::usage("the graph has no vertices", "import edges first"),
    })
}

/// Refuses an algorithm that needs weights where plain edges have none.
fn check_weights(session: &Session, algorithm: &Algorithm) -> Result<(), Error> {
    match algorithm.weights == Weights::Required && !session.config().weighted {
        false => Ok(()),
        true => Err(Error::usage(
            format!("{} needs weights, and the graph has none", algorithm.name),
            "import with --weighted",
        )),
    }
}

/// `control`, which from now on ends a run that takes more than `limit` bytes, if that
/// can be measured.
fn limited<'c>(control: &Control<'c>, memory: Option<MemoryMeter>, limit: u64) -> Control<'c> {
    match memory {
        Some(meter) => control.clone().with_memory_limit(meter.current, limit),
        None => control.clone(),
    }
}

/// Refuses a run that would take more than `limit`.
fn check_limit(limit: u64, bound: u64, graph: &Preparation<'_>) -> Result<(), Error> {
    let made = graph.bytes();
    let needed = bound.saturating_add(made);
    if needed <= limit {
        return Ok(());
    }
    let made = match made {
        0 => String::new(),
        made => format!(", {} of them for {}", Bytes(made), graph.what()),
    };
    Err(Error::usage(
        format!(
            "the run may take {} of memory{made}; the limit is {}",
            Bytes(needed),
            Bytes(limit)
        ),
        "raise the limit, or use fewer threads",
    ))
}
