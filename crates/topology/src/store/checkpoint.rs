//! Merging: append buffers and vertex buffers go into sections, the root is published,
//! space and log are given back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use evergraph_storage::failpoint;
use evergraph_storage::order::{Durable, Flushed};
use evergraph_storage::{Medium, Needed, SectionKey, StoredDirectory as Stored};
use parking_lot::Mutex;

use super::history::Update;
use super::{BLOB_IDS, BLOB_META, GroupEnd, LogState, RootState, Store};
use crate::attachment::ATTACHED_OWNERS;
use crate::error::TopologyError;
use crate::layout::Layout;
use crate::record::{self, Op};
use crate::section::{Frozen, MergeScratch, Product, Section, Wanted};

/// Fewer sections are merged by one thread.
const PARALLEL_AT_LEAST: usize = 32;
/// Sections that a change of layout converts before it publishes them: so many
/// have both forms on the medium at once.
const CONVERTED_AT_ONCE: usize = 1024;
/// Sections that are fetched before a thread comes to merge them, where the graph
/// is larger than memory.
const ANNOUNCED_AHEAD: usize = 4;
/// Bytes that an entry occupies in an append buffer, for estimates.
const RUN_ENTRY_BYTES: u64 = 8;

/// A section that is written and not published.
pub(super) struct Merged {
    pub key: SectionKey,
    section: Arc<Section>,
    pub frozen: Frozen,
    product: Product,
}

pub(super) type Named = (SectionKey, Arc<Section>);

/// Goal of a merge for each of its sections.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// The same of all.
    All(Wanted),
    /// Merging all, and the past written again.
    Flattened,
    /// One list of each section in one block.
    Lists(&'a BTreeMap<SectionKey, usize>),
}

impl From<Wanted> for Purpose<'_> {
    fn from(wanted: Wanted) -> Self {
        Purpose::All(wanted)
    }
}

impl Purpose<'_> {
    fn of(self, key: SectionKey) -> Wanted {
        match self {
            Purpose::All(wanted) => wanted,
            Purpose::Flattened => Wanted::Merged,
            Purpose::Lists(lists) => match lists.get(&key) {
                Some(&list) => Wanted::CompactedList(list),
                None => Wanted::Merged,
            },
        }
    }
}

/// Things that a merge publishes beside its sections.
struct Target {
    /// From here on the log is still needed; all sections are merged up to it.
    start: GroupEnd,
    /// The merged sections, and names, are as of this commit.
    csn: u64,
    clean: bool,
    /// The attachment is written, too.
    with_attached: bool,
    /// All of the history is written again, without points that are not needed.
    rewrites_history: bool,
}

impl Store {
    /// Merges everything up to the watermark into the sections' extents and
    /// frees that part of the log (XPGraph's flushing phase). Commits and
    /// readers go on meanwhile.
    ///
    /// Writes each touched section once, out of place; cost in proportion to
    /// the touched sections, not to the graph. On an error (a full disk, say)
    /// nothing has changed and the log keeps what it held.
    pub fn checkpoint(&self) -> Result<(), TopologyError> {
        self.drop_orphans()?;
        self.merge_everything(&mut self.roots.lock())
    }

