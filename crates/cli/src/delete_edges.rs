//! `evergraph delete-edges`: deletes the edges that files list.

use std::time::Instant;

use evergraph::import::{Action, ImportOptions};
use evergraph::{Cancellation, Database};
use serde_json::json;

use crate::import::follow;
use crate::reading::InputArgs;
use crate::report::{Failure, Report, count, seconds, table};

/// Runs the command.
pub fn execute(args: &InputArgs, stop: &Cancellation) -> Result<Report, Failure> {
    let reading = args.reading.options()?;
    let db = Database::open(&args.db, &args.medium.options()?)?;
    let started = Instant::now();
    let bytes_before = db.stats().extent_bytes;
    let options = ImportOptions {
        action: Action::Delete,
        reading,
        resume: args.resume,
        ..ImportOptions::default()
    };
    let done = match follow(&db, &args.files, &options, stop) {
        Ok(done) => done,
        Err(error) => {
            db.close()?;
            return Err(error.into());
        }
    };
    let bytes_after = db.stats().extent_bytes;
    let edges = db.view().edge_count()?;
    db.close()?;
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
                format!("{} edges in {}", count(deleted), seconds(elapsed)),
            ),
            ("not found", count(done.missed)),
            ("edges left", count(edges)),
        ]),
    ))
}
