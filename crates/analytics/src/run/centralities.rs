//! Scores that flow along edges.

use evergraph_algorithms::pagerank::{self as ranking, Iterations, Parameters, Precision};
use evergraph_algorithms::{
    eigenvector as power, hits as kleinberg, katz as walks, personalized_pagerank as personal,
};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{DAMPING, ITERATIONS, Kind, Parameter, SOURCES, SPEC, TOLERANCE};
use super::stream;
use super::{Computed, Context, Fact, Values, largest};
use crate::Error;

/// Precision of the ranks.
const PRECISION: Parameter = Parameter {
    name: "precision",
    default: "double",
    meaning: "in what ranks are kept: 64 or 32 bits",
    kind: Kind::Choice(&["double", "single"]),
};

/// Of a power iteration that ends by itself.
const AT_MOST: Parameter = Parameter {
    meaning: "iterations at most",
    ..ITERATIONS
};

/// Of values that are summed up over a vertex each.
const MEAN_CHANGE: Parameter = Parameter {
    default: "1e-6",
    meaning: "stop when an iteration changes a value by less on average",
    ..TOLERANCE
};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "pagerank",
        columns: stream::SCORES,
        aliases: &["pr"],
        computes: "the probability that a random surfer is at a vertex; of a sink the surfer \
                   goes anywhere",
        value: "the probability",
        parameters: &[ITERATIONS, TOLERANCE, DAMPING, PRECISION, SPEC],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(m) work an iteration",
        source: "Page, Brin, Motwani and Winograd, 1999; Dhulipala et al., \"Sage\", VLDB 2020",
        run: kernel!(pagerank),
    },
    Algorithm {
        name: "personalized-pagerank",
        columns: stream::SCORES,
        aliases: &["ppr"],
        computes: "the probability that a random surfer is at a vertex who returns to the sources",
        value: "the probability",
        parameters: &[
            Parameter {
                meaning: "where the surfer starts and returns to; one or several vertices",
                ..SOURCES
            },
            ITERATIONS,
            TOLERANCE,
            DAMPING,
            PRECISION,
            Parameter {
                name: "method",
                default: "global",
                meaning: "iterations over the whole graph, or pushes around the sources until no \
                          vertex keeps more than `tolerance` for each of its edges",
                kind: Kind::Choice(&["global", "local"]),
            },
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(7.0),
        determinism: Determinism::Always,
        bound: "O(m) work an iteration; local: O(1 / ((1 − damping) · tolerance)) work, sequential",
        source: "Haveliwala, \"Topic-Sensitive PageRank\", WWW 2002; Andersen, Chung and Lang, \
                 \"Local Graph Partitioning using PageRank Vectors\", FOCS 2006",
        run: kernel!(personalized_pagerank),
    },
    Algorithm {
        name: "eigenvector",
        columns: stream::SCORES,
        aliases: &["eigenvector-centrality"],
        computes: "scores that are as large as those of the in-neighbors together",
        value: "the score; the squares add up to 1",
        parameters: &[AT_MOST, MEAN_CHANGE],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(3.0),
        determinism: Determinism::Always,
        bound: "O(m) work an iteration",
        source: "Bonacich, \"Power and Centrality\", 1987",
        run: kernel!(eigenvector),
    },
    Algorithm {
        name: "katz",
        columns: stream::SCORES,
        aliases: &["katz-centrality"],
        computes: "the walks that end at a vertex, each worth alpha to the power of its length",
        value: "the score",
        parameters: &[
            Parameter {
                default: "1000",
                ..AT_MOST
            },
            MEAN_CHANGE,
            Parameter {
                name: "alpha",
                default: "0.1",
                meaning: "what an edge weakens a walk by; converges below the inverse of the \
                          largest eigenvalue",
                kind: Kind::Real(0.0, f64::INFINITY),
            },
            Parameter {
                name: "beta",
                default: "1",
                meaning: "what every vertex has by itself",
                kind: Kind::Real(f64::MIN_POSITIVE, f64::INFINITY),
            },
            Parameter {
                name: "normalized",
                default: "true",
                meaning: "scale the scores so that their squares add up to 1",
                kind: Kind::Switch,
            },
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(3.0),
        determinism: Determinism::Always,
        bound: "O(m) work an iteration",
        source: "Katz, \"A New Status Index Derived from Sociometric Analysis\", 1953",
        run: kernel!(katz),
    },
    Algorithm {
        name: "hits",
        columns: stream::SCORES,
        aliases: &["hubs-and-authorities"],
        computes: "hubs, which lead to good authorities, and authorities, to which good hubs lead",
        value: "how good an authority, or a hub, it is; they add up to 1",
        parameters: &[
            AT_MOST,
            Parameter {
                default: "1e-8",
                meaning: "stop when an iteration changes all hub values together by less",
                ..TOLERANCE
            },
            Parameter {
                name: "output",
                default: "authorities",
                meaning: "what an output file holds for each vertex",
                kind: Kind::Choice(&["authorities", "hubs"]),
            },
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(4.0),
        determinism: Determinism::Always,
        bound: "O(m) work an iteration",
        source: "Kleinberg, \"Authoritative Sources in a Hyperlinked Environment\", 1999",
        run: kernel!(hits),
    },
];

fn pagerank(context: &Context<'_>) -> Result<Computed, Error> {
    let parameters = rank_parameters(context);
    let (found, measured) =
        context.measure(|| ranking::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| ranking::verify(plain, &parameters, &found));
    Ok(ranks(context, &parameters, found, (measured, verified)))
}

fn personalized_pagerank(context: &Context<'_>) -> Result<Computed, Error> {
    let seeds: Vec<personal::Seed> = context.sources()?.iter().map(|&v| (v, 1.0)).collect();
    if context.given.text("method") == Some("local") {
        return around(context, &seeds);
    }
    let parameters = rank_parameters(context);
    let (found, measured) =
        context.measure(|| personal::run(context.graph, &seeds, &parameters, context.control))?;
    let verified = context.verify(|plain| personal::verify(plain, &seeds, &parameters, &found));
    Ok(ranks(context, &parameters, found, (measured, verified)))
}

fn rank_parameters(context: &Context<'_>) -> Parameters {
    let given = &context.given;
    let at_most = given.value("iterations");
    let tolerance = given.value("tolerance");
    let usual = Parameters::default();
    Parameters {
        damping: given.value("damping").unwrap_or(usual.damping),
        iterations: match (at_most, tolerance) {
            (Some(count), None) => Iterations::Fixed(count),
            (None, None) => usual.iterations,
            (at_most, Some(tolerance)) => Iterations::Until {
                tolerance,
                at_most: at_most.unwrap_or(100),
            },
        },
        precision: match given.text("precision") {
            Some("single") => Precision::Single,
            _ => Precision::Double,
        },
    }
}

fn ranks(
    context: &Context<'_>,
    parameters: &Parameters,
    found: ranking::PageRank,
    (measured, verified): (super::Measured, Option<Result<(), String>>),
) -> Computed {
    let (top, rank) = largest(&found.ranks);
    let mut result = match parameters.iterations {
        Iterations::Until { tolerance, .. } => convergence(found.change, found.change < tolerance),
        // So many were asked for, and nothing of how much the last one changes.
        Iterations::Fixed(_) => vec![("change", Fact::Real(found.change))],
    };
    result.push(("top_vertex", context.name(top)));
    result.push(("top_rank", Fact::Real(rank)));
    Computed {
        measured,
        iterations: Some(u64::from(found.iterations)),
        result,
        values: Values::Reals(found.ranks),
        verified,
    }
}

/// Personalized ranks by pushes around the seeds.
fn around(context: &Context<'_>, seeds: &[personal::Seed]) -> Result<Computed, Error> {
    let given = &context.given;
    let usual = personal::LocalParameters::default();
    let parameters = personal::LocalParameters {
        damping: given.value("damping").unwrap_or(usual.damping),
        tolerance: given.value("tolerance").unwrap_or(usual.tolerance),
    };
    let (found, measured) = context
        .measure(|| personal::approximate(context.graph, seeds, &parameters, context.control))?;
    let verified =
        context.verify(|plain| personal::verify_approximation(plain, seeds, &parameters, &found));
    let (top, rank) = largest(&found.ranks);
    Ok(Computed {
        measured,
        iterations: Some(found.pushes),
        result: vec![
            ("touched", Fact::Whole(found.touched as u64)),
            ("missing", Fact::Real(found.missing)),
            ("top_vertex", context.name(top)),
            ("top_rank", Fact::Real(rank)),
        ],
        values: Values::Reals(found.ranks),
        verified,
    })
}

fn eigenvector(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let usual = power::Parameters::default();
    let parameters = power::Parameters {
        tolerance: given.value("tolerance").unwrap_or(usual.tolerance),
        at_most: given.value("iterations").unwrap_or(usual.at_most),
    };
    let (found, measured) =
        context.measure(|| power::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| power::verify(plain, &parameters, &found));
    let (top, score) = largest(&found.scores);
    let mut result = convergence(found.change, found.converged);
    result.push(("top_vertex", context.name(top)));
    result.push(("top_score", Fact::Real(score)));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.iterations)),
        result,
        values: Values::Reals(found.scores),
        verified,
    })
}

