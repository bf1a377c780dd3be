//! `evergraph check`: verifies every byte that a database reaches.

use evergraph::{CheckReport, Database, Error, StorageError, TopologyError};
use serde_json::json;

use crate::medium::DatabaseArgs;
use crate::progress;
use crate::report::{Failure, Report, counted};

/// Runs the command.
pub fn execute(args: &DatabaseArgs) -> Result<Report, Failure> {
    let bar = progress::spinner("checking");
    let (found, unconfirmed, others) = match args.open()? {
        Ok(db) => (db.check(), db.open_report().unconfirmed, others(&db)?),
        Err(error) if is_damage(&error) => {
            let found = CheckReport {
                problems: vec![error.summary()],
                ..CheckReport::default()
            };
            (found, false, Vec::new())
        }
        Err(error) => return Err(unchecked(error)),
    };
    bar.finish_and_clear();
    let ok = found.problems.is_empty();
    let mut text = format!(
        "{}: {}, {}\n",
        if ok { "sound" } else { "damaged" },
        counted(found.sections as u64, "section", "sections"),
        counted(found.entries, "entry", "entries")
    );
    if found.sealed_graphs > 0 {
        let graphs = found.sealed_graphs as u64;
        let graphs = format!(", {}\n", counted(graphs, "sealed graph", "sealed graphs"));
        text.replace_range(text.len() - 1.., &graphs);
    }
    for problem in &found.problems {
        text.push_str(&format!("problem: {problem}\n"));
    }
    for (name, why) in &others {
        text.push_str(&format!(
            "the result {name:?} {why}: drop it with `evergraph results DB drop`\n"
        ));
    }
    if unconfirmed {
        text.push_str(
            "not confirmed: the last writer did not close; until a command writes to the \
             database, a power cut may take back the newest commits\n",
        );
    }
    Ok(Report {
        json: json!({
            "ok": ok,
            "unconfirmed": unconfirmed,
            "problems": found.problems,
            "results_of_other_histories": others.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "sections": found.sections,
            "entries": found.entries,
            "sealed_graphs": found.sealed_graphs,
        }),
        text,
        is_failure: !ok,
    })
}

/// Results of another history of the database, with why; none where results cannot be
/// read, which is among the problems.
fn others(db: &Database) -> Result<Vec<(String, String)>, Failure> {
    let Ok(results) = db.results() else {
        return Ok(Vec::new());
    };
    let mut others = Vec::new();
    for stored in results.list() {
        if let Some(why) = db.other_history(&stored)? {
            others.push((stored.description().name.clone(), why));
        }
    }
    Ok(others)
}

/// Why nothing was checked.
fn unchecked(error: Error) -> Failure {
    let mut failure = Failure::from(error);
    if failure.hint.contains("evergraph check") {
        failure.hint =
            "nothing was checked: take missing files from a copy, and see who may read them"
                .to_string();
    }
    failure
}

/// Whether the bytes are to blame, and not the call.
fn is_damage(error: &Error) -> bool {
    use evergraph::MediumError::OutOfBounds;
    let Error::Store(error) = error else {
        return false;
    };
    matches!(
        error,
        TopologyError::Storage(
            StorageError::Damaged { .. }
                | StorageError::NotADatabase(_)
                | StorageError::Medium(OutOfBounds { .. })
        )
    )
}
