//! Times kernels on the plain in-memory graph of a Kronecker edge list, prepared
//! as the GAP Benchmark Suite prepares it (symmetric, simple, sorted).
//!
//! `cargo run --release --example kernels -- [SCALE] [THREADS] [TRIALS] [KERNELS] [verify]`
//! (20, 1, 9, all; `pr,bfs` for some). Prints the median and minimum of
//! the times and the mean processor time (all threads; Linux only), which other
//! load on the machine disturbs less.

use std::cell::OnceCell;
use std::fmt::Debug;
use std::time::Instant;

use evergraph_algorithms::betweenness::Normalization;
use evergraph_algorithms::k_core::Bucketing;
use evergraph_algorithms::pagerank::{Iterations, Precision};
use evergraph_algorithms::similarity::Measure;
use evergraph_algorithms::triangle_count::Detail;
use evergraph_algorithms::widest_path::Method;
use evergraph_algorithms::{
    Control, bellman_ford, betweenness, bfs, biconnectivity, closeness, coloring,
    connected_components, delta_stepping, densest_subgraph, eigenvector, hits, k_core, k_truss,
    katz, label_propagation, leiden, local_clustering, louvain, low_diameter_decomposition,
    maximal_independent_set, maximal_matching, minimum_spanning_forest, pagerank,
    personalized_pagerank, random_walks, set_cover, similarity, spanner, spanning_forest,
    strongly_connected_components, topological_order, triangle_count, weighted_bfs, widest_path,
};
use evergraph_generators::{edge_weight, kronecker};
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId, Weight};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| {
        arguments
            .get(at)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let (scale, threads, trials) = (number(0, 20), number(1, 1), number(2, 9));
    let wanted = arguments.get(3).map_or("all", String::as_str);
    let verify = arguments.iter().any(|argument| argument == "verify");

    let began = Instant::now();
    let edges = kronecker(scale as u32, 16, 27);
    let generated = began.elapsed();
    let began = Instant::now();
    let graph = Csr::from_edges(1 << scale, &edges, StoredLists::Undirected);
    let built = began.elapsed();
    let began = Instant::now();
    let graph = graph.simple();
    println!(
        "kronecker scale {scale}: {} vertices, {} arcs; generated in {generated:.2?}, \
         built in {built:.2?}, simplified in {:.2?}; {threads} threads",
        graph.vertex_count(),
        graph.arc_count(),
        began.elapsed()
    );
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a thread pool")
        .install(|| {
            println!(
                "{:<28} {:>9} {:>9} {:>9}",
                "kernel", "median ms", "min ms", "CPU ms"
            );
            let timing = Timing {
                sources: sources(&graph, trials),
                graph: &graph,
                weighted: OnceCell::new(),
                directed: OnceCell::new(),
                control: Control::new(),
                trials,
                verify,
            };
            let wants = |name: &str| wanted == "all" || wanted.split(',').any(|part| part == name);
            for (name, time) in PROBLEMS {
                if wants(name) {
                    time(&timing);
                }
            }
        });
}

