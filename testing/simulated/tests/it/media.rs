//! The models of the media: what a power cut may leave, and what it may not.

use std::collections::BTreeSet;

use evergraph_simulated::{
    Config, DISCARDED, Explorer, FaultKind, FaultPlan, POISON, Persistence, PlannedFailure,
    Program, Progress, Rest, SimulatedStorage,
};
use evergraph_storage::{Medium, MediumError, MediumHandle, Storage};

/// A storage with one durable file `a` of zeros.
fn storage(persistence: Persistence, len: u64) -> (SimulatedStorage, MediumHandle) {
    let storage = SimulatedStorage::new(Config::new(persistence).with_capacity(16 << 10));
    let medium = storage.open("a", true).unwrap();
    medium.grow(len).unwrap();
    medium.fence().unwrap();
    storage.sync_names().unwrap();
    (storage, medium)
}

/// Everything a power cut may leave of some ranges, by enumeration.
fn outcomes(storage: &SimulatedStorage, ranges: &[(u64, usize)]) -> BTreeSet<Vec<Vec<u8>>> {
    let mut all = BTreeSet::new();
    let mut script: Vec<u32> = Vec::new();
    loop {
        let after = storage.crash(&script, Rest::Oldest);
        let medium = after.open("a", false).unwrap();
        let read = ranges.iter().map(|&(offset, len)| {
            let mut bytes = vec![0; len];
            medium.read(offset, &mut bytes).unwrap();
            bytes
        });
        all.insert(read.collect());
        let taken = after.choices();
        script = taken.iter().map(|t| t.0).collect();
        loop {
            let Some(last) = script.pop() else { return all };
            if last + 1 < taken[script.len()].1 {
                script.push(last + 1);
                break;
            }
        }
    }
}

/// Of words that hold one small number each, which numbers may be left.
fn words(storage: &SimulatedStorage, offsets: &[u64]) -> BTreeSet<Vec<u64>> {
    let ranges: Vec<_> = offsets.iter().map(|&offset| (offset, 8)).collect();
    outcomes(storage, &ranges)
        .into_iter()
        .map(|read| {
            let words = read.into_iter();
            words
                .map(|w| u64::from_le_bytes(w.try_into().unwrap()))
                .collect()
        })
        .collect()
}

fn check<const N: usize>(found: BTreeSet<Vec<u64>>, expected: &[[u64; N]]) {
    let expected: BTreeSet<Vec<u64>> = expected.iter().map(|e| e.to_vec()).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_line_shows_a_prefix_of_its_stores() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    medium.store_u64(0, 1);
    medium.store_u64(8, 2);
    medium.store_u64(0, 3);
    check(words(&storage, &[0, 8]), &[[0, 0], [1, 0], [1, 2], [3, 2]]);
}

#[test]
fn a_long_write_persists_by_words_in_ascending_order() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    medium.write(4, &[0xFF; 12]).unwrap();
    let half = u64::MAX << 32;
    check(
        words(&storage, &[0, 8]),
        &[[0, 0], [half, 0], [half, u64::MAX]],
    );
}

#[test]
fn lines_are_independent_and_evicted_unflushed() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    medium.store_u64(0, 1);
    medium.store_u64(64, 1);
    check(words(&storage, &[0, 64]), &[[0, 0], [0, 1], [1, 0], [1, 1]]);
}

#[test]
fn a_fence_makes_durable_what_was_flushed_before_it() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    medium.store_u64(0, 1);
    medium.flush(0, 8).unwrap();
    medium.store_u64(8, 2);
    medium.store_u64(64, 3);
    check(
        words(&storage, &[0, 8, 64]),
        &[
            [0, 0, 0],
            [1, 0, 0],
            [1, 2, 0],
            [0, 0, 3],
            [1, 0, 3],
            [1, 2, 3],
        ],
    );
    medium.fence().unwrap();
    check(
        words(&storage, &[0, 8, 64]),
        &[[1, 0, 0], [1, 2, 0], [1, 0, 3], [1, 2, 3]],
    );
    medium.fence().unwrap();
    assert_eq!(
        words(&storage, &[0, 8, 64]).len(),
        4,
        "not flushed, not durable"
    );
}

#[test]
fn non_temporal_words_persist_in_any_subset() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    let mut bytes = [0; 16];
    bytes[0] = 1;
    bytes[8] = 1;
    medium.write_through(0, &bytes).unwrap();
    check(words(&storage, &[0, 8]), &[[0, 0], [0, 1], [1, 0], [1, 1]]);
    medium.fence().unwrap();
    check(words(&storage, &[0, 8]), &[[1, 1]]);
    // Mixed with ordinary stores: a prefix of these, with any of those.
    medium.store_u64(0, 2);
    medium.write_through(8, &bytes[..8]).unwrap();
    medium.write_through(8, &[0; 8]).unwrap();
    check(words(&storage, &[0, 8]), &[[1, 1], [2, 1], [1, 0], [2, 0]]);
}

