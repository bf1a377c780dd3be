//! Other ways to write down the vertices that join in a push, to compare
//! [`push`](super::push()) with: both first take room for all edges of the frontier.
//!
//! Sources: Shun and Blelloch, "Ligra", PPoPP 2013; Dhulipala et al., "Sage", VLDB
//! 2020, sections 4.1.1 and D.2, Table 5.

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::Kernel;
use crate::groups::{Groups, for_each_in_part};
use crate::parallel::Lists;
use crate::{Cancelled, Control};

/// Edges of a block.
const BLOCK: usize = 4000;
/// No vertex.
const NO_VERTEX: VertexId = VertexId::MAX;

/// Layout of the memory in which a push writes the vertices that join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Room {
    /// Each edge has a place of its own, most of which stay empty: edgeMapSparse.
    EachEdge,
    /// Each block of edges has as many places as edges and fills the first:
    /// edgeMapBlocked.
    EachBlock,
}

/// As [`push`](super::push()), with a word of memory for each edge of the frontier.
///
/// # Errors
/// If `control` ends the run.
pub fn push_with_room<G: Graph, K: Kernel>(
    lists: Lists<'_, G>,
    frontier: &[VertexId],
    room: Room,
    kernel: &K,
    control: &Control,
) -> Result<Vec<VertexId>, Cancelled> {
    let groups = Groups::new(lists, frontier, |_| BLOCK as u64);
    let no_vertex = match room {
        Room::EachEdge => NO_VERTEX,
        Room::EachBlock => 0,
    };
    let mut places = control.array(no_vertex, groups.edge_count() as usize)?;
    let joined = places
        .par_chunks_mut(BLOCK)
        .enumerate()
        .map(|(group, places)| {
            control.check()?;
            let mut reader = lists.reader();
            let (mut edge, mut len) = (0, 0);
            groups.for_each_list(group, |u, part| {
                for_each_in_part(&mut reader, u, part, |v| {
                    if kernel.condition(v) && kernel.push(u, v) {
                        let place = match room {
                            Room::EachEdge => edge,
                            Room::EachBlock => len,
                        };
                        places[place] = v;
                        len += 1;
                    }
                    edge += 1;
                });
            });
            Ok(len)
        })
        .collect::<Result<Vec<usize>, _>>()?;
    Ok(match room {
        Room::EachEdge => (places.into_par_iter())
            .filter(|&v| v != NO_VERTEX)
            .collect(),
        Room::EachBlock => (places.par_chunks(BLOCK).zip(joined))
            .flat_map_iter(|(places, len)| places[..len].iter().copied())
            .collect(),
    })
}
