//! `evergraph demo`: the main job end to end.
//!
//! Generate → ingest durably → run the kernels while edges keep arriving → kill
//! an ingesting process several times → reopen and prove, against a plain
//! in-memory model, that every acknowledged edge is there and nothing else → look at
//! the graph as it was at first.

pub mod child;
mod crash;
mod model;
mod place;
mod steps;
mod travel;

use std::path::PathBuf;
use std::time::Instant;

use evergraph::Cancellation;
use evergraph_generators::{Edge, Kronecker};
use serde_json::{Map, Value, json};

use crate::progress;
use crate::report::{Failure, Report, count, seconds};

/// How large, and where.
#[derive(clap::Args)]
pub struct Args {
    /// small: about a million edges; large: sixteen million
    #[arg(long, value_enum, default_value = "small")]
    scale: Scale,
    /// Keep the database in this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Scale {
    Small,
    Large,
}

/// The three streams of edges, all among the same vertices: loaded at first,
/// arriving while the kernels run, ingested by the process that is killed.
#[derive(Clone, Copy)]
pub struct Plan {
    scale: u32,
    log_bytes: u64,
}

const LOADED_DEGREE: u32 = 16;
const LATER_DEGREE: u32 = 8;

impl Plan {
    fn vertex_count(self) -> u64 {
        1 << self.scale
    }

    fn loaded(self) -> Vec<Edge> {
        Kronecker::new(self.scale, LOADED_DEGREE, 1).edges()
    }

    fn arriving(self) -> Vec<Edge> {
        Kronecker::new(self.scale, LATER_DEGREE, 2).edges()
    }
}

/// Edges that the process ingests which is killed.
fn interrupted_stream(scale: u32) -> Vec<Edge> {
    Kronecker::new(scale, LATER_DEGREE, 3).edges()
}

/// One line of the report.
struct Step {
    name: String,
    seconds: f64,
    /// For `--json`.
    facts: Map<String, Value>,
    /// For people.
    text: String,
}

impl Step {
    fn new(name: &str, seconds: f64, facts: Value, text: impl Into<String>) -> Self {
        let facts = match facts {
            Value::Object(facts) => facts,
            _ => Map::new(),
        };
        Step {
            name: name.to_string(),
            seconds,
            facts,
            text: text.into(),
        }
    }
}

/// Gathers the steps and shows which one is being done.
struct Journal {
    steps: Vec<Step>,
    bar: indicatif::ProgressBar,
    stop: Cancellation,
}

impl Journal {
    /// Says what comes next, or that the user has had enough.
    fn begin(&self, what: &str) -> Result<(), Failure> {
        self.bar.set_message(what.to_string());
        match self.stop.is_cancelled() {
            true => Err(Failure::new(
                "interrupted",
                "run the demo again for the whole",
            )),
            false => Ok(()),
        }
    }

    fn end(&mut self, step: Step) {
        self.steps.push(step);
    }
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let started = Instant::now();
    let plan = match args.scale {
        Scale::Small => Plan {
            scale: 16,
            // So small that merges fall into the rounds that are killed.
            log_bytes: 4 << 20,
        },
        Scale::Large => Plan {
            scale: 20,
            log_bytes: 64 << 20,
        },
    };
    let place = place::Place::choose(args.keep.as_deref())?;
    let mut journal = Journal {
        steps: Vec::new(),
        bar: progress::spinner("starting"),
        stop: stop.clone(),
    };
    let edges = play(plan, place.database(), &mut journal)?;
    journal.bar.finish_and_clear();
    Ok(report(
        plan,
        edges,
        &journal,
        started.elapsed().as_secs_f64(),
        args,
    ))
}

/// The play in its acts. Returns how many edges there are in the end.
fn play(plan: Plan, path: PathBuf, journal: &mut Journal) -> Result<u64, Failure> {
    let loaded = steps::generate(plan, journal)?;
    let db = steps::ingest(plan, &path, &loaded, journal)?;
    let arrived = steps::analyse(plan, &db, &loaded, journal)?;
    steps::close(db, journal)?;
    let mut known = loaded;
    known.extend(arrived);
    let total = crash::survive(plan, &path, known, journal)?;
    travel::back(plan, &path, journal)?;
    steps::check(&path, journal)?;
    Ok(total)
}

fn report(plan: Plan, edges: u64, journal: &Journal, total: f64, args: &Args) -> Report {
    let steps: Vec<Value> = journal
        .steps
        .iter()
        .map(|step| {
            let mut facts = step.facts.clone();
            facts.insert("name".to_string(), json!(step.name));
            facts.insert("seconds".to_string(), json!(step.seconds));
            Value::Object(facts)
        })
        .collect();
    let name_width = journal
        .steps
        .iter()
        .map(|step| step.name.len())
        .max()
        .unwrap_or(0);
    let mut text = format!(
        "Evergraph demo: {} vertices, {} edges in the end\n\n",
        count(plan.vertex_count()),
        count(edges)
    );
    for step in &journal.steps {
        let time = seconds(step.seconds);
        text.push_str(&format!(
            "{:<name_width$}  {time:>9}  {}\n",
            step.name, step.text
        ));
    }
    text.push_str(&format!(
        "\nEvery acknowledged edge was there after each kill -9, and nothing else. {} in all.\n",
        seconds(total)
    ));
    if let Some(kept) = &args.keep {
        text.push_str(&format!("The database is in {}.\n", kept.display()));
    }
    Report::new(
        json!({
            "ok": true,
            "vertices": plan.vertex_count(),
            "edges": edges,
            "seconds": total,
            "steps": steps,
        }),
        text,
    )
}
