//! Inserting into a section in direct mode.

use std::ops::{ControlFlow, Deref};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_storage::failpoint;
use evergraph_storage::{Medium, Needed, Registry, StorageError, prefetch_for_write};

use parking_lot::MutexGuard;

use super::DirectParameters;
use super::format::{DirectEntry, DirectImage, DirectState, ListPlace, log_entry};
use super::rewrites::{Rewrite, Rewrites};
use super::slots::{Slot, Slots};
use crate::entry::{is_tombstone, neighbor};
use crate::layout::Base;
use crate::lengths::LengthPage;
use crate::list::LiveCount;
use crate::published::Published;
use crate::section::body::Body;
use crate::section::resources::Resources;
use crate::section::{Inner, Loaded, Section, State, Version};
use crate::section_view::{Lists, SectionView};

/// Arguments of all insertions, beside the section.
pub(crate) struct DirectShared<'a, M: ?Sized> {
    /// Extents and identity.
    pub resources: &'a Resources,
    /// The extents' medium, by its own type.
    pub extents: &'a M,
    /// The slots' medium, by its own type.
    pub slot_medium: &'a M,
    /// Table in which sections are published.
    pub slots: &'a Slots,
    /// Registry of the views, which must keep what they see.
    pub registry: &'a Registry<Published>,
    /// Geometry.
    pub parameters: &'a DirectParameters,
    /// Record of the moves.
    pub rewrites: &'a Rewrites,
}

/// Arguments of an insertion into a section, beside the section.
pub(crate) struct DirectInsert<'a, M: ?Sized> {
    /// Arguments of all insertions.
    pub shared: &'a DirectShared<'a, M>,
    /// Adjacency of the section.
    pub adjacency: u32,
    /// Number of the section.
    pub number: u32,
}

impl<'a, M: ?Sized> Deref for DirectInsert<'a, M> {
    type Target = DirectShared<'a, M>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        self.shared
    }
}

