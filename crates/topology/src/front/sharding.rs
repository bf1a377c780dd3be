//! Cutting a batch into ranges of sources and dealing them out to threads
//! (XPGraph's section 4.1).
//!
//! The number of ranges follows from the number of edges, so that neither a
//! small batch pays for many counters nor a large one ends in few lumps. Each
//! thread counts a part of the batch, prefix sums give every thread its own
//! places in every range, and each scatters its part: no two threads share a
//! place, and edges of one source keep their order.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};

use super::shards::Shards;

/// XPGraph's bias b: on average `2^b` edges come into a range.
pub const DEFAULT_BIAS: u32 = 4;
/// Batches of fewer entries are cut by one thread.
const PARALLEL_AT_LEAST: usize = 1 << 15;
/// More counters than this would not stay in the cache.
const MAX_RANGES: usize = 1 << 16;

/// Some edges of a group, by column. In an adjacency of in-lists, sources and targets
/// change places.
#[derive(Clone, Copy, Debug)]
pub struct ArcColumns<'a> {
    /// Vertices whose lists get the entries.
    pub sources: &'a [u32],
    /// Neighbors.
    pub targets: &'a [u32],
    /// Bits of weights, ids of relationships, or nothing.
    pub weights: &'a [u32],
    /// Tag of the neighbor words: a tombstone's, or none.
    pub tag: u32,
    /// Index in the group of the commit that reports deletions without effect.
    pub origin: u32,
    /// Each edge is stored at both ends, one right after the other.
    pub mirrored: bool,
}

/// The reverse entry of an edge reports nothing: its forward entry does.
pub const NO_ORIGIN: u32 = u32::MAX;

/// Entries of a batch by range of sections, in batch order within each range.
#[derive(Debug, Default)]
pub struct Sharded {
    /// `vertex << 32 | word`.
    arcs: Vec<AtomicU64>,
    /// `origin << 32 | weight bits`, or nothing if neither matters.
    extras: Vec<AtomicU64>,
    /// Start of each range; one more than there are ranges.
    starts: Vec<usize>,
    /// Sections of a range, as a power of two.
    range_shift: u32,
    first_range: usize,
}

/// One range.
#[derive(Clone, Copy, Debug)]
pub struct ShardedRange<'a> {
    /// As `Sharded::arcs`.
    pub arcs: &'a [u64],
    /// As `Sharded::extras`.
    pub extras: &'a [u64],
    /// Whether the range is one section.
    is_section: bool,
}

/// Number of ranges that `edges` are cut into: `2^(log2(edges) - bias)`.
pub fn range_count(edges: usize, bias: u32) -> usize {
    1 << edges.max(1).ilog2().saturating_sub(bias)
}

/// Deals ranges with so many edges each out to threads: a thread takes ranges one after
/// another up to 95 % of the average; ranges that would pass that go, the largest first,
/// to the thread with the fewest edges. Returns the ranges of each thread, ascending.
pub fn deal(edges: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let threads = threads.max(1);
    let total: usize = edges.iter().sum();
    // 95 % of the average, in twentieths of an edge and whole threads.
    let passes = |sum: usize| 20 * threads as u128 * sum as u128 > 19 * total as u128;
    let mut dealt = vec![(0usize, Vec::new()); threads];
    let mut left = Vec::new();
    let mut thread = 0;
    for (range, &count) in edges.iter().enumerate() {
        if count == 0 {
            continue;
        }
        if thread < threads && passes(dealt[thread].0 + count) && dealt[thread].0 > 0 {
            thread += 1;
        }
        if thread == threads || passes(dealt[thread].0 + count) {
            left.push(range);
            continue;
        }
        dealt[thread].0 += count;
        dealt[thread].1.push(range);
    }
    left.sort_by_key(|&range| std::cmp::Reverse(edges[range]));
    for range in left {
        let idlest = dealt.iter_mut().min_by_key(|(sum, _)| *sum);
        let (sum, ranges) = idlest.expect("there is a thread");
        *sum += edges[range];
        ranges.push(range);
    }
    let sorted = dealt.into_iter().map(|(_, mut ranges)| {
        ranges.sort_unstable();
        ranges
    });
    sorted.collect()
}

/// The largest share that a thread got, as a multiple of the average.
pub fn imbalance(edges: &[usize], dealt: &[Vec<usize>]) -> f64 {
    let total: usize = edges.iter().sum();
    let most = dealt
        .iter()
        .map(|ranges| ranges.iter().map(|&range| edges[range]).sum::<usize>())
        .max();
    most.unwrap_or(0) as f64 * dealt.len() as f64 / total.max(1) as f64
}

