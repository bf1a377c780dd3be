//! Upper bound of direct mode on this machine at this moment.

use evergraph::{MediumKind, Mode};
use evergraph_graph::StoredLists;
use serde_json::json;

use super::{Case, Outcome};
use crate::indirection::Mapped;
use crate::limits::durable_stores;
use crate::settings::Settings;
use crate::streams::Order;
use crate::table::{Table, number};

/// For [`row`].
pub fn table() -> Table {
    Table::new(
        "direct mode beside its ceiling: random 4-byte store + flush + fence, before and after",
        &[
            "threads",
            "trial",
            "edges_per_second",
            "ceiling_before",
            "ceiling_after",
            "ratio",
            "cpu_ns_per_edge",
            "ceiling_cpu_ns",
            "ratio_cpu",
        ],
    )
}

/// Cost of durable stores where direct mode makes them.
pub fn measure(
    settings: &Settings<'_>,
    case: &Case,
    threads: usize,
) -> Result<Option<Ceiling>, String> {
    if case.mode != Mode::Direct || case.medium != MediumKind::Dax {
        return Ok(None);
    }
    let bytes: u64 = settings.parameter("bytes", 256 << 20)?;
    let count = (bytes / 64).min(4_000_000) as usize;
    let mapped = Mapped::new(settings, bytes)?;
    let raw = durable_stores(&mapped.medium, Order::Random, threads, count, true)?;
    let measured = match raw {
        Some(measured) => measured,
        None => durable_stores(&mapped.medium, Order::Random, threads, count, false)?
            .ok_or("every medium stores words")?,
    };
    let stores = (count * threads) as f64;
    Ok(Some(Ceiling {
        per_second: stores / measured.seconds,
        cpu_ns: measured.cpu_seconds / stores * 1e9,
    }))
}

/// The rate of durable stores.
#[derive(Clone, Copy)]
pub struct Ceiling {
    per_second: f64,
    cpu_ns: f64,
}

/// One ingestion beside what was possible before and after it.
pub fn row(
    table: &mut Table,
    threads: usize,
    trial: usize,
    direction: StoredLists,
    outcome: &Outcome,
    [before, after]: [Ceiling; 2],
) {
    // An undirected edge is stored at both ends.
    let stores = if direction == StoredLists::Out {
        1.0
    } else {
        2.0
    };
    let rate = outcome.timed_edges as f64 / outcome.total.seconds;
    let cpu_ns = outcome.total.cpu_seconds / outcome.timed_edges as f64 * 1e9;
    let ceiling = (before.per_second + after.per_second) / 2.0 / stores;
    let ceiling_cpu_ns = (before.cpu_ns + after.cpu_ns) / 2.0 * stores;
    table.row(vec![
        json!(threads),
        json!(trial),
        number(rate),
        number(before.per_second / stores),
        number(after.per_second / stores),
        number(rate / ceiling),
        number(cpu_ns),
        number(ceiling_cpu_ns),
        number(ceiling_cpu_ns / cpu_ns),
    ]);
}
