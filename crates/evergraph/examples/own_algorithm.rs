//! An algorithm of one's own on a live view, with the parts that those of the
//! library are made of: a rumor that starts at vertex 0, is passed on only by
//! vertices of few neighbors, and meets a graph that some vertices have left.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph::algorithms::edge_map::{
    Gather, Kernel, Switch, edge_map, vertex_filter, vertex_map,
};
use evergraph::algorithms::filter::{BlockSize, GraphFilter, Keep};
use evergraph::algorithms::{Control, VertexSubset};
use evergraph::graph::StoredLists;
use evergraph::{Database, Options};
use evergraph_generators::kronecker;

/// Not heard yet.
const NEVER: u32 = u32::MAX;

/// An edge tells its target, once.
struct Tell<'a> {
    heard: &'a [AtomicU32],
    round: u32,
}

impl Gather for Tell<'_> {
    type Gathered = bool;

    fn gather(&self, told: &mut bool, _: u32) -> ControlFlow<()> {
        *told = true;
        ControlFlow::Break(())
    }

    fn merge(&self, told: &mut bool, next: bool) {
        *told |= next;
    }

    fn apply(&self, v: u32, told: bool) -> bool {
        told && self.push(v, v)
    }
}

impl Kernel for Tell<'_> {
    fn condition(&self, v: u32) -> bool {
        self.heard[v as usize].load(Relaxed) == NEVER
    }

    fn push(&self, _: u32, v: u32) -> bool {
        let heard = &self.heard[v as usize];
        heard
            .compare_exchange(NEVER, self.round, Relaxed, Relaxed)
            .is_ok()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("evergraph-own-{}", std::process::id()));
    let options = Options {
        direction: StoredLists::Undirected,
        ..Options::default()
    };
    let db = Database::create(&path, &options)?;
    db.insert_edges(&kronecker(12, 4, 27))?;
    let graph = db.view().graph()?;
    let control = Control::new();

    // Every seventh vertex leaves: its edges go from its own list, then from
    // the lists of the other ends. The graph itself is only read.
    let stays = |u: u32, v: u32| u % 7 != 1 && v % 7 != 1;
    let mut rest = GraphFilter::new(&graph, Keep::Symmetric, BlockSize::default(), &control)?;
    let n = evergraph::graph::Graph::vertex_count(&rest) as u32;
    let leaving: Vec<u32> = (0..n).filter(|v| v % 7 == 1).collect();
    rest.edge_map_pack(&leaving, stays, &control)?;
    rest.clean(stays, &control)?;

    let heard: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(NEVER)).collect();
    let passed_on = AtomicU32::new(0);
    heard[0].store(0, Relaxed);
    let mut frontier = VertexSubset::single(0);
    let mut switch = Switch::new(&rest, 15, 18);
    let mut round = 0;
    while !frontier.is_empty() {
        round += 1;
        let tell = Tell {
            heard: &heard,
            round,
        };
        frontier = edge_map(&rest, frontier, &tell, &mut switch, &control)?;
        frontier = vertex_filter(frontier, |v| rest.degree(v) <= 256, &control)?;
        vertex_map(
            &frontier,
            |_| {
                passed_on.fetch_add(1, Relaxed);
            },
            &control,
        )?;
    }
    let reached = heard.iter().filter(|at| at.load(Relaxed) != NEVER).count();
    println!("{reached} of {n} vertices heard it, {passed_on:?} passed it on, in {round} rounds");
    drop(rest);
    drop(graph);
    db.close()?;
    std::fs::remove_dir_all(&path)?;
    Ok(())
}