impl ArcColumns<'_> {
    /// Calls `visit` with vertex, neighbor word and extra of each entry.
    pub fn for_each(&self, visit: impl FnMut(u32, u32, u64)) {
        let part = Part {
            columns: self,
            from: 0,
            to: self.sources.len(),
        };
        part.for_each(visit);
    }
}

/// A part of a batch: some edges of one of its columns.
#[derive(Clone, Copy)]
struct Part<'a> {
    columns: &'a ArcColumns<'a>,
    from: usize,
    to: usize,
}

impl Part<'_> {
    /// Calls `visit` with vertex, neighbor word and extra of each entry.
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(u32, u32, u64)) {
        let columns = self.columns;
        let (sources, targets) = (
            &columns.sources[self.from..self.to],
            &columns.targets[self.from..self.to],
        );
        let weights = columns.weights.get(self.from..self.to).unwrap_or(&[]);
        let origin = u64::from(columns.origin) << 32;
        for (i, (&source, &target)) in sources.iter().zip(targets).enumerate() {
            let weight = weights.get(i).map_or(0, |&bits| u64::from(bits));
            visit(source, target | columns.tag, origin | weight);
            if columns.mirrored {
                let extra = u64::from(NO_ORIGIN) << 32 | weight;
                visit(target, source | columns.tag, extra);
            }
        }
    }
}

fn entries_of(columns: &ArcColumns<'_>) -> usize {
    columns.sources.len() * (1 + usize::from(columns.mirrored))
}

/// Cuts a batch into `parts` parts of about equal size, in order.
fn cut<'a>(batch: &'a [ArcColumns<'a>], parts: usize) -> Vec<Vec<Part<'a>>> {
    let edges: usize = batch.iter().map(|columns| columns.sources.len()).sum();
    let each = edges.div_ceil(parts).max(1);
    let mut cut: Vec<Vec<Part<'a>>> = vec![Vec::new()];
    let mut room = each;
    for columns in batch {
        let mut from = 0;
        while from < columns.sources.len() {
            if room == 0 {
                cut.push(Vec::new());
                room = each;
            }
            let to = (from + room).min(columns.sources.len());
            let last = cut.last_mut().expect("never empty");
            last.push(Part { columns, from, to });
            room -= to - from;
            from = to;
        }
    }
    cut
}

impl Sharded {
    /// Cuts a batch for sections of `1 << section_shift` vertices. With
    /// `extras`, origins and weights come along.
    pub fn scatter(
        &mut self,
        batch: &[ArcColumns<'_>],
        section_shift: u32,
        extras: bool,
        threads: usize,
        bias: u32,
    ) {
        let entries: usize = batch.iter().map(entries_of).sum();
        let threads = if entries < PARALLEL_AT_LEAST {
            1
        } else {
            threads
        };
        let parts = cut(batch, threads);
        let (least, most) = bounds(batch);
        let sections = (least >> section_shift) as usize..=(most >> section_shift) as usize;
        let wanted = range_count(entries, bias).min(MAX_RANGES);
        let mut range_shift = 0;
        while (sections.end() >> range_shift) - (sections.start() >> range_shift) >= wanted {
            range_shift += 1;
        }
        self.range_shift = range_shift;
        self.first_range = sections.start() >> range_shift;
        let ranges = (sections.end() >> range_shift) - self.first_range + 1;
        let shift = section_shift + range_shift;
        let mut places = in_parallel(parts.iter().collect(), |part: &Vec<Part<'_>>| {
            let mut counts = vec![0usize; ranges];
            for part in part {
                part.for_each(|vertex, _, _| {
                    counts[(vertex >> shift) as usize - self.first_range] += 1;
                });
            }
            counts
        });
        self.starts.clear();
        self.starts.push(0);
        let mut place = 0;
        for range in 0..ranges {
            for counts in &mut places {
                let count = std::mem::replace(&mut counts[range], place);
                place += count;
            }
            self.starts.push(place);
        }
        resize(&mut self.arcs, entries);
        resize(&mut self.extras, if extras { entries } else { 0 });
        let first_range = self.first_range;
        let (arcs, extras_out) = (&self.arcs[..], &self.extras[..]);
        let work: Vec<_> = parts.iter().zip(places).collect();
        in_parallel(work, |(part, mut places)| {
            for part in part {
                part.for_each(|vertex, word, extra| {
                    let place = &mut places[(vertex >> shift) as usize - first_range];
                    let arc = u64::from(vertex) << 32 | u64::from(word);
                    arcs[*place].store(arc, Ordering::Relaxed);
                    if extras {
                        extras_out[*place].store(extra, Ordering::Relaxed);
                    }
                    *place += 1;
                });
            }
        });
    }

    /// Ranges.
    pub fn range_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Entries of each range.
    pub fn counts(&self) -> Vec<usize> {
        self.starts
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect()
    }

    /// Entries of each range that holds sections of a shard, else nothing. Where
    /// ranges are larger than sections, each may hold some of any shard.
    pub fn counts_of(&self, shards: &Shards, shard: usize) -> Vec<usize> {
        let mut counts = self.counts();
        if self.range_shift == 0 && shards.count() > 1 {
            for (range, count) in counts.iter_mut().enumerate() {
                if shards.of_section(self.first_range + range) != shard {
                    *count = 0;
                }
            }
        }
        counts
    }

    /// Calls `visit` with the number of each section that gets an entry; where
    /// ranges are larger than sections, with some more than once.
    pub fn for_each_section_number(&self, section_shift: u32, mut visit: impl FnMut(usize)) {
        if self.range_shift > 0 {
            for arc in plain(&self.arcs) {
                visit((arc >> 32 >> section_shift) as usize);
            }
            return;
        }
        for (range, pair) in self.starts.windows(2).enumerate() {
            if pair[0] < pair[1] {
                visit(self.first_range + range);
            }
        }
    }

    /// One range.
    pub fn range(&self, range: usize) -> ShardedRange<'_> {
        let (from, to) = (self.starts[range], self.starts[range + 1]);
        let extras = if self.extras.is_empty() {
            &[]
        } else {
            plain(&self.extras[from..to])
        };
        ShardedRange {
            arcs: plain(&self.arcs[from..to]),
            extras,
            is_section: self.range_shift == 0,
        }
    }

    /// Lets go of memory beyond `entries`.
    pub fn shrink(&mut self, entries: usize) {
        if self.arcs.capacity() > entries {
            self.arcs = Vec::new();
            self.extras = Vec::new();
        }
    }
}

