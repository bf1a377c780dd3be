//! A plane: the lists of one direction, cut into sections.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

use evergraph_persistence::{PersistenceError, SectionKey, Words, prefetch_for_write};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use rayon::prelude::*;

use crate::entry::{is_tombstone, neighbor};
use crate::front::sharding::{ArcColumns, DEFAULT_BIAS, RangeSorter, Sharded, deal};
use crate::layout::Base;
use crate::lengths::LengthPage;
use crate::list::ListScratch;
use crate::section::{Body, Commits, Context, Section};
use crate::section_format;

/// Groups of fewer entries are applied one by one.
const SHARD_AT_LEAST: usize = 16;
/// Groups of fewer entries are applied by one thread.
const PARALLEL_AT_LEAST: usize = 1 << 14;
/// Entries for which a plane keeps the memory of its sharding.
const KEEP_SHARDED: usize = 1 << 20;

/// Sections that are fetched while one is pinned, itself included, where the graph
/// is larger than memory.
const ANNOUNCED_SECTIONS: usize = 3;

/// The adjacency of one direction. Sections have a fixed number of vertices
/// and come into being when their first edge does.
pub struct Plane {
    number: u32,
    section_shift: u32,
    columns: usize,
    sections: RwLock<Vec<Option<Arc<Section>>>>,
    /// Memory for cutting up batches.
    sharded: Mutex<Sharded>,
}

/// One section as of one commit; slices of it stay valid as long as it lives.
#[derive(Clone, Debug)]
pub struct SectionView {
    /// Every list is just its merged part, whole and without tombstones: then
    /// `starts` and `words` say everything, as in a static graph.
    plain: bool,
    starts: Words,
    words: Words,
    /// In a section that is not plain, where each list without tombstones starts
    /// in the extent, and its entries there, with [`BUFFERED`] if there are more;
    /// for other lists [`GENERAL`].
    spans: Words,
    pub(crate) page: Arc<LengthPage>,
    /// Direct mode: entries of each list in the extent when the view looked.
    in_place: Option<Arc<[u32]>>,
    body: Arc<Body>,
}

/// Length of a list in [`SectionView::spans`] that has to be put together.
const GENERAL: u32 = u32::MAX;
/// Bit of a length there: the list goes on in the vertex buffers.
const BUFFERED: u32 = 1 << 31;

/// A list of more bytes is not fetched with its neighbors: passes leave it for the
/// end, and read it in pieces.
const LONG_LIST_BYTES: u64 = 32 << 10;
/// A list of no more bytes is fetched as it is read.
const SHORT_LIST_BYTES: u64 = 8 << 10;
/// What of a list is fetched at once.
const MOST_LIST_BYTES: u64 = 2 << 20;
/// What lies so near is fetched with one call.
const NEAR_BYTES: u64 = 8 << 10;

/// What applying a group did to one plane.
#[derive(Debug, Default)]
pub struct Applied {
    /// Live edges added less those removed.
    pub balance: i64,
    /// Deletions without effect, by commit of the group.
    pub missed: Vec<u32>,
}

impl Plane {
    /// An empty plane; sections hold `1 << section_shift` vertices.
    pub fn new(number: u32, section_shift: u32, columns: usize) -> Self {
        Plane {
            number,
            section_shift,
            columns,
            sections: RwLock::new(Vec::new()),
            sharded: Mutex::default(),
        }
    }

    /// The plane's number in the section directory.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Vertices in a section.
    pub fn section_lists(&self) -> usize {
        1 << self.section_shift
    }

    /// Sections that exist.
    pub fn section_count(&self) -> usize {
        self.sections.read().iter().flatten().count()
    }

    /// Puts a stored section into its place.
    pub fn insert_section(&self, number: u32, section: Section) {
        let mut sections = self.sections.write();
        if sections.len() <= number as usize {
            sections.resize_with(number as usize + 1, || None);
        }
        sections[number as usize] = Some(Arc::new(section));
    }

