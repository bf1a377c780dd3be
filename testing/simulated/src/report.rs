//! Report of an exploration.

use std::fmt;

use crate::explorer::Program;
use crate::faults::Calls;

/// One power cut of a path: where, and what was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Number of the crash point in the run that was cut.
    pub point: usize,
    /// The option of each choice that followed; those missing are the oldest.
    pub choices: Vec<u32>,
}

/// An execution whose oracle said no.
#[derive(Clone, Debug)]
pub struct Violation {
    /// [`Program::name`].
    pub program: String,
    /// [`Program::seed`].
    pub seed: u64,
    /// The power cuts, after shrinking; none if the workload itself failed.
    pub path: Vec<Leg>,
    /// Message of the oracle or of the panic.
    pub message: String,
    /// The choices in words.
    pub choices: Vec<String>,
    /// Executions made until it was found.
    pub executions: u64,
}

impl Violation {
    pub(super) fn of_workload<P: Program>(program: &P, message: String) -> Self {
        Self {
            program: program.name().to_string(),
            seed: program.seed(),
            path: Vec::new(),
            message: format!("the workload failed: {message}"),
            choices: Vec::new(),
            executions: 0,
        }
    }

    /// The value of [`super::REPLAY_VARIABLE`] that repeats it.
    pub fn replay(&self) -> String {
        let points: Vec<String> = self.path.iter().map(|l| l.point.to_string()).collect();
        let choices: Vec<String> = self
            .path
            .iter()
            .map(|leg| {
                let options: Vec<String> = leg.choices.iter().map(u32::to_string).collect();
                options.join(".")
            })
            .collect();
        format!(
            "scenario={};seed={};point={};choices={}",
            self.program,
            self.seed,
            points.join("/"),
            choices.join("/")
        )
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (seed {}): {}", self.program, self.seed, self.message)?;
        for (order, leg) in self.path.iter().enumerate() {
            writeln!(f, "  power cut {} at crash point {}", order + 1, leg.point)?;
        }
        for choice in &self.choices {
            writeln!(f, "    {choice}")?;
        }
        write!(f, "  {}='{}'", super::REPLAY_VARIABLE, self.replay())
    }
}

/// How one crash point of the workload was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointReport {
    /// Its number.
    pub point: usize,
    /// Executions of first order.
    pub executions: u64,
    /// Whether its choices were enumerated completely.
    pub exhaustive: bool,
}

/// The figures of one exploration; arrays are by order.
#[derive(Clone, Debug)]
pub struct Report {
    /// [`Program::name`].
    pub program: String,
    /// [`Program::seed`].
    pub seed: u64,
    /// Recoveries run.
    pub executions: [u64; 3],
    /// Crash points explored.
    pub crash_points: [u64; 3],
    /// Those whose choices were enumerated completely.
    pub exhaustive_points: [u64; 3],
    /// Those whose choices were sampled.
    pub sampled_points: [u64; 3],
    /// Crash points skipped, because the same state and model were explored.
    pub repeated_points: [u64; 3],
    /// The crash points of the workload.
    pub points: Vec<PointReport>,
    /// Calls of the workload.
    pub workload_calls: Calls,
    /// Most calls of each kind in one recovery.
    pub recovery_calls: Calls,
    /// Violations found.
    pub violations: Vec<Violation>,
    /// Whether the budget ended before the exploration did.
    pub budget_spent: bool,
    /// Time taken.
    pub seconds: f64,
}

impl Report {
    pub(super) fn new(program: &str, seed: u64) -> Self {
        Self {
            program: program.to_string(),
            seed,
            executions: [0; 3],
            crash_points: [0; 3],
            exhaustive_points: [0; 3],
            sampled_points: [0; 3],
            repeated_points: [0; 3],
            points: Vec::new(),
            workload_calls: Calls::default(),
            recovery_calls: Calls::default(),
            violations: Vec::new(),
            budget_spent: false,
            seconds: 0.0,
        }
    }

    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }

    /// Executions of all orders.
    pub fn total_executions(&self) -> u64 {
        self.executions.iter().sum()
    }

    /// Prints the figures; for tests.
    ///
    /// # Panics
    /// If something was found: with the violation and how to repeat it.
    #[track_caller]
    pub fn assert_clean(&self) {
        println!("{self}");
        if let Some(violation) = self.violations.first() {
            panic!("{violation}");
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (seed {}):", self.program, self.seed)?;
        for order in 0..3 {
            if self.crash_points[order] > 0 {
                write!(
                    f,
                    " order {}: {} executions, {} crash points ({} exhaustive, {} repeated);",
                    order + 1,
                    self.executions[order],
                    self.crash_points[order],
                    self.exhaustive_points[order],
                    self.repeated_points[order],
                )?;
            }
        }
        if self.budget_spent {
            write!(f, " budget spent;")?;
        }
        write!(
            f,
            " {} violations; {:.3} s",
            self.violations.len(),
            self.seconds
        )
    }
}
