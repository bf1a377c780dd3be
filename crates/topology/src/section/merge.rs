//! Merging a section: freezing it as of a commit, and putting what was written
//! into the place of what was frozen.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Entry, Extent, Needed, StorageError};

use super::gather::{Compacted, MergeScratch, compact_lists, fill, for_each_jumped, lengths_with};
use super::loaded::kept;
use super::plan::{Dropping, Plan, Wanted, compacting_on_the_way, is_chained, plan};
use super::{Body, Inner, Loaded, Parts, Resources, Section, State, Version};
use crate::blocks::{self, Identity, Written};
use crate::history::{EachPage, MergedHistory, NewPoints, PublishedHistory};
use crate::layout::{Base, Layout};
use crate::lengths::{LengthPage, Lengths};
use crate::section_format::{self, SectionImage};

/// A frozen section: its state as of the commit up to which a merge works.
pub struct Frozen {
    body: Arc<Body>,
    plan: Plan,
    /// Lengths before the merge...
    page: Arc<LengthPage>,
    /// ...and after it, if it dropped entries.
    compacted: Option<Arc<LengthPage>>,
    /// Lengths of the past that have to be stored with it.
    points: Option<NewPoints>,
}

/// A merged section that is written and not published.
pub enum Product {
    /// A packed section.
    Packed(Entry, section_format::Base),
    /// A section of blocks.
    Blocks(Written),
}

impl Product {
    /// The section's row of the directory.
    pub fn entry(&self) -> Entry {
        match self {
            Product::Packed(entry, _) => Layout::Pma.mark(*entry),
            Product::Blocks(written) if failpoint!("relayout.unmarked") => written.entry,
            Product::Blocks(written) => Layout::Blocks.mark(written.entry),
        }
    }

    /// A root may name it from now on, so nothing of it is free.
    pub fn publishing(&self) {
        match self {
            Product::Packed(_, base) => base.extent().iter().for_each(|extent| extent.published()),
            Product::Blocks(written) => written.publishing(),
        }
    }
}

impl Frozen {
    /// The extent that the merge will replace.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.body.base.extent()
    }

    /// The slabs that the merge will replace, if it writes the section whole.
    pub fn replaced_slabs(&self) -> Vec<&Arc<Extent>> {
        match &self.body.base {
            Base::Blocks(base) if self.plan == Plan::RewriteBlocks => base.slab_extents().collect(),
            _ => Vec::new(),
        }
    }

    /// Lengths of the past that have to be stored with the section.
    pub(crate) fn points(&self) -> Option<&NewPoints> {
        self.points.as_ref()
    }

    /// Whether those are all there are: the ones before are of lists that have
    /// other entries now.
    pub fn replaces_history(&self) -> bool {
        self.compacted.is_some()
    }

    fn generation(&self) -> u32 {
        self.body.generation + u32::from(self.compacted.is_some())
    }

    /// Durability step 1: writes what was frozen out of place.
    pub fn write(
        &self,
        resources: &Resources,
        section: &Section,
        scratch: &mut MergeScratch,
    ) -> Result<(Product, Flushed<()>), StorageError> {
        let (csn, image) = (self.page.csn, &mut scratch.image);
        let volume = &resources.volume;
        let blocks = match &self.body.base {
            Base::Blocks(base) => Some(base),
            Base::Packed(_) => None,
        };
        let (written, flushed) = match (self.plan, blocks) {
            (Plan::AppendBlocks, Some(base)) => base.append(volume, csn, image)?,
            (Plan::CompactBlocks(list), Some(base)) => {
                base.update(volume, csn, self.generation(), image, &[list])?
            }
            (Plan::RewriteBlocks, Some(base)) => {
                base.rewrite(volume, csn, self.generation(), image)?
            }
            (Plan::IntoBlocks, _) => {
                let identity = Identity {
                    first_vertex: section.first_vertex,
                    lists: section.lists,
                    columns: section.columns,
                    csn,
                    generation: self.generation(),
                };
                blocks::Base::write(volume, identity, image)?
            }
            _ => return self.write_packed(resources, section, image),
        };
        Ok((Product::Blocks(written), flushed))
    }

    fn write_packed(
        &self,
        resources: &Resources,
        section: &Section,
        image: &mut SectionImage,
    ) -> Result<(Product, Flushed<()>), StorageError> {
        let draft = resources.volume.region.allocate(image.encoded_len())?;
        let (entry, bytes) = image.encode(
            &resources.volume.uuid,
            draft.offset(),
            section.first_vertex,
            self.page.csn,
            self.generation(),
        );
        let (extent, flushed) = draft.finish(bytes)?.split();
        let base = section_format::Base::written(Arc::new(extent), image);
        Ok((Product::Packed(entry, base), flushed))
    }
}

