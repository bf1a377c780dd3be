//! Which writes to a medium are saved if the state of some vertices is in DRAM
//! (NVGraph's Figure 11), what chosen edges are worth, and how to divide DRAM between
//! the graph and the state (its section III-D).

mod counting;
mod replay;

use std::collections::HashSet;

use evergraph_algorithms::placement::curve::HitCurve;
use evergraph_algorithms::placement::edges::{self, Keep};
use evergraph_algorithms::placement::split::{Latencies, Load};
use evergraph_algorithms::placement::{Budget, Policy, choose};
use evergraph_algorithms::{Control, eigenvector};
use evergraph_graph::{Csr, Graph, StoredLists, VertexId};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::settings::Settings;
use crate::stores::text;
use crate::table::{Table, number};
use counting::{Counts, OnMedium, OverEdges, STATE_BYTES};
use replay::Algorithm;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "placement",
    parameters: &["degree", "graph", "shares", "fast"],
    run,
};

/// DRAM and Optane; writes as NVGraph has them, 2.5 times as slow.
const LATENCIES: Latencies = Latencies {
    fast_read: 80.0,
    fast_write: 80.0,
    medium_read: 284.0,
    medium_write: 200.0,
};
/// Points of a hit curve.
const STEPS: usize = 100;
/// Edges drawn of each hot vertex, and the share of them that is kept.
const DRAWN: usize = 8;
const KEPT: f64 = 0.5;

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(14), false)?;
    let graph = Csr::from_edges(list.vertex_count, &list.edges, StoredLists::Both).simple();
    let shares = settings.list("shares", &[0.1, 0.2, 0.3])?;
    let fast: f64 = settings.parameter("fast", 0.2)?;
    Ok(vec![
        saved(settings, &graph, &list.name, &shares)?,
        over_edges(settings, &graph, &list.name)?,
        divided(settings, &graph, &list.name, fast)?,
    ])
}

fn saved(
    settings: &Settings<'_>,
    graph: &Csr,
    name: &str,
    shares: &[f64],
) -> Result<Table, String> {
    let mut table = Table::new(
        format!(
            "{name}: writes of {STATE_BYTES} bytes of state, and units of 256 bytes that the \
             medium writes, if each write goes to it at once or at the end of a step"
        ),
        &[
            "algorithm",
            "share_in_dram",
            "policy",
            "writes",
            "writes_in_dram",
            "media_writes_at_once",
            "saved_at_once",
            "media_writes_by_step",
            "saved_by_step",
        ],
    );
    let n = graph.vertex_count();
    for algorithm in Algorithm::ALL {
        settings.progress(algorithm.name());
        let count = |hot: &[VertexId], at_once| {
            let mut medium = OnMedium::new(n, hot, at_once)?;
            algorithm.replay(graph, settings.seed, &mut medium);
            let part = medium.in_dram as f64 / medium.writes.max(1) as f64;
            Ok::<_, String>((medium.media_writes(), medium.writes, part))
        };
        let all = [count(&[], true)?.0, count(&[], false)?.0];
        let mut row = |share: f64, policy: &str, hot: &[VertexId]| {
            let (at_once, writes, in_dram) = count(hot, true)?;
            let (by_step, ..) = count(hot, false)?;
            let saved = |now: u64, all: u64| number(1.0 - now as f64 / all.max(1) as f64);
            table.row(vec![
                json!(algorithm.name()),
                number(share),
                json!(policy),
                json!(writes),
                number(in_dram),
                json!(at_once),
                saved(at_once, all[0]),
                json!(by_step),
                saved(by_step, all[1]),
            ]);
            Ok::<_, String>(())
        };
        row(0.0, "none", &[])?;
        for &share in shares {
            for policy in Policy::ALL {
                let budget = Budget::Share(share);
                let placed = choose(graph, policy, budget, settings.seed, &Control::new());
                row(share, policy.name(), &placed.map_err(text)?.vertices)?;
            }
        }
    }
    Ok(table)
}

