//! What reads are called with, and which updates are made.

use evergraph::property::{GraphError, PropertyGraph};
use evergraph::social::{Change, Network, queries, updates};
use evergraph_graph::random::Random;

use super::nodes::integer;
use super::schema::{MESSAGE, PERSON};
use super::updates::number;

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

/// Updates that refer to nothing but what is there before all updates, so that they
/// can be made in any order, by any number of clients.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    /// Of each kind the first in time.
    pub of_kind: [Vec<Change>; 8],
    /// Further ones, in the order of time.
    pub mixed: Vec<Change>,
}

impl Updates {
    /// At most `each` of each kind, and `mixed` others; less if there are not so many.
    pub fn of(network: &Network, each: usize, mixed: usize) -> Self {
        let cut = network.parameters().cut();
        let mut chosen = Updates::default();
        let is_first_hand = updates::updates(network).filter(|event| event.depends_on < cut);
        for event in is_first_hand {
            let of_kind = &mut chosen.of_kind[number(&event.change) - 1];
            if of_kind.len() < each {
                of_kind.push(event.change);
            } else if chosen.mixed.len() < mixed {
                chosen.mixed.push(event.change);
            } else if chosen.of_kind.iter().all(|kind| kind.len() == each) {
                break;
            }
        }
        chosen
    }
}
