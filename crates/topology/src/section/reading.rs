//! Reading a section as of a commit, and letting views keep what they have read.

use std::sync::Arc;

use evergraph_storage::{Needed, StorageError};

use super::{Inner, Parts, Resources, Section, State};
use crate::pins::Keepers;
use crate::section_view::{Lists, SectionView};

impl Section {
    /// The section as of commit `csn`, for reading. `needed` as the registry
    /// gives it after the reader has registered.
    pub fn view(
        &self,
        resources: &Resources,
        csn: u64,
        needed: &Needed,
    ) -> Result<SectionView, StorageError> {
        let lists = self.lists(resources, csn, || needed.clone())?;
        Ok(SectionView::new(
            lists,
            resources.volume.region.fits_in_memory(),
        ))
    }

    /// As [`Section::view`], for reading one list. `needed` is asked only if the section
    /// is not sorted up to that commit yet.
    pub(crate) fn lists(
        &self,
        resources: &Resources,
        csn: u64,
        needed: impl FnOnce() -> Needed,
    ) -> Result<Lists, StorageError> {
        let mut guard = self.state.lock();
        let mut parts = self.load_parts(resources, &mut guard)?;
        parts.loaded.refresh_direct_page();
        if parts
            .appended
            .first_group_end()
            .is_some_and(|end| end.csn <= csn)
        {
            parts.sort_into_buffers(resources, csn, &needed())?;
        }
        let (page, body) = parts.version_at(resources, csn)?;
        Ok(Lists {
            body,
            page,
            in_place: parts.loaded.in_place(),
            cancels: resources.rules.cancels,
        })
    }

    /// Lets a view keep what it has read, by `keep`, which enters it among those
    /// from whom a merge takes it. What has been replaced meanwhile is not kept.
    pub(crate) fn keep(&self, read: &SectionView, keep: impl FnOnce(&mut Keepers)) {
        let mut guard = self.state.lock();
        let Inner { state, keepers, .. } = &mut *guard;
        let State::Loaded(loaded) = state else {
            return;
        };
        let older = loaded
            .older
            .iter()
            .filter_map(|version| version.body.as_ref());
        if older.chain([&loaded.body]).any(|body| read.is_of(body)) {
            keep(keepers.get_or_insert_default());
        }
    }

    /// Calls `visit` with each list that has entries in some view, or may have.
    pub(crate) fn for_each_list(
        &self,
        resources: &Resources,
        mut visit: impl FnMut(usize),
    ) -> Result<(), StorageError> {
        let mut guard = self.state.lock();
        let Parts {
            loaded, appended, ..
        } = self.load_parts(resources, &mut guard)?;
        let older = loaded.older.iter().map(|version| &version.page);
        for page in older.chain([&loaded.page]) {
            let lists = page.len.iter().enumerate();
            lists
                .filter(|&(_, len)| len > 0)
                .for_each(|(list, _)| visit(list));
        }
        if !appended.is_empty() {
            let stride = appended.stride();
            appended.for_each_slice(appended.len(), |words| {
                let entries = words.chunks_exact(stride);
                entries.for_each(|entry| visit(entry[0] as usize));
            });
        }
        Ok(())
    }

    /// Starts fetching what [`Section::view`] will read; with `verify`, also the
    /// entries, if they are not checked yet.
    pub fn prefetch_for_view(&self, verify: bool) {
        let guard = self.state.lock();
        let (extents, whole) = match &guard.state {
            State::Stored(_, extent) | State::StoredDirect(extent) => {
                (vec![Arc::clone(extent)], verify)
            }
            State::Loaded(loaded) => {
                let base = &loaded.body.base;
                match verify && !base.is_verified() {
                    true => (base.extents(), true),
                    false => (base.extent().cloned().into_iter().collect(), false),
                }
            }
        };
        let index = match &guard.state {
            State::Loaded(loaded) => loaded.body.base.index_bytes(),
            State::Stored(..) | State::StoredDirect(_) => 4 * (self.lists as u64 + 1),
        };
        // The system may wait for the device.
        drop(guard);
        for extent in extents {
            extent.prefetch_range(0, if whole { u64::MAX } else { index });
        }
    }
}
