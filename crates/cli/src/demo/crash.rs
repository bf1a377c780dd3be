//! Killing and recovering.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use evergraph::{Database, Options};
use evergraph_generators::Edge;
use serde_json::json;

use super::model::{Model, differs};
use super::{Journal, Plan, Step, interrupted_stream};
use crate::report::{Failure, count, rate, seconds};

const ROUNDS: usize = 3;
/// Edges of one commit.
const BATCH: usize = 1024;

/// A child process that does not outlive its parent's interest.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Kills an ingesting process several times and proves each time what is
/// there. `known` is the graph before. Returns how many edges there are.
pub fn survive(
    plan: Plan,
    path: &Path,
    known: Vec<Edge>,
    journal: &mut Journal,
) -> Result<u64, Failure> {
    let stream = interrupted_stream(plan.scale);
    let mut stored = 0;
    for round in 1..=ROUNDS {
        journal.begin(&format!("killing an ingesting process, round {round}"))?;
        let until = stream.len() / (ROUNDS + 1) * round;
        let acknowledged = ingest_and_kill(plan, path, stored, until, round, journal)?;
        stored = recover(plan, path, &known, &stream, acknowledged, round, journal)?;
    }
    Ok((known.len() + stored) as u64)
}

/// Lets a child ingest from `from` on and kills it when it has acknowledged
/// `until`. Returns what it acknowledged at last.
fn ingest_and_kill(
    plan: Plan,
    path: &Path,
    from: usize,
    until: usize,
    round: usize,
    journal: &mut Journal,
) -> Result<usize, Failure> {
    let started = Instant::now();
    let mut victim = start(plan, path, from)?;
    let pipe = victim.0.stdout.take().expect("the pipe was asked for");
    let mut acknowledged = from;
    let mut killed = None;
    let mut first_ack = None;
    // After the kill the pipe still holds what was acknowledged before.
    for line in BufReader::new(pipe).lines() {
        let line = line.map_err(|error| evergraph::Error::io("the pipe of the child", error))?;
        // A line that was cut off by the kill has no newline, so it can be told
        // from a shorter number only by being the last; the model decides.
        acknowledged = line.parse().unwrap_or(acknowledged);
        first_ack.get_or_insert_with(Instant::now);
        if acknowledged >= until && killed.is_none() {
            // Not always at the same point of a commit.
            std::thread::sleep(Duration::from_micros(300 * round as u64));
            let kill = victim.0.kill();
            kill.map_err(|error| evergraph::Error::io("killing the child", error))?;
            killed = Some(Instant::now());
        }
    }
    let Some(killed) = killed else {
        return Err(Failure::new(
            format!("the ingesting process ended by itself after {acknowledged} edges"),
            "its message is above",
        ));
    };
    let ingesting = first_ack.map_or(0.0, |first| (killed - first).as_secs_f64());
    let per_second = (acknowledged - from) as f64 / ingesting;
    journal.end(Step::new(
        &format!("kill -9, round {round}"),
        started.elapsed().as_secs_f64(),
        json!({
            "acknowledged_edges": acknowledged - from,
            "edges_per_second": per_second,
            "commit_edges": BATCH,
        }),
        format!(
            "{} edges acknowledged, {}, commits of {BATCH}",
            count((acknowledged - from) as u64),
            rate(per_second)
        ),
    ));
    Ok(acknowledged)
}

fn start(plan: Plan, path: &Path, from: usize) -> Result<Victim, Failure> {
    let io = |error| evergraph::Error::io("starting a child process", error);
    let child = Command::new(std::env::current_exe().map_err(io)?)
        .arg("demo-child")
        .arg(path)
        .args(["--scale", &plan.scale.to_string()])
        .args(["--from", &from.to_string()])
        .args(["--batch", &BATCH.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(io)?;
    Ok(Victim(child))
}

/// Reopens and compares with the model. Returns how many edges of the stream
/// are there.
fn recover(
    plan: Plan,
    path: &Path,
    known: &[Edge],
    stream: &[Edge],
    acknowledged: usize,
    round: usize,
    journal: &mut Journal,
) -> Result<usize, Failure> {
    journal.begin(&format!("recovering, round {round}"))?;
    let hub = Model::new(plan.vertex_count(), &[known]).busiest();
    let started = Instant::now();
    let db = Database::open(path, &Options::default())?;
    let open_seconds = started.elapsed().as_secs_f64();
    let view = db.view();
    let hub_list = view.neighbors(hub)?;
    let query_seconds = started.elapsed().as_secs_f64();

    let stored = (view.edge_count()? as usize).saturating_sub(known.len());
    let unacknowledged = stored.checked_sub(acknowledged);
    match unacknowledged {
        None => {
            let lost = acknowledged - stored;
            return Err(differs(format!("{lost} acknowledged edges are lost")));
        }
        // The commit that was under way may be there, whole, or not.
        Some(0 | BATCH) => {}
        Some(more) => return Err(differs(format!("{more} edges more than were sent"))),
    }
    let model = Model::new(plan.vertex_count(), &[known, &stream[..stored]]);
    if model.list(hub) != hub_list {
        return Err(differs(format!("the first query, vertex {hub}, is wrong")));
    }
    model.compare(&view)?;
    let report = *db.open_report();
    journal.end(Step::new(
        &format!("recover, round {round}"),
        query_seconds,
        json!({
            "open_seconds": open_seconds,
            "first_query_seconds": query_seconds,
            "replayed_commits": report.replayed_commits,
            "replayed_entries": report.replayed_entries,
            "unacknowledged_edges": unacknowledged,
            "verified": true,
        }),
        format!(
            "open in {}, {} commits replayed, first list right; all {} edges compared",
            seconds(open_seconds),
            count(report.replayed_commits),
            count(view.edge_count()?)
        ),
    ));
    // Dropped, not closed: the next round starts from a log, too.
    Ok(stored)
}
