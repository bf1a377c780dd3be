//! A run that goes on from the state after any step ends as one that was never
//! cut off.

use std::sync::Mutex;

use evergraph_algorithms::{
    Checkpoints, Control, RunError, SaveFailed, Saved, bellman_ford, betweenness, bfs, closeness,
    delta_stepping, eigenvector, hits, k_core, katz, label_propagation, pagerank,
    personalized_pagerank, weighted_bfs, widest_path,
};
use evergraph_generators::kronecker;
use evergraph_graph::{Column, Csr, Graph, StoredLists, VertexId, Weight};

/// Keeps every state, or gives one.
#[derive(Default)]
struct Kept {
    states: Mutex<Vec<Saved>>,
    first: Mutex<Option<Saved>>,
}

impl Checkpoints for Kept {
    fn is_due(&self, _: u64) -> bool {
        true
    }

    fn save(&self, step: u64, state: &[(&'static str, Column<'_>)]) -> Result<(), SaveFailed> {
        let columns = state.iter();
        let columns = columns.map(|(name, column)| (name.to_string(), column.to_owned()));
        let saved = Saved::new(step, columns.collect());
        self.states.lock().unwrap().push(saved);
        Ok(())
    }

    fn take_saved(&self) -> Option<Saved> {
        self.first.lock().unwrap().take()
    }
}

/// Runs to the end, then from each state that was kept.
fn resumes<T: PartialEq + std::fmt::Debug>(
    name: &str,
    run: impl Fn(&Control<'_>) -> Result<T, RunError>,
) {
    let whole = run(&Control::new()).unwrap();
    let kept = Kept::default();
    let observed = run(&Control::new().with_checkpoints(&kept)).unwrap();
    assert_eq!(observed, whole, "{name}: watched");
    let states = kept.states.into_inner().unwrap();
    assert!(states.len() >= 2, "{name} offered {} states", states.len());
    for (at, saved) in states.iter().enumerate() {
        let step = saved.step;
        assert_eq!(step, at as u64 + 1, "{name}");
        let kept = Kept {
            first: Mutex::new(Some(saved.clone())),
            ..Kept::default()
        };
        let resumed = run(&Control::new().with_checkpoints(&kept)).unwrap();
        assert_eq!(resumed, whole, "{name} from step {step}");
        // No step is done twice.
        let again = kept.states.into_inner().unwrap();
        let steps: Vec<u64> = again.iter().map(|saved| saved.step).collect();
        let counted: Vec<u64> = (step + 1..).take(again.len()).collect();
        assert_eq!(steps, counted, "{name} from step {step}");
    }
    let kept = Kept {
        first: Mutex::new(Some(Saved::new(1, Vec::new()))),
        ..Kept::default()
    };
    let refused = run(&Control::new().with_checkpoints(&kept));
    assert!(
        matches!(refused, Err(RunError::WrongState { .. })),
        "{name}"
    );
}

fn graphs() -> Vec<Csr> {
    let edges = kronecker(9, 8, 3);
    [StoredLists::Both, StoredLists::Out, StoredLists::Undirected]
        .map(|direction| Csr::from_edges(1 << 9, &edges, direction))
        .into_iter()
        .collect()
}

#[test]
fn iterations_go_on_where_they_were_cut_off() {
    for graph in &graphs() {
        for precision in [pagerank::Precision::Single, pagerank::Precision::Double] {
            for iterations in [
                pagerank::Iterations::Fixed(7),
                pagerank::Parameters::default().iterations,
            ] {
                let parameters = pagerank::Parameters {
                    precision,
                    iterations,
                    ..Default::default()
                };
                resumes("pagerank", |c| pagerank::run(graph, &parameters, c));
                resumes("personalized-pagerank", |c| {
                    personalized_pagerank::run(graph, &[(3, 1.0), (5, 2.0)], &parameters, c)
                });
            }
        }
        let parameters = eigenvector::Parameters::default();
        resumes("eigenvector", |c| eigenvector::run(graph, &parameters, c));
        for at_most in [9, 1000] {
            let parameters = katz::Parameters {
                alpha: 0.001,
                at_most,
                ..Default::default()
            };
            resumes("katz", |c| katz::run(graph, &parameters, c));
        }
        for at_most in [5, 100] {
            let parameters = hits::Parameters {
                at_most,
                ..Default::default()
            };
            resumes("hits", |c| hits::run(graph, &parameters, c));
        }
        if graph.stored_lists() != StoredLists::Out {
            let parameters = label_propagation::Parameters::default();
            resumes("label-propagation", |c| {
                label_propagation::run(graph, &parameters, c)
            });
        }
    }
}

#[test]
fn searches_go_on_where_they_were_cut_off() {
    for graph in &graphs() {
        let source = busiest(graph);
        let depths = |c: &Control<'_>| {
            // The chosen parent may differ from run to run.
            let found = bfs::run(graph, source, c)?;
            bfs::verify(graph, &found).unwrap();
            Ok((found.depths, found.reached, found.max_depth))
        };
        resumes("bfs", depths);
        let sources: Vec<VertexId> = (0..7).collect();
        for normalization in [
            betweenness::Normalization::None,
            betweenness::Normalization::Maximum,
        ] {
            resumes("betweenness", |c| {
                betweenness::run(graph, &sources, normalization, c)
            });
        }
        let parameters = closeness::Parameters::default();
        resumes("closeness", |c| closeness::run(graph, &parameters, c));
        if graph.stored_lists() == StoredLists::Undirected {
            for bucketing in [k_core::Bucketing::Open, k_core::Bucketing::SemiEager] {
                let parameters = k_core::Parameters { bucketing };
                resumes("k-core", |c| k_core::run(graph, &parameters, c));
            }
        }
    }
}

