//! What spreads along edges: whom to begin with, and where it began.

use evergraph_algorithms::influence_maximization::{self as influence, Method, Probabilities};
use evergraph_graph::Graph;

use super::algorithm::{
    Algorithm, Determinism, Dram, Given, Kind, Needs, Parameter, Size, Weights,
};
use super::parameters::SEED;
use super::{Computed, Context, Fact, Values};
use crate::Error;

const SEEDS: usize = 50;
const SIMULATIONS: u64 = 1000;
const SKETCH_BYTES: u64 = 1 << 29;

pub(super) const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "influence-maximization",
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
    run: influence_maximization,
}];

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
