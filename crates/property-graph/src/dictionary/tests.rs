//! A dictionary against maps.

use std::collections::BTreeMap;

use evergraph_storage::failpoint;
use proptest::prelude::*;

use super::*;
use crate::testing::Host;

fn write(host: &mut Host, dictionary: &Dictionary, csn: u64) {
    let flushed = host.with_place(|place| dictionary.write(csn, place).unwrap());
    host.switch_root(flushed, || ());
    dictionary.published();
}

fn reopened(host: &mut Host) -> Dictionary {
    let dictionary = Dictionary::new(5);
    host.reopen(host.csn(), |place| dictionary.restore(place).unwrap());
    dictionary
}

proptest! {
    /// Names that commits assigned are there after any opening, others may not be.
    #[test]
    fn committed_names_stay(
        steps in prop::collection::vec((0u8..4, 0usize..3, 0u32..40, any::<bool>()), 1..60),
    ) {
        let mut host = Host::new();
        let mut dictionary = Dictionary::new(5);
        let mut model: BTreeMap<(Names, u32), String> = BTreeMap::new();
        let mut log: Vec<(u64, Names, u32, String)> = Vec::new();
        let mut stored = 0;
        for (what, kind, name, commits) in steps {
            let names = Names::ALL[kind];
            match what {
                0 | 1 => {
                    // Long, so that pages fill.
                    let name = format!("{name}{}", "x".repeat(700));
                    let code = dictionary.promise(names, &name).unwrap();
                    prop_assert_eq!(dictionary.promise(names, &name), Ok(code));
                    let known = model.get(&(names, code));
                    prop_assert!(known.is_none_or(|known| *known == name));
                    let uncommitted = dictionary.uncommitted(names, code);
                    prop_assert_eq!(uncommitted.is_none(), known.is_some());
                    if commits && known.is_none() {
                        let csn = host.csn() + 1;
                        dictionary.apply(csn, names, code, &name).unwrap();
                        dictionary.apply(csn, names, code, &name).unwrap();
                        prop_assert!(dictionary.apply(csn, names, code, "other").is_err());
                        log.push((csn, names, code, name.clone()));
                        model.insert((names, code), name);
                        host.publish(csn, false);
                    }
                }
                2 => {
                    // A checkpoint may be of an older commit than the newest.
                    let csn = host.csn() - u64::from(commits && host.csn() > stored);
                    write(&mut host, &dictionary, csn);
                    stored = stored.max(csn);
                    let since = log.iter().map(|entry| entry.0).find(|&csn| csn > stored);
                    prop_assert_eq!(dictionary.unmerged_since(), since);
                }
                _ => {
                    dictionary = reopened(&mut host);
                    let since = dictionary.unmerged_since();
                    prop_assert_eq!(since, None);
                    for (csn, names, code, name) in log.iter().filter(|entry| entry.0 > stored) {
                        dictionary.apply(*csn, *names, *code, name).unwrap();
                    }
                }
            }
            for ((names, code), name) in &model {
                let known = dictionary.name(*names, *code);
                prop_assert_eq!(known.as_deref(), Some(&name[..]));
                prop_assert_eq!(dictionary.code(*names, name), Some(*code));
            }
            let counted: usize = Names::ALL.iter().map(|n| dictionary.committed(*n).len()).sum();
            prop_assert_eq!(counted, model.len());
            let mut problems = Vec::new();
            dictionary.check(&mut problems);
            prop_assert!(problems.is_empty(), "{:?}", problems);
        }
    }
}

/// State of a name in the model: its code, promises, and whether a commit assigned it.
type Known = (u32, usize, bool);

proptest! {
    /// A name that is promised or assigned has one code, which no other has; a released
    /// code is free, and readers see assigned ones.
    #[test]
    fn promises_that_end_leave_nothing(
        steps in prop::collection::vec((0u8..8, 0u32..12), 1..120),
    ) {
        let mut host = Host::new();
        let mut dictionary = Dictionary::new(5);
        let mut model: BTreeMap<u32, Known> = BTreeMap::new();
        let name = |number: u32| format!("name {number}");
        for (what, number) in steps {
            let known = model.get(&number).copied();
            match (what, known) {
                (0..=2, _) => {
                    let code = dictionary.promise(Names::Keys, &name(number)).unwrap();
                    let is_free = |code: &u32| model.values().all(|known| known.0 != *code);
                    let lowest = (0..).find(is_free).unwrap();
                    let expected = model.get(&number).map_or(lowest, |known| known.0);
                    prop_assert_eq!(code, expected);
                    let known = model.entry(number).or_insert((code, 0, false));
                    prop_assert_eq!(known.0, code);
                    known.1 += usize::from(!known.2);
                }
                (3 | 4, Some((code, 1.., _))) => {
                    dictionary.release(Names::Keys, code);
                    let known = model.get_mut(&number).unwrap();
                    known.1 -= 1;
                    if known.1 == 0 && !known.2 {
                        model.remove(&number);
                    }
                }
                (5, Some((code, ..))) => {
                    let csn = host.csn() + 1;
                    dictionary.apply(csn, Names::Keys, code, &name(number)).unwrap();
                    host.publish(csn, false);
                    model.get_mut(&number).unwrap().2 = true;
                }
                (6 | 7, _) => {
                    let csn = host.csn();
                    write(&mut host, &dictionary, csn);
                    if what == 6 {
                        continue;
                    }
                    dictionary = reopened(&mut host);
                    model.retain(|_, known| known.2);
                    model.values_mut().for_each(|known| known.1 = 0);
                }
                _ => {}
            }
            for (number, &(code, _, is_assigned)) in &model {
                let found = dictionary.name(Names::Keys, code);
                prop_assert_eq!(found.as_deref(), Some(&name(*number)[..]));
                let found = dictionary.code(Names::Keys, &name(*number));
                prop_assert_eq!(found, is_assigned.then_some(code));
            }
            prop_assert_eq!(dictionary.taken()[2], model.len());
            let assigned = model.values().filter(|known| known.2).count();
            prop_assert_eq!(dictionary.committed(Names::Keys).len(), assigned);
        }
    }
}

