//! Influence maximization and the sources of rumors.

use crate::common::karate::karate_club;
use crate::common::{Segmented, with_threads};
use evergraph_algorithms::influence_maximization::{
    self as influence, Method, Parameters, Probabilities, exact_spread, plain_greedy,
};
use evergraph_algorithms::rumor_sources::{self as rumor, Candidates, Objective};
use evergraph_algorithms::{Cancellation, Cancelled, Control, RunError};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId, Weight};
use proptest::prelude::*;

const IMM: Method = Method::Imm {
    epsilon: 0.2,
    sketch_bytes: 1 << 28,
};

const FEW: Parameters = Parameters {
    seeds: 3,
    probabilities: Probabilities::WeightedCascade,
    method: IMM,
    simulations: 200,
    seed: 4,
};

fn run(graph: &impl Graph, parameters: &Parameters) -> influence::Influence {
    let result = influence::run(graph, parameters, &Control::new()).unwrap();
    influence::verify(graph, parameters, &result).unwrap();
    result
}

fn vertices(result: &influence::Influence) -> Vec<VertexId> {
    result.seeds.iter().map(|&(v, _)| v).collect()
}

/// The largest exact spread of `k` vertices.
fn largest_spread(graph: &impl Graph, probabilities: Probabilities, k: usize) -> f64 {
    let n = graph.vertex_count();
    let sets = (0..1_u32 << n).filter(|set| set.count_ones() as usize == k);
    let members = |set: u32| (0..n as VertexId).filter(move |v| set >> v & 1 == 1);
    let spreads =
        sets.map(|set| exact_spread(graph, probabilities, &members(set).collect::<Vec<_>>()));
    spreads.fold(0.0, f64::max)
}

/// Up to 7 vertices and 9 edges, with probabilities.
fn tiny() -> impl Strategy<Value = (usize, Vec<(VertexId, VertexId, Weight)>)> {
    (2_usize..8).prop_flat_map(|n| {
        let end = 0..n as VertexId;
        let chance = prop::sample::select(vec![0.0_f32, 0.1, 0.3, 0.5, 0.9, 1.0]);
        let edges = prop::collection::vec((end.clone(), end, chance), 0..9);
        (Just(n), edges)
    })
}

const ALL: [Probabilities; 3] = [
    Probabilities::WeightedCascade,
    Probabilities::Weights,
    Probabilities::Uniform(0.4),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn spreads_are_within_the_bound_of_the_largest((n, edges) in tiny(), k in 1_usize..4, seed in 0_u64..100) {
        let graph = Csr::from_weighted_edges(n, &edges, StoredLists::Both);
        let k = k.min(n);
        for probabilities in ALL {
            let best = largest_spread(&graph, probabilities, k);
            for (method, epsilon) in [(Method::Greedy, 0.05), (IMM, 0.2)] {
                let parameters = Parameters { seeds: k, probabilities, method, simulations: 2000, seed };
                let result = run(&graph, &parameters);
                let exact = exact_spread(&graph, probabilities, &vertices(&result));
                let bound = (1.0 - (-1.0_f64).exp() - epsilon) * best;
                prop_assert!(exact >= bound, "{method:?}: {exact} of {best}");
                // Nearly always much better than the bound.
                prop_assert!(exact >= 0.85 * best, "{method:?}: {exact} of {best}");
                let found = result.spread;
                let allowed = 5.0 * found.standard_error + 0.01 * n as f64;
                prop_assert!((found.mean - exact).abs() <= allowed, "{found:?}, exactly {exact}");
                let added: f64 = result.seeds.iter().map(|&(_, spread)| spread).sum();
                prop_assert!((added - exact).abs() <= 0.2 * n as f64, "{added}, exactly {exact}");
            }
        }
    }

    #[test]
    fn lazy_greedy_is_greedy((n, edges) in crate::common::edges(), k in 1_usize..6, seed in 0_u64..100) {
        for direction in [StoredLists::Both, StoredLists::Undirected] {
            let graph = Csr::from_edges(n, &edges, direction);
            for probabilities in [Probabilities::WeightedCascade, Probabilities::Uniform(0.3)] {
                let parameters = Parameters {
                    seeds: k.min(n),
                    probabilities,
                    method: Method::Greedy,
                    simulations: 8,
                    seed,
                };
                let result = run(&graph, &parameters);
                prop_assert_eq!(result.seeds, plain_greedy(&graph, &parameters).unwrap());
            }
        }
    }

    #[test]
    fn threads_and_segments_do_not_change_seeds((n, edges) in crate::common::edges(), seed in 0_u64..100) {
        let graph = Csr::from_edges(n, &edges, StoredLists::Both);
        for method in [Method::Greedy, IMM] {
            let parameters = Parameters { seeds: 3.min(n), method, seed, simulations: 20, ..FEW };
            let result = run(&graph, &parameters);
            for threads in [1, 3] {
                let again = with_threads(threads, || run(&graph, &parameters));
                prop_assert_eq!(&result, &again);
            }
            let pieces = Segmented { graph: graph.clone(), piece: 3 };
            prop_assert_eq!(&result, &run(&pieces, &parameters));
        }
    }
}

