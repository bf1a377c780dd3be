//! Spreading along edges: seeds that reach most vertices, and sources of a rumor.

use evergraph_algorithms::influence_maximization::{self as influence, Method, Probabilities};
use evergraph_algorithms::rumor_sources::{self as rumor, Candidates, Objective};
use evergraph_algorithms::{UNREACHED, bfs};
use evergraph_graph::Graph;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Size, Weights};
use super::given::Given;
use super::parameters::{Kind, Parameter, SEED};
use super::stream;
use super::{Computed, Context, Fact, Values};
use crate::Error;

const SEEDS: usize = 50;
const SIMULATIONS: u64 = 1000;
const SKETCH_BYTES: u64 = 1 << 29;

/// Infected vertices where none are given.
const EXAMPLE: usize = 64;

pub(super) const ALGORITHMS: &[Algorithm] = &[INFLUENCE, RUMOR];

const INFLUENCE: Algorithm = Algorithm {
    name: "influence-maximization",
    columns: &[stream::NODE, stream::number("spread"), stream::MEMBER],
    aliases: &["influence", "im"],
    computes: "seeds from which a cascade reaches as many vertices as possible (independent \
               cascade model)",
    value: "a seed, first what was chosen first, and the spread that it adds; or for each vertex \
            1 if it is a seed, else 0",
    parameters: &[
        Parameter {
            name: "k",
            default: "50, or all vertices if they are fewer",
            meaning: "how many seeds",
            kind: Kind::Whole(1, u32::MAX as u64),
        },
        Parameter {
            name: "probabilities",
            default: "weighted-cascade",
            meaning: "with what probability an edge passes a cascade on: 1 / in-degree of its \
                      target, its weight, or the same everywhere",
            kind: Kind::Choice(&["weighted-cascade", "weights", "uniform"]),
        },
        Parameter {
            name: "probability",
            default: "0.1",
            meaning: "the one of `uniform`",
            kind: Kind::Real(0.0, 1.0),
        },
        Parameter {
            name: "method",
            default: "imm",
            meaning: "by sketches, or one by one in simulations (slow; the reference)",
            kind: Kind::Choice(&["imm", "greedy"]),
        },
        Parameter {
            name: "epsilon",
            default: "0.3",
            meaning: "how far below 1 − 1/e of the largest spread `imm` may stay; halving it \
                      takes four times the time and memory",
            kind: Kind::Real(f64::MIN_POSITIVE, 1.0),
        },
        Parameter {
            name: "sketch-bytes",
            default: "536870912",
            meaning: "memory that the sketches of `imm` may take",
            kind: Kind::Whole(1, u64::MAX),
        },
        Parameter {
            name: "simulations",
            default: "1000",
            meaning: "simulated cascades, of `greedy` and of the spread in the summary",
            kind: Kind::Whole(2, u32::MAX as u64),
        },
        SEED,
        Parameter {
            name: "output",
            default: "seeds",
            meaning: "what an output file holds: the seeds, or a line for each vertex",
            kind: Kind::Choice(&["seeds", "members"]),
        },
    ],
    needs: Needs::InLists,
    weights: Weights::OnRequest,
    dram: Dram::words(5.0).and_words_per_thread(3.0).and(
        "`sketch-bytes`, or for greedy n bits a simulation",
        influence_bytes,
    ),
    determinism: Determinism::ForSeed,
    bound: "O(k (n + m) log n / ε²) expected work; greedy: O(n + m) a simulation, and a cascade \
            in each for every vertex that is asked",
    source: "Kempe, Kleinberg and Tardos, KDD 2003; Leskovec et al., KDD 2007; Tang, Shi and \
             Xiao, SIGMOD 2015; Chen, 2018",
    run: kernel!(influence_maximization),
};

