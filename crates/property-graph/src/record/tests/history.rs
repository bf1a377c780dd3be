//! The history beside a list of its versions.

use std::sync::Arc;

use evergraph_storage::failpoint;
use proptest::prelude::*;

use crate::dictionary::Dictionary;
use crate::record::Fixed;
use crate::record::history::History;
use crate::record::segment::NewPast;
use crate::testing::{Host, UUID};
use crate::value::{Properties, Value};

const RECORDS: u32 = 64;
const PER_CHUNK: u32 = 16;
/// Snapshots at each commit before.
const COMMITS: u64 = 6;

fn version(id: u32, begin: u64, end: u64) -> NewPast {
    let value = Value::from(i64::from(id) * 100 + begin as i64);
    let mut all = vec![(0, value.clone())];
    // One that most do not have, and one of changing types.
    all.extend(id.is_multiple_of(13).then_some((1, value.clone())));
    all.push((
        2,
        if begin == 2 {
            Value::from("two")
        } else {
            value
        },
    ));
    let mut properties = Vec::new();
    let encoded = Properties::from_iter(all).encode(&mut properties);
    encoded.expect("flat");
    NewPast {
        id,
        begin,
        end,
        born: begin.min(1),
        fixed: Fixed {
            kind: 3,
            first: id % 3,
            second: 0,
        },
        properties,
    }
}

/// Of each record whether a commit replaced it.
type Replaced = Vec<[bool; COMMITS as usize]>;

/// The versions that commits of a range replaced.
fn versions(replaced: &Replaced, from: u64, until: u64) -> Vec<NewPast> {
    let mut versions = Vec::new();
    for (id, commits) in (0..).zip(replaced) {
        let mut begin = 1;
        for (commit, replaced) in (1..).zip(commits) {
            if *replaced && commit > begin {
                if (from..until).contains(&commit) {
                    versions.push(version(id, begin, commit));
                }
                begin = commit;
            }
        }
    }
    versions
}

fn holds(replaced: &Replaced, cut: u64) {
    let dictionary = Arc::new(Dictionary::new(0));
    let new = || History::new(1, PER_CHUNK, Arc::clone(&dictionary));
    let (mut history, mut host) = (new(), Host::new());
    (1..=COMMITS).for_each(|csn| host.publish(csn, true));
    for (from, until) in [(0, cut), (cut, COMMITS + 1)] {
        let (needed, mut flushed) = (host.needed(), Vec::new());
        let written = host.with_place(|place| {
            let versions = versions(replaced, from, until);
            history.write(versions, &needed, place, &mut flushed)
        });
        host.switch_root(flushed, || {});
        if let Some(segments) = written.expect("space") {
            history.publish(segments);
        }
    }
    for reopened in [false, true] {
        if reopened {
            history = new();
            host.reopen(COMMITS, |place| history.restore(place));
        }
        compare(&history, &versions(replaced, 0, COMMITS + 1));
        let (mut problems, mut checked) = (Vec::new(), 0);
        history.check(&UUID, &mut problems, |_, _| {
            checked += 1;
            Ok(())
        });
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(checked, versions(replaced, 0, COMMITS + 1).len());
    }
}