#[test]
fn many_non_temporal_words_are_sampled_with_their_extremes() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    medium.write_through(0, &[1; 64]).unwrap();
    let found = outcomes(&storage, &[(0, 64)]);
    assert!(found.contains(&vec![vec![0; 64]]) && found.contains(&vec![vec![1; 64]]));
    let words = |line: &Vec<Vec<u8>>| line[0].chunks(8).filter(|w| w[0] == 1).count();
    assert_eq!(found.iter().filter(|l| words(l) == 1).count(), 8);
    assert_eq!(found.iter().filter(|l| words(l) == 7).count(), 8);
}

#[test]
fn protected_caches_show_one_prefix_of_the_program() {
    let (storage, medium) = storage(Persistence::LinesEadr, 4096);
    medium.store_u64(64, 1);
    medium.store_u64(0, 2);
    medium.store_u64(64, 3);
    check(words(&storage, &[0, 64]), &[[0, 0], [0, 1], [2, 1], [2, 3]]);
    medium.fence().unwrap();
    check(words(&storage, &[0, 64]), &[[2, 3]]);
}

#[test]
fn a_page_is_torn_by_sectors() {
    let (storage, medium) = storage(Persistence::Pages, 4096);
    medium.write(508, &[1; 8]).unwrap();
    medium.write(508, &[2; 2]).unwrap();
    let found = outcomes(&storage, &[(508, 8)]);
    let first = [[0; 4], [1; 4], [2, 2, 1, 1]];
    let expected: BTreeSet<_> = first
        .iter()
        .flat_map(|f| [[0; 4], [1; 4]].map(|second| vec![[*f, second].concat()]))
        .collect();
    assert_eq!(found, expected);
    // A sync needs no flush, and makes its own file durable only.
    let other = storage.open("b", true).unwrap();
    other.fence().unwrap();
    assert_eq!(outcomes(&storage, &[(508, 8)]).len(), 6);
    medium.fence().unwrap();
    assert_eq!(outcomes(&storage, &[(508, 8)]).len(), 1);
}

#[test]
fn a_size_may_persist_without_its_data_or_not_at_all() {
    let (storage, medium) = storage(Persistence::Pages, 512);
    medium.grow(1024).unwrap();
    medium.write(512, &[7; 512]).unwrap();
    let mut seen = BTreeSet::new();
    for script in [[0, 0], [1, 0], [1, 1]] {
        let after = storage.crash(&script, Rest::Oldest);
        let medium = after.open("a", false).unwrap();
        let mut byte = [0];
        let read = medium.read(600, &mut byte).map(|()| byte[0]).ok();
        seen.insert((medium.len(), read));
        if medium.len() == 512 {
            // Bytes beyond the end are gone for good, also if the file grows again.
            medium.grow(1024).unwrap();
            medium.read(600, &mut byte).unwrap();
            assert_eq!(byte[0], 0);
        }
    }
    let expected = [(512, None), (1024, Some(0)), (1024, Some(7))];
    assert_eq!(seen, BTreeSet::from(expected));
    medium.fence().unwrap();
    let after = storage.crash(&[], Rest::Oldest);
    assert_eq!(after.open("a", false).unwrap().len(), 1024);
}

#[test]
fn a_name_counts_once_names_are_synced() {
    let (storage, _medium) = storage(Persistence::Pages, 512);
    drop(storage.open("b", true).unwrap());
    let exists = |rest| storage.crash(&[], rest).exists("b").unwrap();
    assert!(!exists(Rest::Oldest) && exists(Rest::Newest));
    storage.sync_names().unwrap();
    assert!(exists(Rest::Oldest));
    storage.remove("b").unwrap();
    assert!(exists(Rest::Oldest) && !exists(Rest::Newest));
    assert!(!storage.exists("b").unwrap());
    assert!(storage.open("b", false).is_err());
    assert!(storage.open("a", true).is_err());
    assert!(storage.remove("a").is_err(), "a medium is open on it");
}

