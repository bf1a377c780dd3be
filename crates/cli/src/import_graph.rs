//! `evergraph import` of nodes and relationships with labels, types and
//! properties.

use std::path::Path;
use std::time::Instant;

use evergraph::property::{FileKind, Imported, PropertyImport, import};
use evergraph::{Cancellation, Database, Options, allocated_bytes};
use serde_json::json;

use crate::import_args::Args;
use crate::import_into::give_up;
use crate::progress;
use crate::reading::InputFormat;
use crate::report::{Failure, Report, bytes, count, note, seconds, table};

/// Whether the files are of a property graph, and of which kind if that was said.
pub fn is_meant(args: &Args) -> Result<bool, Failure> {
    let input = &args.input;
    match input.reading.format {
        Some(InputFormat::Property(_)) => return Ok(true),
        Some(InputFormat::Edges(_)) => return Ok(false),
        None => {}
    }
    let first = &input.files[0];
    Ok(first.is_dir() || (first.is_file() && FileKind::of(first)?.is_some()))
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let started = Instant::now();
    refuse_flags_of_edges(args)?;
    let (db, is_new) = open(args)?;
    let options = PropertyImport {
        files: args.input.files.clone(),
        kind: match args.input.reading.format {
            Some(InputFormat::Property(kind)) => Some(kind),
            _ => None,
        },
        separator: args.input.reading.separator,
        data: args.data.clone(),
        label: args.label.clone(),
        relationship_type: args.relationship_type.clone(),
        skip_bad: args.input.reading.skip_bad,
        rows_at_once: args.batch_edges as usize,
        resume: args.input.resume,
    };
    let bar = progress::spinner("importing");
    let show = |done: &Imported| {
        bar.set_message(format!(
            "{} nodes, {} relationships",
            count(done.nodes),
            count(done.relationships)
        ));
    };
    let imported = db
        .property_graph()
        .and_then(|graph| import(graph, &options, stop, &show));
    bar.finish_and_clear();
    match imported {
        Ok(imported) => finish(db, &args.input.db, &imported, started),
        Err(error) => {
            give_up(db, is_new);
            Err(error.into())
        }
    }
}

/// Refuses flags that only make sense for plain edges.
fn refuse_flags_of_edges(args: &Args) -> Result<(), Failure> {
    match args.flag_of_edges() {
        None => Ok(()),
        Some(flag) => Err(Failure::usage(
            format!("{flag} is about plain edges, and these files are of a property graph"),
            "leave it out; --format edgelist reads a file as plain edges",
        )),
    }
}

fn open(args: &Args) -> Result<(Database, bool), Failure> {
    let options = Options {
        tuning: args.tuning.tuning(),
        ..args.input.medium.options()?
    };
    let path = &args.input.db;
    if !Database::exists(path) {
        let options = Options {
            property_graph: true,
            log_bytes: args.log_mib << 20,
            layout: args.layout.unwrap_or(options.layout),
            ..options
        };
        return Ok((Database::create(path, &options)?, true));
    }
    let db = Database::open(path, &options)?;
    let graph = db.property_graph()?;
    if graph.view().node_bound() > 0 && !args.append && !args.input.resume {
        return Err(Failure::new(
            format!("there is a database at {} already", path.display()),
            "use --append to add to it, --resume to go on with an interrupted import, or \
             another path",
        ));
    }
    Ok((db, false))
}

fn finish(
    db: Database,
    path: &Path,
    imported: &Imported,
    started: Instant,
) -> Result<Report, Failure> {
    for bad in &imported.bad_rows {
        note(&format!("skipped: {bad}"));
    }
    if imported.skipped > imported.bad_rows.len() as u64 {
        note(&format!("skipped: {} rows in all", count(imported.skipped)));
    }
    for file in &imported.ignored {
        note(&format!(
            "{}: not of a known format, not read",
            file.display()
        ));
    }
    let csn = db.view().csn();
    let (medium, durability) = (db.medium(), db.durability_level().name());
    let extent_bytes = {
        db.checkpoint()?;
        db.stats().extent_bytes
    };
    db.close()?;
    let elapsed = started.elapsed().as_secs_f64();
    let stored = match medium {
        evergraph::MediumKind::Dram => extent_bytes,
        _ => allocated_bytes(path)?,
    };
    let rows = imported.nodes + imported.relationships;
    let json = json!({
        "nodes": imported.nodes,
        "relationships": imported.relationships,
        "vertices": imported.nodes,
        "edges": imported.relationships,
        "resumed_nodes": imported.resumed_nodes,
        "resumed_relationships": imported.resumed_relationships,
        "files": imported.files,
        "ignored_files": imported.ignored,
        "skipped_rows": imported.skipped,
        "seconds": elapsed,
        "rows_per_second": rows as f64 / elapsed,
        "csn": csn,
        "bytes": stored,
        "survives": durability,
    });
    let mut facts = vec![
        ("nodes", count(imported.nodes)),
        ("relationships", count(imported.relationships)),
        ("files", count(imported.files as u64)),
        ("seconds", seconds(elapsed)),
        (
            "rate",
            format!("{} rows/s", count((rows as f64 / elapsed) as u64)),
        ),
        ("stored", bytes(stored)),
        ("survives", durability.to_string()),
    ];
    if imported.resumed_nodes > 0 {
        let (nodes, relationships) = (imported.resumed_nodes, imported.resumed_relationships);
        facts.push((
            "resumed after",
            format!(
                "{} nodes and {} relationships",
                count(nodes),
                count(relationships)
            ),
        ));
    }
    Ok(Report::new(json, table(&facts)))
}
