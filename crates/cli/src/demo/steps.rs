//! The acts before the first kill, and the last one.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evergraph::graph::StoredLists;
use evergraph::run::{Fact, Outcome, Request, real, run};
use evergraph::{Batch, Control, Database, Options};
use evergraph_generators::Edge;
use serde_json::json;

use super::model::{Model, differs};
use super::travel::LOADED;
use super::{Journal, Plan, Step};
use crate::report::{Failure, count, rate};

/// Edges of one commit of the first load.
const LOADED_BATCH: usize = 1 << 16;
/// Edges of one commit while the kernels run, and the pause between two.
const ARRIVING_BATCH: usize = 512;
const PAUSE: Duration = Duration::from_millis(1);

const KERNELS: [&str; 4] = ["pagerank", "bfs", "betweenness", "connected-components"];

/// Makes the edges of the first load.
pub fn generate(plan: Plan, journal: &mut Journal) -> Result<Vec<Edge>, Failure> {
    journal.begin("generating a graph")?;
    let started = Instant::now();
    let edges = plan.loaded();
    let seconds = started.elapsed().as_secs_f64();
    let per_second = edges.len() as f64 / seconds;
    journal.end(Step::new(
        "generate",
        seconds,
        json!({
            "vertices": plan.vertex_count(),
            "edges": edges.len(),
            "edges_per_second": per_second,
        }),
        format!(
            "{} edges, Kronecker, scale {}",
            count(edges.len() as u64),
            plan.scale
        ),
    ));
    Ok(edges)
}

/// Loads the edges, every batch durable before the next.
pub fn ingest(
    plan: Plan,
    path: &Path,
    edges: &[Edge],
    journal: &mut Journal,
) -> Result<Database, Failure> {
    journal.begin("ingesting durably")?;
    let options = Options {
        direction: StoredLists::Undirected,
        log_bytes: plan.log_bytes,
        ..Options::default()
    };
    let db = Database::create(path, &options)?;
    let started = Instant::now();
    let mut vertices = Batch::new();
    vertices.add_vertices(plan.vertex_count());
    db.commit(vertices)?;
    for batch in edges.chunks(LOADED_BATCH) {
        journal.begin("ingesting durably")?;
        db.insert_edges(batch)?;
    }
    db.create_snapshot(LOADED, None)?;
    let seconds = started.elapsed().as_secs_f64();
    let per_second = edges.len() as f64 / seconds;
    let commits = edges.chunks(LOADED_BATCH).len();
    let survives = db.durability_level().name();
    journal.end(Step::new(
        "ingest",
        seconds,
        json!({
            "edges": edges.len(),
            "edges_per_second": per_second,
            "commits": commits,
            "medium": db.medium().name(),
            "survives": survives,
        }),
        format!(
            "{}, {commits} commits, each synced before the next",
            rate(per_second)
        ),
    ));
    Ok(db)
}

/// Runs the kernels while edges arrive. Returns the edges that arrived.
pub fn analyse(
    plan: Plan,
    db: &Database,
    loaded: &[Edge],
    journal: &mut Journal,
) -> Result<Vec<Edge>, Failure> {
    journal.begin("analysing while edges arrive")?;
    let mut arriving = plan.arriving();
    let stop = AtomicBool::new(false);
    let acknowledged = AtomicU64::new(0);
    let started = Instant::now();
    let outcome = std::thread::scope(|scope| {
        let arrives = || {
            arrive(db, &arriving, &stop, &acknowledged)?;
            Ok::<f64, Failure>(started.elapsed().as_secs_f64())
        };
        let writer = std::thread::Builder::new().spawn_scoped(scope, arrives);
        let writer = writer.map_err(|error| {
            let what = format!("the system starts no more threads: {error}");
            Failure::new(what, "allow more processes (ulimit -u)")
        })?;
        let mut ran = Ok(());
        for kernel in KERNELS {
            ran = ran.and_then(|()| one_kernel(plan, db, kernel, loaded, &arriving, journal));
        }
        stop.store(true, Ordering::Release);
        let wrote = writer.join().expect("the writer does not panic");
        ran.and(wrote)
    });
    let seconds = outcome?;
    let count_arrived = acknowledged.load(Ordering::Acquire);
    arriving.truncate(count_arrived as usize);
    let per_second = count_arrived as f64 / seconds;
    journal.end(Step::new(
        "edges arriving",
        seconds,
        json!({ "edges": count_arrived, "edges_per_second": per_second }),
        format!(
            "{} edges meanwhile, {}, commits of {ARRIVING_BATCH}",
            count(count_arrived),
            rate(per_second)
        ),
    ));
    Ok(arriving)
}

