//! Communities, and vertices that are alike.

use evergraph_algorithms::label_propagation::{self as propagation, Parameters};
use evergraph_algorithms::similarity::{self as alike, Measure};
use evergraph_algorithms::{leiden as connected, louvain as contracting};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Size, Weights};
use super::parameters::{ITERATIONS, Kind, Parameter, SEED, SOURCE, SPEC};
use super::stream;
use super::{Computed, Context, Fact, Values};
use crate::Error;

/// γ of the modularity.
const RESOLUTION: Parameter = Parameter {
    name: "resolution",
    default: "1",
    meaning: "above 1 for more and smaller communities, below 1 for fewer and larger",
    kind: Kind::Real(0.0, 1e6),
};

/// Of two neighborhoods.
const MEASURES: &[(&str, Measure)] = &[
    ("jaccard", Measure::Jaccard),
    ("cosine", Measure::Cosine),
    ("adamic-adar", Measure::AdamicAdar),
    ("common-neighbors", Measure::CommonNeighbors),
    ("preferential-attachment", Measure::PreferentialAttachment),
];

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "label-propagation",
        columns: stream::COMMUNITIES,
        aliases: &["cdlp"],
        computes: "communities: each vertex takes the label that most of its neighbors have, of \
               several the smallest; labels are external ids if those are numbers",
        value: "the label",
        parameters: &[
            Parameter {
                default: "10",
                meaning: "iterations, fewer if one changes nothing",
                ..ITERATIONS
            },
            SPEC,
        ],
        needs: Needs::InLists,
        weights: Weights::Ignored,
        dram: Dram::words(4.0),
        determinism: Determinism::Always,
        bound: "O(m) work and O(log n) depth an iteration",
        source: "Raghavan, Albert and Kumara, \"Near Linear Time Algorithm to Detect Community \
             Structures\", 2007; \"LDBC Graphalytics Benchmark\", version 1.0",
        run: kernel!(label_propagation),
    },
    Algorithm {
        name: "louvain",
        columns: stream::COMMUNITIES,
        aliases: &["louvain-communities"],
        computes: "communities of high modularity: vertices move where it gains most, then \
                   communities become vertices",
        value: "the smallest vertex of the community",
        parameters: &[RESOLUTION, SEED],
        needs: Needs::Undirected,
        weights: Weights::Used,
        dram: Dram::words(12.0)
            .and_words_per_thread(9.0)
            .and("12(n + m / log n) bytes", contracted),
        determinism: Determinism::ForSeed,
        bound: "O(m) work a round of moves; the last moves one by one",
        source: "Blondel, Guillaume, Lambiotte and Lefebvre, \"Fast Unfolding of Communities in \
                 Large Networks\", 2008",
        run: kernel!(louvain),
    },
    Algorithm {
        name: "leiden",
        columns: stream::COMMUNITIES,
        aliases: &["leiden-communities"],
        computes: "connected communities of high modularity: as Louvain, and communities are \
                   refined before they become vertices",
        value: "the smallest vertex of the community",
        parameters: &[
            RESOLUTION,
            Parameter {
                default: "2",
                meaning: "iterations at most, each from the result of the last; fewer once no \
                          vertex gains by moving",
                ..ITERATIONS
            },
            Parameter {
                name: "randomness",
                default: "0.01",
                meaning: "how far from the best a vertex strays in a refinement",
                kind: Kind::Real(f64::MIN_POSITIVE, f64::INFINITY),
            },
            SEED,
        ],
        needs: Needs::Undirected,
        weights: Weights::Used,
        dram: Dram::words(16.0)
            .and_words_per_thread(9.0)
            .and("12(n + m / log n) bytes", contracted),
        determinism: Determinism::ForSeed,
        bound: "O(m) work a round of moves; the last moves one by one",
        source: "Traag, Waltman and van Eck, \"From Louvain to Leiden: Guaranteeing \
                 Well-Connected Communities\", 2019",
        run: kernel!(leiden),
    },
    Algorithm {
        name: "similarity",
        columns: &[stream::SOURCE, stream::TARGET, stream::number("similarity")],
        aliases: &["link-prediction"],
        computes: "how alike the neighborhoods of pairs of vertices are; without pairs, the \
                   vertices that are most alike to one",
        value: "the score of the pair",
        parameters: &[
            Parameter {
                name: "pairs",
                default: "the source with those most alike to it",
                meaning: "which pairs are compared",
                kind: Kind::Pairs,
            },
            Parameter {
                meaning: "what is compared with all that have a neighbor in common with it",
                ..SOURCE
            },
            Parameter {
                name: "top",
                default: "10",
                meaning: "how many of those are told, the most alike first",
                kind: Kind::Whole(1, u32::MAX as u64),
            },
            Parameter {
                name: "measure",
                default: "jaccard",
                meaning: "how neighborhoods are compared",
                kind: Kind::Choice(&[
                    "jaccard",
                    "cosine",
                    "adamic-adar",
                    "common-neighbors",
                    "preferential-attachment",
                ]),
            },
        ],
        needs: Needs::SimpleDirected,
        weights: Weights::Ignored,
        dram: Dram::words(8.0),
        determinism: Determinism::Always,
        bound: "for a pair the shorter degree times the logarithm of the longer, or their sum; \
                for a source the degrees of its neighbors",
        source: "Liben-Nowell and Kleinberg, \"The Link-Prediction Problem for Social \
                 Networks\", 2007; Adamic and Adar, 2003",
        run: kernel!(similarity),
    },
];

