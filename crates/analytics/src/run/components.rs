//! Components: weakly, strongly and doubly connected ones.

use evergraph_algorithms::{
    biconnectivity as twice, connected_components as weak, strongly_connected_components as strong,
    topological_order as order,
};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{Kind, Parameter, SPEC};
use super::stream;
use super::values::Lists;
use super::{Computed, Context, Fact, Values};
use crate::Error;

/// Vertices of a cycle that a summary names.
const NAMED: usize = 20;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "connected-components",
        columns: stream::COMPONENTS,
        aliases: &["cc", "wcc", "weakly-connected-components"],
        computes: "the weakly connected components",
        value: "a representative vertex of the component",
        parameters: &[SPEC],
        needs: Needs::AnyLists,
        weights: Weights::Ignored,
        dram: Dram::words(1.0),
        determinism: Determinism::Always,
        bound: "O(m) work in practice, at most O(m log n)",
        source: "Sutton, Ben-Nun and Barak, \"Optimizing Parallel Graph Connectivity Computation \
                 via Subgraph Sampling\", IPDPS 2018",
        run: connected_components,
    },
    Algorithm {
        name: "strongly-connected-components",
        columns: stream::COMPONENTS,
        aliases: &["scc"],
        computes: "the strongly connected components: which vertices reach each other",
        value: "a representative vertex of the component",
        parameters: &[],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(7.0),
        determinism: Determinism::Always,
        bound: "O(m) work; without in-lists sequential",
        source: "Slota, Rajamanickam and Madduri, \"BFS and Coloring-Based Parallel Algorithms \
                 for Strongly Connected Components and Related Problems\", IPDPS 2014; Tarjan, 1972",
        run: kernel!(strongly_connected_components),
    },
    Algorithm {
        name: "biconnectivity",
        columns: &[
            stream::NODE,
            stream::group("componentId"),
            stream::other("head"),
            stream::flag("isArticulationPoint"),
            stream::SOURCE,
            stream::TARGET,
        ],
        aliases: &[
            "bicc",
            "biconnected-components",
            "bridges",
            "articulation-points",
        ],
        computes: "the biconnected components, the articulation points and the bridges",
        value: "the label of the component in which it is not the head",
        parameters: &[Parameter {
            name: "output",
            default: "labels",
            meaning: "what an output file holds: for each vertex its label, its head, or whether \
                      it is an articulation point; or the bridges",
            kind: Kind::Choice(&["labels", "heads", "articulation-points", "bridges"]),
        }],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(m) work in practice, at most O(m log n); O(diameter · log n) depth",
        source: "Dong, Wang, Gu and Sun, \"Provably Fast and Space-Efficient Parallel \
                 Biconnectivity\", PPoPP 2023; Tarjan and Vishkin, 1985",
        run: kernel!(biconnectivity),
    },
    Algorithm {
        name: "topological-order",
        columns: &[stream::NODE, stream::number("level"), stream::POSITION],
        aliases: &["topological-sort", "toposort", "cycle-detection"],
        computes: "an order in which every edge leads forward, or a cycle",
        value: "the edges on a longest path to the vertex",
        parameters: &[Parameter {
            name: "output",
            default: "levels",
            meaning: "what an output file holds: for each vertex its level; one line of all \
                      vertices in order; or one of the cycle",
            kind: Kind::Choice(&["levels", "order", "cycle"]),
        }],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(4.0),
        determinism: Determinism::Always,
        bound: "O(m) work, O(longest path · log n) depth",
        source: "Kahn, \"Topological Sorting of Large Networks\", 1962",
        run: kernel!(topological_order),
    },
];

fn connected_components(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| weak::run(context.graph, context.control))?;
    let verified = context.verify(|plain| weak::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: sizes(found.components, found.largest),
        values: Values::Vertices(found.labels),
        verified,
    })
}

fn strongly_connected_components(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| strong::run(context.graph, context.control))?;
    let verified = context.verify(|plain| strong::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: sizes(found.components, found.largest),
        values: Values::Vertices(found.labels),
        verified,
    })
}

pub(super) fn sizes(components: usize, largest: usize) -> Vec<(&'static str, Fact)> {
    vec![
        ("components", Fact::Whole(components as u64)),
        ("largest", Fact::Whole(largest as u64)),
    ]
}

fn biconnectivity(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| twice::run(context.graph, context.control))?;
    let verified = context.verify(|plain| twice::verify(plain, &found));
    let (points, bridges) = (found.articulation_points.len(), found.bridges.len());
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("components", Fact::Whole(found.components as u64)),
            ("articulation_points", Fact::Whole(points as u64)),
            ("bridges", Fact::Whole(bridges as u64)),
        ],
        values: match context.given.text("output") {
            Some("heads") => Values::Vertices(found.heads),
            Some("bridges") => Values::Edges(found.bridges),
            Some("articulation-points") => {
                Values::members(found.labels.len(), &found.articulation_points)
            }
            _ => Values::Headed(found.labels, found.heads),
        },
        verified,
    })
}

fn topological_order(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| order::run(context.graph, context.control))?;
    let verified = context.verify(|plain| order::verify(plain, &found));
    let mut result = vec![
        ("acyclic", Fact::Flag(found.is_acyclic())),
        ("ordered", Fact::Whole(found.order.len() as u64)),
        ("levels", Fact::Whole(found.level_count as u64)),
    ];
    if !found.is_acyclic() {
        let names = found.cycle.iter().take(NAMED);
        let names = names.map(|&v| context.name(v)).collect();
        result.push(("cycle_length", Fact::Whole(found.cycle.len() as u64)));
        result.push(("cycle", Fact::Names(names)));
    }
    Ok(Computed {
        measured,
        iterations: Some(found.level_count as u64),
        result,
        values: match context.given.text("output") {
            Some("order") => Values::Lists(Lists::one(found.order)),
            Some("cycle") => Values::Lists(Lists::one(found.cycle)),
            _ => Values::Depths(found.levels),
        },
        verified,
    })
}
