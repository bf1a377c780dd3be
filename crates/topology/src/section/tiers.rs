//! Entries of a list by tier. Reading them moves nothing.

use std::ops::ControlFlow;

use evergraph_storage::StorageError;

use super::{Inner, Resources, Section, State};
use crate::section_view::Lists;
use crate::tiers::ListTier;

impl Section {
    /// Calls `visit` with the words and weight bits of a list, as of commit
    /// `csn`, that are in one tier. A registered view keeps that commit.
    pub fn for_each_in_tier(
        &self,
        resources: &Resources,
        csn: u64,
        list: usize,
        tier: ListTier,
        mut visit: impl FnMut(u32, Option<u32>),
    ) -> Result<(), StorageError> {
        if tier == ListTier::Append {
            self.for_each_appended(csn, |its_list, word, weight| {
                if its_list as usize == list {
                    visit(word, weight);
                }
            });
            return Ok(());
        }
        let view = {
            let mut guard = self.state.lock();
            let parts = self.load_parts(resources, &mut guard)?;
            parts.loaded.refresh_direct_page();
            let (page, body) = parts.version_at(resources, csn)?;
            Lists {
                in_place: parts.loaded.in_place(),
                ..Lists::new(body, page)
            }
        };
        view.verify(&resources.volume.uuid)?;
        let each = |words: &[u32], weights: &[u32]| {
            for (i, &word) in words.iter().enumerate() {
                visit(word, weights.get(i).copied());
            }
            ControlFlow::<()>::Continue(())
        };
        let _ = if tier == ListTier::Base {
            view.for_each_merged_segment(list, each)
        } else {
            view.for_each_buffered_segment(list, each)
        };
        Ok(())
    }

    /// Calls `visit` with list, word and weight bits of what the append buffer holds as of
    /// commit `csn`, in commit order.
    pub fn for_each_appended(&self, csn: u64, mut visit: impl FnMut(u32, u32, Option<u32>)) {
        let guard = self.state.lock();
        let Inner {
            state, appended, ..
        } = &*guard;
        // Whatever is in the append buffer is newer than what has been sorted.
        let sorted_further = matches!(state, State::Loaded(l) if l.page.csn > csn);
        if sorted_further || appended.is_empty() {
            return;
        }
        let stride = appended.stride();
        appended.for_each_slice(appended.len_at(csn), |words| {
            for entry in words.chunks_exact(stride) {
                visit(entry[0], entry[1], entry.get(2).copied());
            }
        });
    }
}
