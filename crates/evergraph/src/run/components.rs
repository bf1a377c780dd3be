//! Which vertices hang together.

use evergraph_algorithms::connected_components as weak;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::SPEC;
use super::{Computed, Context, Fact, Values};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "connected-components",
    aliases: &["cc", "wcc", "weakly-connected-components"],
    computes: "the weakly connected components",
    value: "a representative vertex of the component",
    parameters: &[SPEC],
    needs: Needs::AnyLists,
    weights: Weights::Ignored,
    dram: Dram::words(1.0),
    determinism: Determinism::Always,
    bound: "O(m) work in practice, at most O(m log n)",
    source: "Sutton, Ben-Nun and Barak, \"Optimizing Parallel Graph Connectivity Computation via \
             Subgraph Sampling\", IPDPS 2018",
    run: connected_components,
}];

fn connected_components(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| weak::run(context.graph, context.control))?;
    let verified = context.verify(|| weak::verify(context.graph, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("components", Fact::Whole(found.components as u64)),
            ("largest", Fact::Whole(found.largest as u64)),
        ],
        values: Values::Vertices(found.labels),
        verified,
    })
}
