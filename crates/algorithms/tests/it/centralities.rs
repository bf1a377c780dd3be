//! PageRank from seeds, eigenvector and Katz centrality, hubs and authorities; and
//! that no sum depends on how lists are cut.

use crate::common::karate::karate_club;
use crate::common::{DIRECTIONS, Segmented, edges, with_threads};
use evergraph_algorithms::betweenness::{self, Normalization};
use evergraph_algorithms::pagerank::{self, Iterations, Precision};
use evergraph_algorithms::personalized_pagerank::{self, LocalParameters, Seed};
use evergraph_algorithms::{Cancellation, Cancelled, Control, RunError, eigenvector, hits, katz};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId};
use proptest::prelude::*;

const TIGHT: pagerank::Parameters = pagerank::Parameters {
    damping: 0.85,
    iterations: Iterations::Until {
        tolerance: 1e-14,
        at_most: 500,
    },
    precision: Precision::Double,
};

const FIVE: pagerank::Parameters = pagerank::Parameters {
    damping: 0.85,
    iterations: Iterations::Fixed(5),
    precision: Precision::Double,
};

/// Scores as the documentation of others has them, to 10 digits.
fn assert_scores(scores: &[f64], expected: &[(usize, f64)]) {
    for &(vertex, expected) in expected {
        let found = scores[vertex];
        assert!(
            (found - expected).abs() < 1e-10,
            "vertex {vertex}: {found}, expected {expected}"
        );
    }
}

/// All results of this family, to compare and to verify.
type All = (
    pagerank::PageRank,
    pagerank::PageRank,
    pagerank::PageRank,
    personalized_pagerank::Approximation,
    eigenvector::Eigenvector,
    katz::Katz,
    hits::Hits,
    betweenness::Betweenness,
);

const SINGLE: pagerank::Parameters = pagerank::Parameters {
    precision: Precision::Single,
    ..FIVE
};

fn run_all(graph: &impl Graph, source: VertexId) -> All {
    let control = Control::new();
    let seeds = [(source, 2.0), (graph.vertex_count() as VertexId - 1, 1.0)];
    (
        pagerank::run(graph, &FIVE, &control).unwrap(),
        pagerank::run(graph, &SINGLE, &control).unwrap(),
        personalized_pagerank::run(graph, &seeds, &FIVE, &control).unwrap(),
        personalized_pagerank::approximate(graph, &seeds, &LOCAL, &control).unwrap(),
        eigenvector::run(graph, &Default::default(), &control).unwrap(),
        katz::run(graph, &KATZ, &control).unwrap(),
        hits::run(graph, &Default::default(), &control).unwrap(),
        betweenness::run(graph, &[source], Normalization::None, &control).unwrap(),
    )
}

const LOCAL: LocalParameters = LocalParameters {
    damping: 0.85,
    tolerance: 1e-4,
};

/// Few iterations, as `alpha` is too large for most graphs.
const KATZ: katz::Parameters = katz::Parameters {
    alpha: 0.1,
    beta: 1.0,
    normalized: true,
    tolerance: 1e-6,
    at_most: 30,
};

fn check_all(graph: &impl Graph, source: VertexId) {
    let seeds = [(source, 2.0), (graph.vertex_count() as VertexId - 1, 1.0)];
    let all = run_all(graph, source);
    pagerank::verify(graph, &FIVE, &all.0).unwrap();
    pagerank::verify(graph, &SINGLE, &all.1).unwrap();
    personalized_pagerank::verify(graph, &seeds, &FIVE, &all.2).unwrap();
    assert!((all.2.sum - 1.0).abs() < 1e-9);
    personalized_pagerank::verify_approximation(graph, &seeds, &LOCAL, &all.3).unwrap();
    let whole = all.3.missing + all.3.ranks.iter().sum::<f64>();
    assert!((whole - 1.0).abs() < 1e-9, "{whole}");
    eigenvector::verify(graph, &Default::default(), &all.4).unwrap();
    katz::verify(graph, &KATZ, &all.5).unwrap();
    hits::verify(graph, &all.6).unwrap();
}

