//! Sources of a rumor: k vertices from which those that have it are near.
//!
//! The distance of a set of sources to an infected vertex is that of the nearest
//! source, along out-edges, in hops or by weight; where no source leads it counts as
//! n hops, or n times the largest weight, which is more than any path. The sources
//! minimize the sum of these distances, or the largest. Both are NP-hard (the
//! k-median and the k-center problem).
//!
//! Sum: greedy, the candidate first that lowers the sum most. As what a candidate
//! saves never grows, the whole saved is at least 1 − 1/e of what can be saved. All
//! candidates are asked at once, by a search backwards from each infected vertex that
//! ends where no candidate is nearer than the nearest source. Then rounds of swaps:
//! each source in turn is replaced by the candidate that lowers the sum most, until a
//! round changes nothing; no single swap is better then.
//! Maximum: a binary search for the smallest radius within which greedy, choosing the
//! candidate first that covers most, covers all; then swaps to cover them within a
//! smaller one. If none are found that lead to all infected vertices, the sources of
//! the smallest sum are returned.
//!
//! Work O(n + m) for each infected vertex for the first source, and at most as much
//! for each further one and each source of a round; k · log n times as much for the
//! maximum. DRAM 10n words of 8 bytes, and 3n a thread. Deterministic.
//! Distances are added up edge by edge in 64 bits, and costs in whole units, a power of
//! two so small that the sum of all costs fits into 126 bits: a path of length 1 counts
//! beside one of 10^20.
//! Sources: the k-Minimum Distance Rumor Source Detection problem, as NVGraph names
//! it; Nemhauser, Wolsey and Fisher, "An Analysis of Approximations for Maximizing
//! Submodular Set Functions", 1978; Arya et al., "Local Search Heuristics for k-median
//! and Facility Location Problems", 2004; Hochbaum and Shmoys, "A Best Possible
//! Heuristic for the k-Center Problem", 1985 (search for the radius).

mod choice;
mod reference;
mod search;

use evergraph_graph::{Graph, StoredLists, VertexId};

use crate::error::check_source;
use crate::{Control, RunError};
use choice::Choice;
pub use reference::{Distances, distances, verify};

/// Objective that the sources minimize.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The sum of the distances.
    #[default]
    Sum,
    /// The largest distance.
    Maximum,
}

/// Candidates for a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candidates {
    /// Every vertex.
    #[default]
    All,
    /// Infected vertices.
    Infected,
}

/// Parameters of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many, from 1 to the number of candidates.
    pub sources: usize,
    /// Objective that they minimize.
    pub objective: Objective,
    /// Candidates for a source.
    pub candidates: Candidates,
    /// Whether edges are as long as their weights, 0 or more; else each is one hop.
    pub weighted: bool,
    /// Rounds of swaps at most; 0 for greedy alone.
    pub rounds: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            sources: 1,
            objective: Objective::default(),
            candidates: Candidates::default(),
            weighted: false,
            rounds: 10,
        }
    }
}

/// Sources, and what is near to them.
#[derive(Clone, Debug, PartialEq)]
pub struct RumorSources {
    /// The sources in the order in which they were chosen; one that replaced another
    /// is in its place.
    pub sources: Vec<VertexId>,
    /// The infected vertices, ascending, each once.
    pub infected: Vec<VertexId>,
    /// For each of them the nearest source, the one chosen first of several;
    /// [`UNREACHED`](crate::UNREACHED) if there is none.
    pub nearest: Vec<VertexId>,
    /// For each of them its distance; infinite if no source leads to it.
    pub distances: Vec<f64>,
    /// Sources that were replaced on the way to these.
    pub swaps: u32,
}

impl RumorSources {
    /// Infected vertices that no source leads to.
    pub fn unreached(&self) -> usize {
        self.distances.iter().filter(|d| d.is_infinite()).count()
    }

    /// The sum of the distances of the others.
    pub fn sum(&self) -> f64 {
        let finite = self.distances.iter().filter(|d| d.is_finite());
        finite.fold(0.0, |sum, distance| sum + distance)
    }

    /// The largest distance of the others.
    pub fn maximum(&self) -> f64 {
        let finite = self.distances.iter().filter(|d| d.is_finite());
        finite.copied().fold(0.0, f64::max)
    }
}

/// The sources of a rumor that `infected` have; repetitions do not count.
///
/// # Errors
/// If the graph keeps only out-lists, an infected vertex is out of range or there is
/// none, there are fewer candidates than sources wanted, a weight that counts is
/// negative or not finite, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    infected: &[VertexId],
    parameters: &Parameters,
    control: &Control,
) -> Result<RumorSources, RunError> {
    if graph.stored_lists() == StoredLists::Out {
        return Err(RunError::NeedsInLists);
    }
    let mut infected = infected.to_vec();
    infected.sort_unstable();
    infected.dedup();
    check(graph, &infected, parameters)?;
    let mut choice = Choice::new(graph, infected, parameters, control)?;
    match parameters.objective {
        Objective::Sum => choice.minimize_sum()?,
        Objective::Maximum => choice.minimize_maximum()?,
    }
    Ok(choice.into_result())
}

fn check(
    graph: &impl Graph,
    infected: &[VertexId],
    parameters: &Parameters,
) -> Result<(), RunError> {
    let none = |name, expected| RunError::InvalidParameter {
        name,
        value: 0.0,
        expected,
    };
    if parameters.sources == 0 {
        return Err(none("sources", "at least 1"));
    }
    let last = infected.last();
    check_source(graph, *last.ok_or(none("infected", "at least one vertex"))?)?;
    let available = match parameters.candidates {
        Candidates::All => graph.vertex_count(),
        Candidates::Infected => infected.len(),
    };
    if parameters.sources > available {
        return Err(RunError::TooFewVertices {
            what: "sources",
            wanted: parameters.sources,
            available,
        });
    }
    Ok(())
}
