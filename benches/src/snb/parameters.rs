//! Parameters of the reads, and the updates that are made.

use evergraph::property::{GraphError, PropertyGraph};
use evergraph_generators::snb::{Change, Network, queries, updates};
use evergraph_graph::random::Random;

use super::nodes::integer;
use super::schema::{MESSAGE, PERSON};

/// Ids that the short reads are called with.
#[derive(Clone, Debug)]
pub struct Calls {
    pub persons: Vec<i64>,
    pub messages: Vec<i64>,
}

impl Calls {
    /// As the generator writes them.
    pub fn of_network(network: &Network, calls: usize) -> Self {
        let all = queries::short_parameters(network, calls);
        let ids = |query: usize| {
            let rows = all[query - 1].rows.iter();
            rows.filter_map(|row| row.first()?.parse().ok()).collect()
        };
        Calls {
            persons: ids(1),
            messages: ids(4),
        }
    }

    /// Any persons and any messages of a graph.
    pub fn of_graph(graph: &PropertyGraph, calls: usize, seed: u64) -> Result<Self, GraphError> {
        let mut random = Random::new(seed);
        let mut drawn = |label| {
            let view = graph.view();
            let nodes = view.nodes_with_label(label);
            let ids: Vec<i64> = nodes
                .map(|node| integer(&node?, "id"))
                .collect::<Result<_, _>>()?;
            let any = |_| ids[random.below(ids.len() as u64) as usize];
            let calls = if ids.is_empty() { 0 } else { calls };
            Ok::<Vec<i64>, GraphError>((0..calls).map(any).collect())
        };
        Ok(Calls {
            persons: drawn(PERSON)?,
            messages: drawn(MESSAGE)?,
        })
    }
}

/// Updates in an order in which nothing refers to what is not there yet.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    /// All new persons, in the order of time.
    pub persons: Vec<Change>,
    /// The first of all others, in the order of time.
    pub others: Vec<Change>,
}

impl Updates {
    /// All persons, and as many others, or less if there are not so many.
    pub fn of(network: &Network, others: usize) -> Self {
        let mut chosen = Updates::default();
        for event in updates::updates(network) {
            match event.change {
                Change::Person(_) => chosen.persons.push(event.change),
                _ if chosen.others.len() < others => chosen.others.push(event.change),
                _ => {}
            }
        }
        chosen
    }
}
