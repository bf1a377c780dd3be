//! Inserting into a section in direct mode.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_persistence::mutant::{Mutant, active};
use evergraph_persistence::{Medium, PersistenceError, Registry, prefetch_for_write};

use super::DirectParameters;
use super::format::{DirectImage, DirectState, ListPlace, log_entry};
use super::slots::{Slot, Slots};
use crate::entry::{is_tombstone, neighbor};
use crate::layout::Base;
use crate::lengths::LengthPage;
use crate::plane::SectionView;
use crate::section::{Body, Context, Loaded, Section, Version, count_live};
use crate::store::Published;

/// What an insertion into a section needs beside the section.
pub struct DirectInsert<'a, M: ?Sized> {
    /// Extents and identity.
    pub context: &'a Context,
    /// The extents' medium, by its own type.
    pub extents: &'a M,
    /// The slots' medium, by its own type.
    pub slot_medium: &'a M,
    /// Where sections are published.
    pub slots: &'a Slots,
    /// Whose views must keep what they see.
    pub registry: &'a Registry<Published>,
    /// Geometry.
    pub parameters: &'a DirectParameters,
    /// Plane of the section.
    pub plane: u32,
    /// Number of the section.
    pub number: u32,
}

impl Section {
    /// Commits one entry in place: durable when it returns. `false` for a
    /// tombstone that finds nothing to delete.
    #[inline]
    pub fn insert_direct<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        list: usize,
        word: u32,
    ) -> Result<bool, PersistenceError> {
        let mut guard = self.state.lock();
        let loaded = self.load(at.context, &mut guard)?;
        if is_tombstone(word) {
            let (in_place, len) = loaded.direct.as_ref().map_or((0, 0), |d| d.lengths(list));
            if count_live(&loaded.body, list, in_place, len, neighbor(word)) == 0 {
                return Ok(false);
            }
        }
        if loaded.direct.is_none() {
            // The section's first entry: its empty page is a view's, too.
            self.rewrite(at, loaded, list)?;
        }
        let now = at.registry.csn();
        if loaded
            .direct
            .as_ref()
            .is_some_and(|direct| direct.epoch < now)
        {
            loaded.begin_direct_epoch(now, &at.registry.needed());
        }
        if !self.place(at, loaded, list, word)? {
            self.rewrite(at, loaded, list)?;
            let placed = self.place(at, loaded, list, word)?;
            assert!(placed, "a rewritten section has a gap where it was wanted");
        }
        if loaded.direct.as_ref().is_some_and(DirectState::log_is_due) {
            self.rewrite(at, loaded, list)?;
        }
        Ok(true)
    }

    /// Direct step D1: the durable store of the entry. `false` if there is no
    /// room for it.
    #[inline(always)]
    fn place<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        list: usize,
        word: u32,
    ) -> Result<bool, PersistenceError> {
        let Some(direct) = &mut loaded.direct else {
            return Ok(false);
        };
        let place = &direct.places[list];
        let filled = place.filled.load(Ordering::Relaxed);
        let len = place.len.load(Ordering::Relaxed);
        let slot = place.start.load(Ordering::Relaxed) + filled;
        // Behind entries in the log nothing goes in place: order is kept.
        if filled == len && slot < place.end.load(Ordering::Relaxed) {
            let offset = direct.words_at + 4 * u64::from(slot);
            direct.extent.append_u32(at.extents, offset, word)?;
            place.filled.store(filled + 1, Ordering::Relaxed);
            place.len.store(len + 1, Ordering::Relaxed);
            direct.counted(list, word);
            return Ok(true);
        }
        if direct.log_used == direct.log_slots {
            return Ok(false);
        }
        let entry = log_entry(direct.extent.offset(), direct.log_used, list, word);
        let offset = direct.log_at + 8 * direct.log_used as u64;
        direct.extent.append_u64(at.extents, offset, entry)?;
        direct.log_used += 1;
        place.len.store(len + 1, Ordering::Relaxed);
        direct.counted(list, word);
        let (buffers, writer) = loaded.buffers(at.context, self.lists, 1);
        buffers.append(writer, list, word, 0, 1);
        Ok(true)
    }

    /// Direct steps D2 to D4: writes the section out of place with new gaps,
    /// publishes it, and gives the old extent back when its readers are done.
    /// Lists keep their order, so every view's prefix stays what it was; the
    /// list `wanted` has room for an entry afterwards.
    fn rewrite<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        wanted: usize,
    ) -> Result<(), PersistenceError> {
        loaded.refresh_direct_page();
        let view = SectionView::new(
            Arc::clone(&loaded.body),
            Arc::clone(&loaded.page),
            loaded.in_place(),
        );
        let lists: Vec<Vec<u32>> = (0..self.lists)
            .map(|list| {
                let mut words = Vec::with_capacity(view.raw_len(list));
                let _ = view.for_each_raw_segment::<()>(list, |segment, _| {
                    words.extend_from_slice(segment);
                    if active(Mutant::DirectRewriteLosesLog) {
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                });
                words
            })
            .collect();
        drop(view);
        let old_capacity = loaded.body.base.packed().words.count();
        let image = DirectImage::new(
            self.first_vertex,
            &lists,
            wanted,
            old_capacity,
            at.parameters,
        );
        if image.encoded_len() > Slots::MAX_EXTENT_BYTES {
            return Err(PersistenceError::Medium(
                evergraph_persistence::MediumError::Unsupported(format!(
                    "the lists of vertices {}..{} are too large for direct mode; use merged mode",
                    self.first_vertex,
                    self.first_vertex as usize + self.lists
                )),
            ));
        }
        let old = loaded.body.base.extent().cloned();
        if active(Mutant::DirectOldFreedFirst)
            && let Some(old) = &old
        {
            at.context.region.scribble(old)?;
        }
        // Step D2: the new extent is durable...
        let draft = at.context.region.allocate(image.encoded_len())?;
        let bytes = image.encode(&at.context.uuid, draft.offset(), self.first_vertex);
        let (extent, flushed) = draft.finish(&bytes)?.split();
        let extent = Arc::new(extent);
        let slot = Slot {
            offset: extent.offset(),
            len: extent.len(),
        };
        let durable = if active(Mutant::DirectSlotBeforeExtent) {
            flushed.assume_durable()
        } else {
            flushed.fence(at.extents)?
        };
        // ...step D3: before one word publishes it.
        at.slots
            .publish(at.slot_medium, at.plane, at.number, durable.map(|()| slot))?;
        extent.published();
        if active(Mutant::DirectSlotNotFlushed)
            && let Some(old) = &old
        {
            at.context.region.scribble(old)?;
        }
        let places = self.direct_places();
        let (base, state) = image.open(&extent, loaded.direct.take(), places);
        let words = extent.address(state.words_at);
        self.words_hint.store(words.cast_mut(), Ordering::Relaxed);
        loaded.body = Arc::new(Body {
            generation: loaded.body.generation,
            csn: 0,
            base: Base::Packed(base),
            buffers: std::sync::OnceLock::new(),
        });
        loaded.writer = None;
        loaded.direct = Some(state);
        // Step D4: nothing durable names the old extent any more.
        if let Some(old) = old {
            old.retire();
        }
        Ok(())
    }
}

impl DirectState {
    /// Entries of a list in place, and in all.
    fn lengths(&self, list: usize) -> (usize, usize) {
        let place = &self.places[list];
        let filled = place.filled.load(Ordering::Relaxed);
        (filled as usize, place.len.load(Ordering::Relaxed) as usize)
    }

    /// DGAP merges a log at nine tenths.
    #[inline(always)]
    fn log_is_due(&self) -> bool {
        self.log_slots > 0 && self.log_used * 10 >= self.log_slots * 9
    }

    #[inline(always)]
    fn counted(&mut self, list: usize, word: u32) {
        self.page_is_stale = true;
        if is_tombstone(word) {
            let lists = self.places.len();
            let counts = self
                .tombstones
                .get_or_insert_with(|| vec![0; lists].into_boxed_slice());
            counts[list] += 1;
        }
    }
}

impl Loaded {
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
    fn begin_direct_epoch(&mut self, now: u64, needed: &[u64]) {
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
            prefetch_for_write(words.wrapping_add(4 * slot as usize));
        }
    }
}
