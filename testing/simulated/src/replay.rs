//! Running one path of power cuts again: to repeat a violation, and to shrink it.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::SimulatedStorage;
use crate::choices::Rest;
use crate::explorer::{Explorer, Program, Progress, Steps, model_at};
use crate::report::{Leg, Report, Violation};

/// The environment variable that makes [`Explorer::explore`] repeat one
/// execution: `scenario=NAME;seed=N;point=3/1;choices=0.1.2/1`. Power cuts are
/// separated by `/`, choices by `.`.
pub const REPLAY_VARIABLE: &str = "EVERGRAPH_REPLAY";

/// Executions that shrinking may cost.
const MOST_SHRINKING: usize = 2_000;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a program's code; a panic is its error, and prints nothing.
pub(super) fn guarded(run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if QUIET.get() {
                let at = info.location().map(ToString::to_string);
                PANICKED_AT.set(at.unwrap_or_default());
            } else {
                before(info);
            }
        }));
    });
    let was_quiet = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    QUIET.set(was_quiet);
    result.unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("(no message)");
        Err(format!("panicked at {}: {text}", PANICKED_AT.take()))
    })
}

/// One recovery on a prepared storage.
pub(super) fn recover_once<P: Program>(
    explorer: &Explorer,
    program: &P,
    after: &SimulatedStorage,
    model: &P::Model,
    script: &[u32],
    rest: Rest,
    steps: Option<&mut Steps<P::Model>>,
) -> Result<(), String> {
    {
        let mut state = after.shared.lock();
        state.reset();
        state.chooser.script.clear();
        state.chooser.script.extend_from_slice(script);
        state.chooser.rest = rest;
        state.recording = steps.is_some();
        state.plan.clone_from(&explorer.recovery_faults);
    }
    let mut log = Progress::new(after, model, steps.is_some());
    let result = guarded(|| program.recover(after, &mut log));
    if let Some(steps) = steps {
        *steps = log.into_steps();
    }
    result
}

/// A recorded workload, and storages to follow paths on.
struct Runner<'s, P: Program> {
    explorer: &'s Explorer,
    program: &'s P,
    workload: SimulatedStorage,
    start: P::Model,
    steps: Steps<P::Model>,
    executions: usize,
}

/// A path that failed: at which leg, what was said, and the choices in words.
struct Failure {
    legs: usize,
    message: String,
    choices: Vec<String>,
}

impl<'s, P: Program> Runner<'s, P> {
    fn new(explorer: &'s Explorer, program: &'s P) -> Result<Self, String> {
        let workload = SimulatedStorage::new(program.config());
        workload.plan(explorer.workload_faults.clone());
        let start = P::Model::default();
        let mut log = Progress::new(&workload, &start, true);
        guarded(|| program.run(&workload, &mut log))?;
        let steps = log.into_steps();
        Ok(Self {
            explorer,
            program,
            workload,
            start,
            steps,
            executions: 0,
        })
    }

    /// Follows the path; `None` if no oracle objects, or there is no such point.
    fn run(&mut self, path: &[Leg]) -> Option<Failure> {
        self.executions += 1;
        let mut ran = self.workload.clone();
        let (mut start, mut steps) = (self.start.clone(), self.steps.clone());
        let mut choices = Vec::new();
        for (number, leg) in path.iter().enumerate() {
            let after = SimulatedStorage::new(ran.config());
            let to;
            {
                let (mut state, ran) = (after.shared.lock(), ran.shared.lock());
                if leg.point >= ran.journal.point_count() {
                    return None;
                }
                to = ran.journal.point(leg.point);
                state.begin_after(&ran);
                state.advance(&ran, 0, to);
                state.prepare(&ran.journal.bytes);
            }
            let model = model_at(&start, &steps, to).clone();
            let mut next = Vec::new();
            let result = recover_once(
                self.explorer,
                self.program,
                &after,
                &model,
                &leg.choices,
                Rest::Oldest,
                Some(&mut next),
            );
            let order = number + 1;
            choices.extend(
                after
                    .describe_choices()
                    .into_iter()
                    .map(|choice| format!("after cut {order}: {choice}")),
            );
            if let Err(message) = result {
                return Some(Failure {
                    legs: order,
                    message,
                    choices,
                });
            }
            (ran, start, steps) = (after, model, next);
        }
        None
    }
}

