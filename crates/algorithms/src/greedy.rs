//! Parts shared by greedy problems: a random order of the vertices, and rounds over
//! those that still wait for others.

use evergraph_graph::VertexId;
use evergraph_graph::random::split_mix;
use rayon::prelude::*;

use crate::Cancelled;
use crate::parallel::CHUNK_VERTICES;

/// 32 random bits for `v`, the same for a seed.
#[inline]
pub(crate) fn random_bits(seed: u64, v: VertexId) -> u32 {
    let mut state = seed ^ u64::from(v) << 32;
    (split_mix(&mut state) >> 32) as u32
}

/// Gives chunks of `items` to `step`, which moves those that have to wait to the
/// front and returns how many they are, until no item has to. Tells `report`
/// before each round how many items wait.
pub(crate) fn until_none_waits<T: Copy + Send>(
    mut items: Vec<T>,
    step: impl Fn(&mut [T]) -> Result<usize, Cancelled> + Sync,
    report: impl Fn(usize),
) -> Result<(), Cancelled> {
    while !items.is_empty() {
        report(items.len());
        if items.len() <= CHUNK_VERTICES {
            let waiting = step(&mut items)?;
            items.truncate(waiting);
            continue;
        }
        let chunks = items.par_chunks_mut(CHUNK_VERTICES).with_max_len(4);
        let waiting: Vec<usize> = chunks.map(&step).collect::<Result<_, Cancelled>>()?;
        let mut end = 0;
        for (chunk, waiting) in waiting.into_iter().enumerate() {
            let start = chunk * CHUNK_VERTICES;
            items.copy_within(start..start + waiting, end);
            end += waiting;
        }
        items.truncate(end);
    }
    Ok(())
}
