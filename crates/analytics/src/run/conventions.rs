//! Conventions of results, in words: parallel and reciprocal edges, self-loops, directions,
//! weights and samples, and where igraph and networkx count otherwise.

use super::algorithm::{Algorithm, Needs, Weights};
use super::given::Given;
use super::{Fact, Form};

/// Conventions of an algorithm.
struct Convention {
    name: &'static str,
    /// Title of the column of values.
    column: &'static str,
    /// Parallel edges and self-loops.
    edges: &'static str,
    /// Where igraph and networkx differ, and how to get theirs; empty if they do not.
    peers: &'static str,
}

const NEITHER: &str = "parallel edges and self-loops change nothing";
const LIGHTEST: &str = "of parallel edges the lightest counts, self-loops change nothing";
const EACH: &str = "parallel edges count each, a self-loop once, if undirected twice";
const EACH_TWICE: &str = "parallel edges count each, a self-loop twice";
const ONCE: &str = "parallel edges count once, self-loops not";
const SIMPLE: &str = "parallel edges count once, self-loops not (a simple graph)";

const RECIPROCAL_ONE: &str = "read as undirected, reciprocal edges are one";
const RECIPROCAL_PARALLEL: &str = "read as undirected, reciprocal edges are parallel";
const LARGEST_COMPONENT: &str = "only the largest weakly connected component";

const RANKS: &str = "as igraph's; networkx's Graph and DiGraph have parallel edges and \
                     self-loops once: without self-loops --simple";
const SCALED: &str = "igraph scales the largest to 1; networkx's Graph and DiGraph have parallel \
                      edges and self-loops once: without self-loops --simple";
const PATHS: &str = "igraph has unreached vertices as inf, networkx leaves them out";

const fn of(
    name: &'static str,
    column: &'static str,
    edges: &'static str,
    peers: &'static str,
) -> Convention {
    Convention {
        name,
        column,
        edges,
        peers,
    }
}

