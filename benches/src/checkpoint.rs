//! PageRank that keeps its state, against PageRank that does not, in turn; and a
//! run that is cut off half way, gone on with after the database was opened anew.

use std::sync::OnceLock;
use std::time::Instant;

use evergraph::algorithms::Progress;
use evergraph::run::{Durable, Outcome, Request, run as run_algorithm, view};
use evergraph::{Cancellation, Control, Database, Error, MediumKind, Mode, Options};
use evergraph_graph::StoredLists;
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::median;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, load, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "checkpoint",
    parameters: &[
        "degree",
        "graph",
        "simple",
        "scales",
        "iterations",
        "every",
        "memory",
        "precision",
    ],
    run,
};

const COLUMNS: [&str; 16] = [
    "medium",
    "graph",
    "threads",
    "iterations",
    "plain_seconds",
    "kept_seconds",
    "cost",
    "states",
    "bytes_a_state",
    "waited_seconds",
    "restart_seconds",
    "resumed_after",
    "resume_seconds",
    "iterations_to_resume",
    "rest_seconds",
    "as_expected",
];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let default = match settings.scale {
        Some(scale) => vec![scale],
        None => vec![18, 20],
    };
    let scales: Vec<u32> = settings.list("scales", &default)?;
    let media = match settings.medium {
        Some(MediumKind::Dram) => return Err("nothing of dram is left to go on from".to_string()),
        Some(medium) => vec![medium],
        None => vec![MediumKind::File, MediumKind::Dax],
    };
    let mut table = Table::new("PageRank that keeps its state", &COLUMNS);
    for scale in scales {
        let list = EdgeList::load(settings, scale, true)?;
        for &medium in &media {
            measure(settings, &list, medium, &mut table)?;
        }
    }
    Ok(vec![table])
}

fn measure(
    settings: &Settings<'_>,
    list: &EdgeList,
    medium: MediumKind,
    table: &mut Table,
) -> Result<(), String> {
    let options = Options {
        background: false,
        ..stores::options(settings, medium, Mode::Merged, StoredLists::Undirected)
    };
    let place = Place::new(settings, medium)?;
    let path = place.join("db");
    let mut db = Database::create(&path, &options).map_err(text)?;
    load(&db, list.vertex_count, &list.edges)?;
    let every: u64 = settings.parameter("every", 1)?;
    for &threads in &settings.threads {
        settings.progress(&format!(
            "checkpoint: on {}, {}, {threads} threads",
            medium.name(),
            list.name
        ));
        let plain = request(settings, threads, Durable::default())?;
        let kept = request(
            settings,
            threads,
            Durable {
                checkpoint_every: Some(every),
                staging_bytes: settings.optional("memory")?,
                ..Durable::default()
            },
        )?;
        let (mut plain_seconds, mut kept_seconds, mut last) = (Vec::new(), Vec::new(), None);
        for _ in 0..settings.trials.unwrap_or(5) {
            let alone = complete(&db, &plain)?;
            let keeping = complete(&db, &kept)?;
            plain_seconds.push(alone.seconds);
            kept_seconds.push(keeping.seconds);
            last = Some((alone, keeping));
        }
        let (alone, keeping) = last.expect("at least one trial");
        let cost = keeping.checkpointing.expect("states were kept");
        let (plain_seconds, kept_seconds) = (median(&plain_seconds), median(&kept_seconds));
        let iterations = alone.iterations.unwrap_or(1).max(1);

        cut_off(&db, &kept, iterations / 2)?;
        drop(db);
        let started = Instant::now();
        db = Database::open(&path, &options).map_err(text)?;
        let opened = started.elapsed().as_secs_f64();
        let mut going_on = kept.clone();
        going_on.durable.resume = true;
        let resumed = resume(&db, &going_on)?;
        let iteration = plain_seconds / iterations as f64;
        // Until the first iteration has ended, less that iteration itself.
        let resume_seconds = (resumed.first - iteration).max(0.0);
        table.row(vec![
            json!(medium.name()),
            json!(list.name),
            json!(threads),
            json!(iterations),
            number(plain_seconds),
            number(kept_seconds),
            number(kept_seconds / plain_seconds - 1.0),
            json!(cost.kept),
            json!(cost.bytes_written / cost.kept.max(1)),
            number(cost.waited_seconds),
            number(opened + plain_seconds),
            json!(resumed.after),
            number(resume_seconds),
            number(resume_seconds / iteration),
            number(resumed.outcome.seconds),
            json!(keeping.values == alone.values && resumed.outcome.values == alone.values),
        ]);
    }
    Ok(())
}

fn request(settings: &Settings<'_>, threads: usize, durable: Durable) -> Result<Request, String> {
    let iterations: u32 = settings.parameter("iterations", 20)?;
    let precision: String = settings.parameter("precision", "double".to_string())?;
    Ok(Request {
        algorithm: "pagerank".to_string(),
        parameters: vec![
            ("iterations".to_string(), iterations.to_string()),
            ("precision".to_string(), precision),
        ],
        threads: Some(threads),
        durable,
        ..Request::default()
    })
}

fn complete(db: &Database, request: &Request) -> Result<Outcome, String> {
    let view = view(db, request, None).map_err(text)?;
    run_algorithm(db, &view, request, &Control::new(), None).map_err(text)
}

/// Ends a run after so many iterations.
fn cut_off(db: &Database, request: &Request, iterations: u64) -> Result<(), String> {
    let switch = Cancellation::new();
    let stop = |progress: Progress| {
        if progress.done > iterations {
            switch.cancel();
        }
    };
    let control = Control::new()
        .with_cancellation(&switch)
        .with_progress(&stop);
    let view = view(db, request, None).map_err(text)?;
    match run_algorithm(db, &view, request, &control, None) {
        Err(Error::Interrupted { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(_) => Err("the run ended before it was cut off; ask for more iterations".to_string()),
    }
}

/// A run that went on.
struct Resumed {
    outcome: Outcome,
    /// The step that it went on from.
    after: u64,
    /// Seconds from the request to the end of the first iteration; the state was
    /// read in between.
    first: f64,
}

fn resume(db: &Database, request: &Request) -> Result<Resumed, String> {
    let view = view(db, request, None).map_err(text)?;
    // Pins and checks the graph, which a run that begins anew does as well.
    drop(view.graph().map_err(text)?);
    let first = OnceLock::new();
    let started = Instant::now();
    let note = |_: Progress| {
        first.get_or_init(|| started.elapsed().as_secs_f64());
    };
    let control = Control::new().with_progress(&note);
    let outcome = run_algorithm(db, &view, request, &control, None).map_err(text)?;
    Ok(Resumed {
        after: outcome.checkpointing.map_or(0, |cost| cost.resumed_step),
        first: first.into_inner().unwrap_or(0.0),
        outcome,
    })
}
