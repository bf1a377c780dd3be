//! Cores, trusses and dense subgraphs.

use evergraph_algorithms::densest_subgraph::{self as densest, Parameters};
use evergraph_algorithms::k_core::{self as cores, Bucketing};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{Kind, Parameter};
use super::stream;
use super::{Computed, Context, Fact, Values};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "k-core",
        columns: &[stream::NODE, stream::number("coreness")],
        aliases: &["kcore", "coreness", "core-numbers"],
        computes: "the coreness: the largest k such that a vertex is in a part of the graph \
                   where all degrees are at least k",
        value: "the coreness",
        parameters: &[
            Parameter {
                name: "parallel",
                default: "once",
                meaning: "whether parallel and reciprocal edges count once and self-loops not, \
                          or all as they are stored",
                kind: Kind::Choice(&["once", "each"]),
            },
            Parameter {
                name: "buckets",
                default: "open",
                meaning: "how vertices wait by degree: a few open buckets and one list for all \
                          that is later, or all buckets at once (semi-eager); the result is the \
                          same",
                kind: Kind::Choice(&["open", "semi-eager"]),
            },
        ],
        needs: Needs::Simple,
        weights: Weights::Ignored,
        dram: Dram::words(8.0),
        determinism: Determinism::Always,
        bound: "O(n + m) work, O(rounds · log n) depth",
        source: "Dhulipala, Blelloch and Shun, \"Julienne\", SPAA 2017; Dhulipala et al., \
                 \"Sage\", VLDB 2020",
        run: kernel!(k_core),
    },
    Algorithm {
        name: "densest-subgraph",
        columns: &[stream::NODE, stream::MEMBER],
        aliases: &["densest"],
        computes: "a set of vertices with at least 1 / (2 + 2 epsilon) of the edges a vertex \
                   that the densest set has; parallel edges count",
        value: "1 in the set, else 0",
        parameters: &[Parameter {
            name: "epsilon",
            default: "0.001",
            meaning: "how far the bound may be from 2",
            kind: Kind::Real(0.0001, 10.0),
        }],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(7.0),
        determinism: Determinism::Always,
        bound: "O(m + n log n / epsilon) work, O(log² n / epsilon) depth",
        source: "Bahmani, Kumar and Vassilvitskii, \"Densest Subgraph in Streaming and \
                 MapReduce\", VLDB 2012",
        run: kernel!(densest_subgraph),
    },
];

fn k_core(context: &Context<'_>) -> Result<Computed, Error> {
    let parameters = cores::Parameters {
        bucketing: match context.given.text("buckets") {
            Some("semi-eager") => Bucketing::SemiEager,
            _ => Bucketing::Open,
        },
    };
    let (found, measured) =
        context.measure(|| cores::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| cores::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: Some(found.rounds),
        result: vec![
            ("max_coreness", Fact::Whole(u64::from(found.max_coreness))),
            ("innermost", Fact::Whole(found.innermost as u64)),
        ],
        values: Values::Depths(found.coreness),
        verified,
    })
}

fn densest_subgraph(context: &Context<'_>) -> Result<Computed, Error> {
    let usual = Parameters::default();
    let parameters = Parameters {
        epsilon: context.given.value("epsilon").unwrap_or(usual.epsilon),
    };
    let (found, measured) =
        context.measure(|| densest::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| densest::verify(plain, &parameters, &found));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.rounds)),
        result: vec![
            ("density", Fact::Real(found.density)),
            ("size", Fact::Whole(found.size as u64)),
        ],
        values: Values::Members(found.members),
        verified,
    })
}
