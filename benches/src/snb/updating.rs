//! How long each update takes, durable when it returns.

use std::time::Instant;

use serde_json::json;

use super::load::Loaded;
use super::parameters::Updates;
use super::reading::percentile;
use super::text;
use super::updates::apply;
use crate::meter::{Meter, median};
use crate::table::{Table, number};
use crate::transactions::append;

const NAMES: [&str; 8] = [
    "IU1 person",
    "IU2 like of a post",
    "IU3 like of a comment",
    "IU4 forum",
    "IU5 membership",
    "IU6 post",
    "IU7 comment",
    "IU8 friendship",
];

/// One client; each update is a transaction, and kinds come one after the other. The
/// yardstick is a bare append of as many bytes as the log got, with `fdatasync`.
pub fn table(loaded: &Loaded, updates: &Updates) -> Result<Table, String> {
    let columns = [
        "update",
        "runs",
        "median_us",
        "p99_us",
        "log_bytes",
        "over_bare",
        "others",
    ];
    let mut table = Table::new("updates, each a durable transaction", &columns);
    let graph = loaded.graph()?;
    for (name, changes) in NAMES.into_iter().zip(&updates.of_kind) {
        if changes.is_empty() {
            continue;
        }
        let before = graph.store().log_positions().head;
        let mut microseconds = Vec::with_capacity(changes.len());
        let meter = Meter::start();
        for change in changes {
            let began = Instant::now();
            let made = graph.write(|tx| apply(tx, change));
            made.map_err(|error| format!("{name}: {error}"))?;
            microseconds.push(began.elapsed().as_secs_f64() * 1e6);
        }
        let others = meter.stop().others;
        let bytes = (graph.store().log_positions().head - before) as usize / changes.len();
        let bare = append(&loaded.place, changes.len(), bytes).map_err(text)?;
        let bare = bare.seconds * 1e6 / changes.len() as f64;
        let typical = median(&microseconds);
        table.row(vec![
            json!(name),
            json!(changes.len()),
            number(typical),
            number(percentile(&microseconds, 99)),
            json!(bytes),
            number(typical / bare),
            number(others),
        ]);
    }
    Ok(table)
}