/// The violation of a path with as few surviving stores as can be.
pub(super) fn shrink<P: Program>(
    explorer: &Explorer,
    program: &P,
    mut path: Vec<Leg>,
    message: String,
    executions: u64,
) -> Violation {
    let mut violation = Violation {
        path: path.clone(),
        executions,
        ..Violation::of_workload(program, String::new())
    };
    violation.message = message;
    let Ok(mut runner) = Runner::new(explorer, program) else {
        return violation;
    };
    let Some(mut failure) = runner.run(&path) else {
        violation.message += " (not repeatable: the program is not deterministic)";
        return violation;
    };
    path.truncate(failure.legs);
    for leg in (0..path.len()).rev() {
        let mut chunk = path[leg].choices.len().next_power_of_two();
        while chunk > 0 {
            let mut from = 0;
            while from < path.get(leg).map_or(0, |l| l.choices.len()) {
                let mut simpler = path.clone();
                let choices = &mut simpler[leg].choices;
                let end = (from + chunk).min(choices.len());
                let changed = choices[from..end].iter().any(|&c| c != 0);
                choices[from..end].fill(0);
                from = end;
                if changed
                    && runner.executions < MOST_SHRINKING
                    && let Some(smaller) = runner.run(&simpler)
                {
                    path = simpler;
                    path.truncate(smaller.legs);
                    failure = smaller;
                }
            }
            chunk /= 2;
        }
    }
    for leg in &mut path {
        while leg.choices.last() == Some(&0) {
            leg.choices.pop();
        }
    }
    violation.path = path;
    violation.message = failure.message;
    violation.choices = failure.choices;
    violation
}

/// Repeats one execution, given as [`Violation::replay`] prints it.
///
/// `Ok(None)` if it is clean now, `Err` if the line is not about this program
/// and seed or cannot be read.
pub fn replay<P: Program>(
    explorer: &Explorer,
    program: &P,
    line: &str,
) -> Result<Option<Violation>, String> {
    let field = |key: &str| {
        line.trim()
            .split(';')
            .find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
            .ok_or_else(|| format!("{REPLAY_VARIABLE}: {key}= is missing in {line:?}"))
    };
    let (name, seed) = (field("scenario")?, field("seed")?);
    if name != program.name() || seed != program.seed().to_string() {
        return Err(format!("the replay is about {name} with seed {seed}"));
    }
    let number = |text: &str| {
        text.parse::<u32>()
            .map_err(|e| format!("{REPLAY_VARIABLE}: {text:?}: {e}"))
    };
    let mut path = Vec::new();
    let points = field("point")?.split('/').filter(|p| !p.is_empty());
    let mut choices = field("choices")?.split('/');
    for point in points {
        let options = choices.next().unwrap_or("").split('.');
        let options = options.filter(|o| !o.is_empty());
        path.push(Leg {
            point: number(point)? as usize,
            choices: options.map(number).collect::<Result<_, _>>()?,
        });
    }
    let mut runner = match Runner::new(explorer, program) {
        Ok(runner) => runner,
        Err(message) => return Ok(Some(Violation::of_workload(program, message))),
    };
    Ok(runner.run(&path).map(|failure| {
        path.truncate(failure.legs);
        Violation {
            path,
            message: failure.message,
            choices: failure.choices,
            executions: 1,
            ..Violation::of_workload(program, String::new())
        }
    }))
}

/// The replay that the environment asks for, if it is about this program.
pub(super) fn from_environment<P: Program>(explorer: &Explorer, program: &P) -> Option<Report> {
    let line = std::env::var(REPLAY_VARIABLE).ok()?;
    let found = match replay(explorer, program, &line) {
        Ok(found) => found,
        Err(reason) => {
            eprintln!("{}: {reason}; exploring as usual", program.name());
            return None;
        }
    };
    let mut report = Report::new(program.name(), program.seed());
    report.executions[0] = 1;
    match found {
        Some(violation) => {
            eprintln!("{violation}");
            report.violations.push(violation);
        }
        None => eprintln!("{}: the replay is clean", program.name()),
    }
    Some(report)
}
