//! `evergraph snapshot`: named snapshots of a database.

mod changes;
mod keep;
pub mod list;

use std::path::PathBuf;
use std::time::Instant;

use clap::Subcommand;
use evergraph::{At, Cancellation, Database, is_reserved};
use serde_json::json;

use crate::medium::{MediumArgs, closing, note_writer};
use crate::report::{Failure, Report, count, note, table};
use crate::{seal, stop};

/// A database, and what is done with its snapshots.
#[derive(clap::Args)]
#[command(
    after_help = "A moment (AT) is the name of a snapshot, a date (2016-05, 2016-05-01, \
                  2016-05-01T12:30), the number of a commit, or `now`."
)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    medium: MediumArgs,
}

#[derive(Subcommand)]
enum Action {
    /// Name the graph as it is now
    Create {
        /// The name
        name: String,
        /// When the graph was like this, if not now: a date
        #[arg(long, value_name = "TIME")]
        time: Option<String>,
    },
    /// List the snapshots
    List,
    /// Drop snapshots by name
    Drop {
        /// Their names
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Show what changed from one moment to another
    Diff(changes::Args),
    /// Drop the snapshots before a moment, and what only they showed
    Flatten {
        /// The moment [default: the newest snapshot]
        #[arg(long, value_name = "AT")]
        before: Option<String>,
    },
    /// Store the graph of a snapshot in the form that algorithms read fastest
    Rebase {
        /// Its name
        name: String,
    },
    /// Drop, once, the snapshots that no rule keeps
    Prune {
        #[command(flatten)]
        rules: keep::Rules,
        /// Only say what would be dropped
        #[arg(long)]
        dry_run: bool,
    },
    /// Set the rules that are applied after each new snapshot, or show them
    Retain {
        #[command(flatten)]
        rules: keep::Rules,
        /// Keep all snapshots
        #[arg(long, conflicts_with_all = ["keep_last", "keep_for", "keep"])]
        all: bool,
    },
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool) -> Result<Report, Failure> {
    if let Action::Diff(args) = &args.action {
        args.check(as_json)?;
    }
    let looks = matches!(
        &args.action,
        Action::List | Action::Diff(_) | Action::Prune { dry_run: true, .. }
    ) || matches!(&args.action, Action::Retain { rules, all: false } if rules.are_none());
    let options = match looks {
        true => args.medium.read_only()?,
        false => args.medium.options()?,
    };
    let db = Database::open(&args.db, &options).inspect(note_writer)?;
    match looks {
        true => act(&db, &args.action),
        false => closing(db, |db| act(db, &args.action)),
    }
}

fn act(db: &Database, action: &Action) -> Result<Report, Failure> {
    match action {
        Action::Create { name, time } => create(db, name, time.as_deref()),
        Action::List => list::list(db),
        Action::Drop { names } => drop_named(db, names),
        Action::Diff(args) => changes::diff(db, args, &stop::on_ctrl_c()),
        Action::Flatten { before } => flatten(db, before.as_deref()),
        Action::Rebase { name } => rebase(db, name, &stop::on_ctrl_c()),
        Action::Prune { rules, dry_run } => keep::prune(db, rules, *dry_run),
        Action::Retain { rules, all } => keep::retain(db, rules, *all),
    }
}

fn create(db: &Database, name: &str, time: Option<&str>) -> Result<Report, Failure> {
    let time_us = time.map(event_time).transpose()?;
    let before = db.snapshots();
    let later = before
        .iter()
        .filter(|other| !is_reserved(&other.name))
        .filter(|other| time_us.is_some_and(|time| other.time_us > time));
    let later = later.max_by_key(|other| other.time_us);
    let created = db.create_snapshot(name, time_us)?;
    let after = db.snapshots();
    let is_left = |name: &str| after.iter().any(|other| other.name == name);
    let names = before.iter().map(|other| other.name.clone());
    let dropped: Vec<String> = names.filter(|name| !is_left(name)).collect();
    let vertices = list::vertices_of(db, &created)?;
    if let Some(later) = later {
        note(&format!(
            "`{name}` shows all that `{}` does, and has an earlier time: dates between the two find `{name}`",
            later.name
        ));
    }
    let mut rows = vec![
        ("snapshot", created.name.clone()),
        ("commit", count(created.csn)),
        ("time", evergraph::time_text(created.time_us)),
        ("vertices", count(vertices)),
        ("edges", count(list::edges_of(db, &created))),
    ];
    let mut json = list::described(db, &created, vertices);
    if !dropped.is_empty() {
        rows.push((
            "dropped",
            format!("{} (rules of retention)", dropped.join(", ")),
        ));
        json["dropped"] = json!(dropped);
    }
    Ok(Report::new(json, table(&rows)))
}

/// The end of a date.
fn event_time(text: &str) -> Result<i64, Failure> {
    evergraph::time_of_text(text).ok_or_else(|| {
        Failure::usage(
            format!("\"{text}\" is no date"),
            "write 2016-05, 2016-05-01 or 2016-05-01T12:30:00Z",
        )
    })
}

fn drop_named(db: &Database, names: &[String]) -> Result<Report, Failure> {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    db.drop_snapshots(&names)?;
    Ok(Report::new(
        json!({ "dropped": names }),
        table(&[("dropped", names.join(", "))]),
    ))
}

fn flatten(db: &Database, before: Option<&str>) -> Result<Report, Failure> {
    let bytes_before = db.stats().extent_bytes;
    let dropped = db.flatten(before.map(At::from_text).as_ref())?;
    let bytes_after = db.stats().extent_bytes;
    if dropped.is_empty() {
        note("no snapshot is before that moment");
    }
    Ok(Report::new(
        json!({
            "dropped": dropped,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
        }),
        table(&[
            ("dropped", count(dropped.len() as u64)),
            ("left", count(db.snapshots().len() as u64)),
        ]),
    ))
}

fn rebase(db: &Database, name: &str, stop: &Cancellation) -> Result<Report, Failure> {
    let started = Instant::now();
    let outcome = seal::followed(stop, None, |control| db.rebase_controlled(name, control))?;
    let elapsed = started.elapsed().as_secs_f64();
    Ok(seal::report(&outcome, db.view().csn(), elapsed))
}