#[test]
fn exact_spreads_are_those_worked_out_by_hand() {
    // 0 → 1 → 2 and 0 → 2, each by one half: 1 + 1/2 + (1 − 1/2 · 3/4).
    let edges = [(0, 1, 0.5), (1, 2, 0.5), (0, 2, 0.5)];
    let graph = Csr::from_weighted_edges(3, &edges, StoredLists::Both);
    let spread = |probabilities, seeds: &[VertexId]| exact_spread(&graph, probabilities, seeds);
    assert_eq!(spread(Probabilities::Weights, &[0]), 2.125);
    assert_eq!(spread(Probabilities::Weights, &[1, 2]), 2.0);
    // 1 has one in-edge, 2 has two.
    assert_eq!(spread(Probabilities::WeightedCascade, &[0]), 2.75);
    assert_eq!(spread(Probabilities::Uniform(1.0), &[0]), 3.0);
}

#[test]
fn certain_cascades_reach_what_is_connected() {
    let chain: Vec<(VertexId, VertexId)> = (0..40).map(|v| (v, v + 1)).collect();
    let graph = Csr::from_edges(60, &chain, StoredLists::Both);
    for method in [Method::Greedy, IMM] {
        let result = run(&graph, &Parameters { method, ..FEW });
        assert_eq!(result.seeds[0].0, 0, "{method:?}");
        assert_eq!(result.spread.mean, 43.0, "{method:?}");
        assert_eq!(result.spread.standard_error, 0.0);
    }
}

#[test]
fn sketches_find_seeds_as_good_as_greedys() {
    let edges = kronecker(10, 8, 3);
    for (probabilities, least) in [
        (Probabilities::WeightedCascade, 0.97),
        (Probabilities::Uniform(0.02), 0.97),
    ] {
        let graph = Csr::from_edges(1 << 10, &edges, StoredLists::Both);
        let parameters = Parameters {
            seeds: 10,
            probabilities,
            simulations: 400,
            ..FEW
        };
        let greedy = run(
            &graph,
            &Parameters {
                method: Method::Greedy,
                ..parameters
            },
        );
        let imm = run(&graph, &parameters);
        let ratio = imm.spread.mean / greedy.spread.mean;
        assert!((least..1.03).contains(&ratio), "{probabilities:?}: {ratio}");
        assert!(imm.sketches > 0 && greedy.sketches == 0);
    }
}

