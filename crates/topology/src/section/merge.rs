//! Merging a section: freezing it as of a commit, and putting what was written
//! into the place of what was frozen.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use evergraph_persistence::{Entry, Extent, PersistenceError};

use super::{Body, Context, Inner, Loaded, Section, State, Version, is_needed};
use crate::front::run::Run;
use crate::lengths::LengthPage;
use crate::list::ListScratch;
use crate::section_format::{Base, SectionImage};

/// What a merge is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Everything committed is in the extent.
    Merged,
    /// And nothing that is deleted.
    Compacted,
}

/// Memory of a merging thread, used again from section to section.
#[derive(Debug, Default)]
pub struct MergeScratch {
    /// The frozen section.
    pub image: SectionImage,
    whole: SectionImage,
    cursors: Vec<u32>,
    lists: ListScratch,
}

/// What a merge worked on: a section as of one commit.
pub struct Frozen {
    body: Arc<Body>,
    /// Lengths before the merge...
    page: Arc<LengthPage>,
    /// ...and after it, if it dropped entries.
    compacted: Option<Arc<LengthPage>>,
}

impl Frozen {
    /// The extent that the merge will replace.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.body.base.extent()
    }

    /// Generation of what the merge writes.
    pub fn generation(&self) -> u32 {
        self.body.generation + u32::from(self.compacted.is_some())
    }
}

impl Section {
    /// The oldest commit with entries that are not merged.
    pub fn unmerged_since(&self) -> Option<u64> {
        self.state.lock().unmerged_since
    }

    /// Entries that are not merged, and those that are: what a merge gains, and
    /// what it has to write again.
    pub fn merge_gain(&self) -> (u64, u64) {
        let guard = self.state.lock();
        let run = guard.run.len() as u64;
        match &guard.state {
            State::Stored(entry, _) => (run, entry.entries),
            State::StoredDirect(_) => (run, 0),
            State::Loaded(loaded) => {
                let merged = loaded.body.base.words.count() as u64;
                (run + loaded.page.totals().0.saturating_sub(merged), merged)
            }
        }
    }

    /// Writes the section as of commit `csn` to `scratch.image`: the same lists
    /// in the same order, so that every prefix means what it meant, unless it is
    /// to be compacted. `None` if it is stored as wanted already.
    ///
    /// Holds the section's lock meanwhile; the bytes go to the medium after it.
    pub fn freeze(
        &self,
        context: &Context,
        csn: u64,
        needed: &[u64],
        wanted: Wanted,
        scratch: &mut MergeScratch,
    ) -> Result<Option<Frozen>, PersistenceError> {
        let mut guard = self.state.lock();
        let touched = guard.unmerged_since.is_some_and(|since| since <= csn);
        if !touched && (wanted == Wanted::Merged || !guard.may_have_tombstones()) {
            return Ok(None);
        }
        let (loaded, run) = self.load_with_run(context, &mut guard)?;
        if loaded.direct.is_some() {
            return Ok(None);
        }
        loaded.body.base.verify(&context.uuid)?;
        // Lengths that somebody still reads exist before they are jumped over.
        for &earlier in needed.iter().filter(|&&earlier| earlier < csn) {
            loaded.settle(context, run, earlier, needed);
        }
        let (settled, body) = loaded.version_at(csn);
        let behind = if loaded.page.csn <= csn {
            run.len_at(csn)
        } else {
            0
        };
        let page = lengths_with(&settled, run, behind, csn);
        let compact = wanted == Wanted::Compacted && page.tombstones.is_some();
        let whole = if compact {
            &mut scratch.whole
        } else {
            &mut scratch.image
        };
        whole.begin(&page.len, page.tombstones.as_deref(), self.columns == 2);
        fill(whole, &body, &settled, run, behind, &mut scratch.cursors);
        drop(guard);
        let page = Arc::new(page);
        let compacted = compact.then(|| {
            let MergeScratch {
                image,
                whole,
                lists,
                ..
            } = scratch;
            Arc::new(compact_lists(whole, &page, image, lists, self.columns == 2))
        });
        Ok(Some(Frozen {
            body,
            page,
            compacted,
        }))
    }

