//! The process that is killed: it ingests, and reports every acknowledged
//! commit on its standard output.

use std::io::Write;
use std::path::PathBuf;

use evergraph::{Database, Options};
use serde_json::json;

use super::interrupted_stream;
use crate::report::{Failure, Report};

/// Arguments of the process that is killed: edges to ingest, and the first of them.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// 2^N vertices
    #[arg(long)]
    scale: u32,
    /// Edges of the stream that are in already
    #[arg(long)]
    from: usize,
    /// Edges of one commit
    #[arg(long)]
    batch: usize,
}

/// Runs until the end of the stream, or until it is killed.
pub fn execute(args: &Args) -> Result<Report, Failure> {
    let edges = interrupted_stream(args.scale);
    let db = Database::open(&args.db, &Options::default())?;
    let mut out = std::io::stdout().lock();
    let mut acknowledged = args.from;
    for batch in edges[args.from..].chunks(args.batch) {
        db.insert_edges(batch)?;
        acknowledged += batch.len();
        writeln!(out, "{acknowledged}")
            .and_then(|()| out.flush())
            .map_err(|error| evergraph::Error::io("standard output", error))?;
    }
    db.close()?;
    Ok(Report::new(json!({}), ""))
}
