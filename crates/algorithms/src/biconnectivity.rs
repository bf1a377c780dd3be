//! Biconnected components: which edges lie on a common cycle; with the vertices
//! (articulation points) and edges (bridges) whose loss would disconnect
//! something.
//!
//! Idea: a breadth-first tree in each component, rooted at its smallest vertex.
//! Every vertex but the roots belongs with its tree edge to one biconnected
//! component, and for a few pairs of vertices it is plain that theirs is the
//! same: the two ends of an edge outside the tree (it never joins a vertex and
//! its ancestor in a breadth-first tree), and `v` and its parent `p` if an edge
//! leads from below `v` past `p` and what is below `p`. These pairs unite
//! the vertices to exactly the biconnected components, each without its head,
//! the vertex nearest to the root. Preorder numbers, and the smallest and
//! largest of them that edges from below a vertex reach, tell who leads past.
//!
//! Work O(m) in practice, at most O(m log n); depth O(diameter · log n); 6n words
//! (of 8 bytes) of DRAM. Deterministic, as neither the components nor their
//! heads depend on which breadth-first tree was grown. Self-loops and parallel
//! edges change nothing: an edge and its parallels count as one, also as a bridge.
//! Sources: Dong, Wang, Gu and Sun, "Provably Fast and Space-Efficient Parallel
//! Biconnectivity" (FAST-BCC), PPoPP 2023; Tarjan and Vishkin, "An Efficient
//! Parallel Biconnectivity Algorithm", 1985; in O(n) words of DRAM as in
//! Dhulipala et al., "Sage", VLDB 2020.

mod tree;

use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::error::{check_undirected, compare_exact, mismatch};
use crate::forest::Forest;
use crate::parallel::{CHUNK_ITEMS, for_each_listed, shared_u32, unshared_u32};
use crate::{Cancelled, Control, Mismatch, RunError, UNREACHED, connected_components};
use tree::Tree;

/// Phases of a run: components, tree, numbers, reach, three of uniting, summary.
const PHASES: u64 = 8;

/// The biconnected components of a graph, in two arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Biconnectivity {
    /// For each vertex the label of the biconnected component in which it is not
    /// the head, of which there is one, except for roots: the smallest vertex of
    /// the component without its head. A root (the smallest vertex of a
    /// connected component) has its own.
    pub labels: Vec<VertexId>,
    /// For each vertex the head of that component, the vertex nearest to the
    /// root; [`UNREACHED`] for a root.
    pub heads: Vec<VertexId>,
    /// Biconnected components. Isolated vertices are in none.
    pub components: usize,
    /// Vertices in more than one biconnected component, ascending: without one
    /// of them its connected component falls apart.
    pub articulation_points: Vec<VertexId>,
    /// Edges that are a biconnected component of their own, as (head, other end),
    /// ascending by the latter.
    pub bridges: Vec<(VertexId, VertexId)>,
}

impl Biconnectivity {
    /// The label of the component of the edge between `u` and `v`, two different
    /// vertices; it says nothing about vertices without an edge between them.
    ///
    /// # Panics
    /// If one is not a vertex of the graph.
    pub fn label(&self, u: VertexId, v: VertexId) -> VertexId {
        match self.heads[v as usize] == u {
            true => self.labels[v as usize],
            false => self.labels[u as usize],
        }
    }
}

/// The biconnected components of `graph`.
///
/// # Errors
/// If `graph` is directed, or `control` ends the run.
pub fn run<G: Graph>(graph: &G, control: &Control) -> Result<Biconnectivity, RunError> {
    check_undirected(graph)?;
    let n = graph.vertex_count();
    let report = |done| control.report("phases", done, Some(PHASES));
    let labels = connected_components::run(graph, &control.unseen())?.labels;
    let roots = labels.par_iter().zip(0..n as VertexId);
    let roots = roots.filter(|&(&label, v)| label == v).map(|(_, v)| v);
    let roots: Vec<VertexId> = roots.collect();
    drop(labels);
    report(1);
    let tree = Tree::grow(graph, roots, control)?;
    report(2);
    let labels = unite(graph, &tree, control)?;
    let result = summary(&tree, labels, control)?;
    report(PHASES);
    Ok(result)
}

