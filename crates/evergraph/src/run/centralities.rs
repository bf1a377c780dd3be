//! Scores that flow along edges.

use evergraph_algorithms::pagerank::{self as ranking, Iterations, Parameters, Precision};

use super::algorithm::{Algorithm, Determinism, Dram, Kind, Needs, Parameter, Weights};
use super::parameters::{DAMPING, ITERATIONS, TOLERANCE};
use super::{Computed, Context, Fact, Values, largest};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "pagerank",
    aliases: &["pr"],
    computes: "the probability that a random surfer is at a vertex; of a sink the surfer goes \
               anywhere",
    value: "the probability",
    parameters: &[
        ITERATIONS,
        TOLERANCE,
        DAMPING,
        Parameter {
            name: "precision",
            default: "double",
            meaning: "in what ranks are kept: 64 or 32 bits",
            kind: Kind::Choice(&["double", "single"]),
        },
    ],
    needs: Needs::OutLists,
    weights: Weights::Ignored,
    dram: Dram::words(6.0),
    determinism: Determinism::Always,
    bound: "O(m) work an iteration",
    source: "Page, Brin, Motwani and Winograd, 1999; Dhulipala et al., \"Sage\", VLDB 2020",
    run: pagerank,
}];

fn pagerank(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let at_most = given.value("iterations");
    let tolerance = given.value("tolerance");
    let usual = Parameters::default();
    let parameters = Parameters {
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
    };
    let (found, measured) =
        context.measure(|| ranking::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|| ranking::verify(context.graph, &parameters, &found));
    let (top, rank) = largest(&found.ranks);
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.iterations)),
        result: vec![
            ("change", Fact::Real(found.change)),
            ("top_vertex", context.name(top)),
            ("top_rank", Fact::Real(rank)),
        ],
        values: Values::Reals(found.ranks),
        verified,
    })
}
