//! Checkpoints: merging tails into sections, publishing, giving back.

use std::sync::Arc;

use evergraph_persistence::mutant::{Mutant, active};
use evergraph_persistence::order::Flushed;
use evergraph_persistence::{Entry, Extent, Medium, SectionKey};
use rayon::prelude::*;

use super::{BLOB_IDS, BLOB_META, LogState, RootState, Store};
use crate::error::TopologyError;
use crate::record::{self, Op};
use crate::section::{Frozen, Section};

/// Fewer sections are merged by one thread.
const PARALLEL_AT_LEAST: usize = 32;

/// A section whose merged extent is written.
struct Merged {
    key: SectionKey,
    section: Arc<Section>,
    frozen: Frozen,
    entry: Entry,
    extent: Arc<Extent>,
}

impl Store {
    /// Merges everything up to the watermark into the sections' extents and
    /// frees that part of the log. Commits and readers go on meanwhile.
    ///
    /// Writes each touched section once, out of place; cost in proportion to
    /// the touched sections, not to the graph. On an error (a full disk, say)
    /// nothing has changed and the log keeps what it held.
    pub fn checkpoint(&self) -> Result<(), TopologyError> {
        self.checkpoint_at(&mut self.roots.lock(), false)
    }

    /// Merges everything and marks the stop as clean. The store must not be
    /// used for writing afterwards, and refuses it.
    pub fn close(&self) -> Result<(), TopologyError> {
        if self.read_only || self.failed.load(std::sync::atomic::Ordering::Acquire) {
            return Ok(());
        }
        let mut roots = self.roots.lock();
        self.checkpoint_at(&mut roots, true)?;
        self.failed
            .store(true, std::sync::atomic::Ordering::Release);
        self.context.region.trim(0)?;
        Ok(())
    }

    fn checkpoint_at(&self, roots: &mut RootState, clean: bool) -> Result<(), TopologyError> {
        self.refuse_if_failed()?;
        // The checkpoint is a reader: the view keeps its lengths readable.
        let token = self.registry.register();
        let csn = match &self.direct {
            None => token.csn(),
            // Lists need no merge there; the newest commit in the log is
            // applied, because whoever commits applies before anybody else.
            Some(_) => {
                let _applied = self.apply.lock();
                let newest = self.log.lock().boundaries.back().map(|b| b.0);
                newest.unwrap_or(roots.pool.root().csn)
            }
        };
        if csn == roots.pool.root().csn && !clean {
            return Ok(());
        }
        let (log_start, wall_us, log_head) = {
            let LogState {
                log, boundaries, ..
            } = &*self.log.lock();
            let found = boundaries.iter().find(|b| b.0 == csn);
            let root = roots.pool.root();
            let (start, wall) = found.map_or((root.log_start, root.wall_us), |b| (b.1, b.2));
            (start, wall, log.head())
        };

        let (mut merged, extents) = self.write_sections(csn)?;
        if active(Mutant::CheckpointForgetsSection) {
            merged.pop();
        }
        let mut blobs = Vec::new();
        self.write_blobs(roots, &mut blobs)?;
        for merged in &merged {
            roots.directory.set(merged.key, merged.entry);
        }
        // Durability step 2: the directory is written beside the sections...
        let sections = Flushed::all(extents).and(Flushed::all(blobs)).map(|_| ());
        let (region, uuid) = (&self.context.region, &self.context.uuid);
        let stored = roots.directory.store(region, uuid, sections)?;
        // ...Durability step 3: all of them are durable...
        let stored = if active(Mutant::DirectoryNotFenced) {
            stored.assume_durable()
        } else {
            stored.fence(region.medium())?
        };
        let mut root = roots.pool.root().clone();
        let place = *stored.get();
        root.csn = csn;
        root.wall_us = wall_us;
        root.log_start = log_start;
        root.clean_log_end = clean.then_some(log_head);
        root.directory_offset = place.offset;
        root.directory_len = place.len;
        root.directory_crc = place.crc;
        root.user = self.config.encode(token.state().vertex_count);
        if active(Mutant::RootCsnStale) {
            root.csn = roots.pool.root().csn;
            root.log_start = roots.pool.root().log_start;
        }
        if active(Mutant::OldExtentsFreedFirst) {
            for m in &merged {
                if let Some(old) = m.frozen.extent() {
                    self.context.region.scribble(old)?;
                }
            }
        }
        let RootState {
            pool,
            file,
            directory,
            ..
        } = &mut *roots;
        // From here on the new root may be on the medium, whatever is reported:
        // what it names stays in use until the next opening, also after an error.
        directory.publishing();
        merged.iter().for_each(|m| m.extent.published());
        // ...steps 4 and 5: before the root switches to them, in both slots.
        if let Err(error) = pool.publish(file, &stored.map(|_| ()), root) {
            // Nor may the log go on: the root may say that it was closed.
            self.failed
                .store(true, std::sync::atomic::Ordering::Release);
            return Err(error.into());
        }
        // Durability step 6: only now is anything given back.
        directory.published();
        roots.stored_ids = self.ids.read().len();
        for m in merged {
            let old = m
                .section
                .replace_base(&self.context, m.frozen, m.entry, m.extent)?;
            if let Some(old) = old {
                old.retire();
            }
        }
        let mut log = self.log.lock();
        log.log.release(log_start);
        while log.boundaries.front().is_some_and(|b| b.0 <= csn) {
            log.boundaries.pop_front();
        }
        drop(log);
        let used = self.context.region.used_bytes();
        self.context
            .region
            .trim(used / 4 + self.config.growth_step)?;
        Ok(())
    }

