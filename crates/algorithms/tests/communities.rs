//! Label propagation.

mod common;

use common::{DIRECTIONS, Segmented, edges, with_threads};
use evergraph_algorithms::label_propagation;
use evergraph_algorithms::{Cancellation, Cancelled, Control, RunError};
use evergraph_graph::generate::kronecker;
use evergraph_graph::{Csr, Direction, Graph};
use proptest::prelude::*;

mod labels {
    use super::*;
    use label_propagation::{Parameters, run, verify};

    fn parameters(iterations: u32, labels: Option<&[u64]>) -> Parameters<'_> {
        Parameters { iterations, labels }
    }

    fn check(graph: &impl Graph, parameters: &Parameters<'_>) {
        let result = run(graph, parameters, &Control::new()).unwrap();
        verify(graph, parameters, &result).unwrap();
        let mut labels = result.labels.clone();
        labels.sort_unstable();
        let groups = labels.chunk_by(|a, b| a == b);
        assert_eq!(groups.clone().count(), result.communities);
        assert_eq!(groups.map(<[u64]>::len).max().unwrap_or(0), result.largest);
    }

    #[test]
    fn small_graphs() {
        let labels = |graph: &Csr, iterations| {
            let result = run(graph, &parameters(iterations, None), &Control::new()).unwrap();
            (result.labels, result.iterations)
        };
        // Both ends change sides for ever.
        let pair = Csr::from_edges(3, &[(0, 1)], Direction::Undirected);
        assert_eq!(labels(&pair, 3), (vec![1, 0, 2], 3));
        assert_eq!(labels(&pair, 4), (vec![0, 1, 2], 4));
        let path = Csr::from_edges(4, &[(0, 1), (1, 2), (2, 3)], Direction::Undirected);
        assert_eq!(labels(&path, 1), (vec![1, 0, 1, 2], 1));
        // An edge in both directions counts twice, so 2 follows 1, not 0.
        let graph = Csr::from_edges(3, &[(1, 2), (2, 1), (0, 2)], Direction::Both);
        assert_eq!(labels(&graph, 1).0, [2, 2, 1]);
        // Two loops hold 1 against 0.
        let graph = Csr::from_edges(2, &[(0, 1), (1, 1)], Direction::Both);
        assert_eq!(labels(&graph, 10), (vec![1, 1], 2));
        // Two triangles with a bridge.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)];
        let graph = Csr::from_edges(6, &edges, Direction::Undirected);
        let control = Control::new();
        let result = run(&graph, &parameters(20, None), &control).unwrap();
        assert_eq!(result.changed, 0);
        assert!(result.iterations < 20);
        verify(&graph, &parameters(20, None), &result).unwrap();
    }

    #[test]
    fn labels_are_those_of_graphalytics() {
        // LDBC Graphalytics' directed example, whose ids begin at 1; 2 iterations.
        let edges = [
            (1, 3),
            (1, 5),
            (2, 4),
            (2, 5),
            (2, 10),
            (3, 1),
            (3, 5),
            (3, 8),
            (3, 10),
            (5, 3),
            (5, 4),
            (5, 8),
            (6, 3),
            (6, 4),
            (7, 4),
            (8, 1),
            (9, 4),
        ];
        let edges = edges.map(|(u, v)| (u - 1, v - 1));
        let ids: Vec<u64> = (1..=10).collect();
        let graph = Csr::from_edges(10, &edges, Direction::Both);
        let result = run(&graph, &parameters(2, Some(&ids)), &Control::new()).unwrap();
        assert_eq!(result.labels, [1, 2, 3, 4, 1, 1, 2, 3, 2, 1]);
    }

    #[test]
    fn given_labels_decide_ties() {
        // The leaves' labels are equally frequent around 0.
        let star = Csr::from_edges(4, &[(0, 1), (0, 2), (0, 3)], Direction::Undirected);
        for (given, expected) in [
            ([9, 8, 1 << 60, 5], 5),
            ([9, 8, 1, 8], 8),
            ([0, 7, 6, 7], 7),
        ] {
            let result = run(&star, &parameters(1, Some(&given)), &Control::new()).unwrap();
            assert_eq!(result.labels, [expected, given[0], given[0], given[0]]);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let out = Csr::from_edges(3, &[(0, 1)], Direction::Out);
        let control = Control::new();
        let error = run(&out, &Parameters::default(), &control).unwrap_err();
        assert_eq!(error, RunError::NeedsInLists);
        let both = Csr::from_edges(3, &[(0, 1)], Direction::Both);
        let error = run(&both, &parameters(1, Some(&[1, 2])), &control).unwrap_err();
        assert!(error.to_string().contains("labels"), "{error}");
        let mut result = run(&both, &Parameters::default(), &control).unwrap();
        result.labels[2] = 0;
        let mismatch = verify(&both, &Parameters::default(), &result).unwrap_err();
        assert_eq!(mismatch.vertex, 2);
        let cancellation = Cancellation::new();
        cancellation.cancel();
        let control = Control::new().with_cancellation(&cancellation);
        let error = run(&both, &Parameters::default(), &control).unwrap_err();
        assert_eq!(error, RunError::Cancelled(Cancelled::Requested));
    }

    #[test]
    fn no_vertices_and_no_edges() {
        for direction in [Direction::Undirected, Direction::Both] {
            for n in [0, 3] {
                check(&Csr::from_edges(n, &[], direction), &Parameters::default());
            }
        }
    }

    #[test]
    fn large_graphs_threads_and_hubs() {
        let star = (0..30_000).flat_map(|leaf| [(0, leaf + 2), (leaf / 2 + 2, 1)]);
        let star: Vec<_> = star.collect();
        let all = parameters(4, None);
        for (n, edges) in [(1 << 12, kronecker(12, 16, 5)), (30_002, star)] {
            for direction in [Direction::Undirected, Direction::Both] {
                let graph = Csr::from_edges(n, &edges, direction);
                check(&graph, &all);
                let run = |graph: &Csr| run(graph, &all, &Control::new()).unwrap();
                assert!(with_threads(1, || run(&graph)) == with_threads(4, || run(&graph)));
                with_threads(3, || check(&Segmented { graph, piece: 99 }, &all));
            }
        }
    }

    proptest! {
        #[test]
        fn results_are_those_of_the_verifier(
            (n, edges) in edges(),
            piece in 1_usize..6,
            iterations in 0_u32..6,
            names in 1_u64..100,
        ) {
            let given: Vec<u64> = (0..n as u64).map(|v| v.wrapping_mul(0x9e37_79b9) % names).collect();
            for direction in DIRECTIONS {
                if direction == Direction::Out {
                    continue;
                }
                let graph = Csr::from_edges(n, &edges, direction);
                for labels in [None, Some(&given[..])] {
                    check(&graph, &parameters(iterations, labels));
                }
                check(&Segmented { graph, piece }, &parameters(iterations, None));
            }
        }
    }
}
