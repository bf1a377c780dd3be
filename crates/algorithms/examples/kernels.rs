//! Times the four kernels on the plain in-memory graph of a Kronecker edge list,
//! prepared as the GAP Benchmark Suite prepares it (symmetric, simple, sorted).
//!
//! `cargo run --release --example kernels -- [SCALE] [THREADS] [TRIALS] [KERNELS] [verify]`
//! (20, 1, 9, all; `pr,bfs` for some). Prints the median and minimum of
//! the times and the mean processor time (all threads; Linux only), which other
//! load on the machine disturbs less.

use std::time::Instant;

use evergraph_algorithms::pagerank::{self, Iterations, Precision};
use evergraph_algorithms::{Control, betweenness, bfs, connected_components};
use evergraph_graph::generate::kronecker;
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, Direction, Graph, VertexId};

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
    let graph = Csr::from_edges(1 << scale, &edges, Direction::Undirected);
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
        .install(|| time_kernels(&graph, trials, wanted, verify));
}

fn time_kernels(graph: &Csr, trials: usize, wanted: &str, verify: bool) {
    let wants = |name: &str| wanted == "all" || wanted.split(',').any(|part| part == name);
    let control = Control::new();
    let sources = sources(graph, trials);
    println!(
        "{:<28} {:>9} {:>9} {:>9}",
        "kernel", "median ms", "min ms", "CPU ms"
    );
    if wants("pr") {
        for precision in [Precision::Single, Precision::Double] {
            let parameters = pagerank::Parameters {
                iterations: Iterations::Fixed(20),
                precision,
                ..Default::default()
            };
            let name = format!("pagerank, 20 it., {precision:?}");
            let result = time(&name, trials, |_| {
                pagerank::run(graph, &parameters, &control).expect("runs")
            });
            if verify {
                pagerank::verify(graph, &parameters, &result).expect("verifies");
            }
        }
    }
    if wants("bfs") {
        let result = time("bfs", trials, |trial| {
            bfs::run(graph, sources[trial], &control).expect("runs")
        });
        if verify {
            bfs::verify(graph, &result).expect("verifies");
        }
    }
    if wants("cc") {
        let result = time("connected components", trials, |_| {
            connected_components::run(graph, &control).expect("runs")
        });
        if verify {
            connected_components::verify(graph, &result).expect("verifies");
        }
    }
    if wants("bc") {
        let none = betweenness::Normalization::None;
        let result = time("betweenness, one source", trials, |trial| {
            betweenness::run(graph, &sources[trial..=trial], none, &control).expect("runs")
        });
        if verify {
            let last = &sources[trials - 1..];
            betweenness::verify(graph, last, none, &result).expect("verifies");
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

/// Runs `trials` times, prints the times, returns the last result.
fn time<T>(name: &str, trials: usize, mut run: impl FnMut(usize) -> T) -> T {
    let mut times = Vec::new();
    let mut last = None;
    let cpu_before = cpu_ms();
    for trial in 0..trials {
        let began = Instant::now();
        let result = run(trial);
        times.push(began.elapsed().as_secs_f64() * 1e3);
        last = Some(result);
    }
    times.sort_by(f64::total_cmp);
    let cpu = (cpu_ms() - cpu_before) / trials as f64;
    println!(
        "{name:<28} {:>9.1} {:>9.1} {cpu:>9.1}",
        times[trials / 2],
        times[0]
    );
    last.expect("at least one trial")
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