const CONVENTIONS: &[Convention] = &[
    of("bfs", "depth", NEITHER, PATHS),
    of(
        "betweenness",
        "betweenness",
        "parallel edges are paths of their own, self-loops change nothing, ends do not count",
        "as igraph's; for networkx's default --param normalized=pairs, which has parallel edges \
         once: --simple",
    ),
    of(
        "closeness",
        "closeness",
        NEITHER,
        "as networkx's; igraph leaves out the share of vertices that are reached: --param \
         reached=only; and it reads directed graphs as undirected unless mode=\"in\"",
    ),
    of(
        "harmonic",
        "harmonic",
        NEITHER,
        "as networkx's; igraph divides by n - 1: --param normalized=true; and it reads directed \
         graphs as undirected unless mode=\"in\"",
    ),
    of("weighted-bfs", "distance", LIGHTEST, PATHS),
    of("delta-stepping", "distance", LIGHTEST, PATHS),
    of(
        "bellman-ford",
        "distance",
        "of parallel edges the lightest counts, self-loops change nothing unless they are \
         negative",
        PATHS,
    ),
    of(
        "widest-path",
        "width",
        "of parallel edges the heaviest counts, self-loops change nothing",
        "the source has no width, as no edge bounds it",
    ),
    of("low-diameter-decomposition", "cluster", NEITHER, ""),
    of("spanner", "edge", NEITHER, ""),
    of("pagerank", "pagerank", EACH, RANKS),
    of("personalized-pagerank", "pagerank", EACH, RANKS),
    of("eigenvector", "eigenvector", EACH, SCALED),
    of(
        "katz",
        "katz",
        EACH,
        "networkx's Graph and DiGraph have parallel edges and self-loops once: without \
         self-loops --simple",
    ),
    of("hits", "score", EACH, SCALED),
    of("connected-components", "component", NEITHER, ""),
    of("strongly-connected-components", "component", NEITHER, ""),
    of(
        "biconnectivity",
        "component",
        NEITHER,
        "in igraph and networkx's MultiGraph an edge beside a parallel one is no bridge",
    ),
    of(
        "topological-order",
        "level",
        "parallel edges change nothing, a self-loop is a cycle",
        "",
    ),
    of(
        "degrees",
        "degree",
        "parallel edges count each; an undirected self-loop counts twice",
        "of directed graphs igraph and networkx count both ends of edges: --undirected; \
         networkx's Graph and DiGraph have parallel edges once: without self-loops --simple",
    ),
    of("spanning-forest", "edge", NEITHER, ""),
    of("minimum-spanning-forest", "weight", LIGHTEST, ""),
    of(
        "coloring",
        "color",
        "parallel edges and self-loops count in the degrees that decide the order, else not",
        "",
    ),
    of("maximal-independent-set", "member", NEITHER, ""),
    of("maximal-matching", "partner", NEITHER, ""),
    of(
        "set-cover",
        "cover",
        "parallel edges change nothing, a vertex covers itself by a self-loop alone",
        "",
    ),
    of(
        "triangle-count",
        "triangles",
        ONCE,
        "igraph's and networkx's need an undirected, simple graph, as this one is read",
    ),
    of(
        "local-clustering",
        "clustering",
        ONCE,
        "as LDBC Graphalytics; of directed graphs igraph's, and networkx's of to_undirected(), \
         are --param directions=ignored. igraph has no coefficient below two neighbors unless \
         mode=\"zero\"",
    ),
    of("k-truss", "trussness", ONCE, ""),
    of(
        "k-core",
        "coreness",
        EACH_TWICE,
        "igraph's has parallel and reciprocal edges each, and self-loops: --param \
         parallel=each; networkx's reciprocal edges each, and no self-loops",
    ),
    of(
        "densest-subgraph",
        "member",
        "parallel edges count each, a self-loop once",
        "",
    ),
    of(
        "label-propagation",
        "community",
        EACH,
        "igraph and networkx change labels one after another, in random order, until they are \
         stable; in directed graphs igraph takes those of in-neighbors, networkx's asyn_lpa \
         those of out-neighbors",
    ),
    of(
        "louvain",
        "community",
        EACH_TWICE,
        "igraph's takes undirected graphs alone; networkx's heeds the directions of a DiGraph",
    ),
    of(
        "leiden",
        "community",
        EACH_TWICE,
        "igraph's maximises modularity with objective_function=\"modularity\" alone, and heeds \
         directions",
    ),
    of("similarity", "similarity", SIMPLE, ""),
    of("random-walks", "walk", EACH, ""),
    of("neighbor-sampling", "edge", EACH, ""),
    of("influence-maximization", "spread", EACH, ""),
    of("rumor-sources", "infected", NEITHER, ""),
];

/// The conventions of an algorithm, if this program knows it.
fn convention(algorithm: &str) -> Option<&'static Convention> {
    CONVENTIONS.iter().find(|known| known.name == algorithm)
}

/// Where igraph and networkx differ.
pub(super) fn peers(algorithm: &str) -> &'static str {
    convention(algorithm).map_or("", |known| known.peers)
}

/// Whether the values of an algorithm are labels of groups, whose sizes count.
pub(super) fn labels_groups(algorithm: &str) -> bool {
    let column = convention(algorithm).map(|known| known.column);
    matches!(column, Some("component" | "community" | "cluster"))
}

