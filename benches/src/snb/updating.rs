//! How long each update takes, durable when it returns.

use std::time::Instant;

use evergraph::property::{GraphError, PropertyGraph};
use evergraph_generators::snb::Change;
use serde_json::json;

use super::load::Loaded;
use super::reading::percentile;
use super::updates::{apply, number};
use crate::meter::{Meter, median};
use crate::table::{Table, number as rounded};
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

/// Times of the updates of one kind.
#[derive(Default)]
struct Taken {
    microseconds: Vec<f64>,
    log_bytes: u64,
}

/// One client; each update is a transaction, in the order given. The yardstick is a
/// bare append of as many bytes as the log got, with `fdatasync`.
pub fn table<'a>(
    loaded: &Loaded,
    updates: impl Iterator<Item = &'a Change>,
) -> Result<Table, String> {
    let columns = [
        "update",
        "runs",
        "median_us",
        "p99_us",
        "log_bytes",
        "over_bare",
        "others",
    ];
    let mut table = Table::new("updates by one client, durable", &columns);
    let mut of_kind: [Taken; 8] = Default::default();
    let meter = Meter::start();
    for change in updates {
        let taken = &mut of_kind[number(change) - 1];
        let failed = |error| format!("{}: {error}", NAMES[number(change) - 1]);
        update(loaded.graph()?, change, taken).map_err(failed)?;
    }
    let others = meter.stop().others;
    for (name, taken) in NAMES.into_iter().zip(of_kind) {
        let runs = taken.microseconds.len();
        if runs == 0 {
            continue;
        }
        let bytes = taken.log_bytes as usize / runs;
        let bare = append(&loaded.place, runs, bytes)?.seconds * 1e6 / runs as f64;
        let typical = median(&taken.microseconds);
        table.row(vec![
            json!(name),
            json!(runs),
            rounded(typical),
            rounded(percentile(&taken.microseconds, 99)),
            json!(bytes),
            rounded(typical / bare),
            rounded(others),
        ]);
    }
    Ok(table)
}

fn update(graph: &PropertyGraph, change: &Change, taken: &mut Taken) -> Result<(), GraphError> {
    let before = graph.store().log_positions().head;
    let began = Instant::now();
    graph.write(|tx| apply(tx, change))?;
    taken.microseconds.push(began.elapsed().as_secs_f64() * 1e6);
    taken.log_bytes += graph.store().log_positions().head - before;
    Ok(())
}
