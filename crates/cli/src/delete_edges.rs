//! `evergraph delete-edges`: deletes the edges that files list.

use std::cell::Cell;
use std::time::Instant;

use evergraph::import::{Action, ImportOptions};
use evergraph::{Cancellation, Database};
use serde_json::json;

use crate::import::follow;
use crate::reading::InputArgs;
use crate::report::{Failure, Report, count, edges as edges_text, seconds, table};

/// Runs the command.
pub fn execute(args: &InputArgs, stop: &Cancellation) -> Result<Report, Failure> {
    let reading = args.reading.options()?;
    let started = Instant::now();
    let options = ImportOptions {
        action: Action::Delete,
        reading,
        or_begin: true,
        resume: args.resume,
        ..ImportOptions::default()
    };
    let change = |db: &Database| {
        let bytes_before = db.stats().extent_bytes;
        let done = follow(db, &args.files, &options, stop, &Cell::default())?;
        Ok((
            done,
            bytes_before,
            db.stats().extent_bytes,
            db.view().edge_count()?,
        ))
    };
    let (done, bytes_before, bytes_after, edges) = args.medium.change(&args.db, change)?;
    let deleted = done.edges.saturating_sub(done.missed);
    let elapsed = started.elapsed().as_secs_f64();
    Ok(Report::new(
        json!({
            "edges": edges,
            "deleted": deleted,
            "missed": done.missed,
            "seconds": elapsed,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
        }),
        table(&[
            (
                "deleted",
                format!("{} in {}", edges_text(deleted), seconds(elapsed)),
            ),
            ("not found", count(done.missed)),
            ("edges left", count(edges)),
        ]),
    ))
}
