//! Merges: why there is one, and which sections it takes.

use std::sync::atomic::Ordering;

use evergraph_storage::{SectionKey, failpoint};

use crate::error::TopologyError;
use crate::extension::EXTENSION_OWNERS;
use crate::layout::Layout;
use crate::section::Wanted;
use crate::store::checkpoint::{Checkpointer, Purpose, RootState, SLICE};
use crate::store::live::Named;

/// Sections that a change of layout converts before it publishes them: so many
/// have both forms on the medium at once.
const CONVERTED_AT_ONCE: usize = 1024;
/// Bytes that an entry occupies in an append buffer, for estimates.
const RUN_ENTRY_BYTES: u64 = 8;

impl Checkpointer {
    pub(in crate::store) fn checkpoint(&self) -> Result<(), TopologyError> {
        self.drop_orphans()?;
        self.merge_everything(&mut self.roots.lock())
    }

    pub(in crate::store) fn compact(&self) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        let sections = self.live.all_sections();
        self.merge_all(&mut roots, &sections, Wanted::Compacted, false)
    }

    pub(in crate::store) fn compact_vertex(&self, vertex: u32) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        let number = vertex >> self.live.config.section_shift;
        let sections: Vec<Named> = self
            .live
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
        let list = vertex as usize & ((1 << self.live.config.section_shift) - 1);
        self.merge_at(&mut roots, &sections, Wanted::CompactedList(list), false)
    }

    pub(in crate::store) fn rewrite_history(&self) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        self.merge_all(
            &mut roots,
            &self.live.all_sections(),
            Purpose::Flattened,
            false,
        )
    }

    pub(in crate::store) fn compact_while(
        &self,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<bool, TopologyError> {
        self.live.status.refuse_if_not_writable()?;
        let sections = self.live.all_sections();
        if sections.is_empty() {
            // There may be an extension all the same.
            if go_on(0, 0) {
                self.merge_all(&mut self.roots.lock(), &[], Wanted::Compacted, false)?;
                return Ok(true);
            }
            return Ok(false);
        }
        for (i, slice) in sections.chunks(SLICE).enumerate() {
            if !go_on(i * SLICE, sections.len()) {
                return Ok(false);
            }
            let mut roots = self.roots.lock();
            match i {
                0 => self.merge_all(&mut roots, slice, Wanted::Compacted, false)?,
                _ => self.merge_at(&mut roots, slice, Wanted::Compacted, false)?,
            }
        }
        Ok(true)
    }

    pub(in crate::store) fn relayout(&self, layout: Layout) -> Result<(), TopologyError> {
        if self.live.direct.is_some() {
            return Err(TopologyError::WrongMode(
                "direct mode has one layout; import into a database in merged mode",
            ));
        }
        *self.layout.write() = layout;
        for sections in self.live.all_sections().chunks(CONVERTED_AT_ONCE) {
            self.merge_at(&mut self.roots.lock(), sections, Wanted::Converted, false)?;
            failpoint!("relayout.step-published");
        }
        Ok(())
    }

    pub(in crate::store) fn sections_by_layout(&self) -> Vec<(Layout, usize)> {
        let roots = self.roots.lock();
        let stored: Vec<Layout> = roots
            .directory
            .entries()
            .filter(|(key, _)| key.owner < EXTENSION_OWNERS)
            .map(|(_, entry)| Layout::of(&entry))
            .collect();
        let count = |layout| stored.iter().filter(|&&other| other == layout).count();
        let layouts = Layout::ALL.iter().map(|&(_, layout)| layout);
        layouts.map(|layout| (layout, count(layout))).collect()
    }

    pub(in crate::store) fn merge_is_due(&self) -> bool {
        let (used, capacity) = (self.log.lock().used_bytes(), self.live.config.log_bytes);
        used * 2 > capacity || self.live.unmerged_bytes() * 2 > self.buffer_budget
    }

    pub(in crate::store) fn merge_what_is_due(&self) -> Result<(), TopologyError> {
        let mut roots = self.roots.lock();
        let hold_back = self.holding_back();
        let sections = self.sections_worth_merging(hold_back);
        let with_extension = self
            .live
            .extension_since()
            .is_some_and(|since| since <= hold_back)
            || self.live.extension_bytes() * 4 > self.buffer_budget;
        self.merge_some(&mut roots, &sections, with_extension)
    }

    pub(in crate::store) fn merge_for_good(
        &self,
        roots: &mut RootState,
    ) -> Result<(), TopologyError> {
        self.merge_all(roots, &self.live.all_sections(), Wanted::Merged, true)?;
        self.live.resources.volume.region.trim(0);
        Ok(())
    }

    pub(in crate::store) fn merge_everything(
        &self,
        roots: &mut RootState,
    ) -> Result<(), TopologyError> {
        self.merge_all(roots, &self.live.all_sections(), Wanted::Merged, false)?;
        self.live.makes_room.store(false, Ordering::Release);
        Ok(())
    }

    /// The newest commit of the older half of the log, if that is filling up; else
    /// 0.
    fn holding_back(&self) -> u64 {
        let log = self.log.lock();
        let used = log.used_bytes();
        if used * 2 <= self.live.config.log_bytes {
            return 0;
        }
        // The first group, too, which may be more than that by itself.
        let mut groups = log.fill_by_group();
        let first = groups.next().map_or(0, |(csn, _)| csn);
        let older = groups.take_while(|(_, bytes)| bytes * 2 <= used);
        older.last().map_or(first, |(csn, _)| csn)
    }

    fn sections_worth_merging(&self, hold_back: u64) -> Vec<Named> {
        let budget = self.buffer_budget as u64;
        let mut surplus =
            (self.live.resources.buffers.pool.used_bytes() as u64).saturating_sub(budget / 4);
        let mut chosen = Vec::new();
        let mut others = Vec::new();
        for named in self.live.all_sections() {
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
    pub(in crate::store) fn merge_at<'a>(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: impl Into<Purpose<'a>>,
        clean: bool,
    ) -> Result<(), TopologyError> {
        self.merge_in_parts(roots, sections, purpose.into(), clean, false)
    }

    /// As [`Checkpointer::merge_at`], and the extension.
    fn merge_all<'a>(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: impl Into<Purpose<'a>>,
        clean: bool,
    ) -> Result<(), TopologyError> {
        self.merge_in_parts(roots, sections, purpose.into(), clean, true)
    }

    /// Merges some sections, and the extension if it is one of those.
    pub(in crate::store) fn merge_some(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        with_extension: bool,
    ) -> Result<(), TopologyError> {
        self.merge_in_parts(
            roots,
            sections,
            Wanted::Merged.into(),
            false,
            with_extension,
        )
    }
}