    /// First vertex of a section.
    pub fn first_vertex(&self, section: u32) -> u32 {
        section << self.section_shift
    }

    /// A section by number, if it exists.
    pub fn section(&self, number: usize) -> Option<Arc<Section>> {
        self.sections.read().get(number).cloned().flatten()
    }

    /// All sections that exist.
    pub fn sections(&self) -> Vec<(SectionKey, Arc<Section>)> {
        let sections = self.sections.read();
        let numbered = sections.iter().enumerate();
        numbered
            .filter_map(|(number, section)| {
                let key = SectionKey {
                    plane: self.number,
                    section: number as u32,
                };
                section.as_ref().map(|section| (key, Arc::clone(section)))
            })
            .collect()
    }

    /// Makes every section that one of the vertices needs.
    pub fn reach(&self, vertices: impl Iterator<Item = u32> + Clone) {
        let number = |vertex: u32| (vertex >> self.section_shift) as usize;
        let complete = {
            let sections = self.sections.read();
            let mut numbers = vertices.clone().map(number);
            numbers.all(|n| sections.get(n).is_some_and(Option::is_some))
        };
        if !complete {
            self.create_missing(vertices.map(number));
        }
    }

    /// The sections, for many accesses one after another.
    pub fn access(&self) -> PlaneAccess<'_> {
        PlaneAccess {
            sections: self.sections.read(),
            section_shift: self.section_shift,
        }
    }

    fn create_missing(&self, numbers: impl Iterator<Item = usize>) {
        let mut sections = self.sections.write();
        for number in numbers {
            if sections.len() <= number {
                sections.resize_with(number + 1, || None);
            }
            if sections[number].is_none() {
                let first = self.first_vertex(number as u32);
                let section = Section::empty(first, self.section_lists(), self.columns);
                sections[number] = Some(Arc::new(section));
            }
        }
    }

    /// Applies a group's entries in order (see [`Section::apply`]). With
    /// `reports`, some of them may be deletions whose failure is of interest.
    pub fn apply(
        &self,
        context: &Context,
        commits: Commits,
        needed: &[u64],
        batch: &[ArcColumns<'_>],
        reports: bool,
    ) -> Result<Applied, PersistenceError> {
        let edges: usize = batch.iter().map(|columns| columns.sources.len()).sum();
        if edges < SHARD_AT_LEAST {
            return self.apply_few(context, commits, needed, batch);
        }
        let threads = if edges < PARALLEL_AT_LEAST {
            1
        } else {
            rayon::current_num_threads()
        };
        let mut sharded = self.sharded.lock();
        let extras = reports || self.columns == 2;
        sharded.scatter(batch, self.section_shift, extras, threads, DEFAULT_BIAS);
        self.create_missing_of(&sharded);
        let sections = self.sections.read();
        let shards = &*context.shards;
        let apply = |shard: usize, ranges: &[usize]| {
            let mut done = Applied::default();
            let mut sorter = RangeSorter::default();
            for &range in ranges {
                let range = sharded.range(range);
                sorter.for_each_section(range, self.section_shift, |number, arcs, extras| {
                    if shards.of_section(number) != shard {
                        return Ok(());
                    }
                    let section = sections[number].as_ref().expect("created above");
                    let missed = &mut done.missed;
                    done.balance +=
                        section.apply(context, commits, needed, arcs, extras, missed)?;
                    Ok::<(), PersistenceError>(())
                })?;
            }
            Ok(done)
        };
        let shares = |shard| deal(&sharded.counts_of(shards, shard), threads);
        let lists: Vec<Vec<Vec<usize>>> = (0..shards.count()).map(shares).collect();
        let applied: Mutex<Vec<Result<Applied, PersistenceError>>> = Mutex::default();
        shards.drain(&lists, threads, |items| {
            let shard = items.shard();
            for ranges in items {
                let done = apply(shard, ranges);
                applied.lock().push(done);
            }
        });
        let mut all = Applied::default();
        for applied in applied.into_inner() {
            let applied = applied?;
            all.balance += applied.balance;
            all.missed.extend(applied.missed);
        }
        drop(sections);
        sharded.shrink(KEEP_SHARDED);
        Ok(all)
    }

    /// One entry after another: for groups that are not worth counting.
    fn apply_few(
        &self,
        context: &Context,
        commits: Commits,
        needed: &[u64],
        batch: &[ArcColumns<'_>],
    ) -> Result<Applied, PersistenceError> {
        let mut entries = Vec::new();
        for columns in batch {
            columns.for_each(|vertex, word, extra| entries.push((vertex, word, extra)));
        }
        self.reach(entries.iter().map(|entry| entry.0));
        let access = self.access();
        let mut done = Applied::default();
        for (vertex, word, extra) in entries {
            let (_, section, _) = access.section_of(vertex).expect("created above");
            let arc = u64::from(vertex) << 32 | u64::from(word);
            let missed = &mut done.missed;
            done.balance += section.apply(context, commits, needed, &[arc], &[extra], missed)?;
        }
        Ok(done)
    }

    fn create_missing_of(&self, sharded: &Sharded) {
        let missing = |sections: &[Option<Arc<Section>>], number: usize| {
            sections.get(number).is_none_or(Option::is_none)
        };
        let mut numbers = Vec::new();
        {
            let sections = self.sections.read();
            sharded.for_each_section_number(self.section_shift, |number| {
                if missing(&sections, number) {
                    numbers.push(number);
                }
            });
        }
        if !numbers.is_empty() {
            self.create_missing(numbers.into_iter());
        }
    }

    /// All sections as of commit `csn`, empty where there is none; `needed` as
    /// the registry gives it after the view has registered. With `verify`, the
    /// entries are checked against their checksums first (once for each section
    /// since open), in parallel.
    pub fn views(
        &self,
        context: &Context,
        csn: u64,
        needed: &[u64],
        verify: bool,
    ) -> Result<Vec<SectionView>, PersistenceError> {
        let sections = self.sections.read().clone();
        let empty = SectionView::empty(self.section_lists());
        let fits = context.region.fits_in_memory();
        sections
            .par_iter()
            .enumerate()
            .with_min_len(64)
            .map(|(number, section)| {
                if !fits {
                    let coming = sections[number..].iter().take(ANNOUNCED_SECTIONS);
                    coming.flatten().for_each(|s| s.prefetch_for_view(verify));
                }
                let Some(section) = section else {
                    return Ok(empty.clone());
                };
                let view = section.view(context, csn, needed)?;
                if verify {
                    view.verify(context)?;
                }
                // Whoever takes all sections reads them more than once.
                if verify && view.body.base.is_in_pairs() {
                    return Ok(view.in_columns());
                }
                Ok(view)
            })
            .collect()
    }
}

/// The sections of a plane under one lock; new ones wait meanwhile.
pub struct PlaneAccess<'a> {
    sections: RwLockReadGuard<'a, Vec<Option<Arc<Section>>>>,
    section_shift: u32,
}

