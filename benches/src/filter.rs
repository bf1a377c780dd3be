//! A filter by the size of its blocks: how large it is, and what making, reading
//! and intersecting its lists take. The edges that it keeps lead from lower to higher
//! degree, as for counting triangles.
//!
//! Source: Dhulipala et al., "Sage", VLDB 2020, section 4.2.3 and Table 4.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_algorithms::filter::{BlockSize, GraphFilter, Keep, intersect};
use evergraph_algorithms::{Control, RunError};
use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::{Meter, Times, median};
use crate::settings::Settings;
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "filter",
    parameters: &["degree", "graph"],
    run,
};

/// Vertices of one task.
const CHUNK: u32 = 1024;

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(14), true)?;
    let graph = Csr::from_edges(list.vertex_count, &list.edges, StoredLists::Undirected).simple();
    let trials = settings.trials.unwrap_or(5);
    let mut table = Table::new(
        format!(
            "a filter of {}, median of {trials} trials in turn",
            list.name
        ),
        &[
            "threads",
            "block",
            "filter_bytes",
            "graph_bytes",
            "graph_over_filter",
            "edges",
            "make_cpu_seconds",
            "scan_cpu_seconds",
            "intersect_cpu_seconds",
            "triangles",
        ],
    );
    let graph_bytes = 8 * (graph.vertex_count() + 1) + 4 * graph.arc_count() as usize;
    for &threads in &settings.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| error.to_string())?;
        let mut trialled = BlockSize::ALL.map(|size| (size, Trial::default()));
        for _ in 0..trials {
            for (size, trial) in &mut trialled {
                pool.install(|| trial.run(&graph, *size))
                    .map_err(|error| error.to_string())?;
            }
        }
        for (size, trial) in trialled {
            table.row(vec![
                json!(threads),
                json!(size.entries()),
                json!(trial.bytes),
                json!(graph_bytes),
                number(graph_bytes as f64 / trial.bytes as f64),
                json!(trial.edges),
                number(median(&trial.make.cpu)),
                number(median(&trial.scan.cpu)),
                number(median(&trial.intersect.cpu)),
                json!(trial.triangles),
            ]);
        }
    }
    Ok(vec![table])
}

/// Findings of the trials of one size of blocks.
#[derive(Default)]
struct Trial {
    make: Times,
    scan: Times,
    intersect: Times,
    bytes: usize,
    edges: u64,
    triangles: u64,
}

impl Trial {
    fn run(&mut self, graph: &Csr, size: BlockSize) -> Result<(), RunError> {
        let rank = |v: VertexId| (graph.neighbors(v).len(), v);
        let meter = Meter::start();
        let upward = |u, v| rank(u) < rank(v);
        let filter = GraphFilter::with(graph, Keep::Out, size, upward, &Control::new())?;
        self.make.add(meter.stop());
        (self.bytes, self.edges) = (filter.size_bytes(), filter.arc_count());

        let meter = Meter::start();
        let sum = for_each_chunk(&filter, |reader, u| {
            let mut sum = 0;
            reader.for_each_neighbor(u, |v| sum += u64::from(v));
            sum
        });
        std::hint::black_box(sum);
        self.scan.add(meter.stop());

        let meter = Meter::start();
        self.triangles = for_each_chunk(&filter, |reader, u| {
            let (mut own, mut triangles) = (Vec::new(), 0);
            reader.neighbors_into(u, &mut own);
            for &v in &own {
                intersect(reader, v, &own, |_| triangles += 1);
            }
            triangles
        });
        self.intersect.add(meter.stop());
        Ok(())
    }
}

/// The sum of what `work` gives for each vertex.
fn for_each_chunk<'a, G: Graph>(
    graph: &'a G,
    work: impl Fn(&mut G::Reader<'a>, VertexId) -> u64 + Sync,
) -> u64 {
    let n = graph.vertex_count() as VertexId;
    let total = AtomicU64::new(0);
    (0..n.div_ceil(CHUNK)).into_par_iter().for_each(|chunk| {
        let mut reader = graph.reader();
        let vertices = chunk * CHUNK..n.min((chunk + 1) * CHUNK);
        let sum = vertices.map(|v| work(&mut reader, v)).sum();
        total.fetch_add(sum, Relaxed);
    });
    total.into_inner()
}
