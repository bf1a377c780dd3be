//! Widest paths from one source: of all paths to a vertex, one whose narrowest
//! edge is as wide as can be, edges being as wide as they weigh.
//!
//! Idea: a path is as wide as its last edge or as the path before it, whichever
//! is less; so the widest paths are found in the order of widths, widest first,
//! as the shortest are in the order of distances. Bins hold widths that agree in
//! their first seven binary digits. Without bins this is Bellman and Ford's
//! algorithm: vertices whose width grew are expanded round by round.
//!
//! Work O(m) with bins, up to O(nm) without, O(m) and some expansions more on
//! usual graphs; depth O(distinct widths · log n), or O(n log n) without; at most
//! 6n words of DRAM of 8 bytes. Deterministic. Self-loops change
//! nothing; of parallel edges the widest counts.
//! Sources: Dhulipala, Blelloch and Shun, "Julienne", SPAA 2017; "Sage", VLDB
//! 2020, Table 1 (both variants).

use std::collections::BinaryHeap;

use evergraph_graph::{Graph, VertexId, Weight};

use crate::error::{check_source, compare_near};
use crate::settling::{Labels, settle};
use crate::shortest_paths::for_each_weighted;
use crate::{Control, Mismatch, RunError};

/// How the paths are found; the widths are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Widest first, by bins.
    #[default]
    Buckets,
    /// Round by round, whatever the widths.
    BellmanFord,
}

/// Widths of paths from one source.
#[derive(Clone, Debug, PartialEq)]
pub struct WidestPath {
    /// Vertex at which the paths begin.
    pub source: VertexId,
    /// For each vertex the width of a widest path from the source: infinity for
    /// the source, minus infinity where there is no path.
    pub widths: Vec<f64>,
    /// Vertices with a path, the source included.
    pub reached: usize,
    /// The least width of a reached vertex; infinity if that is the source alone.
    pub min_width: f64,
}

/// The widths of the widest paths from `source` along out-lists. Weights may be
/// negative, or infinite; an edge of width minus infinity is none.
///
/// # Errors
/// If `source` is out of range, a weight on a path from the source is not a
/// number, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    source: VertexId,
    method: Method,
    control: &Control,
) -> Result<WidestPath, RunError> {
    check_source(graph, source)?;
    let first = label(Weight::INFINITY);
    let labels = match method {
        Method::Buckets => settle(graph, source, first, &Widths::<true>, control)?,
        Method::BellmanFord => settle(graph, source, first, &Widths::<false>, control)?,
    };
    let widths: Vec<f64> = labels.into_iter().map(width).collect();
    let reached = widths.iter().filter(|&&width| width > f64::NEG_INFINITY);
    Ok(WidestPath {
        source,
        reached: reached.clone().count(),
        min_width: reached.copied().fold(f64::INFINITY, f64::min),
        widths,
    })
}

/// A number of 32 bits for each width, the smaller the wider.
#[inline]
fn label(width: Weight) -> u64 {
    let bits = width.to_bits();
    // Numbers with a sign are ordered against their bits.
    let falling = if bits >> 31 == 0 {
        !bits ^ 1 << 31
    } else {
        bits
    };
    u64::from(falling)
}

fn width(label: u64) -> f64 {
    let falling = label as u32;
    let bits = if falling >> 31 == 0 {
        !falling ^ 1 << 31
    } else {
        falling
    };
    f64::from(Weight::from_bits(bits))
}

/// Labels of widths, cut into bins or not.
struct Widths<const BINS: bool>;

impl<const BINS: bool> Labels for Widths<BINS> {
    /// Label of width minus infinity.
    const UNREACHED: u64 = 0xff80_0000;
    const WEIGHTS: &'static str = "numbers";

    #[inline]
    fn takes(weight: Weight) -> bool {
        !weight.is_nan()
    }

    #[inline]
    fn extend(&self, path: u64, weight: Weight) -> u64 {
        path.max(label(weight))
    }

    #[inline]
    fn bin(&self, label: u64) -> u64 {
        if BINS { label >> 16 } else { 0 }
    }
}

/// Widths by Dijkstra's algorithm with a binary heap; the reference implementation of
/// [`run`].
///
/// # Panics
/// If `source` is out of range.
pub fn reference<G: Graph>(graph: &G, source: VertexId) -> Vec<f64> {
    struct Wide(f64, VertexId);
    impl Ord for Wide {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
        }
    }
    impl PartialOrd for Wide {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }
    impl PartialEq for Wide {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }
    impl Eq for Wide {}

    let mut widths = vec![f64::NEG_INFINITY; graph.vertex_count()];
    widths[source as usize] = f64::INFINITY;
    let mut reader = graph.reader();
    let mut heap = BinaryHeap::from([Wide(f64::INFINITY, source)]);
    while let Some(Wide(wide, u)) = heap.pop() {
        if wide < widths[u as usize] {
            continue;
        }
        for_each_weighted(&mut reader, u, |v, weight| {
            let through = wide.min(f64::from(weight));
            if through > widths[v as usize] {
                widths[v as usize] = through;
                heap.push(Wide(through, v));
            }
        });
    }
    widths
}

/// Checks every width against [`reference()`]. Sequential, O(m log n).
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(graph: &G, result: &WidestPath) -> Result<(), Mismatch> {
    let expected = reference(graph, result.source);
    compare_near("width", &result.widths, &expected, 0.0, 0.0)
}