/// The lists of a contracted graph.
fn contracted(_: &super::given::Given, size: Size) -> u64 {
    let logarithm = u64::from(size.vertices.max(2).ilog2());
    12 * (size.vertices + size.arcs / logarithm)
}

fn louvain(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let parameters = contracting::Parameters {
        resolution: given.value("resolution").unwrap_or(1.0),
        seed: given.value("seed").unwrap_or(27),
    };
    let (found, measured) =
        context.measure(|| contracting::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| contracting::verify(plain, &parameters, &found));
    Ok(Computed {
        measured,
        iterations: Some(found.levels.len() as u64),
        result: summary(&found),
        values: Values::Vertices(found.labels),
        verified,
    })
}

fn leiden(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let usual = connected::Parameters::default();
    let parameters = connected::Parameters {
        resolution: given.value("resolution").unwrap_or(usual.resolution),
        randomness: given.value("randomness").unwrap_or(usual.randomness),
        iterations: given.value("iterations").unwrap_or(usual.iterations),
        seed: given.value("seed").unwrap_or(27),
    };
    let (found, measured) =
        context.measure(|| connected::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| connected::verify(plain, &parameters, &found));
    let mut result = summary(&found.found);
    result.push(("stable", Fact::Flag(found.stable)));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.iterations)),
        result,
        values: Values::Vertices(found.found.labels),
        verified,
    })
}

fn summary(found: &contracting::Communities) -> Vec<(&'static str, Fact)> {
    vec![
        ("communities", Fact::Whole(found.communities as u64)),
        ("largest", Fact::Whole(found.largest as u64)),
        ("modularity", Fact::Real(found.modularity)),
        ("levels", Fact::Whole(found.levels.len() as u64)),
    ]
}

fn similarity(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let wanted = given.text("measure");
    let named = MEASURES.iter().find(|(name, _)| Some(*name) == wanted);
    let measure = named.map_or(Measure::Jaccard, |&(_, measure)| measure);
    let pairs = context.pairs("pairs")?;
    if pairs.is_empty() {
        return most_alike(context, measure);
    }
    let (found, measured) =
        context.measure(|| alike::run(context.graph, &pairs, measure, context.control))?;
    let verified = context.verify(|plain| alike::verify(plain, &pairs, measure, &found));
    let scored = pairs.iter().zip(found.scores);
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![("pairs", Fact::Whole(pairs.len() as u64))],
        values: Values::EdgeReals(scored.map(|(&(u, v), score)| (u, v, score)).collect()),
        verified,
    })
}

fn most_alike(context: &Context<'_>, measure: Measure) -> Result<Computed, Error> {
    let source = context.source()?;
    let count = context.given.value("top").unwrap_or(10);
    let (found, measured) =
        context.measure(|| alike::top(context.graph, source, count, measure, context.control))?;
    let verified = context.verify(|plain| alike::verify_top(plain, count, measure, &found));
    let mut result = vec![
        ("source", context.name(source)),
        ("candidates", Fact::Whole(found.candidates as u64)),
    ];
    if let Some(&(best, score)) = found.best.first() {
        result.push(("top_vertex", context.name(best)));
        result.push(("top_score", Fact::Real(score)));
    }
    let pairs = found.best.iter().map(|&(v, score)| (source, v, score));
    Ok(Computed {
        measured,
        iterations: None,
        result,
        values: Values::EdgeReals(pairs.collect()),
        verified,
    })
}

fn label_propagation(context: &Context<'_>) -> Result<Computed, Error> {
    let names = number_names(context)?;
    let parameters = Parameters {
        iterations: context.given.value("iterations").unwrap_or(10),
        labels: names.as_deref(),
    };
    let (found, measured) =
        context.measure(|| propagation::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| propagation::verify(plain, &parameters, &found));
    let labels_are_vertices = names.is_none();
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.iterations)),
        result: vec![
            ("communities", Fact::Whole(found.communities as u64)),
            ("largest", Fact::Whole(found.largest as u64)),
            ("changed", Fact::Whole(found.changed)),
        ],
        values: match labels_are_vertices {
            true => Values::Vertices(found.labels.iter().map(|&label| label as u32).collect()),
            false => Values::Counts(found.labels),
        },
        verified,
    })
}

/// The external id of each vertex, if ids are numbers of their own.
fn number_names(context: &Context<'_>) -> Result<Option<Vec<u64>>, Error> {
    if context.part.is_some() {
        return Ok(None);
    }
    let ids = context.session.store().ids()?;
    let Some(numbers) = ids.numbers() else {
        return Ok(None);
    };
    let n = evergraph_graph::Graph::vertex_count(context.graph);
    // In direct mode a killed import may leave vertices, without edges, before their ids.
    let id_of = |vertex: u32| numbers.get(vertex as usize).copied();
    let id_of = |vertex| id_of(vertex).unwrap_or(u64::from(vertex));
    Ok(Some(match context.naming.of_vertex() {
        None => (0..n as u32).map(id_of).collect(),
        Some(vertices) => vertices.iter().map(|&vertex| id_of(vertex)).collect(),
    }))
}
