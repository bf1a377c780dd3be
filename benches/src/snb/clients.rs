//! Updates of all kinds by many clients at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph::property::{GraphError, PropertyGraph};
use evergraph::social::Change;
use serde_json::json;

use super::load::Loaded;
use super::parameters::Updates;
use super::text;
use super::updates::apply;
use crate::meter::{Measured, Meter};
use crate::table::{Table, number};

/// `commits` updates by each number of clients, less if there are not so many.
pub fn table(
    loaded: &Loaded,
    updates: &Updates,
    clients: &[usize],
    commits: usize,
) -> Result<Table, String> {
    let columns = [
        "clients",
        "commits",
        "seconds",
        "commits_per_second",
        "over_first",
        "conflicts",
        "others",
    ];
    let mut table = Table::new("updates as the stream mixes them, durable", &columns);
    let graph = loaded.graph()?;
    let share = commits
        .min(updates.mixed.len() / clients.len().max(1))
        .max(1);
    let mut first = None;
    for (&clients, changes) in clients.iter().zip(updates.mixed.chunks(share)) {
        let before = graph.statistics().transactions.conflicts;
        let took = race(graph, changes, clients).map_err(text)?;
        let conflicts = graph.statistics().transactions.conflicts - before;
        let rate = changes.len() as f64 / took.seconds;
        table.row(vec![
            json!(clients),
            json!(changes.len()),
            number(took.seconds),
            number(rate),
            number(rate / *first.get_or_insert(rate)),
            json!(conflicts),
            number(took.others),
        ]);
    }
    Ok(table)
}

/// Each client takes the next update, until there is none.
fn race(graph: &PropertyGraph, changes: &[Change], clients: usize) -> Result<Measured, GraphError> {
    let next = AtomicUsize::new(0);
    let client = || -> Result<(), GraphError> {
        while let Some(change) = changes.get(next.fetch_add(1, Ordering::Relaxed)) {
            graph.write(|tx| apply(tx, change))?;
        }
        Ok(())
    };
    let meter = Meter::start();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.fold(Ok(()), |all, one| {
            all.and(one.expect("a client does not panic"))
        })
    })?;
    Ok(meter.stop())
}
