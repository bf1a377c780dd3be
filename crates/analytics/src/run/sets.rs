//! Independent sets, matchings, colorings and covers.

use evergraph_algorithms::{
    coloring as greedy_coloring, maximal_independent_set as greedy_set,
    maximal_matching as matching, set_cover as covering,
};
use evergraph_graph::Graph;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{Kind, Parameter, SEED};
use super::stream;
use super::{Computed, Context, Fact, Values};
use crate::Error;

const USUAL_SEED: u64 = 27;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "coloring",
        columns: &[stream::NODE, stream::number("color")],
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
        run: kernel!(coloring),
    },
    Algorithm {
        name: "maximal-independent-set",
        columns: &[stream::NODE, stream::MEMBER],
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
        run: kernel!(maximal_independent_set),
    },
    Algorithm {
        name: "maximal-matching",
        columns: &[stream::NODE, stream::other("partner")],
        aliases: &["matching"],
        computes: "edges without a common end, to which none can be added",
        value: "the other end of the vertex's edge",
        parameters: &[SEED],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(15.0).and_bits_per_arc(2.0),
        determinism: Determinism::ForSeed,
        bound: "O(m) expected work, O(log³ m) depth",
        source: "Blelloch, Fineman and Shun, \"Greedy Sequential Maximal Independent Set and \
                 Matching are Parallel on Average\", SPAA 2012; Dhulipala et al., \"Sage\", VLDB \
                 2020",
        run: kernel!(maximal_matching),
    },
    Algorithm {
        name: "set-cover",
        columns: &[stream::NODE, stream::other("coveredBy")],
        aliases: &["cover"],
        computes: "few vertices such that each vertex with an in-edge is an out-neighbor of one",
        value: "a vertex of the cover that has it as a neighbor",
        parameters: &[
            Parameter {
                name: "epsilon",
                default: "0.01",
                meaning: "how far a set may be from the greedy choice",
                kind: Kind::Real(0.001, 1.0),
            },
            SEED,
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(13.0).and_bits_per_arc(2.0),
        determinism: Determinism::ForSeed,
        bound: "O(m) expected work, O(log³ n) depth",
        source: "Blelloch, Peng and Tangwongsan, \"Linear-Work Greedy Parallel Approximate Set \
                 Cover and Variants\", SPAA 2011; Dhulipala et al., \"Sage\", VLDB 2020",
        run: kernel!(set_cover),
    },
];

fn coloring(context: &Context<'_>) -> Result<Computed, Error> {
    let seed = context.given.value("seed").unwrap_or(USUAL_SEED);
    let (graph, control) = (context.graph, context.control);
    let (found, measured) = context.measure(|| greedy_coloring::run(graph, seed, control))?;
    let verified = context.verify(|plain| greedy_coloring::verify(plain, seed, &found));
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
    let verified = context.verify(|plain| greedy_set::verify(plain, seed, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![("members", Fact::Whole(found.members.len() as u64))],
        values: Values::members(graph.vertex_count(), &found.members),
        verified,
    })
}

fn maximal_matching(context: &Context<'_>) -> Result<Computed, Error> {
    let parameters = matching::Parameters {
        seed: context.given.value("seed").unwrap_or(USUAL_SEED),
    };
    let (found, measured) =
        context.measure(|| matching::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| matching::verify(plain, &parameters, &found));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.phases)),
        result: vec![("pairs", Fact::Whole(found.pairs as u64))],
        values: Values::Vertices(found.mates),
        verified,
    })
}

fn set_cover(context: &Context<'_>) -> Result<Computed, Error> {
    let usual = covering::Parameters::default();
    let parameters = covering::Parameters {
        epsilon: context.given.value("epsilon").unwrap_or(usual.epsilon),
        seed: context.given.value("seed").unwrap_or(USUAL_SEED),
    };
    let (found, measured) =
        context.measure(|| covering::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| covering::verify(plain, &parameters, &found));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.rounds)),
        result: vec![
            ("sets", Fact::Whole(found.sets.len() as u64)),
            ("covered", Fact::Whole(found.covered as u64)),
        ],
        values: Values::Vertices(found.covered_by),
        verified,
    })
}
