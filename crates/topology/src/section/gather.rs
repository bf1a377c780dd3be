//! Gathering a section for a merge: what is merged, buffered and in the run, list
//! by list in one image.

use std::ops::ControlFlow;

use super::Body;
use crate::blocks::ListSource;
use crate::front::run::Run;
use crate::lengths::LengthPage;
use crate::list::ListScratch;
use crate::section_format::SectionImage;

/// Memory of a merging thread, used again from section to section.
#[derive(Debug, Default)]
pub struct MergeScratch {
    /// The frozen section, as its plan wants it.
    pub image: SectionImage,
    pub whole: SectionImage,
    pub cursors: Vec<u32>,
    pub lists: ListScratch,
}

/// The settled lengths and the first `count` entries of the run.
pub(super) fn lengths_with(settled: &LengthPage, run: &Run, count: usize, csn: u64) -> LengthPage {
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
/// Each list begins with its entry number `from(list)`, which is 0 or the first
/// that is not merged.
pub(super) fn fill(
    image: &mut SectionImage,
    body: &Body,
    settled: &LengthPage,
    from: impl Fn(usize) -> usize,
    run: &Run,
    count: usize,
    cursors: &mut Vec<u32>,
) {
    let (starts, words, weights) = image.columns_mut();
    cursors.clear();
    for (list, (&len, &start)) in settled.len.iter().zip(starts).enumerate() {
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

/// Gets `image` from `whole`: lists whose length is to change have their live
/// entries, others all that `whole` has of them.
pub(super) fn compact_lists(
    scratch: &mut MergeScratch,
    page: &LengthPage,
    live: &LengthPage,
    weighted: bool,
) {
    let MergeScratch {
        image,
        whole,
        lists,
        ..
    } = scratch;
    let drops = |list: usize| live.len[list] != page.len[list];
    let lens: Vec<u32> = (0..page.len.len())
        .map(|list| {
            if drops(list) {
                live.len[list]
            } else {
                whole.len(list) as u32
            }
        })
        .collect();
    let tombstones: Vec<u32> = (0..page.len.len())
        .map(|list| {
            if drops(list) {
                0
            } else {
                whole.tombstones(list)
            }
        })
        .collect();
    image.begin(&lens, Some(&tombstones), weighted);
    let (from, words, weights) = whole.columns_mut();
    let (to, live_words, live_weights) = image.columns_mut();
    for list in 0..page.len.len() {
        let (first, last) = (from[list] as usize, from[list + 1] as usize);
        let place = to[list] as usize..to[list + 1] as usize;
        let list_weights = weights.get(first..last).unwrap_or(&[]);
        if !drops(list) {
            live_words[place.clone()].copy_from_slice(&words[first..last]);
            if !live_weights.is_empty() {
                live_weights[place].copy_from_slice(list_weights);
            }
            continue;
        }
        lists.clear();
        lists.extend(&words[first..last], list_weights);
        lists.cancel();
        live_words[place.clone()].copy_from_slice(&lists.words);
        if !live_weights.is_empty() {
            live_weights[place].copy_from_slice(&lists.weights);
        }
    }
}
