//! One section: the lists of consecutive vertices, merged and not yet merged.

pub(crate) mod body;
mod gather;
mod live;
mod loaded;
mod merge;
mod plan;
mod reading;
pub(crate) mod resources;
#[cfg(test)]
mod tests;
mod tiers;
mod usage;

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

use evergraph_storage::failpoint;
use evergraph_storage::{Entry, Extent, Needed, StorageError, order};
use parking_lot::{Mutex, MutexGuard};

use body::Body;
pub(crate) use gather::MergeScratch;
use live::LiveCounts;
pub(crate) use loaded::{Loaded, Version};
pub(crate) use merge::{Frozen, Product};
pub(crate) use plan::Wanted;
use resources::Resources;
pub(crate) use usage::SectionUsage;

use crate::blocks;
use crate::direct::{ListPlace, open_extent};
use crate::entry::{Cancels, is_tombstone, neighbor};
use crate::front::append_buffer::AppendBuffer;
use crate::history::History;
use crate::layout::Base;
use crate::lengths::LengthPage;
use crate::list::LiveCount;
use crate::pins::Keepers;
use crate::section_format;

/// A group of commits that are applied together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commits {
    /// The oldest.
    pub first: u64,
    /// The newest, by which the group becomes visible.
    pub last: u64,
}

/// The lists of `lists` consecutive vertices.
pub struct Section {
    pub(crate) first_vertex: u32,
    pub(crate) lists: usize,
    pub(crate) columns: usize,
    pub(crate) state: Mutex<Inner>,
    /// Direct mode: where each list is.
    pub(crate) places: OnceLock<Arc<[ListPlace]>>,
    /// Direct mode: address of the words, for fetching them early. It may be
    /// out of date; nothing is read or written through it.
    pub(crate) words_hint: AtomicPtr<u8>,
}

/// State that the section's lock guards.
pub(crate) struct Inner {
    pub state: State,
    /// Committed after what `state` shows.
    pub appended: AppendBuffer,
    /// The oldest commit with entries that are not merged.
    pub unmerged_since: Option<u64>,
    /// Lengths as of kept commits that `state` is past.
    pub history: History,
    /// Views that keep the body of `state`; none of most sections.
    pub keepers: Option<Box<Keepers>>,
}

/// The parts of a section that is loaded.
pub(crate) struct Parts<'a> {
    pub loaded: &'a mut Loaded,
    pub appended: &'a mut AppendBuffer,
    pub history: &'a mut History,
}

pub(crate) enum State {
    /// On the medium, nothing of it read yet.
    Stored(Entry, Arc<Extent>),
    /// As `Stored`, in direct mode.
    StoredDirect(Arc<Extent>),
    Loaded(Loaded),
}

impl Section {
    fn new(first_vertex: u32, lists: usize, columns: usize, state: State) -> Self {
        Section {
            first_vertex,
            lists,
            columns,
            state: Mutex::new(Inner::new(state, lists, columns)),
            places: OnceLock::new(),
            words_hint: AtomicPtr::default(),
        }
    }

    /// A section that has never been stored.
    pub fn empty(first_vertex: u32, lists: usize, columns: usize) -> Self {
        let loaded = Loaded {
            body: Arc::new(Body {
                generation: 0,
                csn: 0,
                base: Base::empty(lists),
                buffers: OnceLock::new(),
            }),
            writer: None,
            page: Arc::new(LengthPage::empty(lists)),
            older: Vec::new(),
            direct: None,
        };
        Self::new(first_vertex, lists, columns, State::Loaded(loaded))
    }

    /// A section that the directory names; read at first touch.
    pub fn stored(
        first_vertex: u32,
        lists: usize,
        columns: usize,
        entry: Entry,
        extent: Extent,
    ) -> Self {
        Self::new(
            first_vertex,
            lists,
            columns,
            State::Stored(entry, Arc::new(extent)),
        )
    }

    /// As [`Section::stored`], in the layout `blocks`, whose index is read at
    /// once, because it names the extents that have to be claimed.
    pub fn stored_blocks(first_vertex: u32, columns: usize, csn: u64, base: blocks::Base) -> Self {
        let lists = base.lists();
        let loaded = Loaded {
            page: Arc::new(base.lengths(csn)),
            body: Arc::new(Body {
                generation: base.generation(),
                csn,
                base: Base::Blocks(Box::new(base)),
                buffers: OnceLock::new(),
            }),
            writer: None,
            older: Vec::new(),
            direct: None,
        };
        Self::new(first_vertex, lists, columns, State::Loaded(loaded))
    }

    /// As [`Section::stored`], in direct mode.
    pub fn stored_direct(first_vertex: u32, lists: usize, columns: usize, extent: Extent) -> Self {
        Self::new(
            first_vertex,
            lists,
            columns,
            State::StoredDirect(Arc::new(extent)),
        )
    }

