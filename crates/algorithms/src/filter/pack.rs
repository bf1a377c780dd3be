//! Removes entries that a predicate refuses.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use super::side::{Bits, Halves, Side, count};
use super::walk::{Walk, each_bit};
use crate::parallel::{
    CHUNK_LISTED, CHUNK_VERTICES, HUB_DEGREE, Lists, chunk_range, hub_pieces, touch,
};
use crate::subset::SharedBitmap;
use crate::table::Table;
use crate::{Cancelled, Control};

/// Blocks without live entries are dropped once fewer than one in so many has any.
const KEPT_FOR_ONE: usize = 2;

impl Side {
    /// Removes from all lists what `predicate` refuses. Returns how many entries.
    pub(super) fn pack_all<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        predicate: impl Fn(VertexId, VertexId) -> bool + Sync,
        control: &Control,
    ) -> Result<u64, Cancelled> {
        let n = self.vertex_count();
        let (removed, hubs) = (0..n.div_ceil(CHUNK_VERTICES))
            .into_par_iter()
            .with_max_len(4)
            .map(|chunk| {
                let vertices = chunk_range(chunk, n);
                self.pack_chunk(lists, vertices, &predicate, &|_| (), control)
            })
            .try_reduce(Default::default, both)?;
        Ok(removed + self.pack_hubs(lists, &hubs, &predicate, &|_| (), control)?)
    }

    /// Removes from all lists, of which nothing has been removed, what stands in them a
    /// second time. Returns how many entries.
    pub(super) fn unite_parallel<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        control: &Control,
    ) -> Result<u64, Cancelled> {
        let n = self.vertex_count();
        let (mut removed, hubs) = (0..n.div_ceil(CHUNK_VERTICES))
            .into_par_iter()
            .with_max_len(4)
            .map_init(Table::<u32>::default, |table, chunk| {
                self.unite_in_chunk(lists, chunk_range(chunk, n), table, control)
            })
            .try_reduce(Default::default, both)?;
        if hubs.is_empty() {
            return Ok(removed);
        }
        // Of a list that tasks share; empty between two of them.
        let met = SharedBitmap::empty(n);
        for hub in hubs {
            let is_first = |_, u| met.claim(u);
            removed += self.pack_hubs(lists, &[hub], &is_first, &|_| (), control)?;
            hub_pieces(lists, hub, control, |_: &mut (), segment| {
                segment.iter().for_each(|&u| met.remove(u));
                ControlFlow::Continue(())
            })?;
        }
        Ok(removed)
    }

    /// The vertices one by one, as [`Side::pack_chunk`].
    fn unite_in_chunk<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        vertices: Range<VertexId>,
        table: &mut Table<u32>,
        control: &Control,
    ) -> Result<(u64, Vec<VertexId>), Cancelled> {
        self.remove_in_each(lists, vertices, control, |reader, v, bits| {
            let degree = reader.degree(v);
            if degree < 2 {
                return 0;
            }
            let times = RefCell::new(table.begin(degree));
            let is_first = |_, u| times.borrow_mut().add(u, 1) == 1;
            remove(bits, 0..bits.block_count(), reader, v, &is_first, &|_| ())
        })
    }

    /// Removes from the lists of `vertices` what `predicate` refuses, and adds it to
    /// `marks`. Returns how many entries.
    pub(super) fn pack<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        vertices: &[VertexId],
        predicate: impl Fn(VertexId, VertexId) -> bool + Sync,
        marks: Option<&SharedBitmap>,
        control: &Control,
    ) -> Result<u64, Cancelled> {
        let mark = |v| {
            if let Some(marks) = marks {
                marks.insert(v);
            }
        };
        let chunk = |vertices: &[VertexId]| {
            let mut reader = lists.reader();
            for &v in vertices {
                self.bits(v).touch();
                touch(&mut reader, v);
            }
            drop(reader);
            let vertices = vertices.iter().copied();
            self.pack_chunk(lists, vertices, &predicate, &mark, control)
        };
        let (removed, hubs) = if vertices.len() <= CHUNK_LISTED {
            chunk(vertices)?
        } else {
            let chunks = vertices.par_chunks(CHUNK_LISTED).map(chunk);
            chunks.try_reduce(Default::default, both)?
        };
        Ok(removed + self.pack_hubs(lists, &hubs, &predicate, &mark, control)?)
    }

    /// The vertices one by one. Returns how many entries were removed, and the hubs,
    /// which are left for later.
    fn pack_chunk<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        vertices: impl Iterator<Item = VertexId>,
        predicate: &impl Fn(VertexId, VertexId) -> bool,
        mark: &impl Fn(VertexId),
        control: &Control,
    ) -> Result<(u64, Vec<VertexId>), Cancelled> {
        self.remove_in_each(lists, vertices, control, |reader, v, bits| {
            remove(bits, 0..bits.block_count(), reader, v, predicate, mark)
        })
    }

    /// Calls `remove` for each vertex but the hubs. Returns how many entries it removed, and
    /// the hubs.
    fn remove_in_each<'g, G: Graph>(
        &self,
        lists: Lists<'g, G>,
        vertices: impl Iterator<Item = VertexId>,
        control: &Control,
        mut remove: impl FnMut(&mut G::Reader<'g>, VertexId, Bits<'_>) -> u64,
    ) -> Result<(u64, Vec<VertexId>), Cancelled> {
        control.check()?;
        let mut reader = lists.reader();
        let (mut removed, mut hubs) = (0, Vec::new());
        for v in vertices {
            let bits = self.bits(v);
            if bits.block_count() > self.hub_blocks() {
                hubs.push(v);
                continue;
            }
            removed += remove(&mut reader, v, bits);
            bits.recount();
        }
        Ok((removed, hubs))
    }

    /// Hubs one after another, the blocks of each shared among tasks.
    fn pack_hubs<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        hubs: &[VertexId],
        predicate: &(impl Fn(VertexId, VertexId) -> bool + Sync),
        mark: &(impl Fn(VertexId) + Sync),
        control: &Control,
    ) -> Result<u64, Cancelled> {
        let mut removed = 0;
        for &v in hubs {
            let bits = self.bits(v);
            let count = bits.block_count();
            let pieces = (0..count.div_ceil(self.hub_blocks())).into_par_iter();
            removed += pieces
                .with_max_len(1)
                .map(|piece| {
                    control.check()?;
                    let first = piece * self.hub_blocks();
                    let blocks = first..count.min(first + self.hub_blocks());
                    let mut reader = lists.reader();
                    Ok(remove(bits, blocks, &mut reader, v, predicate, mark))
                })
                .try_reduce(|| 0, |left, right| Ok(left + right))?;
            bits.recount();
        }
        Ok(removed)
    }

    /// Blocks of a task.
    fn hub_blocks(&self) -> usize {
        HUB_DEGREE / self.block_size().entries()
    }
}