/// The vertex with the most out-neighbors, from where most are reached.
fn busiest(graph: &Csr) -> VertexId {
    let vertices = 0..graph.vertex_count() as VertexId;
    let busiest = vertices.max_by_key(|&v| graph.neighbors(v).len());
    busiest.unwrap()
}

/// The graph with weights, `lightest` or more of them.
fn weighted(direction: StoredLists, lightest: i64) -> Csr {
    let edges = kronecker(9, 8, 4);
    let weight = |u: VertexId, v: VertexId| {
        let weight = i64::from((u * 31 + v * 17) % 97);
        (weight + lightest) as Weight
    };
    let edges = edges.into_iter().map(|(u, v)| (u, v, weight(u, v)));
    Csr::from_weighted_edges(1 << 9, &edges.collect::<Vec<_>>(), direction)
}

#[test]
fn shortest_paths_go_on_where_they_were_cut_off() {
    for direction in [StoredLists::Both, StoredLists::Out, StoredLists::Undirected] {
        let graph = &weighted(direction, 1);
        let source = busiest(graph);
        resumes("bellman-ford", |c| {
            bellman_ford::run(graph, source, true, c)
        });
        for delta in [Some(1.0), Some(30.0), None] {
            let parameters = delta_stepping::Parameters {
                delta,
                parents: true,
            };
            resumes("delta-stepping", |c| {
                delta_stepping::run(graph, source, &parameters, c)
            });
        }
        resumes("weighted-bfs", |c| {
            weighted_bfs::run(graph, source, true, c)
        });
        for method in [
            widest_path::Method::Buckets,
            widest_path::Method::BellmanFord,
        ] {
            resumes("widest-path", |c| {
                widest_path::run(graph, source, method, c)
            });
        }
    }
    // Cycles of negative weight, found after many rounds.
    let graph = &weighted(StoredLists::Out, -1);
    let source = busiest(graph);
    resumes("bellman-ford", |c| {
        bellman_ford::run(graph, source, true, c)
    });
}