impl Section {
    /// The right to insert, for one thread.
    #[inline(always)]
    pub(crate) fn lock_direct(&self) -> MutexGuard<'_, Inner> {
        self.state.lock()
    }

    /// Commits one entry in place: durable when it returns. `false` for a
    /// tombstone that finds nothing to delete. `locked` is this section's.
    #[inline]
    pub(crate) fn insert_direct<M: Medium + ?Sized>(
        &self,
        locked: &mut MutexGuard<'_, Inner>,
        at: &DirectInsert<'_, M>,
        entry: DirectEntry,
    ) -> Result<bool, StorageError> {
        let loaded = self.load(at.resources, locked)?;
        if is_tombstone(entry.word) && loaded.live_edges(entry) == 0 {
            return Ok(false);
        }
        self.insert_locked(at, loaded, entry)?;
        Ok(true)
    }

    /// As [`Section::insert_direct`], the section locked and the entry known to
    /// have an effect.
    #[inline(always)]
    fn insert_locked<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        entry: DirectEntry,
    ) -> Result<(), StorageError> {
        self.begin(at, loaded, at.registry.csn(), &[entry.list])?;
        if !self.place(at, loaded, entry)? {
            self.rewrite(at, loaded, &[entry.list])?;
            let placed = self.place(at, loaded, entry)?;
            assert!(placed, "a rewritten section has a gap where it was wanted");
        }
        self.merge_log_if_due(at, loaded, entry.list)
    }

    /// Before anything changes: the section has an extent, and what views read
    /// is kept.
    #[inline(always)]
    pub(super) fn begin<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        now: u64,
        wanted: &[usize],
    ) -> Result<(), StorageError> {
        if loaded.direct.is_none() {
            // The section's first entry: its empty page is a view's, too.
            self.rewrite(at, loaded, wanted)?;
        }
        if loaded
            .direct
            .as_ref()
            .is_some_and(|direct| direct.epoch < now)
        {
            loaded.begin_direct_epoch(now, &at.registry.needed());
        }
        Ok(())
    }

    /// Direct step D2 by nine tenths.
    #[inline(always)]
    pub(super) fn merge_log_if_due<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        list: usize,
    ) -> Result<(), StorageError> {
        if loaded
            .direct
            .as_ref()
            .is_some_and(|direct| direct.log_is_due())
        {
            self.rewrite(at, loaded, &[list])?;
        }
        Ok(())
    }

    /// Direct step D1: the durable store of the entry. `false` if there is no
    /// room for it.
    #[inline(always)]
    pub(super) fn place<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        entry: DirectEntry,
    ) -> Result<bool, StorageError> {
        let Some(direct) = &mut loaded.direct else {
            return Ok(false);
        };
        let place = &direct.places[entry.list];
        debug_assert!(place.logged() <= direct.log_used);
        let filled = place.filled.load(Ordering::Relaxed);
        let len = place.len.load(Ordering::Relaxed);
        let slot = place.start.load(Ordering::Relaxed) + filled;
        // Behind entries in the log nothing goes in place: order is kept.
        if filled == len && slot < place.end.load(Ordering::Relaxed) {
            if self.columns == 1 {
                let offset = direct.words_at + 4 * u64::from(slot);
                direct.extent.append_u32(at.extents, offset, entry.word)?;
            } else {
                let offset = direct.words_at + 8 * u64::from(slot);
                let pair = u64::from(entry.word) | u64::from(entry.weight) << 32;
                direct.extent.append_u64(at.extents, offset, pair)?;
            }
            place.filled.store(filled + 1, Ordering::Relaxed);
            place.len.store(len + 1, Ordering::Relaxed);
            direct.counted(entry);
            return Ok(true);
        }
        if direct.log_used == direct.log_slots {
            return Ok(false);
        }
        direct.append_to_log(at.extents, self.columns, entry)?;
        let count = &direct.places[entry.list].len;
        count.store(len + 1, Ordering::Relaxed);
        direct.counted(entry);
        self.show_logged(at.resources, loaded, entry);
        Ok(true)
    }

    /// Shows readers an entry that is not in place.
    pub(super) fn show_logged(
        &self,
        resources: &Resources,
        loaded: &mut Loaded,
        entry: DirectEntry,
    ) {
        let (buffers, writer) = loaded.buffers(resources, self.lists, self.columns);
        buffers.append(writer, entry.list, entry.word, entry.weight, 1);
    }

    /// Direct steps D2 to D4: writes the section out of place with new gaps,
    /// publishes it, and gives the old extent back when its readers are done.
    /// Lists keep their order, so every view's prefix stays what it was; each
    /// list in `wanted` has room in place for as many entries as it is named
    /// there.
    pub(super) fn rewrite<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        wanted: &[usize],
    ) -> Result<(), StorageError> {
        loaded.refresh_direct_page();
        let lists = Lists {
            in_place: loaded.in_place(),
            ..Lists::new(Arc::clone(&loaded.body), Arc::clone(&loaded.page))
        };
        let view = SectionView::new(lists, true);
        let lists: Vec<Vec<u32>> = (0..self.lists)
            .map(|list| {
                let mut words = Vec::with_capacity(self.columns * view.raw_len(list));
                let _ = view.for_each_raw_segment::<()>(list, |segment, weights| {
                    if self.columns == 1 {
                        words.extend_from_slice(segment);
                    } else {
                        let pairs = segment.iter().zip(weights);
                        words.extend(pairs.flat_map(|(&word, &weight)| [word, weight]));
                    }
                    if failpoint!("direct.rewrite-loses-log") {
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                });
                words
            })
            .collect();
        drop(view);
        let old_capacity = loaded.body.base.packed().capacity();
        let image = DirectImage::new(
            self.first_vertex,
            &lists,
            self.columns,
            wanted,
            old_capacity,
            at.parameters,
        );
        if image.encoded_len() > Slots::MAX_EXTENT_BYTES {
            return Err(StorageError::TooLarge(format!(
                "the lists of vertices {}..{} are too large for direct mode; use merged mode",
                self.first_vertex,
                self.first_vertex as usize + self.lists
            )));
        }
        let old = loaded.body.base.extent().cloned();
        failpoint!("direct.old-freed-first" => {
            if let Some(old) = &old {
                at.resources.volume.region.scribble(old)?;
            }
        });
        at.slots.reach_section(at.adjacency, at.number)?;
        // Step D2: the new extent is durable...
        let draft = at.resources.volume.region.allocate(image.encoded_len())?;
        let bytes = image.encode(&at.resources.volume.uuid, draft.offset(), self.first_vertex);
        let (extent, flushed) = draft.finish(&bytes)?.split();
        let extent = Arc::new(extent);
        let slot = Slot {
            offset: extent.offset(),
            len: extent.len(),
        };
        let durable = failpoint!(
            "direct.slot-before-extent",
            flushed.assume_durable(),
            else flushed.fence(at.extents)?
        );
        // ...step D3: before one word publishes it. From here on the slot may name it,
        // whatever is reported: it is not free before the next opening.
        if !failpoint!("direct.moved-extent-freed") {
            extent.published();
        }
        at.slots.publish(
            at.slot_medium,
            at.adjacency,
            at.number,
            durable.map(|()| slot),
        )?;
        extent.published();
        failpoint!("direct.moved");
        failpoint!("direct.slot-not-flushed" => {
            if let Some(old) = &old {
                at.resources.volume.region.scribble(old)?;
            }
        });
        let before = loaded.direct.as_ref();
        let list_bytes = |capacity: usize| (4 * self.columns * capacity) as u64;
        at.rewrites.note(Rewrite {
            section: (at.adjacency, at.number),
            old_list_bytes: list_bytes(old_capacity),
            new_list_bytes: list_bytes(image.capacity()),
            new_bytes: slot.len,
            log_used: before.map_or(0, |direct| direct.log_used),
            log_slots: before.map_or(0, |direct| direct.log_slots),
        });
        let places = self.direct_places();
        let (base, state) = image.open(&extent, loaded.direct.take().map(|direct| *direct), places);
        let words = extent.address(state.words_at);
        self.words_hint.store(words.cast_mut(), Ordering::Relaxed);
        loaded.body = Arc::new(Body {
            generation: loaded.body.generation,
            csn: 0,
            base: Base::Packed(base),
            buffers: std::sync::OnceLock::new(),
        });
        loaded.writer = None;
        loaded.direct = Some(Box::new(state));
        // Step D4: nothing durable names the old extent any more.
        if let Some(old) = old {
            old.retire();
        }
        loaded.invariants(self.lists);
        Ok(())
    }
}

