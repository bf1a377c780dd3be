//! `evergraph seal`: keeps the graph of now in the form that algorithms read
//! fastest.

use std::path::PathBuf;
use std::time::Instant;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use evergraph::algorithms::Progress;
use evergraph::graph::Shape;
use evergraph::{
    Cancellation, Control, Database, Seal, SealOutcome, SealedInfo, SealedName, memory_bytes,
};
use serde_json::{Value, json};

use crate::medium::MediumArgs;
use crate::memory::METER;
use crate::progress;
use crate::report::{Failure, Report, bytes, count, seconds, table};

/// Arguments of `seal`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// Which entries the lists keep: all (`sorted`), no self-loops and parallel
    /// edges (`simple`), or those of the simple undirected graph (`symmetric`)
    #[arg(long, value_name = "S", default_value = "sorted", value_parser = shapes())]
    shape: Shape,
    /// Code the lists: about half the bytes, read more slowly
    #[arg(long)]
    compressed: bool,
    /// What the sealed graph is called [default: after its shape]; it takes the
    /// place of another of that name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Drop the sealed graph of this name, or of this shape and coding
    #[arg(long)]
    drop: bool,
    /// List the sealed graphs that are stored
    #[arg(long, conflicts_with_all = ["drop", "name", "compressed"])]
    list: bool,
    /// Memory that sealing may take, such as 1GiB; what could take more is refused, and
    /// what does is ended
    #[arg(long, value_name = "SIZE", value_parser = crate::sizes::size)]
    memory_limit: Option<u64>,
    #[command(flatten)]
    medium: MediumArgs,
}

const SHAPES: [(&str, Shape); 3] = [
    ("sorted", Shape::Sorted),
    ("simple", Shape::Simple),
    ("symmetric", Shape::Symmetric),
];

fn shapes() -> impl TypedValueParser<Value = Shape> {
    PossibleValuesParser::new(SHAPES.map(|(name, _)| name)).map(|given| {
        let found = SHAPES.iter().find(|(name, _)| *name == given);
        found.expect("one of the possible values").1
    })
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    if args.list {
        return list(args);
    }
    let wanted = Seal {
        shape: args.shape,
        compressed: args.compressed,
        name: args.name.clone(),
        memory_limit: args.memory_limit,
    };
    if args.drop {
        return args.medium.change(&args.db, |db| drop_graph(db, &wanted));
    }
    let started = Instant::now();
    let (outcome, now) = args.medium.change(&args.db, |db| {
        let limit = wanted.memory_limit;
        let outcome = followed(stop, limit, |control| db.seal(&db.view(), &wanted, control))?;
        Ok((outcome, db.view().csn()))
    })?;
    Ok(report(&outcome, now, started.elapsed().as_secs_f64()))
}

/// Seals with a sign of life, and with no more memory than a limit allows; all that the
/// process may use if it is `None`.
pub fn followed(
    stop: &Cancellation,
    memory_limit: Option<u64>,
    seal: impl FnOnce(&Control<'_>) -> Result<SealOutcome, evergraph::Error>,
) -> Result<SealOutcome, Failure> {
    let bar = progress::spinner("sealing the graph");
    let show = |progress: Progress| match progress.unit {
        "bytes written" => bar.set_message(format!(
            "{} of {} written",
            bytes(progress.done),
            bytes(progress.total.unwrap_or(0))
        )),
        other => bar.set_message(other.to_string()),
    };
    let limit = memory_limit.unwrap_or_else(memory_bytes);
    let control = Control::new()
        .with_cancellation(stop)
        .with_memory_limit(METER.current, limit)
        .with_progress(&show);
    let outcome = seal(&control);
    bar.finish_and_clear();
    Ok(outcome?)
}

/// Report of a graph that was sealed, in a database that is at commit `now`.
pub fn report(outcome: &SealOutcome, now: u64, elapsed: f64) -> Report {
    let graph = &outcome.graph;
    let mut json = facts(graph, now);
    json["was_there"] = json!(outcome.was_there);
    json["replaced_csn"] = json!(outcome.replaced);
    json["seconds"] = json!(elapsed);
    let done = match (outcome.was_there, outcome.replaced) {
        (true, _) => ", which was there already".to_string(),
        (false, Some(csn)) => format!(", in place of that of commit {}", count(csn)),
        (false, None) => String::new(),
    };
    let rows = [
        ("sealed", format!("{}{done}", graph.name.text())),
        ("commit", count(graph.csn)),
        ("lists", lists(graph)),
        ("vertices", count(graph.vertex_count)),
        ("entries", count(graph.arc_count)),
        ("bytes", bytes(graph.bytes)),
        ("time", seconds(elapsed)),
    ];
    Report::new(json, table(&rows))
}

fn drop_graph(db: &Database, wanted: &Seal) -> Result<Report, Failure> {
    let name = wanted.name();
    let before = db.stats().extent_bytes;
    db.drop_sealed(&name)?;
    // Commits meanwhile may have taken more.
    let freed = before.saturating_sub(db.stats().extent_bytes);
    Ok(Report::new(
        json!({ "dropped": name, "bytes_freed": freed }),
        table(&[("dropped", name.clone()), ("freed", bytes(freed))]),
    ))
}

fn list(args: &Args) -> Result<Report, Failure> {
    let db = args.medium.open_to_read(&args.db)?;
    let (graphs, now) = (db.sealed_graphs(), db.view().csn());
    let rows: Vec<(&str, String)> = graphs
        .iter()
        .map(|graph| (graph.name.text(), line(graph, now)))
        .collect();
    let text = match &rows[..] {
        [] => "no sealed graphs\n".to_string(),
        rows => table(rows),
    };
    Ok(Report::new(
        json!({ "csn": now, "sealed": all_facts(&graphs, now) }),
        text,
    ))
}

/// Facts about sealed graphs, in a database that is at commit `now`.
pub fn all_facts(graphs: &[SealedInfo], now: u64) -> Vec<Value> {
    graphs.iter().map(|graph| facts(graph, now)).collect()
}

fn facts(graph: &SealedInfo, now: u64) -> Value {
    json!({
        "name": graph.name.text(),
        "of_snapshot": matches!(graph.name, SealedName::Snapshot(_)),
        "csn": graph.csn,
        "is_current": graph.csn == now,
        "shape": shape(graph),
        "directions": graph.direction.name(),
        "compressed": graph.block_edges.is_some(),
        "weighted": graph.weighted,
        "vertices": graph.vertex_count,
        "entries": graph.arc_count,
        "bytes": graph.bytes,
    })
}

/// A sealed graph on one line.
pub fn line(graph: &SealedInfo, now: u64) -> String {
    let what = match graph.name {
        SealedName::Own(_) => "",
        SealedName::Snapshot(_) => "of the snapshot, ",
    };
    let moved_on = match graph.csn == now {
        true => String::new(),
        false => format!("; the graph is at commit {}", count(now)),
    };
    format!(
        "{what}{}, {}, as of commit {}{moved_on}",
        lists(graph),
        bytes(graph.bytes),
        count(graph.csn)
    )
}

fn lists(graph: &SealedInfo) -> String {
    let coding = match graph.block_edges {
        Some(_) => ", compressed",
        None => "",
    };
    format!("{}, {}{coding}", shape(graph), graph.direction.name())
}

fn shape(graph: &SealedInfo) -> &'static str {
    let known = SHAPES.iter().find(|(_, shape)| graph.shape == Some(*shape));
    known.map_or("in stored order", |(name, _)| name)
}
