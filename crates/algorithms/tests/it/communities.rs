//! Label propagation; modularity, Louvain and Leiden; similarity.

use crate::common::karate::karate_club;
use crate::common::{DIRECTIONS, GRAPHALYTICS, Segmented, edges, with_threads};
use evergraph_algorithms::{Cancellation, Cancelled, Control, RunError};
use evergraph_algorithms::{label_propagation, leiden, louvain, modularity};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId, Weight};
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
        let pair = Csr::from_edges(3, &[(0, 1)], StoredLists::Undirected);
        assert_eq!(labels(&pair, 3), (vec![1, 0, 2], 3));
        assert_eq!(labels(&pair, 4), (vec![0, 1, 2], 4));
        let path = Csr::from_edges(4, &[(0, 1), (1, 2), (2, 3)], StoredLists::Undirected);
        assert_eq!(labels(&path, 1), (vec![1, 0, 1, 2], 1));
        // An edge in both directions counts twice, so 2 follows 1, not 0.
        let graph = Csr::from_edges(3, &[(1, 2), (2, 1), (0, 2)], StoredLists::Both);
        assert_eq!(labels(&graph, 1).0, [2, 2, 1]);
        // Two loops hold 1 against 0.
        let graph = Csr::from_edges(2, &[(0, 1), (1, 1)], StoredLists::Both);
        assert_eq!(labels(&graph, 10), (vec![1, 1], 2));
        // Two triangles with a bridge.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)];
        let graph = Csr::from_edges(6, &edges, StoredLists::Undirected);
        let control = Control::new();
        let result = run(&graph, &parameters(20, None), &control).unwrap();
        assert_eq!(result.changed, 0);
        assert!(result.iterations < 20);
        verify(&graph, &parameters(20, None), &result).unwrap();
    }

    #[test]
    fn labels_are_those_of_graphalytics() {
        // After 2 iterations.
        let edges = GRAPHALYTICS.map(|(u, v)| (u - 1, v - 1));
        let ids: Vec<u64> = (1..=10).collect();
        let graph = Csr::from_edges(10, &edges, StoredLists::Both);
        let result = run(&graph, &parameters(2, Some(&ids)), &Control::new()).unwrap();
        assert_eq!(result.labels, [1, 2, 3, 4, 1, 1, 2, 3, 2, 1]);
    }

    #[test]
    fn given_labels_decide_ties() {
        // The leaves' labels are equally frequent around 0.
        let star = Csr::from_edges(4, &[(0, 1), (0, 2), (0, 3)], StoredLists::Undirected);
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
    fn wrong_arguments_are_named() {
        let out = Csr::from_edges(3, &[(0, 1)], StoredLists::Out);
        let control = Control::new();
        let error = run(&out, &Parameters::default(), &control).unwrap_err();
        assert_eq!(error, RunError::NeedsInLists);
        let both = Csr::from_edges(3, &[(0, 1)], StoredLists::Both);
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
        for direction in [StoredLists::Undirected, StoredLists::Both] {
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
            for direction in [StoredLists::Undirected, StoredLists::Both] {
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
                if direction == StoredLists::Out {
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

mod partitions {
    use super::*;

    fn check(
        graph: &impl Graph,
        resolution: f64,
        seed: u64,
    ) -> (louvain::Communities, leiden::Leiden) {
        let control = Control::new();
        let parameters = louvain::Parameters { resolution, seed };
        let by_louvain = louvain::run(graph, &parameters, &control).unwrap();
        louvain::verify(graph, &parameters, &by_louvain).unwrap();
        let parameters = leiden::Parameters {
            resolution,
            seed,
            iterations: 20,
            ..Default::default()
        };
        let by_leiden = leiden::run(graph, &parameters, &control).unwrap();
        leiden::verify(graph, &parameters, &by_leiden).unwrap();
        for found in [&by_louvain, &by_leiden.found] {
            let again = modularity::run(graph, &found.labels, resolution, &control).unwrap();
            assert!((again - found.modularity).abs() < 1e-9);
            let mut labels = found.labels.clone();
            labels.sort_unstable();
            let groups = labels.chunk_by(|a, b| a == b);
            assert_eq!(groups.clone().count(), found.communities);
            assert_eq!(groups.map(<[_]>::len).max().unwrap_or(0), found.largest);
        }
        (by_louvain, by_leiden)
    }

    #[test]
    fn the_karate_club_splits_in_four() {
        let graph = karate_club();
        for seed in 0..20 {
            let (by_louvain, by_leiden) = check(&graph, 1.0, seed);
            assert!(by_louvain.modularity > 0.38, "{}", by_louvain.modularity);
            let best = by_leiden.found.modularity;
            assert!((0.4..0.419_79).contains(&best), "{best}");
            assert!(by_leiden.stable);
        }
        let best = (0..20).map(|seed| check(&graph, 1.0, seed).0.modularity);
        let best = best.fold(0.0, f64::max);
        // The largest that there is.
        assert!((best - 0.419_789_612_097_304_4).abs() < 1e-12, "{best}");
        assert_eq!(check(&graph, 0.0, 0).0.communities, 1);
        assert_eq!(check(&graph, 100.0, 0).1.found.communities, 34);
    }

    #[test]
    fn modularity_of_given_communities() {
        // Two triangles with a bridge: 7 edges, 6 inside, each side half of all ends.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)];
        let graph = Csr::from_edges(6, &edges, StoredLists::Undirected);
        let control = Control::new();
        let found = modularity::run(&graph, &[0, 0, 0, 3, 3, 3], 1.0, &control).unwrap();
        assert!((found - (6.0 / 7.0 - 0.5)).abs() < 1e-15);
        let (by_louvain, by_leiden) = check(&graph, 1.0, 0);
        assert_eq!(by_louvain.labels, [0, 0, 0, 3, 3, 3]);
        assert_eq!(by_leiden.found.labels, by_louvain.labels);
        for labels in [&[0, 0][..], &[0, 0, 0, 0, 0, 6]] {
            let error = modularity::run(&graph, labels, 1.0, &control).unwrap_err();
            assert!(error.to_string().contains("labels"));
        }
    }

    #[test]
    fn weights_loops_and_parallel_edges_count() {
        // A heavy edge, twice in parts, against three light ones; loops hold 4 alone.
        let edges = [
            (0, 1, 4.0),
            (1, 0, 4.0),
            (1, 2, 1.0),
            (2, 3, 3.0),
            (3, 4, 1.0),
            (4, 4, 5.0),
            (0, 3, 0.0),
        ];
        let graph = Csr::from_weighted_edges(5, &edges, StoredLists::Undirected);
        let (by_louvain, by_leiden) = check(&graph, 1.0, 0);
        assert_eq!(by_louvain.labels, [0, 0, 2, 2, 4]);
        assert_eq!(by_leiden.found.labels, by_louvain.labels);
        assert_eq!(by_louvain.communities, 3);
    }

    #[test]
    fn the_unit_of_weights_does_not_matter() {
        let edges = kronecker(8, 4, 6);
        let graph = |weight: Weight| {
            let edges = edges.iter().map(|&(u, v)| (u, v, weight));
            Csr::from_weighted_edges(1 << 8, &edges.collect::<Vec<_>>(), StoredLists::Undirected)
        };
        let (unit, small) = (graph(1.0), graph(1.0 / 1024.0));
        for seed in 0..5 {
            let parameters = leiden::Parameters {
                seed,
                ..Default::default()
            };
            let run = |graph| leiden::run(graph, &parameters, &Control::new()).unwrap();
            assert_eq!(run(&unit), run(&small));
        }
    }

    #[test]
    fn small_graphs() {
        for n in [0, 3] {
            let (by_louvain, by_leiden) =
                check(&Csr::from_edges(n, &[], StoredLists::Undirected), 1.0, 0);
            assert_eq!((by_louvain.communities, by_louvain.modularity), (n, 0.0));
            assert_eq!(by_leiden.found.communities, n);
        }
        let loops = Csr::from_edges(3, &[(0, 0), (2, 2)], StoredLists::Undirected);
        assert_eq!(check(&loops, 1.0, 0).1.found.communities, 3);
        let complete: Vec<_> = (0..9).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        let complete = Csr::from_edges(9, &complete, StoredLists::Undirected);
        assert_eq!(check(&complete, 1.0, 0).0.communities, 1);
        // A ring of 30 cliques of 5.
        let mut ring = Vec::new();
        for clique in 0..30 {
            let members = (0..5).flat_map(|u| (0..u).map(move |v| (u, v)));
            ring.extend(members.map(|(u, v)| (5 * clique + u, 5 * clique + v)));
            ring.push((5 * clique, (5 * clique + 6) % 150));
        }
        let ring = Csr::from_edges(150, &ring, StoredLists::Undirected);
        let (_, by_leiden) = check(&ring, 4.0, 7);
        let cliques: Vec<VertexId> = (0..150).map(|v| v / 5 * 5).collect();
        assert_eq!(by_leiden.found.labels, cliques);
    }

    #[test]
    fn wrong_arguments_are_named() {
        let control = Control::new();
        for direction in [StoredLists::Out, StoredLists::Both] {
            let graph = Csr::from_edges(3, &[(0, 1)], direction);
            let error = louvain::run(&graph, &Default::default(), &control).unwrap_err();
            assert_eq!(error, RunError::NeedsUndirected);
            let error = leiden::run(&graph, &Default::default(), &control).unwrap_err();
            assert_eq!(error, RunError::NeedsUndirected);
        }
        for weight in [-1.0, Weight::NAN, Weight::INFINITY] {
            let edges = [(0, 1, 1.0), (1, 2, weight)];
            let graph = Csr::from_weighted_edges(3, &edges, StoredLists::Undirected);
            let error = louvain::run(&graph, &Default::default(), &control).unwrap_err();
            assert!(error.to_string().contains("from 1 to 2"), "{error}");
            let error = leiden::run(&graph, &Default::default(), &control).unwrap_err();
            assert!(error.to_string().contains("from 1 to 2"), "{error}");
        }
        let graph = karate_club();
        for resolution in [-1.0, f64::NAN, f64::INFINITY] {
            let parameters = louvain::Parameters {
                resolution,
                seed: 0,
            };
            assert!(louvain::run(&graph, &parameters, &control).is_err());
        }
        for (randomness, iterations) in [(0.0, 1), (f64::NAN, 1), (0.1, 0)] {
            let parameters = leiden::Parameters {
                randomness,
                iterations,
                ..Default::default()
            };
            assert!(leiden::run(&graph, &parameters, &control).is_err());
        }
        let cancellation = Cancellation::new();
        cancellation.cancel();
        let control = Control::new().with_cancellation(&cancellation);
        let expected = RunError::Cancelled(Cancelled::Requested);
        let error = louvain::run(&graph, &Default::default(), &control).unwrap_err();
        assert_eq!(error, expected);
        let error = leiden::run(&graph, &Default::default(), &control).unwrap_err();
        assert_eq!(error, expected);
    }

    #[test]
    fn verifiers_find_wrong_results() {
        // Two paths of three with nothing between.
        let graph = Csr::from_edges(
            6,
            &[(0, 1), (1, 2), (3, 4), (4, 5)],
            StoredLists::Undirected,
        );
        let control = Control::new();
        let parameters = leiden::Parameters::default();
        let good = leiden::run(&graph, &parameters, &control).unwrap();
        assert_eq!(good.found.labels, [0, 0, 0, 3, 3, 3]);
        let complaint = |labels: [VertexId; 6]| {
            let mut bad = good.clone();
            bad.found.modularity = modularity::reference(&graph, &labels, 1.0);
            bad.found.labels = labels.to_vec();
            leiden::verify(&graph, &parameters, &bad).unwrap_err()
        };
        assert!(complaint([0, 0, 0, 0, 0, 0]).what.contains("no path"));
        assert!(complaint([0, 0, 2, 3, 3, 3]).what.contains("moving"));
        assert!(complaint([0, 0, 0, 4, 4, 4]).what.contains("label"));
        let parameters = louvain::Parameters::default();
        let mut bad = louvain::run(&graph, &parameters, &control).unwrap();
        bad.modularity += 1e-6;
        let mismatch = louvain::verify(&graph, &parameters, &bad).unwrap_err();
        assert!(mismatch.what.contains("modularity"));
    }

    #[test]
    fn large_graphs_threads_and_hubs() {
        // Kronecker's first contracted graph is too large to be built; that of 200
        // groups with few edges between is not.
        let groups = evergraph_generators::uniform(1 << 13, 1 << 16, 3);
        let groups: Vec<_> = groups
            .into_iter()
            .zip(0_u32..)
            .map(|((u, v), at)| {
                if at % 8 == 0 {
                    (u, v)
                } else {
                    (u, u / 41 * 41 + v % 41)
                }
            })
            .map(|(u, v)| (u, v.min((1 << 13) - 1)))
            .collect();
        let star: Vec<_> = (0..30_000).map(|leaf| (0, leaf + 1)).collect();
        for (n, edges, least) in [
            (1 << 13, kronecker(13, 16, 5), 0.08),
            (1 << 13, groups, 0.8),
            (30_001, star, -1e-9),
        ] {
            let graph = Csr::from_edges(n, &edges, StoredLists::Undirected);
            let whole = with_threads(1, || check(&graph, 1.0, 3));
            assert!(whole.0.modularity > least, "{}", whole.0.modularity);
            assert!(whole.1.found.modularity > whole.0.modularity - 0.01);
            let segmented = Segmented { graph, piece: 99 };
            let cut = with_threads(4, || check(&segmented, 1.0, 3));
            assert!(whole == cut);
        }
    }

    proptest! {
        #[test]
        fn communities_are_verified(
            (n, edges) in edges(),
            weights in prop::collection::vec(0_u8..9, 200),
            resolution in prop_oneof![Just(1.0), 0.0..3.0],
            seed: u64,
            piece in 1_usize..6,
        ) {
            let graph = Csr::from_edges(n, &edges, StoredLists::Undirected);
            check(&graph, resolution, seed);
            let weighted: Vec<_> = edges
                .iter()
                .zip(weights)
                .map(|(&(u, v), weight)| (u, v, Weight::from(weight) / 3.0))
                .collect();
            let graph = Csr::from_weighted_edges(n, &weighted, StoredLists::Undirected);
            let whole = check(&graph, resolution, seed);
            let cut = check(&Segmented { graph, piece }, resolution, seed);
            prop_assert!(whole == cut);
        }
    }
}

mod alike {
    use super::*;
    use evergraph_algorithms::similarity::{Measure, run, top, verify, verify_top};

    const ALL: [Measure; 5] = [
        Measure::CommonNeighbors,
        Measure::Jaccard,
        Measure::Cosine,
        Measure::AdamicAdar,
        Measure::PreferentialAttachment,
    ];

    fn check(graph: &impl Graph, pairs: &[(VertexId, VertexId)], count: usize) {
        let control = Control::new();
        for measure in ALL {
            let in_lists = graph.stored_lists() != StoredLists::Out;
            match run(graph, pairs, measure, &control) {
                Err(error) => {
                    assert_eq!(error, RunError::NeedsInLists);
                    assert!(measure == Measure::AdamicAdar && !in_lists);
                }
                Ok(result) => verify(graph, pairs, measure, &result).unwrap(),
            }
            if let Some(&(source, _)) = pairs.first() {
                match top(graph, source, count, measure, &control) {
                    Err(error) => assert!(!in_lists && error == RunError::NeedsInLists),
                    Ok(result) => verify_top(graph, count, measure, &result).unwrap(),
                }
            }
        }
    }

    #[test]
    fn the_karate_club_has_the_published_scores() {
        let graph = karate_club();
        let pairs = [(0, 33), (0, 1), (16, 24), (32, 33)];
        let published = [
            [4.0, 7.0, 0.0, 10.0],
            [
                0.137_931_034_482_758_62,
                0.388_888_888_888_888_9,
                0.0,
                0.526_315_789_473_684_2,
            ],
            [4.0 / 272_f64.sqrt(), 7.0 / 12.0, 0.0, 10.0 / 204_f64.sqrt()],
            [
                2.711_019_722_297_308_5,
                6.130_716_871_863_356,
                0.0,
                10.456_950_741_004_253,
            ],
            [272.0, 144.0, 6.0, 204.0],
        ];
        for (measure, expected) in ALL.into_iter().zip(published) {
            let result = run(&graph, &pairs, measure, &Control::new()).unwrap();
            for (found, expected) in result.scores.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{measure:?}: {found}");
            }
        }
        check(&graph, &pairs, 5);
        let result = top(&graph, 33, 2, Measure::CommonNeighbors, &Control::new()).unwrap();
        assert_eq!(result.best, [(32, 10.0), (2, 6.0)]);
    }

    #[test]
    fn wrong_arguments_are_named() {
        let control = Control::new();
        let unsorted = Csr::from_edges(3, &[(0, 1)], StoredLists::Undirected);
        let error = run(&unsorted, &[], Measure::Jaccard, &control).unwrap_err();
        assert_eq!(error, RunError::NeedsSorted);
        let graph = unsorted.simple();
        for pair in [(0, 3), (3, 0)] {
            let error = run(&graph, &[pair], Measure::Jaccard, &control).unwrap_err();
            assert!(error.to_string().contains("vertex 3"), "{error}");
        }
        assert!(top(&graph, 3, 1, Measure::Jaccard, &control).is_err());
        let result = top(&graph, 2, 7, Measure::Jaccard, &control).unwrap();
        assert_eq!((result.best, result.candidates), (vec![], 0));
        let cancellation = Cancellation::new();
        cancellation.cancel();
        let control = Control::new().with_cancellation(&cancellation);
        let error = run(&graph, &[(0, 1)], Measure::Jaccard, &control).unwrap_err();
        assert_eq!(error, RunError::Cancelled(Cancelled::Requested));
        let error = top(&graph, 0, 1, Measure::Jaccard, &control).unwrap_err();
        assert_eq!(error, RunError::Cancelled(Cancelled::Requested));
    }

    #[test]
    fn equals_come_by_id() {
        // 1 has two neighbors of degree 9 in common with 0, 2 and 6 one of degree 3,
        // which is worth the same; in shares of 2^32 it is a little more.
        let mut edges = vec![(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (2, 5), (5, 6)];
        edges.extend((7..14).flat_map(|leaf| [(3, leaf), (4, leaf + 7)]));
        let graph = Csr::from_edges(21, &edges, StoredLists::Undirected).simple();
        let worth = 1.0 / 3_f64.ln();
        let found = top(&graph, 0, 3, Measure::AdamicAdar, &Control::new()).unwrap();
        assert_eq!(found.best, [(1, worth), (2, worth), (6, worth)]);
        // Of more equals than are wanted, the first.
        let star: Vec<_> = (1..7).map(|leaf| (0, leaf)).collect();
        let graph = Csr::from_edges(7, &star, StoredLists::Undirected).simple();
        let found = top(&graph, 4, 2, Measure::CommonNeighbors, &Control::new()).unwrap();
        assert_eq!(found.best, [(1, 1.0), (2, 1.0)]);
    }

    #[test]
    fn large_lists_and_threads() {
        // A hub beside small lists, and two hubs beside each other.
        let edges: Vec<_> = (0..20_000)
            .flat_map(|leaf| [(0, leaf + 3), (1, leaf / 2 + 3), (2, leaf % 7 + 3)])
            .collect();
        for direction in [StoredLists::Undirected, StoredLists::Both] {
            let graph = Csr::from_edges(20_003, &edges, direction).simple();
            let pairs = [(0, 1), (1, 2), (2, 0), (3, 4), (0, 0)];
            let control = Control::new();
            let leaves = f64::from(u8::from(direction == StoredLists::Undirected));
            let expected = [10_000.0, 7.0, 7.0, 3.0 * leaves, 20_000.0];
            let all = |graph: &Segmented| {
                ALL.map(|measure| {
                    let scores = run(graph, &pairs, measure, &control).unwrap().scores;
                    (scores, top(graph, 0, 9, measure, &control).unwrap())
                })
            };
            let whole = Segmented {
                graph: graph.clone(),
                piece: usize::MAX,
            };
            let whole = with_threads(1, || all(&whole));
            assert_eq!(whole[0].0, expected);
            let cut = with_threads(4, || all(&Segmented { graph, piece: 99 }));
            assert!(whole == cut);
        }
    }

    proptest! {
        #[test]
        fn scores_are_those_of_the_verifier(
            (n, edges) in edges(),
            pairs in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 0..9),
            piece in 1_usize..6,
            count in 0_usize..20,
        ) {
            let pairs: Vec<_> = pairs
                .iter()
                .map(|[u, v]| (u.index(n) as VertexId, v.index(n) as VertexId))
                .collect();
            for direction in DIRECTIONS {
                let graph = Csr::from_edges(n, &edges, direction).simple();
                check(&graph, &pairs, count);
                check(&Segmented { graph, piece }, &pairs, count);
            }
        }
    }
}
