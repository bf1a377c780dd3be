//! Looking at the graph as it was before most of it arrived.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use evergraph::{At, Database, Options};
use serde_json::json;

use super::model::{Model, differs};
use super::{Journal, Plan, Step};
use crate::report::{Failure, count};

/// The snapshot of the first load.
pub const LOADED: &str = "loaded";

/// Reads the snapshot after all that came since, and the kills.
pub fn back(plan: Plan, path: &Path, journal: &mut Journal) -> Result<(), Failure> {
    journal.begin("travelling back")?;
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let db = Database::open(path, &options)?;
    let started = Instant::now();
    let past = db.as_of(&At::Name(LOADED.to_string()))?;
    let now = db.view();
    let mut added = 0;
    let _ = db.diff(&past, &now)?.for_each_edge(|change| {
        added += u64::from(change.added);
        ControlFlow::Continue(())
    })?;
    let seconds = started.elapsed().as_secs_f64();
    Model::new(plan.vertex_count(), &[&plan.loaded()]).compare(&past)?;
    let (then, newest) = (past.edge_count()?, now.edge_count()?);
    if then + added != newest {
        return Err(differs(format!(
            "{then} edges and {added} added ones are not {newest}"
        )));
    }
    journal.end(Step::new(
        "travel back",
        seconds,
        json!({ "csn": past.csn(), "edges": then, "added_since": added, "view_exact": true }),
        format!(
            "as it was loaded: {} edges, verified; {} were added since",
            count(then),
            count(added)
        ),
    ));
    Ok(())
}