    pub(crate) fn load<'a>(
        &self,
        resources: &Resources,
        guard: &'a mut MutexGuard<'_, Inner>,
    ) -> Result<&'a mut Loaded, StorageError> {
        Ok(self.load_parts(resources, guard)?.loaded)
    }

    /// The section's content, read from the medium if this is its first use,
    /// its append buffer, and its history.
    fn load_parts<'a>(
        &self,
        resources: &Resources,
        guard: &'a mut MutexGuard<'_, Inner>,
    ) -> Result<Parts<'a>, StorageError> {
        let Inner {
            state,
            appended,
            history,
            ..
        } = &mut **guard;
        if let State::Stored(entry, extent) = &*state {
            let base = section_format::Base::open(
                &resources.volume.uuid,
                Arc::clone(extent),
                entry,
                self.first_vertex,
                self.lists,
            )?;
            let base = Base::Packed(base);
            let fits = resources.volume.region.fits_in_memory();
            let page = base.lengths_at_hand(entry.csn, fits);
            if page.totals().1 != entry.tombstones {
                return Err(StorageError::damaged(
                    "extents",
                    entry.offset,
                    "the section directory counts other tombstones",
                ));
            }
            *state = State::Loaded(Loaded {
                page: Arc::new(page),
                body: Arc::new(Body {
                    generation: entry.generation,
                    csn: entry.csn,
                    base,
                    buffers: OnceLock::new(),
                }),
                writer: None,
                older: Vec::new(),
                direct: None,
            });
        }
        if let State::StoredDirect(extent) = &*state {
            *state = State::Loaded(self.load_direct(resources, extent)?);
        }
        match state {
            State::Loaded(loaded) => Ok(Parts {
                loaded,
                appended,
                history,
            }),
            State::Stored(..) | State::StoredDirect(_) => unreachable!("loaded above"),
        }
    }

    fn load_direct(
        &self,
        resources: &Resources,
        extent: &Arc<Extent>,
    ) -> Result<Loaded, StorageError> {
        if resources.rules.confirms_sections && !failpoint!("open.section-not-durable") {
            // Recovery step R7: before the section is shown or appended to.
            let medium = resources.volume.region.medium();
            let flushed = failpoint!(
                "open.section-only-flushed",
                order::Flushed::of_stores(medium, extent.offset(), extent.len())?,
                else order::rewrite(medium, extent.offset(), extent.len())?
            );
            let _durable = flushed.fence(medium)?;
        }
        let opened = open_extent(
            &resources.volume.uuid,
            extent,
            self.first_vertex,
            self.columns,
            resources.rules.vertex_limit,
            self.direct_places(),
        )?;
        let words = extent.address(opened.state.words_at);
        self.words_hint.store(words.cast_mut(), Ordering::Relaxed);
        let mut writer = None;
        let buffers = OnceLock::new();
        if !opened.logged.is_empty() {
            let (logged, mut its_writer) = resources.buffers.new_for(self.lists, self.columns);
            for entry in &opened.logged {
                logged.append(&mut its_writer, entry.list, entry.word, entry.weight, 1);
            }
            let _ = buffers.set(Box::new(logged));
            writer = Some(Box::new(its_writer));
        }
        Ok(Loaded {
            page: Arc::new(opened.page),
            body: Arc::new(Body {
                generation: 0,
                csn: 0,
                base: Base::Packed(opened.base),
                buffers,
            }),
            writer,
            older: Vec::new(),
            direct: Some(Box::new(opened.state)),
        })
    }

    /// Applies entries, packed as `vertex << 32 | word`, in order as part of
    /// a group of commits. `extras` hold `origin << 32 | weight
    /// bits`, and may be missing where neither matters. What is merged already
    /// is skipped (replay after a partial merge).
    ///
    /// Insertions only go to the section's append buffer. A deletion has to know whether
    /// there is such an edge: then everything so far is sorted into vertex buffers first. The
    /// origin of each deletion that found no live edge goes to `missed`; that
    /// one has no effect. Returns the number of live edges added less those
    /// removed.
    pub fn apply(
        &self,
        resources: &Resources,
        commits: Commits,
        needed: &Needed,
        arcs: &[u64],
        extras: &[u64],
        missed: &mut Vec<u32>,
    ) -> Result<i64, StorageError> {
        let csn = commits.last;
        debug_assert!(commits.first <= csn, "{commits:?}");
        debug_assert!(extras.is_empty() || extras.len() == arcs.len());
        debug_assert!(
            arcs.iter().all(
                |&arc| (((arc >> 32) as u32).wrapping_sub(self.first_vertex) as usize) < self.lists
            ),
            "entries of lists that are not in the section from vertex {}",
            self.first_vertex
        );
        let mut guard = self.state.lock();
        if csn <= guard.merged_csn() && !failpoint!("replay.merged-ignored") {
            return Ok(0);
        }
        guard.unmerged_since.get_or_insert(commits.first);
        if !arcs.iter().any(|&arc| is_tombstone(arc as u32)) {
            let appended = &mut guard.appended;
            appended.append(
                &resources.buffers.pool,
                csn,
                needed,
                self.first_vertex,
                arcs,
                extras,
            );
            guard.order();
            return Ok(arcs.len() as i64);
        }
        let mut parts = self.load_parts(resources, &mut guard)?;
        parts.sort_into_buffers(resources, u64::MAX, needed)?;
        let Parts {
            loaded, history, ..
        } = parts;
        // Whether there is an edge to delete is read from the merged part.
        loaded.body.base.verify(&resources.volume.uuid)?;
        let mut page = LengthPage::clone(&loaded.page);
        page.csn = csn;
        let body = Arc::clone(&loaded.body);
        let cancels = resources.rules.cancels;
        let mut counts = LiveCounts::new(&body, &page, self.first_vertex, arcs, extras, cancels);
        let (buffers, writer) = loaded.buffers(resources, self.lists, self.columns);
        let mut balance = 0;
        for (i, &arc) in arcs.iter().enumerate() {
            let list = ((arc >> 32) as u32 - self.first_vertex) as usize;
            let word = arc as u32;
            let extra = extras.get(i).copied().unwrap_or(0);
            if is_tombstone(word) {
                let len = page.len.of(list) as usize;
                let merged = body.base.list_len(list);
                let count = || {
                    let id = (cancels == Cancels::Named).then_some(extra as u32);
                    body.count_live(list, merged, len, LiveCount::new(neighbor(word), id))
                };
                let counted = counts.get(list, word, extra as u32);
                if counted.unwrap_or_else(count) == 0 {
                    missed.push((extra >> 32) as u32);
                    continue;
                }
                page.add_tombstone(list);
                balance -= 1;
            } else {
                balance += 1;
            }
            counts.add(list, word, Some(&(extra as u32)));
            let expected = page.len.of(list) as usize / 4;
            buffers.append(writer, list, word, extra as u32, expected);
            page.len.own()[list] += 1;
        }
        if needed.is_kept(loaded.page.csn, csn) {
            history.record(&resources.volume.uuid, &loaded.page)?;
        }
        loaded.advance(Arc::new(page), needed);
        guard.invariants(self.lists);
        Ok(balance)
    }

    /// First vertex of the section.
    pub fn first_vertex(&self) -> u32 {
        self.first_vertex
    }

    /// Moves what was committed up to `csn` from the append buffer to the vertex buffers
    /// (XPGraph's buffering phase), as the first reader would.
    pub fn sort_into_buffers(
        &self,
        resources: &Resources,
        csn: u64,
        needed: &Needed,
    ) -> Result<(), StorageError> {
        let mut guard = self.state.lock();
        if guard
            .appended
            .first_group_end()
            .is_none_or(|end| end.csn > csn)
        {
            return Ok(());
        }
        let mut parts = self.load_parts(resources, &mut guard)?;
        parts.sort_into_buffers(resources, csn, needed)
    }

    /// Live entries as of kept commits, ascending, up to `csn`.
    pub fn live_at(
        &self,
        resources: &Resources,
        csn: u64,
        needed: &Needed,
        csns: &[u64],
    ) -> Result<Vec<u64>, StorageError> {
        let mut guard = self.state.lock();
        let mut parts = self.load_parts(resources, &mut guard)?;
        parts.sort_into_buffers(resources, csn, needed)?;
        parts.live_at(resources, csns)
    }

    /// Looks at the lengths of the past.
    pub(crate) fn with_history<R>(&self, look: impl FnOnce(&mut History) -> R) -> R {
        look(&mut self.state.lock().history)
    }

    /// Versions that no CSN in `needed` reads go.
    pub fn prune(&self, needed: &Needed) {
        if let State::Loaded(loaded) = &mut self.state.lock().state {
            loaded.prune(needed);
        }
    }
}