#[test]
fn all_vertices_can_be_seeds() {
    let graph = karate_club();
    for method in [Method::Greedy, IMM] {
        let result = run(
            &graph,
            &Parameters {
                seeds: 34,
                method,
                ..FEW
            },
        );
        assert_eq!(result.spread.mean, 34.0);
    }
    // Each with what it adds, the first as much as if it were alone.
    let gains = |method, seeds| {
        let given = Parameters {
            seeds,
            method,
            ..FEW
        };
        run(&graph, &given)
            .seeds
            .into_iter()
            .map(|seed| seed.1)
            .collect::<Vec<_>>()
    };
    let (greedy, imm) = (gains(Method::Greedy, 34), gains(IMM, 34));
    assert!(
        (imm[0] / greedy[0] - 1.0).abs() < 0.1,
        "{imm:?}, {greedy:?}"
    );
    assert!((imm.iter().sum::<f64>() - 34.0).abs() < 1e-9, "{imm:?}");
    let one = Csr::from_edges(1, &[(0, 0)], StoredLists::Both);
    for method in [Method::Greedy, IMM] {
        assert_eq!(
            run(
                &one,
                &Parameters {
                    seeds: 1,
                    method,
                    ..FEW
                }
            )
            .seeds,
            [(0, 1.0)]
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let edges = [(0, 1, 0.5), (1, 2, 1.5)];
    let graph = Csr::from_weighted_edges(3, &edges, StoredLists::Both);
    let refuse = |parameters| influence::run(&graph, &parameters, &Control::new()).unwrap_err();
    assert_eq!(
        refuse(Parameters {
            probabilities: Probabilities::Weights,
            ..FEW
        }),
        RunError::InvalidWeight {
            from: 1,
            to: 2,
            weight: 1.5,
            expected: "from 0 to 1, as probabilities are"
        }
    );
    assert_eq!(
        refuse(Parameters { seeds: 4, ..FEW }),
        RunError::TooFewVertices {
            what: "seeds",
            wanted: 4,
            available: 3
        }
    );
    let tight = Method::Imm {
        epsilon: 0.01,
        sketch_bytes: 1000,
    };
    for (parameters, named) in [
        (Parameters { seeds: 0, ..FEW }, "`seeds`"),
        (
            Parameters {
                simulations: 1,
                ..FEW
            },
            "`simulations`",
        ),
        (
            Parameters {
                probabilities: Probabilities::Uniform(1.1),
                ..FEW
            },
            "`probability`",
        ),
        (
            Parameters {
                probabilities: Probabilities::Uniform(f64::NAN),
                ..FEW
            },
            "`probability`",
        ),
        (
            Parameters {
                method: Method::Imm {
                    epsilon: 0.0,
                    sketch_bytes: 1,
                },
                ..FEW
            },
            "`epsilon`",
        ),
        (
            Parameters {
                method: tight,
                seeds: 2,
                ..FEW
            },
            "more than 1000 bytes",
        ),
    ] {
        let message = refuse(parameters).to_string();
        assert!(message.contains(named), "{message}");
    }
    let out = Csr::from_weighted_edges(3, &edges, StoredLists::Out);
    let error = influence::run(&out, &FEW, &Control::new());
    assert_eq!(error.unwrap_err(), RunError::NeedsInLists);
}

#[test]
fn memory_of_sketches_is_kept_to() {
    // Sets of half of the vertices each: as lists they would take 16 times as much.
    let chain: Vec<(VertexId, VertexId)> = (0..1999).map(|v| (v, v + 1)).collect();
    let graph = Csr::from_edges(2000, &chain, StoredLists::Both);
    let with = |sketch_bytes| {
        let method = Method::Imm {
            epsilon: 0.5,
            sketch_bytes,
        };
        influence::run(&graph, &Parameters { method, ..FEW }, &Control::new())
    };
    let sketches = with(1 << 20).unwrap().sketches;
    assert!(sketches > 200, "{sketches}");
    let error = with(100 * sketches).unwrap_err();
    assert!(matches!(error, RunError::TooManySketches { .. }), "{error}");
    // More than are counted with 32 bits, whatever they may take.
    let method = Method::Imm {
        epsilon: 1e-6,
        sketch_bytes: u64::MAX,
    };
    let error = influence::run(&graph, &Parameters { method, ..FEW }, &Control::new());
    assert!(matches!(error, Err(RunError::TooManySketches { wanted, .. }) if wanted >> 32 > 0));
}

#[test]
fn cascades_can_be_stopped() {
    let graph = Csr::from_edges(1 << 10, &kronecker(10, 8, 3), StoredLists::Both);
    let stopped = Cancellation::new();
    stopped.cancel();
    let control = Control::new().with_cancellation(&stopped);
    for method in [Method::Greedy, IMM] {
        let result = influence::run(&graph, &Parameters { method, ..FEW }, &control);
        assert_eq!(
            result.unwrap_err(),
            RunError::Cancelled(Cancelled::Requested)
        );
    }
}

const SUM: rumor::Parameters = rumor::Parameters {
    sources: 2,
    objective: Objective::Sum,
    candidates: Candidates::All,
    weighted: false,
    rounds: 10,
};

/// Cost of the distances from a set of sources, exactly: weights are whole. Vertices that
/// it does not lead to cost `none` each.
fn cost(
    graph: &Csr,
    infected: &[VertexId],
    given: &rumor::Parameters,
    (sources, none): (&[VertexId], u128),
) -> u128 {
    let costs = infected.iter().map(|&v| {
        let found = rumor::distances(graph, given.weighted, sources, &[v]);
        match found.unreached {
            0 => found.sum as u128,
            _ => none,
        }
    });
    match given.objective {
        Objective::Sum => costs.sum(),
        Objective::Maximum => costs.max().unwrap_or(0),
    }
}

/// The smallest cost of any `sources`.
fn smallest_cost(
    graph: &Csr,
    infected: &[VertexId],
    given: &rumor::Parameters,
    none: u128,
) -> u128 {
    let n = graph.vertex_count();
    let sets = (0..1_u32 << n).filter(|set| set.count_ones() as usize == given.sources);
    let allowed = |v: &VertexId| given.candidates == Candidates::All || infected.contains(v);
    let sets = sets.map(|set| {
        (0..n as VertexId)
            .filter(|v| set >> v & 1 == 1)
            .collect::<Vec<_>>()
    });
    let sets = sets.filter(|set| set.iter().all(allowed));
    let costs = sets.map(|set| cost(graph, infected, given, (&set, none)));
    costs.min().expect("as many candidates as sources")
}

fn find(
    graph: &impl Graph,
    infected: &[VertexId],
    given: &rumor::Parameters,
) -> rumor::RumorSources {
    let result = rumor::run(graph, infected, given, &Control::new()).unwrap();
    rumor::verify(graph, given, &result).unwrap();
    result
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sources_are_near_the_best((n, edges) in tiny(), k in 1_usize..4, infected in 1_u32..128, choice in 0_u8..16) {
        let mut edges: Vec<_> = edges.into_iter().map(|(u, v, w)| (u, v, (w * 10.0).round())).collect();
        if let (Some(first), 8..) = (edges.first_mut(), choice) {
            // Beside it the others are less than the last digit of 64 bits.
            first.2 = 2.0_f32.powi(70);
        }
        let graph = Csr::from_weighted_edges(n, &edges, StoredLists::Both);
        let mut infected: Vec<VertexId> = (0..n as VertexId).filter(|v| infected >> v & 1 == 1).collect();
        if infected.is_empty() {
            infected.push(0);
        }
        let pick = |bit: u8| choice >> bit & 1 == 1;
        let given = rumor::Parameters {
            sources: k.min(infected.len()),
            objective: if pick(0) { Objective::Sum } else { Objective::Maximum },
            candidates: if pick(1) { Candidates::All } else { Candidates::Infected },
            weighted: pick(2),
            rounds: u32::MAX,
        };
        let largest = edges.iter().map(|edge| f64::from(edge.2)).fold(0.0, f64::max);
        let longest = if given.weighted && largest > 0.0 { largest as u128 } else { 1 };
        let none = n as u128 * longest;
        let cost_of = |sources: &[VertexId]| cost(&graph, &infected, &given, (sources, none));
        let best = smallest_cost(&graph, &infected, &given, none);
        let result = find(&graph, &infected, &given);
        let all = rumor::distances(&graph, given.weighted, &result.sources, &infected);
        prop_assert_eq!(all.unreached, result.unreached());
        prop_assert_eq!((all.sum, all.maximum), (result.sum(), result.maximum()));
        let found = cost_of(&result.sources);
        if given.objective == Objective::Sum {
            let most = infected.len() as u128 * none;
            let bound = (1.0 - (-1.0_f64).exp()) * (most - best) as f64;
            prop_assert!((most - found) as f64 >= bound, "{found} of {best}");
        }
        if given.sources == 1 {
            prop_assert_eq!(found, best);
        }
        // The largest distance of the smallest sum is where the other objective begins.
        let of_sum = rumor::Parameters { objective: Objective::Sum, ..given };
        let sources = find(&graph, &infected, &of_sum).sources;
        prop_assert!(found <= cost_of(&sources));
        // No single swap makes the sum smaller.
        let sum_of = |sources: &[VertexId]| cost(&graph, &infected, &of_sum, (sources, none));
        let found = sum_of(&sources);
        for number in 0..sources.len() {
            for v in 0..n as VertexId {
                let allowed = given.candidates == Candidates::All || infected.contains(&v);
                if allowed && !sources.contains(&v) {
                    let mut swapped = sources.clone();
                    swapped[number] = v;
                    let other = sum_of(&swapped);
                    prop_assert!(found <= other, "{found}, but {swapped:?} have {other}");
                }
            }
        }
    }

    #[test]
    fn threads_and_segments_do_not_change_sources((n, edges) in crate::common::edges(), k in 1_usize..4) {
        let weigh = |&(u, v): &(VertexId, VertexId)| (u, v, ((u + v) % 7) as Weight);
        let weighted: Vec<_> = edges.iter().map(weigh).collect();
        let graph = Csr::from_weighted_edges(n, &weighted, StoredLists::Both);
        let infected: Vec<VertexId> = (0..n as VertexId).step_by(3).collect();
        for objective in [Objective::Sum, Objective::Maximum] {
            for weighted in [false, true] {
                let given = rumor::Parameters { sources: k.min(n), objective, weighted, ..SUM };
                let result = find(&graph, &infected, &given);
                let again = with_threads(3, || find(&graph, &infected, &given));
                prop_assert_eq!(&result, &again);
                let pieces = Segmented { graph: graph.clone(), piece: 2 };
                prop_assert_eq!(&result, &find(&pieces, &infected, &given));
            }
        }
    }
}

#[test]
fn a_heavy_edge_does_not_hide_light_ones() {
    // Beside 10^20 or more, 100 is below the last digit of 64 bits.
    for heavy in [1e20, Weight::MAX] {
        let edges = [(0, 1, 100.0), (1, 0, 5000.0), (2, 3, heavy)];
        let graph = Csr::from_weighted_edges(4, &edges, StoredLists::Both);
        for candidates in [Candidates::All, Candidates::Infected] {
            let given = rumor::Parameters {
                sources: 1,
                candidates,
                weighted: true,
                ..SUM
            };
            let result = find(&graph, &[1, 3], &given);
            assert_eq!((result.sources.clone(), result.sum()), (vec![1], 0.0));
            // Both ends of the light edges have it: 5000 back are more than 100 there.
            let result = find(&graph, &[0, 1, 3], &given);
            assert_eq!((result.sources.clone(), result.sum()), (vec![0], 100.0));
        }
        let given = rumor::Parameters {
            objective: Objective::Maximum,
            weighted: true,
            ..SUM
        };
        let result = find(&graph, &[0, 1, 3], &given);
        assert_eq!(
            (result.sources.clone(), result.maximum()),
            (vec![0, 3], 100.0)
        );
    }
}

#[test]
fn a_path_is_split_in_the_middle() {
    let path: Vec<(VertexId, VertexId)> = (0..9).map(|v| (v, v + 1)).collect();
    let graph = Csr::from_edges(10, &path, StoredLists::Undirected);
    let infected: Vec<VertexId> = (0..10).collect();
    for (objective, sum, maximum) in [(Objective::Sum, 12.0, 2.0), (Objective::Maximum, 12.0, 2.0)]
    {
        let result = find(&graph, &infected, &rumor::Parameters { objective, ..SUM });
        let mut sources = result.sources.clone();
        sources.sort_unstable();
        assert_eq!(sources, [2, 7], "{objective:?}");
        assert_eq!((result.sum(), result.maximum()), (sum, maximum));
        assert_eq!(result.nearest, [[sources[0]; 5], [sources[1]; 5]].concat());
    }
}

#[test]
fn swaps_that_led_to_nothing_do_not_count() {
    // Within one hop of two of three infected vertices, but farther from the third.
    let path: Vec<(VertexId, VertexId)> = (0..4).map(|v| (v, v + 1)).collect();
    let graph = Csr::from_edges(5, &path, StoredLists::Undirected);
    let given = rumor::Parameters {
        sources: 1,
        objective: Objective::Maximum,
        ..SUM
    };
    let result = find(&graph, &[0, 2, 4], &given);
    assert_eq!((result.sources, result.swaps), (vec![2], 0));
}

#[test]
fn rumors_spread_along_edges() {
    // 0 leads to all, no vertex to 0.
    let graph = Csr::from_edges(4, &[(0, 1), (1, 2), (2, 3)], StoredLists::Both);
    let one = rumor::Parameters { sources: 1, ..SUM };
    let result = find(&graph, &[3, 1, 2, 3], &one);
    assert_eq!((result.sources, result.infected), (vec![1], vec![1, 2, 3]));
    assert_eq!(result.distances, [0.0, 1.0, 2.0]);
    // A vertex that no source reaches counts, but has no distance.
    let result = find(
        &graph,
        &[0, 3],
        &rumor::Parameters {
            candidates: Candidates::Infected,
            ..one
        },
    );
    assert_eq!(
        (result.sources.clone(), result.unreached(), result.sum()),
        (vec![0], 0, 3.0)
    );
    let graph = Csr::from_edges(4, &[(1, 2), (2, 3)], StoredLists::Both);
    let result = find(&graph, &[0, 1, 2, 3], &one);
    assert_eq!(
        (result.sources.clone(), result.unreached(), result.sum()),
        (vec![1], 1, 3.0)
    );
}

#[test]
fn sources_that_cannot_be_are_refused() {
    let edges = [(0, 1, 0.5), (1, 2, -1.5)];
    let graph = Csr::from_weighted_edges(3, &edges, StoredLists::Both);
    let refuse = |infected: &[VertexId], given| {
        let error = rumor::run(&graph, infected, &given, &Control::new());
        error.unwrap_err().to_string()
    };
    let weighted = rumor::Parameters {
        weighted: true,
        ..SUM
    };
    for (infected, given, named) in [
        (
            &[0_u32, 1][..],
            weighted,
            "the edge from 1 to 2 has weight -1.5",
        ),
        (&[], SUM, "`infected`"),
        (&[3], SUM, "source vertex 3"),
        (&[0], rumor::Parameters { sources: 0, ..SUM }, "`sources`"),
        (
            &[0],
            rumor::Parameters { sources: 4, ..SUM },
            "only 3 vertices",
        ),
        (
            &[0],
            rumor::Parameters {
                candidates: Candidates::Infected,
                ..SUM
            },
            "only 1 vertices",
        ),
    ] {
        let message = refuse(infected, given);
        assert!(message.contains(named), "{message}");
    }
    let out = Csr::from_weighted_edges(3, &edges, StoredLists::Out);
    let error = rumor::run(&out, &[0], &SUM, &Control::new());
    assert_eq!(error.unwrap_err(), RunError::NeedsInLists);
    let stopped = Cancellation::new();
    stopped.cancel();
    let control = Control::new().with_cancellation(&stopped);
    let error = rumor::run(&graph, &[0, 2], &SUM, &control);
    assert_eq!(
        error.unwrap_err(),
        RunError::Cancelled(Cancelled::Requested)
    );
}
