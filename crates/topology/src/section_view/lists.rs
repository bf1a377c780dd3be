//! The lists of a section as of one commit, without anything that speeds up reading
//! many of them: what a read of one list needs.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_persistence::PersistenceError;

use crate::entry::Cancels;
use crate::lengths::LengthPage;
use crate::list::ListScratch;
use crate::section::{Body, Context};

/// Where the entries of a section are, and how many of them count.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    pub body: Arc<Body>,
    pub page: Arc<LengthPage>,
    /// Direct mode: entries of each list in the extent when the view looked.
    pub in_place: Option<Arc<[u32]>>,
    /// What deletions are about.
    pub cancels: Cancels,
}

impl Lists {
    /// Of merged mode.
    pub fn new(body: Arc<Body>, page: Arc<LengthPage>) -> Self {
        Lists {
            body,
            page,
            in_place: None,
            cancels: Cancels::default(),
        }
    }

    /// Checks the entries of the section, once since open.
    pub fn verify(&self, context: &Context) -> Result<(), PersistenceError> {
        self.body.base.verify(&context.uuid)
    }

    /// Calls `visit` with each slice of live neighbors in a list, and with their
    /// weight bits. One with deletions is assembled in `scratch` first.
    pub fn for_each_segment<B>(
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

    /// Calls `visit` with the words and weight bits of a list as they are stored,
    /// tombstones included.
    pub fn for_each_raw_segment<B>(
        &self,
        list: usize,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.for_each_merged_segment(list, &mut visit)?;
        self.for_each_buffered_segment(list, visit)
    }

    /// What of that is in the extent.
    #[inline(always)]
    pub fn for_each_merged_segment<B>(
        &self,
        list: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let merged = self.merged_len(list).min(self.raw_len(list));
        self.body.base.for_each_segment(list, merged, visit)
    }

    /// What of that is behind the extent.
    #[inline(always)]
    pub fn for_each_buffered_segment<B>(
        &self,
        list: usize,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let buffered = self.raw_len(list).saturating_sub(self.merged_len(list));
        self.buffer_segments(list, buffered, visit)
    }

    /// Entries of a list, tombstones included.
    #[inline(always)]
    pub fn raw_len(&self, list: usize) -> usize {
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

    #[inline(never)]
    pub fn buffer_segments<B>(
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

    /// Puts the live entries of a list into `scratch`.
    #[cold]
    pub fn assemble(&self, list: usize, scratch: &mut ListScratch) {
        scratch.clear();
        let _ = self.for_each_raw_segment::<()>(list, |words, weights| {
            scratch.extend(words, weights);
            ControlFlow::Continue(())
        });
        scratch.cancel(self.cancels);
    }
}