#[test]
fn choices_are_lazy_and_undecided_memory_is_poison() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    for line in 0..8 {
        medium.store_u64(line * 64, line + 1);
    }
    let after = storage.crash(&[], Rest::Newest);
    let medium = after.open("a", false).unwrap();
    assert!(after.choices().is_empty());
    let raw = after.image().files["a"][..512].to_vec();
    assert_eq!(raw, [POISON; 512], "nothing is decided");
    medium.touch(64, 8).unwrap();
    assert_eq!(after.choices(), [(1, 2)]);
    let raw = after.image().files["a"].clone();
    assert_eq!((raw[0], raw[64], raw[128]), (POISON, 2, POISON));
    // Overwritten as a whole: nothing to choose. In part: the rest is needed.
    medium.write(128, &[9; 64]).unwrap();
    assert_eq!(after.choices().len(), 1);
    medium.write(192, &[9; 8]).unwrap();
    assert_eq!(after.choices().len(), 2);
    // An undecided line stays open over a further power cut, also below a write that was
    // not flushed.
    let lines = |offset| {
        let mut found = BTreeSet::new();
        for script in [[0], [1], [2]] {
            let again = after.crash(&script, Rest::Oldest);
            let medium = again.open("a", false).unwrap();
            let mut byte = [0];
            medium.read(offset, &mut byte).unwrap();
            found.insert(byte[0]);
        }
        found
    };
    assert_eq!(lines(256), BTreeSet::from([0, 5]));
    assert_eq!(lines(64), BTreeSet::from([2]));
    assert!(lines(128).is_superset(&BTreeSet::from([0, 9])));
    assert!(after.describe_choices()[0].starts_with("a @ 0x40"));
}

#[test]
fn the_first_world_goes_on_after_a_power_cut() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    let after = storage.crash(&[], Rest::Oldest);
    medium.write(0, &[1]).unwrap();
    let other = after.open("a", false).unwrap();
    let mut byte = [7];
    other.read(0, &mut byte).unwrap();
    assert_eq!(byte, [0]);
    assert_eq!(other.base(), after.open("a", false).unwrap().base());
}

/// A recovery that keeps a medium for the next one.
struct Keeper(std::cell::RefCell<Option<MediumHandle>>);

impl Program for Keeper {
    type Model = ();

    fn name(&self) -> &str {
        "keeper"
    }

    fn config(&self) -> Config {
        Config::new(Persistence::Lines).with_capacity(4096)
    }

    fn run(&self, storage: &SimulatedStorage, _: &mut Progress<'_, ()>) -> Result<(), String> {
        let medium = storage.open("a", true).map_err(|e| e.to_string())?;
        storage.sync_names().map_err(|e| e.to_string())?;
        medium.fence().map_err(|e| e.to_string())
    }

    fn recover(&self, storage: &SimulatedStorage, _: &mut Progress<'_, ()>) -> Result<(), String> {
        if let Some(old) = self.0.take() {
            old.touch(0, 0).map_err(|e| e.to_string())?;
        }
        self.0.replace(storage.open("a", false).ok());
        Ok(())
    }
}

#[test]
fn a_medium_dies_with_its_run() {
    let report = Explorer::default().explore(&Keeper(None.into()));
    let said = &report.violations[0].message;
    assert!(said.contains("earlier run"), "{said}");
}

#[test]
fn planned_failures() {
    let fail = |call, kind| Some(PlannedFailure::once(call, kind));
    let (storage, medium) = storage(Persistence::Pages, 4096);
    let calls = storage.calls();
    storage.plan(FaultPlan {
        fail_write: fail(calls.writes + 1, FaultKind::NoSpace),
        fail_grow: fail(calls.grows, FaultKind::NoSpace),
        fail_fence: fail(calls.fences, FaultKind::Io),
        fail_sync_names: fail(calls.name_syncs, FaultKind::Io),
        ..FaultPlan::default()
    });
    medium.write(0, &[1]).unwrap();
    let full = medium.write(0, &[2]);
    assert!(matches!(full, Err(MediumError::NoSpace { .. })));
    assert!(matches!(
        medium.grow(8192),
        Err(MediumError::NoSpace { .. })
    ));
    assert_eq!(medium.len(), 4096);
    assert!(medium.reserve(0, 4096).is_ok() && medium.reserve(0, 4097).is_err());
    assert!(storage.sync_names().is_err() && storage.sync_names().is_ok());
    assert!(matches!(medium.fence(), Err(MediumError::Io { .. })));
    // The next sync would succeed, and would be a lie.
    assert!(matches!(medium.fence(), Err(MediumError::Poisoned { .. })));
    assert!(matches!(
        medium.write(0, &[3]),
        Err(MediumError::Poisoned { .. })
    ));
    let found = outcomes(&storage, &[(0, 1)]);
    assert_eq!(found, BTreeSet::from([vec![vec![0]], vec![vec![1]]]));
}

