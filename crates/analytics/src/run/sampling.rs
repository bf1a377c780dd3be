//! Walks, samples and similar pairs.

use evergraph_algorithms::{neighbor_sampling as neighborhood, random_walks as walking};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Size, Weights};
use super::given::Given;
use super::parameters::{Kind, Parameter, SEED};
use super::stream;
use super::{Computed, Context, Fact, Lists, Values};
use crate::Error;

const WEIGHTED: Parameter = Parameter {
    name: "weighted",
    default: "true",
    meaning: "whether edges are chosen in proportion to their weights",
    kind: Kind::Switch,
};

const LENGTH: u64 = 80;
const NEIGHBORS: &str = "15,10,5";

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "random-walks",
        columns: &[stream::NODES],
        aliases: &["node2vec"],
        computes: "random walks along out-edges",
        value: "a walk a line",
        parameters: &[
            Parameter {
                name: "start",
                default: "every vertex",
                meaning: "where walks begin; one or several vertices",
                kind: Kind::Vertices,
            },
            Parameter {
                name: "walks",
                default: "1",
                meaning: "walks from each start",
                kind: Kind::Whole(1, 1 << 32),
            },
            Parameter {
                name: "length",
                default: "80",
                meaning: "steps of a walk, unless it comes to a vertex without out-edges",
                kind: Kind::Whole(0, 1 << 32),
            },
            WEIGHTED,
            Parameter {
                name: "p",
                default: "1",
                meaning: "a step back is 1/p times as likely",
                kind: Kind::Real(f64::MIN_POSITIVE, f64::INFINITY),
            },
            Parameter {
                name: "q",
                default: "1",
                meaning: "a step to no neighbor of the vertex before is 1/q times as likely",
                kind: Kind::Real(f64::MIN_POSITIVE, f64::INFINITY),
            },
            SEED,
        ],
        needs: Needs::OutLists,
        weights: Weights::Used,
        dram: Dram::words(2.0).and("4 bytes for each vertex of each walk", walk_bytes),
        determinism: Determinism::ForSeed,
        bound: "O(1) expected work a step, O(m) before the first by weight, O(length) depth",
        source: "Grover and Leskovec, \"node2vec\", KDD 2016; Yang et al., \"KnightKing\", SOSP \
                 2019",
        run: kernel!(random_walks),
    },
    Algorithm {
        name: "neighbor-sampling",
        columns: stream::EDGES,
        aliases: &["graphsage"],
        computes: "edges to some neighbors of some vertices, of those to some of theirs, hop by \
                   hop, as graph neural networks are trained on",
        value: "the vertex that drew and the neighbor that it drew, hop by hop, an edge a line",
        parameters: &[
            Parameter {
                name: "start",
                default: "the vertex with the most out-neighbors",
                meaning: "where the first hop begins; one or several vertices",
                kind: Kind::Vertices,
            },
            Parameter {
                name: "neighbors",
                default: NEIGHBORS,
                meaning: "neighbors of each vertex, a number for each hop; 4294967295 for all",
                kind: Kind::Wholes(0, u32::MAX as u64),
            },
            Parameter {
                name: "direction",
                default: "out",
                meaning: "whether out-neighbors are drawn or in-neighbors",
                kind: Kind::Choice(&["out", "in"]),
            },
            Parameter {
                name: "replace",
                default: "false",
                meaning: "whether a neighbor may be drawn again",
                kind: Kind::Switch,
            },
            WEIGHTED,
            SEED,
        ],
        needs: Needs::InLists,
        weights: Weights::Used,
        dram: Dram::words(8.0).and("4 words an edge drawn", sample_bytes),
        determinism: Determinism::ForSeed,
        bound: "O(degrees of the vertices that draw) work, O(hops · log n) depth",
        source: "Hamilton, Ying and Leskovec, \"Inductive Representation Learning on Large \
                 Graphs\", NeurIPS 2017; Efraimidis and Spirakis, 2006",
        run: kernel!(neighbor_sampling),
    },
];

fn random_walks(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let parameters = walking::Parameters {
        starts: context.vertices("start")?,
        walks: given.value("walks").unwrap_or(1),
        length: given.value("length").unwrap_or(LENGTH as usize),
        weighted: given.value("weighted").unwrap_or(true),
        p: given.value("p").unwrap_or(1.0),
        q: given.value("q").unwrap_or(1.0),
        seed: context.seed(),
    };
    let (found, measured) =
        context.measure(|| walking::run(context.graph, &parameters, context.control))?;
    let verified = context.verify(|plain| walking::verify(plain, &parameters, &found));
    let mut lists = Lists::default();
    for walk in found.walks() {
        lists.vertices.extend_from_slice(walk);
        lists.ends.push(lists.vertices.len());
    }
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("walks", Fact::Whole(lists.ends.len() as u64)),
            ("steps", Fact::Whole(found.steps)),
        ],
        values: Values::Lists(lists),
        verified,
    })
}

fn walk_bytes(given: &Given, size: Size) -> u64 {
    let starts = match given.all("start") {
        starts if starts.is_empty() => size.vertices,
        starts => starts
            .iter()
            .map(|text| text.split(',').count() as u64)
            .sum(),
    };
    let length = given.value("length").unwrap_or(LENGTH).saturating_add(1);
    let walks: u64 = given.value("walks").unwrap_or(1);
    starts
        .saturating_mul(walks)
        .saturating_mul(length)
        .saturating_mul(4)
}

fn neighbor_sampling(context: &Context<'_>) -> Result<Computed, Error> {
    let given = &context.given;
    let starts = context.vertices("start")?;
    let starts = starts.unwrap_or_else(|| vec![super::busiest(context.graph)]);
    let parameters = neighborhood::Parameters {
        fan_out: fan_out(given).map(|count| count as u32).collect(),
        replace: given.is_on("replace"),
        weighted: given.value("weighted").unwrap_or(true),
        incoming: given.text("direction") == Some("in"),
        seed: context.seed(),
    };
    let (found, measured) = context
        .measure(|| neighborhood::run(context.graph, &starts, &parameters, context.control))?;
    let verified =
        context.verify(|plain| neighborhood::verify(plain, &starts, &parameters, &found));
    let vertex = |&number: &u32| found.vertices[number as usize];
    let targets = found.targets.iter().map(vertex);
    let edges: Vec<(u32, u32)> = targets.zip(found.neighbors.iter().map(vertex)).collect();
    Ok(Computed {
        measured,
        iterations: Some(parameters.fan_out.len() as u64),
        result: vec![
            ("vertices", Fact::Whole(found.vertices.len() as u64)),
            ("edges", Fact::Whole(edges.len() as u64)),
        ],
        values: Values::Edges(edges),
        verified,
    })
}

fn fan_out(given: &Given) -> impl Iterator<Item = u64> {
    let texts = given.text("neighbors").unwrap_or(NEIGHBORS).split(',');
    texts.filter_map(|text| text.trim().parse().ok())
}

fn sample_bytes(given: &Given, size: Size) -> u64 {
    let starts = given.all("start");
    let starts: u64 = starts
        .iter()
        .map(|text| text.split(',').count() as u64)
        .sum();
    let mut drawing = starts.max(1);
    let mut edges = 0_u64;
    for wanted in fan_out(given) {
        let mut drawn = drawing.saturating_mul(wanted);
        if !given.is_on("replace") || wanted == u64::from(u32::MAX) {
            drawn = drawn.min(size.arcs);
        }
        edges = edges.saturating_add(drawn);
        drawing = drawn.min(size.vertices);
    }
    edges.saturating_mul(32)
}
