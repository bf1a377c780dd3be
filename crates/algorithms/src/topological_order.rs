//! Topological order: an order of the vertices in which every edge leads forward;
//! or a cycle, if there is none.
//!
//! Idea: vertices without edges in are the first level; without them and their
//! edges, others have no edges in and are the next level, until none are left. If
//! no such vertex is left before the end, each of the rest has an edge in from
//! another of them; following those back leads around a cycle.
//!
//! Work O(m), depth O(longest path · log n); 4n words (of 8 bytes) of DRAM.
//! Deterministic. A self-loop is a cycle of one vertex, an undirected edge one of
//! two; parallel edges change nothing.
//! Source: Kahn, "Topological Sorting of Large Networks", 1962.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::edge_map::Lists;
use crate::error::{compare_exact, mismatch};
use crate::parallel::{
    CHUNK_ITEMS, for_each_chunk, for_each_list, for_each_listed, shared_u32, unshared_u32,
};
use crate::push_each::push_each;
use crate::{Bitmap, Cancelled, Control, Mismatch, RunError, UNREACHED};

/// A topological order of a graph, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologicalOrder {
    /// For each vertex the edges on a longest path that ends there;
    /// [`UNREACHED`] on a cycle and behind one.
    pub levels: Vec<u32>,
    /// The vertices that have a level, by level and then by id: if the graph has
    /// no cycle all of them, each before those to which it has edges.
    pub order: Vec<VertexId>,
    /// How many levels there are.
    pub level_count: usize,
    /// The vertices of a cycle in the order of its edges, the smallest first;
    /// empty if the graph has none.
    pub cycle: Vec<VertexId>,
}

impl TopologicalOrder {
    /// Whether the graph has no cycle.
    pub fn is_acyclic(&self) -> bool {
        self.cycle.is_empty()
    }
}

/// A topological order of `graph`, or a cycle.
///
/// # Errors
/// If `control` ends the run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<TopologicalOrder, RunError> {
    let n = graph.vertex_count();
    let all = || (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
    let levels = shared_u32(n, UNREACHED, control)?;
    let mut order = Vec::with_capacity(n);
    let mut level_count = 0;
    {
        let edges = edges_in(graph, control)?;
        let frees = |_, v: VertexId| edges[v as usize].fetch_sub(1, Relaxed) == 1;
        let is_free = |v: &VertexId| edges[*v as usize].load(Relaxed) == 0;
        let mut level: Vec<VertexId> = all().filter(is_free).collect();
        while !level.is_empty() {
            for_each_listed(&level, control, |v| {
                levels[v as usize].store(level_count, Relaxed);
            })?;
            level_count += 1;
            order.extend_from_slice(&level);
            control.report("ordered vertices", order.len() as u64, Some(n as u64));
            level = push_each(Lists::outgoing(graph), &level, frees, control)?;
            level.par_sort_unstable();
        }
    }
    let levels = unshared_u32(levels);
    let cycle = match order.len() == n {
        true => Vec::new(),
        false => cycle(graph, &levels, control)?,
    };
    Ok(TopologicalOrder {
        levels,
        order,
        level_count: level_count as usize,
        cycle,
    })
}

/// For each vertex how many edges lead to it.
fn edges_in<G: Graph>(graph: &G, control: &Control) -> Result<Vec<AtomicU32>, Cancelled> {
    let n = graph.vertex_count();
    let edges = shared_u32(n, 0, control)?;
    if let Some(incoming) = Lists::incoming(graph) {
        for_each_chunk(n, |vertices| {
            control.check()?;
            let mut reader = incoming.reader();
            for v in vertices {
                edges[v as usize].store(reader.degree(v) as u32, Relaxed);
            }
            Ok(())
        })?;
    } else {
        let count = |_, list: &[VertexId]| {
            for &v in list {
                edges[v as usize].fetch_add(1, Relaxed);
            }
        };
        for_each_list(Lists::outgoing(graph), |_| true, count, control)?;
    }
    Ok(edges)
}

/// A cycle among the vertices without a level, of which there are some.
fn cycle<G: Graph>(
    graph: &G,
    levels: &[u32],
    control: &Control,
) -> Result<Vec<VertexId>, Cancelled> {
    let n = levels.len();
    let is_left = |v: VertexId| levels[v as usize] == UNREACHED;
    // The smallest from which an edge comes.
    let before = shared_u32(n, UNREACHED, control)?;
    let lower = |u, list: &[VertexId]| {
        for &v in list {
            if is_left(v) && u < before[v as usize].load(Relaxed) {
                before[v as usize].fetch_min(u, Relaxed);
            }
        }
    };
    for_each_list(Lists::outgoing(graph), is_left, lower, control)?;
    let before = unshared_u32(before);
    // Backwards until one comes around: the way before is not part of the cycle.
    let mut seen = Bitmap::empty(n);
    let mut way = Vec::new();
    let mut v = (0..n as VertexId).find(|&v| is_left(v)).unwrap_or(0);
    while !seen.contains(v) {
        if way.len() % CHUNK_ITEMS == 0 {
            control.check()?;
        }
        seen.insert(v);
        way.push(v);
        v = before[v as usize];
    }
    let start = way.iter().position(|&u| u == v).unwrap_or(0);
    let mut cycle = way.split_off(start);
    cycle.reverse();
    let smallest = cycle.iter().enumerate().min_by_key(|&(_, v)| v);
    let smallest = smallest.map_or(0, |(at, _)| at);
    cycle.rotate_left(smallest);
    Ok(cycle)
}

