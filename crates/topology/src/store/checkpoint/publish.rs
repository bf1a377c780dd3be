//! Merging: append buffers and vertex buffers go into sections, the root is published,
//! space and log are given back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use evergraph_storage::failpoint;
use evergraph_storage::order::{Durable, Flushed};
use evergraph_storage::{Medium, Needed, SectionKey, StoredDirectory as Stored};
use parking_lot::Mutex;

use crate::error::TopologyError;
use crate::record::{self, Op};
use crate::section::{MergeScratch, Section, Wanted};
use crate::store::checkpoint::history::Update;
use crate::store::checkpoint::{BLOB_IDS, BLOB_META, Checkpointer, Merged, Purpose, RootState};
use crate::store::live::Named;
use crate::store::log::{GroupEnd, LogState};

/// Fewer sections are merged by one thread.
const PARALLEL_AT_LEAST: usize = 32;
/// Sections that are fetched before a thread comes to merge them, where the graph
/// is larger than memory.
const ANNOUNCED_AHEAD: usize = 4;
/// Things that a merge publishes beside its sections.
struct Target {
    /// From here on the log is still needed; all sections are merged up to it.
    start: GroupEnd,
    /// The merged sections, and names, are as of this commit.
    csn: u64,
    clean: bool,
    /// The extension is written, too.
    with_extension: bool,
    /// All of the history is written again, without points that are not needed.
    rewrites_history: bool,
}

impl Checkpointer {
    /// Panics in debug builds if what is stored, what is applied and what is in the
    /// log do not follow one another: merged <= applied <= watermark <= durable. To be
    /// called where a merge ends, while the roots are held.
    fn invariants(&self, roots: &RootState) {
        if !cfg!(debug_assertions) || self.live.direct.is_some() {
            return;
        }
        let root = roots.pool.root();
        let watermark = self.live.registry.csn();
        assert!(
            root.csn <= watermark,
            "the root covers commit {}, readers see {watermark}",
            root.csn
        );
        for (key, section) in self.live.all_sections() {
            let since = section.unmerged_since();
            assert!(
                since.is_none_or(|since| since > root.csn),
                "the log was given back up to commit {}, {key:?} needs it from {since:?}",
                root.csn
            );
        }
        let newest = roots.directory.entries().map(|(_, entry)| entry.csn).max();
        assert!(
            newest.is_none_or(|newest| newest <= watermark),
            "stored up to commit {newest:?}, readers see {watermark}"
        );
        let log = self.log.lock();
        log.invariants();
        assert!(
            root.log_start <= log.log.durable() && watermark < log.next_csn,
            "the root needs the log from {}, which is durable up to {}; readers see commit \
             {watermark}, next is {}",
            root.log_start,
            log.log.durable(),
            log.next_csn
        );
    }

    pub(in crate::store) fn merge(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: Purpose<'_>,
        clean: bool,
        with_extension: bool,
    ) -> Result<(), TopologyError> {
        let is_relief = !matches!(purpose, Purpose::All(Wanted::Merged | Wanted::Converted));
        let borrows = is_relief || self.live.makes_room.load(Ordering::Acquire);
        let _borrowed = borrows.then(|| self.live.resources.volume.region.borrow_reserve());
        self.live
            .status
            .poisoning(|| self.merge_now(roots, sections, purpose, clean, with_extension))?;
        self.keep_reserve();
        Ok(())
    }

