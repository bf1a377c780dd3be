//! `evergraph relayout`: changes how the adjacency lies on the medium.

use std::path::PathBuf;
use std::time::Instant;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use evergraph::{Database, Layout};
use serde_json::json;

use crate::medium::MediumArgs;
use crate::report::{Failure, Report, bytes, count, seconds, table};

/// Arguments of `relayout`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// Layout of the adjacency: packed lists, or chains of blocks
    #[arg(long, value_name = "L", value_parser = layouts())]
    layout: Layout,
    #[command(flatten)]
    medium: MediumArgs,
}

/// Reads the name of a layout; a misspelt one gets a suggestion.
pub fn layouts() -> impl TypedValueParser<Value = Layout> {
    let names = Layout::ALL.iter().map(|(name, _)| *name);
    PossibleValuesParser::new(names).map(|given| {
        let found = Layout::ALL.iter().find(|(name, _)| *name == given);
        found.expect("one of the possible values").1
    })
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<Report, Failure> {
    let started = Instant::now();
    let change = |db: &Database| {
        let layout_before = db.config().layout.name();
        let bytes_before = db.stats().extent_bytes;
        db.relayout(args.layout)?;
        let bytes_after = db.stats().extent_bytes;
        let edges = db.view().edge_count()?;
        Ok((layout_before, bytes_before, bytes_after, edges))
    };
    let (layout_before, bytes_before, bytes_after, edges) = args.medium.change(&args.db, change)?;
    let (layout, elapsed) = (args.layout.name(), started.elapsed().as_secs_f64());
    Ok(Report::new(
        json!({
            "layout": layout,
            "layout_before": layout_before,
            "edges": edges,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
            "seconds": elapsed,
        }),
        table(&[
            ("layout", format!("{layout}, {layout_before} before")),
            ("edges", count(edges)),
            ("bytes before", bytes(bytes_before)),
            ("bytes after", bytes(bytes_after)),
            ("time", seconds(elapsed)),
        ]),
    ))
}
