//! How often each vertex is a neighbor of a frontier.
//!
//! Peeling asks this in each round: the degrees of which remaining vertices fall, and by
//! how much. A few edges are counted one by one. More of them are first parted by target,
//! so that one task counts all of a stretch of vertices: no task waits for another at a
//! hub, and no counter is atomic. With a large share of all edges, each vertex counts its
//! own neighbors in the frontier instead.
//!
//! Work O(edges of the frontier), or O(m) where that is no more than a constant
//! factor above. Memory n words of counters and O(n) words for the edges being
//! parted. Counts do not depend on threads; self-loops and parallel edges count
//! as often as they are stored.
//! Sources: Dhulipala et al., "Sage", VLDB 2020, section 4.3.4 (dense beside
//! sparse, switched at m/c); Dhulipala, Blelloch and Shun, "Theoretically Efficient
//! Parallel Graph Algorithms Can Be Fast and Scalable", SPAA 2018 (the histogram).

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use crate::edge_map::{Gather, Kernel, pull};
use crate::groups::{Groups, for_each_in_part};
use crate::parallel::{CHUNK_ITEMS, Lists, map_tasks, shared_u32};
use crate::{Bitmap, Cancelled, Control};

/// All vertices count when the frontier has more than 1/`DENSE` of the edges.
const DENSE: u64 = 20;
/// Edges that are counted one by one.
const FEW_EDGES: u64 = 1 << 14;
/// Edges of a task that are checked, counted or parted at a time.
const GROUP_EDGES: u64 = 1 << 13;
/// Stretches of vertices into which targets are parted, if there are threads to
/// count in them.
const STRETCHES: usize = 64;

/// For each vertex that `keep` accepts and that is in the `lists` of `frontier`
/// (no vertex twice): how often. Ascending by vertex.
///
/// # Errors
/// If `control` ends the run.
pub fn neighbor_counts<G: Graph>(
    lists: Lists<'_, G>,
    frontier: &[VertexId],
    keep: impl Fn(VertexId) -> bool + Sync,
    control: &Control,
) -> Result<Vec<(VertexId, u32)>, Cancelled> {
    let mut histogram = Histogram::new(lists.vertex_count(), control)?;
    let pair = |v, count| Some((v, count));
    let mut counts = histogram.map(lists, frontier, keep, pair, control)?;
    counts.par_sort_unstable();
    Ok(counts)
}

/// Counters for many calls. Zero between calls, so that a call costs nothing for
/// vertices it does not meet.
pub struct Histogram {
    counts: Vec<AtomicU32>,
}

impl Histogram {
    /// Counters for the vertices `0..vertex_count`.
    ///
    /// # Errors
    /// If `control` allows no room for them.
    pub fn new(vertex_count: usize, control: &Control) -> Result<Self, Cancelled> {
        Ok(Self {
            counts: shared_u32(vertex_count, 0, control)?,
        })
    }

