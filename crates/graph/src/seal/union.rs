//! Builds the in-lists from the out-lists, or the lists of the undirected graph: every
//! edge goes to the list of its target, or of both of its ends.
//!
//! Entries are counted, then put in their places, by tasks that share a cursor
//! for each vertex. Which of them comes first does not matter, as the lists are
//! sorted afterwards.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::{LONG_LIST, chunks, map_each};
use crate::csr::Lists;
use crate::{Graph, NeighborReader, VertexId, Weight};

/// Entries that are put in their places between two checks.
const PIECE: usize = 1 << 16;

/// The lists that an edge goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    Target,
    Both,
}

/// The out-list of each vertex with those it is in, or only those it is in.
///
/// 8 bytes a vertex and for each entry of `graph` and end 4, with weights 8: what
/// the result takes.
pub(crate) fn union<G: Graph, E: Send>(
    graph: &G,
    ends: Ends,
    check: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<Lists, E> {
    let n = graph.vertex_count();
    // Of vertex v at v + 1: first how long its list is, then where its next entry
    // goes, and so at last where the list ends.
    let places: Vec<AtomicU64> = (0..=n).map(|_| AtomicU64::new(0)).collect();
    for_each_arc(graph, check, |u, v, _| {
        places[v as usize + 1].fetch_add(1, Relaxed);
        if ends == Ends::Both {
            places[u as usize + 1].fetch_add(1, Relaxed);
        }
    })?;
    let mut total = 0;
    for place in &places {
        let start = total;
        total += place.load(Relaxed);
        place.store(start, Relaxed);
    }

    let words = |len: u64| -> Vec<AtomicU32> { (0..len).map(|_| AtomicU32::new(0)).collect() };
    let neighbors = words(total);
    let weights = words(if graph.is_weighted() { total } else { 0 });
    for_each_arc(graph, check, |u, v, weight| {
        let both = [(v, u), (u, v)];
        let owners = match ends {
            Ends::Target => &both[..1],
            Ends::Both => &both,
        };
        for &(owner, neighbor) in owners {
            let place = places[owner as usize + 1].fetch_add(1, Relaxed) as usize;
            neighbors[place].store(neighbor, Relaxed);
            if let Some(kept) = weights.get(place) {
                kept.store(weight.to_bits(), Relaxed);
            }
        }
    })?;
    Ok(Lists {
        offsets: places.into_iter().map(AtomicU64::into_inner).collect(),
        neighbors: neighbors.into_iter().map(AtomicU32::into_inner).collect(),
        weights: weights
            .into_iter()
            .map(|bits| Weight::from_bits(bits.into_inner()))
            .collect(),
    })
}

fn for_each_arc<G: Graph, E: Send>(
    graph: &G,
    check: &(dyn Fn() -> Result<(), E> + Sync),
    visit: impl Fn(VertexId, VertexId, Weight) + Sync,
) -> Result<(), E> {
    let done = map_each(chunks(graph.vertex_count()), &|vertices| {
        let mut reader = graph.reader();
        let mut unchecked = LONG_LIST;
        for u in vertices {
            let mut stopped = Ok(());
            let _ = reader.for_each_weighted_segment(u, |neighbors, weights| {
                for (piece, ids) in neighbors.chunks(PIECE).enumerate() {
                    unchecked += ids.len();
                    if unchecked >= LONG_LIST {
                        unchecked = 0;
                        stopped = check();
                        if stopped.is_err() {
                            return ControlFlow::Break(());
                        }
                    }
                    let weights = weights.get(piece * PIECE..).unwrap_or_default();
                    for (at, &v) in ids.iter().enumerate() {
                        visit(u, v, weights.get(at).copied().unwrap_or(1.0));
                    }
                }
                ControlFlow::Continue(())
            });
            stopped?;
        }
        Ok(())
    });
    done.map(drop)
}