impl Section {
    /// The oldest commit with entries that are not merged.
    pub fn unmerged_since(&self) -> Option<u64> {
        self.state.lock().unmerged_since
    }

    /// Entries that are not merged, and those that are: what a merge gains, and
    /// what it may have to write again.
    pub fn merge_gain(&self) -> (u64, u64) {
        let guard = self.state.lock();
        let appended = guard.appended.len() as u64;
        match &guard.state {
            State::Stored(entry, _) => (appended, entry.entries),
            State::StoredDirect(_) => (appended, 0),
            State::Loaded(loaded) => {
                let merged = loaded.body.base.entries();
                (
                    appended + loaded.page.totals().0.saturating_sub(merged),
                    merged,
                )
            }
        }
    }

    /// Blocks of a list; 0 in a section of another layout.
    pub fn block_count(&self, resources: &Resources, list: usize) -> Result<usize, StorageError> {
        let mut guard = self.state.lock();
        let body = Arc::clone(&self.load(resources, &mut guard)?.body);
        drop(guard);
        let Base::Blocks(base) = &body.base else {
            return Ok(0);
        };
        base.verify(&resources.volume.uuid)?;
        Ok(base.block_count(list))
    }

    /// Starts fetching what [`Section::freeze`] will read, if it has work.
    pub fn prefetch_for_merge(
        &self,
        resources: &Resources,
        csn: u64,
        wanted: Wanted,
        layout: Layout,
    ) {
        let growth = resources.rules.rewrite_growth;
        let guard = self.state.lock();
        if !guard.has_work(csn, wanted, layout) {
            return;
        }
        let extents = match &guard.state {
            State::Stored(_, extent) | State::StoredDirect(extent) => vec![Arc::clone(extent)],
            State::Loaded(loaded) => match &loaded.body.base {
                Base::Blocks(base)
                    if layout == Layout::Blocks
                        && wanted == Wanted::Merged
                        && !base.has_outgrown(&loaded.page, guard.appended.len(), growth) =>
                {
                    base.extent().cloned().into_iter().collect()
                }
                base => base.extents(),
            },
        };
        // The system may wait for the device.
        drop(guard);
        extents.iter().for_each(|extent| extent.prefetch());
    }

