//! Searches on the threads of a pool while others commit.

use evergraph_property_graph::graph::{GraphOptions, PropertyGraph};
use evergraph_search::vector::{Metric, VectorOptions, Vectors};
use evergraph_storage::medium::DramStorage;
use rayon::prelude::*;

use crate::scan::{definition, list, vector};

const DIMENSIONS: usize = 4;

/// A thread of the pool that waits takes up other searches meanwhile, and so does not
/// wait for what it holds itself.
#[test]
fn searches_of_a_pool_do_not_wait_for_themselves() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    let directory = tempfile::tempdir().expect("made");
    let options = VectorOptions {
        direct: 0,
        ..VectorOptions::default()
    };
    let places = definition(DIMENSIONS, Metric::Euclidean);
    let near = Vectors::open_with(&graph, directory.path(), places, options).expect("opened");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    pool.expect("made").install(|| {
        (0..300u64).into_par_iter().for_each(|round| {
            let made = graph.write(|tx| {
                for place in 0..20 {
                    let at = list(&vector(DIMENSIONS, 100 * round + place));
                    tx.create_node(&["IndexFile"], [("at", at)])?;
                }
                Ok(())
            });
            made.expect("committed");
            let query = vector(DIMENSIONS, round);
            let found = near.nearest(&graph.view(), &query, 3).expect("found");
            assert_eq!(found.len(), 3);
        });
    });
    assert_eq!(near.statistics().vectors, 6000);
}
