//! `evergraph import --dry-run` of plain edges.

use evergraph::formats::FileColumn;
use evergraph::import::{
    EdgeInspection, ImportOptions, InspectedFile, default_ids, inspect, probe,
};
use evergraph::{Cancellation, Database, IdKind, time_text};
use serde_json::{Value, json};

use crate::import_args::{Args, Ids};
use crate::import_into::check_continued;
use crate::import_report::tell_skipped;
use crate::progress;
use crate::report::{Failure, Report, count, table};

/// Reads the files, and says what an import would find.
pub fn execute(
    args: &Args,
    options: &ImportOptions,
    stop: &Cancellation,
) -> Result<Report, Failure> {
    let files = &args.input.files;
    let ids = ids(args, options, stop)?;
    let bar = progress::spinner("reading");
    let found = inspect(
        files,
        (ids, args.undirected),
        &options.reading,
        options.rejects.as_deref(),
        stop,
    );
    bar.finish_and_clear();
    let found = found?;
    tell_skipped(&found.skipped);
    Ok(report(&found))
}

/// Kind of the ids, as a database has them or a new one would.
fn ids(args: &Args, options: &ImportOptions, stop: &Cancellation) -> Result<IdKind, Failure> {
    if Database::exists(&args.input.db) {
        let db = Database::open(&args.input.db, &args.input.medium.read_only()?)?;
        db.refuse_property_graph("importing edges")?;
        check_continued(args, &db)?;
        return Ok(db.config().ids);
    }
    let files = &args.input.files;
    Ok(match args.ids {
        None => default_ids(files, options, stop)?,
        Some(Ids::Dense) => IdKind::Dense,
        Some(Ids::Map) if probe(files, &options.reading)?.numeric => IdKind::Numbers,
        Some(Ids::Map | Ids::Text) => IdKind::Texts,
    })
}

fn report(found: &EdgeInspection) -> Report {
    let json = json!({
        "dry_run": true,
        "files": found.files.iter().map(file_json).collect::<Vec<_>>(),
        "ids": found.ids.name(),
        "lines": found.lines,
        "edges": found.edges,
        "deletions": found.deletions,
        "vertices": found.vertices,
        "duplicates": found.duplicates,
        "self_loops": found.self_loops,
        "weights": found.weights.map(|(least, most)| json!({ "least": least, "largest": most })),
        "times": found.times.map(|(first, last)| json!({ "first": first, "last": last })),
        "skipped_lines": found.skipped.count,
    });
    let mut rows = vec![
        ("vertices", count(found.vertices)),
        ("edges", count(found.edges)),
        ("duplicates", count(found.duplicates)),
        ("self-loops", count(found.self_loops)),
        ("lines", count(found.lines)),
    ];
    if found.deletions > 0 {
        rows.push(("deletions", count(found.deletions)));
    }
    if found.skipped.count > 0 {
        rows.push(("bad lines", count(found.skipped.count)));
    }
    rows.push((
        "ids",
        match found.ids {
            IdKind::Dense => "dense: numbers from 0 on".to_string(),
            IdKind::Numbers => "numbers, as the files have them".to_string(),
            IdKind::Texts => "texts, as the files have them".to_string(),
        },
    ));
    rows.extend(
        found
            .weights
            .map(|(least, most)| ("weights", format!("{least} to {most}"))),
    );
    rows.extend(found.times.map(|(first, last)| {
        let text = |seconds: i64| time_text(seconds.saturating_mul(1_000_000));
        ("times", format!("{} to {}", text(first), text(last)))
    }));
    rows.extend(found.files.iter().map(|file| ("file", file_text(file))));
    rows.push(("written", "nothing (--dry-run)".to_string()));
    Report::new(json, table(&rows))
}

fn file_json(file: &InspectedFile) -> Value {
    let column = |column: &FileColumn| {
        json!({
            "name": column.name,
            "role": column.role.name(),
            "read": column.is_read,
        })
    };
    json!({
        "path": file.path,
        "format": file.format.name(),
        "compression": format!("{:?}", file.compression).to_lowercase(),
        "columns": file.columns.iter().map(column).collect::<Vec<_>>(),
        "undirected": file.symmetric,
    })
}

fn file_text(file: &InspectedFile) -> String {
    let columns = file.columns.iter().map(|column| {
        let role = column.role.name();
        let unread = if column.is_read { "" } else { ", not read" };
        match column.name == role {
            true => format!("{role}{unread}"),
            false => format!("{} ({role}{unread})", column.name),
        }
    });
    let columns: Vec<String> = columns.collect();
    let undirected = if file.symmetric { ", undirected" } else { "" };
    format!(
        "{} ({}{undirected}): {}",
        file.path.display(),
        file.format.name(),
        columns.join(", ")
    )
}