    /// Puts a merged extent in the place of what was frozen. What came since
    /// stays in the run, or moves to new vertex buffers. Returns the extent
    /// replaced.
    pub fn replace_base(
        &self,
        context: &Context,
        needed: &[u64],
        frozen: Frozen,
        entry: Entry,
        extent: Arc<Extent>,
    ) -> Result<Option<Arc<Extent>>, PersistenceError> {
        let base = Base::open(&context.uuid, extent, &entry, self.first_vertex, self.lists)?;
        base.trust();
        let mut guard = self.state.lock();
        let Inner {
            state,
            run,
            unmerged_since,
        } = &mut *guard;
        let State::Loaded(loaded) = state else {
            unreachable!("a frozen section is loaded");
        };
        let old = Arc::clone(&loaded.body);
        let body = Arc::new(Body {
            generation: frozen.generation(),
            csn: frozen.page.csn,
            base,
            buffers: OnceLock::new(),
        });
        let merged_csn = frozen.page.csn;
        let settled_further = loaded.page.csn > merged_csn;
        if let Some(compacted) = &frozen.compacted {
            loaded.change_generation(&old, &frozen.page, compacted);
        }
        let merged_page = frozen.compacted.as_ref().unwrap_or(&frozen.page);
        loaded.writer = None;
        loaded.body = body;
        if settled_further {
            self.move_newer(context, loaded, &old, &frozen.page);
        } else {
            if is_needed(needed, loaded.page.csn, merged_csn) {
                let kept = frozen.compacted.is_some().then(|| Arc::clone(&old));
                loaded.older.push(Version {
                    page: Arc::clone(&loaded.page),
                    body: kept,
                });
            }
            loaded.page = Arc::clone(merged_page);
            run.drop_until(merged_csn);
        }
        loaded.prune(needed);
        *unmerged_since = (settled_further || !run.is_empty()).then_some(merged_csn + 1);
        Ok(old.base.extent().cloned())
    }

