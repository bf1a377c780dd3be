//! A section as of one commit: its lists, read in slices.

mod lists;
mod versions;

pub(crate) use lists::{Lists, Segments};

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

use evergraph_storage::{StorageError, Uuid, Words};

use crate::entry::{is_tombstone, neighbor};
use crate::layout::Base;
use crate::lengths::{LengthPage, zeros};
use crate::list::{ListScratch, Visit};
use crate::section::body::Body;
use crate::section_format;

/// One section as of one commit; slices of it stay valid as long as it lives.
#[derive(Clone, Debug)]
pub struct SectionView {
    /// Every list is just its merged part, whole and without tombstones: then
    /// `starts` and `words` say everything, as in a static graph.
    plain: bool,
    /// Not of blocks: entries lie beside each other, and their weights beside them.
    packed: bool,
    starts: Words,
    words: Words,
    /// Beside `words` in a packed section that has weights, unless they are in pairs.
    weights: Option<Words>,
    /// In a section that is not plain, where each list without tombstones starts
    /// in `words`, and its entries there, with [`BUFFERED`] if there are more; of
    /// a list of several blocks the first, and its entries with [`CHAINED`]; for
    /// other lists [`GENERAL`].
    spans: Words,
    lists: Lists,
}

/// Length of a list in [`SectionView::spans`] that has to be put together.
const GENERAL: u32 = u32::MAX;
/// Bit of a length there: the list goes on in the vertex buffers.
const BUFFERED: u32 = 1 << 31;
/// Bit of a length there: the entries are those of a chain of blocks.
const CHAINED: u32 = 1 << 30;
/// So many lists ahead the end of a chain is fetched.
const CHAINS_AHEAD: usize = 4;

/// A list of more bytes is not fetched with its neighbors: passes leave it for the
/// end, and read it in pieces.
const LONG_LIST_BYTES: u64 = 32 << 10;
/// A list of no more bytes is fetched as it is read.
const SHORT_LIST_BYTES: u64 = 8 << 10;
/// Most bytes of a list that are fetched at once.
const MOST_LIST_BYTES: u64 = 2 << 20;
/// Ranges so near to each other are fetched with one call.
const NEAR_BYTES: u64 = 8 << 10;

impl SectionView {
    pub(crate) fn new(lists: Lists, fits_in_memory: bool) -> Self {
        let mut view = SectionView {
            plain: false,
            packed: false,
            starts: zeros(0),
            words: zeros(0),
            weights: None,
            spans: zeros(0),
            lists,
        };
        let Lists { body, page, .. } = &view.lists;
        if let Base::Packed(base) = &body.base {
            // If an index is not at hand, offsets of lists are kept in DRAM, or reading a
            // random list would fetch a page of the index first.
            let is_merged = || {
                let mut lengths = page.len.iter().enumerate();
                page.len.are_between(&base.starts)
                    || lengths.all(|(list, len)| len as usize == base.list_len(list))
            };
            view.plain =
                fits_in_memory && !base.has_gaps && page.tombstones.is_none() && is_merged();
            view.packed = true;
            view.starts = base.starts.clone();
            view.words = base.words.clone();
            view.weights = base.weights.clone();
        }
        if let Base::Blocks(base) = &body.base
            && let Some(words) = base.span_words()
        {
            view.words = words;
        }
        if !view.plain {
            view.spans = Words::owned(view.find_spans());
        }
        view
    }

    fn find_spans(&self) -> Vec<u32> {
        let mut spans = Vec::with_capacity(2 * self.lists.page.len.count());
        for (list, len) in self.lists.page.len.iter().enumerate() {
            let (start, merged, chained) = match &self.lists.body.base {
                Base::Packed(_) => {
                    let (start, merged) = self.in_extent(list);
                    (start as u32, merged as u32, 0)
                }
                Base::Blocks(base) => match base.span(list) {
                    Some((start, merged)) => (start, merged, 0),
                    None => {
                        let (first, merged) = base.place(list);
                        (first, merged, CHAINED)
                    }
                },
            };
            let general = self.lists.page.tombstones(list) > 0
                || len >= CHAINED
                || self.lists.body.base.is_in_pairs();
            let span = match len <= merged {
                _ if general => GENERAL,
                true => len | chained,
                false => merged | chained | BUFFERED,
            };
            spans.extend([start, span]);
        }
        spans
    }

