//! A transaction that creates one relationship, durable when it returns, beside
//! a bare append of as many bytes and `fdatasync`.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph_property_graph::graph::{GraphError, NodeId, PropertyGraph};
use serde_json::json;

use super::graph::{empty, text};
use crate::meter::{Measured, Meter};
use crate::place::Place;
use crate::settings::Settings;
use crate::table::{Table, number};

/// Nodes whose pairs get relationships.
const NODES: usize = 10_000;

pub fn run(settings: &Settings<'_>) -> Result<Table, String> {
    let commits: usize = settings.parameter("commits", 2_000)?;
    let clients: Vec<usize> = settings.list("clients", &[1, 16])?;
    let mut table = Table::new(
        "durable transactions of one relationship",
        &[
            "what",
            "clients",
            "commits",
            "seconds",
            "us_per_commit",
            "commits_per_second",
            "log_bytes",
            "over_bare",
            "others",
        ],
    );
    let (graph, _storage, place) = empty(settings)?;
    let nodes = nodes(&graph).map_err(text)?;
    let mut bare = None;
    // The write-ahead log grows with its first commits; what is measured is a
    // log that has its size.
    transactions(&graph, &nodes, 1, commits)?;
    for clients in clients {
        let before = graph.store().log_positions().head;
        let measured = transactions(&graph, &nodes, clients, commits)?;
        let bytes = (graph.store().log_positions().head - before) as usize / commits;
        let bare_measured = append(&place, commits, bytes)?;
        if bare.is_none() {
            bare = Some(bare_measured.seconds);
            table.row(row(
                "append and fdatasync",
                1,
                commits,
                bare_measured,
                bytes,
                bare,
            ));
        }
        table.row(row("transaction", clients, commits, measured, bytes, bare));
    }
    Ok(table)
}

fn row(
    what: &str,
    clients: usize,
    commits: usize,
    measured: Measured,
    bytes: usize,
    bare: Option<f64>,
) -> Vec<serde_json::Value> {
    vec![
        json!(what),
        json!(clients),
        json!(commits),
        number(measured.seconds),
        number(measured.seconds / commits as f64 * 1e6),
        number(commits as f64 / measured.seconds),
        json!(bytes),
        number(bare.map_or(1.0, |bare| measured.seconds / bare)),
        number(measured.others),
    ]
}

pub fn nodes(graph: &PropertyGraph) -> Result<Vec<NodeId>, GraphError> {
    graph.write(|transaction| {
        (0..NODES as i64)
            .map(|number| transaction.create_node(&["Person"], [("number", number.into())]))
            .collect()
    })
}

fn transactions(
    graph: &PropertyGraph,
    nodes: &[NodeId],
    clients: usize,
    commits: usize,
) -> Result<Measured, String> {
    let next = AtomicUsize::new(0);
    let client = || -> Result<(), GraphError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= commits {
                return Ok(());
            }
            let (u, v) = (number * 7 % nodes.len(), number * 13 % nodes.len());
            graph.write(|transaction| {
                transaction.create_relationship(nodes[u], "KNOWS", nodes[v], [])?;
                Ok(())
            })?;
        }
    };
    let meter = Meter::start();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a client does not panic"))
    })
    .map_err(text)?;
    Ok(meter.stop())
}

/// As many appends of as many bytes, each followed by `fdatasync`, into a file
/// that has its size already, as the log has.
pub fn append(place: &Place, commits: usize, bytes: usize) -> Result<Measured, String> {
    let path = place.join("bare");
    let record = vec![7; bytes.max(1)];
    std::fs::write(&path, vec![0; commits * record.len()]).map_err(text)?;
    let mut file = File::options().write(true).open(&path).map_err(text)?;
    file.sync_all().map_err(text)?;
    let meter = Meter::start();
    for _ in 0..commits {
        file.write_all(&record).map_err(text)?;
        file.sync_data().map_err(text)?;
    }
    Ok(meter.stop())
}