    /// Merges everything, drops tombstones with what they cancel, and makes each
    /// list of the layout `blocks` one block. Sections where there is nothing of
    /// it to do are not rewritten. Views that exist keep what
    /// they see; its space comes back with the section's next merge or
    /// compaction after the last of them went.
    pub fn compact(&self) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        let sections = self.all_sections();
        self.merge_all(&mut roots, &sections, Wanted::Compacted, false)
    }

    /// As [`Store::compact`], for the section of one vertex in each adjacency.
    pub fn compact_vertex(&self, vertex: u32) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        let number = vertex >> self.config.section_shift;
        let sections: Vec<Named> = self
            .adjacencies
            .iter()
            .filter_map(|adjacency| {
                let section = adjacency.section(number as usize)?;
                let key = SectionKey {
                    owner: adjacency.number(),
                    section: number,
                };
                Some((key, section))
            })
            .collect();
        let list = vertex as usize & ((1 << self.config.section_shift) - 1);
        self.merge_at(&mut roots, &sections, Wanted::CompactedList(list), false)
    }

    /// Merges everything, and writes all stored history again, without points that are
    /// not needed: after [`Store::drop_snapshots`], the space of what only those showed
    /// is free when this returns (that of views of them when those end). Entries that
    /// were kept for them go with the next [`Store::compact`].
    ///
    /// # Errors
    /// As [`Store::checkpoint`].
    pub fn rewrite_history(&self) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        self.merge_all(&mut roots, &self.all_sections(), Purpose::Flattened, false)
    }

    /// Changes the layout: from now on sections are merged into it, and those
    /// that are there are converted, some at a time, each step published by a
    /// root of its own. Commits and readers go on meanwhile. Cut off, it leaves
    /// sections of both layouts, which read the same; doing it again converts
    /// the rest.
    pub fn relayout(&self, layout: Layout) -> Result<(), TopologyError> {
        if self.direct.is_some() {
            return Err(TopologyError::Unsupported(
                "direct mode has one layout; import into a database in merged mode".to_string(),
            ));
        }
        self.set_layout(layout);
        for sections in self.all_sections().chunks(CONVERTED_AT_ONCE) {
            self.merge_at(&mut self.roots.lock(), sections, Wanted::Converted, false)?;
            failpoint!("relayout.step-published");
        }
        Ok(())
    }

    /// Stored sections of each layout: of several only while the layout changes,
    /// or if that was cut off.
    pub fn sections_by_layout(&self) -> Vec<(Layout, usize)> {
        let roots = self.roots.lock();
        let stored: Vec<Layout> = roots
            .directory
            .entries()
            .filter(|(key, _)| key.owner < ATTACHED_OWNERS)
            .map(|(_, entry)| Layout::of(&entry))
            .collect();
        let count = |layout| stored.iter().filter(|&&other| other == layout).count();
        let layouts = Layout::ALL.iter().map(|&(_, layout)| layout);
        layouts.map(|layout| (layout, count(layout))).collect()
    }

    /// Whether the log or the buffers are so full that merging should begin, so
    /// that no commit has to wait for it.
    pub fn merge_is_due(&self) -> bool {
        let (used, capacity) = self.log_fill();
        used * 2 > capacity || self.unmerged_bytes() * 2 > self.buffer_budget()
    }

    /// Merges the sections that are worth it: those that hold back the older
    /// half of the log, if it is filling up, and those that free the most buffer
    /// for the least that has to be written again, until the buffers are down to
    /// a quarter of their budget. The same goes for the attachment, as a whole.
    pub fn merge_what_is_due(&self) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        let hold_back = self.holding_back();
        let sections = self.sections_worth_merging(hold_back);
        let with_attached = self
            .attached_since()
            .is_some_and(|since| since <= hold_back)
            || self.attached_bytes() * 4 > self.buffer_budget();
        self.merge_some(&mut roots, &sections, with_attached)
    }

    /// Waits for commits that are under way, merges everything and marks the stop as
    /// clean. Whatever would write afterwards is refused as [`TopologyError::Closed`],
    /// also if the merge fails.
    ///
    /// # Errors
    /// As [`Store::checkpoint`]; then the stop is not clean.
    pub fn close(&self) -> Result<(), TopologyError> {
        // A commit behind the end that the clean stop names would be lost.
        let _alone = failpoint!("close.commits-go-on", None, else Some(self.flow.gate.write()));
        let is_writable = self.refuse_if_not_writable().is_ok();
        let ready = if is_writable {
            self.drop_orphans()
        } else {
            Ok(())
        };
        let mut roots = self.roots.lock();
        let closed = ready.and_then(|()| match is_writable {
            true => self.merge_for_good(&mut roots),
            false => Ok(()),
        });
        self.closed.store(true, Ordering::Release);
        closed
    }

    fn merge_for_good(&self, roots: &mut RootState) -> Result<(), TopologyError> {
        self.merge_all(roots, &self.all_sections(), Wanted::Merged, true)?;
        self.context.region.trim(0);
        Ok(())
    }

    pub(super) fn merge_everything(&self, roots: &mut RootState) -> Result<(), TopologyError> {
        self.merge_all(roots, &self.all_sections(), Wanted::Merged, false)?;
        self.makes_room.store(false, Ordering::Release);
        Ok(())
    }

    pub(super) fn all_sections(&self) -> Vec<Named> {
        let adjacencies = self.adjacencies.iter();
        adjacencies
            .flat_map(|adjacency| adjacency.sections())
            .collect()
    }

    /// The newest commit of the older half of the log, if that is filling up; else
    /// 0.
    fn holding_back(&self) -> u64 {
        let log = self.log.lock();
        let used = log.used_bytes();
        if used * 2 <= self.config.log_bytes {
            return 0;
        }
        // The first group, too, which may be more than that by itself.
        let mut groups = log.fill_by_group();
        let first = groups.next().map_or(0, |(csn, _)| csn);
        let older = groups.take_while(|(_, bytes)| bytes * 2 <= used);
        older.last().map_or(first, |(csn, _)| csn)
    }

    fn sections_worth_merging(&self, hold_back: u64) -> Vec<Named> {
        let budget = self.buffer_budget() as u64;
        let mut surplus = (self.context.buffers.used_bytes() as u64).saturating_sub(budget / 4);
        let mut chosen = Vec::new();
        let mut others = Vec::new();
        for named in self.all_sections() {
            let Some(since) = named.1.unmerged_since() else {
                continue;
            };
            let (gain, cost) = named.1.merge_gain();
            if since <= hold_back {
                surplus = surplus.saturating_sub(gain * RUN_ENTRY_BYTES);
                chosen.push(named);
            } else {
                others.push((gain as f64 / (gain + cost).max(1) as f64, gain, named));
            }
        }
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, gain, named) in others {
            if surplus == 0 {
                break;
            }
            surplus = surplus.saturating_sub(gain * RUN_ENTRY_BYTES);
            chosen.push(named);
        }
        chosen
    }

    /// Merges the sections up to the watermark and publishes a root.
    pub(super) fn merge_at<'a>(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: impl Into<Purpose<'a>>,
        clean: bool,
    ) -> Result<(), TopologyError> {
        self.merge_in_parts(roots, sections, purpose.into(), clean, false)
    }

    /// As [`Store::merge_at`], and the attachment.
    pub(super) fn merge_all<'a>(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: impl Into<Purpose<'a>>,
        clean: bool,
    ) -> Result<(), TopologyError> {
        self.merge_in_parts(roots, sections, purpose.into(), clean, true)
    }

    /// Merges some sections, and the attachment if it is one of those.
    pub(super) fn merge_some(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        with_attached: bool,
    ) -> Result<(), TopologyError> {
        self.merge_in_parts(roots, sections, Wanted::Merged.into(), false, with_attached)
    }

    pub(super) fn merge(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: Purpose<'_>,
        clean: bool,
        with_attached: bool,
    ) -> Result<(), TopologyError> {
        let is_relief = !matches!(purpose, Purpose::All(Wanted::Merged | Wanted::Converted));
        let borrows = is_relief || self.makes_room.load(Ordering::Acquire);
        let _borrowed = borrows.then(|| self.context.region.borrow_reserve());
        self.poisoning(|| self.merge_now(roots, sections, purpose, clean, with_attached))?;
        self.keep_reserve();
        Ok(())
    }

    fn merge_now(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: Purpose<'_>,
        clean: bool,
        with_attached: bool,
    ) -> Result<(), TopologyError> {
        // The merge is a reader: the view keeps its lengths readable.
        let token = self.registry.register();
        // No commit that was half applied is merged, nor is its log freed.
        self.refuse_if_not_writable()?;
        let csn = match &self.direct {
            None => token.csn(),
            // Lists need no merge there; the newest commit in the log is applied, because
            // the committer that holds the gate applies before any other.
            Some(_) => {
                let _applied = self.apply.lock();
                let newest = self.log.lock().boundaries.back().map(|b| b.csn);
                newest.unwrap_or(roots.pool.root().csn)
            }
        };
        let merges_only = matches!(purpose, Purpose::All(Wanted::Merged));
        if csn == roots.pool.root().csn && !clean && merges_only {
            return Ok(());
        }
        // Behind the registration, so that the CSN of this view is among them.
        let needed = self.registry.needed();
        let (merged, extents) = self.write_sections(csn, &needed, sections, purpose)?;
        let with_attached = with_attached && self.attached.is_some();
        let mut target = self.target(roots, &merged, csn, with_attached);
        target.clean = clean;
        target.rewrites_history = matches!(purpose, Purpose::Flattened);
        let vertex_count = token.state().vertex_count;
        let update = self.publish(roots, &merged, extents, &target, vertex_count, &needed)?;
        failpoint!("checkpoint.not-switched");
        self.switch_to(roots, merged, update).inspect_err(|_| {
            // The root names what this process does not read: a later merge would
            // build on the wrong state, and an opening reads the right one.
            self.failed.store(true, Ordering::Release);
        })?;
        if target.with_attached {
            self.attached_published();
        }
        // Durability steps 6 and L6: both slots name a root that starts the log behind
        // these records, so no opening reads them, nor the extents that they name.
        let mut log = self.log.lock();
        log.log.release(target.start.lsn);
        log.extents.release(target.start.csn);
        while log
            .boundaries
            .front()
            .is_some_and(|b| b.csn <= target.start.csn)
        {
            log.boundaries.pop_front();
        }
        drop(log);
        self.invariants(roots);
        // The next merge writes about as much as this one replaced: space that is
        // given back and reserved again costs more than all its writing.
        let used = self.context.region.used_bytes();
        let kept = match purpose {
            Purpose::All(Wanted::Compacted) => used / 4,
            _ => used,
        };
        self.context.region.trim(kept + self.config.growth_step);
        Ok(())
    }

    /// Durability step 6: the sections read what the root names, and only now is
    /// anything given back.
    fn switch_to(
        &self,
        roots: &mut RootState,
        merged: Vec<Merged>,
        mut update: Option<Update>,
    ) -> Result<(), TopologyError> {
        let needed = || self.registry.needed();
        // The old extents are given back here, and not before: until step 5 a power cut
        // could bring back the root that names them.
        for m in merged {
            let history = update.as_mut().and_then(|update| update.take(m.key));
            m.section
                .replace_base(&self.context, needed, m.frozen, m.product, history)?;
        }
        self.publish_history(roots, update)
    }

    /// Position up to which the log can be freed once the merged sections are published.
    fn target(
        &self,
        roots: &RootState,
        merged: &[Merged],
        csn: u64,
        with_attached: bool,
    ) -> Target {
        // These sections are merged now, and hold nothing back.
        let mut done: Vec<SectionKey> = merged.iter().map(|m| m.key).collect();
        done.sort_unstable();
        let oldest_missing = self
            .all_sections()
            .iter()
            .filter(|(key, _)| done.binary_search(key).is_err())
            .filter_map(|(_, section)| section.unmerged_since())
            .filter(|_| !failpoint!("checkpoint.log-freed-too-far"))
            .chain(
                self.attached_since()
                    .filter(|_| !with_attached && !failpoint!("extension.log-freed-too-far")),
            )
            .min();
        // From the oldest commit on that is not in some extent, only the log has it.
        let limit = oldest_missing.map_or(csn, |missing| csn.min(missing - 1));
        // Positions in the log are known at the ends of groups.
        let LogState { boundaries, .. } = &*self.log.lock();
        let root = roots.pool.root();
        let boundary = boundaries.iter().take_while(|b| b.csn <= limit).last();
        let start = boundary.copied().unwrap_or(GroupEnd {
            csn: root.csn,
            lsn: root.log_start,
            wall_us: root.wall_us,
            epoch: root.log_epoch,
        });
        Target {
            start,
            csn,
            clean: false,
            with_attached,
            rewrites_history: false,
        }
    }

    /// Durability steps 2 to 5. Step 1, the sections, is written already.
    fn publish(
        &self,
        roots: &mut RootState,
        merged: &[Merged],
        extents: Vec<Flushed<()>>,
        target: &Target,
        vertex_count: u64,
        needed: &Needed,
    ) -> Result<Option<Update>, TopologyError> {
        let stored = self.store_directory(roots, merged, extents, target, needed);
        let (stored, stored_ids, update) = match stored {
            Ok(stored) => stored,
            Err(error) => {
                // The sections go, so nothing may name them: neither this root
                // nor that of a later merge of other sections.
                roots.directory.roll_back();
                if target.with_attached {
                    self.attached_abandoned();
                }
                return Err(error);
            }
        };
        let mut root = roots.pool.root().clone();
        debug_assert!(
            target.start.csn <= target.csn && root.csn <= target.start.csn,
            "a merge up to commit {} takes the root from {} to {}",
            target.csn,
            root.csn,
            target.start.csn
        );
        let place = *stored.get();
        root.csn = target.start.csn;
        if !failpoint!("checkpoint.wall-time-forgotten") {
            root.wall_us = target.start.wall_us;
        }
        root.log_start = target.start.lsn;
        root.log_epoch = target.start.epoch;
        root.clean_log_end = target.clean.then(|| self.log.lock().log.head());
        root.directory_offset = place.offset;
        root.directory_len = place.len;
        root.directory_crc = place.crc;
        root.user = self.config().encode(vertex_count);
        failpoint!("checkpoint.old-extents-freed-first" => {
            for old in merged.iter().filter_map(|m| m.frozen.extent()) {
                self.context.region.scribble(old)?;
            }
        });
        failpoint!("log.extents-freed-first" => {
            for extent in self.log.lock().extents.up_to(target.start.csn) {
                self.context.region.scribble(extent)?;
            }
        });
        failpoint!("blocks.rewrite-frees-first" => {
            for slab in merged.iter().flat_map(|m| m.frozen.replaced_slabs()) {
                self.context.region.scribble(slab)?;
            }
        });
        let RootState {
            pool,
            file,
            directory,
            ..
        } = &mut *roots;
        // From here on the new root may be on the medium, whatever is reported:
        // what it names stays in use until the next opening, also after an error.
        directory.publishing();
        merged.iter().for_each(|m| m.product.publishing());
        if target.with_attached {
            self.attached_publishing();
        }
        failpoint!("checkpoint.extents-written");
        // ...steps 4 and 5: before the root switches to them, in both slots. `publish`
        // takes only what is `Durable`: a root that reached the medium first would name
        // bytes that a power cut has taken.
        if let Err(error) = pool.publish(file, &stored.map(|_| ()), root) {
            // Nor may the log go on: the root may say that it was closed.
            self.failed.store(true, Ordering::Release);
            return Err(error.into());
        }
        failpoint!("checkpoint.published");
        directory.published();
        roots.stored_ids = stored_ids;
        self.names.write().stored(target.csn);
        Ok(update)
    }

    /// Durability steps 2 and 3. Returns how many external ids are stored, too.
    fn store_directory(
        &self,
        roots: &mut RootState,
        merged: &[Merged],
        extents: Vec<Flushed<()>>,
        target: &Target,
        needed: &Needed,
    ) -> Result<(Durable<Stored>, usize, Option<Update>), TopologyError> {
        let mut blobs = Vec::new();
        let stored_ids = self.write_blobs(roots, &mut blobs)?;
        let forgotten = usize::from(failpoint!("checkpoint.section-forgotten"));
        for merged in merged.iter().skip(forgotten) {
            roots.directory.set(merged.key, merged.product.entry());
        }
        let (csn, rewrite) = (target.csn, target.rewrites_history);
        let history = |roots: &mut RootState, blobs: &mut Vec<_>| {
            self.write_history(roots, merged, needed, csn, rewrite, blobs)
        };
        let mut update = None;
        // With the root that frees the log, not a later one: the log is what these
        // lengths could be rebuilt from.
        if !failpoint!("history.after-root") {
            update = history(roots, &mut blobs)?;
        }
        let late = failpoint!("extension.after-root");
        if target.with_attached && !late {
            self.write_attached(roots, csn, needed, &mut blobs)?;
        }
        // Durability step 2: the directory is written beside the sections...
        let sections = Flushed::all(extents).and(Flushed::all(blobs)).map(|_| ());
        let (region, uuid) = (&self.context.region, &self.context.uuid);
        let stored = roots.directory.store(region, uuid, sections)?;
        if failpoint!("history.after-root") {
            update = history(roots, &mut Vec::new())?;
        }
        if target.with_attached && late {
            self.write_attached(roots, csn, needed, &mut Vec::new())?;
        }
        // ...Durability step 3: all of them are durable, by one fence. No order among
        // them is needed, because no root names any of them yet...
        let stored = failpoint!(
            "checkpoint.directory-not-fenced",
            stored.assume_durable(),
            else stored.fence(region.medium())?
        );
        Ok((stored, stored_ids, update))
    }

    /// Durability step 1: writes every touched section out of place.
    fn write_sections(
        &self,
        csn: u64,
        needed: &Needed,
        sections: &[Named],
        purpose: Purpose<'_>,
    ) -> Result<(Vec<Merged>, Vec<Flushed<()>>), TopologyError> {
        let shards = &*self.context.shards;
        let threads = if shards.count() > 1 {
            // Other threads than this one, however many there are.
            rayon::current_num_threads().max(2)
        } else if sections.len() < PARALLEL_AT_LEAST {
            1
        } else {
            rayon::current_num_threads()
        };
        let lists = shards.split(sections.iter().collect(), |(key, _)| key.section as usize);
        let failed = AtomicBool::new(false);
        let taken = AtomicUsize::new(0);
        let announced = AtomicUsize::new(0);
        let announce = |until: usize| {
            while announced.load(Ordering::Relaxed) < until.min(sections.len()) {
                let i = announced.fetch_add(1, Ordering::Relaxed);
                if let Some((key, section)) = sections.get(i) {
                    let wanted = purpose.of(*key);
                    section.prefetch_for_merge(&self.context, csn, wanted, self.layout());
                }
            }
        };
        let fits = self.context.region.fits_in_memory();
        let results: Mutex<Vec<_>> = Mutex::default();
        shards.drain(&lists, threads, |items| {
            let mut scratch = MergeScratch::default();
            for (key, section) in items {
                if failed.load(Ordering::Relaxed) {
                    return;
                }
                if !fits {
                    announce(taken.fetch_add(1, Ordering::Relaxed) + threads + ANNOUNCED_AHEAD);
                }
                section.prune(needed);
                let wanted = purpose.of(*key);
                let written =
                    self.write_section(csn, needed, *key, section, wanted, &mut scratch, threads);
                match written {
                    Ok(None) => {}
                    Ok(Some(written)) => results.lock().push(Ok(written)),
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        results.lock().push(Err(error));
                    }
                }
            }
        });
        let written: Result<Vec<_>, TopologyError> = results.into_inner().into_iter().collect();
        Ok(written?.into_iter().unzip())
    }

    #[allow(clippy::too_many_arguments)]
    fn write_section(
        &self,
        csn: u64,
        needed: &Needed,
        key: SectionKey,
        section: &Arc<Section>,
        wanted: Wanted,
        scratch: &mut MergeScratch,
        threads: usize,
    ) -> Result<Option<(Merged, Flushed<()>)>, TopologyError> {
        let context = &self.context;
        let layout = self.layout();
        let frozen = section.freeze(context, csn, needed, wanted, layout, scratch)?;
        let Some(frozen) = frozen else {
            return Ok(None);
        };
        let (product, flushed) = frozen.write(context, section, scratch)?;
        if threads > 1 && context.region.medium().properties().byte_addressed {
            // A fence orders only the flushes of its own thread.
            context.region.medium().fence()?;
        }
        let merged = Merged {
            key,
            section: Arc::clone(section),
            frozen,
            product,
        };
        Ok(Some((merged, flushed)))
    }

    /// Writes the tables that changed. Returns how many external ids are stored
    /// with them.
    fn write_blobs(
        &self,
        roots: &mut RootState,
        written: &mut Vec<Flushed<()>>,
    ) -> Result<usize, TopologyError> {
        let (region, uuid) = (&self.context.region, &self.context.uuid);
        let (new_ids, stored_ids) = {
            let ids = self.ids.read();
            (ids.since(roots.stored_ids), ids.len())
        };
        if let Some(new_ids) = new_ids
            && !failpoint!("checkpoint.ids-forgotten")
        {
            let mut bytes = Vec::new();
            record::encode(&[Op::Ids(new_ids)], &mut bytes);
            let number = roots.directory.blob_count(BLOB_IDS);
            written.push(
                roots
                    .directory
                    .set_blob(region, uuid, BLOB_IDS, number, &bytes)?,
            );
        }
        let facts: Vec<Op> = self
            .meta
            .read()
            .iter()
            .map(|(key, value)| Op::Meta {
                key: key.clone(),
                value: value.clone(),
            })
            .collect();
        let mut bytes = Vec::new();
        if !failpoint!("checkpoint.metadata-forgotten") {
            record::encode(&facts, &mut bytes);
        }
        written.push(
            roots
                .directory
                .set_blob(region, uuid, BLOB_META, 0, &bytes)?,
        );
        Ok(stored_ids)
    }
}
