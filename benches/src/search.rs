//! Search by words and by near vectors, beside reading every node: making an index,
//! opening it, searching now and as of a snapshot, and after updates.
//!
//! The texts are the messages of the generated social network; the vectors are made up,
//! around centers, as those of texts about some subjects are.

mod steps;
mod texts;
mod vectors;

use evergraph::property::{NodeId, PropertyGraph};

use crate::Benchmark;
use crate::settings::Settings;
use crate::snb;
use crate::table::Table;

pub(crate) const BENCHMARK: Benchmark = Benchmark {
    name: "search",
    parameters: &[
        "scale",
        "queries",
        "updates",
        "vectors",
        "dimensions",
        "centers",
        "skip-bad",
    ],
    run,
};

const MESSAGE: &str = snb::schema::MESSAGE;

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let loaded = snb::network_in_database(settings, 0.05)?;
    let graph = loaded.graph()?;
    let messages = messages(graph)?;
    let directory = loaded.place.join("search");
    let texts = texts::table(settings, graph, &messages, &directory)?;
    let vectors = vectors::table(settings, graph, &messages, &directory)?;
    Ok(vec![texts, vectors])
}

fn messages(graph: &PropertyGraph) -> Result<Vec<NodeId>, String> {
    let view = graph.view();
    let messages = view.nodes_with_label(MESSAGE);
    let ids: Result<Vec<NodeId>, _> = messages.map(|node| node.map(|node| node.id())).collect();
    ids.map_err(snb::text)
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }

    /// From -1 to 1.
    fn number(&mut self) -> f64 {
        self.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0
    }
}