fn over_edges(settings: &Settings<'_>, graph: &Csr, name: &str) -> Result<Table, String> {
    let mut table = Table::new(
        format!(
            "{name}: writes that come over chosen edges; {DRAWN} edges drawn of each vertex of \
             the most central tenth"
        ),
        &[
            "algorithm",
            "kept_by",
            "edges",
            "writes",
            "over_edges",
            "over_drawn",
        ],
    );
    let scores = eigenvector::run(graph, &eigenvector::Parameters::default(), &Control::new());
    let scores = scores.map_err(text)?.scores;
    let budget = Budget::Share(0.1);
    let hot = choose(
        graph,
        Policy::Centrality,
        budget,
        settings.seed,
        &Control::new(),
    );
    let hot = hot.map_err(text)?.vertices;
    let kept = |keep, kept| {
        let parameters = edges::Parameters {
            drawn: DRAWN,
            kept,
            keep,
            seed: settings.seed,
        };
        let edges = edges::choose(graph, &hot, &scores, &parameters, &Control::new());
        let edges: HashSet<_> = edges.map_err(text)?.into_iter().collect();
        Ok::<_, String>(edges)
    };
    for algorithm in Algorithm::ALL {
        if algorithm == Algorithm::PagerankPull {
            // It writes each state by itself.
            continue;
        }
        let mut drawn = 0;
        for (kept_by, keep, share) in [
            ("all drawn", Keep::Chance, 1.0),
            ("jaccard", Keep::Jaccard, KEPT),
            ("inverse jaccard", Keep::InverseJaccard, KEPT),
            ("chance", Keep::Chance, KEPT),
        ] {
            let mut over = OverEdges {
                edges: kept(keep, share)?,
                over: 0,
                all: 0,
            };
            algorithm.replay(graph, settings.seed, &mut over);
            if share == 1.0 {
                drawn = over.over;
            }
            table.row(vec![
                json!(algorithm.name()),
                json!(kept_by),
                json!(over.edges.len()),
                json!(over.all),
                number(over.over as f64 / over.all.max(1) as f64),
                number(over.over as f64 / drawn.max(1) as f64),
            ]);
        }
    }
    Ok(table)
}

fn divided(settings: &Settings<'_>, graph: &Csr, name: &str, fast: f64) -> Result<Table, String> {
    let n = graph.vertex_count();
    let graph_bytes = 4 * graph.arc_count() + 8 * n as u64;
    let state_bytes = STATE_BYTES * n as u64;
    let fast_bytes = (fast * (graph_bytes + state_bytes) as f64) as u64;
    let mut table = Table::new(
        format!(
            "{name}: {fast_bytes} bytes of DRAM, {fast} of the graph's {graph_bytes} and the \
             state's {state_bytes}; alpha caches the graph; milliseconds of accesses"
        ),
        &[
            "algorithm",
            "graph_hits_10",
            "graph_hits_20",
            "graph_hits_30",
            "write_hits_10",
            "write_hits_20",
            "write_hits_30",
            "alpha",
            "cost",
            "cost_all_to_graph",
            "cost_all_to_state",
            "alpha_as_printed",
            "cost_as_printed",
        ],
    );
    let all = Budget::Share(1.0);
    let order = choose(
        graph,
        Policy::Centrality,
        all,
        settings.seed,
        &Control::new(),
    );
    let order = order.map_err(text)?.vertices;
    for algorithm in Algorithm::ALL {
        let mut counts = Counts::new(n);
        algorithm.replay(graph, settings.seed, &mut counts);
        let load = Load {
            graph_reads: vec![counts.lists.len() as u64],
            graph_bytes,
            graph_hits: HitCurve::of_lru(&counts.lists, n, STEPS),
            state_reads: counts.reads.iter().sum(),
            state_writes: counts.writes.iter().sum(),
            state_bytes,
            state_read_hits: HitCurve::of_order(&counts.reads, &order, STEPS),
            state_write_hits: HitCurve::of_order(&counts.writes, &order, STEPS),
        };
        let (alpha, _) = load.best(fast_bytes, &LATENCIES);
        // Equation 3 has every write at the latency of DRAM.
        let printed = Latencies {
            medium_write: LATENCIES.fast_write,
            ..LATENCIES
        };
        let (alpha_printed, _) = load.best(fast_bytes, &printed);
        let cost = |alpha| number(load.cost(alpha, fast_bytes, &LATENCIES).total() / 1e6);
        let mut row = vec![json!(algorithm.name())];
        for curve in [&load.graph_hits, &load.state_write_hits] {
            row.extend([0.1, 0.2, 0.3].map(|share| number(curve.at(share))));
        }
        row.extend([number(alpha), cost(alpha), cost(1.0), cost(0.0)]);
        row.extend([number(alpha_printed), cost(alpha_printed)]);
        table.row(row);
    }
    Ok(table)
}