impl DirectState {
    /// Entries of a list in place, and in all.
    pub(super) fn lengths(&self, list: usize) -> (usize, usize) {
        let place = &self.places[list];
        let filled = place.filled.load(Ordering::Relaxed);
        (filled as usize, place.len.load(Ordering::Relaxed) as usize)
    }

    /// DGAP merges a log at nine tenths.
    #[inline(always)]
    fn log_is_due(&self) -> bool {
        self.log_slots > 0 && self.log_used * 10 >= self.log_slots * 9
    }

    /// Direct step D1 where the gap is full.
    #[inline(always)]
    fn append_to_log<M: Medium + ?Sized>(
        &mut self,
        medium: &M,
        columns: usize,
        entry: DirectEntry,
    ) -> Result<(), StorageError> {
        let (extent, slot) = (&self.extent, self.log_used);
        debug_assert!(slot < self.log_slots, "the edge log is full");
        let at = self.log_at + (8 * columns * slot) as u64;
        let checked = |word, value| log_entry(extent.offset(), word, entry.list, value);
        if columns == 1 {
            extent.append_u64(medium, at, checked(slot, entry.word))?;
        } else {
            let weight = checked(2 * slot + 1, entry.weight);
            extent.append_two_u64(medium, at, [checked(2 * slot, entry.word), weight])?;
        }
        self.log_used += 1;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn counted(&mut self, entry: DirectEntry) {
        self.page_is_stale = true;
        if is_tombstone(entry.word) {
            let lists = self.places.len();
            let counts = self
                .tombstones
                .get_or_insert_with(|| vec![0; lists].into_boxed_slice());
            counts[entry.list] += 1;
        }
    }
}

impl Loaded {
    /// Live edges that a tombstone could cancel.
    pub(super) fn live_edges(&self, tombstone: DirectEntry) -> u64 {
        let list = tombstone.list;
        let (in_place, len) = self.direct.as_ref().map_or((0, 0), |d| d.lengths(list));
        let count = LiveCount::new(neighbor(tombstone.word), None);
        self.body.count_live(list, in_place, len, count)
    }

