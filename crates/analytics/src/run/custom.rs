//! Algorithms of a program that uses the library, run as those by name are.

use evergraph_algorithms::{Control, RunError};
use evergraph_snapshots::View;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Size, Weights};
use super::context::{Computed, Context};
use super::given::Given;
use super::graph::AnyGraph;
use super::view::{RunView, view_for};
use super::{Fact, MemoryMeter, Outcome, Request, Task, Values, find, run_task};
use crate::{At, Error, Session};

/// An algorithm that [`run_custom`] runs on a view or a projection: within a limit of
/// memory, with progress and cancellation, with a result that can be kept, and, if it goes
/// in steps, with a state that survives the process.
///
/// It asks `control` as those of the library do: [`Control::check`] now and then,
/// [`Control::report`] after each step, [`Control::array`] for its arrays; an algorithm in
/// steps begins with [`Control::saved`] and calls [`Control::offer`] after each.
pub trait CustomAlgorithm: Sync {
    /// Name that its states and results are stored under; none of
    /// [`algorithms`](super::algorithms).
    fn name(&self) -> &'static str;

    /// The parameters that its result depends on, in one spelling: a state is gone on
    /// from, and a kept result read, only where they are the same.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Lists that it reads; the graph is prepared accordingly.
    fn needs(&self) -> Needs {
        Needs::OutLists
    }

    /// Its treatment of weights.
    fn weights(&self) -> Weights {
        Weights::Ignored
    }

    /// Name of a step, if it offers its state after each.
    fn step(&self) -> Option<&'static str> {
        None
    }

    /// The most DRAM in bytes that a run takes beside the graph, its result included.
    fn dram_bound(&self, size: Size, threads: usize) -> u64;

    /// Computes it, on the threads of the current `rayon` pool.
    ///
    /// # Errors
    /// If `control` ends the run, or the graph or the parameters do not allow it.
    fn run(&self, graph: &AnyGraph<'_>, control: &Control<'_>) -> Result<Answer, RunError>;
}

/// Result of a [`CustomAlgorithm`].
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The values.
    pub values: Values,
    /// The summary.
    pub facts: Vec<(&'static str, Fact)>,
    /// Steps, those of earlier processes included.
    pub iterations: Option<u64>,
}

/// As [`super::run`], of an algorithm of one's own. Of the request, `algorithm` and
/// `parameters` are not read.
///
/// # Errors
/// As [`super::run`]; [`Error::Argument`] if the name is one of the library's, or a state
/// is to be kept of an algorithm without steps.
pub fn run_custom(
    session: &Session,
    view: &View,
    custom: &dyn CustomAlgorithm,
    request: &Request,
    control: &Control<'_>,
    memory: Option<MemoryMeter>,
) -> Result<Outcome, Error> {
    let algorithm = described(custom)?;
    let given = given(custom);
    let run = |context: &Context<'_>| {
        let kernel = || custom.run(context.graph, context.control);
        let (answer, measured) = context.measure(kernel)?;
        Ok(Computed {
            measured,
            iterations: answer.iterations,
            result: answer.facts,
            values: answer.values,
            verified: None,
        })
    };
    let task = Task {
        algorithm: &algorithm,
        given,
        dram_bound: &|_, size, threads| custom.dram_bound(size, threads),
        run: &run,
    };
    let outcome = run_task(session, view, request, task, control, memory)?;
    outcome.ok_or_else(|| Error::usage("the graph has no vertices", "import edges first"))
}

/// As [`super::view`], for an algorithm of one's own.
///
/// # Errors
/// As [`super::view`].
pub fn view_custom<'session>(
    session: &'session Session,
    custom: &dyn CustomAlgorithm,
    request: &Request,
    at: Option<&At>,
) -> Result<RunView<'session>, Error> {
    let algorithm = described(custom)?;
    view_for(session, request, at, &algorithm, || match custom.step() {
        Some(_) => Ok(()),
        None => Err(Error::argument(
            format!(
                "{} has no steps after which its state could be kept",
                custom.name()
            ),
            "keep its result alone, or give it steps",
        )),
    })
}

fn given(custom: &dyn CustomAlgorithm) -> Given {
    Given {
        custom: custom.parameters(),
        ..Given::default()
    }
}

/// Its entry of the registry, if it had one.
fn described(custom: &dyn CustomAlgorithm) -> Result<Algorithm, Error> {
    let name = custom.name();
    if find(name).is_ok() {
        return Err(Error::argument(
            format!("{name} is an algorithm of the library"),
            "give your own another name",
        ));
    }
    Ok(Algorithm {
        name,
        aliases: &[],
        columns: &[],
        computes: "an algorithm of a program",
        value: "",
        parameters: &[],
        needs: custom.needs(),
        weights: custom.weights(),
        dram: Dram::words(0.0),
        determinism: Determinism::Always,
        bound: "",
        source: "",
        run: |_| {
            Err(Error::usage(
                "only its program runs it",
                "call `run_custom`",
            ))
        },
    })
}
