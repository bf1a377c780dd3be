//! `snapshot prune` and `snapshot retain`: which snapshots are kept.

use evergraph::import::Every;
use evergraph::{Database, Pruned, Retention};
use serde_json::json;

use crate::report::{Failure, Report, count, note, table};

/// Retention rules; a snapshot stays if one of them names it.
#[derive(Clone, Debug, clap::Args)]
pub struct Rules {
    /// Keep the newest N
    #[arg(long, value_name = "N")]
    keep_last: Option<u64>,
    /// Keep those of so long before the newest (30d, 6mo, 1y)
    #[arg(long, value_name = "TIME")]
    keep_for: Option<Every>,
    /// Keep those whose names fit a pattern with `*` and `?`; may be repeated
    #[arg(long, value_name = "GLOB")]
    keep: Vec<String>,
}

impl Rules {
    /// Whether nothing was said.
    pub fn are_none(&self) -> bool {
        self.rules().is_empty()
    }

    fn rules(&self) -> Retention {
        Retention {
            last: self.keep_last,
            within: self.keep_for,
            names: self.keep.clone(),
        }
    }
}

/// Applies rules once; those of the database if none are given.
pub fn prune(db: &Database, rules: &Rules, dry_run: bool) -> Result<Report, Failure> {
    let rules = match rules.are_none() {
        true => db.retention()?,
        false => rules.rules(),
    };
    if rules.is_empty() {
        return Err(Failure::usage(
            "there are no rules, and so nothing to drop",
            "give --keep-last, --keep-for or --keep, or set them with `snapshot DB retain`",
        ));
    }
    let pruned = match dry_run {
        true => db.would_prune(&rules)?,
        false => db.prune(&rules)?,
    };
    Ok(report(db, &rules, &pruned, dry_run))
}

/// Sets the rules of the database, or shows them.
pub fn retain(db: &Database, rules: &Rules, all: bool) -> Result<Report, Failure> {
    if rules.are_none() && !all {
        let rules = db.retention()?;
        return Ok(report(db, &rules, &Pruned::default(), false));
    }
    let rules = rules.rules();
    let pruned = db.set_retention(&rules)?;
    Ok(report(db, &rules, &pruned, false))
}

fn report(db: &Database, rules: &Retention, pruned: &Pruned, dry_run: bool) -> Report {
    if !pruned.needed.is_empty() {
        note(&format!(
            "kept because results need them: {}",
            pruned.needed.join(", ")
        ));
    }
    let going = if dry_run { pruned.dropped.len() } else { 0 };
    let left = db.snapshots().len() - going;
    let json = json!({
        "keep_last": rules.last,
        "keep_for": rules.within.map(|within| within.to_string()),
        "keep": rules.names,
        "dropped": pruned.dropped,
        "needed": pruned.needed,
        "left": left,
    });
    let dropped = match pruned.dropped.is_empty() {
        true => "none".to_string(),
        false => pruned.dropped.join(", "),
    };
    let what = if dry_run { "would drop" } else { "dropped" };
    Report::new(
        json,
        table(&[
            ("kept", rules.to_string()),
            (what, dropped),
            ("left", count(left as u64)),
        ]),
    )
}
