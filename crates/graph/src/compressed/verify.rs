//! A graph of coded bytes that were made elsewhere, once they are known to be one.
//! Whatever the bytes are, nothing here panics, and no reader of a graph that was
//! found sound does.

use rayon::prelude::*;

use super::chunk::CompressedChunk;
use super::joined::Joined;
use super::{Compressed, CompressedLists, Lists, code};
use crate::seal::{CHUNK_VERTICES, is_in_order};
use crate::{MAX_VERTICES, Shape, StoredLists, Unsound, VertexId};

/// No unit has more bytes than `2^MAX_SHIFT`.
const MAX_SHIFT: u64 = 30;
/// No block has more neighbors: every reader has room for one.
pub(super) const MAX_BLOCK_EDGES: usize = 1 << 20;

impl Compressed {
    /// The graph whose coded lists are in these arrays.
    ///
    /// Decodes all of them once, in parallel.
    ///
    /// # Errors
    /// If a list or a block lies outside its chunk, names a vertex that does not
    /// exist, or is not in the order that the shape says; and if arrays that belong
    /// together do not fit each other.
    pub fn from_lists(
        vertex_count: usize,
        direction: StoredLists,
        shape: Shape,
        block_edges: usize,
        out: CompressedLists,
        incoming: Option<CompressedLists>,
    ) -> Result<Self, Unsound> {
        if incoming.is_some() != (direction == StoredLists::Both) {
            return Err(Unsound("in-lists are there without need, or missing"));
        }
        if vertex_count > MAX_VERTICES || block_edges == 0 || block_edges > MAX_BLOCK_EDGES {
            return Err(Unsound("the counts are none of a graph"));
        }
        let weighted = !out.weights.is_empty();
        let arc_count = verify(&out, vertex_count, shape, block_edges)?;
        if let Some(incoming) = &incoming {
            let in_count = verify(incoming, vertex_count, shape, block_edges)?;
            if in_count != arc_count || weighted == incoming.weights.is_empty() && arc_count > 0 {
                return Err(Unsound("out-lists and in-lists are of different graphs"));
            }
        }
        Ok(Self {
            vertex_count,
            direction,
            shape,
            weighted,
            block_edges,
            out: Lists::Joined(out),
            incoming: incoming.map(Lists::Joined),
        })
    }
}

/// Returns the number of arcs.
fn verify(
    lists: &CompressedLists,
    vertex_count: usize,
    shape: Shape,
    block_edges: usize,
) -> Result<u64, Unsound> {
    let joined = lists.view();
    let chunk_count = vertex_count.div_ceil(CHUNK_VERTICES);
    let place_words = (chunk_count + 1) * CompressedLists::PLACE_WORDS;
    if lists.places.len() != place_words || joined.starts.len() != vertex_count {
        return Err(Unsound("there is not one place for each chunk and list"));
    }
    let arc_count = verify_places(&joined)?;
    let weighted = !joined.weights.is_empty();
    let weight_starts = if weighted { vertex_count } else { 0 };
    if joined.weight_starts.len() != weight_starts
        || weighted && joined.weights.len() as u64 != arc_count
    {
        return Err(Unsound("there is not one weight for each entry"));
    }
    let read = |number: usize| {
        let first = (number * CHUNK_VERTICES) as VertexId;
        let mut list = Checked {
            vertex_count,
            shape,
            block: vec![0; block_edges],
            block_edges,
        };
        list.check_chunk(first, &joined.chunk(number))
    };
    (0..chunk_count).into_par_iter().try_for_each(read)?;
    Ok(arc_count)
}

/// Chunks follow each other and fill their arrays. Returns the number of arcs.
fn verify_places(joined: &Joined<'_>) -> Result<u64, Unsound> {
    let wrong = Err(Unsound("the chunks do not fill their arrays"));
    let [Some([0, 0, _]), Some(&[byte_end, arc_count, _])] =
        [joined.places.first(), joined.places.last()]
    else {
        return wrong;
    };
    if byte_end != joined.bytes.len() as u64 {
        return wrong;
    }
    let follow = |pair: &[[u64; 3]]| {
        pair[0][0] <= pair[1][0] && pair[0][1] <= pair[1][1] && pair[0][2] <= MAX_SHIFT
    };
    match joined.places.windows(2).all(follow) {
        true => Ok(arc_count),
        false => wrong,
    }
}

/// Decodes lists without trusting a number in them.
struct Checked {
    vertex_count: usize,
    shape: Shape,
    /// Room for one block.
    block: Vec<VertexId>,
    block_edges: usize,
}

impl Checked {
    fn check_chunk(&mut self, first: VertexId, chunk: &CompressedChunk<'_>) -> Result<(), Unsound> {
        let mut arcs = 0;
        for (at, (v, &start)) in (first..).zip(chunk.starts).enumerate() {
            let bytes = chunk.bytes.get((start as usize) << chunk.shift..);
            let degree = bytes.and_then(|bytes| self.check_list(v, bytes, chunk.shift));
            let degree = degree.ok_or(Unsound("a coded list does not hold"))?;
            if chunk.weight_starts.get(at).is_some_and(|&at| at != arcs) {
                return Err(Unsound("a list's weights are not where they should be"));
            }
            arcs += degree as u64;
        }
        match arcs == chunk.arc_count {
            true => Ok(()),
            false => Err(Unsound("a chunk has another number of entries")),
        }
    }

    /// The degree of the list at the start of `bytes`, if it holds.
    fn check_list(&mut self, v: VertexId, bytes: &[u8], shift: u32) -> Option<usize> {
        let (degree, table) = code::checked_degree(bytes)?;
        // Each neighbor takes a byte: so no number below can overflow.
        if degree > bytes.len() {
            return None;
        }
        let block_count = degree.div_ceil(self.block_edges);
        let first_block = table + 4 * block_count.saturating_sub(1);
        let mut last = None;
        for number in 0..block_count {
            let place = match number {
                0 => first_block,
                _ => {
                    let entry = bytes.get(table + 4 * (number - 1)..)?.first_chunk()?;
                    (u32::from_le_bytes(*entry) as usize) << shift
                }
            };
            let len = (degree - number * self.block_edges).min(self.block_edges);
            let block = self.block.get_mut(..len)?;
            code::checked_block(v, bytes.get(place..)?, block)?;
            let follows = last.is_none_or(|last| match self.shape {
                Shape::Sorted => last <= block[0],
                Shape::Simple | Shape::Symmetric => last < block[0],
            });
            last = block.last().copied();
            let exist = last.is_some_and(|last| (last as usize) < self.vertex_count);
            if !follows || !exist || !is_in_order(v, block, Some(self.shape)) {
                return None;
            }
        }
        Some(degree)
    }
}
