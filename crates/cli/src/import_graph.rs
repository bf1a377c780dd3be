//! `evergraph import` of nodes and relationships with labels, types and
//! properties.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::Instant;

use evergraph::property::{FileKind, IgnoredFile, Imported, PropertyImport, import, inspect};
use evergraph::{Cancellation, Database, MediumKind, Options, allocated_bytes};
use indicatif::ProgressBar;
use serde_json::json;

use crate::import_args::Args;
use crate::import_into::give_up;
use crate::import_report;
use crate::medium::{close, or_closed};
use crate::progress;
use crate::reading::InputFormat;
use crate::report::{Failure, Report, bytes, count, counted, note, seconds, table};

/// Whether the files are of a property graph, and of which kind if that was said.
pub fn is_meant(args: &Args) -> Result<bool, Failure> {
    let input = &args.input;
    match input.reading.format {
        Some(InputFormat::Property(_)) => return Ok(true),
        Some(InputFormat::Edges(_)) => return Ok(false),
        None => {}
    }
    if !args.growing.nodes.is_empty() || !args.growing.relationships.is_empty() {
        return Ok(true);
    }
    let Some(first) = input.files.first() else {
        return Ok(false);
    };
    Ok(first.is_dir() || (first.is_file() && FileKind::of(first)?.is_some()))
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let started = Instant::now();
    refuse_flags_of_edges(args)?;
    let options = options(args);
    if args.growing.dry_run {
        return inspect_files(args, &options, stop);
    }
    let (db, is_new) = open(args)?;
    let bar = progress::spinner("importing");
    let ignored = RefCell::default();
    // The commit before the first row: keys are defined by commits of their own.
    let begun_at = Cell::new(None);
    let show = |done: &Imported| {
        begun_at.set(begun_at.get().or_else(|| Some(db.view().csn())));
        show(&bar, &ignored, done);
    };
    let imported = db
        .property_graph()
        .and_then(|graph| import(graph, &options, stop, &show));
    bar.finish_and_clear();
    match imported {
        Ok(imported) => {
            tell_idle_keys(&db, &options)?;
            finish(db, &args.input.db, &imported, started)
        }
        Err(error) => {
            // One of them may be what is missing.
            import_report::tell_ignored(&ignored.take());
            // Also of a commit in parts, some of which were refused.
            let has_committed = begun_at.get().is_some_and(|at| db.view().csn() > at);
            give_up(db, is_new, has_committed, &error);
            Err(error.into())
        }
    }
}

/// Notes keys of labels that no node has: a later import finds nothing by them.
fn tell_idle_keys(db: &Database, options: &PropertyImport) -> Result<(), Failure> {
    let view = db.property_graph()?.view();
    for key in &options.keys {
        if view
            .count_with_label(&key.label)
            .map_err(evergraph::Error::from)?
            == 0
        {
            let label = &key.label;
            note(&format!("no node has the label {label:?} of the key {key}"));
        }
    }
    Ok(())
}

/// Shows how far an import is, and keeps the files that it does not read.
fn show(bar: &ProgressBar, ignored: &RefCell<Vec<IgnoredFile>>, done: &Imported) {
    let (nodes, relationships) = (count(done.nodes), count(done.relationships));
    bar.set_message(format!("{nodes} nodes, {relationships} relationships"));
    if ignored.borrow().is_empty() {
        ignored.replace(done.ignored.clone());
    }
}

fn options(args: &Args) -> PropertyImport {
    let (input, growing) = (&args.input, &args.growing);
    PropertyImport {
        files: input.files.clone(),
        nodes: growing.nodes.clone(),
        relationships: growing.relationships.clone(),
        kind: match input.reading.format {
            Some(InputFormat::Property(kind)) => Some(kind),
            _ => None,
        },
        separator: input.reading.separator,
        types: growing.column_types(),
        data: args.data.clone(),
        label: args.label.clone(),
        relationship_type: args.relationship_type.clone(),
        keys: growing.keys.clone(),
        on_conflict: growing.on_conflict.unwrap_or_default(),
        duplicates: growing.duplicates.unwrap_or_default(),
        dangling: growing.dangling.unwrap_or_default(),
        skip_bad: growing.most_bad(input.reading.skip_bad),
        rejects: growing.rejects.clone(),
        rows_at_once: args.batch_edges as usize,
        resume: input.resume,
        or_begin: args.append || growing.on_conflict.is_some(),
    }
}