    fn merge_now(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: Purpose<'_>,
        clean: bool,
        with_extension: bool,
    ) -> Result<(), TopologyError> {
        // The merge is a reader: the view keeps its lengths readable.
        let token = self.live.registry.register();
        // No commit that was half applied is merged, nor is its log freed.
        self.live.status.refuse_if_not_writable()?;
        let csn = match &self.live.direct {
            None => token.csn(),
            // Lists need no merge there; the newest commit in the log is applied, because
            // the committer that holds the gate applies before any other.
            Some(_) => {
                let _applied = self.live.applying.lock();
                let newest = self.log.lock().boundaries.back().map(|b| b.csn);
                newest.unwrap_or(roots.pool.root().csn)
            }
        };
        let merges_only = matches!(purpose, Purpose::All(Wanted::Merged));
        if csn == roots.pool.root().csn && !clean && merges_only {
            return Ok(());
        }
        // Behind the registration, so that the CSN of this view is among them.
        let needed = self.live.registry.needed();
        let (merged, extents) = self.write_sections(csn, &needed, sections, purpose)?;
        failpoint!("checkpoint.sections-written");
        let with_extension = with_extension && self.live.extension.is_some();
        let mut target = self.target(roots, &merged, csn, with_extension);
        target.clean = clean;
        target.rewrites_history = matches!(purpose, Purpose::Flattened);
        let vertex_count = token.state().vertex_count;
        let update = self.publish(roots, &merged, extents, &target, vertex_count, &needed)?;
        failpoint!("checkpoint.not-switched");
        self.switch_to(roots, merged, update).inspect_err(|_| {
            // The root names what this process does not read: a later merge would
            // build on the wrong state, and an opening reads the right one.
            self.live.status.fail();
        })?;
        if target.with_extension {
            self.live.extension_published();
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
        let region = &self.live.resources.volume.region;
        region.root_published(roots.pool.root().sequence);
        self.invariants(roots);
        // The next merge writes about as much as this one replaced: space that is
        // given back and reserved again costs more than all its writing.
        let used = self.live.resources.volume.region.used_bytes();
        let kept = match purpose {
            Purpose::All(Wanted::Compacted) => used / 4,
            _ => used,
        };
        self.live
            .resources
            .volume
            .region
            .trim(kept + self.live.config.growth_step);
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
        let needed = || self.live.registry.needed();
        // The old extents are given back here, and not before: until step 5 a power cut
        // could bring back the root that names them.
        for m in merged {
            let history = update.as_mut().and_then(|update| update.take(m.key));
            m.section
                .replace_base(&self.live.resources, needed, m.frozen, m.product, history)?;
        }
        self.publish_history(roots, update)
    }

    /// Position up to which the log can be freed once the merged sections are published.
    fn target(
        &self,
        roots: &RootState,
        merged: &[Merged],
        csn: u64,
        with_extension: bool,
    ) -> Target {
        // These sections are merged now, and hold nothing back.
        let mut done: Vec<SectionKey> = merged.iter().map(|m| m.key).collect();
        done.sort_unstable();
        let oldest_missing = self
            .live
            .all_sections()
            .iter()
            .filter(|(key, _)| done.binary_search(key).is_err())
            .filter_map(|(_, section)| section.unmerged_since())
            .filter(|_| !failpoint!("checkpoint.log-freed-too-far"))
            .chain(
                self.live
                    .extension_since()
                    .filter(|_| !with_extension && !failpoint!("extension.log-freed-too-far")),
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
            with_extension,
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
                if target.with_extension {
                    self.live.extension_abandoned();
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
        root.log_durable = self.log.lock().log.durable();
        root.clean_log_end = target.clean.then(|| self.log.lock().log.head());
        root.directory_offset = place.offset;
        root.directory_len = place.len;
        root.directory_crc = place.crc;
        root.user = self.config().encode(vertex_count);
        failpoint!("checkpoint.old-extents-freed-first" => {
            for old in merged.iter().filter_map(|m| m.frozen.extent()) {
                self.live.resources.volume.region.scribble(old)?;
            }
        });
        failpoint!("log.extents-freed-first" => {
            for extent in self.log.lock().extents.up_to(target.start.csn) {
                self.live.resources.volume.region.scribble(extent)?;
            }
        });
        failpoint!("blocks.rewrite-frees-first" => {
            for slab in merged.iter().flat_map(|m| m.frozen.replaced_slabs()) {
                self.live.resources.volume.region.scribble(slab)?;
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
        if target.with_extension {
            self.live.extension_publishing();
        }
        failpoint!("checkpoint.extents-written");
        // ...steps 4 and 5: before the root switches to them, in both slots. `publish`
        // takes only what is `Durable`: a root that reached the medium first would name
        // bytes that a power cut has taken.
        if let Err(error) = pool.publish(file, &stored.map(|_| ()), root) {
            // Nor may the log go on: the root may say that it was closed.
            self.live.status.fail();
            return Err(error.into());
        }
        failpoint!("checkpoint.published");
        directory.published();
        roots.stored_ids = stored_ids;
        self.live.snapshots.names.write().stored(target.csn);
        Ok(update)
    }

    /// Durability steps 4 and 5, of the same directory: tells other processes how far the
    /// log is durable, which the next record would. Nothing happens if the root says it.
    pub(in crate::store) fn publish_durable(&self) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        let durable = self.log.lock().log.durable();
        if durable <= roots.pool.root().log_durable || self.live.is_direct() {
            return Ok(());
        }
        self.live.status.refuse_if_not_writable()?;
        let mut root = roots.pool.root().clone();
        root.log_durable = durable;
        let RootState { pool, file, .. } = &mut *roots;
        pool.update(file, root)
            .inspect_err(|_| self.live.status.fail())?;
        let region = &self.live.resources.volume.region;
        region.root_published(roots.pool.root().sequence);
        Ok(())
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
        if target.with_extension && !late {
            self.live.write_extension(roots, csn, needed, &mut blobs)?;
        }
        // Durability step 2: the directory is written beside the sections...
        let sections = Flushed::all(extents).and(Flushed::all(blobs)).map(|_| ());
        let (region, uuid) = (
            &self.live.resources.volume.region,
            &self.live.resources.volume.uuid,
        );
        let stored = roots.directory.store(region, uuid, sections)?;
        if failpoint!("history.after-root") {
            update = history(roots, &mut Vec::new())?;
        }
        if target.with_extension && late {
            self.live
                .write_extension(roots, csn, needed, &mut Vec::new())?;
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
        let shards = self.live.adjacencies.shards();
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
                    section.prefetch_for_merge(&self.live.resources, csn, wanted, self.layout());
                }
            }
        };
        let fits = self.live.resources.volume.region.fits_in_memory();
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
        let resources = &self.live.resources;
        let layout = self.layout();
        let frozen = section.freeze(resources, csn, needed, wanted, layout, scratch)?;
        let Some(frozen) = frozen else {
            return Ok(None);
        };
        let (product, flushed) = frozen.write(resources, section, scratch)?;
        if threads > 1 && resources.volume.region.medium().properties().byte_addressed {
            // A fence orders only the flushes of its own thread.
            resources.volume.region.medium().fence()?;
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
        let (region, uuid) = (
            &self.live.resources.volume.region,
            &self.live.resources.volume.uuid,
        );
        let (new_ids, stored_ids) = {
            let ids = self.live.ids.read();
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
            .live
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
