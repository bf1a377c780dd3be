//! Searches level by level, and centralities by shortest paths.

use evergraph_algorithms::betweenness::{self as brandes, Normalization};
use evergraph_algorithms::closeness::{self as nearness, Closeness, Distances};
use evergraph_algorithms::{bfs as search, sampling};

use evergraph_graph::Graph;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{Kind, Parameter, SEED, SOURCE, SOURCES, SPEC, TARGET};
use super::routes::Route;
use super::stream;
use super::{Computed, Context, Fact, Values, largest};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "bfs",
        columns: &[stream::NODE, stream::number("depth"), stream::PARENT],
        aliases: &["breadth-first-search"],
        computes: "a breadth-first tree from a source along out-edges",
        value: "the depth, or the parent",
        parameters: &[
            SOURCE,
            TARGET,
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
        columns: stream::SCORES,
        aliases: &["bc", "betweenness-centrality"],
        computes: "for each vertex how many of the shortest paths of all pairs lead over it",
        value: "the score",
        parameters: &[
            Parameter {
                default: SAMPLED,
                meaning: "paths from these vertices alone, as a plain sum",
                ..SOURCES
            },
            Parameter {
                name: "samples",
                default: "all if n(n + m) is at most 2^34, else 256",
                meaning: "paths from so many vertices, chosen by chance, estimate those of all",
                kind: Kind::Samples,
            },
            SEED,
            Parameter {
                name: "normalized",
                default: "false",
                meaning: "divide all scores by the largest; or make them shares of the shortest \
                          paths of all pairs, as NetworkX has them",
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
        columns: stream::SCORES,
        aliases: &["closeness-centrality"],
        computes: "how near vertices are: the inverse of the mean distance, times the share of \
                   vertices that a path connects (Wasserman and Faust)",
        value: "the score",
        parameters: &[
            DISTANCES,
            SAMPLES,
            SEED,
            Parameter {
                name: "reached",
                default: "share",
                meaning: "whether the inverse of the mean distance is taken times the share of \
                          vertices that are reached, or alone (only), as igraph has it",
                kind: Kind::Choice(&["share", "only"]),
            },
        ],
        run: kernel!(closeness),
        ..NEAR
    },
    Algorithm {
        name: "harmonic",
        columns: stream::SCORES,
        aliases: &["harmonic-centrality"],
        computes: "how near vertices are: the sum of the inverse distances of all others",
        value: "the score",
        parameters: &[
            DISTANCES,
            SAMPLES,
            SEED,
            Parameter {
                name: "normalized",
                default: "false",
                meaning: "divide by the number of other vertices, as igraph does",
                kind: Kind::Switch,
            },
        ],
        run: kernel!(harmonic),
        ..NEAR
    },
];

/// Steps of n searches of n + m each, up to which betweenness is exact by default: some
/// minutes on a core.
const EXACT_BETWEENNESS: u64 = 1 << 34;
/// The same of closeness and harmonic, whose searches go on together.
const EXACT_NEARNESS: u64 = 1 << 36;
/// Vertices that are searched from where all would take too long.
const ESTIMATED_FROM: usize = 256;

/// A default of sources where `samples` decides.
const SAMPLED: &str = "as samples says";

const DISTANCES: Parameter = Parameter {
    name: "distances",
    default: "in",
    meaning: "whether distances to a vertex count, or from it",
    kind: Kind::Choice(&["in", "out"]),
};

const SAMPLES: Parameter = Parameter {
    name: "samples",
    default: "all if n(n + m) is at most 2^36, else 256",
    meaning: "distances of so many vertices, chosen by chance, estimate those of all",
    kind: Kind::Samples,
};

/// Fields that both centralities share.
const NEAR: Algorithm = Algorithm {
    name: "",
    aliases: &[],
    columns: stream::SCORES,
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
    let target = context.target()?;
    let (found, measured) =
        context.measure(|| search::run(context.graph, source, context.control))?;
    let verified = context.verify(|plain| search::verify(plain, &found));
    if let Some(target) = target {
        let depth = |vertex: u32| f64::from(found.depths[vertex as usize]);
        let route = Route::by_parents(source, target, &found.parents);
        return Ok(route.computed(context, depth, measured, verified));
    }
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
    let n = context.graph.vertex_count();
    let given = context.vertices("source")?;
    if given.is_some() && context.given.text("samples").is_some() {
        return Err(Error::argument(
            "parameters `source` and `samples` are both given",
            "give one of them",
        ));
    }
    let normalization = match (context.given.text("normalized"), &given) {
        (Some("true"), _) => Normalization::Maximum,
        (Some("pairs"), _) => Normalization::Pairs,
        (_, Some(_)) => Normalization::None,
        (_, None) => Normalization::AllPairs,
    };
    let is_sum = given.is_some();
    let sources = given.unwrap_or_else(|| {
        sampling::sample_vertices(n, samples(context, EXACT_BETWEENNESS), context.seed())
    });
    let (found, measured) = context
        .measure(|| brandes::run(context.graph, &sources, normalization, context.control))?;
    let verified = context.verify(|plain| brandes::verify(plain, &sources, normalization, &found));
    let (top, score) = largest(&found.scores);
    let score = match normalization {
        Normalization::Maximum => found.max_score,
        _ => score,
    };
    Ok(Computed {
        measured,
        iterations: Some(found.sources as u64),
        result: vec![
            ("exact", Fact::Flag(is_sum || found.sources == n)),
            ("sources", Fact::Whole(found.sources as u64)),
            ("reached", Fact::Whole(found.reached)),
            ("max_depth", Fact::Whole(u64::from(found.max_depth))),
            ("top_vertex", context.name(top)),
            ("max_score", Fact::Real(score)),
        ],
        values: Values::Reals(found.scores),
        verified,
    })
}

fn closeness(context: &Context<'_>) -> Result<Computed, Error> {
    near(context, |found, _| found.closeness)
}

fn harmonic(context: &Context<'_>) -> Result<Computed, Error> {
    near(context, |found, normalized| {
        let mut scores = found.harmonic;
        let others = scores.len().saturating_sub(1).max(1) as f64;
        if normalized {
            scores.iter_mut().for_each(|score| *score /= others);
        }
        scores
    })
}

/// How many vertices are searched from: all where that takes at most so many steps.
fn samples(context: &Context<'_>, most_steps: u64) -> usize {
    let n = context.graph.vertex_count();
    match context.given.text("samples") {
        Some("all") => n,
        Some(_) => context.given.value("samples").unwrap_or(n).min(n),
        None => {
            let search = (n as u64).saturating_add(context.graph.arc_count());
            match search.saturating_mul(n as u64) <= most_steps {
                true => n,
                false => ESTIMATED_FROM.min(n),
            }
        }
    }
}

fn near(
    context: &Context<'_>,
    scores: impl Fn(Closeness, bool) -> Vec<f64>,
) -> Result<Computed, Error> {
    let parameters = nearness::Parameters {
        distances: match context.given.text("distances") {
            Some("out") => Distances::Outgoing,
            _ => Distances::Incoming,
        },
        samples: Some(samples(context, EXACT_NEARNESS)),
        seed: context.seed(),
        reached_only: context.given.text("reached") == Some("only"),
    };
    let (found, measured) =
        context.measure(|| nearness::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| nearness::verify(plain, &parameters, &found));
    let (sources, pairs) = (found.sources as u64, found.pairs);
    let max_distance = u64::from(found.max_distance);
    let scores = scores(found, context.given.is_on("normalized"));
    let (top, score) = largest(&scores);
    Ok(Computed {
        measured,
        iterations: Some(sources),
        result: vec![
            ("exact", Fact::Flag(sources == scores.len() as u64)),
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