/// For each vertex the smallest of those that share its component and are not
/// its head.
fn unite<G: Graph>(graph: &G, tree: &Tree, control: &Control) -> Result<Vec<VertexId>, Cancelled> {
    let forest = Forest::new(tree.parents.len(), control)?;
    {
        let numbers = tree.number(control)?;
        control.report("phases", 3, Some(PHASES));
        let reach = tree.reach(graph, &numbers, control)?;
        control.report("phases", 4, Some(PHASES));
        for_each_listed(tree.below_roots(), control, |v| {
            let parent = tree.parents[v as usize];
            let (low, high) = reach.of(v);
            let below = numbers.below(parent);
            if low < below.start || high >= below.end {
                forest.link(v, parent);
            }
        })?;
    }
    let parents = &tree.parents;
    let join = |u: VertexId, v: VertexId| {
        if parents[u as usize] != v && parents[v as usize] != u && u != v {
            forest.link(u, v);
        }
    };
    forest.unite_edges(graph, join, 4..PHASES, control)?;
    Ok(forest.into_labels())
}

/// Heads, articulation points and bridges.
fn summary(
    tree: &Tree,
    labels: Vec<VertexId>,
    control: &Control,
) -> Result<Biconnectivity, Cancelled> {
    let n = labels.len();
    // The head of a component is the vertex at which the tree enters it.
    let head_of_label = shared_u32(n, UNREACHED, control)?;
    // A second vertex of the component beside its head.
    let second = shared_u32(n, UNREACHED, control)?;
    for_each_listed(tree.below_roots(), control, |v| {
        let label = labels[v as usize] as usize;
        let parent = tree.parents[v as usize];
        if labels[parent as usize] != labels[v as usize] {
            head_of_label[label].store(parent, Relaxed);
        }
        if label as VertexId != v && second[label].load(Relaxed) == UNREACHED {
            second[label].store(v, Relaxed);
        }
    })?;
    let head_of_label = unshared_u32(head_of_label);
    let own = |v: &VertexId| labels[*v as usize] == *v && head_of_label[*v as usize] != UNREACHED;
    let all = || (0..n as VertexId).into_par_iter().with_min_len(CHUNK_ITEMS);
    let components = all().filter(own).count();

    let single = |v: &VertexId| own(v) && second[*v as usize].load(Relaxed) == UNREACHED;
    let bridges = all().filter(single).map(|v| (head_of_label[v as usize], v));
    let bridges = bridges.collect();
    drop(second);

    let heads_of = shared_u32(n, 0, control)?;
    all().filter(own).for_each(|v| {
        heads_of[head_of_label[v as usize] as usize].fetch_add(1, Relaxed);
    });
    let is_articulation = |v: &VertexId| {
        let is_root = head_of_label[labels[*v as usize] as usize] == UNREACHED;
        heads_of[*v as usize].load(Relaxed) > u32::from(is_root)
    };
    let articulation_points = all().filter(is_articulation).collect();
    drop(heads_of);

    let heads = labels.par_iter().with_min_len(CHUNK_ITEMS);
    let heads = heads.map(|&label| head_of_label[label as usize]).collect();
    Ok(Biconnectivity {
        labels,
        heads,
        components,
        articulation_points,
        bridges,
    })
}