fn both(
    (removed, mut hubs): (u64, Vec<VertexId>),
    (also, more): (u64, Vec<VertexId>),
) -> Result<(u64, Vec<VertexId>), Cancelled> {
    hubs.extend(more);
    Ok((removed + also, hubs))
}

/// Clears the bits of the entries of some blocks that `predicate` refuses, and
/// marks the neighbors. How many.
fn remove(
    bits: Bits<'_>,
    blocks: Range<usize>,
    reader: &mut impl NeighborReader,
    v: VertexId,
    predicate: &impl Fn(VertexId, VertexId) -> bool,
    mark: &impl Fn(VertexId),
) -> u64 {
    let mut removed = 0;
    let mut walk = Walk::new(bits, blocks);
    let positions = walk.positions();
    let _ = reader.for_each_segment_in(v, positions, |segment| {
        walk.segment(segment.len(), |stretch| {
            let entries = &segment[stretch.part];
            let refused = stretch.live & !accepted(stretch.live, entries, |u| predicate(v, u));
            each_bit(refused).for_each(|bit| mark(entries[bit]));
            if refused != 0 {
                let kept = stretch.word.load(Relaxed) & !(refused << stretch.shift);
                stretch.word.store(kept, Relaxed);
                removed += u64::from(refused.count_ones());
            }
            ControlFlow::Continue(())
        })
    });
    removed
}

/// The bits of the live entries that `predicate` accepts, and perhaps of others.
/// Without a branch on the answer, as it is as good as random.
#[inline]
fn accepted(live: u64, entries: &[VertexId], predicate: impl Fn(VertexId) -> bool) -> u64 {
    let bit = |bits: u64, at: usize| bits | u64::from(predicate(entries[at])) << at;
    match 2 * live.count_ones() as usize >= entries.len() {
        true => (0..entries.len()).fold(0, bit),
        false => each_bit(live).fold(0, bit),
    }
}

impl Bits<'_> {
    /// After bits were cleared: counts what is live before each block, and drops
    /// blocks without live entries if they are many.
    fn recount(self) {
        let Self::Many {
            head,
            blocks,
            stride,
        } = self
        else {
            return;
        };
        let all = &blocks[..Halves::load(head).blocks as usize * stride];
        let is_live = |block: &&[AtomicU64]| count(&block[1..]) > 0;
        let live_blocks = all.chunks(stride).filter(is_live).count();
        let drops = live_blocks * KEPT_FOR_ONE < all.len() / stride;
        let (mut kept, mut live) = (0, 0);
        for block in all.chunks(stride) {
            let own = count(&block[1..]);
            if drops && own == 0 {
                continue;
            }
            let number = Halves::load(&block[0]).blocks;
            let place = &blocks[kept * stride..(kept + 1) * stride];
            if drops {
                for (to, from) in place.iter().zip(block) {
                    to.store(from.load(Relaxed), Relaxed);
                }
            }
            Halves {
                live,
                blocks: number,
            }
            .store(&place[0]);
            kept += 1;
            live += own;
        }
        Halves {
            live,
            blocks: kept as u32,
        }
        .store(head);
    }
}
