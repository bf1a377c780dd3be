//! How long the short reads take.

use std::time::Instant;

use evergraph::property::{GraphError, PropertyGraph, View};
use serde_json::json;

use super::load::Loaded;
use super::nodes::find;
use super::parameters::Calls;
use super::reads;
use super::schema::{MESSAGE, PERSON};
use crate::meter::{Meter, median};
use crate::settings::Settings;
use crate::table::{Table, number};

/// A read, which gives the number of its rows.
type Read = fn(&View, i64) -> Result<usize, GraphError>;

/// The measured reads: the first two are the yardsticks of those for persons and those
/// for messages.
const READS: [(&str, Read); 9] = [
    ("a person by id", |view, id| found(find(view, PERSON, id))),
    ("a message by id", |view, id| found(find(view, MESSAGE, id))),
    ("IS1 profile", |view, id| found(reads::profile(view, id))),
    ("IS2 recent messages", |view, id| {
        Ok(reads::recent_messages(view, id)?.len())
    }),
    (
        "IS3 friends",
        |view, id| Ok(reads::friends(view, id)?.len()),
    ),
    ("IS4 content", |view, id| found(reads::content(view, id))),
    ("IS5 creator", |view, id| found(reads::creator(view, id))),
    ("IS6 forum", |view, id| found(reads::forum(view, id))),
    (
        "IS7 replies",
        |view, id| Ok(reads::replies(view, id)?.len()),
    ),
];

/// Reads of persons, by their places in [`READS`]; the others are of messages.
const OF_PERSONS: [usize; 4] = [0, 2, 3, 4];

fn found<T>(row: Result<Option<T>, GraphError>) -> Result<usize, GraphError> {
    Ok(usize::from(row?.is_some()))
}

/// Each read with all its calls, each on a view of its own, once before time is taken
/// and `trials` times after that.
pub fn table(settings: &Settings<'_>, loaded: &Loaded, calls: &Calls) -> Result<Table, String> {
    let trials = settings.trials.unwrap_or(3);
    let columns = [
        "read",
        "runs",
        "rows",
        "median_us",
        "p99_us",
        "over_lookup",
        "others",
    ];
    let mut table = Table::new("short reads, merged", &columns);
    let mut lookups = Vec::new();
    for (at, (name, read)) in READS.into_iter().enumerate() {
        let is_of_persons = OF_PERSONS.contains(&at);
        let ids = match is_of_persons {
            true => &calls.persons,
            false => &calls.messages,
        };
        if ids.is_empty() {
            continue;
        }
        let graph = loaded.graph()?;
        let failed = |error: GraphError| format!("{name}: {error}");
        once(graph, ids, read).map_err(failed)?;
        let (mut microseconds, mut rows) = (Vec::new(), 0);
        let meter = Meter::start();
        for _ in 0..trials {
            let (took, found) = once(graph, ids, read).map_err(failed)?;
            microseconds.extend(took);
            rows += found;
        }
        let others = meter.stop().others;
        let typical = median(&microseconds);
        if at < 2 {
            lookups.push(typical);
        }
        let lookup = lookups.get(usize::from(!is_of_persons));
        table.row(vec![
            json!(name),
            json!(microseconds.len()),
            number(rows as f64 / microseconds.len() as f64),
            number(typical),
            number(percentile(&microseconds, 99)),
            number(lookup.map_or(f64::NAN, |lookup| typical / lookup)),
            number(others),
        ]);
    }
    Ok(table)
}

/// Microseconds of each call, and the rows of all.
fn once(graph: &PropertyGraph, ids: &[i64], read: Read) -> Result<(Vec<f64>, usize), GraphError> {
    let (mut took, mut rows) = (Vec::with_capacity(ids.len()), 0);
    for &id in ids {
        let began = Instant::now();
        rows += read(&graph.view(), id)?;
        took.push(began.elapsed().as_secs_f64() * 1e6);
    }
    Ok((took, rows))
}

/// The value that `per_cent` of all do not exceed.
///
/// # Panics
/// If there are none.
pub fn percentile(values: &[f64], per_cent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(sorted.len() * per_cent).div_ceil(100).max(1) - 1]
}

#[test]
fn percentiles_are_by_rank() {
    let values: Vec<f64> = (1..=200).map(f64::from).collect();
    assert_eq!(percentile(&values, 99), 198.0);
    assert_eq!(percentile(&values, 100), 200.0);
    assert_eq!(percentile(&values[..1], 99), 1.0);
}