/// The convention of a run, in one line.
pub(super) fn counted(
    (algorithm, given): (&Algorithm, &Given),
    (directed, weighted): (bool, bool),
    facts: &[(impl AsRef<str>, Fact)],
) -> String {
    let needs = algorithm.needs_with(given);
    let reads_simple = matches!(needs, Needs::Simple | Needs::SimpleDirected);
    let edges = match reads_simple || given.form() == Form::Simple {
        true => SIMPLE,
        false => convention(algorithm.name).map_or("", |known| known.edges),
    };
    let mut parts = vec![direction(algorithm, given, directed), edges.to_string()];
    if given.is_of_largest_component() {
        parts.push(LARGEST_COMPONENT.to_string());
    }
    if weighted && !algorithm.reads_weights(given) {
        parts.push("weights are not read".to_string());
    }
    if !weighted && algorithm.weights == Weights::Used {
        parts.push("without weights each edge counts 1".to_string());
    }
    parts.extend(estimate(facts));
    // Of an algorithm of a program it is not known what it does with parallel edges.
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// Title of the values of a run.
pub(super) fn column(
    algorithm: &str,
    output: Option<&str>,
    facts: &[(impl AsRef<str>, Fact)],
) -> String {
    let usual = convention(algorithm).map_or("value", |known| known.column);
    let column = match output {
        Some("parents") => "parent",
        Some("hubs") => "hub",
        Some("authorities") => "authority",
        Some("heads") => "head",
        Some("members" | "articulation-points") => "member",
        Some("in") => "in_degree",
        Some("nearest") => "nearest",
        _ => usual,
    };
    match estimate(facts) {
        Some(_) => format!("{column}_estimate"),
        None => column.to_string(),
    }
}

fn direction(algorithm: &Algorithm, given: &Given, directed: bool) -> String {
    let text = match (directed, algorithm.needs_with(given)) {
        (false, _) => "undirected",
        (true, Needs::AnyLists) => "directions do not matter",
        (true, _) if given.is_undirected() && given.form() == Form::Simple => RECIPROCAL_ONE,
        (true, Needs::OutLists | Needs::InLists) if given.is_undirected() => RECIPROCAL_PARALLEL,
        (true, Needs::SimpleDirected) if given.is_undirected() => RECIPROCAL_ONE,
        (true, _) if matches!(algorithm.name, "closeness" | "harmonic") => {
            match given.text("distances") {
                Some("out") => "directed, distances from the vertex",
                _ => "directed, distances to the vertex",
            }
        }
        (true, Needs::OutLists) => "directed, along out-edges",
        (true, Needs::InLists | Needs::SimpleDirected) => "directed, edges of both directions",
        (true, Needs::Undirected) if given.form() == Form::Simple => RECIPROCAL_ONE,
        (true, Needs::Undirected) => RECIPROCAL_PARALLEL,
        (true, Needs::Simple) => RECIPROCAL_ONE,
    };
    text.to_string()
}

/// That the values are an estimate, if they are one.
fn estimate(facts: &[(impl AsRef<str>, Fact)]) -> Option<String> {
    let fact = |wanted: &str| {
        let found = facts.iter().find(|(name, _)| name.as_ref() == wanted);
        found.map(|(_, fact)| fact)
    };
    match (fact("exact"), fact("sources")) {
        (Some(Fact::Flag(false)), Some(Fact::Whole(sources))) => Some(format!(
            "AN ESTIMATE from {sources} vertices chosen by chance, exact with --param samples=all"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::registry::algorithms;
    use super::*;

    #[test]
    fn every_algorithm_has_conventions() {
        let named: Vec<&str> = algorithms().map(|algorithm| algorithm.name).collect();
        let mut known: Vec<&str> = CONVENTIONS.iter().map(|known| known.name).collect();
        for name in &named {
            assert!(known.contains(name), "{name}");
        }
        known.retain(|name| !named.contains(name));
        assert_eq!(known, [""; 0]);
    }

    #[test]
    fn what_libraries_scale_or_direct_otherwise_is_told() {
        for (algorithm, told) in [
            ("degrees", "--undirected"),
            ("eigenvector", "igraph scales the largest to 1"),
            ("hits", "igraph scales the largest to 1"),
            ("katz", "--simple"),
            ("label-propagation", "in random order"),
            ("louvain", "undirected graphs alone"),
            ("leiden", "objective_function=\"modularity\""),
        ] {
            assert!(peers(algorithm).contains(told), "{algorithm}");
        }
    }
}
