//! How many neighbors vertices have.

use evergraph_algorithms::maintained::degrees::{self as kernel, Degrees};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{Kind, Parameter};
use super::stream;
use super::{Computed, Context, Fact, Values};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "degrees",
    columns: &[stream::NODE, stream::number("degree")],
    aliases: &["degree", "degree-statistics", "degree-distribution"],
    computes: "how many neighbors vertices have: the least, the most, the mean, and how many \
               vertices have how many; parallel edges count",
    value: "the degree",
    parameters: &[Parameter {
        name: "output",
        default: "out",
        meaning: "whose degrees an output file holds: of the out-lists or of the in-lists",
        kind: Kind::Choice(&["out", "in"]),
    }],
    needs: Needs::OutLists,
    weights: Weights::Ignored,
    dram: Dram::words(3.0),
    determinism: Determinism::Always,
    bound: "O(n) work; O(m) for in-degrees without in-lists",
    source: "counting",
    run,
}];

fn run(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| kernel::start(context.graph, context.control))?;
    let verified = context.verify(|plain| kernel::verify(plain, &found));
    let side = match (context.given.text("output"), found.incoming()) {
        (Some("in"), Some(incoming)) => incoming,
        _ => found.out(),
    };
    Ok(Computed {
        measured,
        iterations: None,
        result: facts(&found),
        values: Values::Depths(side.degrees().to_vec()),
        verified,
    })
}

/// The summary. Powers of two: `4:17` are 17 vertices of degree 4 to 7.
pub(crate) fn facts(found: &Degrees) -> Vec<(&'static str, Fact)> {
    let whole = |number: u32| Fact::Whole(u64::from(number));
    let powers = |histogram: &[u64]| {
        let least = |at: usize| if at == 0 { 0 } else { 1_u64 << (at - 1) };
        let parts = (histogram.iter().enumerate())
            .filter(|(_, count)| **count > 0)
            .map(|(at, &count)| (least(at), count))
            .collect();
        Fact::Counts(parts)
    };
    let out = found.out().statistics();
    let mut facts = vec![
        ("isolated", Fact::Whole(found.isolated())),
        ("mean", Fact::Real(out.mean)),
        ("min", whole(out.min)),
        ("max", whole(out.max)),
        ("histogram", powers(&out.histogram)),
    ];
    if let Some(incoming) = found.incoming() {
        let incoming = incoming.statistics();
        facts.push(("min_in", whole(incoming.min)));
        facts.push(("max_in", whole(incoming.max)));
        facts.push(("histogram_in", powers(&incoming.histogram)));
    }
    facts
}