impl Inner {
    fn new(state: State, lists: usize, columns: usize) -> Self {
        Inner {
            state,
            appended: AppendBuffer::new(columns),
            unmerged_since: None,
            history: History::new(lists),
            keepers: None,
        }
    }

    /// Panics in debug builds if the parts of the section contradict each other.
    fn invariants(&self, lists: usize) {
        if let State::Loaded(loaded) = &self.state {
            loaded.invariants(lists);
        }
        self.order();
    }

    /// Panics in debug builds unless what is merged, what is in the vertex buffers and
    /// what is in the append buffer follow one another, and what is not merged holds the log. All
    /// that an append to the append buffer can break.
    fn order(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let merged = self.merged_csn();
        assert!(
            self.unmerged_since.is_none_or(|since| since > merged)
                && (self.appended.is_empty() || self.unmerged_since.is_some()),
            "merged up to commit {merged}, not merged since {:?}, {} entries in the append buffer",
            self.unmerged_since,
            self.appended.len()
        );
        let State::Loaded(loaded) = &self.state else {
            return;
        };
        let first = self.appended.first_group_end();
        assert!(
            first.is_none_or(|end| loaded.page.csn <= end.csn),
            "the append buffer begins with {first:?}, the vertex buffers end with {}",
            loaded.page.csn
        );
        assert!(
            self.history.last() <= loaded.page.csn,
            "lengths of the past from commit {}, after the newest of {}",
            self.history.last(),
            loaded.page.csn
        );
    }

    /// Commits up to this one are merged.
    fn merged_csn(&self) -> u64 {
        match &self.state {
            State::Stored(entry, _) => entry.csn,
            State::StoredDirect(_) => 0,
            State::Loaded(loaded) => loaded.body.csn,
        }
    }
}