/// Groups the entries of a range by section.
#[derive(Debug, Default)]
pub struct RangeSorter {
    order: Vec<u32>,
    arcs: Vec<u64>,
    extras: Vec<u64>,
}

impl RangeSorter {
    /// Calls `visit` with the number, the arcs and the extras of each section in
    /// a range, in batch order within a section.
    pub fn for_each_section<E>(
        &mut self,
        range: ShardedRange<'_>,
        section_shift: u32,
        mut visit: impl FnMut(usize, &[u64], &[u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let number = |arc: u64| (arc >> 32 >> section_shift) as usize;
        let (mut arcs, mut extras) = (range.arcs, range.extras);
        let Some(&first) = arcs.first() else {
            return Ok(());
        };
        if range.is_section {
            return visit(number(first), arcs, extras);
        }
        if !arcs.is_sorted_by_key(|&arc| number(arc)) {
            self.order.clear();
            self.order.extend(0..arcs.len() as u32);
            self.order.sort_by_key(|&i| number(arcs[i as usize]));
            let at = |&i: &u32| i as usize;
            self.arcs.clear();
            self.arcs.extend(self.order.iter().map(at).map(|i| arcs[i]));
            self.extras.clear();
            if !extras.is_empty() {
                let sorted = self.order.iter().map(at).map(|i| extras[i]);
                self.extras.extend(sorted);
            }
            (arcs, extras) = (&self.arcs, &self.extras);
        }
        let mut from = 0;
        for group in arcs.chunk_by(|&a, &b| number(a) == number(b)) {
            let to = from + group.len();
            visit(number(group[0]), group, extras.get(from..to).unwrap_or(&[]))?;
            from = to;
        }
        Ok(())
    }
}

/// The scattered words, without atomics: no thread writes them any more.
fn plain(words: &[AtomicU64]) -> &[u64] {
    // SAFETY: `AtomicU64` has the layout of `u64`. Stores happen only within
    // `scatter`, which has `&mut Sharded` and joins its threads before it
    // returns; the slice borrows `Sharded`.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}

fn resize(words: &mut Vec<AtomicU64>, len: usize) {
    if words.len() > len {
        words.truncate(len);
    } else {
        words.resize_with(len, || AtomicU64::new(0));
    }
}

/// Smallest and largest vertex whose list gets an entry.
fn bounds(batch: &[ArcColumns<'_>]) -> (u32, u32) {
    let (mut least, mut most) = (u32::MAX, 0);
    let mut cover = |vertices: &[u32]| {
        for &vertex in vertices {
            least = least.min(vertex);
            most = most.max(vertex);
        }
    };
    for columns in batch {
        cover(columns.sources);
        if columns.mirrored {
            cover(columns.targets);
        }
    }
    (least.min(most), most)
}

/// Runs `work` on each input, on threads of its own where there are several.
fn in_parallel<I: Send, O: Send>(inputs: Vec<I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    if inputs.len() <= 1 {
        return inputs.into_iter().map(work).collect();
    }
    let mut outputs: Vec<Option<O>> = inputs.iter().map(|_| None).collect();
    rayon::scope(|scope| {
        for (input, output) in inputs.into_iter().zip(&mut outputs) {
            let work = &work;
            scope.spawn(move |_| *output = Some(work(input)));
        }
    });
    outputs.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_number_of_ranges_follows_the_number_of_edges() {
        assert_eq!(range_count(1 << 16, 4), 4096);
        assert_eq!(range_count(1 << 20, 4), 1 << 16);
        assert_eq!(range_count(9, 4), 1);
        assert_eq!(range_count(0, 4), 1);
    }

    #[test]
    fn a_range_too_large_for_any_thread_harms_only_one() {
        let mut edges = vec![10; 100];
        edges[3] = 5000;
        let dealt = deal(&edges, 4);
        let sums: Vec<usize> = dealt
            .iter()
            .map(|ranges| ranges.iter().map(|&r| edges[r]).sum())
            .collect();
        assert_eq!(sums.iter().sum::<usize>(), 5990);
        assert_eq!(*sums.iter().max().unwrap(), 5000);
    }

    proptest! {
        /// Every range is dealt once, and no thread gets more than the average and the
        /// largest range.
        #[test]
        fn dealing_is_fair(edges in proptest::collection::vec(0usize..100, 0..300), threads in 1usize..70) {
            let dealt = deal(&edges, threads);
            prop_assert_eq!(dealt.len(), threads);
            let mut all: Vec<usize> = dealt.iter().flatten().copied().collect();
            all.sort_unstable();
            let expected: Vec<usize> = (0..edges.len()).filter(|&r| edges[r] > 0).collect();
            prop_assert_eq!(all, expected);
            let total: usize = edges.iter().sum();
            let largest = edges.iter().max().copied().unwrap_or(0);
            for ranges in dealt {
                let sum: usize = ranges.iter().map(|&r| edges[r]).sum();
                prop_assert!(sum * threads <= total + largest * threads);
            }
        }

        /// A scatter is a stable sort by section.
        #[test]
        fn scattering_is_a_stable_sort(
            batch in proptest::collection::vec(
                (proptest::collection::vec((0u32..500, 0u32..500), 0..60), any::<bool>(), any::<bool>()), 0..6),
            copies in 1usize..800,
            section_shift in 0u32..5,
            threads in 1usize..4,
            bias in 0u32..6,
        ) {
            let columns: Vec<_> = batch.into_iter().map(|(edges, mirrored, dead)| {
                let copies = copies.min(1 + 40_000 / edges.len().max(1));
                let sources: Vec<u32> = edges.iter().map(|e| e.0).cycle().take(edges.len() * copies).collect();
                let targets: Vec<u32> = edges.iter().map(|e| e.1).cycle().take(edges.len() * copies).collect();
                let weights: Vec<f32> = (0..sources.len()).map(|i| i as f32).collect();
                (sources, targets, weights, mirrored, dead)
            }).collect();
            let batch: Vec<ArcColumns<'_>> = columns.iter().enumerate().map(|(i, (s, t, w, mirrored, dead))| ArcColumns {
                sources: s,
                targets: t,
                weights: bytemuck::cast_slice(w),
                tag: if *dead { 1 << 31 } else { 0 },
                origin: i as u32,
                mirrored: *mirrored,
            }).collect();
            let mut expected = Vec::new();
            for c in &batch {
                for i in 0..c.sources.len() {
                    let weight = u64::from(c.weights[i]);
                    expected.push((c.sources[i], c.targets[i] | c.tag, u64::from(c.origin) << 32 | weight));
                    if c.mirrored {
                        expected.push((c.targets[i], c.sources[i] | c.tag, u64::from(NO_ORIGIN) << 32 | weight));
                    }
                }
            }
            let mut sharded = Sharded::default();
            sharded.scatter(&batch, section_shift, true, threads, bias);
            let shift = section_shift + sharded.range_shift;
            expected.sort_by_key(|e| e.0 >> shift);
            let mut found = Vec::new();
            for range in 0..sharded.range_count() {
                let range = sharded.range(range);
                for (&arc, &extra) in range.arcs.iter().zip(range.extras) {
                    found.push(((arc >> 32) as u32, arc as u32, extra));
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
