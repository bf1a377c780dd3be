//! Communities.

use evergraph_algorithms::label_propagation::{self as propagation, Parameters};
use evergraph_topology::ids::IdTable;

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Parameter, Weights};
use super::parameters::{ITERATIONS, SPEC};
use super::{Computed, Context, Fact, Values};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "label-propagation",
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
    run: label_propagation,
}];

fn label_propagation(context: &Context<'_>) -> Result<Computed, Error> {
    let names = number_names(context);
    let parameters = Parameters {
        iterations: context.given.value("iterations").unwrap_or(10),
        labels: names.as_deref(),
    };
    let (found, measured) =
        context.measure(|| propagation::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|| propagation::verify(context.graph, &parameters, &found));
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
fn number_names(context: &Context<'_>) -> Option<Vec<u64>> {
    let ids = context.db.store().ids().read();
    match &*ids {
        IdTable::Numbers { .. } => {
            let n = evergraph_graph::Graph::vertex_count(context.graph) as u32;
            Some((0..n).map_while(|v| ids.name(v).parse().ok()).collect())
        }
        IdTable::Dense | IdTable::Texts { .. } => None,
    }
}