    /// Gathers the section as of commit `csn` in `scratch`, for [`Frozen::write`]: the
    /// same lists in the same order, so that every prefix means what it meant, unless
    /// they are to be compacted. `None` if it is stored as wanted already.
    ///
    /// Holds the section's lock meanwhile; the bytes go to the medium after it.
    pub fn freeze(
        &self,
        resources: &Resources,
        csn: u64,
        needed: &Needed,
        wanted: Wanted,
        layout: Layout,
        scratch: &mut MergeScratch,
    ) -> Result<Option<Frozen>, StorageError> {
        let mut guard = self.state.lock();
        if !guard.has_work(csn, wanted, layout) {
            return Ok(None);
        }
        let is_new = guard.has_work(csn, Wanted::Merged, layout);
        let mut parts = self.load_parts(resources, &mut guard)?;
        if parts.loaded.direct.is_some() {
            return Ok(None);
        }
        // Lengths that a view still reads exist before they are jumped over.
        if let Some(last) = needed.last_watched_before(csn) {
            parts.sort_into_buffers(resources, last, needed)?;
        }
        let (sorted, body) = parts.version_at(resources, csn)?;
        let Parts {
            loaded,
            appended,
            history,
        } = parts;
        let is_newest = loaded.page.csn <= csn;
        let behind = if is_newest { appended.len_at(csn) } else { 0 };
        let each_jumped = |visit: &mut dyn FnMut(&LengthPage)| {
            for_each_jumped(&sorted, appended, csn, needed, visit);
        };
        let jumps = is_newest && needed.is_kept(sorted.csn, csn);
        let jumped: Option<&EachPage<'_>> = if jumps { Some(&each_jumped) } else { None };
        let mut page = lengths_with(&sorted, appended, behind, csn);
        let wanted = compacting_on_the_way(wanted, &page, layout, resources.rules.cancels);
        let plan = plan(
            &body.base,
            &page,
            wanted,
            layout,
            resources.rules.rewrite_growth,
        );
        let drops = Dropping::of(&page, wanted, plan);
        let stays = !is_new && body.base.layout() == Some(layout) && !plan.ends_chains(&body.base);
        let appends = matches!(plan, Plan::AppendBlocks | Plan::CompactBlocks(_));
        // First entry of a list to write: its first, or the first that is not merged.
        let from = |list: usize| match plan {
            Plan::AppendBlocks => body.base.list_len(list),
            Plan::CompactBlocks(compacted) if list != compacted => body.base.list_len(list),
            _ => 0,
        };
        if plan != Plan::AppendBlocks {
            body.base.verify(&resources.volume.uuid)?;
        }
        let weighted = self.columns == 2;
        let whole = if drops.is_some() {
            &mut scratch.whole
        } else {
            &mut scratch.image
        };
        if appends {
            let merged = body.base.lengths(csn);
            let lens: Vec<u32> = (0..self.lists)
                .map(|list| page.len.of(list) - from(list) as u32)
                .collect();
            let tombstones: Vec<u32> = (0..self.lists)
                .map(|list| match from(list) {
                    0 => page.tombstones(list),
                    _ => page.tombstones(list) - merged.tombstones(list),
                })
                .collect();
            whole.begin(&lens, Some(&tombstones), weighted);
        } else {
            whole.begin(page.len.own(), page.tombstones.as_deref(), weighted);
        }
        fill(
            whole,
            &body,
            &sorted,
            from,
            appended,
            behind,
            &mut scratch.cursors,
        );
        let mut points = history.unstored(&resources.volume.uuid, csn, jumped)?;
        let mut past = Vec::new();
        if drops.is_some() && !failpoint!("compact.snapshots-ignored") {
            past = history.needed_pages(&resources.volume.uuid, csn, needed)?;
            if let Some(each) = jumped {
                each(&mut |page| past.push(page.clone()));
            }
        }
        // The image has all that the merge writes: commits and readers go on meanwhile.
        drop(guard);
        let mut compacted = None;
        if let Some(drops) = drops {
            let chosen = |list| drops.is_of(list);
            match compact_lists(
                scratch,
                &page,
                past,
                chosen,
                weighted,
                resources.rules.cancels,
            ) {
                // Snapshots need all of it.
                None if stays => return Ok(None),
                None => std::mem::swap(&mut scratch.image, &mut scratch.whole),
                Some(Compacted { page, past }) => {
                    points = NewPoints::of(&past);
                    compacted = Some(Arc::new(page));
                }
            }
        }
        Ok(Some(Frozen {
            body,
            plan,
            page: Arc::new(page),
            compacted,
            points,
        }))
    }