const RUMOR: Algorithm = Algorithm {
    name: "rumor-sources",
    columns: &[
        stream::NODE,
        stream::number("infected"),
        stream::other("nearest"),
    ],
    aliases: &["rumor", "k-mdrsd"],
    computes: "sources that are near to all vertices that a rumor has infected",
    value: "a source and how many infected vertices it is the nearest source of; or for each \
            infected vertex its nearest source",
    parameters: &[
        Parameter {
            name: "infected",
            default: "64 vertices around the one with the most out-neighbors",
            meaning: "the infected vertices",
            kind: Kind::Vertices,
        },
        Parameter {
            name: "infected-file",
            default: "none",
            meaning: "a file with infected vertices, one a line",
            kind: Kind::File,
        },
        Parameter {
            name: "k",
            default: "1",
            meaning: "how many sources",
            kind: Kind::Whole(1, u32::MAX as u64),
        },
        Parameter {
            name: "objective",
            default: "sum",
            meaning: "what is minimized: the sum of the distances from the nearest source, or \
                      the largest",
            kind: Kind::Choice(&["sum", "max"]),
        },
        Parameter {
            name: "candidates",
            default: "all",
            meaning: "who may be a source: every vertex, or only infected ones",
            kind: Kind::Choice(&["all", "infected"]),
        },
        Parameter {
            name: "distances",
            default: "hops",
            meaning: "how long edges are: one hop each, or as their weights",
            kind: Kind::Choice(&["hops", "weights"]),
        },
        Parameter {
            name: "rounds",
            default: "10",
            meaning: "rounds in which sources are replaced by better ones, at most",
            kind: Kind::Whole(0, u32::MAX as u64),
        },
        Parameter {
            name: "output",
            default: "sources",
            meaning: "what an output file holds: the sources, or a line for each vertex",
            kind: Kind::Choice(&["sources", "nearest"]),
        },
    ],
    needs: Needs::InLists,
    weights: Weights::OnRequest,
    dram: Dram::words(10.0).and_words_per_thread(3.0),
    determinism: Determinism::Always,
    bound: "O(n + m) work for each infected vertex and each source, and in each round; times \
            log n for the largest distance",
    source: "NVGraph's k-Minimum Distance Rumor Source Detection; Nemhauser, Wolsey and Fisher, \
             1978; Arya et al., 2004",
    run: kernel!(rumor_sources),
};

fn influence_maximization(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let n = context.graph.vertex_count();
    let parameters = influence::Parameters {
        seeds: given.value("k").unwrap_or(SEEDS.min(n)),
        probabilities: match given.text("probabilities") {
            Some("weights") => Probabilities::Weights,
            Some("uniform") => Probabilities::Uniform(given.value("probability").unwrap_or(0.1)),
            _ => Probabilities::WeightedCascade,
        },
        method: match given.text("method") {
            Some("greedy") => Method::Greedy,
            _ => Method::Imm {
                epsilon: given.value("epsilon").unwrap_or(0.3),
                sketch_bytes: given.value("sketch-bytes").unwrap_or(SKETCH_BYTES),
            },
        },
        simulations: simulations(given) as usize,
        seed: context.seed(),
    };
    let (found, measured) =
        context.measure(|| influence::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| influence::verify(plain, &parameters, &found));
    let mut result = vec![
        ("seeds", Fact::Whole(found.seeds.len() as u64)),
        ("spread", Fact::Real(found.spread.mean)),
        ("standard_error", Fact::Real(found.spread.standard_error)),
        ("first_seed", context.name(found.seeds[0].0)),
    ];
    if found.sketches > 0 {
        result.push(("sketches", Fact::Whole(found.sketches)));
    }
    let seeds: Vec<u32> = found.seeds.iter().map(|&(v, _)| v).collect();
    Ok(Computed {
        measured,
        iterations: None,
        result,
        values: match given.text("output") {
            Some("members") => Values::members(n, &seeds),
            _ => Values::Ranked(found.seeds),
        },
        verified,
    })
}

fn simulations(given: &Given) -> u64 {
    given.value("simulations").unwrap_or(SIMULATIONS)
}

