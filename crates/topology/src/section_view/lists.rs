//! The lists of a section as of one commit, without anything that speeds up reading
//! many of them: what a read of one list needs.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::{StorageError, Uuid};

use crate::blocks;
use crate::entry::Cancels;
use crate::front::buffers;
use crate::layout::Base;
use crate::lengths::LengthPage;
use crate::list::{ListScratch, Visit};
use crate::section::body::Body;

/// The slices of one list: live neighbors, and beside them bits of weights or ids of
/// relationships (nothing in a graph without).
///
/// An iterator, because the loop body then stays in the caller, so the compiler can keep
/// sums in registers, which it cannot if a closure is handed on.
#[derive(Default)]
pub(crate) struct Segments<'a> {
    first: Option<Slices<'a>>,
    rest: Option<Rest<'a>>,
}

/// Neighbors, and what is beside them.
pub(crate) type Slices<'a> = (&'a [u32], &'a [u32]);

/// Segments of a list that is not one slice of the extent.
struct Rest<'a> {
    blocks: Option<blocks::Segments<'a>>,
    buffered: Option<buffers::Segments<'a>>,
}

impl<'a> Segments<'a> {
    /// All in one.
    #[inline(always)]
    pub(crate) fn one(slices: Slices<'a>) -> Self {
        Segments {
            first: Some(slices),
            rest: None,
        }
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Slices<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Slices<'a>> {
        match self.first.take() {
            None => self.rest.as_mut()?.next(),
            first => first,
        }
    }
}

impl<'a> Rest<'a> {
    #[inline(never)]
    fn next(&mut self) -> Option<Slices<'a>> {
        let block = self.blocks.as_mut().and_then(Iterator::next);
        block.or_else(|| self.buffered.as_mut()?.next())
    }
}

/// Entries of a section, and how many of them count.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    pub body: Arc<Body>,
    pub page: Arc<LengthPage>,
    /// Direct mode: entries of each list in the extent when the view looked.
    pub in_place: Option<Arc<[u32]>>,
    /// Edges that a deletion cancels.
    pub cancels: Cancels,
}

impl Lists {
    /// Of merged mode.
    pub(crate) fn new(body: Arc<Body>, page: Arc<LengthPage>) -> Self {
        Lists {
            body,
            page,
            in_place: None,
            cancels: Cancels::default(),
        }
    }

    /// Checks the entries of the section, once since open.
    pub(crate) fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        self.body.base.verify(uuid)
    }

    /// Calls `visit` with each slice of live neighbors in a list, and with their
    /// weight bits. One with deletions is assembled in `scratch` first.
    pub(crate) fn for_each_segment<B>(
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

    /// Iterator over the segments that [`Lists::for_each_segment`] visits. `scratch` is
    /// asked for if the list has to be put together.
    pub(crate) fn segments<'a>(
        &'a self,
        list: usize,
        scratch: impl FnOnce() -> &'a mut ListScratch,
    ) -> Segments<'a> {
        let base = &self.body.base;
        if self.page.tombstones(list) > 0 || base.is_in_pairs() {
            let scratch = scratch();
            self.assemble(list, scratch);
            return Segments::one((&scratch.words, &scratch.weights));
        }
        let raw = self.raw_len(list);
        let merged = self.merged_len(list).min(raw);
        let (packed, blocks) = match base {
            _ if merged == 0 => (None, None),
            Base::Packed(base) => (Some(base.slices(base.starts[list] as usize, merged)), None),
            Base::Blocks(base) => (None, Some(base.segments(list, merged))),
        };
        let buffers = self.body.buffers.get().filter(|_| raw > merged);
        Segments {
            first: packed,
            rest: Some(Rest {
                blocks,
                buffered: buffers.map(|buffers| buffers.segments(list, raw - merged)),
            }),
        }
    }

    /// Calls `visit` with the words and weight bits of a list as they are stored,
    /// tombstones included.
    pub(crate) fn for_each_raw_segment<B>(
        &self,
        list: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.for_each_merged_segment(list, &mut visit)?;
        self.for_each_buffered_segment(list, visit)
    }

    /// Segments of that in the extent.
    #[inline(always)]
    pub(crate) fn for_each_merged_segment<B>(
        &self,
        list: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let merged = self.merged_len(list).min(self.raw_len(list));
        self.body.base.for_each_segment(list, merged, visit)
    }

    /// Segments of that behind the extent.
    #[inline(always)]
    pub(crate) fn for_each_buffered_segment<B>(
        &self,
        list: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let buffered = self.raw_len(list).saturating_sub(self.merged_len(list));
        self.buffer_segments(list, buffered, &mut visit)
    }

    /// Entries of a list, tombstones included.
    #[inline(always)]
    pub(crate) fn raw_len(&self, list: usize) -> usize {
        self.page.len.of(list) as usize
    }

    /// Entries of a list that are in the extent.
    #[inline(always)]
    fn merged_len(&self, list: usize) -> usize {
        match &self.in_place {
            None => self.body.base.list_len(list),
            Some(in_place) => in_place[list] as usize,
        }
    }

    /// The newest of the entries behind the extent. Compiled once, as
    /// `SectionView::for_each_general_segment`.
    #[inline(never)]
    pub(crate) fn buffer_segments<B>(
        &self,
        list: usize,
        count: usize,
        visit: &mut Visit<'_, B>,
    ) -> ControlFlow<B> {
        match self.body.buffers.get() {
            Some(buffers) => buffers.for_each_segment(list, count, visit),
            None => ControlFlow::Continue(()),
        }
    }

    /// Puts the live entries of a list into `scratch`.
    #[cold]
    pub(crate) fn assemble(&self, list: usize, scratch: &mut ListScratch) {
        scratch.clear();
        let _ = self.for_each_raw_segment::<()>(list, |words, weights| {
            scratch.extend(words, weights);
            ControlFlow::Continue(())
        });
        scratch.cancel(self.cancels);
    }
}