#[test]
fn the_karate_club_has_the_published_scores() {
    let graph = karate_club();
    let control = Control::new();

    let result = eigenvector::run(&graph, &Default::default(), &control).unwrap();
    let published = [
        (0, 0.355_483_494_185),
        (1, 0.265_953_870_455),
        (16, 0.023_634_794_260_6),
        (33, 0.373_371_213_013),
    ];
    assert_scores(&result.scores, &published);
    assert!(result.converged && result.iterations < 100);

    let result = katz::run(&graph, &Default::default(), &control).unwrap();
    let published = [
        (0, 0.321_324_596_959),
        (16, 0.090_678_743_885_5),
        (33, 0.331_406_397_522),
    ];
    assert_scores(&result.scores, &published);
    assert!(result.converged);

    let result = hits::run(&graph, &Default::default(), &control).unwrap();
    let published = [
        (0, 0.071_412_728_8),
        (11, 0.010_617_891_5),
        (33, 0.075_002_942_1),
    ];
    for values in [&result.hubs, &result.authorities] {
        for (vertex, expected) in published {
            assert!((values[vertex] - expected).abs() < 1e-8);
        }
    }
    assert!(result.converged);

    let result = pagerank::run(&graph, &TIGHT, &control).unwrap();
    let published = [
        (0, 0.096_997_285_388_4),
        (11, 0.009_564_745_492_14),
        (33, 0.100_919_182_333),
    ];
    assert_scores(&result.ranks, &published);

    let seeds = [(0, 1.0), (33, 2.0), (33, 1.0)];
    let result = personalized_pagerank::run(&graph, &seeds, &TIGHT, &control).unwrap();
    let published = [
        (0, 0.102_734_569_636),
        (11, 0.005_457_774_011_94),
        (33, 0.213_528_426_701),
    ];
    assert_scores(&result.ranks, &published);
}

#[test]
fn a_directed_graph_with_a_sink_component() {
    let edges = [
        (0, 1),
        (0, 2),
        (1, 2),
        (2, 0),
        (3, 2),
        (3, 4),
        (4, 5),
        (5, 4),
        (1, 5),
    ];
    let control = Control::new();
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(6, &edges, direction);
        let result = katz::run(&graph, &Default::default(), &control).unwrap();
        assert_scores(
            &result.scores,
            &[
                (0, 0.393_204_621_244_333_75),
                (3, 0.347_213_762_611_481_07),
                (5, 0.428_344_077_597_042_4),
            ],
        );
        let long = hits::Parameters {
            at_most: 1000,
            ..Default::default()
        };
        let result = hits::run(&graph, &long, &control).unwrap();
        let expected = [
            0.256_199_257,
            0.283_653_538,
            0.0,
            0.283_653_538,
            0.088_246_833,
        ];
        for (found, expected) in result.hubs.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{result:?}");
        }
        assert!((result.authorities[2] - 0.451_605_963).abs() < 1e-6);
        assert_eq!(result.authorities[3], 0.0);
    }
}

#[test]
fn ranks_are_those_of_graphalytics() {
    // LDBC Graphalytics' directed example, whose ids begin at 1; 2 iterations.
    let lists: [&[VertexId]; 10] = [
        &[3, 5],
        &[4, 5, 10],
        &[1, 5, 8, 10],
        &[],
        &[3, 4, 8],
        &[3, 4],
        &[4],
        &[1],
        &[4],
        &[],
    ];
    let edges: Vec<_> = (0..)
        .zip(lists)
        .flat_map(|(u, list)| list.iter().map(move |v| (u, v - 1)))
        .collect();
    let expected = [
        1.477_629_166_666_667e-1,
        4.753_375e-2,
        1.550_469_444_444_444e-1,
        1.597_573_611_111_111e-1,
        1.462_4e-1,
        4.753_375e-2,
        4.753_375e-2,
        1.135_740_277_777_778e-1,
        4.753_375e-2,
        8.748_375_000_000_001e-2,
    ];
    let parameters = pagerank::Parameters {
        iterations: Iterations::Fixed(2),
        ..FIVE
    };
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(10, &edges, direction);
        let result = pagerank::run(&graph, &parameters, &Control::new()).unwrap();
        for (found, expected) in result.ranks.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found}, {expected}");
        }
    }
}