    /// Durability step 6 for one section: puts what a published root names into
    /// the place of what was frozen, and gives the old extents back. What came
    /// since stays in the append buffer, or moves to new vertex buffers.
    pub(crate) fn replace_base(
        &self,
        resources: &Resources,
        needed: impl Fn() -> Needed,
        frozen: Frozen,
        product: Product,
        history_published: Option<PublishedHistory>,
    ) -> Result<(), StorageError> {
        let base = open_product(product, &frozen.body.base);
        // Dropped after the lock.
        let mut tables = Vec::new();
        let mut guard = self.state.lock();
        // After the lock: whichever reader sorted the section knew of nothing newer.
        let needed = &needed();
        let Inner {
            state,
            appended,
            unmerged_since,
            history,
            keepers,
        } = &mut *guard;
        let State::Loaded(loaded) = state else {
            unreachable!("a frozen section is loaded");
        };
        let old = Arc::clone(&loaded.body);
        debug_assert!(
            Arc::ptr_eq(&old, &frozen.body),
            "one merge of a section at a time: another has replaced what was frozen"
        );
        let body = Arc::new(Body {
            generation: frozen.generation(),
            csn: frozen.page.csn,
            base,
            buffers: OnceLock::new(),
        });
        let merged_csn = frozen.page.csn;
        let sorted_further = loaded.page.csn > merged_csn;
        let merged_page = frozen.compacted.as_ref().unwrap_or(&frozen.page);
        // First, because it may fail.
        let published = history_published
            .unwrap_or_else(|| PublishedHistory::nothing(frozen.replaces_history()));
        let merge = MergedHistory {
            page: merged_page,
            newest: match sorted_further {
                true => loaded.page.csn,
                false => merged_csn,
            },
            needed,
        };
        history.publish(
            &resources.volume.uuid,
            published,
            Some(merge),
            |page| match &frozen.compacted {
                Some(compacted) => since_compaction(page, &frozen.page, compacted),
                None => page.clone(),
            },
        )?;
        if let Some(compacted) = &frozen.compacted {
            loaded.change_generation(&old, &frozen.page, compacted);
        }
        // Readers of the old body keep it, its extent and its buffers; readers from now
        // on see what the root names.
        loaded.writer = None;
        loaded.body = body;
        if let Some(keepers) = keepers.take() {
            tables.extend(keepers.let_go());
        }
        if sorted_further {
            self.move_newer(resources, loaded, &old, &frozen.page);
            if let Some(compacted) = &frozen.compacted {
                loaded.insert_version(compacted);
            }
        } else {
            if needed.is_watched(loaded.page.csn, merged_csn) {
                let before = frozen.compacted.is_some().then(|| Arc::clone(&old));
                loaded.older.push(Version {
                    page: kept(&loaded.page),
                    body: before,
                });
            }
            loaded.page = match resources.volume.region.fits_in_memory() {
                true => as_merged(&loaded.body, merged_page),
                false => Arc::clone(merged_page),
            };
            // The extent has these entries now. If the section was sorted further, the
            // append buffer has none of them left.
            appended.drop_until(merged_csn);
        }
        loaded.prune(needed);
        *unmerged_since = (sorted_further || !appended.is_empty()).then_some(merged_csn + 1);
        guard.invariants(self.lists);
        Ok(())
    }

    /// Vertex buffers hold entries newer than what was frozen: those go behind
    /// the new merged part.
    fn move_newer(
        &self,
        resources: &Resources,
        loaded: &mut Loaded,
        old: &Body,
        frozen: &LengthPage,
    ) {
        let Some(old_buffers) = old.buffers.get() else {
            return;
        };
        let now: Vec<usize> = (0..self.lists)
            .map(|list| loaded.page.len.of(list) as usize)
            .collect();
        let body = Arc::clone(&loaded.body);
        let (buffers, writer) = loaded.buffers(resources, self.lists, self.columns);
        for (list, &now) in now.iter().enumerate() {
            // `now` counts from the new merged part on, as `frozen` does from
            // the old one on: what lies between the two is newer.
            let newer = now - body.base.list_len(list);
            debug_assert!(
                frozen.len.of(list) as usize >= old.base.list_len(list),
                "list {list} was frozen shorter than it was merged"
            );
            let mut skip = frozen.len.of(list) as usize - old.base.list_len(list);
            let mut left = newer;
            let _ = old_buffers.for_each_segment::<()>(list, skip + newer, |words, weights| {
                for (i, &word) in words.iter().enumerate().skip(skip) {
                    let weight = weights.get(i).copied().unwrap_or(0);
                    buffers.append(writer, list, word, weight, left);
                    left -= 1;
                }
                skip = skip.saturating_sub(words.len());
                ControlFlow::Continue(())
            });
        }
    }
}

/// The lengths as of a merge, of which the merged part has most.
fn as_merged(body: &Body, page: &Arc<LengthPage>) -> Arc<LengthPage> {
    let Base::Packed(base) = &body.base else {
        return Arc::clone(page);
    };
    Arc::new(LengthPage {
        csn: page.csn,
        len: Lengths::Merged(base.starts.clone()),
        tombstones: page.tombstones.clone(),
    })
}

