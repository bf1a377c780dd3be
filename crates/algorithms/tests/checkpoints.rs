//! A run that goes on from the state after any step ends as one that was never
//! cut off.

use std::sync::Mutex;

use evergraph_algorithms::{
    Checkpoints, Control, RunError, SaveFailed, Saved, eigenvector, hits, katz, label_propagation,
    pagerank, personalized_pagerank,
};
use evergraph_graph::{Column, Csr, Direction, generate};

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
        // Not one step is done twice, and the states are the same.
        let again = kept.states.into_inner().unwrap();
        assert_eq!(again, states[at + 1..], "{name} from step {step}");
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
    let edges = generate::kronecker(9, 8, 3);
    [Direction::Both, Direction::Out, Direction::Undirected]
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
        if graph_has_in_lists(graph) {
            let parameters = label_propagation::Parameters::default();
            resumes("label-propagation", |c| {
                label_propagation::run(graph, &parameters, c)
            });
        }
    }
}

fn graph_has_in_lists(graph: &Csr) -> bool {
    evergraph_graph::Graph::direction(graph) != Direction::Out
}