fn influence_bytes(given: &Given, size: Size) -> u64 {
    let simulations = simulations(given);
    let method = match given.text("method") {
        Some("greedy") => (size.vertices / 8 + 64).saturating_mul(simulations),
        _ => given.value("sketch-bytes").unwrap_or(SKETCH_BYTES),
    };
    method.saturating_add(simulations.saturating_mul(4))
}

fn rumor_sources(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let n = context.graph.vertex_count();
    let infected = infected(context)?;
    let parameters = rumor::Parameters {
        sources: given.value("k").unwrap_or(1),
        objective: match given.text("objective") {
            Some("max") => Objective::Maximum,
            _ => Objective::Sum,
        },
        candidates: match given.text("candidates") {
            Some("infected") => Candidates::Infected,
            _ => Candidates::All,
        },
        weighted: given.text("distances") == Some("weights"),
        rounds: given.value("rounds").unwrap_or(10),
    };
    let (found, measured) =
        context.measure(|| rumor::run(context.graph, &infected, &parameters, context.control))?;
    let verified = context.verify(|plain| rumor::verify(plain, &parameters, &found));
    let result = vec![
        ("first_source", context.name(found.sources[0])),
        ("infected", Fact::Whole(found.infected.len() as u64)),
        ("unreached", Fact::Whole(found.unreached() as u64)),
        ("sum", Fact::Real(found.sum())),
        ("max", Fact::Real(found.maximum())),
        ("swaps", Fact::Whole(u64::from(found.swaps))),
    ];
    Ok(Computed {
        measured,
        iterations: None,
        result,
        values: match given.text("output") {
            Some("nearest") => {
                let mut nearest = vec![UNREACHED; n];
                for (&v, &source) in found.infected.iter().zip(&found.nearest) {
                    nearest[v as usize] = source;
                }
                Values::Vertices(nearest)
            }
            _ => Values::Ranked(with_shares(&found)),
        },
        verified,
    })
}

/// Each source with the number of infected vertices that it is the nearest of.
fn with_shares(found: &rumor::RumorSources) -> Vec<(u32, f64)> {
    let mut nearest = found.nearest.clone();
    nearest.sort_unstable();
    let below = |v: u32, or_equal: bool| {
        nearest.partition_point(|&source| source < v || or_equal && source == v)
    };
    let share = |v: u32| (below(v, true) - below(v, false)) as f64;
    found.sources.iter().map(|&v| (v, share(v))).collect()
}

/// The infected vertices that are given, or as an example those that a search from
/// the busiest vertex finds first.
fn infected(context: &Context<'_>) -> Result<Vec<u32>, Error> {
    let mut infected = context.vertices("infected")?.unwrap_or_default();
    if let (Some(path), Some(text)) = (
        context.given.text("infected-file"),
        context.given.file("infected-file"),
    ) {
        infected.extend(vertices_in(context, path, text)?);
    } else if infected.is_empty() {
        let found = bfs::run(
            context.graph,
            super::busiest(context.graph),
            context.control,
        );
        let depths = found.map_err(|error| context.stopped(error))?.depths;
        let mut near: Vec<u32> = (0..depths.len() as u32).collect();
        near.retain(|&v| depths[v as usize] != UNREACHED);
        near.sort_unstable_by_key(|&v| (depths[v as usize], v));
        infected = near.into_iter().take(EXAMPLE).collect();
    }
    Ok(infected)
}

/// The vertices that the lines of a file name; empty lines do not count.
fn vertices_in(context: &Context<'_>, path: &str, text: &str) -> Result<Vec<u32>, Error> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let vertices: Vec<u32> = lines
        .filter(|(_, name)| !name.is_empty())
        .map(|(number, name)| context.vertex_at(&format!("{path}:{number}: "), name))
        .collect::<Result<_, Error>>()?;
    match vertices.is_empty() {
        false => Ok(vertices),
        true => Err(Error::usage(
            format!("{path} names no vertices"),
            "write the id of an infected vertex on each line",
        )),
    }
}