/// Labels and heads by one depth-first search that keeps the vertices of open components
/// on a stack; the reference implementation of [`run`].
///
/// Source: Hopcroft and Tarjan, "Algorithm 447: Efficient Algorithms for Graph
/// Manipulation", 1973.
pub fn reference<G: Graph>(graph: &G) -> (Vec<VertexId>, Vec<VertexId>) {
    let n = graph.vertex_count();
    let mut labels: Vec<VertexId> = (0..n as VertexId).collect();
    let mut heads = vec![UNREACHED; n];
    let mut lists = vec![Vec::new(); n];
    let mut reader = graph.reader();
    for (list, v) in lists.iter_mut().zip(0..) {
        reader.neighbors_into(v, list);
    }
    // Number in order of discovery, and the smallest number reached from below.
    let (mut number, mut low) = (vec![UNREACHED; n], vec![UNREACHED; n]);
    let mut discovered = 0;
    for root in 0..n as VertexId {
        if number[root as usize] != UNREACHED {
            continue;
        }
        let mut path = vec![root];
        let mut open = vec![root];
        number[root as usize] = discovered;
        low[root as usize] = discovered;
        discovered += 1;
        while let Some(&u) = path.last() {
            if let Some(v) = lists[u as usize].pop() {
                if number[v as usize] == UNREACHED {
                    number[v as usize] = discovered;
                    low[v as usize] = discovered;
                    discovered += 1;
                    path.push(v);
                    open.push(v);
                } else {
                    low[u as usize] = low[u as usize].min(number[v as usize]);
                }
                continue;
            }
            path.pop();
            let Some(&parent) = path.last() else { break };
            if low[u as usize] < number[parent as usize] {
                low[parent as usize] = low[parent as usize].min(low[u as usize]);
                continue;
            }
            // Nothing below `u` leads past its parent: what is open is a component.
            let start = open.iter().rposition(|&v| v == u).expect("`u` is open");
            let members = open.split_off(start);
            let label = members.iter().copied().min().expect("`u` is a member");
            for member in members {
                labels[member as usize] = label;
                heads[member as usize] = parent;
            }
        }
    }
    (labels, heads)
}

/// Checks labels and heads against [`reference()`], and what follows from them.
/// Sequential, O(n + m) and a copy of the lists.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &Biconnectivity) -> Result<(), Mismatch> {
    let n = graph.vertex_count();
    let (labels, heads) = reference(graph);
    compare_exact("label", &result.labels, &labels)?;
    compare_exact("head", &result.heads, &heads)?;

    let mut sizes = vec![0_usize; n];
    let mut blocks = vec![0_usize; n];
    for v in 0..n {
        sizes[labels[v] as usize] += usize::from(heads[v] != UNREACHED);
        if heads[v] != UNREACHED && labels[v] as usize == v {
            blocks[heads[v] as usize] += 1;
        }
        blocks[v] += usize::from(heads[v] != UNREACHED);
    }
    let components = sizes.iter().filter(|&&size| size > 0).count();
    if result.components != components {
        let (found, expected) = (result.components as f64, components as f64);
        return Err(mismatch(0, "number of components", found, expected));
    }
    let cuts = |v: &VertexId| blocks[*v as usize] > 1;
    let points: Vec<VertexId> = (0..n as VertexId).filter(cuts).collect();
    let is_bridge =
        |v: &VertexId| heads[*v as usize] != UNREACHED && sizes[labels[*v as usize] as usize] == 1;
    let bridges: Vec<VertexId> = (0..n as VertexId).filter(is_bridge).collect();
    let ends: Vec<VertexId> = result.bridges.iter().map(|&(_, v)| v).collect();
    for (what, found, expected) in [
        ("articulation point", &result.articulation_points, points),
        ("end of a bridge", &ends, bridges),
    ] {
        let wrong = found.len().max(expected.len());
        let wrong = (0..wrong).find(|&at| found.get(at) != expected.get(at));
        if let Some(at) = wrong {
            let number = |list: &[VertexId]| list.get(at).map_or(f64::NAN, |&v| f64::from(v));
            let vertex = *expected.get(at).or(found.get(at)).expect("one list has it");
            return Err(mismatch(vertex, what, number(found), number(&expected)));
        }
    }
    let is_wrong = |&&(head, v): &&(VertexId, VertexId)| heads[v as usize] != head;
    match result.bridges.iter().find(is_wrong) {
        None => Ok(()),
        Some(&(head, v)) => {
            let expected = f64::from(heads[v as usize]);
            Err(mismatch(v, "head of a bridge", f64::from(head), expected))
        }
    }
}
