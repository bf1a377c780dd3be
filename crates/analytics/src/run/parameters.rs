//! Parameters that several algorithms share, so that one name means one thing.

/// A parameter of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Default, as one would write it, or in words.
    pub default: &'static str,
    /// Meaning of the parameter.
    pub meaning: &'static str,
    /// Values that it takes.
    pub kind: Kind,
}

/// Values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Whole numbers in a range, ends included.
    Whole(u64, u64),
    /// Number of vertices, or `all`.
    Samples,
    /// Several whole numbers in a range, ends included, with commas between.
    Wholes(u64, u64),
    /// Numbers from the first on and below the second.
    Real(f64, f64),
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// External id of a vertex.
    Vertex,
    /// External ids of vertices: with commas between (unless ids are texts), or
    /// the parameter several times.
    Vertices,
    /// A file with external ids of vertices, one a line.
    File,
    /// Pairs of vertices, `U:V`: with commas between (unless ids are texts), or
    /// the parameter several times.
    Pairs,
}

/// Parameters that every algorithm takes.
pub const COMMON: &[Parameter] = &[
    Parameter {
        name: "graph",
        default: "live",
        meaning: "what is read: the stored lists where that is possible, or a sorted copy in \
                  memory, which may be compressed, or be without self-loops and parallel edges",
        kind: Kind::Choice(&["live", "sealed", "compressed", "simple"]),
    },
    Parameter {
        name: "undirected",
        default: "false",
        meaning: "edges of a directed graph lead both ways; reciprocal ones are parallel",
        kind: Kind::Switch,
    },
    Parameter {
        name: "component",
        default: "all",
        meaning: "the whole graph, or only its largest weakly connected component; of several \
                  as large that of the first vertex",
        kind: Kind::Choice(&["all", "largest"]),
    },
    Parameter {
        name: "verify",
        default: "false",
        meaning: "check the result with a slow, independent implementation",
        kind: Kind::Switch,
    },
];

const BUSIEST: &str = "the vertex with the most out-neighbors";

/// One vertex to start from.
pub(super) const SOURCE: Parameter = Parameter {
    name: "source",
    default: BUSIEST,
    meaning: "where the search begins",
    kind: Kind::Vertex,
};

/// The vertex that one path is to lead to.
pub(super) const TARGET: Parameter = Parameter {
    name: "target",
    default: "none",
    meaning: "the result is the path to this vertex, instead of what all vertices have",
    kind: Kind::Vertex,
};

/// One or several vertices to start from.
pub(super) const SOURCES: Parameter = Parameter {
    name: "source",
    default: BUSIEST,
    meaning: "where the paths begin; one or several vertices",
    kind: Kind::Vertices,
};

/// Of whatever is random.
pub(super) const SEED: Parameter = Parameter {
    name: "seed",
    default: "27",
    meaning: "start of the random numbers; the same seed gives the same result",
    kind: Kind::Whole(0, u64::MAX),
};

/// Of iterations that run until little changes.
pub(super) const ITERATIONS: Parameter = Parameter {
    name: "iterations",
    default: "100",
    meaning: "iterations at most; exactly so many if no tolerance is given",
    kind: Kind::Whole(1, 1_000_000),
};

/// When iterations end.
pub(super) const TOLERANCE: Parameter = Parameter {
    name: "tolerance",
    default: "1e-6 (none if iterations are given)",
    meaning: "stop when an iteration changes all values together by less",
    kind: Kind::Real(0.0, 1.0),
};

/// Of walks over the graph.
pub(super) const DAMPING: Parameter = Parameter {
    name: "damping",
    default: "0.85",
    meaning: "probability of following an edge",
    kind: Kind::Real(0.0, 1.0),
};

/// Publication whose definition and format are wanted.
pub(super) const SPEC: Parameter = Parameter {
    name: "spec",
    default: "evergraph",
    meaning: "whose definition of the problem and whose format of an output file are wanted",
    kind: Kind::Choice(&["evergraph", "graphalytics"]),
};
