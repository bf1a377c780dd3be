//! Shortest paths from a source.

use evergraph_algorithms::{delta_stepping as bins, weighted_bfs as whole};

use super::algorithm::{Algorithm, Determinism, Dram, Kind, Needs, Parameter, Weights};
use super::parameters::{SOURCE, SPEC};
use super::{Computed, Context, Fact, Values};
use crate::Error;

/// Distances, or the tree that they lead through.
const OUTPUT: Parameter = Parameter {
    name: "output",
    default: "distance",
    meaning: "what an output file holds for each vertex",
    kind: Kind::Choice(&["distance", "parents"]),
};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "weighted-bfs",
        aliases: &["wbfs"],
        computes: "the shortest paths from a source, for whole weights",
        value: "the distance, or the parent",
        parameters: &[SOURCE, OUTPUT],
        needs: Needs::OutLists,
        weights: Weights::Used,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(m + max distance) work, O(max distance · log n) depth",
        source: "Dhulipala, Blelloch and Shun, \"Julienne\", SPAA 2017; Dhulipala et al., \
                 \"Sage\", VLDB 2020",
        run: weighted_bfs,
    },
    Algorithm {
        name: "delta-stepping",
        aliases: &["sssp", "shortest-paths"],
        computes: "the shortest paths from a source, for weights that are not negative",
        value: "the distance, or the parent",
        parameters: &[
            SOURCE,
            OUTPUT,
            Parameter {
                name: "delta",
                default: "chosen from weights and degrees",
                meaning: "width of a bin of distances; changes the time alone",
                kind: Kind::Real(f64::MIN_POSITIVE, f64::INFINITY),
            },
            SPEC,
        ],
        needs: Needs::OutLists,
        weights: Weights::Used,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(m) work and what is expanded again, O(max distance / delta · longest path in \
                a bin · log n) depth",
        source: "Meyer and Sanders, \"Δ-stepping: a parallelizable shortest path algorithm\", \
                 2003",
        run: delta_stepping,
    },
];

fn weighted_bfs(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let wants_parents = wants_parents(context);
    let (found, measured) =
        context.measure(|| whole::run(context.graph, source, wants_parents, context.control))?;
    let verified = context.verify(|| whole::verify(context.graph, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("source", context.name(source)),
            ("reached", Fact::Whole(found.reached as u64)),
            ("max_distance", Fact::Whole(found.max_distance)),
        ],
        values: match found.parents {
            Some(parents) => Values::Vertices(parents),
            None => Values::Counts(found.distances),
        },
        verified,
    })
}

fn delta_stepping(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let parameters = bins::Parameters {
        delta: context.given.value("delta"),
        parents: wants_parents(context),
    };
    let (found, measured) =
        context.measure(|| bins::run(context.graph, source, &parameters, context.control))?;
    let verified = context.verify(|| bins::verify(context.graph, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("source", context.name(source)),
            ("reached", Fact::Whole(found.reached as u64)),
            ("max_distance", Fact::Real(found.max_distance)),
        ],
        values: match found.parents {
            Some(parents) => Values::Vertices(parents),
            None => Values::Reals(found.distances),
        },
        verified,
    })
}

fn wants_parents(context: &Context<'_>) -> bool {
    context.given.text("output") == Some("parents")
}