    /// Vertex buffers hold entries newer than what was frozen: those go behind
    /// the new merged part.
    fn move_newer(&self, context: &Context, loaded: &mut Loaded, old: &Body, frozen: &LengthPage) {
        let Some(old_buffers) = old.buffers.get() else {
            return;
        };
        let now: Vec<usize> = (0..self.lists)
            .map(|list| loaded.page.len[list] as usize)
            .collect();
        let body = Arc::clone(&loaded.body);
        let (buffers, writer) = loaded.buffers(context, self.lists, self.columns);
        for (list, &now) in now.iter().enumerate() {
            // `now` counts from the new merged part on, as `frozen` does from
            // the old one on: what lies between the two is newer.
            let newer = now - body.base.list_len(list);
            let mut skip = frozen.len[list] as usize - old.base.list_len(list);
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

impl Inner {
    /// Whether tombstones are known, or cannot be excluded, among what is not
    /// in the run.
    fn may_have_tombstones(&self) -> bool {
        match &self.state {
            State::Stored(entry, _) => entry.tombstones > 0,
            State::StoredDirect(_) => false,
            State::Loaded(loaded) => loaded.page.tombstones.is_some(),
        }
    }
}

impl Loaded {
    /// Entries were dropped from the lists as of `frozen`, so that those have
    /// the lengths of `compacted`: versions before keep their body, those since
    /// then get the lengths that they have in the new generation.
    fn change_generation(&mut self, old: &Arc<Body>, frozen: &LengthPage, compacted: &LengthPage) {
        let since = |page: &Arc<LengthPage>| -> Arc<LengthPage> {
            let mut page = LengthPage::clone(page);
            for list in 0..page.len.len() {
                page.len[list] -= frozen.len[list] - compacted.len[list];
            }
            if let Some(counts) = &mut page.tombstones {
                for (list, count) in counts.iter_mut().enumerate() {
                    *count -= frozen.tombstones(list);
                }
                if counts.iter().all(|&count| count == 0) {
                    page.tombstones = None;
                }
            }
            Arc::new(page)
        };
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

/// The settled lengths and the first `count` entries of the run.
fn lengths_with(settled: &LengthPage, run: &Run, count: usize, csn: u64) -> LengthPage {
    let mut page = settled.clone();
    page.csn = csn;
    let stride = run.stride();
    if count > 0 {
        run.for_each_slice(count, |words| {
            for entry in words.chunks_exact(stride) {
                page.len[entry[0] as usize] += 1;
            }
        });
    }
    page
}

/// Fills an image that has been begun: merged entries, vertex buffers, run.
fn fill(
    image: &mut SectionImage,
    body: &Body,
    settled: &LengthPage,
    run: &Run,
    count: usize,
    cursors: &mut Vec<u32>,
) {
    let (starts, words, weights) = image.columns_mut();
    cursors.clear();
    let base = &body.base;
    for (list, (&len, &start)) in settled.len.iter().zip(starts).enumerate() {
        let len = len as usize;
        let mut at = start as usize;
        let mut copy = |from: &[u32], their_weights: &[u32]| {
            words[at..at + from.len()].copy_from_slice(from);
            if !weights.is_empty() {
                weights[at..at + from.len()].copy_from_slice(their_weights);
            }
            at += from.len();
        };
        let merged = base.list_len(list).min(len);
        let start = base.starts[list] as usize;
        let base_weights = base.weights.as_ref();
        copy(
            base.words.range(start, merged),
            base_weights.map_or(&[][..], |w| w.range(start, merged)),
        );
        if len > merged {
            let buffers = body.buffers.get().expect("they hold the rest");
            let _ = buffers.for_each_segment::<()>(list, len - merged, |from, their_weights| {
                copy(from, their_weights);
                ControlFlow::Continue(())
            });
        }
        cursors.push(at as u32);
    }
    if count == 0 {
        return;
    }
    let stride = run.stride();
    run.for_each_slice(count, |entries| {
        for entry in entries.chunks_exact(stride) {
            let cursor = &mut cursors[entry[0] as usize];
            words[*cursor as usize] = entry[1];
            if let Some(&weight) = entry.get(2) {
                weights[*cursor as usize] = weight;
            }
            *cursor += 1;
        }
    });
}

/// The live entries of a whole image. Returns their lengths.
fn compact_lists(
    whole: &mut SectionImage,
    page: &LengthPage,
    image: &mut SectionImage,
    scratch: &mut ListScratch,
    weighted: bool,
) -> LengthPage {
    let live = LengthPage {
        csn: page.csn,
        len: (0..page.len.len()).map(|list| page.live(list)).collect(),
        tombstones: None,
    };
    image.begin(&live.len, None, weighted);
    let (from, words, weights) = whole.columns_mut();
    let (to, live_words, live_weights) = image.columns_mut();
    for list in 0..page.len.len() {
        let (first, last) = (from[list] as usize, from[list + 1] as usize);
        let place = to[list] as usize..to[list + 1] as usize;
        let list_weights = weights.get(first..last).unwrap_or(&[]);
        if page.tombstones(list) == 0 {
            live_words[place.clone()].copy_from_slice(&words[first..last]);
            if !live_weights.is_empty() {
                live_weights[place].copy_from_slice(list_weights);
            }
            continue;
        }
        scratch.clear();
        scratch.extend(&words[first..last], list_weights);
        scratch.cancel();
        live_words[place.clone()].copy_from_slice(&scratch.words);
        if !live_weights.is_empty() {
            live_weights[place].copy_from_slice(&scratch.weights);
        }
    }
    live
}