    /// Makes the page that views up to the running epoch read.
    pub(crate) fn refresh_direct_page(&mut self) {
        let Some(direct) = &mut self.direct else {
            return;
        };
        if !std::mem::take(&mut direct.page_is_stale) {
            return;
        }
        let len = direct.places.iter().map(|p| p.len.load(Ordering::Relaxed));
        self.page = Arc::new(LengthPage {
            csn: direct.epoch,
            len: len.collect(),
            tombstones: direct.tombstones.clone(),
        });
    }

    /// Direct mode: entries of each list in place, for a reader to keep.
    pub(crate) fn in_place(&self) -> Option<Arc<[u32]>> {
        let places = &self.direct.as_ref()?.places;
        Some(
            places
                .iter()
                .map(|p| p.filled.load(Ordering::Relaxed))
                .collect(),
        )
    }

    /// A view was registered since the section was last written: what it reads
    /// is kept before anything changes.
    #[cold]
    fn begin_direct_epoch(&mut self, now: u64, needed: &Needed) {
        self.refresh_direct_page();
        let old = Arc::clone(&self.page);
        if let Some(direct) = &mut self.direct {
            direct.epoch = now;
        }
        // Until the next refresh `page` stands for the running epoch.
        let mut running = old.as_ref().clone();
        running.csn = now;
        self.page = Arc::new(running);
        self.older.push(Version {
            page: old,
            body: None,
        });
        self.prune(needed);
    }
}

impl Section {
    /// Entries in the edge log, and how many it can hold; as far as the section
    /// was touched.
    pub(crate) fn edge_log_fill(&self) -> (usize, usize) {
        match &self.state.lock().state {
            State::Loaded(loaded) => loaded
                .direct
                .as_ref()
                .map_or((0, 0), |direct| (direct.log_used, direct.log_slots)),
            _ => (0, 0),
        }
    }

    /// The section's places; they never move.
    pub(crate) fn direct_places(&self) -> Arc<[ListPlace]> {
        let places = self
            .places
            .get_or_init(|| (0..self.lists).map(|_| ListPlace::default()).collect());
        Arc::clone(places)
    }

    /// Announces an insertion that comes soon: fetches where its list is.
    #[inline(always)]
    pub(crate) fn prefetch_place(&self, list: usize) {
        if let Some(places) = self.places.get() {
            prefetch_for_write(std::ptr::from_ref(&places[list]).cast());
        }
    }

    /// Announces an insertion that comes sooner: fetches its slot. Looks
    /// without the lock: what it sees may be out of date, and then another
    /// line is fetched.
    #[inline(always)]
    pub(crate) fn prefetch_slot(&self, list: usize) {
        if let Some(places) = self.places.get() {
            let place = &places[list];
            let slot = place.start.load(Ordering::Relaxed) + place.filled.load(Ordering::Relaxed);
            let words = self.words_hint.load(Ordering::Relaxed).cast_const();
            prefetch_for_write(words.wrapping_add(4 * self.columns * slot as usize));
        }
    }
}
