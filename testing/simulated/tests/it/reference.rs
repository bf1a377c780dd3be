//! Reference implementation of the simulated medium: it keeps whole images, and lists
//! every one that two power cuts can leave. The lazy medium must leave the same.

use std::collections::BTreeSet;

use evergraph_simulated::{Config, Persistence, Rest, SimulatedStorage};
use evergraph_storage::{Medium, MediumHandle, Storage};
use proptest::prelude::*;

/// Two units (lines or sectors), of which the first words are used.
const WORDS: usize = 8;
type Image = [[u64; WORDS]; 2];

#[derive(Clone, Copy, Debug)]
enum Op {
    Store {
        unit: usize,
        word: usize,
        value: u64,
    },
    Through {
        unit: usize,
        word: usize,
        value: u64,
    },
    WriteUnit {
        unit: usize,
        value: u64,
    },
    Read {
        unit: usize,
    },
    Flush {
        unit: usize,
    },
    Fence,
}

fn op() -> impl Strategy<Value = Op> {
    let place = (0..2usize, 0..2usize, 1..4u64);
    prop_oneof![
        4 => place.clone().prop_map(|(unit, word, value)| Op::Store { unit, word, value }),
        1 => place.prop_map(|(unit, word, value)| Op::Through { unit, word, value }),
        1 => (0..2usize, 1..4u64).prop_map(|(unit, value)| Op::WriteUnit { unit, value }),
        2 => (0..2usize).prop_map(|unit| Op::Read { unit }),
        2 => (0..2usize).prop_map(|unit| Op::Flush { unit }),
        1 => Just(Op::Fence),
    ]
}

/// A store: the words it sets, and whether it is non-temporal.
#[derive(Clone)]
struct Pending {
    words: Vec<(usize, u64)>,
    streamed: bool,
}

/// One world: what is durable, and what is pending in each unit.
#[derive(Clone, Default)]
struct Reference {
    pages: bool,
    durable: Image,
    pending: [Vec<Pending>; 2],
    flushed: [usize; 2],
}

impl Reference {
    fn visible(&self, unit: usize) -> [u64; WORDS] {
        let mut content = self.durable[unit];
        for (word, value) in self.pending[unit].iter().flat_map(|p| &p.words) {
            content[*word] = *value;
        }
        content
    }

    fn apply(&mut self, op: Op, seen: &mut Vec<u64>) {
        let mut store = |unit: usize, words: Vec<(usize, u64)>, streamed| {
            self.pending[unit].push(Pending { words, streamed });
        };
        match op {
            Op::Store { unit, word, value } => store(unit, vec![(word, value)], false),
            Op::Through { unit, word, value } => store(unit, vec![(word, value)], !self.pages),
            Op::WriteUnit { unit, value } if self.pages => {
                store(unit, (0..WORDS).map(|w| (w, value)).collect(), false);
            }
            Op::WriteUnit { unit, value } => {
                (0..WORDS).for_each(|word| store(unit, vec![(word, value)], false));
            }
            Op::Read { unit } => seen.extend(self.visible(unit)),
            Op::Flush { unit } => self.flushed[unit] = self.pending[unit].len(),
            Op::Fence => {
                for unit in 0..2 {
                    let pending = &self.pending[unit];
                    let streamed = pending.iter().rposition(|p| p.streamed);
                    let durable = match self.pages {
                        true => pending.len(),
                        false => self.flushed[unit].max(streamed.map_or(0, |last| last + 1)),
                    };
                    for store in self.pending[unit].drain(..durable) {
                        for (word, value) in store.words {
                            self.durable[unit][word] = value;
                        }
                    }
                    self.flushed[unit] = 0;
                }
            }
        }
    }

    /// Every content of a unit that a power cut may leave.
    fn contents(&self, unit: usize) -> BTreeSet<[u64; WORDS]> {
        let pending = &self.pending[unit];
        let mut found = BTreeSet::new();
        // A subset is possible if its ordinary stores are a prefix of them.
        for subset in 0..1u64 << pending.len() {
            let kept = |i: usize| subset >> i & 1 == 1;
            let ordinary = (0..pending.len()).filter(|&i| !pending[i].streamed);
            if !ordinary.map(kept).is_sorted_by(|a, b| a >= b) {
                continue;
            }
            let mut content = self.durable[unit];
            for i in (0..pending.len()).filter(|&i| kept(i)) {
                for &(word, value) in &pending[i].words {
                    content[word] = value;
                }
            }
            found.insert(content);
        }
        found
    }

