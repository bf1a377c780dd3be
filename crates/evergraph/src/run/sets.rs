//! Independent sets, matchings, colorings and covers.

use evergraph_algorithms::{coloring as greedy_coloring, maximal_independent_set as greedy_set};
use evergraph_graph::Graph;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::SEED;
use super::{Computed, Context, Fact, Values};
use crate::Error;

const USUAL_SEED: u64 = 27;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "coloring",
        aliases: &["graph-coloring"],
        computes: "colors such that neighbors differ, at most one more than the largest degree",
        value: "the color, from 0",
        parameters: &[SEED],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(2.5),
        determinism: Determinism::ForSeed,
        bound: "O(m) work, O(log n + √m log Δ) depth in expectation",
        source: "Hasenplaugh, Kaler, Schardl and Leiserson, \"Ordering Heuristics for Parallel \
                 Graph Coloring\", SPAA 2014",
        run: coloring,
    },
    Algorithm {
        name: "maximal-independent-set",
        aliases: &["mis", "independent-set"],
        computes: "vertices that are not neighbors, to which none can be added",
        value: "1 for a vertex of the set, 0 for others",
        parameters: &[SEED],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(3.0),
        determinism: Determinism::ForSeed,
        bound: "O(m) work, O(log² n) depth with high probability",
        source: "Blelloch, Fineman and Shun, \"Greedy Sequential Maximal Independent Set and \
                 Matching are Parallel on Average\", SPAA 2012",
        run: maximal_independent_set,
    },
];

fn coloring(context: &Context<'_>) -> Result<Computed, Error> {
    let seed = context.given.value("seed").unwrap_or(USUAL_SEED);
    let (graph, control) = (context.graph, context.control);
    let (found, measured) = context.measure(|| greedy_coloring::run(graph, seed, control))?;
    let verified = context.verify(|| greedy_coloring::verify(graph, seed, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![("colors", Fact::Whole(u64::from(found.color_count)))],
        values: Values::Depths(found.colors),
        verified,
    })
}

fn maximal_independent_set(context: &Context<'_>) -> Result<Computed, Error> {
    let seed = context.given.value("seed").unwrap_or(USUAL_SEED);
    let (graph, control) = (context.graph, context.control);
    let (found, measured) = context.measure(|| greedy_set::run(graph, seed, control))?;
    let verified = context.verify(|| greedy_set::verify(graph, seed, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![("members", Fact::Whole(found.members.len() as u64))],
        values: Values::members(graph.vertex_count(), &found.members),
        verified,
    })
}
