//! From parameters to kernels, and from results to summaries.

use evergraph_algorithms::betweenness::{self as brandes, Normalization};
use evergraph_algorithms::pagerank::{self as ranking, Iterations, Parameters, Precision};
use evergraph_algorithms::{
    Mismatch, UNREACHED, bfs as search, connected_components as components,
};

use super::{Computed, Context, Fact, Values};
use crate::Error;

pub(super) fn pagerank(context: &Context<'_>) -> Result<Computed, Error> {
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
            ("top_vertex", Fact::Text(context.db.vertex_name(top))),
            ("top_rank", Fact::Real(rank)),
        ],
        values: Values::Reals(found.ranks),
        verified,
    })
}

pub(super) fn bfs(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.sources()?[0];
    let (found, measured) =
        context.measure(|| search::run(context.graph, source, context.control))?;
    let verified = context.verify(|| search::verify(context.graph, &found));
    Ok(Computed {
        measured,
        iterations: Some(u64::from(found.max_depth)),
        result: vec![
            ("source", Fact::Text(context.db.vertex_name(source))),
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

pub(super) fn betweenness(context: &Context<'_>) -> Result<Computed, Error> {
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
            ("top_vertex", Fact::Text(context.db.vertex_name(top))),
            ("max_score", Fact::Real(found.max_score)),
        ],
        values: Values::Reals(found.scores),
        verified,
    })
}

pub(super) fn connected_components(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| components::run(context.graph, context.control))?;
    let verified = context.verify(|| components::verify(context.graph, &found));
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

impl Context<'_> {
    fn verify(
        &self,
        verifier: impl FnOnce() -> Result<(), Mismatch>,
    ) -> Option<Result<(), String>> {
        let wanted = self.given.is_on("verify");
        wanted.then(|| verifier().map_err(|mismatch| mismatch.to_string()))
    }
}

/// The vertex with the largest value, the first of several.
fn largest(values: &[f64]) -> (u32, f64) {
    let mut best = (UNREACHED, f64::NEG_INFINITY);
    for (vertex, &value) in (0..).zip(values) {
        if value > best.1 {
            best = (vertex, value);
        }
    }
    best
}
