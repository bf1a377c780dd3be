//! Shortest and widest paths from a source, and clusters and edges that keep
//! distances short.

use evergraph_algorithms::low_diameter_decomposition as clusters;
use evergraph_algorithms::shortest_paths::ShortestPaths;
use evergraph_algorithms::widest_path::{self as widest, Method};
use evergraph_algorithms::{
    bellman_ford as rounds, delta_stepping as bins, spanner as spanning, weighted_bfs as whole,
};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Size, Weights};
use super::given::Given;
use super::parameters::{Kind, Parameter, SEED, SOURCE, SPEC, TARGET};
use super::routes::Route;
use super::stream;
use super::{Computed, Context, Fact, Measured, Values};
use crate::Error;

/// Distances, or the tree that they lead through.
const OUTPUT: Parameter = Parameter {
    name: "output",
    default: "distance",
    meaning: "what an output file holds for each vertex",
    kind: Kind::Choice(&["distance", "parents"]),
};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "weighted-bfs",
        columns: stream::DISTANCES,
        aliases: &["wbfs"],
        computes: "the shortest paths from a source, for whole weights",
        value: "the distance, or the parent",
        parameters: &[SOURCE, TARGET, OUTPUT],
        needs: Needs::OutLists,
        weights: Weights::Used,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(m + max distance) work, O(max distance · log n) depth",
        source: "Dhulipala, Blelloch and Shun, \"Julienne\", SPAA 2017; Dhulipala et al., \
                 \"Sage\", VLDB 2020",
        run: kernel!(weighted_bfs),
    },
    Algorithm {
        name: "delta-stepping",
        columns: stream::DISTANCES,
        aliases: &["sssp", "shortest-paths", "shortest-path", "dijkstra"],
        computes: "the shortest paths from a source, for weights that are not negative",
        value: "the distance, or the parent",
        parameters: &[
            SOURCE,
            TARGET,
            OUTPUT,
            Parameter {
                name: "delta",
                default: "chosen from weights and degrees",
                meaning: "width of a bin of distances; changes the time alone",
                kind: Kind::Real(f64::MIN_POSITIVE, f64::INFINITY),
            },
            SPEC,
        ],
        needs: Needs::OutLists,
        weights: Weights::Used,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(m) work and what is expanded again, O(max distance / delta · longest path in \
                a bin · log n) depth",
        source: "Meyer and Sanders, \"Δ-stepping: a parallelizable shortest path algorithm\", \
                 2003",
        run: kernel!(delta_stepping),
    },
    Algorithm {
        name: "bellman-ford",
        columns: stream::DISTANCES,
        aliases: &[],
        computes: "the shortest paths from a source, for weights of any sign; minus infinity for \
                   what a negative cycle reaches",
        value: "the distance, or the parent",
        parameters: &[SOURCE, TARGET, OUTPUT],
        needs: Needs::OutLists,
        weights: Weights::Used,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(nm) work at most, O(m) and what is expanded again on usual graphs, O(n log n) \
                depth",
        source: "Bellman, 1958; Ford, 1956; Cherkassky and Goldberg, \"Negative-cycle detection \
                 algorithms\", 1999",
        run: kernel!(bellman_ford),
    },
    Algorithm {
        name: "widest-path",
        columns: &[stream::NODE, stream::number("width")],
        aliases: &["widest"],
        computes: "the widest paths from a source, a path being as wide as its lightest edge is \
                   heavy",
        value: "the width",
        parameters: &[
            SOURCE,
            TARGET,
            Parameter {
                name: "method",
                default: "buckets",
                meaning: "whether widths are settled in their order, or round by round",
                kind: Kind::Choice(&["buckets", "bellman-ford"]),
            },
        ],
        needs: Needs::OutLists,
        weights: Weights::Used,
        dram: Dram::words(6.0),
        determinism: Determinism::Always,
        bound: "O(m) work with buckets, O(distinct widths · log n) depth; O(nm) and O(n log n) \
                without",
        source: "Dhulipala, Blelloch and Shun, \"Julienne\", SPAA 2017; Dhulipala et al., \
                 \"Sage\", VLDB 2020",
        run: kernel!(widest_path),
    },
    Algorithm {
        name: "low-diameter-decomposition",
        columns: &[stream::NODE, stream::group("clusterId")],
        aliases: &["ldd"],
        computes: "clusters of diameter O(log n / beta) with O(beta m) edges between them",
        value: "the center of its cluster",
        parameters: &[
            Parameter {
                name: "beta",
                default: "0.2",
                meaning: "the larger, the smaller are clusters, and the more edges are cut",
                kind: Kind::Real(0.0001, 1.0),
            },
            SEED,
        ],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(5.0),
        determinism: Determinism::ForSeed,
        bound: "O(m) work, O(log² n / beta) depth",
        source: "Miller, Peng and Xu, \"Parallel Graph Decompositions Using Random Shifts\", \
                 SPAA 2013",
        run: kernel!(low_diameter_decomposition),
    },
    Algorithm {
        name: "spanner",
        columns: stream::EDGES,
        aliases: &[],
        computes: "few of the edges, among which distances are at most O(k) times what they were",
        value: "an edge of the spanner a line",
        parameters: &[
            Parameter {
                name: "k",
                default: "log2 of the number of vertices, rounded up",
                meaning: "the larger, the fewer edges, and the longer distances",
                kind: Kind::Whole(1, 1_000_000),
            },
            SEED,
        ],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(5.0).and("3 words an edge of the spanner", spanner_bytes),
        determinism: Determinism::ForSeed,
        bound: "O(m) work, O(k log n) depth",
        source: "Miller, Peng, Vladu and Xu, \"Improved Parallel Algorithms for Spanners and \
                 Hopsets\", SPAA 2015",
        run: kernel!(spanner),
    },
];

