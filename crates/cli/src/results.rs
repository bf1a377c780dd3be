//! `evergraph results`: what algorithms have left in a database.

use std::path::PathBuf;

use evergraph::run::Kept;
use evergraph::state::Stored;
use evergraph::{Cancellation, Database, IdKind, time_text};
use serde_json::{Map, Value, json};

use crate::medium::MediumArgs;
use crate::outcome::{fact, shown};
use crate::output::{RowsArgs, Target, wants_stdout};
use crate::report::{Failure, Report, bytes, count, note, table};

/// Arguments of `results`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    medium: MediumArgs,
}

#[derive(clap::Subcommand)]
enum What {
    /// List them (as without a word)
    List,
    /// Show one, and write its values
    Show {
        /// What it is called
        name: String,
        #[command(flatten)]
        rows: RowsArgs,
    },
    /// Remove them and give their space back
    Drop {
        /// What they are called
        #[arg(required = true)]
        names: Vec<String>,
    },
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool, stop: &Cancellation) -> Result<Report, Failure> {
    match &args.what {
        None | Some(What::List) => list(&args.medium.open_to_read(&args.db)?),
        Some(What::Show { name, rows }) => {
            let output = rows.output.as_deref();
            let to_stdout = wants_stdout(output, as_json)?;
            let format = rows.format()?;
            let db = args.medium.open_to_read(&args.db)?;
            let stored = db.results()?.find(name).map_err(evergraph::Error::from)?;
            if output.is_none() && rows.top.is_none() {
                return show(&db, &stored);
            }
            let kept = Kept::read(&db, &stored)?;
            let kept = match rows.numbers {
                true => kept.by_number(),
                false => kept,
            };
            if let Some(why) = &kept.without_names {
                note(&format!("nodes go by their internal numbers: {why}"));
            }
            check_nameable(&db, &stored)?;
            db.read_ids()?;
            let chosen = rows.chosen(kept.rows(&db));
            let Some(path) = output else {
                return Ok(show(&db, &stored)?.with_rows(Some(shown(&chosen)?)));
            };
            Target::open(path)?.write(stop, |out| chosen.write(out, format))?;
            match to_stdout {
                true => Ok(Report::new(json!({}), "")),
                false => show(&db, &stored),
            }
        }
        Some(What::Drop { names }) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let freed = args.medium.change(&args.db, |db| {
                let before = db.results()?.bytes();
                db.drop_results(&names)?;
                Ok(before.saturating_sub(db.results()?.bytes()))
            })?;
            Ok(Report::dropped(&names, freed))
        }
    }
}

/// Refuses to name vertices whose ids were assigned in another history of the database; of
/// others it says that they are of one.
fn check_nameable(db: &Database, stored: &Stored) -> Result<(), Failure> {
    let has_own_ids = db.is_property_graph() || db.config().ids == IdKind::Dense;
    let Some(why) = db.other_history(stored)? else {
        return Ok(());
    };
    let what = format!("the result {:?} {why}", stored.description().name);
    if has_own_ids {
        note(&what);
        return Ok(());
    }
    Err(Failure::new(
        what,
        "its vertices had other ids: drop it with `evergraph results DB drop`, and run it anew",
    ))
}

fn list(db: &Database) -> Result<Report, Failure> {
    let results = db.results()?.list();
    let (mut rows, mut all) = (Vec::new(), Vec::new());
    for stored in &results {
        all.push(described(db, stored)?);
        let described = stored.description();
        let other = match db.other_history(stored)? {
            Some(why) => format!("; it {why}"),
            None => String::new(),
        };
        let state = match described.finished {
            true => String::new(),
            false => format!(", unfinished after step {}", count(described.step)),
        };
        let mut computed = described.algorithm.clone();
        if !described.parameters.is_empty() {
            computed = format!("{computed} {}", described.parameters_text());
        }
        rows.push((
            described.name.as_str(),
            format!(
                "{computed}; commit {}, {}, {}{state}{other}",
                described.graph.csn,
                bytes(stored.bytes()),
                time_text(described.updated_us)
            ),
        ));
    }
    let text = match rows.is_empty() {
        true => "no results; `evergraph run DB ALGORITHM --keep NAME` keeps one\n".to_string(),
        false => table(&rows),
    };
    Ok(Report::new(json!({ "results": all }), text))
}

fn show(db: &Database, stored: &Stored) -> Result<Report, Failure> {
    let described_result = stored.description();
    let graph = &described_result.graph;
    let mut json = described(db, stored)?;
    let mut rows = vec![
        ("algorithm", described_result.algorithm.clone()),
        ("parameters", described_result.parameters_text()),
        (
            "graph",
            format!(
                "{} vertices, {} entries, commit {}",
                count(graph.vertex_count),
                count(graph.arc_count),
                graph.csn
            ),
        ),
        ("steps", count(described_result.step)),
        ("begun", time_text(described_result.started_us)),
        ("written", time_text(described_result.updated_us)),
        ("bytes", bytes(stored.bytes())),
    ];
    if let Some(why) = db.other_history(stored)? {
        rows.push(("history", format!("it {why}")));
    }
    let kept = described_result.finished.then(|| Kept::read(db, stored));
    let kept = kept.transpose()?;
    if let Some(kept) = &kept {
        let facts: Map<String, Value> = kept
            .result
            .iter()
            .map(|(name, value)| (name.clone(), fact(value).0))
            .collect();
        json["result"] = Value::Object(facts);
        rows.extend(
            kept.result
                .iter()
                .map(|(name, value)| (name.as_str(), fact(value).1)),
        );
    } else {
        rows.push(("state", "unfinished; `run --resume` goes on".to_string()));
    }
    Ok(Report::new(json, table(&rows)))
}

fn described(db: &Database, stored: &Stored) -> Result<Value, Failure> {
    let described = stored.description();
    let parameters: Map<String, Value> = described
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let columns: Vec<Value> = stored
        .columns()
        .map(|(name, kind, len)| json!({ "name": name, "type": kind.name(), "values": len }))
        .collect();
    Ok(json!({
        "name": described.name,
        "algorithm": described.algorithm,
        "parameters": parameters,
        "csn": described.graph.csn,
        "vertices": described.graph.vertex_count,
        "other_history": db.other_history(stored)?.is_some(),
        "finished": described.finished,
        "step": described.step,
        "bytes": stored.bytes(),
        "started_us": described.started_us,
        "updated_us": described.updated_us,
        "columns": columns,
    }))
}
