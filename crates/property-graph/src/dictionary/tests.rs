//! A dictionary against maps.

use std::collections::BTreeMap;

use evergraph_persistence::failpoint;
use proptest::prelude::*;

use super::*;
use crate::testing::Host;

const POLICY: TextPolicy = TextPolicy {
    least_bytes: 2,
    most_bytes: 8,
    sightings: 3,
    most_codes: 4,
};

fn write(host: &mut Host, dictionary: &Dictionary, csn: u64) {
    let flushed = host.with_place(|place| dictionary.write(csn, place).unwrap());
    host.switch_root(flushed, || ());
    dictionary.published();
}

fn reopened(host: &mut Host) -> Dictionary {
    let dictionary = Dictionary::new(5, POLICY);
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
        let mut dictionary = Dictionary::new(5, POLICY);
        let mut model: BTreeMap<(Names, u32), String> = BTreeMap::new();
        let mut log: Vec<(u64, Names, u32, String)> = Vec::new();
        let mut stored = 0;
        for (what, kind, name, commits) in steps {
            let names = Names::ALL[kind];
            match what {
                0 | 1 => {
                    // Long, so that pages fill.
                    let name = format!("{name}{}", "x".repeat(700));
                    let code = dictionary.intern(names, &name).unwrap();
                    prop_assert_eq!(dictionary.intern(names, &name), Ok(code));
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

#[test]
fn texts_that_repeat_get_codes() {
    let mut host = Host::new();
    let dictionary = Dictionary::new(5, POLICY);
    let code = |text: &str| TextCodes::code(&dictionary, text);
    assert_eq!([code("aa"), code("aa")], [None; 2]);
    let first = code("aa").unwrap();
    assert_eq!(code("aa"), Some(first));
    let longest = "a".repeat(9);
    for text in ["a", &longest] {
        assert!((0..10).all(|_| code(text).is_none()), "{text}");
    }
    for text in ["bb", "cc", "dd", "ee"] {
        let codes: Vec<_> = (0..4).map(|_| code(text)).collect();
        // The fifth is one too many.
        assert_eq!(codes[3].is_some(), text != "ee", "{text}");
    }
    let set = dictionary.label_set_code(&[1, 4]).unwrap();
    assert_eq!(dictionary.label_set_code(&[1, 4]), Some(set));
    assert_ne!(dictionary.label_set_code(&[]), Some(set));
    write(&mut host, &dictionary, 0);
    let reopened = reopened(&mut host);
    assert_eq!(reopened.text(first).as_deref(), Some("aa"));
    assert_eq!(reopened.label_set(set).as_deref(), Some(&[1, 4][..]));
    assert_eq!(TextCodes::code(&reopened, "aa"), Some(first));
}

#[test]
fn what_comes_to_nothing_is_written_again() {
    let mut host = Host::new();
    let dictionary = Dictionary::new(5, POLICY);
    let code = dictionary.intern(Names::Keys, "name").unwrap();
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
    let dictionary = Dictionary::new(5, POLICY);
    assert!(dictionary.intern(Names::Labels, "").is_err());
    assert!(
        dictionary
            .intern(Names::Labels, &"x".repeat(MOST_NAME_BYTES + 1))
            .is_err()
    );
    assert!(dictionary.apply(1, Names::Types, 1 << 16, "T").is_err());
    for code in 0..1 << 16 {
        assert_eq!(
            dictionary.intern(Names::Types, &format!("T{code}")),
            Ok(code)
        );
    }
    assert!(dictionary.intern(Names::Types, "one more").is_err());
}

#[test]
fn damage_is_told() {
    let mut host = Host::new();
    let dictionary = Dictionary::new(5, POLICY);
    let code = dictionary.intern(Names::Keys, "name").unwrap();
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
            let error = Dictionary::new(5, POLICY).restore(place).unwrap_err();
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
    let dictionary = Dictionary::new(5, POLICY);
    let name = |number: u64| format!("{number}{}", "x".repeat(1500));
    let mut codes = Vec::new();
    for number in 0..40 {
        let code = dictionary.intern(Names::Keys, &name(number)).unwrap();
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
