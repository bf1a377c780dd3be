//! A graph of arrays that were made elsewhere, once they are known to be one.

use rayon::prelude::*;

use super::{Csr, CsrLists};
use crate::seal::{CHUNK_VERTICES, is_in_order};
use crate::{MAX_VERTICES, Shape, StoredLists, Unsound, VertexId};

impl Csr {
    /// The graph whose lists are in these arrays; `shape` is `None` if they are in
    /// no order.
    ///
    /// Reads all of them, in parallel.
    ///
    /// # Errors
    /// If a list ends before it starts or behind the entries, names a vertex that
    /// does not exist, or is not in the order that the shape says; and if arrays
    /// that belong together have different lengths.
    pub fn from_lists(
        direction: StoredLists,
        shape: Option<Shape>,
        out: CsrLists,
        incoming: Option<CsrLists>,
    ) -> Result<Self, Unsound> {
        if incoming.is_some() != (direction == StoredLists::Both) {
            return Err(Unsound("in-lists are there without need, or missing"));
        }
        out.verify(shape)?;
        if let Some(incoming) = &incoming {
            incoming.verify(shape)?;
            let alike = incoming.offsets.len() == out.offsets.len()
                && incoming.neighbors.len() == out.neighbors.len()
                && incoming.weights.len() == out.weights.len();
            if !alike {
                return Err(Unsound("out-lists and in-lists are of different graphs"));
            }
        }
        Ok(Self {
            direction,
            shape,
            out,
            incoming,
        })
    }
}

impl CsrLists {
    fn verify(&self, shape: Option<Shape>) -> Result<(), Unsound> {
        let (offsets, neighbors) = (&self.offsets[..], &self.neighbors[..]);
        let count = neighbors.len() as u64;
        if offsets.first() != Some(&0) || offsets.last() != Some(&count) {
            return Err(Unsound("the lists do not fill their array"));
        }
        if !self.weights.is_empty() && self.weights.len() != neighbors.len() {
            return Err(Unsound("there is not one weight for each entry"));
        }
        let n = offsets.len() - 1;
        if n > MAX_VERTICES {
            return Err(Unsound("there are more vertices than there can be"));
        }
        let chunk = |first: usize| {
            let ends = &offsets[first..(first + CHUNK_VERTICES).min(n) + 1];
            for (v, list) in (first as VertexId..).zip(ends.windows(2)) {
                if list[0] > list[1] || list[1] > count {
                    return Err(Unsound("a list ends before it starts"));
                }
                let list = &neighbors[list[0] as usize..list[1] as usize];
                if !is_in_order(v, list, shape) {
                    return Err(Unsound("a list is not in its order"));
                }
                if list.iter().any(|&u| u as usize >= n) {
                    return Err(Unsound("a list names a vertex that does not exist"));
                }
            }
            Ok(())
        };
        let chunks = (0..n).into_par_iter().step_by(CHUNK_VERTICES);
        chunks.try_for_each(chunk)
    }
}
