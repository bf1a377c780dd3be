//! Searches level by level, and centralities by shortest paths.

use evergraph_algorithms::betweenness::{self as brandes, Normalization};
use evergraph_algorithms::closeness::{self as nearness, Closeness, Distances};
use evergraph_algorithms::{bfs as search, sampling};

use evergraph_graph::Graph;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{Kind, Parameter, SEED, SOURCE, SOURCES, SPEC};
use super::{Computed, Context, Fact, Values, largest};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "bfs",
        aliases: &["breadth-first-search"],
        computes: "a breadth-first tree from a source along out-edges",
        value: "the depth, or the parent",
        parameters: &[
            SOURCE,
            Parameter {
                name: "output",
                default: "depth",
                meaning: "what an output file holds for each vertex",
                kind: Kind::Choice(&["depth", "parents"]),
            },
            SPEC,
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(3.0),
        determinism: Determinism::Except("depths; which parent may differ"),
        bound: "O(m) work, O(diameter · log n) depth",
        source: "Beamer, Asanović and Patterson, \"Direction-Optimizing Breadth-First Search\", \
                 SC 2012",
        run: kernel!(bfs),
    },
    Algorithm {
        name: "betweenness",
        aliases: &["bc", "betweenness-centrality"],
        computes: "for each vertex how many shortest paths from the sources lead over it",
        value: "the score",
        parameters: &[
            SOURCES,
            Parameter {
                name: "samples",
                default: "none",
                meaning: "so many sources chosen by chance instead; all vertices if there are no \
                          more",
                kind: Kind::Whole(1, u64::MAX),
            },
            SEED,
            Parameter {
                name: "normalized",
                default: "false",
                meaning: "divide all scores by the largest; or make them shares of the shortest \
                          paths of all pairs, estimated from the sources, as NetworkX has them",
                kind: Kind::Choice(&["false", "true", "pairs"]),
            },
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(10.0),
        determinism: Determinism::ForSeed,
        bound: "for each source O(n + m) work, O(diameter · log n) depth",
        source: "Brandes, \"A Faster Algorithm for Betweenness Centrality\", 2001",
        run: kernel!(betweenness),
    },
    Algorithm {
        name: "closeness",
        aliases: &["closeness-centrality"],
        computes: "how near vertices are: the inverse of the mean distance, times the share of \
                   vertices that a path connects (Wasserman and Faust)",
        value: "the score",
        parameters: NEARNESS,
        run: kernel!(closeness),
        ..NEAR
    },
    Algorithm {
        name: "harmonic",
        aliases: &["harmonic-centrality"],
        computes: "how near vertices are: the sum of the inverse distances of all others",
        value: "the score",
        parameters: NEARNESS,
        run: kernel!(harmonic),
        ..NEAR
    },
];

/// Of whose distances, and how many.
const NEARNESS: &[Parameter] = &[
    Parameter {
        name: "distances",
        default: "in",
        meaning: "whether distances to a vertex count, or from it",
        kind: Kind::Choice(&["in", "out"]),
    },
    Parameter {
        name: "samples",
        default: "256",
        meaning: "distances of so many vertices, chosen by chance, stand for those of all; the \
                  result is exact if there are no more vertices",
        kind: Kind::Whole(1, u64::MAX),
    },
    SEED,
];

/// Fields that both centralities share.
const NEAR: Algorithm = Algorithm {
    name: "",
    aliases: &[],
    computes: "",
    value: "",
    parameters: &[],
    needs: Needs::InLists,
    weights: Weights::Ignored,
    dram: Dram::words(19.0),
    determinism: Determinism::ForSeed,
    bound: "for each 256 sources O(m · levels) work at most, O(diameter · log n) depth",
    source: "Then et al., \"The More the Merrier: Efficient Multi-Source Graph Traversal\", VLDB \
             2014; Wasserman and Faust, \"Social Network Analysis\", 1994",
    run: kernel!(closeness),
};

fn bfs(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let (found, measured) =
        context.measure(|| search::run(context.graph, source, context.control))?;
    let verified = context.verify(|plain| search::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.max_depth)),
        result: vec![
            ("source", context.name(source)),
            ("reached", Fact::Whole(found.reached as u64)),
            ("max_depth", Fact::Whole(u64::from(found.max_depth))),
        ],
        values: match context.given.text("output") {
            Some("parents") => Values::Vertices(found.parents),
            _ => Values::Depths(found.depths),
        },
        verified,
    })
}

fn betweenness(context: &Context<'_>) -> Result<Computed, Error> {
    let sources = match context.given.value("samples") {
        None => context.sources()?,
        Some(_) if context.given.text("source").is_some() => {
            return Err(Error::argument(
                "parameters `source` and `samples` are both given",
                "give one of them",
            ));
        }
        Some(count) => {
            sampling::sample_vertices(context.graph.vertex_count(), count, context.seed())
        }
    };
    let normalization = match context.given.text("normalized") {
        Some("true") => Normalization::Maximum,
        Some("pairs") => Normalization::Pairs,
        _ => Normalization::None,
    };
    let (found, measured) = context
        .measure(|| brandes::run(context.graph, &sources, normalization, context.control))?;
    let verified = context.verify(|plain| brandes::verify(plain, &sources, normalization, &found));
    let (top, _) = largest(&found.scores);
    Ok(Computed {
        measured,
        iterations: Some(found.sources as u64),
        result: vec![
            ("sources", Fact::Whole(found.sources as u64)),
            ("reached", Fact::Whole(found.reached)),
            ("max_depth", Fact::Whole(u64::from(found.max_depth))),
            ("top_vertex", context.name(top)),
            ("max_score", Fact::Real(found.max_score)),
        ],
        values: Values::Reals(found.scores),
        verified,
    })
}

fn closeness(context: &Context<'_>) -> Result<Computed, Error> {
    near(context, |found| found.closeness)
}

fn harmonic(context: &Context<'_>) -> Result<Computed, Error> {
    near(context, |found| found.harmonic)
}

fn near(context: &Context<'_>, scores: impl Fn(Closeness) -> Vec<f64>) -> Result<Computed, Error> {
    let parameters = nearness::Parameters {
        distances: match context.given.text("distances") {
            Some("out") => Distances::Outgoing,
            _ => Distances::Incoming,
        },
        samples: Some(context.given.value("samples").unwrap_or(256)),
        seed: context.seed(),
    };
    let (found, measured) =
        context.measure(|| nearness::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| nearness::verify(plain, &parameters, &found));
    let (sources, pairs) = (found.sources as u64, found.pairs);
    let max_distance = u64::from(found.max_distance);
    let scores = scores(found);
    let (top, score) = largest(&scores);
    Ok(Computed {
        measured,
        iterations: Some(sources),
        result: vec![
            ("sources", Fact::Whole(sources)),
            ("pairs", Fact::Whole(pairs)),
            ("max_distance", Fact::Whole(max_distance)),
            ("top_vertex", context.name(top)),
            ("max_score", Fact::Real(score)),
        ],
        values: Values::Reals(scores),
        verified,
    })
}
