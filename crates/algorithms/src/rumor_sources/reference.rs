//! Distances found one source after another, and a check of results by them.

use evergraph_graph::{Graph, VertexId};

use super::{Candidates, Parameters, RumorSources};
use crate::error::mismatch;
use crate::shortest_paths::reference;
use crate::{Mismatch, UNREACHED, bfs};

/// How far infected vertices are from a set of sources.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distances {
    /// Vertices that no source leads to.
    pub unreached: usize,
    /// The sum of the distances of the others.
    pub sum: f64,
    /// The largest of them.
    pub maximum: f64,
}

/// The distances of `infected` vertices from `sources`, by a search from each source
/// on its own.
///
/// # Panics
/// If a source is out of range.
pub fn distances<G: Graph>(
    graph: &G,
    weighted: bool,
    sources: &[VertexId],
    infected: &[VertexId],
) -> Distances {
    let nearest = nearest(graph, weighted, sources);
    let mut found = Distances::default();
    for &v in infected {
        match nearest[v as usize] {
            f64::INFINITY => found.unreached += 1,
            distance => {
                found.sum += distance;
                found.maximum = found.maximum.max(distance);
            }
        }
    }
    found
}

/// For each vertex the distance from the nearest source.
fn nearest<G: Graph>(graph: &G, weighted: bool, sources: &[VertexId]) -> Vec<f64> {
    let mut nearest = vec![f64::INFINITY; graph.vertex_count()];
    for &source in sources {
        let own: Vec<f64> = match weighted {
            true => reference(graph, source),
            false => {
                let distance = |depth| match depth {
                    UNREACHED => f64::INFINITY,
                    depth => f64::from(depth),
                };
                bfs::reference(graph, source)
                    .into_iter()
                    .map(distance)
                    .collect()
            }
        };
        for (nearest, own) in nearest.iter_mut().zip(own) {
            *nearest = nearest.min(own);
        }
    }
    nearest
}

/// Checks that the sources are as many different candidates as wanted, and the
/// distance of each infected vertex, to 9 digits. Sequential, a search a source.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &RumorSources,
) -> Result<(), Mismatch> {
    let sources = &result.sources;
    for (number, &v) in sources.iter().enumerate() {
        if sources[..number].contains(&v) {
            return Err(mismatch(v, "how often it is a source", 2.0, 1.0));
        }
        let infected = result.infected.binary_search(&v).is_ok();
        if parameters.candidates == Candidates::Infected && !infected {
            return Err(mismatch(v, "how often it is infected", 0.0, 1.0));
        }
    }
    if sources.len() != parameters.sources {
        let (found, wanted) = (sources.len() as f64, parameters.sources as f64);
        return Err(mismatch(
            sources[0],
            "number of sources, it the first,",
            found,
            wanted,
        ));
    }
    let expected = nearest(graph, parameters.weighted, sources);
    for (&v, &found) in result.infected.iter().zip(&result.distances) {
        let expected = expected[v as usize];
        let near = (found - expected).abs() <= 1e-9 * expected;
        if found != expected && !near {
            return Err(mismatch(v, "distance", found, expected));
        }
    }
    Ok(())
}
