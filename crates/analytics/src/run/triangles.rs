//! Triangles, and clustering coefficients and trusses, which are counted with them.

use evergraph_algorithms::triangle_count::{self as counting, Detail};
use evergraph_algorithms::{k_truss as trusses, local_clustering as clustering};

use super::algorithm::{Algorithm, Determinism, Dram, Needs, Weights};
use super::parameters::{Kind, Parameter, SPEC};
use super::stream;
use super::{Computed, Context, Fact, Values};
use crate::Error;

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "triangle-count",
        columns: &[stream::NODE, stream::number("triangles")],
        aliases: &["tc", "triangles"],
        computes: "the triangles, in all and at each vertex; parallel edges count once",
        value: "the triangles it is in",
        parameters: &[Parameter {
            name: "output",
            default: "vertices",
            meaning: "counts of vertices, or nothing but the total, which is faster",
            kind: Kind::Choice(&["vertices", "total"]),
        }],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        // n / 64 of them for each of up to 64 threads.
        dram: Dram::words(8.0),
        determinism: Determinism::Always,
        bound: "O(m^1.5) work",
        source: "Shun and Tangwongsan, \"Multicore Triangle Computations Without Tuning\", \
                 ICDE 2015",
        run: kernel!(triangle_count),
    },
    Algorithm {
        name: "local-clustering",
        columns: &[stream::NODE, stream::number("coefficient")],
        aliases: &["lcc", "local-clustering-coefficient", "clustering"],
        computes: "how many of the pairs of a vertex' neighbors are joined, as LDBC Graphalytics \
                   defines it; on average, and transitivity",
        value: "the coefficient",
        parameters: &[
            Parameter {
                name: "directions",
                default: "kept",
                meaning: "whether a pair of neighbors is joined by each of its two directions, \
                          or the graph is read as undirected",
                kind: Kind::Choice(&["kept", "ignored"]),
            },
            SPEC,
        ],
        needs: Needs::InLists,
        weights: Weights::Ignored,
        // n / 32 of them for each of up to 64 threads.
        dram: Dram::words(10.0),
        determinism: Determinism::Always,
        bound: "O(m^1.5) work",
        source: "Watts and Strogatz, \"Collective Dynamics of 'Small-World' Networks\", \
                 Nature 1998",
        run: kernel!(local_clustering),
    },
    Algorithm {
        name: "k-truss",
        columns: &[
            stream::SOURCE,
            stream::TARGET,
            stream::number("trussness"),
            stream::NODE,
        ],
        aliases: &["truss", "trussness"],
        computes: "for each edge the largest k such that it is in a part of the graph whose edges \
                   are in k - 2 triangles of that part",
        value: "in each line an edge and its trussness; or for each vertex the largest of its edges",
        parameters: &[Parameter {
            name: "output",
            default: "edges",
            meaning: "what an output file holds",
            kind: Kind::Choice(&["edges", "vertices"]),
        }],
        needs: Needs::Undirected,
        weights: Weights::Ignored,
        dram: Dram::words(3.0).and_bits_per_arc(256.0),
        determinism: Determinism::Always,
        bound: "O(m^1.5 log n) work",
        source: "Kabir and Madduri, \"Parallel k-Truss Decomposition on Multicore Systems\", \
                 HPEC 2017",
        run: kernel!(k_truss),
    },
];

fn triangle_count(context: &Context<'_>) -> Result<Computed, Error> {
    let detail = match context.given.text("output") {
        Some("total") => Detail::Total,
        _ => Detail::Vertices,
    };
    let (found, measured) =
        context.measure(|| counting::run(context.graph, detail, context.control))?;
    let verified = context.verify(|plain| counting::verify(plain, &found));
    let mut result = vec![("triangles", Fact::Whole(found.triangles))];
    // The first of several.
    let counts = found.at_vertices.iter().enumerate();
    let top = counts.rev().max_by_key(|&(_, count)| count);
    if let Some((vertex, &count)) = top {
        result.push(("top_vertex", context.name(vertex as u32)));
        result.push(("top_triangles", Fact::Whole(count)));
    }
    Ok(Computed {
        measured,
        iterations: None,
        result,
        values: match detail {
            Detail::Total => Values::Nothing,
            Detail::Vertices => Values::Counts(found.at_vertices),
        },
        verified,
    })
}

fn local_clustering(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| clustering::run(context.graph, context.control))?;
    let verified = context.verify(|plain| clustering::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("average", Fact::Real(found.average)),
            ("transitivity", Fact::Real(found.transitivity)),
            ("triangles", Fact::Whole(found.triangles)),
        ],
        values: Values::Reals(found.coefficients),
        verified,
    })
}

fn k_truss(context: &Context<'_>) -> Result<Computed, Error> {
    let (found, measured) = context.measure(|| trusses::run(context.graph, context.control))?;
    let verified = context.verify(|plain| trusses::verify(plain, &found));
    Ok(Computed {
        measured,
        iterations: None,
        result: vec![
            ("edges", Fact::Whole(found.edges.len() as u64)),
            ("max_trussness", Fact::Whole(u64::from(found.max_trussness))),
            ("max_edges", Fact::Whole(found.max_edges as u64)),
        ],
        values: match context.given.text("output") {
            Some("vertices") => Values::Depths(found.at_vertices),
            _ => {
                let edges = found.edges.into_iter().zip(found.trussness);
                let edge = |((u, v), trussness)| (u, v, u64::from(trussness));
                Values::EdgeCounts(edges.map(edge).collect())
            }
        },
        verified,
    })
}
