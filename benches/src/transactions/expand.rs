//! One hop from random nodes, through the property graph and on a static graph,
//! alone and beside an algorithm on a projection of the same graph.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_algorithms::{Control, pagerank};
use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId};
use evergraph_property_graph::graph::{Adjacent, Direction, NodeId, ProjectionOptions};
use serde_json::json;

use super::graph::{Made, text};
use crate::meter::{Measured, Meter};
use crate::settings::Settings;
use crate::table::{Table, number};

pub fn run(settings: &Settings<'_>) -> Result<Table, String> {
    let made = Made::kronecker(settings, settings.scale.unwrap_or(14))?;
    let count: usize = settings.parameter("count", 1 << 18)?;
    let mut random = Random::new(settings.seed);
    let queries: Vec<VertexId> = (0..count)
        .map(|_| random.below(made.nodes as u64) as VertexId)
        .collect();
    let mut table = Table::new(
        format!(
            "neighbors of {count} random nodes of {} with {} relationships",
            made.nodes, made.relationships
        ),
        &[
            "graph",
            "state",
            "seconds",
            "ns_per_query",
            "sum",
            "over_csr",
            "others",
        ],
    );
    let (csr, sum) = on_csr(&made, &queries);
    let mut row = |graph: &str, state: &str, measured: Measured, found: u64| {
        table.row(vec![
            json!(graph),
            json!(state),
            number(measured.seconds),
            number(measured.seconds / count as f64 * 1e9),
            json!(found),
            number(measured.seconds / csr.seconds),
            number(measured.others),
        ]);
    };
    row("csr", "", csr, sum);
    for state in ["not merged", "merged"] {
        if state == "merged" {
            made.graph().checkpoint().map_err(text)?;
        }
        let (measured, found) = on_view(&made, &queries)?;
        row("property graph", state, measured, found);
        let (measured, found) = records(&made, &queries)?;
        row(
            "property graph, with the node's number",
            state,
            measured,
            found,
        );
    }
    let (measured, found) = beside_pagerank(&made, &queries)?;
    row(
        "property graph",
        "merged, PageRank beside it",
        measured,
        found,
    );
    Ok(table)
}

fn on_csr(made: &Made, queries: &[VertexId]) -> (Measured, u64) {
    let mut reader = made.csr.reader();
    let mut found = 0;
    let meter = Meter::start();
    for &v in queries {
        reader.for_each_neighbor(v, |u| found += u64::from(u));
    }
    (meter.stop(), found)
}

fn on_view(made: &Made, queries: &[VertexId]) -> Result<(Measured, u64), String> {
    let view = made.graph().view();
    let mut found = 0;
    let meter = Meter::start();
    for &v in queries {
        let each = |adjacent: Adjacent| {
            found += u64::from(adjacent.neighbor.0);
            ControlFlow::<()>::Continue(())
        };
        let _ = view
            .for_each_neighbor(NodeId(v), Direction::Outgoing, &["KNOWS"], each)
            .map_err(text)?;
    }
    Ok((meter.stop(), found))
}

/// Point reads: a property of each node.
fn records(made: &Made, queries: &[VertexId]) -> Result<(Measured, u64), String> {
    let view = made.graph().view();
    let mut found = 0;
    let meter = Meter::start();
    for &v in queries {
        let number = view.property(NodeId(v), "number").map_err(text)?;
        found += number.map_or(Ok(0), i64::try_from).map_err(text)? as u64;
    }
    Ok((meter.stop(), found))
}

/// As [`on_view`], while one thread runs PageRank again and again.
fn beside_pagerank(made: &Made, queries: &[VertexId]) -> Result<(Measured, u64), String> {
    let stop = AtomicBool::new(false);
    let view = made.graph().view();
    let projection = view.project(&ProjectionOptions::new()).map_err(text)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(text)?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                pool.install(|| rank(&projection));
            }
        });
        let outcome = on_view(made, queries);
        stop.store(true, Ordering::Relaxed);
        outcome
    })
}

fn rank(graph: &impl Graph) {
    let _ = pagerank::run(graph, &pagerank::Parameters::default(), &Control::new());
}