    /// Durability step 1: writes every touched section out of place.
    fn write_sections(&self, csn: u64) -> Result<(Vec<Merged>, Vec<Flushed<()>>), TopologyError> {
        let touched: Vec<(SectionKey, Arc<Section>, Frozen)> = self
            .planes
            .iter()
            .flat_map(|plane| plane.sections())
            .filter_map(|(key, section)| {
                let frozen = section.freeze(csn)?;
                Some((key, section, frozen))
            })
            .collect();
        let parallel = touched.len() >= PARALLEL_AT_LEAST;
        let write_one = |(key, section, frozen): (SectionKey, Arc<Section>, Frozen)| {
            self.write_section(csn, key, section, frozen, parallel)
        };
        let written: Result<Vec<_>, TopologyError> = if !parallel {
            touched.into_iter().map(write_one).collect()
        } else {
            touched
                .into_par_iter()
                .with_min_len(8)
                .map(write_one)
                .collect()
        };
        Ok(written?.into_iter().unzip())
    }

    fn write_section(
        &self,
        csn: u64,
        key: SectionKey,
        section: Arc<Section>,
        frozen: Frozen,
        parallel: bool,
    ) -> Result<(Merged, Flushed<()>), TopologyError> {
        let image = section.merged_image(&self.context, &frozen)?;
        let draft = self.context.region.allocate(image.encoded_len())?;
        let mut bytes = Vec::with_capacity(image.encoded_len() as usize);
        let entry = image.encode(
            &self.context.uuid,
            draft.offset(),
            section.first_vertex(),
            csn,
            Section::generation(&frozen),
            &mut bytes,
        );
        let (extent, flushed) = draft.finish(&bytes)?.split();
        if parallel && self.context.region.medium().properties().byte_addressed {
            // A fence orders only the flushes of its own thread.
            self.context.region.medium().fence()?;
        }
        let merged = Merged {
            key,
            section,
            frozen,
            entry,
            extent: Arc::new(extent),
        };
        Ok((merged, flushed))
    }

    fn write_blobs(
        &self,
        roots: &mut RootState,
        written: &mut Vec<Flushed<()>>,
    ) -> Result<(), TopologyError> {
        let (region, uuid) = (&self.context.region, &self.context.uuid);
        let new_ids = self.ids.read().since(roots.stored_ids);
        if let Some(new_ids) = new_ids {
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
        if !active(Mutant::CheckpointForgetsFacts) {
            record::encode(&facts, &mut bytes);
        }
        written.push(
            roots
                .directory
                .set_blob(region, uuid, BLOB_META, 0, &bytes)?,
        );
        Ok(())
    }
}
