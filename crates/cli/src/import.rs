//! `evergraph import`: files of edges into a database.

use std::path::{Path, PathBuf};
use std::time::Instant;

use evergraph::graph::Direction;
use evergraph::import::{
    Every, ImportControl, ImportOptions, ImportProgress, ImportReport, Series, import, probe,
    probe_times,
};
use evergraph::property::Census;
use evergraph::{Cancellation, Database, IdKind, Layout, Mode, Options, allocated_bytes, formats};
use serde_json::json;

use crate::import_graph;
use crate::progress;
use crate::reading::InputArgs;
use crate::relayout;
use crate::report::{Failure, Report, bytes, count, note, rate, seconds, table};
use crate::tuning::TuningArgs;

/// What to import, and how.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub input: InputArgs,
    /// Every edge goes both ways
    #[arg(long, conflicts_with = "directions")]
    undirected: bool,
    /// Keep lists of out-neighbors, or of in-neighbors as well [default: out]
    #[arg(long, value_enum)]
    directions: Option<Directions>,
    /// Read and keep a weight with each edge
    #[arg(long)]
    weighted: bool,
    /// Read a time with each edge; commits get the times of their edges
    #[arg(long)]
    timestamps: bool,
    /// What times that are numbers count: s, ms, us, or date (YYYYMMDD) [default:
    /// what the first edges look like]
    #[arg(long, value_name = "U")]
    time_unit: Option<formats::TimeUnit>,
    /// Name a snapshot after every N edges, or at the end of each step of time (1h,
    /// 1d, 7d, 1mo, 1y), which reads times
    #[arg(long, value_name = "N|TIME")]
    snapshot_every: Option<Every>,
    /// What the names of these snapshots begin with; a date follows, or `edges-N`
    #[arg(
        long,
        value_name = "P",
        default_value = "",
        requires = "snapshot_every"
    )]
    snapshot_prefix: String,
    /// Layout of the adjacency: packed lists, or chains of blocks (merged mode
    /// only) [default: pma]
    #[arg(long, value_name = "L", value_parser = relayout::layouts())]
    pub layout: Option<Layout>,
    /// How edges reach the medium: through the log, or each in place at once
    /// (byte-addressed media only; such an import cannot be resumed)
    #[arg(long, value_enum, default_value_t = ImportMode::Merged, conflicts_with = "resume")]
    mode: ImportMode,
    /// What vertices are called: dense numbers from 0, or anything, mapped
    #[arg(long, value_enum)]
    ids: Option<Ids>,
    /// Add to a database that has edges already
    #[arg(long, conflicts_with = "resume")]
    pub append: bool,
    /// Edges of one commit at most
    #[arg(long, value_name = "N", default_value_t = 1 << 20,
          value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub batch_edges: u64,
    /// Size of the commit log: what recovery replays at most
    #[arg(long, value_name = "MIB", default_value_t = 64,
          value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    pub log_mib: u64,
    #[command(flatten)]
    pub tuning: TuningArgs,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Directions {
    Out,
    Both,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum ImportMode {
    Merged,
    Direct,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Ids {
    /// Numbers from 0, as they are
    Dense,
    /// Any: 64-bit numbers if the first ids are numbers, texts otherwise
    Map,
    /// Texts, even where they look like numbers
    Text,
}

impl Args {
    /// A flag that says something of plain edges, if one was given.
    pub fn flag_of_edges(&self) -> Option<&'static str> {
        let given = [
            ("--undirected", self.undirected),
            ("--directions", self.directions.is_some()),
            ("--weighted", self.weighted),
            ("--timestamps", self.timestamps),
            ("--snapshot-every", self.snapshot_every.is_some()),
            ("--mode direct", self.mode == ImportMode::Direct),
            ("--ids", self.ids.is_some()),
        ];
        given
            .iter()
            .find(|(_, given)| *given)
            .map(|(flag, _)| *flag)
    }
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    if import_graph::is_meant(args)? {
        return import_graph::execute(args, stop);
    }
    let reading = reading(args)?;
    let (db, is_new) = open(args, &reading)?;
    let started = Instant::now();
    let options = ImportOptions {
        reading,
        batch_edges: args.batch_edges as usize,
        resume: args.input.resume,
        snapshots: args.snapshot_every.map(|every| Series {
            every,
            prefix: args.snapshot_prefix.clone(),
        }),
        ..ImportOptions::default()
    };
    match follow(&db, &args.input.files, &options, stop) {
        Ok(report) => finish(args, db, &report, started),
        Err(error) => {
            give_up(db, &args.input.db, is_new)?;
            Err(error)
        }
    }
}

/// How the files are read.
fn reading(args: &Args) -> Result<formats::Options, Failure> {
    let by_time = args.snapshot_every.is_some_and(Every::is_of_time);
    let mut reading = formats::Options {
        weighted: args.weighted,
        timestamps: args.timestamps || by_time,
        ..args.input.reading.options()?
    };
    let reads_times = reading.timestamps || reading.columns.timestamp.is_some();
    reading.time_unit = match args.time_unit {
        Some(unit) => unit,
        None if reads_times => {
            let unit = probe_times(&args.input.files[0], &reading)?;
            if unit != formats::TimeUnit::default() {
                note(&format!(
                    "the times look like {}; reading them so (--time-unit says otherwise)",
                    unit.name()
                ));
            }
            unit
        }
        None => formats::TimeUnit::default(),
    };
    Ok(reading)
}

/// Imports with a progress bar and reports tolerated lines.
pub fn follow(
    db: &Database,
    files: &[PathBuf],
    options: &ImportOptions,
    stop: &Cancellation,
) -> Result<ImportReport, Failure> {
    let bar = progress::of_bytes(None);
    let show = |progress: ImportProgress| {
        if let Some(total) = progress.total_bytes {
            bar.set_length(total);
        }
        bar.set_position(progress.bytes);
        bar.set_message(format!(
            "{} edges",
            count(progress.edges + progress.resumed_edges)
        ));
    };
    let control = ImportControl {
        cancellation: stop.clone(),
        progress: &show,
    };
    let report = import(db, files, options, &control);
    bar.finish_and_clear();
    let report = report?;
    if let Some(place) = &report.sorted_from {
        note(&format!(
            "{place}: the times go back; the edges were sorted by time"
        ));
    }
    let skipped = &report.skipped;
    for line in &skipped.first {
        note(&format!("skipped: {}", line.summary()));
    }
    if skipped.count > skipped.first.len() as u64 {
        note(&format!("skipped: {} lines in all", count(skipped.count)));
    }
    Ok(report)
}

/// Opens the database, or makes it. Says whether it is new.
fn open(args: &Args, reading: &formats::Options) -> Result<(Database, bool), Failure> {
    let options = Options {
        tuning: args.tuning.tuning(),
        ..args.input.medium.options()?
    };
    if Database::exists(&args.input.db) {
        let db = Database::open(&args.input.db, &options)?;
        db.refuse_property_graph("importing edges")?;
        check_continued(args, &db)?;
        return Ok((db, false));
    }
    let options = Options {
        log_bytes: args.log_mib << 20,
        weighted: args.weighted,
        ..choose(args, reading, options)?
    };
    Ok((Database::create(&args.input.db, &options)?, true))
}

/// Direction and kind of ids of a new database.
fn choose(args: &Args, reading: &formats::Options, options: Options) -> Result<Options, Failure> {
    let found = probe(&args.input.files, reading)?;
    let mut undirected = args.undirected;
    if !undirected && found.symmetric && args.directions.is_none() {
        note("the files say that their edges are undirected; importing them so");
        undirected = true;
    }
    let direction = match (undirected, args.directions) {
        (true, _) => Direction::Undirected,
        (false, Some(Directions::Both)) => Direction::Both,
        (false, _) => Direction::Out,
    };
    let ids = match args.ids {
        None | Some(Ids::Dense) => IdKind::Dense,
        Some(Ids::Map) if found.numeric => IdKind::Numbers,
        Some(Ids::Map | Ids::Text) => IdKind::Texts,
    };
    let mode = match args.mode {
        ImportMode::Merged => Mode::Merged,
        ImportMode::Direct => Mode::Direct,
    };
    Ok(Options {
        direction,
        ids,
        mode,
        layout: args.layout.unwrap_or(options.layout),
        ..options
    })
}

/// Refuses what does not fit a database that exists.
fn check_continued(args: &Args, db: &Database) -> Result<(), Failure> {
    let config = db.config();
    if args.input.resume && config.mode == Mode::Direct {
        return Err(Failure::new(
            "an import in direct mode cannot be resumed: each edge is a commit of its own",
            "import into another path",
        ));
    }
    let is_empty = db.view().vertex_count() == 0;
    if !is_empty && !args.append && !args.input.resume {
        return Err(Failure::new(
            format!("there is a database at {} already", args.input.db.display()),
            "use --append to add to it, --resume to go on with an interrupted import, or another path",
        ));
    }
    if let Some(layout) = args.layout
        && layout != config.layout
    {
        return Err(Failure::new(
            format!("the database has the layout `{}`", config.layout.name()),
            format!(
                "leave out --layout, or change it first: evergraph relayout {} --layout {}",
                args.input.db.display(),
                layout.name()
            ),
        ));
    }
    let other_direction = (args.undirected && config.direction != Direction::Undirected)
        || (args.directions == Some(Directions::Out) && config.direction != Direction::Out)
        || (args.directions == Some(Directions::Both) && config.direction != Direction::Both);
    let other_ids = match args.ids {
        None => false,
        Some(Ids::Dense) => config.ids != IdKind::Dense,
        Some(Ids::Map) => config.ids == IdKind::Dense,
        Some(Ids::Text) => config.ids != IdKind::Texts,
    };
    if other_direction || other_ids {
        return Err(Failure::new(
            format!(
                "the database was made with direction {:?} and ids {:?}",
                config.direction, config.ids
            ),
            "leave out the flag that says otherwise, or import into a new database",
        ));
    }
    Ok(())
}

/// Closes a database after a failure, and removes it if it is new and empty.
pub fn give_up(db: Database, path: &Path, is_new: bool) -> Result<(), Failure> {
    let is_empty = db.view().vertex_count() == 0;
    let on_disk = db.medium() != evergraph::MediumKind::Dram;
    if !is_empty {
        note(&format!("{} are in the database and stay", content(&db)?));
    }
    db.close()?;
    if is_new && is_empty && on_disk {
        // What cannot be removed does no harm: an empty database can be imported into.
        for file in ["pool", "log", "extents", "lock"] {
            let _ = std::fs::remove_file(path.join(file));
        }
        let _ = std::fs::remove_dir(path);
    }
    Ok(())
}

/// What is in a database, counted.
fn content(db: &Database) -> Result<String, Failure> {
    if !db.is_property_graph() {
        return Ok(format!("{} edges", count(db.view().edge_count()?)));
    }
    let census = Census::of(&db.property_graph()?.view())?;
    let (nodes, relationships) = (count(census.nodes), count(census.relationships));
    Ok(format!("{nodes} nodes and {relationships} relationships"))
}

fn finish(
    args: &Args,
    db: Database,
    imported: &ImportReport,
    started: Instant,
) -> Result<Report, Failure> {
    let view = db.view();
    let (vertices, edges, csn) = (view.vertex_count(), view.edge_count()?, view.csn());
    drop(view);
    let ack = format!("{:?}", db.ack_level()).to_lowercase();
    let (medium, device) = (db.medium(), db.emulated_device());
    let (extent_bytes, waited) = (db.stats().extent_bytes, db.store().back_pressure());
    db.close()?;
    let elapsed = started.elapsed().as_secs_f64();
    let deleted = imported.deletions.saturating_sub(imported.missed);
    let edges_per_second = imported.edges as f64 / elapsed;
    let stored = match medium {
        evergraph::MediumKind::Dram => extent_bytes,
        _ => allocated_bytes(&args.input.db)?,
    };
    let per_edge = |amount: u64, edges: u64| amount as f64 / edges.max(1) as f64;
    let media_writes = device.map(|device| device.settle().media_writes);
    let media_writes_per_edge = media_writes.map(|writes| per_edge(writes, imported.edges));
    let json = json!({
        "vertices": vertices,
        "edges": edges,
        "seconds": elapsed,
        "edges_per_second": edges_per_second,
        "bytes_per_edge": per_edge(stored, edges),
        "media_writes_per_edge": media_writes_per_edge,
        "imported_edges": imported.edges - imported.deletions,
        "deleted": deleted,
        "missed_deletes": imported.missed,
        "resumed_edges": imported.resumed_edges,
        "skipped_lines": imported.skipped.count,
        "commits": imported.commits,
        "snapshots": imported.snapshots,
        "snapshots_dropped": imported.pruned,
        "sorted": imported.sorted_from.is_some(),
        "commit_waits": waited.waits,
        "commit_waited_seconds": waited.waited_us as f64 / 1e6,
        "csn": csn,
        "bytes": stored,
        "survives": ack,
    });
    let mut rows = vec![
        ("vertices", count(vertices as u64)),
        ("edges", count(edges)),
        (
            "imported",
            format!(
                "{} edges in {}",
                count(imported.edges - imported.deletions),
                seconds(elapsed)
            ),
        ),
        ("rate", rate(edges_per_second)),
        (
            "stored",
            format!(
                "{} ({:.1} bytes an edge)",
                bytes(stored),
                per_edge(stored, edges)
            ),
        ),
        ("survives", ack),
    ];
    if imported.deletions > 0 {
        rows.push(("deleted", format!("{} edges", count(deleted))));
        rows.push(("not found", count(imported.missed)));
    }
    if imported.snapshots > 0 {
        let dropped = match imported.pruned {
            0 => String::new(),
            dropped => format!(", {} dropped by the rules of retention", count(dropped)),
        };
        rows.push(("snapshots", count(imported.snapshots) + &dropped));
    }
    if imported.resumed_edges > 0 {
        rows.push((
            "resumed after",
            format!("{} edges", count(imported.resumed_edges)),
        ));
    }
    if let Some(writes) = media_writes_per_edge {
        rows.push(("media writes", format!("{writes:.3} an edge")));
    }
    Ok(Report::new(json, table(&rows)))
}