fn katz(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let usual = walks::Parameters::default();
    let parameters = walks::Parameters {
        alpha: given.value("alpha").unwrap_or(usual.alpha),
        beta: given.value("beta").unwrap_or(usual.beta),
        normalized: given.value("normalized").unwrap_or(usual.normalized),
        tolerance: given.value("tolerance").unwrap_or(usual.tolerance),
        at_most: given.value("iterations").unwrap_or(usual.at_most),
    };
    let (found, measured) =
        context.measure(|| walks::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| walks::verify(plain, &parameters, &found));
    let (top, score) = largest(&found.scores);
    let mut result = convergence(found.change, found.converged);
    result.push(("top_vertex", context.name(top)));
    result.push(("top_score", Fact::Real(score)));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.iterations)),
        result,
        values: Values::Reals(found.scores),
        verified,
    })
}

fn hits(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let usual = kleinberg::Parameters::default();
    let parameters = kleinberg::Parameters {
        tolerance: given.value("tolerance").unwrap_or(usual.tolerance),
        at_most: given.value("iterations").unwrap_or(usual.at_most),
    };
    let (found, measured) =
        context.measure(|| kleinberg::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| kleinberg::verify(plain, &found));
    let (authority, _) = largest(&found.authorities);
    let (hub, _) = largest(&found.hubs);
    let mut result = convergence(found.change, found.converged);
    result.push(("top_authority", context.name(authority)));
    result.push(("top_hub", context.name(hub)));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.iterations)),
        result,
        values: Values::Reals(match given.text("output") {
            Some("hubs") => found.hubs,
            _ => found.authorities,
        }),
        verified,
    })
}

/// How an iteration ended.
fn convergence(change: f64, converged: bool) -> Vec<(&'static str, Fact)> {
    vec![
        ("change", Fact::Real(change)),
        ("converged", Fact::Flag(converged)),
    ]
}
