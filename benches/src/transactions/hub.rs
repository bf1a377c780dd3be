//! Clients that append relationships to one hub, beside clients that append to
//! nodes of their own.

use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph_property_graph::graph::{GraphError, NodeId, PropertyGraph};
use serde_json::json;

use super::commits::nodes;
use super::graph::{empty, text};
use crate::meter::{Measured, Meter};
use crate::settings::Settings;
use crate::table::{Table, number};

pub fn run(settings: &Settings<'_>) -> Result<Table, String> {
    let count: usize = settings.parameter("count", 200)?;
    let trials = settings.trials.unwrap_or(5);
    let mut table = Table::new(
        format!("{count} transactions at once, each of one relationship"),
        &[
            "ends",
            "trial",
            "seconds",
            "commits_per_second",
            "conflicts",
            "others",
        ],
    );
    for trial in 0..trials {
        for ends in ["spread", "hub"] {
            let (graph, _storage, _place) = empty(settings)?;
            let nodes = nodes(&graph).map_err(text)?;
            let before = graph.statistics().transactions.conflicts;
            let measured = race(&graph, &nodes, count, ends == "hub")?;
            let conflicts = graph.statistics().transactions.conflicts - before;
            table.row(vec![
                json!(ends),
                json!(trial),
                number(measured.seconds),
                number(count as f64 / measured.seconds),
                json!(conflicts),
                number(measured.others),
            ]);
        }
    }
    Ok(table)
}

/// `count` transactions by 16 threads. Each is tried once.
fn race(
    graph: &PropertyGraph,
    nodes: &[NodeId],
    count: usize,
    to_hub: bool,
) -> Result<Measured, String> {
    let next = AtomicUsize::new(0);
    let client = || -> Result<(), GraphError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(());
            }
            let target = if to_hub { 0 } else { 2 * number + 1 };
            let mut transaction = graph.begin();
            transaction.create_relationship(nodes[2 * number + 2], "KNOWS", nodes[target], [])?;
            transaction.commit()?;
        }
    };
    let meter = Meter::start();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(client)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a client does not panic"))
    })
    .map_err(text)?;
    Ok(meter.stop())
}