    /// Calls `map` once with each vertex that `keep` accepts and that is in the
    /// `lists` of `frontier` (no vertex twice), and how often. What it gives, in
    /// any order. `keep` must not change during the call.
    ///
    /// # Errors
    /// If `control` ends the run.
    pub fn map<G: Graph, T: Send>(
        &mut self,
        lists: Lists<'_, G>,
        frontier: &[VertexId],
        keep: impl Fn(VertexId) -> bool + Sync,
        map: impl Fn(VertexId, u32) -> Option<T> + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Cancelled> {
        let done = self.count_and_map(lists, frontier, keep, map, control);
        if done.is_err() {
            self.counts
                .par_iter()
                .for_each(|count| count.store(0, Relaxed));
        }
        done
    }

    fn count_and_map<G: Graph, T: Send>(
        &self,
        lists: Lists<'_, G>,
        frontier: &[VertexId],
        keep: impl Fn(VertexId) -> bool + Sync,
        map: impl Fn(VertexId, u32) -> Option<T> + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Cancelled> {
        let groups = Groups::new(lists, frontier, |_| GROUP_EDGES);
        let edges = groups.edge_count();
        if edges > lists.arc_count() / DENSE
            && edges > FEW_EDGES
            && let Some(sources) = lists.reversed()
        {
            return self.count_all(sources, frontier, keep, map, control);
        }
        let touched = if edges <= FEW_EDGES || rayon::current_num_threads() == 1 {
            vec![self.count_one_by_one(lists, &groups, keep, control)?]
        } else {
            self.count_parted(lists, &groups, keep, control)?
        };
        let chunks: Vec<&[VertexId]> = touched
            .iter()
            .flat_map(|list| list.chunks(CHUNK_ITEMS))
            .collect();
        let take = |&v: &VertexId| map(v, self.take(v));
        if let [chunk] = &chunks[..] {
            return Ok(chunk.iter().filter_map(take).collect());
        }
        let taken = chunks
            .into_par_iter()
            .flat_map_iter(|chunk| chunk.iter().filter_map(take));
        Ok(taken.collect())
    }

    /// Adds one to the count of `v`, of which no other task may be in charge.
    /// True the first time.
    #[inline]
    fn add(&self, v: VertexId) -> bool {
        let count = &self.counts[v as usize];
        let before = count.load(Relaxed);
        count.store(before + 1, Relaxed);
        before == 0
    }

    #[inline]
    fn take(&self, v: VertexId) -> u32 {
        let count = &self.counts[v as usize];
        let taken = count.load(Relaxed);
        count.store(0, Relaxed);
        taken
    }

    /// In this task. The vertices counted.
    fn count_one_by_one<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        groups: &Groups<'_>,
        keep: impl Fn(VertexId) -> bool + Sync,
        control: &Control,
    ) -> Result<Vec<VertexId>, Cancelled> {
        let mut touched = Vec::new();
        for group in 0..groups.len() {
            control.check()?;
            for_each_target(lists, groups, group, |v| {
                if keep(v) && self.add(v) {
                    touched.push(v);
                }
            });
        }
        Ok(touched)
    }

    /// Parts targets by stretches of vertices, and counts each stretch in one
    /// task. The vertices counted, by stretch.
    fn count_parted<G: Graph>(
        &self,
        lists: Lists<'_, G>,
        groups: &Groups<'_>,
        keep: impl Fn(VertexId) -> bool + Sync,
        control: &Control,
    ) -> Result<Vec<Vec<VertexId>>, Cancelled> {
        let n = self.counts.len();
        let width = n.div_ceil(STRETCHES).next_power_of_two();
        let mut touched = vec![Vec::new(); n.div_ceil(width)];
        // Some n edges at a time, for the sake of memory, and enough for all threads.
        let at_once = n / GROUP_EDGES as usize + 2 * rayon::current_num_threads();
        for start in (0..groups.len()).step_by(at_once) {
            let some = at_once.min(groups.len() - start);
            let parted = map_tasks(some, &|group| {
                control.check()?;
                let each = 2 * GROUP_EDGES as usize / touched.len();
                let mut parts = vec![Vec::with_capacity(each); touched.len()];
                for_each_target(lists, groups, start + group, |v| {
                    if keep(v) {
                        parts[v as usize >> width.trailing_zeros()].push(v);
                    }
                });
                Ok::<_, Cancelled>(parts)
            })?;
            touched
                .par_iter_mut()
                .enumerate()
                .with_max_len(1)
                .for_each(|(stretch, touched)| {
                    let targets = parted.iter().flat_map(|parts| &parts[stretch]);
                    touched.extend(targets.filter(|&&v| self.add(v)));
                });
        }
        Ok(touched)
    }

    /// Each vertex that `keep` accepts counts its own neighbors in the frontier.
    fn count_all<G: Graph, T: Send>(
        &self,
        sources: Lists<'_, G>,
        frontier: &[VertexId],
        keep: impl Fn(VertexId) -> bool + Sync,
        map: impl Fn(VertexId, u32) -> Option<T> + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Cancelled> {
        let frontier = Bitmap::of(self.counts.len(), frontier);
        let kernel = CountSources {
            counts: &self.counts,
            keep,
        };
        let met = pull(sources, |u| frontier.contains(u), &kernel, control)?.into_list();
        let take = |v| map(v, self.take(v));
        Ok(met
            .into_par_iter()
            .with_min_len(CHUNK_ITEMS)
            .filter_map(take)
            .collect())
    }
}

/// Calls `visit` with each target of the edges of `group`.
#[inline]
fn for_each_target<G: Graph>(
    lists: Lists<'_, G>,
    groups: &Groups<'_>,
    group: usize,
    mut visit: impl FnMut(VertexId),
) {
    let mut reader = lists.reader();
    groups.for_each_list(group, |u, part| {
        for_each_in_part(&mut reader, u, part, &mut visit);
    });
}

struct CountSources<'a, K> {
    counts: &'a [AtomicU32],
    keep: K,
}

impl<K: Fn(VertexId) -> bool + Sync> Kernel for CountSources<'_, K> {
    #[inline]
    fn condition(&self, v: VertexId) -> bool {
        (self.keep)(v)
    }

    fn push(&self, _: VertexId, v: VertexId) -> bool {
        self.counts[v as usize].fetch_add(1, Relaxed) == 0
    }
}

impl<K: Fn(VertexId) -> bool + Sync> Gather for CountSources<'_, K> {
    type Gathered = u32;

    #[inline]
    fn gather(&self, count: &mut u32, _: VertexId) -> ControlFlow<()> {
        *count += 1;
        ControlFlow::Continue(())
    }

    /// Without a branch on the answer.
    #[inline]
    fn gather_list(
        &self,
        count: &mut u32,
        list: &[VertexId],
        is_source: impl Fn(VertexId) -> bool,
    ) -> ControlFlow<()> {
        *count += list.iter().map(|&u| u32::from(is_source(u))).sum::<u32>();
        ControlFlow::Continue(())
    }

    fn merge(&self, count: &mut u32, next: u32) {
        *count += next;
    }

    #[inline]
    fn apply(&self, v: VertexId, count: u32) -> bool {
        self.counts[v as usize].store(count, Relaxed);
        count > 0
    }
}