fn compare(history: &History, versions: &[NewPast]) {
    for csn in 1..=COMMITS {
        let shown = |of: &&NewPast| of.begin <= csn && csn < of.end;
        for id in 0..RECORDS {
            let expected = versions.iter().filter(shown).find(|past| past.id == id);
            let found = history.find(id, csn, &UUID).expect("readable");
            let properties = found.map(|(chunk, at)| {
                let reader = chunk.read(&UUID).expect("readable");
                assert_eq!(reader.fixed(at).first, id % 3);
                reader.properties(at).expect("readable")
            });
            let expected = expected.map(|past| Properties::decode(&past.properties).expect("own"));
            assert_eq!(properties, expected, "record {id} as of {csn}");
        }
        for first in (0..RECORDS).step_by(PER_CHUNK as usize) {
            let ids = first..first + PER_CHUNK;
            let of_chunk = |past: &&NewPast| ids.contains(&past.id);
            let expected = versions.iter().filter(shown).filter(of_chunk);
            let mut expected: Vec<u32> = expected.map(|past| past.id).collect();
            expected.sort_unstable();
            let among = |bits: u64| {
                let layers = history.find_all(&ids, csn, &[bits], &UUID);
                let layers = layers.expect("readable");
                let is_here = |slot: &u32| layers.iter().any(|l| l.version(*slot).is_some());
                let slots = (0..PER_CHUNK).filter(is_here);
                slots.map(|slot| first + slot).collect::<Vec<u32>>()
            };
            let found = among(u64::MAX);
            assert_eq!(found, expected, "chunk of {first} as of {csn}");
            expected.retain(|id| (id - first).is_multiple_of(2));
            assert_eq!(among(0x5555_5555_5555_5555), expected, "every second");
            let whole = history.find_chunk(&ids, csn, &UUID).expect("readable");
            if let Some(whole) = whole {
                assert_eq!(found, ids.clone().collect::<Vec<_>>());
                let reader = whole.read(&UUID).expect("readable");
                for (at, id) in (0..).zip(ids) {
                    let begin = versions.iter().filter(shown).find(|past| past.id == id);
                    let begin = begin.map(|past| past.begin);
                    assert_eq!(Some(reader.slot(at).begin), begin);
                }
            }
        }
    }
}

/// One checkpoint behind the drop of all snapshots but the last.
#[test]
fn what_no_snapshot_shows_goes() {
    let replaced: Replaced = vec![[true; COMMITS as usize]; RECORDS as usize];
    let history = History::new(1, PER_CHUNK, Arc::new(Dictionary::new(0)));
    let mut host = Host::new();
    (1..=COMMITS).for_each(|csn| host.publish(csn, true));
    let write = |history: &History, host: &mut Host, versions| {
        let (needed, mut flushed) = (host.needed(), Vec::new());
        let written =
            host.with_place(|place| history.write(versions, &needed, place, &mut flushed));
        host.switch_root(flushed, || {});
        let written = written.expect("space");
        let is_new = written.is_some();
        written.into_iter().for_each(|new| history.publish(new));
        is_new
    };
    let all = versions(&replaced, 0, COMMITS + 1);
    assert!(write(&history, &mut host, all.clone()));
    let before = history.bytes();
    while host.kept().len() > 2 {
        host.release(0);
    }
    assert!(write(&history, &mut host, Vec::new()));
    assert!(
        history.bytes() < before / 3,
        "{} of {before}",
        history.bytes()
    );
    // The newest commit is in the chunks.
    let kept = COMMITS - 1;
    for past in all.iter().filter(|past| past.begin == kept) {
        let found = history.find(past.id, kept, &UUID).expect("readable");
        assert!(found.is_some(), "record {}", past.id);
    }
    assert!(
        !write(&history, &mut host, Vec::new()),
        "nothing is left to be done"
    );
}

/// Each record by a chance of its chunk.
fn replaced() -> impl Strategy<Value = Replaced> {
    let chances = prop::collection::vec(0.0f64..=1.0, (RECORDS / PER_CHUNK) as usize);
    chances.prop_flat_map(|chances| {
        let of_record = |id: u32| {
            let chance = chances[(id / PER_CHUNK) as usize];
            prop::array::uniform6(prop::bool::weighted(chance))
        };
        (0..RECORDS).map(of_record).collect::<Vec<_>>()
    })
}

proptest! {
    #[test]
    fn the_history_is_its_versions(replaced in replaced(), cut in 1..=COMMITS) {
        holds(&replaced, cut);
    }
}

#[test]
fn what_was_replaced_at_once_is_a_chunk() {
    let at = |commits: [usize; 2]| std::array::from_fn(|at| commits.contains(&(at + 1)));
    holds(&vec![at([3, 5]); RECORDS as usize], 4);
    // One version of each record lies side by side, but no commit shows all of them.
    let in_turn = (0..RECORDS as usize).map(|id| at([3 + id % 2, 5 + id % 2]));
    let in_turn: Replaced = in_turn.collect();
    holds(&in_turn, 4);
    let _armed = failpoint::Scope::armed("records.past-chunk-of-another").enter();
    let survives = std::panic::catch_unwind(|| holds(&in_turn, 4)).is_ok();
    assert!(!survives, "the mutant survives");
}
