//! Gathering a section for a merge: what is merged, buffered and in the append buffer, list
//! by list in one image.

use std::ops::ControlFlow;

use evergraph_storage::Needed;

use super::Body;
use crate::blocks::ListSource;
use crate::entry::Cancels;
use crate::front::append_buffer::AppendBuffer;
use crate::lengths::LengthPage;
use crate::list::{Cut, ListScratch};
use crate::section_format::SectionImage;

/// Memory of a merging thread, used again from section to section.
#[derive(Debug, Default)]
pub struct MergeScratch {
    /// The frozen section, as its plan wants it.
    pub image: SectionImage,
    pub whole: SectionImage,
    pub cursors: Vec<u32>,
    pub lists: ListScratch,
    /// Entries left of lists that were compacted, one after another.
    pub live: ListScratch,
}

/// The sorted lengths and the first `count` entries of the append buffer.
pub(super) fn lengths_with(
    sorted: &LengthPage,
    appended: &AppendBuffer,
    count: usize,
    csn: u64,
) -> LengthPage {
    let mut page = sorted.clone();
    page.csn = csn;
    let stride = appended.stride();
    if count > 0 {
        appended.for_each_slice(count, |words| {
            for entry in words.chunks_exact(stride) {
                page.len.own()[entry[0] as usize] += 1;
            }
        });
    }
    page
}

/// Fills an image that has been begun: merged entries, vertex buffers, append buffer.
/// Each list begins with its entry number `from(list)`, which is 0 or the first
/// that is not merged.
pub(super) fn fill(
    image: &mut SectionImage,
    body: &Body,
    sorted: &LengthPage,
    from: impl Fn(usize) -> usize,
    appended: &AppendBuffer,
    count: usize,
    cursors: &mut Vec<u32>,
) {
    let (starts, words, weights) = image.columns_mut();
    cursors.clear();
    for (list, (len, &start)) in sorted.len.iter().zip(starts).enumerate() {
        let len = len as usize;
        let mut at = start as usize;
        let mut copy = |from: &[u32], their_weights: &[u32]| {
            words[at..at + from.len()].copy_from_slice(from);
            if !weights.is_empty() {
                weights[at..at + from.len()].copy_from_slice(their_weights);
            }
            at += from.len();
            ControlFlow::<()>::Continue(())
        };
        let merged = body.base.list_len(list).min(len);
        if from(list) == 0 {
            let _ = body.base.for_each_segment(list, merged, &mut copy);
        }
        if len > merged {
            let buffers = body.buffers.get().expect("they hold the rest");
            let _ = buffers.for_each_segment(list, len - merged, &mut copy);
        }
        cursors.push(at as u32);
    }
    if count == 0 {
        return;
    }
    let stride = appended.stride();
    appended.for_each_slice(count, |entries| {
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

/// Calls `visit` with the lengths as of the commits that a merge from the sorted lengths
/// to commit `csn` jumps over, and that are kept.
pub(super) fn for_each_jumped(
    sorted: &LengthPage,
    appended: &AppendBuffer,
    csn: u64,
    needed: &Needed,
    visit: &mut dyn FnMut(&LengthPage),
) {
    let mut page = sorted.clone();
    let mut pass = |page: &LengthPage, until: u64| {
        if needed.is_kept(page.csn, until) {
            visit(page);
        }
    };
    let mut group_ends = appended.group_ends_until(csn).peekable();
    let (mut read, stride) = (0, appended.stride());
    let count = appended.len_at(csn);
    if count > 0 {
        appended.for_each_slice(count, |words| {
            for entry in words.chunks_exact(stride) {
                while group_ends.next_if(|&(_, end)| end <= read).is_some() {}
                if let Some(&(next, _)) = group_ends.peek()
                    && page.csn < next
                {
                    // The first entry of the commits up to the next group end.
                    pass(&page, next);
                    page.csn = next;
                }
                page.len.own()[entry[0] as usize] += 1;
                read += 1;
            }
        });
    }
    pass(&page, csn);
}

/// Lengths of a section after a compaction.
pub(super) struct Compacted {
    /// As of the commit that was frozen.
    pub page: LengthPage,
    /// As of the kept commits before it.
    pub past: Vec<LengthPage>,
}

/// Gets `image` from `whole`, without what is deleted in the chosen lists. Where
/// a length of the past lies between an entry and its deletion both stay. `None`,
/// and no image, if that drops nothing.
pub(super) fn compact_lists(
    scratch: &mut MergeScratch,
    page: &LengthPage,
    mut past: Vec<LengthPage>,
    chosen: impl Fn(usize) -> bool,
    weighted: bool,
    cancels: Cancels,
) -> Option<Compacted> {
    let MergeScratch {
        image,
        whole,
        lists,
        live,
        ..
    } = scratch;
    live.clear();
    let mut compacted = page.clone();
    // Of a list that is not chosen the image may have only its end.
    let mut lens: Vec<u32> = (0..page.len.count()).map(|l| whole.len(l) as u32).collect();
    let mut counts: Vec<u32> = (0..page.len.count()).map(|l| whole.tombstones(l)).collect();
    let shrinks = |list: usize| chosen(list) && page.tombstones(list) > 0;
    let (from, words, weights) = whole.columns_mut();
    for list in (0..page.len.count()).filter(|&list| shrinks(list)) {
        let (first, last) = (from[list] as usize, from[list + 1] as usize);
        lists.clear();
        lists.extend(&words[first..last], weights.get(first..last).unwrap_or(&[]));
        let mut cuts: Vec<Cut> = past
            .iter()
            .map(|past| (past.len.of(list), past.tombstones(list)))
            .collect();
        if cuts.is_empty() {
            lists.cancel(cancels);
            counts[list] = 0;
        } else {
            lists.cancel_between(&mut cuts, cancels);
            let dropped = page.len.of(list) - lists.words.len() as u32;
            counts[list] = page.tombstones(list) - dropped / 2;
        }
        for (past, cut) in past.iter_mut().zip(cuts) {
            past.len.own()[list] = cut.0;
            if let Some(tombstones) = &mut past.tombstones {
                tombstones[list] = cut.1;
            }
        }
        lens[list] = lists.words.len() as u32;
        compacted.len.own()[list] = lens[list];
        compacted.tombstones_mut()[list] = counts[list];
        live.extend(&lists.words, &lists.weights);
    }
    if compacted.len == page.len {
        return None;
    }
    image.begin(&lens, Some(&counts), weighted);
    let (to, live_words, live_weights) = image.columns_mut();
    let mut at = 0;
    for list in 0..page.len.count() {
        let place = to[list] as usize..to[list + 1] as usize;
        let (its_words, its_weights) = if shrinks(list) {
            let its = at..at + place.len();
            at = its.end;
            (&live.words[its.clone()], live.weights.get(its))
        } else {
            let its = from[list] as usize..from[list + 1] as usize;
            (&words[its.clone()], weights.get(its))
        };
        live_words[place.clone()].copy_from_slice(its_words);
        if !live_weights.is_empty() {
            live_weights[place].copy_from_slice(its_weights.unwrap_or(&[]));
        }
    }
    past.iter_mut().for_each(LengthPage::forget_no_tombstones);
    compacted.forget_no_tombstones();
    Some(Compacted {
        page: compacted,
        past,
    })
}