impl PlaneAccess<'_> {
    /// Number and section of a vertex, and its list there, if it exists.
    #[inline(always)]
    pub fn section_of(&self, vertex: u32) -> Option<(u32, &Section, usize)> {
        let number = vertex >> self.section_shift;
        let section = self.sections.get(number as usize)?.as_deref()?;
        let list = vertex & ((1 << self.section_shift) - 1);
        Some((number, section, list as usize))
    }

    /// Announces an insertion that comes some steps later: fetches the section.
    #[inline(always)]
    pub fn prefetch_section(&self, vertex: u32) {
        if let Some((_, section, _)) = self.section_of(vertex) {
            prefetch_for_write(std::ptr::from_ref(section).cast());
        }
    }
}

impl SectionView {
    pub(crate) fn new(
        body: Arc<Body>,
        page: Arc<LengthPage>,
        in_place: Option<Arc<[u32]>>,
        fits_in_memory: bool,
    ) -> Self {
        let mut view = SectionView {
            plain: false,
            starts: Words::owned(Vec::new()),
            words: Words::owned(Vec::new()),
            spans: Words::owned(Vec::new()),
            page,
            in_place,
            body,
        };
        if let Base::Packed(base) = &view.body.base {
            // Where an index is not at hand, places of lists are kept in DRAM, or
            // reading a random list would fetch a page of the index first.
            view.plain = fits_in_memory
                && !base.has_gaps
                && view.page.tombstones.is_none()
                && view
                    .page
                    .len
                    .iter()
                    .enumerate()
                    .all(|(list, &len)| len as usize == base.list_len(list));
            view.starts = base.starts.clone();
            view.words = base.words.clone();
        }
        if !view.plain {
            view.spans = Words::owned(view.find_spans());
        }
        view
    }