#[test]
fn a_failed_write_may_have_stored_its_first_part() {
    let (storage, medium) = storage(Persistence::Pages, 4096);
    storage.plan(FaultPlan {
        fail_write: Some(PlannedFailure {
            call: storage.calls().writes,
            kind: FaultKind::Io,
            sticky: true,
        }),
        ..FaultPlan::default()
    });
    assert!(medium.write(0, &[1; 8]).is_err() && medium.write(0, &[1; 8]).is_err());
    let mut bytes = [0; 8];
    medium.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn bounds_alignment_and_kind_are_checked() {
    let (_storage, medium) = storage(Persistence::Lines, 4096);
    assert!(matches!(
        medium.touch(4090, 8),
        Err(MediumError::OutOfBounds { .. })
    ));
    assert!(medium.touch(u64::MAX, 8).is_err());
    assert!(medium.write(4096, &[1]).is_err());
    assert!(matches!(
        medium.grow(1 << 30),
        Err(MediumError::NoSpace { .. })
    ));
    let panics =
        |store: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(store)).is_err();
    assert!(panics(&|| medium.store_u64(4, 1)));
    assert!(panics(&|| medium.store_u32(4096, 1)));
    let (_storage, medium) = self::storage(Persistence::Pages, 4096);
    assert!(panics(&|| medium.store_u32(0, 1)));
}

#[test]
fn images_are_damaged_and_started_from() {
    let (storage, medium) = storage(Persistence::Pages, 2048);
    medium.write(0, &[1; 1024]).unwrap();
    let older = storage.image();
    medium.write(0, &[2; 2048]).unwrap();
    let mut image = storage.image();
    image.flip_bit("a", 8 * 3 + 1);
    image.zero("a", 4, 2);
    image.stale("a", &older, 512, 512);
    image.misdirect("a", 512, 1536, 256);
    image.resize("a", 1700);
    let damaged = SimulatedStorage::from_image(storage.config(), &image);
    assert_eq!(damaged.image(), image);
    let medium = damaged.open("a", false).unwrap();
    assert_eq!(medium.len(), 1700);
    let mut bytes = vec![0; 1700];
    medium.read(0, &mut bytes).unwrap();
    assert_eq!(&bytes[..7], [2, 2, 2, 0, 0, 0, 2]);
    assert_eq!((bytes[512], bytes[1024], bytes[1536]), (1, 2, 1));
    assert!(damaged.choices().is_empty());
}

#[test]
fn a_discarded_range_reads_as_anything() {
    let (storage, medium) = storage(Persistence::Lines, 4096);
    medium.write(0, &[1; 192]).unwrap();
    medium.flush(0, 192).unwrap();
    medium.fence().unwrap();
    medium.discard(32, 128).unwrap();
    let image = storage.image();
    let bytes = &image.files["a"];
    assert_eq!(
        (bytes[63], bytes[64], bytes[127], bytes[128]),
        (1, DISCARDED, DISCARDED, 1)
    );
    let found = outcomes(&storage, &[(64, 1)]);
    assert_eq!(
        found,
        BTreeSet::from([vec![vec![1]], vec![vec![DISCARDED]]])
    );
}

/// The running system shows what a fence has lost, and the next fence says yes; only what
/// is stored again can become durable.
#[test]
fn what_a_fence_loses_is_shown_until_the_power_is_cut() {
    for persistence in [Persistence::Pages, Persistence::Lines] {
        let (storage, medium) = storage(persistence, 4096);
        let store = |medium: &MediumHandle, value: u64| {
            medium.write(64, &value.to_le_bytes()).unwrap();
            medium.flush(64, 8)
        };
        store(&medium, 1).unwrap();
        medium.fence().unwrap();
        store(&medium, 2).unwrap();
        let plan = FaultPlan {
            fail_fence: Some(PlannedFailure::once(
                storage.calls().fences,
                FaultKind::Lost,
            )),
            ..FaultPlan::default()
        };
        storage.plan(plan);
        assert!(medium.fence().is_err());
        check(words(&storage, &[64]), &[[1]]);
        storage.begin_process();
        let medium = storage.open("a", false).unwrap();
        let mut shown = [0; 8];
        medium.read(64, &mut shown).unwrap();
        assert_eq!(u64::from_le_bytes(shown), 2);
        medium.flush(64, 8).unwrap();
        medium.fence().unwrap();
        check(words(&storage, &[64]), &[[1]]);
        store(&medium, 2).unwrap();
        check(words(&storage, &[64]), &[[1], [2]]);
        medium.fence().unwrap();
        check(words(&storage, &[64]), &[[2]]);
    }
}
