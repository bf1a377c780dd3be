//! `evergraph compact`: drops what is deleted.

use std::path::PathBuf;
use std::time::Instant;

use evergraph::{Cancellation, Database, Mode};
use serde_json::json;

use crate::medium::MediumArgs;
use crate::progress;
use crate::report::{Failure, Report, bytes, count, seconds, table};

/// Arguments of `compact`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    #[command(flatten)]
    medium: MediumArgs,
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let started = Instant::now();
    let (bytes_before, bytes_after, edges) =
        args.medium.change(&args.db, |db| compact(db, stop))?;
    let elapsed = started.elapsed().as_secs_f64();
    Ok(Report::new(
        json!({
            "edges": edges,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
            "seconds": elapsed,
        }),
        table(&[
            ("edges", count(edges)),
            ("before", bytes(bytes_before)),
            ("after", bytes(bytes_after)),
            ("time", seconds(elapsed)),
        ]),
    ))
}

/// Returns the bytes before and after, and the number of edges.
fn compact(db: &Database, stop: &Cancellation) -> Result<(u64, u64, u64), Failure> {
    if db.config().mode == Mode::Direct {
        return Err(Failure::new(
            "a database in direct mode is not compacted",
            "import its edges into a database in merged mode",
        ));
    }
    let bytes_before = db.stats().extent_bytes;
    let bar = progress::of_count(0);
    let compacted = db.store().compact_while(&mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        !stop.is_cancelled()
    });
    bar.finish_and_clear();
    let bytes_after = db.stats().extent_bytes;
    let edges = db.view().edge_count()?;
    if !compacted.map_err(evergraph::Error::from)? {
        return Err(Failure::new(
            "interrupted: a part of the database is compacted, the rest is as it was",
            "run the command again to go on",
        ));
    }
    Ok((bytes_before, bytes_after, edges))
}
