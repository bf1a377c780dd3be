//! `evergraph import`: files of edges into a database.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Instant;

use evergraph::formats::{BadLine, FormatError};
use evergraph::import::{
    Doubt, Every, ImportControl, ImportOptions, ImportProgress, ImportReport, Series, doubts,
    import, probe_times,
};
use evergraph::{Cancellation, Database, IdKind, allocated_bytes, formats};
use serde_json::json;

use crate::import_args::Args;
use crate::import_dry_run;
use crate::import_graph;
use crate::import_into::{give_up, open};
use crate::import_pipes;
use crate::import_report::tell_skipped;
use crate::medium::close;
use crate::progress;
use crate::report::{
    Failure, Report, bytes, count, edges as edges_text, note, rate, seconds, table,
};

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    of_any_kind(args, stop).map_err(|failure| {
        let hint = match args.snapshot_every {
            Some(every) if every.is_of_time() && failure.hint.contains("time") => format!(
                "--snapshot-every {every} reads a time from each line: --time-column says where \
                 it is; of lines without times, --snapshot-every takes a number of edges"
            ),
            // The two exclude each other.
            _ if args.growing.max_rejects.is_some() => {
                failure.hint.replace("--skip-bad", "--max-rejects")
            }
            _ => failure.hint,
        };
        Failure { hint, ..failure }
    })
}

/// Imports edges, or a property graph.
fn of_any_kind(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let mut args = args.clone();
    let _until_the_end = import_pipes::spool(&mut args, stop)?;
    let args = &args;
    check_there(args)?;
    if import_graph::is_meant(args)? {
        return import_graph::execute(args, stop);
    }
    if let Some(flag) = args.flag_of_graphs() {
        return Err(Failure::usage(
            format!("{flag} is about property graphs, and these files are of plain edges"),
            "leave it out; --format says what files are that do not look like it",
        ));
    }
    let started = Instant::now();
    let options = ImportOptions {
        reading: reading(args)?,
        batch_edges: args.batch_edges as usize,
        resume: args.input.resume,
        or_begin: args.append,
        snapshots: args.snapshot_every.map(|every| Series {
            every,
            prefix: args.snapshot_prefix.clone(),
        }),
        rejects: args.growing.rejects.clone(),
        ..ImportOptions::default()
    };
    if args.growing.dry_run {
        return import_dry_run::execute(args, &options, stop);
    }
    let (db, is_new) = open(args, &options, stop)?;
    let has_committed = Cell::new(false);
    match follow(&db, &args.input.files, &options, stop, &has_committed) {
        Ok(report) => {
            tell_doubts(&db, &args.input.files, &options.reading)?;
            finish(args, db, &report, started)
        }
        Err(error) => {
            let hint = better_hint(&db, is_new, &error);
            give_up(db, is_new, has_committed.get(), &error);
            let failure = Failure::from(error);
            Err(match hint {
                Some(hint) => Failure { hint, ..failure },
                None => failure,
            })
        }
    }
}

/// Advice on a line that cannot be read, where the ids of the database are why.
fn better_hint(db: &Database, is_new: bool, error: &evergraph::Error) -> Option<String> {
    let evergraph::Error::Format(error) = error else {
        return None;
    };
    let bad = match error {
        FormatError::Parse(bad) => bad,
        FormatError::TooManyBadLines { last, .. } => last,
        _ => return None,
    };
    if !is_new && db.config().ids != IdKind::Texts && matches!(bad.reason, BadLine::NotANumber(_)) {
        return Some(
            "the ids of this database are numbers, and stay so: import texts into a new \
             database, or leave such lines out with --skip-bad"
                .to_string(),
        );
    }
    None
}

/// Refuses a file that is not there before a database is opened.
fn check_there(args: &Args) -> Result<(), Failure> {
    let mut files = args.input.files.iter().chain(args.growing.files());
    match files.find(|file| !file.exists()) {
        Some(file) => Err(FormatError::NotFound { file: file.clone() }.into()),
        None => Ok(()),
    }
}

/// Notes what files may have been meant to be.
fn tell_doubts(
    db: &Database,
    files: &[PathBuf],
    reading: &formats::Options,
) -> Result<(), Failure> {
    for (file, doubt) in doubts(db, files, reading)? {
        let what = match doubt {
            Doubt::Weights(_) if db.config().weighted => continue,
            Doubt::Weights(column) => format!(
                "{column} could be weights, and is not read; --weighted reads it into a new \
                 database"
            ),
            Doubt::Times(column) => {
                format!("{column} is read as times; --time-column names another column")
            }
            Doubt::Titles => "its first line is read as an edge; --header yes if it has the \
                              titles of the columns"
                .to_string(),
            Doubt::Nodes(source, target) => format!(
                "each line is read as an edge, from {source} to {target}; nodes with their \
                 properties are read by --nodes Label={}",
                file.display()
            ),
            Doubt::Unread(columns) => format!(
                "not read: {}; edges have weights and times, relationships of a property graph \
                 types and properties (docs/property-files.md)",
                shortened(&columns)
            ),
            Doubt::Index(column) => format!(
                "{column}, without a title, counts the rows as the index of pandas does, and is \
                 not read"
            ),
        };
        note(&format!("{}: {what}", file.display()));
    }
    Ok(())
}

/// Some of these names.
fn shortened(names: &[String]) -> String {
    const MOST: usize = 5;
    let more = if names.len() > MOST { ", ..." } else { "" };
    let few = &names[..names.len().min(MOST)];
    format!("{}{more}", few.join(", "))
}

