//! Communities of high modularity by the method of Louvain.
//!
//! Idea: every vertex begins as a community of its own and moves to the neighboring
//! community that gains most, until none gains by moving; then each community
//! becomes one vertex of a smaller graph, and the same begins there, until that
//! contracts nothing any more. No two of the communities gain by becoming one, but a
//! community may not be connected: see [`leiden`](crate::leiden).
//!
//! While many vertices may move they do so in batches of a sixteenth, chosen by the
//! seed, each batch at once; the last few move one by one.
//!
//! Work O(m) a round of moves, depth that of the longest list (a vertex is one
//! task's) and the moves one by one. DRAM at the first level 10n words of 4 bytes; a
//! contracted graph has at most n + m / log n list entries of 12 bytes, and while it
//! would have more, the lists of the graph itself are read in its stead, at its cost.
//! Each task has a table of up to 72 bytes for each neighbor of its vertex, of which
//! there are at most n.
//!
//! Deterministic: the same for a seed and any number of threads. Self-loops stay
//! inside their community; weights of parallel edges add up; weight 0 is no edge.
//! Sources: Blondel, Guillaume, Lambiotte and Lefebvre, "Fast Unfolding of
//! Communities in Large Networks", 2008; Reichardt and Bornholdt, 2006 (resolution).

use evergraph_graph::{Graph, VertexId};

use crate::clustering::{
    Contraction, Level, Objective, Partition, check, contract, modularity, move_vertices,
    name_by_smallest, strengths,
};
use crate::modularity::{self as quality, best_merge};
use crate::{Control, Mismatch, RunError};

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// γ: above 1 for more and smaller communities, below 1 for fewer and larger.
    pub resolution: f64,
    /// Decides the order in which vertices move.
    pub seed: u64,
}

impl Default for Parameters {
    /// Resolution 1, seed 0.
    fn default() -> Self {
        Self {
            resolution: 1.0,
            seed: 0,
        }
    }
}

/// Quality of the communities after the moves on one graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelSummary {
    /// Communities.
    pub communities: usize,
    /// Their modularity.
    pub modularity: f64,
    /// Vertices that moved, as often as they did.
    pub moves: u64,
}

/// The communities of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// For each vertex the smallest vertex of its community.
    pub labels: Vec<VertexId>,
    /// How many there are.
    pub communities: usize,
    /// Vertices of the largest.
    pub largest: usize,
    /// Their modularity; 0 without edges.
    pub modularity: f64,
    /// The graph itself first, then the smaller ones.
    pub levels: Vec<LevelSummary>,
}

impl Communities {
    pub(crate) fn new(mut labels: Vec<VertexId>, levels: Vec<LevelSummary>) -> Self {
        let communities = name_by_smallest(&mut labels);
        let mut sizes = vec![0_u32; labels.len()];
        for &label in &labels {
            sizes[label as usize] += 1;
        }
        Self {
            communities,
            largest: sizes.into_iter().max().unwrap_or(0) as usize,
            modularity: levels.last().map_or(0.0, |level| level.modularity),
            labels,
            levels,
        }
    }
}

/// The communities of an undirected graph.
///
/// # Errors
/// If the graph is not undirected, a weight is negative or not finite, the resolution
/// is out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<Communities, RunError> {
    check(graph, parameters.resolution)?;
    let mut strengths = strengths(graph, control)?;
    let mut objective = Objective::new(&strengths, parameters.resolution, control);
    let contraction = Contraction::of(graph);
    let mut path: Vec<VertexId> = (0..strengths.len() as VertexId).collect();
    let mut level = Level::Graph(graph);
    let mut levels = Vec::new();
    loop {
        objective.seed = parameters.seed.wrapping_add(levels.len() as u64);
        let mut partition = Partition::singletons(&strengths, control)?;
        let moves = move_vertices(&level, &strengths, &mut partition, &objective)?;
        let (groups, count) = partition.numbered(control)?;
        levels.push(LevelSummary {
            communities: count,
            modularity: modularity(&level, &partition, &objective)?,
            moves,
        });
        control.report("levels", levels.len() as u64, None);
        if count == groups.len() {
            return Ok(Communities::new(path, levels));
        }
        strengths = partition.totals_of(&groups, count, control)?;
        drop(partition);
        level = contract(&contraction, &level, &groups, count, &mut path, &objective)?;
    }
}

/// Checks the labels, and that the modularity is that of [`quality::reference`];
/// that no two communities would gain by becoming one. Sequential, O(n + m).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &Communities,
) -> Result<(), Mismatch> {
    quality::verify(
        graph,
        parameters.resolution,
        &result.labels,
        result.modularity,
    )?;
    match best_merge(graph, parameters.resolution, &result.labels) {
        Some((vertex, gain)) if gain > 1e-9 => Err(Mismatch {
            vertex,
            what: "gain of joining another community",
            found: gain,
            expected: 0.0,
        }),
        _ => Ok(()),
    }
}