    fn find_spans(&self) -> Vec<u32> {
        let mut spans = Vec::with_capacity(2 * self.page.len.len());
        for (list, &len) in self.page.len.iter().enumerate() {
            if matches!(self.body.base, Base::Blocks(_)) {
                spans.extend([0, GENERAL]);
                continue;
            }
            let (start, in_extent) = self.in_extent(list);
            let general =
                self.page.tombstones(list) > 0 || len >= BUFFERED || self.body.base.is_in_pairs();
            let span = match len as usize <= in_extent {
                _ if general => GENERAL,
                true => len,
                false => in_extent as u32 | BUFFERED,
            };
            spans.extend([start as u32, span]);
        }
        spans
    }

    /// Where a list starts in the extent, and its entries there.
    #[inline(always)]
    fn in_extent(&self, list: usize) -> (usize, usize) {
        let start = self.starts[list] as usize;
        let len = match &self.in_place {
            None => self.starts[list + 1] as usize - start,
            Some(in_place) => in_place[list] as usize,
        };
        (start, len)
    }

    /// A section without edges.
    pub fn empty(lists: usize) -> Self {
        let body = Body {
            generation: 0,
            csn: 0,
            base: Base::empty(lists),
            buffers: OnceLock::new(),
        };
        SectionView::new(
            Arc::new(body),
            Arc::new(LengthPage::empty(lists)),
            None,
            true,
        )
    }

    /// Starts fetching what the lists from `list` on have on the medium, until that
    /// is about `most` bytes; for a pass over the section. Long lists are left out:
    /// whoever comes to one fetches it by [`SectionView::prefetch_list`]. Returns
    /// how many bytes it asked for.
    pub fn prefetch(&self, list: usize, most: u64) -> u64 {
        let base = match &self.body.base {
            Base::Packed(base) => base,
            Base::Blocks(base) => {
                // Chains lie anywhere in the slabs.
                base.extents().for_each(|extent| extent.prefetch());
                return base.extents().map(|extent| extent.len()).sum();
            }
        };
        let Some(extent) = base.extent() else {
            return 0;
        };
        let mut asked = 0;
        let mut waiting = 0..0u64;
        for list in list..self.page.len.len() {
            let place = self.place_in_extent(base, list);
            if place.end - place.start > LONG_LIST_BYTES {
                continue;
            }
            if place.start > waiting.end + NEAR_BYTES {
                extent.prefetch_range(waiting.start, waiting.end - waiting.start);
                asked += waiting.end - waiting.start;
                waiting = place;
                continue;
            }
            waiting.end = place.end;
            if asked + (waiting.end - waiting.start) >= most {
                break;
            }
        }
        extent.prefetch_range(waiting.start, waiting.end - waiting.start);
        asked + (waiting.end - waiting.start)
    }

    /// About how many bytes of the medium a pass over the section reads.
    pub fn bytes(&self) -> u64 {
        match &self.body.base {
            Base::Packed(base) => 4 * base.words.count() as u64,
            Base::Blocks(base) => 4 * base.entries(),
        }
    }