/// How the files are read.
fn reading(args: &Args) -> Result<formats::Options, Failure> {
    let by_time = args.snapshot_every.is_some_and(Every::is_of_time);
    let mut reading = formats::Options {
        weighted: args.weighted,
        timestamps: args.timestamps || by_time,
        skip_bad: args.growing.most_bad(args.input.reading.skip_bad),
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

/// Imports with a progress bar and reports tolerated lines; notes when edges are committed.
pub fn follow(
    db: &Database,
    files: &[PathBuf],
    options: &ImportOptions,
    stop: &Cancellation,
    has_committed: &Cell<bool>,
) -> Result<ImportReport, evergraph::Error> {
    let bar = progress::of_bytes(None);
    let show = |progress: ImportProgress| {
        has_committed.set(progress.edges > 0);
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
    tell_skipped(&report.skipped);
    if report.edges + report.resumed_edges == 0 {
        note("there are no edges in the files");
    }
    Ok(report)
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
    let durability = db.durability_level().name();
    let (kind, weighted) = (db.config().ids, db.config().weighted);
    let (medium, device) = (db.medium(), db.emulated_device());
    let (extent_bytes, waited) = (db.stats().extent_bytes, db.store().back_pressure());
    close(db, true);
    let elapsed = started.elapsed().as_secs_f64();
    let deleted = imported.deletions.saturating_sub(imported.missed);
    let edges_per_second = imported.edges as f64 / elapsed;
    let stored = match medium {
        evergraph::MediumKind::Dram => extent_bytes,
        _ => allocated_bytes(&args.input.db)?,
    };
    let media_writes = device.map(|device| device.drain().media_writes);
    let media_writes_per_edge = media_writes.and_then(|writes| per(writes, imported.edges));
    let ids = match kind {
        IdKind::Dense if vertices == 0 => "dense".to_string(),
        IdKind::Dense => format!("dense: 0 to {}", vertices - 1),
        IdKind::Numbers => "numbers, as the files have them".to_string(),
        IdKind::Texts => "texts, as the files have them".to_string(),
    };
    let json = json!({
        "vertices": vertices,
        "edges": edges,
        "ids": kind.name(),
        "seconds": elapsed,
        "edges_per_second": edges_per_second,
        "bytes_per_edge": per(stored, edges),
        "media_writes_per_edge": media_writes_per_edge,
        "imported_edges": imported.edges - imported.deletions,
        "deleted": deleted,
        "missed_deletes": imported.missed,
        "resumed_edges": imported.resumed_edges,
        "skipped_lines": imported.skipped.count,
        "commits": imported.commits,
        "snapshots": imported.snapshots,
        "snapshots_dropped": imported.pruned.len(),
        "sorted": imported.sorted_from.is_some(),
        "commit_waits": waited.waits,
        "commit_waited_seconds": waited.waited_us as f64 / 1e6,
        "csn": csn,
        "bytes": stored,
        "survives": durability,
    });
    let mut rows = vec![
        ("vertices", count(vertices as u64)),
        ("edges", count(edges)),
        ("ids", ids),
        (
            "imported",
            format!(
                "{} in {}",
                edges_text(imported.edges - imported.deletions),
                seconds(elapsed)
            ),
        ),
    ];
    if weighted && imported.rounds_weights {
        rows.push(("weights", "rounded to floats of 32 bits".to_string()));
    }
    if imported.edges >= LEAST_EDGES_OF_A_RATE {
        rows.push(("rate", rate(edges_per_second)));
    }
    rows.push(("stored", stored_text(stored, edges)));
    rows.push(("survives", durability.to_string()));
    if imported.deletions > 0 {
        rows.push(("deleted", edges_text(deleted)));
        rows.push(("not found", count(imported.missed)));
    }
    if imported.snapshots > 0 {
        rows.push(("snapshots", count(imported.snapshots)));
    }
    if !imported.pruned.is_empty() {
        let names = imported.pruned.join(", ");
        rows.push(("dropped", format!("{names} (rules of retention)")));
    }
    if imported.resumed_edges > 0 {
        rows.push(("resumed after", edges_text(imported.resumed_edges)));
    }
    if let Some(writes) = media_writes_per_edge {
        rows.push(("media writes", format!("{writes:.3} an edge")));
    }
    Ok(Report::new(json, table(&rows)))
}

/// A share of each of `count` things; none of nothing.
fn per(amount: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| amount as f64 / count as f64)
}

/// The time of fewer is that of opening and closing.
const LEAST_EDGES_OF_A_RATE: u64 = 10_000;

/// Bytes an edge say nothing where files are as large as they are with no edges.
const MOST_BYTES_AN_EDGE: f64 = 1000.0;

/// The bytes of all edges, and of each.
fn stored_text(stored: u64, edges: u64) -> String {
    let each = per(stored, edges).filter(|&each| each <= MOST_BYTES_AN_EDGE);
    match each {
        Some(each) => format!("{} ({each:.1} bytes an edge)", bytes(stored)),
        None => bytes(stored),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_an_edge_are_told_where_they_mean_something() {
        assert_eq!(stored_text(1 << 26, 0), "64.0 MiB");
        assert_eq!(stored_text(1 << 19, 5), "512.0 KiB");
        assert_eq!(stored_text(1 << 20, 1 << 18), "1.0 MiB (4.0 bytes an edge)");
        assert_eq!((per(3, 0), per(3, 2)), (None, Some(1.5)));
    }
}
