//! A section as of one commit: its lists, read in slices.

mod versions;

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

use evergraph_persistence::{PersistenceError, Words};

use crate::entry::{Cancels, is_tombstone, neighbor};
use crate::layout::Base;
use crate::lengths::LengthPage;
use crate::list::ListScratch;
use crate::section::{Body, Context};
use crate::section_format;

/// One section as of one commit; slices of it stay valid as long as it lives.
#[derive(Clone, Debug)]
pub struct SectionView {
    /// Every list is just its merged part, whole and without tombstones: then
    /// `starts` and `words` say everything, as in a static graph.
    plain: bool,
    starts: Words,
    words: Words,
    /// In a section that is not plain, where each list without tombstones starts
    /// in `words`, and its entries there, with [`BUFFERED`] if there are more; of
    /// a list of several blocks the first, and its entries with [`CHAINED`]; for
    /// other lists [`GENERAL`].
    spans: Words,
    pub(crate) page: Arc<LengthPage>,
    /// Direct mode: entries of each list in the extent when the view looked.
    in_place: Option<Arc<[u32]>>,
    body: Arc<Body>,
    cancels: Cancels,
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
/// What of a list is fetched at once.
const MOST_LIST_BYTES: u64 = 2 << 20;
/// What lies so near is fetched with one call.
const NEAR_BYTES: u64 = 8 << 10;

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
            cancels: Cancels::default(),
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
        if let Base::Blocks(base) = &view.body.base
            && let Some(words) = base.span_words()
        {
            view.words = words;
        }
        if !view.plain {
            view.spans = Words::owned(view.find_spans());
        }
        view
    }

    /// The same, with deletions that are about something else.
    pub(crate) fn cancelling(mut self, cancels: Cancels) -> Self {
        self.cancels = cancels;
        self
    }

    fn find_spans(&self) -> Vec<u32> {
        let mut spans = Vec::with_capacity(2 * self.page.len.len());
        for (list, &len) in self.page.len.iter().enumerate() {
            let (start, merged, chained) = match &self.body.base {
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
            let general =
                self.page.tombstones(list) > 0 || len >= CHAINED || self.body.base.is_in_pairs();
            let span = match len <= merged {
                _ if general => GENERAL,
                true => len | chained,
                false => merged | chained | BUFFERED,
            };
            spans.extend([start, span]);
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

    /// Whether words and weights are stored in pairs.
    pub(crate) fn is_in_pairs(&self) -> bool {
        self.body.base.is_in_pairs()
    }

    /// The same lists in DRAM, for entries that are stored as pairs of word and
    /// weight: so that loops over the neighbors see slices.
    pub(crate) fn in_columns(&self) -> Self {
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
            .cancelling(self.cancels)
    }

    /// Checks the entries of the section, once since open.
    pub fn verify(&self, context: &Context) -> Result<(), PersistenceError> {
        self.body.base.verify(&context.uuid)
    }

    /// Whether a list lies in several blocks of the layout `blocks`.
    pub fn is_chained(&self, list: usize) -> bool {
        self.body.base.is_chained(list)
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
            len if len & BUFFERED == 0 => (len & !CHAINED) as usize,
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
        if len & (BUFFERED | CHAINED) == 0 {
            return visit(self.words.range(start as usize, len as usize));
        }
        if len == GENERAL {
            return self.for_each_general_segment(list, scratch, visit);
        }
        let merged = (len & !(BUFFERED | CHAINED)) as usize;
        match &self.body.base {
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
        let buffered = self.page.len[list] as usize - merged;
        self.buffer_segments(list, buffered, |words, _| visit(words))
    }

    /// Lists with tombstones, and of sections that hold pairs. Apart, so that the loop over the others stays small.
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
        scratch.cancel(self.cancels);
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