/// Opens what was published for reading, and gives back what it replaced.
fn open_product(product: Product, old: &Base) -> Base {
    match product {
        Product::Packed(_, base) => {
            old.extents().iter().for_each(|extent| extent.retire());
            Base::Packed(base)
        }
        Product::Blocks(written) => {
            if let Base::Packed(old) = old {
                old.extent().iter().for_each(|extent| extent.retire());
            }
            Base::Blocks(Box::new(written.publish()))
        }
    }
}

impl Inner {
    /// Whether a merge would change anything.
    fn has_work(&self, csn: u64, wanted: Wanted, layout: Layout) -> bool {
        let touched = self.unmerged_since.is_some_and(|since| since <= csn);
        touched
            || match wanted {
                Wanted::Merged => false,
                Wanted::Converted => self.layout().is_some_and(|now| now != layout),
                Wanted::Compacted => self.may_have_tombstones() || self.is_chained(),
                Wanted::CompactedList(list) => {
                    self.may_have_tombstones() || self.is_chained_list(list)
                }
            }
    }

    /// Whether lists lie in several blocks, or blocks have room ahead.
    fn is_chained(&self) -> bool {
        matches!(&self.state, State::Loaded(loaded) if is_chained(&loaded.body.base))
    }

    /// Whether a list lies in several blocks.
    fn is_chained_list(&self, list: usize) -> bool {
        match &self.state {
            State::Loaded(Loaded { body, .. }) => body.base.is_chained(list),
            State::Stored(..) | State::StoredDirect(_) => false,
        }
    }

    /// The layout of what is stored.
    fn layout(&self) -> Option<Layout> {
        match &self.state {
            State::Stored(entry, _) => Some(Layout::of(entry)),
            State::StoredDirect(_) => None,
            State::Loaded(loaded) if loaded.direct.is_some() => None,
            State::Loaded(loaded) => loaded.body.base.layout(),
        }
    }

    /// Whether tombstones are known, or cannot be excluded, among what is not
    /// in the append buffer.
    fn may_have_tombstones(&self) -> bool {
        match &self.state {
            State::Stored(entry, _) => entry.tombstones > 0,
            State::StoredDirect(_) => false,
            State::Loaded(loaded) => loaded.page.tombstones.is_some(),
        }
    }
}

impl Loaded {
    /// Inserts the lengths from which the newest generation begins, where newer ones are
    /// there already: a reader of that commit, the next compaction say, gets the lists of
    /// this generation and not of the one before.
    fn insert_version(&mut self, page: &Arc<LengthPage>) {
        let at = self.older.partition_point(|v| v.page.csn < page.csn);
        if self.older.get(at).is_none_or(|v| v.page.csn > page.csn) {
            let version = Version {
                page: Arc::clone(page),
                body: None,
            };
            self.older.insert(at, version);
        }
    }

    /// Entries were dropped from the lists as of `frozen`, so that those have
    /// the lengths of `compacted`: versions before keep their body, those since
    /// then get the lengths that they have in the new generation.
    fn change_generation(&mut self, old: &Arc<Body>, frozen: &LengthPage, compacted: &LengthPage) {
        let since = |page: &LengthPage| Arc::new(since_compaction(page, frozen, compacted));
        for version in &mut self.older {
            if version.body.is_some() {
                continue;
            }
            if version.page.csn < frozen.csn {
                version.body = Some(Arc::clone(old));
            } else {
                version.page = since(&version.page);
            }
        }
        if self.page.csn > frozen.csn {
            self.page = since(&self.page);
        }
    }
}

/// Lengths as of a commit after `frozen`, in the generation that gave those the
/// lengths of `compacted`.
fn since_compaction(page: &LengthPage, frozen: &LengthPage, compacted: &LengthPage) -> LengthPage {
    let mut page = page.clone();
    for (list, len) in page.len.own().iter_mut().enumerate() {
        *len -= frozen.len.of(list) - compacted.len.of(list);
    }
    if let Some(counts) = &mut page.tombstones {
        for (list, count) in counts.iter_mut().enumerate() {
            *count -= frozen.tombstones(list) - compacted.tombstones(list);
        }
    }
    page.forget_no_tombstones();
    page
}