fn weighted_bfs(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let target = context.target()?;
    let wants_parents = wants_parents(context);
    let (found, measured) =
        context.measure(|| whole::run(context.graph, source, wants_parents, context.control))?;
    let verified = context.verify(|plain| whole::verify(plain, &found));
    if let (Some(target), Some(parents)) = (target, &found.parents) {
        let distance = |vertex: u32| found.distances[vertex as usize] as f64;
        let route = Route::by_parents(source, target, parents);
        return Ok(route.computed(context, distance, measured, verified));
    }
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("source", context.name(source)),
            ("reached", Fact::Whole(found.reached as u64)),
            ("max_distance", Fact::Whole(found.max_distance)),
        ],
        values: match found.parents {
            Some(parents) => Values::Vertices(parents),
            None => Values::Counts(found.distances),
        },
        verified,
    })
}

fn delta_stepping(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let target = context.target()?;
    let parameters = bins::Parameters {
        delta: context.given.value("delta"),
        parents: wants_parents(context),
    };
    let (found, measured) =
        context.measure(|| bins::run(context.graph, source, &parameters, context.control))?;
    let verified = context.verify(|plain| bins::verify(plain, &found));
    Ok(distances(context, target, found, measured, verified))
}

fn bellman_ford(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let target = context.target()?;
    let wants_parents = wants_parents(context);
    let (found, measured) =
        context.measure(|| rounds::run(context.graph, source, wants_parents, context.control))?;
    let verified = context.verify(|plain| rounds::verify(plain, &found));
    let endless = |&&distance: &&f64| distance == f64::NEG_INFINITY;
    let endless = found.distances.iter().filter(endless).count();
    let mut computed = distances(context, target, found, measured, verified);
    let behind_cycles = ("behind_negative_cycles", Fact::Whole(endless as u64));
    computed.result.push(behind_cycles);
    Ok(computed)
}

fn distances(
    context: &Context<'_>,
    target: Option<u32>,
    found: ShortestPaths,
    measured: Measured,
    verified: Option<Result<(), String>>,
) -> Computed {
    if let (Some(target), Some(parents)) = (target, &found.parents) {
        let distance = |vertex: u32| found.distances[vertex as usize];
        let route = match distance(target).is_finite() {
            true => Route::by_parents(found.source, target, parents),
            // Behind a negative cycle there are paths, and no shortest.
            false => Route::none(found.source, target),
        };
        return route.computed(context, distance, measured, verified);
    }
    Computed {
        measured,
        iterations: None,
        result: vec![
            ("source", context.name(found.source)),
            ("reached", Fact::Whole(found.reached as u64)),
            ("max_distance", Fact::Real(found.max_distance)),
        ],
        values: match found.parents {
            Some(parents) => Values::Vertices(parents),
            None => Values::Reals(found.distances),
        },
        verified,
    }
}

fn widest_path(context: &Context<'_>) -> Result<Computed, Error> {
    let source = context.source()?;
    let target = context.target()?;
    let method = match context.given.text("method") {
        Some("bellman-ford") => Method::BellmanFord,
        _ => Method::Buckets,
    };
    let (found, measured) =
        context.measure(|| widest::run(context.graph, source, method, context.control))?;
    let verified = context.verify(|plain| widest::verify(plain, &found));
    if let Some(target) = target {
        let width = |vertex: u32| found.widths[vertex as usize];
        let route = Route::widest(context.graph, source, target, &found.widths);
        return Ok(route.computed(context, width, measured, verified));
    }
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("source", context.name(source)),
            ("reached", Fact::Whole(found.reached as u64)),
            ("min_width", Fact::Real(found.min_width)),
        ],
        values: Values::Reals(found.widths),
        verified,
    })
}

fn low_diameter_decomposition(context: &Context<'_>) -> Result<Computed, Error> {
    let usual = clusters::Parameters::default();
    let parameters = clusters::Parameters {
        beta: context.given.value("beta").unwrap_or(usual.beta),
        seed: context.seed(),
    };
    let (found, measured) =
        context.measure(|| clusters::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| clusters::verify(plain, &parameters, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("clusters", Fact::Whole(found.count as u64)),
            ("largest", Fact::Whole(found.largest as u64)),
            ("radius", Fact::Whole(u64::from(found.radius))),
        ],
        values: Values::Vertices(found.clusters),
        verified,
    })
}

fn spanner(context: &Context<'_>) -> Result<Computed, Error> {
    let parameters = spanning::Parameters {
        k: context.given.value("k"),
        seed: context.seed(),
    };
    let (found, measured) =
        context.measure(|| spanning::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| spanning::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("edges", Fact::Whole(found.edges.len() as u64)),
            ("clusters", Fact::Whole(found.clusters as u64)),
            ("radius", Fact::Whole(u64::from(found.radius))),
            ("stretch", Fact::Whole(u64::from(found.stretch))),
        ],
        values: Values::Edges(found.edges),
        verified,
    })
}

/// Room for the edges that are expected, and as many again.
fn spanner_bytes(given: &Given, size: Size) -> u64 {
    let n = size.vertices.max(2) as f64;
    let k = given.value("k").unwrap_or(n.log2().ceil());
    let edges = (2.0 * n.powf(1.0 + 1.0 / k)).min(size.arcs as f64 / 2.0);
    24 * edges as u64
}

fn wants_parents(context: &Context<'_>) -> bool {
    context.given.text("output") == Some("parents") || context.given.text("target").is_some()
}
