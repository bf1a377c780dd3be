//! Algorithms by name, on the live graph.
//!
//! [`ALGORITHMS`] is the one list of what can be run: lists, help texts,
//! validation and suggestions come from it.

mod kernels;
mod output;
mod registry;

use std::time::Instant;

use evergraph_algorithms::{Cancelled, Control, RunError};
use evergraph_graph::{Graph, NeighborReader};
use evergraph_snapshots::{GraphView, View};

use crate::{Database, Error, IdKind};
pub use output::{real, write_values};
use registry::Given;
pub use registry::{ALGORITHMS, Algorithm, COMMON, Kind, Parameter, find};

/// What to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Name or alias of the algorithm.
    pub algorithm: String,
    /// Parameters by name; lists may be given by repeating the name.
    pub parameters: Vec<(String, String)>,
    /// Threads; all that the machine has if `None`.
    pub threads: Option<usize>,
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
}

/// A value for each vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Scores.
    Reals(Vec<f64>),
    /// Depths; [`evergraph_algorithms::UNREACHED`] where there is none.
    Depths(Vec<u32>),
    /// Vertices; [`evergraph_algorithms::UNREACHED`] where there is none.
    Vertices(Vec<u32>),
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Full name of the algorithm.
    pub algorithm: &'static str,
    /// The commit that the graph was read at.
    pub csn: u64,
    /// Seconds of the algorithm alone.
    pub seconds: f64,
    /// Iterations, levels or searches, where the algorithm has such.
    pub iterations: Option<u64>,
    /// The summary.
    pub result: Vec<(&'static str, Fact)>,
    /// The values.
    pub values: Values,
    /// DRAM that the algorithm took at its peak, if it was measured.
    pub dram_bytes: Option<u64>,
    /// What the emulated medium wrote meanwhile; 0 if it counts nothing.
    pub medium_writes: u64,
    /// The verifier's judgement, if it was asked for.
    pub verified: Option<Result<(), String>>,
}

/// How to find out how much DRAM is in use; the allocator belongs to the
/// program, not to the library.
#[derive(Clone, Copy, Debug)]
pub struct MemoryMeter {
    /// Bytes in use now.
    pub current: fn() -> usize,
    /// Most bytes that were in use since the last reset.
    pub peak: fn() -> usize,
    /// Begins a new measurement.
    pub reset: fn(),
}

/// Runs an algorithm on a view. Writers may go on meanwhile.
///
/// # Errors
/// [`Error::Argument`] for unknown names and values out of range,
/// [`Error::Interrupted`] if `control` ends the run.
pub fn run(
    db: &Database,
    view: &View,
    request: &Request,
    control: &Control<'_>,
    memory: Option<MemoryMeter>,
) -> Result<Outcome, Error> {
    let algorithm = find(&request.algorithm)?;
    let given = algorithm.parse(&request.parameters)?;
    if view.vertex_count() == 0 {
        return Err(Error::usage(
            "the graph has no vertices",
            "import edges first",
        ));
    }
    let graph = view.graph()?;
    let context = Context {
        db,
        graph: &graph,
        given,
        control,
        memory,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(request.threads.unwrap_or(0))
        .build()
        .map_err(|error| Error::usage(format!("no threads: {error}"), "ask for fewer"))?;
    let computed = pool.install(|| (algorithm.run)(&context))?;
    Ok(Outcome {
        algorithm: algorithm.name,
        csn: view.csn(),
        seconds: computed.measured.seconds,
        iterations: computed.iterations,
        result: computed.result,
        values: computed.values,
        dram_bytes: computed.measured.dram_bytes,
        medium_writes: computed.measured.medium_writes,
        verified: computed.verified,
    })
}

/// What a kernel's function here works with.
struct Context<'a> {
    db: &'a Database,
    graph: &'a GraphView,
    given: Given,
    control: &'a Control<'a>,
    memory: Option<MemoryMeter>,
}

/// What such a function returns.
struct Computed {
    measured: Measured,
    iterations: Option<u64>,
    result: Vec<(&'static str, Fact)>,
    values: Values,
    verified: Option<Result<(), String>>,
}

/// What a kernel took.
#[derive(Default)]
struct Measured {
    seconds: f64,
    dram_bytes: Option<u64>,
    medium_writes: u64,
}

impl Context<'_> {
    fn measure<T>(
        &self,
        kernel: impl FnOnce() -> Result<T, RunError>,
    ) -> Result<(T, Measured), Error> {
        let writes = || {
            self.db
                .counters()
                .map_or(0, |counters| counters.media_writes)
        };
        let writes_before = writes();
        let memory_before = self.memory.map(|meter| {
            (meter.reset)();
            (meter.current)()
        });
        let started = Instant::now();
        let result = kernel().map_err(stopped)?;
        let measured = Measured {
            seconds: started.elapsed().as_secs_f64(),
            dram_bytes: self
                .memory
                .zip(memory_before)
                .map(|(meter, before)| (meter.peak)().saturating_sub(before) as u64),
            medium_writes: writes() - writes_before,
        };
        Ok((result, measured))
    }

    /// The vertices that `source` names; without one the vertex with the most
    /// out-neighbors, the first of several.
    fn sources(&self) -> Result<Vec<u32>, Error> {
        let texts = self.given.all("source");
        if texts.is_empty() {
            return Ok(vec![self.busiest()]);
        }
        let split = self.db.config().ids != IdKind::Texts;
        let mut sources = Vec::new();
        for text in texts {
            match split {
                true => {
                    for name in text.split(',') {
                        sources.push(self.vertex(name.trim())?);
                    }
                }
                false => sources.push(self.vertex(text)?),
            }
        }
        Ok(sources)
    }

    fn vertex(&self, name: &str) -> Result<u32, Error> {
        let vertex = self.db.vertex_of_name(name);
        // A vertex that is newer than the view does not exist in it.
        vertex
            .filter(|&vertex| (vertex as usize) < self.graph.vertex_count())
            .ok_or_else(|| {
                let hint = match self.db.config().ids {
                    IdKind::Dense => format!("ids go from 0 to {}", self.graph.vertex_count() - 1),
                    _ => "give an id as it was imported".to_string(),
                };
                Error::usage(format!("there is no vertex {name:?}"), hint)
            })
    }

    fn busiest(&self) -> u32 {
        let mut reader = self.graph.reader();
        let mut best = (0, 0);
        for vertex in 0..self.graph.vertex_count() as u32 {
            let degree = reader.degree(vertex);
            if degree > best.0 {
                best = (degree, vertex);
            }
        }
        best.1
    }
}

fn stopped(error: RunError) -> Error {
    match error {
        RunError::Cancelled(Cancelled::Requested) => Error::Interrupted {
            message: "the run ended before its result".to_string(),
            hint: "nothing was changed; run it again".to_string(),
        },
        other => Error::Run(other),
    }
}
