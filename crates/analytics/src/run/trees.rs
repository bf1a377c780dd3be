//! Forests, spanners and decompositions.

use evergraph_algorithms::{minimum_spanning_forest as lightest, spanning_forest as any};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::stream;
use super::{Computed, Context, Fact, Values};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "spanning-forest",
        columns: stream::EDGES,
        aliases: &["sf"],
        computes: "edges that join each component, without a cycle; directions do not matter",
        value: "an edge of the forest",
        parameters: &[],
        needs: Needs::AnyLists,
        weights: Weights::Ignored,
        dram: Dram::words(3.5),
        determinism: Determinism::Except("their number; which edges may differ"),
        bound: "O(m) work in practice, at most O(m log n)",
        source: "Sutton, Ben-Nun and Barak, \"Optimizing Parallel Graph Connectivity Computation \
                 via Subgraph Sampling\", IPDPS 2018",
        run: kernel!(spanning_forest),
    },
    Algorithm {
        name: "minimum-spanning-forest",
        columns: &[stream::SOURCE, stream::TARGET, stream::number("weight")],
        aliases: &["msf", "minimum-spanning-tree", "mst"],
        computes: "edges that join each component and weigh least together",
        value: "an edge of the forest, with its weight",
        parameters: &[],
        needs: Needs::Undirected,
        weights: Weights::Used,
        dram: Dram::words(10.0),
        determinism: Determinism::Always,
        bound: "O(m log n) work",
        source: "Borůvka, 1926; Osipov, Sanders and Singler, \"The Filter-Kruskal Minimum \
                 Spanning Tree Algorithm\", ALENEX 2009",
        run: kernel!(minimum_spanning_forest),
    },
];

fn spanning_forest(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| any::run(context.graph, context.control))?;
    let verified = context.verify(|plain| any::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("edges", Fact::Whole(found.edges.len() as u64)),
            ("components", Fact::Whole(found.components as u64)),
        ],
        values: Values::Edges(found.edges),
        verified,
    })
}

fn minimum_spanning_forest(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| lightest::run(context.graph, context.control))?;
    let verified = context.verify(|plain| lightest::verify(plain, &found));
    let edges = found.edges.iter();
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("edges", Fact::Whole(found.edges.len() as u64)),
            ("weight", Fact::Real(found.weight)),
            ("components", Fact::Whole(found.components as u64)),
        ],
        values: Values::EdgeReals(edges.map(|&(u, v, w)| (u, v, f64::from(w))).collect()),
        verified,
    })
}