    /// Starts fetching entries `range` of a list if they are more than two pages.
    pub fn prefetch_list(&self, list: usize, range: Range<usize>) {
        let base = match &self.body.base {
            Base::Packed(base) => base,
            Base::Blocks(base) => {
                // Its blocks are all over the section, and a part of the list is
                // reached by way of all before it.
                if 4 * u64::from(self.page.len[list]) > LONG_LIST_BYTES {
                    base.extents().for_each(|extent| extent.prefetch());
                }
                return;
            }
        };
        let place = self.place_in_extent(base, list);
        let start = place.start + 4 * (range.start as u64).min(place.end);
        let end = place.end.min(
            place
                .start
                .saturating_add(4u64.saturating_mul(range.end as u64)),
        );
        if let Some(extent) = base.extent()
            && end.saturating_sub(start) > SHORT_LIST_BYTES
        {
            extent.prefetch_range(start, (end - start).min(MOST_LIST_BYTES));
        }
    }

    /// Bytes of the words of a list in its extent.
    fn place_in_extent(&self, base: &section_format::Base, list: usize) -> Range<u64> {
        let (start, len) = match self.spans.get(2 * list..2 * list + 2) {
            Some(&[start, len]) if len & BUFFERED == 0 => (start as usize, len as usize),
            _ => self.in_extent(list),
        };
        base.word_at(start)..base.word_at(start + len)
    }

    /// The same lists in DRAM, for entries that are stored as pairs of word and
    /// weight: so that loops over the neighbors see slices.
    fn in_columns(&self) -> Self {
        let entries = self.page.totals().0 as usize;
        let mut starts = vec![0];
        let mut columns = ListScratch::default();
        columns.words.reserve_exact(entries);
        columns.weights.reserve_exact(entries);
        for list in 0..self.page.len.len() {
            let _ = self.for_each_raw_segment::<()>(list, |words, weights| {
                columns.extend(words, weights);
                ControlFlow::Continue(())
            });
            starts.push(columns.words.len() as u32);
        }
        let body = Body {
            generation: self.body.generation,
            csn: self.body.csn,
            base: Base::Packed(section_format::Base::in_columns(
                starts,
                columns.words,
                columns.weights,
            )),
            buffers: OnceLock::new(),
        };
        SectionView::new(Arc::new(body), Arc::clone(&self.page), None, true)
    }

    /// Checks the entries of the section, once since open.
    pub fn verify(&self, context: &Context) -> Result<(), PersistenceError> {
        self.body.base.verify(&context.uuid)
    }

    /// Entries of the section, and tombstones among them, as counted.
    pub fn totals(&self) -> (u64, u64) {
        self.page.totals()
    }

    /// Live entries of the section.
    pub fn live_entries(&self) -> u64 {
        let (entries, tombstones) = self.page.totals();
        entries - 2 * tombstones
    }

    /// Live entries of a list.
    #[inline(always)]
    pub fn degree(&self, list: usize) -> usize {
        if self.plain {
            return (self.starts[list + 1] - self.starts[list]) as usize;
        }
        match self.spans[2 * list + 1] {
            len if len & BUFFERED == 0 => len as usize,
            _ => self.page.live(list) as usize,
        }
    }

    /// Entries of a list, tombstones included.
    #[inline(always)]
    pub fn raw_len(&self, list: usize) -> usize {
        self.page.len[list] as usize
    }