/// Levels by one depth-first search, as longest paths; [`UNREACHED`] for vertices on a
/// cycle and behind one; the reference implementation of [`run`]. Copies the lists.
///
/// Source: Tarjan, "Edge-Disjoint Spanning Trees and Depth-First Search", 1976.
pub fn reference<G: Graph>(graph: &G) -> Vec<u32> {
    let n = graph.vertex_count();
    let mut lists = vec![Vec::new(); n];
    let mut reader = graph.reader();
    for (list, v) in lists.iter_mut().zip(0..) {
        reader.neighbors_into(v, list);
    }
    // Vertices in the order in which a depth-first search leaves them, and the
    // vertices that close a cycle with the path of that search.
    let mut left = Vec::with_capacity(n);
    let mut state = vec![State::New; n];
    let mut next = vec![0; n];
    let mut closing = Vec::new();
    for root in 0..n as VertexId {
        if state[root as usize] != State::New {
            continue;
        }
        state[root as usize] = State::OnPath;
        let mut path = vec![root];
        while let Some(&u) = path.last() {
            let at = next[u as usize];
            next[u as usize] += 1;
            match lists[u as usize].get(at) {
                Some(&v) if state[v as usize] == State::New => {
                    state[v as usize] = State::OnPath;
                    path.push(v);
                }
                Some(&v) if state[v as usize] == State::OnPath => closing.push(v),
                Some(_) => {}
                None => {
                    state[u as usize] = State::Left;
                    left.extend(path.pop());
                }
            }
        }
    }
    let mut levels = vec![0; n];
    for v in closing {
        spread(&lists, v, &mut levels);
    }
    for &u in left.iter().rev() {
        let level = levels[u as usize];
        for &v in &lists[u as usize] {
            if level != UNREACHED && levels[v as usize] != UNREACHED {
                levels[v as usize] = levels[v as usize].max(level + 1);
            }
        }
    }
    levels
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    OnPath,
    Left,
}

/// Marks what `source` reaches as on a cycle or behind one.
fn spread(lists: &[Vec<VertexId>], source: VertexId, levels: &mut [u32]) {
    let mut open = vec![source];
    while let Some(u) = open.pop() {
        if levels[u as usize] != UNREACHED {
            levels[u as usize] = UNREACHED;
            open.extend(&lists[u as usize]);
        }
    }
}

/// Checks levels against [`reference()`], the order against the levels, and that
/// the cycle is one. Sequential, O(n log n + m) and a copy of the lists.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &TopologicalOrder) -> Result<(), Mismatch> {
    let levels = reference(graph);
    compare_exact("level", &result.levels, &levels)?;
    let is_ordered = |&v: &VertexId| levels[v as usize] != UNREACHED;
    let all = 0..graph.vertex_count() as VertexId;
    let mut order: Vec<VertexId> = all.filter(is_ordered).collect();
    order.sort_by_key(|&v| levels[v as usize]);
    let (found, expected) = (result.order.len(), order.len());
    if found != expected {
        return Err(mismatch(
            0,
            "length of the order",
            found as f64,
            expected as f64,
        ));
    }
    compare_exact("vertex at this place of the order", &result.order, &order)?;
    let expected = order.last().map_or(0, |&v| levels[v as usize] as usize + 1);
    if result.level_count != expected {
        let found = result.level_count as f64;
        return Err(mismatch(0, "number of levels", found, expected as f64));
    }
    let found = result.cycle.is_empty();
    let expected = order.len() == levels.len();
    if found != expected {
        let (found, expected) = (f64::from(found), f64::from(expected));
        return Err(mismatch(0, "having no cycle", found, expected));
    }
    let mut reader = graph.reader();
    let mut seen = Bitmap::empty(levels.len());
    for (at, &u) in result.cycle.iter().enumerate() {
        let v = result.cycle[(at + 1) % result.cycle.len()];
        let mut copies = 0;
        reader.for_each_neighbor(u, |w| copies += usize::from(w == v));
        if copies == 0 || seen.contains(u) {
            return Err(mismatch(
                u,
                "next vertex of the cycle",
                f64::from(v),
                f64::NAN,
            ));
        }
        seen.insert(u);
    }
    Ok(())
}