#[test]
fn small_graphs() {
    let control = Control::new();
    let run = |graph: &Csr| eigenvector::run(graph, &Default::default(), &control).unwrap();
    // A cycle is the same everywhere; the middle of a star is worth the root of 4.
    let cycle = Csr::from_edges(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], StoredLists::Both);
    assert_eq!(run(&cycle).scores, [0.5; 4]);
    assert_eq!(run(&cycle).iterations, 1);
    let star = Csr::from_edges(
        5,
        &[(0, 1), (0, 2), (0, 3), (0, 4)],
        StoredLists::Undirected,
    );
    let scores = run(&star).scores;
    assert!((scores[0] - 0.5_f64.sqrt()).abs() < 1e-5, "{scores:?}");
    assert!((scores[0] / scores[1] - 2.0).abs() < 1e-5, "{scores:?}");

    // x = 0.1 x' + 1 along a path of two: 1 and 1.1; a loop: 1 / 0.9; two: 1 / 0.8.
    let raw = katz::Parameters {
        normalized: false,
        tolerance: 1e-14,
        ..Default::default()
    };
    let loops = [(0, 1), (2, 2), (3, 3), (3, 3)];
    for direction in [StoredLists::Out, StoredLists::Both] {
        let result = katz::run(&Csr::from_edges(4, &loops, direction), &raw, &control).unwrap();
        assert_scores(
            &result.scores,
            &[(0, 1.0), (1, 1.1), (2, 1.0 / 0.9), (3, 1.25)],
        );
    }
    // Twenty friends of all: alpha is above 1/19.
    let complete: Vec<_> = (0..20).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
    let complete = Csr::from_edges(20, &complete, StoredLists::Undirected);
    let result = katz::run(&complete, &Default::default(), &control).unwrap();
    assert!(!result.converged && result.scores.iter().all(|x| x.is_finite()));
    katz::verify(&complete, &Default::default(), &result).unwrap();
    // Beyond all numbers, where the run ends before.
    let steep = katz::Parameters {
        alpha: 1e6,
        ..Default::default()
    };
    let result = katz::run(&complete, &steep, &control).unwrap();
    assert!(!result.converged && result.scores.iter().all(|x| x.is_finite()));
    katz::verify(&complete, &steep, &result).unwrap();

    // 0 leads to 1 and 2, 3 to 2 alone.
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(4, &[(0, 1), (0, 2), (3, 2)], direction);
        let result = hits::run(&graph, &Default::default(), &control).unwrap();
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        assert!(
            (result.hubs[0] / result.hubs[3] - golden).abs() < 1e-6,
            "{result:?}"
        );
        assert!((result.authorities[2] / result.authorities[1] - golden).abs() < 1e-6);
        assert_eq!((result.hubs[1], result.authorities[0]), (0.0, 0.0));
    }

    // The reader goes from 0 to 1 and is back: 1 has 0.85 of what 0 has.
    for direction in [StoredLists::Out, StoredLists::Both] {
        let graph = Csr::from_edges(3, &[(0, 1)], direction);
        let result = personalized_pagerank::run(&graph, &[(0, 7.0)], &TIGHT, &control).unwrap();
        assert_scores(
            &result.ranks,
            &[(0, 1.0 / 1.85), (1, 0.85 / 1.85), (2, 0.0)],
        );
        let local = LocalParameters {
            tolerance: 1e-12,
            ..LOCAL
        };
        let seeds = [(0, 7.0)];
        let near = personalized_pagerank::approximate(&graph, &seeds, &local, &control).unwrap();
        assert_scores(&near.ranks, &[(0, 1.0 / 1.85), (1, 0.85 / 1.85), (2, 0.0)]);
        assert_eq!(near.touched, 2);
    }
}