    /// Calls `visit` with each slice of live neighbors in a list.
    ///
    /// A list without deletions comes as one slice of the extent and slices of
    /// the vertex buffers; others are assembled in `scratch` first.
    #[inline(always)]
    pub fn for_each_segment<B>(
        &self,
        list: usize,
        scratch: &mut ListScratch,
        mut visit: impl FnMut(&[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.plain {
            let start = self.starts[list] as usize;
            let end = self.starts[list + 1] as usize;
            return visit(self.words.range(start, end - start));
        }
        let (start, len) = (self.spans[2 * list], self.spans[2 * list + 1]);
        if len == GENERAL {
            return self.for_each_general_segment(list, scratch, visit);
        }
        let merged = (len & !BUFFERED) as usize;
        if merged > 0 || len == 0 {
            visit(self.words.range(start as usize, merged))?;
        }
        if len & BUFFERED == 0 {
            return ControlFlow::Continue(());
        }
        let buffered = self.page.len[list] as usize - merged;
        self.buffer_segments(list, buffered, |words, _| visit(words))
    }

    /// Lists with tombstones, and all of sections that are not packed. Apart, so
    /// that the loop over the others stays small.
    #[inline(never)]
    fn for_each_general_segment<B>(
        &self,
        list: usize,
        scratch: &mut ListScratch,
        mut visit: impl FnMut(&[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.page.tombstones(list) > 0 {
            self.assemble(list, scratch);
            return visit(&scratch.words);
        }
        self.for_each_raw_segment(list, |words, _| visit(words))
    }

    /// As [`SectionView::for_each_segment`], with weight bits.
    pub fn for_each_weighted_segment<B>(
        &self,
        list: usize,
        scratch: &mut ListScratch,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.page.tombstones(list) > 0 {
            self.assemble(list, scratch);
            return visit(&scratch.words, &scratch.weights);
        }
        self.for_each_raw_segment(list, visit)
    }

    /// Calls `visit` with the words and weight bits of a list as they are
    /// stored, tombstones included.
    pub fn for_each_raw_segment<B>(
        &self,
        list: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.for_each_merged_segment(list, &mut visit)?;
        self.for_each_buffered_segment(list, visit)
    }

    /// Entries of a list that are in the extent.
    #[inline(always)]
    fn merged_len(&self, list: usize) -> usize {
        match &self.in_place {
            None => self.body.base.list_len(list),
            Some(in_place) => in_place[list] as usize,
        }
    }

    /// What of [`SectionView::for_each_raw_segment`] is in the extent.
    #[inline(always)]
    pub(crate) fn for_each_merged_segment<B>(
        &self,
        list: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let merged = self.merged_len(list).min(self.raw_len(list));
        self.body.base.for_each_segment(list, merged, visit)
    }

    /// What of [`SectionView::for_each_raw_segment`] is behind the extent.
    #[inline(always)]
    pub(crate) fn for_each_buffered_segment<B>(
        &self,
        list: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let buffered = self.raw_len(list).saturating_sub(self.merged_len(list));
        self.buffer_segments(list, buffered, visit)
    }

    #[inline(never)]
    fn buffer_segments<B>(
        &self,
        list: usize,
        count: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self.body.buffers.get() {
            Some(buffers) => buffers.for_each_segment(list, count, visit),
            None => ControlFlow::Continue(()),
        }
    }

    #[cold]
    fn assemble(&self, list: usize, scratch: &mut ListScratch) {
        scratch.clear();
        let _ = self.for_each_raw_segment::<()>(list, |words, weights| {
            scratch.extend(words, weights);
            ControlFlow::Continue(())
        });
        scratch.cancel();
    }

    /// Largest neighbor id that the section names, for `check`.
    pub fn largest_neighbor(&self) -> Option<u32> {
        let mut largest = None;
        for list in 0..self.page.len.len() {
            let _ = self.for_each_raw_segment::<()>(list, |words, _| {
                largest = largest.max(words.iter().map(|&w| neighbor(w)).max());
                ControlFlow::Continue(())
            });
        }
        largest
    }

    /// Entries of the section and tombstones among them, counted from the
    /// words themselves: for `check`.
    pub fn recount(&self) -> (u64, u64) {
        let (mut entries, mut tombstones) = (0, 0);
        for list in 0..self.page.len.len() {
            let _ = self.for_each_raw_segment::<()>(list, |words, _| {
                entries += words.len() as u64;
                tombstones += words.iter().filter(|&&w| is_tombstone(w)).count() as u64;
                ControlFlow::Continue(())
            });
        }
        (entries, tombstones)
    }
}