/// A problem: its name in `PROBLEMS`, and its timed runs.
type Problem = (&'static str, fn(&Timing));

/// One line a problem. Each calls [`Timing::of`] with a run and a verifier.
const PROBLEMS: &[Problem] = &[
    ("bc", |t| {
        let run = |trial: usize| betweenness::run(t.graph, t.sources_of(trial), NONE, &t.control);
        let verify =
            |found: &_| betweenness::verify(t.graph, t.sources_of(t.trials - 1), NONE, found);
        t.of("betweenness, one source", run, verify);
    }),
    ("bellman-ford", |t| {
        let graph = t.weighted();
        let run = |trial: usize| bellman_ford::run(graph, t.sources[trial], false, &t.control);
        t.of("bellman-ford", run, |found| {
            bellman_ford::verify(graph, found)
        });
    }),
    ("bfs", |t| {
        let run = |trial: usize| bfs::run(t.graph, t.sources[trial], &t.control);
        t.of("bfs", run, |found| bfs::verify(t.graph, found));
    }),
    ("bicc", |t| {
        let run = |_| biconnectivity::run(t.graph, &t.control);
        t.of("biconnectivity", run, |found| {
            biconnectivity::verify(t.graph, found)
        });
    }),
    ("cc", |t| {
        let run = |_| connected_components::run(t.graph, &t.control);
        t.of("connected components", run, |found| {
            connected_components::verify(t.graph, found)
        });
    }),
    ("cdlp", |t| {
        let parameters = label_propagation::Parameters::default();
        let run = |_| label_propagation::run(t.graph, &parameters, &t.control);
        t.of("label propagation, 10 it.", run, |found| {
            label_propagation::verify(t.graph, &parameters, found)
        });
    }),
    ("closeness", |t| {
        let parameters = closeness::Parameters {
            samples: Some(256),
            ..Default::default()
        };
        let run = |_| closeness::run(t.graph, &parameters, &t.control);
        t.of("closeness, 256 sources", run, |found| {
            closeness::verify(t.graph, &parameters, found)
        });
    }),
    ("coloring", |t| {
        let run = |_| coloring::run(t.graph, 27, &t.control);
        t.of("coloring", run, |found| {
            coloring::verify(t.graph, 27, found)
        });
    }),
    ("delta", |t| {
        let graph = t.weighted();
        let parameters = delta_stepping::Parameters::default();
        let run =
            |trial: usize| delta_stepping::run(graph, t.sources[trial], &parameters, &t.control);
        t.of("delta-stepping", run, |found| {
            delta_stepping::verify(graph, found)
        });
    }),
    ("densest", |t| {
        let parameters = densest_subgraph::Parameters::default();
        let run = |_| densest_subgraph::run(t.graph, &parameters, &t.control);
        t.of("densest subgraph", run, |found| {
            densest_subgraph::verify(t.graph, &parameters, found)
        });
    }),
    ("eigenvector", |t| {
        let parameters = Default::default();
        let run = |_| eigenvector::run(t.graph, &parameters, &t.control);
        t.of("eigenvector", run, |found| {
            eigenvector::verify(t.graph, &parameters, found)
        });
    }),
    ("hits", |t| {
        let run = |_| hits::run(t.graph, &Default::default(), &t.control);
        t.of("hits", run, |found| hits::verify(t.graph, found));
    }),
    ("katz", |t| {
        let parameters = katz::Parameters {
            alpha: 1e-4,
            ..Default::default()
        };
        let run = |_| katz::run(t.graph, &parameters, &t.control);
        t.of("katz", run, |found| {
            katz::verify(t.graph, &parameters, found)
        });
    }),
    ("kcore", |t| {
        for bucketing in [Bucketing::Open, Bucketing::SemiEager] {
            let parameters = k_core::Parameters { bucketing };
            let run = |_| k_core::run(t.graph, &parameters, &t.control);
            t.of(&format!("k-core, {bucketing:?}"), run, |found| {
                k_core::verify(t.graph, found)
            });
        }
    }),
    ("lcc", |t| {
        let run = |_| local_clustering::run(t.graph, &t.control);
        t.of("local clustering", run, |found| {
            local_clustering::verify(t.graph, found)
        });
    }),
    ("ldd", |t| {
        let parameters = low_diameter_decomposition::Parameters::default();
        let run = |_| low_diameter_decomposition::run(t.graph, &parameters, &t.control);
        t.of("low-diameter decomposition", run, |found| {
            low_diameter_decomposition::verify(t.graph, &parameters, found)
        });
    }),
    ("leiden", |t| {
        let parameters = Default::default();
        let run = |_| leiden::run(t.graph, &parameters, &t.control);
        t.of("leiden, 2 it.", run, |found| {
            leiden::verify(t.graph, &parameters, found)
        });
    }),
    ("louvain", |t| {
        let parameters = Default::default();
        let run = |_| louvain::run(t.graph, &parameters, &t.control);
        t.of("louvain", run, |found| {
            louvain::verify(t.graph, &parameters, found)
        });
    }),
    ("matching", |t| {
        let parameters = maximal_matching::Parameters::default();
        let run = |_| maximal_matching::run(t.graph, &parameters, &t.control);
        t.of("maximal matching", run, |found| {
            maximal_matching::verify(t.graph, &parameters, found)
        });
    }),
    ("mis", |t| {
        let run = |_| maximal_independent_set::run(t.graph, 27, &t.control);
        t.of("maximal independent set", run, |found| {
            maximal_independent_set::verify(t.graph, 27, found)
        });
    }),
    ("msf", |t| {
        let graph = t.weighted();
        let run = |_| minimum_spanning_forest::run(graph, &t.control);
        t.of("minimum spanning forest", run, |found| {
            minimum_spanning_forest::verify(graph, found)
        });
    }),
    ("ppr", |t| {
        let parameters = Default::default();
        let seeds = [(t.sources[0], 1.0)];
        let run = |_| personalized_pagerank::run(t.graph, &seeds, &parameters, &t.control);
        t.of("personalized pagerank", run, |found| {
            personalized_pagerank::verify(t.graph, &seeds, &parameters, found)
        });
        let local = Default::default();
        let run = |_| personalized_pagerank::approximate(t.graph, &seeds, &local, &t.control);
        t.of("personalized, local", run, |found| {
            personalized_pagerank::verify_approximation(t.graph, &seeds, &local, found)
        });
    }),
    ("pr", |t| {
        for precision in [Precision::Single, Precision::Double] {
            let parameters = pagerank::Parameters {
                iterations: Iterations::Fixed(20),
                precision,
                ..Default::default()
            };
            let name = format!("pagerank, 20 it., {precision:?}");
            let run = |_| pagerank::run(t.graph, &parameters, &t.control);
            t.of(&name, run, |found| {
                pagerank::verify(t.graph, &parameters, found)
            });
        }
    }),
    ("scc", |t| {
        let graph = t.directed();
        let run = |_| strongly_connected_components::run(graph, &t.control);
        t.of("strongly connected components", run, |found| {
            strongly_connected_components::verify(graph, found)
        });
    }),
    ("setcover", |t| {
        let parameters = set_cover::Parameters::default();
        let run = |_| set_cover::run(t.graph, &parameters, &t.control);
        t.of("set cover", run, |found| {
            set_cover::verify(t.graph, &parameters, found)
        });
    }),
    ("sf", |t| {
        let run = |_| spanning_forest::run(t.graph, &t.control);
        t.of("spanning forest", run, |found| {
            spanning_forest::verify(t.graph, found)
        });
    }),
    ("similarity", |t| {
        let mut random = Random::new(5);
        let n = t.graph.vertex_count() as u64;
        let mut any = || random.below(n) as VertexId;
        let pairs: Vec<_> = (0..1_000_000).map(|_| (any(), any())).collect();
        let run = |_| similarity::run(t.graph, &pairs, Measure::Jaccard, &t.control);
        t.of("similarity, 1M pairs", run, |found| {
            similarity::verify(t.graph, &pairs, Measure::Jaccard, found)
        });
        let run = |trial: usize| {
            similarity::top(t.graph, t.sources[trial], 100, Measure::Jaccard, &t.control)
        };
        t.of("similarity, top 100", run, |_| Ok::<_, ()>(()));
    }),
    ("spanner", |t| {
        let parameters = spanner::Parameters::default();
        let run = |_| spanner::run(t.graph, &parameters, &t.control);
        t.of("spanner", run, |found| spanner::verify(t.graph, found));
    }),
    ("tc", |t| {
        for detail in [Detail::Total, Detail::Vertices] {
            let name = format!("triangle count, {detail:?}");
            let run = |_| triangle_count::run(t.graph, detail, &t.control);
            t.of(&name, run, |found| triangle_count::verify(t.graph, found));
        }
    }),
    ("topo", |t| {
        let graph = t.directed();
        let run = |_| topological_order::run(graph, &t.control);
        t.of("cycle detection", run, |found| {
            topological_order::verify(graph, found)
        });
    }),
    ("truss", |t| {
        let run = |_| k_truss::run(t.graph, &t.control);
        t.of("k-truss", run, |found| k_truss::verify(t.graph, found));
    }),
    ("walks", |t| {
        let parameters = random_walks::Parameters {
            length: 10,
            ..Default::default()
        };
        let run = |_| random_walks::run(t.graph, &parameters, &t.control);
        t.of("random walks, 10 steps", run, |found| {
            random_walks::verify(t.graph, &parameters, found)
        });
    }),
    ("wbfs", |t| {
        let graph = t.weighted();
        let run = |trial: usize| weighted_bfs::run(graph, t.sources[trial], false, &t.control);
        t.of("weighted bfs", run, |found| {
            weighted_bfs::verify(graph, found)
        });
    }),
    ("widest", |t| {
        let graph = t.weighted();
        for method in [Method::Buckets, Method::BellmanFord] {
            let run = |trial: usize| widest_path::run(graph, t.sources[trial], method, &t.control);
            t.of(&format!("widest path, {method:?}"), run, |found| {
                widest_path::verify(graph, found)
            });
        }
    }),
];

const NONE: Normalization = Normalization::None;

/// Input of a timed run.
struct Timing<'a> {
    graph: &'a Csr,
    weighted: OnceCell<Csr>,
    directed: OnceCell<Csr>,
    /// One for each trial.
    sources: Vec<VertexId>,
    control: Control<'static>,
    trials: usize,
    verify: bool,
}