#[test]
fn isolated_seeds_keep_what_returns_to_them() {
    // 3 and 4 are isolated; what 0 has is that of a walk on the path 0, 1, 2.
    let control = Control::new();
    let graph = Csr::from_edges(5, &[(0, 1), (1, 2)], StoredLists::Undirected);
    for tolerance in [0.3, 1e-3] {
        let local = LocalParameters { tolerance, ..LOCAL };
        let alone = [(3, 1.0)];
        let near = personalized_pagerank::approximate(&graph, &alone, &local, &control).unwrap();
        assert_eq!(near.ranks, [0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!((near.missing, near.touched), (0.0, 1));

        let seeds = [(0, 2.0), (3, 1.0), (4, 1.0)];
        let near = personalized_pagerank::approximate(&graph, &seeds, &local, &control).unwrap();
        let expected = personalized_pagerank::reference(&graph, &seeds, local.damping, 300);
        for (v, degree) in (0..).zip([1.0, 2.0, 1.0, 0.0, 0.0]) {
            let missing = expected[v] - near.ranks[v];
            let allowed = -1e-12..=tolerance * degree + 1e-12;
            assert!(allowed.contains(&missing), "{v} lacks {missing}");
        }
    }
}

#[test]
fn no_vertices_and_no_edges() {
    let control = Control::new();
    for direction in DIRECTIONS {
        let empty = Csr::from_edges(0, &[], direction);
        let result = eigenvector::run(&empty, &Default::default(), &control).unwrap();
        assert_eq!((result.scores, result.converged), (Vec::new(), true));
        assert_eq!(katz::run(&empty, &KATZ, &control).unwrap().scores, []);
        assert_eq!(
            hits::run(&empty, &Default::default(), &control)
                .unwrap()
                .hubs,
            []
        );
        let graph = Csr::from_edges(3, &[], direction);
        check_all(&graph, 1);
        let result = hits::run(&graph, &Default::default(), &control).unwrap();
        assert_eq!(
            (result.hubs, result.authorities),
            (vec![0.0; 3], vec![0.0; 3])
        );
    }
}

#[test]
fn wrong_arguments_are_named() {
    let graph = Csr::from_edges(3, &[(0, 1)], StoredLists::Both);
    let control = Control::new();
    let seeded = |seeds: &[Seed]| {
        let error = personalized_pagerank::run(&graph, seeds, &FIVE, &control).unwrap_err();
        let local = personalized_pagerank::approximate(&graph, seeds, &LOCAL, &control);
        assert_eq!(local.unwrap_err().to_string(), error.to_string());
        error.to_string()
    };
    assert!(seeded(&[]).contains("sources"));
    assert!(seeded(&[(3, 1.0)]).contains("source vertex 3"));
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(seeded(&[(0, 1.0), (1, weight)]).contains("weights"));
    }
    for tolerance in [-1.0, f64::NAN] {
        let parameters = eigenvector::Parameters {
            tolerance,
            at_most: 1,
        };
        let error = eigenvector::run(&graph, &parameters, &control).unwrap_err();
        assert!(error.to_string().contains("tolerance"), "{error}");
        let local = LocalParameters { tolerance, ..LOCAL };
        let seeds = [(0, 1.0)];
        assert!(personalized_pagerank::approximate(&graph, &seeds, &local, &control).is_err());
    }
    for (alpha, beta) in [(-0.1, 1.0), (f64::NAN, 1.0), (0.1, 0.0), (0.1, f64::NAN)] {
        let parameters = katz::Parameters {
            alpha,
            beta,
            ..KATZ
        };
        assert!(katz::run(&graph, &parameters, &control).is_err());
    }
    // The largest that are allowed.
    let parameters = katz::Parameters {
        alpha: 1e6,
        beta: 1e6,
        ..KATZ
    };
    assert!(katz::run(&graph, &parameters, &control).is_ok());
}

#[test]
fn verifiers_find_wrong_results() {
    let graph = karate_club();
    let control = Control::new();
    let mut result = eigenvector::run(&graph, &Default::default(), &control).unwrap();
    result.scores.swap(0, 16);
    assert!(eigenvector::verify(&graph, &Default::default(), &result).is_err());
    let mut result = katz::run(&graph, &KATZ, &control).unwrap();
    result.scores[7] *= 1.01;
    assert_eq!(katz::verify(&graph, &KATZ, &result).unwrap_err().vertex, 7);
    let mut result = hits::run(&graph, &Default::default(), &control).unwrap();
    result.authorities[7] *= 1.01;
    assert_eq!(hits::verify(&graph, &result).unwrap_err().vertex, 7);
    let seeds = [(5, 1.0)];
    let mut result = personalized_pagerank::run(&graph, &seeds, &FIVE, &control).unwrap();
    result.ranks[7] *= 1.01;
    assert!(personalized_pagerank::verify(&graph, &seeds, &FIVE, &result).is_err());
    let near = personalized_pagerank::approximate(&graph, &seeds, &LOCAL, &control).unwrap();
    for wrong in [
        |near: &mut personalized_pagerank::Approximation| near.ranks[7] += 0.1,
        |near: &mut personalized_pagerank::Approximation| near.residues[7] += 0.1,
    ] {
        let mut near = near.clone();
        wrong(&mut near);
        assert!(
            personalized_pagerank::verify_approximation(&graph, &seeds, &LOCAL, &near).is_err()
        );
    }
}

#[test]
fn large_graphs_threads_and_hubs() {
    let star = (0..30_000).flat_map(|leaf| [(0, leaf + 2), (leaf / 2 + 2, 1)]);
    let star: Vec<_> = star.collect();
    for (n, edges) in [(1 << 12, kronecker(12, 16, 5)), (30_002, star)] {
        for direction in DIRECTIONS {
            let graph = Csr::from_edges(n, &edges, direction);
            with_threads(2, || check_all(&graph, edges[0].0));
            let whole = with_threads(1, || run_all(&graph, edges[0].0));
            let segmented = Segmented { graph, piece: 77 };
            let cut = with_threads(4, || run_all(&segmented, edges[0].0));
            assert!(whole == cut, "{direction:?}");
        }
    }
}

#[test]
fn runs_are_cancelled() {
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let control = Control::new().with_cancellation(&cancellation);
    let expected = RunError::Cancelled(Cancelled::Requested);
    for direction in DIRECTIONS {
        let graph = Csr::from_edges(1 << 10, &kronecker(10, 8, 1), direction);
        let seeds = [(0, 1.0)];
        let errors = [
            personalized_pagerank::run(&graph, &seeds, &FIVE, &control).unwrap_err(),
            personalized_pagerank::approximate(&graph, &seeds, &LOCAL, &control).unwrap_err(),
            eigenvector::run(&graph, &Default::default(), &control).unwrap_err(),
            katz::run(&graph, &KATZ, &control).unwrap_err(),
            hits::run(&graph, &Default::default(), &control).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| *error == expected));
    }
}

proptest! {
    #[test]
    fn results_are_verified_and_do_not_depend_on_segments(
        (n, edges) in edges(),
        source in any::<prop::sample::Index>(),
        piece in 1_usize..20,
    ) {
        let source = source.index(n) as VertexId;
        for direction in DIRECTIONS {
            let graph = Csr::from_edges(n, &edges, direction);
            check_all(&graph, source);
            let whole = run_all(&graph, source);
            let cut = run_all(&Segmented { graph, piece }, source);
            prop_assert!(whole == cut);
        }
    }
}