/// Reads the files without importing them. Without a database they are held against an
/// empty one in memory.
fn inspect_files(
    args: &Args,
    options: &PropertyImport,
    stop: &Cancellation,
) -> Result<Report, Failure> {
    let path = &args.input.db;
    let db = match Database::exists(path) {
        true => args.input.medium.open_to_read(path)?,
        false => Database::create(
            path,
            &Options {
                medium: MediumKind::Dram,
                property_graph: true,
                ..Options::default()
            },
        )?,
    };
    refuse_nodes(args, &db)?;
    let bar = progress::spinner("reading");
    let ignored = RefCell::default();
    let show = |done: &Imported| show(&bar, &ignored, done);
    let found = db
        .property_graph()
        .and_then(|graph| inspect(graph, options, stop, &show));
    bar.finish_and_clear();
    let found = found.inspect_err(|_| import_report::tell_ignored(&ignored.take()))?;
    import_report::tell_left_out(&found.imported);
    import_report::tell_lost_ids(&found.imported);
    Ok(import_report::of_inspection(&found))
}

/// Refuses a database with nodes, unless it is to grow.
fn refuse_nodes(args: &Args, db: &Database) -> Result<(), Failure> {
    let is_meant = args.append || args.input.resume || args.growing.on_conflict.is_some();
    if db.property_graph()?.view().node_bound() > 0 && !is_meant {
        return Err(Failure::new(
            format!("there is a database at {} already", args.input.db.display()),
            "use --append to add to it, --resume to go on with an interrupted import, or \
             another path",
        ));
    }
    Ok(())
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
    Ok((or_closed(db, |db| refuse_nodes(args, db))?, false))
}

fn finish(
    db: Database,
    path: &Path,
    imported: &Imported,
    started: Instant,
) -> Result<Report, Failure> {
    import_report::tell_left_out(imported);
    import_report::tell_lost_ids(imported);
    let csn = db.view().csn();
    let (medium, durability) = (db.medium(), db.durability_level().name());
    db.checkpoint_if_room()?;
    let extent_bytes = db.stats().extent_bytes;
    close(db, true);
    let elapsed = started.elapsed().as_secs_f64();
    let stored = match medium {
        evergraph::MediumKind::Dram => extent_bytes,
        _ => allocated_bytes(path)?,
    };
    let made = imported.nodes - imported.created_ends + imported.relationships;
    let rows = made + imported.updated + imported.unchanged;
    if rows + imported.resumed_nodes + imported.resumed_relationships == 0 {
        note("there are no rows in the files");
    }
    let mut json = json!({
        "vertices": imported.nodes,
        "edges": imported.relationships,
        "resumed_nodes": imported.resumed_nodes,
        "resumed_relationships": imported.resumed_relationships,
        "files": imported.files,
        "ignored_files": imported.ignored.iter().map(|file| &file.path).collect::<Vec<_>>(),
        "seconds": elapsed,
        "rows_per_second": rows as f64 / elapsed,
        "csn": csn,
        "bytes": stored,
        "survives": durability,
    });
    for (name, number) in import_report::counts(imported) {
        json[name] = json!(number);
    }
    json["tables"] = import_report::tables(imported);
    let mut facts = import_report::facts(imported);
    facts.extend([
        ("files", count(imported.files as u64)),
        ("seconds", seconds(elapsed)),
        (
            "rate",
            format!("{} rows/s", count((rows as f64 / elapsed) as u64)),
        ),
        ("stored", bytes(stored)),
        ("survives", durability.to_string()),
    ]);
    if imported.resumed_nodes > 0 {
        let (nodes, relationships) = (imported.resumed_nodes, imported.resumed_relationships);
        facts.push((
            "resumed after",
            format!(
                "{} and {}",
                counted(nodes, "node", "nodes"),
                counted(relationships, "relationship", "relationships")
            ),
        ));
    }
    Ok(Report::new(json, table(&facts)))
}