impl Timing<'_> {
    /// The same edges as generated, each in its direction, with in-lists.
    fn directed(&self) -> &Csr {
        self.directed.get_or_init(|| {
            let n = self.graph.vertex_count();
            let edges = kronecker(n.ilog2(), 16, 27);
            Csr::from_edges(n, &edges, StoredLists::Both).simple()
        })
    }

    /// The same graph with whole weights from 1 to log2 n, built when it is first
    /// asked for.
    fn weighted(&self) -> &Csr {
        self.weighted.get_or_init(|| {
            let n = self.graph.vertex_count();
            let heaviest = n.max(2).ilog2();
            let edges: Vec<(VertexId, VertexId, Weight)> = (0..n as VertexId)
                .flat_map(|u| self.graph.neighbors(u).iter().map(move |&v| (u, v)))
                .filter(|(u, v)| u < v)
                .map(|(u, v)| (u, v, edge_weight(u, v, heaviest)))
                .collect();
            Csr::from_weighted_edges(n, &edges, StoredLists::Undirected).simple()
        })
    }

    fn sources_of(&self, trial: usize) -> &[VertexId] {
        &self.sources[trial..=trial]
    }

    /// Runs as often as wanted, prints the times, verifies the last result.
    fn of<T, E: Debug, F: Debug>(
        &self,
        name: &str,
        mut run: impl FnMut(usize) -> Result<T, E>,
        verify: impl FnOnce(&T) -> Result<(), F>,
    ) {
        let mut times = Vec::new();
        let mut last = None;
        let cpu_before = cpu_ms();
        for trial in 0..self.trials {
            let began = Instant::now();
            let result = run(trial).expect("runs");
            times.push(began.elapsed().as_secs_f64() * 1e3);
            last = Some(result);
        }
        times.sort_by(f64::total_cmp);
        let cpu = (cpu_ms() - cpu_before) / self.trials as f64;
        println!(
            "{name:<28} {:>9.1} {:>9.1} {cpu:>9.1}",
            times[self.trials / 2],
            times[0]
        );
        if self.verify {
            verify(&last.expect("at least one trial")).expect("verifies");
        }
    }
}

/// Random vertices that have neighbors.
fn sources(graph: &Csr, count: usize) -> Vec<VertexId> {
    let mut random = Random::new(27);
    std::iter::repeat_with(|| random.below(graph.vertex_count() as u64) as VertexId)
        .filter(|&v| !graph.neighbors(v).is_empty())
        .take(count)
        .collect()
}

/// Processor time of all threads so far, to 10 ms; not a number where there is
/// no `/proc`.
fn cpu_ms() -> f64 {
    let ticks = || {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // After the name in parentheses, user and system time are the 12th and 13th.
        let fields = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2);
        fields
            .map(|field| field.parse::<f64>().ok())
            .sum::<Option<f64>>()
    };
    ticks().map_or(f64::NAN, |ticks| ticks * 10.0)
}
