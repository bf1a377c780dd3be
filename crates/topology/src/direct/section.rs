//! Inserting into a section in direct mode.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use evergraph_persistence::mutant::{Mutant, active};
use evergraph_persistence::{Medium, PersistenceError, Registry};

use super::format::{DirectImage, log_entry};
use super::slots::{Slot, Slots};
use super::DirectParameters;
use crate::entry::{is_tombstone, neighbor};
use crate::plane::SectionView;
use crate::section::{Body, Context, Loaded, Section, count_live};
use crate::store::Published;
use crate::tail::Tail;

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
    pub fn insert_direct<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        list: usize,
        word: u32,
    ) -> Result<bool, PersistenceError> {
        let mut guard = self.state.lock();
        let loaded = self.load(at.context, &mut guard)?;
        if is_tombstone(word) {
            let len = loaded.page.len[list] as usize;
            if count_live(&loaded.body, list, len, neighbor(word)) == 0 {
                return Ok(false);
            }
        }
        while !self.place(at, loaded, list, word)? {
            self.rewrite(at, loaded)?;
        }
        self.count(at, loaded, list, word);
        let full = loaded
            .direct
            .as_ref()
            .is_some_and(|d| d.log_slots > 0 && d.log_used * 10 >= d.log_slots * 9);
        if full {
            self.rewrite(at, loaded)?;
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
        let base = &loaded.body.base;
        let (start, filled) = base.list(list);
        let extent = base.extent().expect("a section in direct mode has an extent");
        // Behind entries in the log nothing goes in place: order is kept.
        let in_place = filled == loaded.page.len[list] as usize;
        if in_place && start + filled + 1 < base.starts[list + 1] as usize {
            let offset = direct.words_at + 4 * (start + filled) as u64;
            extent.append_u32(at.extents, offset, word)?;
            let counts = base.filled.as_ref().expect("direct mode counts");
            counts[list].store(filled as u32 + 1, Ordering::Relaxed);
            return Ok(true);
        }
        if direct.log_used == direct.log_slots {
            return Ok(false);
        }
        let entry = log_entry(extent.offset(), direct.log_used, list, word);
        let offset = direct.log_at + 8 * direct.log_used as u64;
        extent.append_u64(at.extents, offset, entry)?;
        direct.log_used += 1;
        if loaded.writer.is_none() {
            let (tail, writer) = Tail::new(self.lists, 1);
            let _ = loaded.body.tail.set(tail);
            loaded.writer = Some(writer);
        }
        let tail = loaded.body.tail.get().expect("set with the writer");
        let writer = loaded.writer.as_mut().expect("set above");
        tail.append(writer, list, word, 0);
        Ok(true)
    }

    /// Makes the entry visible to views taken from now on; the page that an
    /// earlier view reads stays as it is.
    #[inline(always)]
    fn count<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
        list: usize,
        word: u32,
    ) {
        let now = at.registry.csn();
        if loaded.page.csn < now {
            let mut page = loaded.page.as_ref().clone();
            page.csn = now;
            let old = std::mem::replace(&mut loaded.page, Arc::new(page));
            loaded.older.push(old);
            loaded.prune(&at.registry.needed());
        }
        let page = Arc::get_mut(&mut loaded.page).expect("no view reads the running page");
        page.len[list] += 1;
        if is_tombstone(word) {
            page.add_tombstone(list);
        }
    }

    /// Direct steps D2 to D4: writes the section out of place with new gaps,
    /// publishes it, and gives the old extent back when its readers are done.
    /// Lists keep their order, so every view's prefix stays what it was.
    fn rewrite<M: Medium + ?Sized>(
        &self,
        at: &DirectInsert<'_, M>,
        loaded: &mut Loaded,
    ) -> Result<(), PersistenceError> {
        let view = SectionView {
            page: Arc::clone(&loaded.page),
            body: Arc::clone(&loaded.body),
        };
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
        let old_capacity = loaded.body.base.words.count();
        let image = DirectImage::new(self.first_vertex, &lists, old_capacity, at.parameters);
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
        let (base, state) = image.open(&extent);
        loaded.body = Arc::new(Body {
            generation: loaded.body.generation,
            base,
            tail: std::sync::OnceLock::new(),
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