#[test]
fn sets_of_labels_are_promised() {
    let dictionary = Dictionary::new(5);
    dictionary.set_most_label_sets(2);
    let promised = |labels: &[u32]| dictionary.promise_label_set(labels);
    let (first, second) = (promised(&[1]).unwrap(), promised(&[2]).unwrap());
    assert_eq!((first, second), (Some(0), Some(1)));
    assert_eq!(promised(&[1]), Ok(Some(0)));
    assert!(promised(&[3]).is_err());
    dictionary.release_label_set(0);
    assert!(promised(&[3]).is_err(), "once more");
    dictionary.release_label_set(0);
    assert_eq!(promised(&[3]), Ok(Some(0)));
    // The checkpoint assigns the promised code.
    assert_eq!(dictionary.label_set_code(&[2]), Some(1));
    dictionary.release_label_set(1);
    assert_eq!(promised(&[2]), Ok(None));
    assert_eq!(dictionary.label_set_code(&[2]), Some(1));
}

#[test]
fn sets_of_labels_get_codes() {
    let mut host = Host::new();
    let dictionary = Dictionary::new(5);
    let set = dictionary.label_set_code(&[1, 4]).unwrap();
    assert_eq!(dictionary.label_set_code(&[1, 4]), Some(set));
    assert_ne!(dictionary.label_set_code(&[]), Some(set));
    write(&mut host, &dictionary, 0);
    assert_eq!(
        reopened(&mut host).label_set(set).as_deref(),
        Some(&[1, 4][..])
    );
}

#[test]
fn what_comes_to_nothing_is_written_again() {
    let mut host = Host::new();
    let dictionary = Dictionary::new(5);
    let code = dictionary.promise(Names::Keys, "name").unwrap();
    dictionary.apply(1, Names::Keys, code, "name").unwrap();
    host.publish(1, false);
    drop(host.with_place(|place| dictionary.write(1, place).unwrap()));
    host.roll_back();
    dictionary.abandoned();
    assert_eq!(dictionary.unmerged_since(), Some(1));
    write(&mut host, &dictionary, 1);
    assert_eq!(dictionary.unmerged_since(), None);
    assert_eq!(reopened(&mut host).code(Names::Keys, "name"), Some(code));
}

#[test]
fn names_that_cannot_be_are_refused() {
    let dictionary = Dictionary::new(5);
    assert!(dictionary.promise(Names::Labels, "").is_err());
    assert!(
        dictionary
            .promise(Names::Labels, &"x".repeat(MOST_NAME_BYTES + 1))
            .is_err()
    );
    assert!(dictionary.apply(1, Names::Types, 1 << 16, "T").is_err());
    for code in 0..1 << 16 {
        assert_eq!(
            dictionary.promise(Names::Types, &format!("T{code}")),
            Ok(code)
        );
    }
    assert!(dictionary.promise(Names::Types, "one more").is_err());
}

#[test]
fn damage_is_told() {
    let mut host = Host::new();
    let dictionary = Dictionary::new(5);
    let code = dictionary.promise(Names::Keys, "name").unwrap();
    dictionary.apply(1, Names::Keys, code, "name").unwrap();
    host.publish(1, false);
    write(&mut host, &dictionary, 1);
    let page = host.directory.blobs(32 + 5).next().unwrap().extent.clone();
    for byte in page.offset()..page.offset() + page.len() {
        host.damage(byte, |byte| *byte ^= 4);
        let mut problems = Vec::new();
        dictionary.check(&mut problems);
        assert_eq!(problems.len(), 1);
        host.reopen(1, |place| {
            let error = Dictionary::new(5).restore(place).unwrap_err();
            assert!(error.to_string().contains("extents: damaged at offset"));
        });
        host.damage(byte, |byte| *byte ^= 4);
    }
    assert_eq!(reopened(&mut host).code(Names::Keys, "name"), Some(code));
}

/// Names that fill page after page, each stored by itself; whether all of them are
/// there after an opening.
fn full_pages_stay() -> bool {
    let mut host = Host::new();
    let dictionary = Dictionary::new(5);
    let name = |number: u64| format!("{number}{}", "x".repeat(1500));
    let mut codes = Vec::new();
    for number in 0..40 {
        let code = dictionary.promise(Names::Keys, &name(number)).unwrap();
        let csn = host.csn() + 1;
        dictionary
            .apply(csn, Names::Keys, code, &name(number))
            .unwrap();
        host.publish(csn, false);
        write(&mut host, &dictionary, csn);
        codes.push(code);
    }
    let dictionary = reopened(&mut host);
    let is_there = |(number, &code): (u64, &u32)| {
        let found = dictionary.name(Names::Keys, code);
        found.is_some_and(|found| *found == name(number))
    };
    (0..).zip(&codes).all(is_there)
}

#[test]
fn a_full_page_is_not_written_over() {
    assert!(full_pages_stay());
    let _armed = failpoint::Scope::armed("dictionary.full-page-lost").enter();
    let survives = std::panic::catch_unwind(full_pages_stay).unwrap_or(false);
    assert!(!survives, "the mutant survives");
}
