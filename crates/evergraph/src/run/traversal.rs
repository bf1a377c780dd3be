//! Searches level by level, and what counts shortest paths.

use evergraph_algorithms::betweenness::{self as brandes, Normalization};
use evergraph_algorithms::bfs as search;

use super::algorithm::{Algorithm, Determinism, Dram, Kind, Needs, Parameter, Weights};
use super::parameters::{SOURCE, SOURCES, SPEC};
use super::{Computed, Context, Fact, Values, largest};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "bfs",
        aliases: &["breadth-first-search"],
        computes: "a breadth-first tree from a source along out-edges",
        value: "the depth, or the parent",
        parameters: &[
            SOURCE,
            Parameter {
                name: "output",
                default: "depth",
                meaning: "what an output file holds for each vertex",
                kind: Kind::Choice(&["depth", "parents"]),
            },
            SPEC,
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(3.0),
        determinism: Determinism::Except("depths; which parent may differ"),
        bound: "O(m) work, O(diameter · log n) depth",
        source: "Beamer, Asanović and Patterson, \"Direction-Optimizing Breadth-First Search\", \
                 SC 2012",
        run: bfs,
    },
    Algorithm {
        name: "betweenness",
        aliases: &["bc", "betweenness-centrality"],
        computes: "for each vertex how many shortest paths from the sources lead over it",
        value: "the score",
        parameters: &[
            SOURCES,
            Parameter {
                name: "normalized",
                default: "false",
                meaning: "divide all scores by the largest",
                kind: Kind::Switch,
            },
        ],
        needs: Needs::OutLists,
        weights: Weights::Ignored,
        dram: Dram::words(10.0),
        determinism: Determinism::Always,
        bound: "for each source O(n + m) work, O(diameter · log n) depth",
        source: "Brandes, \"A Faster Algorithm for Betweenness Centrality\", 2001",
        run: betweenness,
    },
];

fn bfs(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let (found, measured) =
        context.measure(|| search::run(context.graph, source, context.control))?;
    let verified = context.verify(|| search::verify(context.graph, &found));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.max_depth)),
        result: vec![
            ("source", context.name(source)),
            ("reached", Fact::Whole(found.reached as u64)),
            ("max_depth", Fact::Whole(u64::from(found.max_depth))),
        ],
        values: match context.given.text("output") {
            Some("parents") => Values::Vertices(found.parents),
            _ => Values::Depths(found.depths),
        },
        verified,
    })
}

fn betweenness(context: &Context<'_>) -> Result<Computed, Error> {
    let sources = context.sources()?;
    let normalization = match context.given.is_on("normalized") {
        true => Normalization::Maximum,
        false => Normalization::None,
    };
    let (found, measured) = context
        .measure(|| brandes::run(context.graph, &sources, normalization, context.control))?;
    let verified =
        context.verify(|| brandes::verify(context.graph, &sources, normalization, &found));
    let (top, _) = largest(&found.scores);
    Ok(Computed {
        measured,
        iterations: Some(found.sources as u64),
        result: vec![
            ("sources", Fact::Whole(found.sources as u64)),
            ("reached", Fact::Whole(found.reached)),
            ("max_depth", Fact::Whole(u64::from(found.max_depth))),
            ("top_vertex", context.name(top)),
            ("max_score", Fact::Real(found.max_score)),
        ],
        values: Values::Reals(found.scores),
        verified,
    })
}