    /// Start of a list in the extent, and its entries there.
    #[inline(always)]
    fn in_extent(&self, list: usize) -> (usize, usize) {
        let start = self.starts[list] as usize;
        let len = match &self.lists.in_place {
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
        let page = Arc::new(LengthPage::empty(lists));
        SectionView::new(Lists::new(Arc::new(body), page), true)
    }

    /// Starts fetching the extent of the lists from `list` on, until that is about `most`
    /// bytes; for a pass over the section. Long lists are left out: the pass fetches each
    /// by [`SectionView::prefetch_list`] when it comes to it. Returns how many bytes it
    /// asked for.
    pub fn prefetch(&self, list: usize, most: u64) -> u64 {
        let base = match &self.lists.body.base {
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
        for list in list..self.lists.page.len.count() {
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
        match &self.lists.body.base {
            Base::Packed(base) => 4 * base.words.count() as u64,
            Base::Blocks(base) => 4 * base.entries(),
        }
    }

    /// Starts fetching entries `range` of a list if they are more than two pages.
    pub fn prefetch_list(&self, list: usize, range: Range<usize>) {
        let base = match &self.lists.body.base {
            Base::Packed(base) => base,
            Base::Blocks(base) => {
                // Its blocks are all over the section, and a part of the list is
                // reached by way of all before it.
                if 4 * u64::from(self.lists.page.len.of(list)) > LONG_LIST_BYTES {
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

    /// Whether words and weights are stored in pairs.
    pub(crate) fn is_in_pairs(&self) -> bool {
        self.lists.body.base.is_in_pairs()
    }

    /// The same lists in DRAM, for entries that are stored as pairs of word and
    /// weight: so that loops over the neighbors see slices.
    pub(crate) fn in_columns(&self) -> Self {
        let entries = self.lists.page.totals().0 as usize;
        let mut starts = vec![0];
        let mut columns = ListScratch::default();
        columns.words.reserve_exact(entries);
        columns.weights.reserve_exact(entries);
        for list in 0..self.lists.page.len.count() {
            let _ = self.for_each_raw_segment::<()>(list, |words, weights| {
                columns.extend(words, weights);
                ControlFlow::Continue(())
            });
            starts.push(columns.words.len() as u32);
        }
        let body = Body {
            generation: self.lists.body.generation,
            csn: self.lists.body.csn,
            base: Base::Packed(section_format::Base::in_columns(
                starts,
                columns.words,
                columns.weights,
            )),
            buffers: OnceLock::new(),
        };
        let lists = Lists {
            cancels: self.lists.cancels,
            ..Lists::new(Arc::new(body), Arc::clone(&self.lists.page))
        };
        SectionView::new(lists, true)
    }

    /// Checks the entries of the section, once since open.
    pub fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        self.lists.body.base.verify(uuid)
    }

    /// Whether a list lies in several blocks of the layout `blocks`.
    pub fn is_chained(&self, list: usize) -> bool {
        self.lists.body.base.is_chained(list)
    }

    /// Entries of the section, and tombstones among them, as counted.
    pub fn totals(&self) -> (u64, u64) {
        self.lists.page.totals()
    }

    /// Live entries of the section.
    pub fn live_entries(&self) -> u64 {
        let (entries, tombstones) = self.lists.page.totals();
        entries - 2 * tombstones
    }

    /// Live entries of a list.
    #[inline(always)]
    pub fn degree(&self, list: usize) -> usize {
        if self.plain {
            return (self.starts[list + 1] - self.starts[list]) as usize;
        }
        match self.spans[2 * list + 1] {
            len if len & BUFFERED == 0 => (len & !CHAINED) as usize,
            _ => self.lists.page.live(list) as usize,
        }
    }

    /// Where each of some lists that follow one another starts in the extent, and where the
    /// last ends; `None` if entries of some may lie elsewhere, or be dead.
    pub(crate) fn starts_of(&self, first: usize, lists: usize) -> Option<&[u32]> {
        self.plain.then(|| self.starts.range(first, lists + 1))
    }

    /// Entries of a list, tombstones included.
    #[inline(always)]
    pub fn raw_len(&self, list: usize) -> usize {
        self.lists.page.len.of(list) as usize
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
        if len & (BUFFERED | CHAINED) == 0 {
            return visit(self.words.range(start as usize, len as usize));
        }
        if len == GENERAL {
            return self.for_each_general_segment(list, scratch, &mut visit);
        }
        let merged = (len & !(BUFFERED | CHAINED)) as usize;
        match &self.lists.body.base {
            Base::Blocks(base) if len & CHAINED != 0 => {
                // A pass comes there soon, and lists have about as many blocks.
                base.prefetch_end(list + CHAINS_AHEAD);
                base.for_each_words(start, merged, &mut visit)?;
            }
            _ if merged > 0 => visit(self.words.range(start as usize, merged))?,
            _ => {}
        }
        if len & BUFFERED == 0 {
            return ControlFlow::Continue(());
        }
        let buffered = self.lists.page.len.of(list) as usize - merged;
        self.lists
            .buffer_segments(list, buffered, &mut |words, _| visit(words))
    }

    /// Lists with tombstones, and of sections that hold pairs. Apart, so that the loop over
    /// the others stays small; what is done with a slice is a function behind a pointer
    /// here, so that this is compiled once and not for each algorithm.
    #[inline(never)]
    fn for_each_general_segment<B>(
        &self,
        list: usize,
        scratch: &mut ListScratch,
        visit: &mut dyn FnMut(&[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.lists.page.tombstones(list) > 0 {
            self.lists.assemble(list, scratch);
            return visit(&scratch.words);
        }
        self.for_each_raw_segment(list, |words, _| visit(words))
    }

    /// A list with its weight bits, if it is one slice of the extent.
    #[inline(always)]
    fn in_one_slice(&self, list: usize) -> Option<(&[u32], &[u32])> {
        let (start, count) = self.place(list)?;
        Some(self.in_extent_at(&(start..start + count)))
    }

    /// Start and length of a list, if it is one slice of the extent.
    #[inline(always)]
    pub(crate) fn place(&self, list: usize) -> Option<(usize, usize)> {
        let (start, count) = match self.plain {
            true => (self.starts[list], self.starts[list + 1] - self.starts[list]),
            false => self.span_in_extent(list)?,
        };
        Some((start as usize, count as usize))
    }

    /// Entries of the extent with their weight bits, of lists that have a
    /// [`SectionView::place`].
    #[inline(always)]
    pub(crate) fn in_extent_at(&self, place: &Range<usize>) -> (&[u32], &[u32]) {
        let weights = self.weights.as_ref();
        let weights = weights.map_or(&[][..], |weights| weights.range(place.start, place.len()));
        (self.words.range(place.start, place.len()), weights)
    }

    /// The last commit that its lists include.
    pub(crate) fn csn(&self) -> u64 {
        self.lists.page.csn
    }

    /// Announces that a list is read soon.
    #[inline(always)]
    pub(crate) fn prefetch_words(&self, list: usize) {
        if let Some((start, _)) = self.place(list) {
            self.words.prefetch(start);
            if let Some(weights) = &self.weights {
                weights.prefetch(start);
            }
        }
    }

    /// Start and length of a list of a section that is not plain, if all of it is in
    /// the extent.
    #[inline(always)]
    fn span_in_extent(&self, list: usize) -> Option<(u32, u32)> {
        let (start, len) = (self.spans[2 * list], self.spans[2 * list + 1]);
        (self.packed && len & (BUFFERED | CHAINED) == 0).then_some((start, len))
    }

    /// As [`SectionView::for_each_segment`], with weight bits.
    #[inline(always)]
    pub fn for_each_weighted_segment<B>(
        &self,
        list: usize,
        scratch: &mut ListScratch,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self.in_one_slice(list) {
            Some((words, weights)) => visit(words, weights),
            None => self.for_each_weighted_general(list, scratch, &mut visit),
        }
    }

    /// Lists of several slices, and those that have to be put together. Compiled once, as
    /// [`SectionView::for_each_general_segment`].
    #[inline(never)]
    fn for_each_weighted_general<B>(
        &self,
        list: usize,
        scratch: &mut ListScratch,
        visit: &mut Visit<'_, B>,
    ) -> ControlFlow<B> {
        self.lists.for_each_segment(list, scratch, visit)
    }

    /// Calls `visit` with the words and weight bits of a list as they are
    /// stored, tombstones included.
    pub fn for_each_raw_segment<B>(
        &self,
        list: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.lists.for_each_raw_segment(list, visit)
    }

    /// Iterator over the segments that [`SectionView::for_each_weighted_segment`] visits.
    /// `scratch` is asked for if the list has to be put together.
    #[inline(always)]
    pub(crate) fn segments<'a>(
        &'a self,
        list: usize,
        scratch: impl FnOnce() -> &'a mut ListScratch,
    ) -> Segments<'a> {
        match self.in_one_slice(list) {
            Some(slices) => Segments::one(slices),
            None => self.lists.segments(list, scratch),
        }
    }

    /// Whether no list is a chain of blocks.
    #[inline(always)]
    pub(crate) fn is_packed(&self) -> bool {
        self.packed
    }

    /// Whether it is read from this body.
    pub(crate) fn is_of(&self, body: &Arc<Body>) -> bool {
        Arc::ptr_eq(&self.lists.body, body)
    }

    pub(crate) fn base(&self) -> &Base {
        &self.lists.body.base
    }

    /// DRAM that only the view needs.
    pub(crate) fn heap_bytes(&self) -> usize {
        4 * self.spans.count()
    }

    /// Largest neighbor id that the section names, for `check`.
    pub fn largest_neighbor(&self) -> Option<u32> {
        let mut largest = None;
        for list in 0..self.lists.page.len.count() {
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
        for list in 0..self.lists.page.len.count() {
            let _ = self.for_each_raw_segment::<()>(list, |words, _| {
                entries += words.len() as u64;
                tombstones += words.iter().filter(|&&w| is_tombstone(w)).count() as u64;
                ControlFlow::Continue(())
            });
        }
        (entries, tombstones)
    }
}