/// Commits edge after edge until it is told to stop.
fn arrive(
    db: &Database,
    edges: &[Edge],
    stop: &AtomicBool,
    acknowledged: &AtomicU64,
) -> Result<(), Failure> {
    for batch in edges.chunks(ARRIVING_BATCH) {
        if stop.load(Ordering::Acquire) {
            break;
        }
        db.insert_edges(batch)?;
        acknowledged.fetch_add(batch.len() as u64, Ordering::AcqRel);
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

fn one_kernel(
    plan: Plan,
    db: &Database,
    kernel: &str,
    loaded: &[Edge],
    arriving: &[Edge],
    journal: &mut Journal,
) -> Result<(), Failure> {
    journal.begin(kernel)?;
    let view = db.view();
    // From one vertex: from all it would take minutes.
    let from_one = (kernel == "betweenness").then_some(("samples", "1"));
    let parameters = [("verify", "true")].into_iter().chain(from_one);
    let parameters = parameters.map(|(name, value)| (name.to_string(), value.to_string()));
    let request = Request {
        algorithm: kernel.to_string(),
        parameters: parameters.collect(),
        ..Request::default()
    };
    let control = Control::new().with_cancellation(&journal.stop);
    let outcome = run(db, &view, &request, &control, Some(crate::memory::METER))?;
    let meanwhile = db.view().edge_count()? - view.edge_count()?;
    if let Some(Err(mismatch)) = &outcome.verified {
        return Err(differs(format!("{kernel} is wrong: {mismatch}")));
    }
    // The view still shows exactly the stream up to its own commit.
    let seen = view.edge_count()? as usize;
    let arrived = seen
        .checked_sub(loaded.len())
        .and_then(|k| arriving.get(..k));
    let arrived = arrived.ok_or_else(|| differs(format!("the view has {seen} edges")))?;
    Model::new(plan.vertex_count(), &[loaded, arrived]).compare(&view)?;
    journal.end(Step::new(
        kernel,
        outcome.seconds,
        json!({
            "csn": view.csn(),
            "edges": seen,
            "edges_arrived_meanwhile": meanwhile,
            "verified": true,
            "view_exact": true,
            "dram_bytes": outcome.dram_bytes,
        }),
        format!(
            "{}; {} edges arrived meanwhile, result and view verified",
            summary(&outcome),
            count(meanwhile)
        ),
    ));
    Ok(())
}

fn summary(outcome: &Outcome) -> String {
    let fact = |wanted: &str| {
        let found = outcome.result.iter().find(|(name, _)| *name == wanted);
        match found.map(|(_, fact)| fact) {
            Some(Fact::Whole(number)) => count(*number),
            Some(Fact::Real(number)) => real(*number),
            Some(other) => other.to_string(),
            None => String::new(),
        }
    };
    match outcome.algorithm {
        "pagerank" => format!("{} iterations", outcome.iterations.unwrap_or(0)),
        "connected-components" => format!("{} components", fact("components")),
        _ => format!(
            "{} vertices reached, depth {}",
            fact("reached"),
            fact("max_depth")
        ),
    }
}

/// Stops in order.
pub fn close(db: Database, journal: &mut Journal) -> Result<(), Failure> {
    journal.begin("closing")?;
    let started = Instant::now();
    db.close()?;
    let seconds = started.elapsed().as_secs_f64();
    journal.end(Step::new(
        "close",
        seconds,
        json!({}),
        "merged, stop marked as clean",
    ));
    Ok(())
}

/// Reads every byte once more.
pub fn check(path: &Path, journal: &mut Journal) -> Result<(), Failure> {
    journal.begin("checking every byte")?;
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let db = Database::open(path, &options)?;
    let started = Instant::now();
    let found = db.check();
    if let Some(problem) = found.problems.first() {
        return Err(differs(problem.clone()));
    }
    let seconds = started.elapsed().as_secs_f64();
    journal.end(Step::new(
        "check",
        seconds,
        json!({ "sections": found.sections, "entries": found.entries, "problems": 0 }),
        format!(
            "{} entries in {} sections, sound",
            count(found.entries),
            count(found.sections as u64)
        ),
    ));
    Ok(())
}
