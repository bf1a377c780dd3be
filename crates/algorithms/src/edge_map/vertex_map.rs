//! Maps and filters over the vertices of a set, without their edges.

use evergraph_graph::VertexId;
use rayon::prelude::*;

use crate::parallel::{CHUNK_ITEMS, for_each_listed};
use crate::subset::{Bitmap, CHUNK_WORDS, VertexSubset};
use crate::{Cancelled, Control};

/// Calls `work` once with each vertex of `subset`.
///
/// # Errors
/// If `control` ends the run.
pub fn vertex_map(
    subset: &VertexSubset,
    work: impl Fn(VertexId) + Sync,
    control: &Control,
) -> Result<(), Cancelled> {
    match subset {
        VertexSubset::Sparse(list) => for_each_listed(list, control, work),
        VertexSubset::Dense(bitmap, _) => {
            let chunks = bitmap.words().par_chunks(CHUNK_WORDS).enumerate();
            chunks.try_for_each(|(chunk, words)| {
                control.check()?;
                Bitmap::members_of(chunk * CHUNK_WORDS, words).for_each(&work);
                Ok(())
            })
        }
    }
}

/// The vertices of `subset` that `keep` accepts.
///
/// # Errors
/// If `control` ends the run.
pub fn vertex_filter(
    subset: VertexSubset,
    keep: impl Fn(VertexId) -> bool + Sync,
    control: &Control,
) -> Result<VertexSubset, Cancelled> {
    match subset {
        VertexSubset::Sparse(mut list) if list.len() <= CHUNK_ITEMS => {
            control.check()?;
            list.retain(|&v| keep(v));
            Ok(VertexSubset::Sparse(list))
        }
        VertexSubset::Sparse(list) => {
            let chunks = list.par_chunks(CHUNK_ITEMS).map(|list| {
                control.check()?;
                Ok(list
                    .iter()
                    .copied()
                    .filter(|&v| keep(v))
                    .collect::<Vec<_>>())
            });
            let kept: Vec<Vec<VertexId>> = chunks.collect::<Result<_, Cancelled>>()?;
            Ok(VertexSubset::Sparse(kept.concat()))
        }
        VertexSubset::Dense(mut bitmap, _) => {
            let len = bitmap
                .chunks_mut()
                .enumerate()
                .map(|(chunk, words)| {
                    control.check()?;
                    let mut len = 0;
                    for (at, word) in (chunk * CHUNK_WORDS..).zip(words) {
                        let members = Bitmap::members_of(at, std::slice::from_ref(word));
                        let kept = members.filter(|&v| keep(v)).map(|v| 1 << (v % 64));
                        *word = kept.fold(0, |kept, bit: u64| kept | bit);
                        len += word.count_ones() as usize;
                    }
                    Ok(len)
                })
                .try_reduce(|| 0, |left, right| Ok(left + right))?;
            Ok(VertexSubset::Dense(bitmap, len))
        }
    }
}
