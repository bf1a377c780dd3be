//! Changes between the freezing of a merge and its publication.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::Needed;

use super::resources::{Buffers, Resources, Rules};
use super::{Commits, MergeScratch, Section, Wanted};
use crate::blocks::tests::{dram, fresh};
use crate::entry::{Cancels, TOMBSTONE};
use crate::front::buffers::Levels;
use crate::front::pool::BufferPool;
use crate::layout::Layout;
use crate::list::ListScratch;

/// The watermark, and the commits of snapshots.
fn needed(watermark: u64, kept: &[u64]) -> Needed {
    Needed::new(vec![watermark], Arc::new(kept.to_vec()))
}

fn resources() -> Resources {
    Resources {
        volume: fresh(&dram()),
        buffers: Buffers {
            pool: BufferPool::new(),
            levels: Levels::default(),
        },
        pages: Arc::default(),
        rules: Rules {
            cancels: Cancels::default(),
            rewrite_growth: None,
            vertex_limit: crate::MAX_VERTICES,
            confirms_sections: false,
        },
    }
}

fn commit(section: &Section, resources: &Resources, csn: u64, kept: &[u64], word: u32) {
    let commits = Commits {
        first: csn,
        last: csn,
    };
    let mut missed = Vec::new();
    section
        .apply(
            resources,
            commits,
            &needed(csn - 1, kept),
            &[u64::from(word)],
            &[],
            &mut missed,
        )
        .unwrap();
    assert!(missed.is_empty());
}

fn first_list(section: &Section, resources: &Resources, csn: u64, needed: &Needed) -> Vec<u32> {
    let view = section.view(resources, csn, needed).unwrap();
    let mut list = Vec::new();
    let _ = view.for_each_segment::<()>(0, &mut ListScratch::default(), |words| {
        list.extend_from_slice(words);
        ControlFlow::Continue(())
    });
    list
}

#[test]
fn a_snapshot_that_comes_while_a_merge_is_written_keeps_its_lengths() {
    for layout in [Layout::Pma, Layout::Blocks] {
        for wanted in [Wanted::Merged, Wanted::Compacted] {
            let resources = resources();
            let section = Section::empty(0, 4, 1);
            commit(&section, &resources, 1, &[], 7);
            commit(&section, &resources, 2, &[], 8);
            commit(&section, &resources, 3, &[], 7 | TOMBSTONE);

            // Commits 4 and 5 are of other sections. The merge knows of no snapshot.
            let mut scratch = MergeScratch::default();
            let at_first = needed(5, &[]);
            let frozen = section
                .freeze(&resources, 5, &at_first, wanted, layout, &mut scratch)
                .unwrap()
                .expect("there is something to merge");
            let (product, flushed) = frozen.write(&resources, &section, &mut scratch).unwrap();
            flushed.fence(resources.volume.region.medium()).unwrap();
            product.publishing();

            // Commit 6 is a snapshot; then the section is sorted past it.
            commit(&section, &resources, 7, &[6], 9);
            let now = needed(7, &[6]);
            assert_eq!(first_list(&section, &resources, 7, &now), [8, 9]);

            section
                .replace_base(&resources, || now.clone(), frozen, product, None)
                .unwrap();
            assert_eq!(first_list(&section, &resources, 6, &now), [8], "{wanted:?}");
            assert_eq!(first_list(&section, &resources, 7, &now), [8, 9]);
        }
    }
}

/// The next commit is applied, and not visible yet: what was compacted is frozen
/// again as of the same moment, and must not be taken for what it was before.
#[test]
fn a_compaction_at_the_moment_of_the_last_one_finds_its_work_done() {
    for layout in [Layout::Pma, Layout::Blocks] {
        let resources = resources();
        let section = Section::empty(0, 4, 1);
        commit(&section, &resources, 1, &[], 7);
        commit(&section, &resources, 2, &[], 8);
        commit(&section, &resources, 3, &[], 7 | TOMBSTONE);
        // Commit 4 is of other sections, and the newest that is visible.
        commit(&section, &resources, 5, &[], 8 | TOMBSTONE);
        let now = needed(4, &[]);
        for round in 0..3 {
            let mut scratch = MergeScratch::default();
            let frozen = section
                .freeze(&resources, 4, &now, Wanted::Compacted, layout, &mut scratch)
                .unwrap();
            if let Some(frozen) = frozen {
                let (product, flushed) = frozen.write(&resources, &section, &mut scratch).unwrap();
                flushed.fence(resources.volume.region.medium()).unwrap();
                product.publishing();
                section
                    .replace_base(&resources, || now.clone(), frozen, product, None)
                    .unwrap();
            }
            assert_eq!(first_list(&section, &resources, 4, &now), [8], "{round}");
        }
        let later = needed(5, &[]);
        assert_eq!(first_list(&section, &resources, 5, &later), []);
    }
}

#[cfg(debug_assertions)]
mod invariants {
    use std::sync::Arc;

    use super::super::{Inner, Loaded, Section, State, Version};
    use super::{commit, first_list, needed, resources};

    /// Two commits sorted into the vertex buffers, a third in the append buffer, and a view
    /// between the first two; then what `flip` makes of it.
    fn broken(flip: impl FnOnce(&mut Inner)) {
        let resources = resources();
        let section = Section::empty(0, 4, 1);
        commit(&section, &resources, 1, &[1], 7);
        commit(&section, &resources, 2, &[1], 8);
        assert_eq!(
            first_list(&section, &resources, 2, &needed(2, &[1])),
            [7, 8]
        );
        commit(&section, &resources, 3, &[1], 9);
        let mut guard = section.state.lock();
        guard.invariants(4);
        flip(&mut guard);
        guard.invariants(4);
    }

    fn loaded(inner: &mut Inner) -> &mut Loaded {
        match &mut inner.state {
            State::Loaded(loaded) => loaded,
            _ => unreachable!("it was read"),
        }
    }

    #[test]
    #[should_panic(expected = "its length, and the entries there are")]
    fn a_length_without_entries_is_noticed() {
        broken(|inner| Arc::make_mut(&mut loaded(inner).page).len.own()[0] += 1);
    }

    #[test]
    #[should_panic(expected = "the append buffer begins with")]
    fn what_is_sorted_is_not_in_the_append_buffer() {
        broken(|inner| Arc::make_mut(&mut loaded(inner).page).csn = 4);
    }

    #[test]
    #[should_panic(expected = "not merged since None")]
    fn what_is_not_merged_holds_the_log() {
        broken(|inner| inner.unmerged_since = None);
    }

    #[test]
    #[should_panic(expected = "merged up to commit 5, but sorted up to 2")]
    fn what_is_merged_is_sorted() {
        broken(|inner| {
            let loaded = loaded(inner);
            Arc::get_mut(&mut loaded.body).expect("no view").csn = 5;
            inner.unmerged_since = Some(6);
        });
    }

    #[test]
    #[should_panic(expected = "lengths of commit 2 after those of 3")]
    fn versions_ascend() {
        broken(|inner| {
            let loaded = loaded(inner);
            let mut page = loaded.page.as_ref().clone();
            page.csn = 3;
            let page = Arc::new(page);
            loaded.older.push(Version { page, body: None });
        });
    }

    #[test]
    #[should_panic(expected = "lengths of the past from commit 4")]
    fn the_past_is_before_the_newest_lengths() {
        let resources = resources();
        broken(|inner| {
            let mut page = loaded(inner).page.as_ref().clone();
            page.csn = 4;
            inner.history.record(&resources.volume.uuid, &page).unwrap();
        });
    }
}
