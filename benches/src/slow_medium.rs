//! The problems of Sage on a graph whose lists are on a slower medium, beside the
//! same graph in DRAM (the paper's Figure 7): same lists, trials in turn.

mod problems;
mod reader;

use evergraph_generators::edge_weight;
use evergraph_graph::{Csr, StoredLists, VertexId};
use evergraph_storage::medium::LatencyProfile;
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::{Meter, Times, median, minimum};
use crate::settings::Settings;
use crate::stores::text;
use crate::table::{Table, number};
use problems::{PROBLEMS, Problem, solve};
use reader::Slow;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "slow-medium",
    parameters: &["degree", "graph", "simple", "problems", "read-ns", "source"],
    run,
};

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(14), true)?;
    let most = list.vertex_count.ilog2().max(1);
    let edges: Vec<_> = list
        .edges
        .iter()
        .map(|&(u, v)| (u, v, edge_weight(u, v, most)))
        .collect();
    let graph =
        Csr::from_weighted_edges(list.vertex_count, &edges, StoredLists::Undirected).simple();
    drop(edges);
    let busiest = (0..list.vertex_count as VertexId)
        .max_by_key(|&v| (graph.neighbors(v).len(), std::cmp::Reverse(v)));
    let source: VertexId = settings.parameter("source", busiest.unwrap_or(0))?;
    let read_ns = settings.parameter("read-ns", LatencyProfile::OPTANE.read_ns)?;
    let trials = settings.trials.unwrap_or(3);

    let mut table = Table::new(
        format!(
            "{}: {read_ns} ns more for each list out of sequence; median of {trials} trials in turn",
            list.name
        ),
        &[
            "problem",
            "threads",
            "dram_seconds",
            "slow_seconds",
            "ratio",
            "ratio_best",
        ],
    );
    for &threads in &settings.threads {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(text)?;
        let mut logarithms = 0.0;
        let problems = chosen(settings)?;
        for &problem in &problems {
            settings.progress(&format!("{problem:?}, {threads} threads"));
            let (dram, slow) =
                pool.install(|| compare(problem, &graph, source, read_ns, trials))?;
            let ratio = median(&slow.wall) / median(&dram.wall);
            logarithms += ratio.ln();
            table.row(vec![
                json!(problem.name()),
                json!(threads),
                number(median(&dram.wall)),
                number(median(&slow.wall)),
                number(ratio),
                number(minimum(&slow.wall) / minimum(&dram.wall)),
            ]);
        }
        let mean = (logarithms / problems.len() as f64).exp();
        let mut row = vec![json!("geometric mean"), json!(threads)];
        row.extend([json!(null), json!(null), number(mean), json!(null)]);
        table.row(row);
    }
    Ok(vec![table])
}

fn chosen(settings: &Settings<'_>) -> Result<Vec<Problem>, String> {
    let names = settings.list(
        "problems",
        &PROBLEMS.map(|problem| problem.name().to_string()),
    )?;
    let named = |name: &String| {
        let found = PROBLEMS.into_iter().find(|problem| problem.name() == name);
        found.ok_or_else(|| {
            let known = PROBLEMS.map(Problem::name).join(", ");
            format!("there is no problem {name:?}; there are {known}")
        })
    };
    names.iter().map(named).collect()
}

fn compare(
    problem: Problem,
    graph: &Csr,
    source: VertexId,
    read_ns: u64,
    trials: usize,
) -> Result<(Times, Times), String> {
    let (mut dram, mut slow) = (Times::default(), Times::default());
    for _ in 0..trials {
        // Both are read through the same code; without a wait it only compares
        // an address for each list.
        for (read_ns, times) in [(0, &mut dram), (read_ns, &mut slow)] {
            let meter = Meter::start();
            solve(problem, &Slow { graph, read_ns }, source).map_err(text)?;
            times.add(meter.stop());
        }
    }
    Ok((dram, slow))
}
