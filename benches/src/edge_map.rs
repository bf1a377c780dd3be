//! DRAM that a push takes beside the graph: the ways to write down who joins, in a
//! breadth-first search that only pushes.
//!
//! Source: Dhulipala et al., "Sage", VLDB 2020, Table 5.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_algorithms::edge_map::{Gather, Kernel, Lists, Room, push, push_with_room};
use evergraph_algorithms::{Cancelled, Control, UNREACHED};
use evergraph_graph::{Csr, Graph, StoredLists, VertexId};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::{Meter, Times, median};
use crate::settings::Settings;
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "edge-map",
    parameters: &["degree", "graph", "simple"],
    run,
};

/// The ways: a place for each edge, a place for each edge of which blocks fill the
/// first, and chunks.
const WAYS: [(&str, Option<Room>); 3] = [
    ("sparse", Some(Room::EachEdge)),
    ("blocked", Some(Room::EachBlock)),
    ("chunked", None),
];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(18), true)?;
    let graph = Csr::from_edges(list.vertex_count, &list.edges, StoredLists::Undirected).simple();
    let trials = settings.trials.unwrap_or(5);
    let mut table = Table::new(
        format!(
            "breadth-first search by pushes alone on {}, median of {trials} trials in turn",
            list.name
        ),
        &[
            "threads",
            "way",
            "seconds",
            "cpu_seconds",
            "dram_bytes",
            "words_per_vertex",
            "dram_over_chunked",
            "reached",
        ],
    );
    let vertices = 0..graph.vertex_count() as VertexId;
    let source = vertices
        .max_by_key(|&v| graph.neighbors(v).len())
        .unwrap_or(0);
    for &threads in &settings.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| error.to_string())?;
        let mut times = WAYS.map(|_| Times::default());
        let mut found = WAYS.map(|_| (0, None));
        for _ in 0..trials {
            for (((_, room), times), found) in WAYS.iter().zip(&mut times).zip(&mut found) {
                let before = settings.memory.map(|memory| {
                    (memory.reset)();
                    (memory.current)()
                });
                let meter = Meter::start();
                let reached = pool.install(|| search(&graph, source, *room));
                times.add(meter.stop());
                let bytes = settings.memory.zip(before);
                let bytes = bytes.map(|(memory, before)| (memory.peak)() - before);
                *found = (reached.map_err(|error| error.to_string())?, bytes);
            }
        }
        let chunked = found[2].1;
        for (((name, _), times), (reached, bytes)) in WAYS.iter().zip(&times).zip(found) {
            let ratio = bytes
                .zip(chunked)
                .map(|(all, least)| all as f64 / least as f64);
            let words = bytes.map(|bytes| bytes as f64 / 4.0 / graph.vertex_count() as f64);
            table.row(vec![
                json!(threads),
                json!(name),
                number(median(&times.wall)),
                number(median(&times.cpu)),
                json!(bytes),
                number(words.unwrap_or(f64::NAN)),
                number(ratio.unwrap_or(f64::NAN)),
                json!(reached),
            ]);
        }
    }
    Ok(vec![table])
}

/// Vertices reached.
fn search(graph: &Csr, source: VertexId, room: Option<Room>) -> Result<usize, Cancelled> {
    let control = Control::new();
    let lists = Lists::outgoing(graph);
    let kernel = ClaimParent {
        parents: (0..graph.vertex_count())
            .map(|_| AtomicU32::new(UNREACHED))
            .collect(),
    };
    kernel.parents[source as usize].store(source, Relaxed);
    let (mut frontier, mut reached) = (vec![source], 0);
    while !frontier.is_empty() {
        reached += frontier.len();
        frontier = match room {
            Some(room) => push_with_room(lists, &frontier, room, &kernel, &control)?,
            None => push(lists, &frontier, &kernel, &control)?,
        };
    }
    Ok(reached)
}

struct ClaimParent {
    parents: Vec<AtomicU32>,
}

impl Kernel for ClaimParent {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        self.parents[v as usize].load(Relaxed) == UNREACHED
    }

    #[inline]
    fn push(&self, u: VertexId, v: VertexId) -> bool {
        let parent = &self.parents[v as usize];
        parent
            .compare_exchange(UNREACHED, u, Relaxed, Relaxed)
            .is_ok()
    }
}

/// Only pushed.
impl Gather for ClaimParent {
    type Gathered = ();

    fn gather(&self, (): &mut (), _: VertexId) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
    fn merge(&self, (): &mut (), (): ()) {}
    fn apply(&self, _: VertexId, (): ()) -> bool {
        false
    }
}
