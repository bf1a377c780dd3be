//! `evergraph check`: verifies every byte that a database reaches.

use std::path::PathBuf;

use evergraph::{CheckReport, Database, Error, PersistenceError, TopologyError};
use serde_json::json;

use crate::medium::MediumArgs;
use crate::progress;
use crate::report::{Failure, Report, count};

/// Which database.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    #[command(flatten)]
    medium: MediumArgs,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<Report, Failure> {
    let bar = progress::spinner("checking");
    let found = match Database::open(&args.db, &args.medium.read_only()?) {
        Ok(db) => db.check(),
        Err(error) if is_damage(&error) => CheckReport {
            problems: vec![error.summary()],
            ..CheckReport::default()
        },
        Err(error) => return Err(error.into()),
    };
    bar.finish_and_clear();
    let ok = found.problems.is_empty();
    let mut text = format!(
        "{}: {} sections, {} entries\n",
        if ok { "sound" } else { "damaged" },
        count(found.sections as u64),
        count(found.entries)
    );
    for problem in &found.problems {
        text.push_str(&format!("problem: {problem}\n"));
    }
    Ok(Report {
        json: json!({
            "ok": ok,
            "problems": found.problems,
            "sections": found.sections,
            "entries": found.entries,
        }),
        text,
        is_failure: !ok,
    })
}

/// Whether the bytes are to blame, and not the call.
fn is_damage(error: &Error) -> bool {
    use evergraph::MediumError::OutOfBounds;
    let Error::Store(error) = error else {
        return false;
    };
    matches!(
        error,
        TopologyError::Persistence(
            PersistenceError::Damaged { .. }
                | PersistenceError::NotADatabase(_)
                | PersistenceError::Medium(OutOfBounds { .. })
        )
    )
}