    fn crash(&self) -> Vec<Reference> {
        let second = self.contents(1);
        let images = self.contents(0).into_iter();
        images
            .flat_map(|a| second.iter().map(move |b| [a, *b]))
            .map(|durable| Reference {
                pages: self.pages,
                durable,
                ..Reference::default()
            })
            .collect()
    }
}

/// Does the same on the simulated medium.
fn apply(medium: &MediumHandle, unit_bytes: u64, op: Op, seen: &mut Vec<u64>) {
    let at = |unit: usize, word: usize| unit as u64 * unit_bytes + word as u64 * 8;
    match op {
        Op::Store { unit, word, value } => medium.write(at(unit, word), &value.to_le_bytes()),
        Op::Through { unit, word, value } => {
            medium.write_through(at(unit, word), &value.to_le_bytes())
        }
        Op::WriteUnit { unit, value } => {
            let bytes = value.to_le_bytes().repeat(unit_bytes as usize / 8);
            medium.write(at(unit, 0), &bytes)
        }
        Op::Read { unit } => {
            let mut bytes = [0; WORDS * 8];
            let words = medium.read(at(unit, 0), &mut bytes);
            let chunks = bytes.chunks_exact(8);
            seen.extend(chunks.map(|w| u64::from_le_bytes(w.try_into().unwrap())));
            words
        }
        Op::Flush { unit } => medium.flush(at(unit, 0), unit_bytes),
        Op::Fence => medium.fence(),
    }
    .unwrap();
}

/// Runs with every sequence of choices.
fn for_all_choices(from: &SimulatedStorage, mut run: impl FnMut(&SimulatedStorage)) {
    let mut script: Vec<u32> = Vec::new();
    loop {
        let after = from.crash(&script, Rest::Oldest);
        run(&after);
        let taken = after.choices();
        script = taken.iter().map(|t| t.0).collect();
        loop {
            let Some(last) = script.pop() else { return };
            if last + 1 < taken[script.len()].1 {
                script.push(last + 1);
                break;
            }
        }
    }
}

/// Two power cuts: what was read between them, and what is left at the end.
fn check(persistence: Persistence, before: &[Op], between: &[Op]) {
    let pages = persistence == Persistence::Pages;
    let unit_bytes = if pages { 512 } else { 64 };
    let storage = SimulatedStorage::new(Config::new(persistence).with_capacity(4096));
    let medium = storage.open("a", true).unwrap();
    medium.grow(4096).unwrap();
    medium.fence().unwrap();
    storage.sync_names().unwrap();

    let mut reference = Reference {
        pages,
        ..Reference::default()
    };
    for &op in before {
        let (mut seen, mut expected) = (Vec::new(), Vec::new());
        apply(&medium, unit_bytes, op, &mut seen);
        reference.apply(op, &mut expected);
        assert_eq!(seen, expected);
    }
    let mut expected = BTreeSet::new();
    for mut world in reference.crash() {
        let mut seen = Vec::new();
        between.iter().for_each(|&op| world.apply(op, &mut seen));
        for last in world.crash() {
            expected.insert((seen.clone(), last.durable));
        }
    }
    let mut found = BTreeSet::new();
    for_all_choices(&storage, |after| {
        let medium = after.open("a", false).unwrap();
        let mut seen = Vec::new();
        for &op in between {
            apply(&medium, unit_bytes, op, &mut seen);
        }
        for_all_choices(after, |last| {
            let medium = last.open("a", false).unwrap();
            let mut read = Vec::new();
            for unit in 0..2 {
                apply(&medium, unit_bytes, Op::Read { unit }, &mut read);
            }
            let (a, b) = read.split_at(WORDS);
            found.insert((seen.clone(), [a.try_into().unwrap(), b.try_into().unwrap()]));
        });
    });
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn lines_leave_what_the_reference_leaves(
        before in prop::collection::vec(op(), 0..5),
        between in prop::collection::vec(op(), 0..5),
    ) {
        check(Persistence::Lines, &before, &between);
    }

    #[test]
    fn pages_leave_what_the_reference_leaves(
        before in prop::collection::vec(op(), 0..6),
        between in prop::collection::vec(op(), 0..6),
    ) {
        check(Persistence::Pages, &before, &between);
    }
}
