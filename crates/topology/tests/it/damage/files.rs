//! Whole files that do not belong: missing, of another time, of another
//! database, of a newer format.

use std::collections::BTreeMap;

use evergraph_graph::StoredLists;
use evergraph_simulated::{Image, Persistence, SimulatedStorage};
use evergraph_storage::FORMAT_VERSION;
use evergraph_topology::Store;

use super::fixture::{
    Fixture, Graph, Outcome, Reference, direct, direct_config, fill_direct, merged_blocks,
    merged_clean, merged_config, merged_snapshots, merged_tail, merged_wrapped, observe, outcome,
    sim_config,
};
use super::reader;

fn all() -> Vec<Fixture> {
    vec![
        merged_clean(),
        merged_tail(),
        merged_wrapped(),
        merged_blocks(),
        merged_snapshots(),
        direct(true),
        direct(false),
    ]
}

#[test]
fn a_missing_file_is_an_error() {
    for fixture in all() {
        for name in fixture.image.files.keys() {
            let mut image = fixture.image.clone();
            image.files.remove(name);
            match outcome(fixture.config, &image, &fixture.expected) {
                Outcome::Error(error) => assert!(error.contains(name), "{name}: {error}"),
                found => panic!("{} without {name}: {found:?}", fixture.name),
            }
        }
    }
}

#[test]
fn a_newer_format_is_refused_with_both_versions() {
    for fixture in all() {
        for slots in [&[0][..], &[4096], &[0, 4096]] {
            let mut image = fixture.image.clone();
            let pool = image.file("pool");
            for &slot in slots {
                pool[slot + 8..slot + 12].copy_from_slice(&77u32.to_le_bytes());
                let crc = reader::crc32c(0, &pool[slot..slot + 508]);
                pool[slot + 508..slot + 512].copy_from_slice(&crc.to_le_bytes());
            }
            match outcome(fixture.config, &image, &fixture.expected) {
                Outcome::Error(error) => assert!(
                    error.contains("77") && error.contains(&format!("({FORMAT_VERSION})")),
                    "both versions: {error}"
                ),
                found => panic!("{}: {found:?}", fixture.name),
            }
        }
    }
}

/// A second database of the same shape.
fn stranger(fixture: &Fixture) -> Image {
    let storage = SimulatedStorage::new(fixture.config);
    if fixture.image.files.contains_key("sections") {
        let store =
            Store::create(&storage, direct_config(false, StoredLists::Out), [99; 16]).unwrap();
        fill_direct(&store);
        return storage.image();
    }
    let shape = match fixture.expected.lists.len() {
        2 => merged_config(false, StoredLists::Both),
        _ if fixture.name.contains("wrapped") => merged_config(false, StoredLists::Out),
        _ => merged_config(true, StoredLists::Undirected),
    };
    let mut reference = Reference::create(&storage, shape, [99; 16]);
    reference.name_vertices();
    reference.commit_group(&[5]);
    reference.store.checkpoint().unwrap();
    reference.commit_group(&[4]);
    storage.image()
}

#[test]
fn a_file_of_another_database_is_never_shown() {
    for fixture in all() {
        let stranger = stranger(&fixture);
        for name in fixture.image.files.keys() {
            let mut image = fixture.image.clone();
            *image.file(name) = stranger.files[name].clone();
            let found = outcome(fixture.config, &image, &fixture.expected);
            assert!(
                matches!(found, Outcome::Error(_)),
                "{} with a foreign {name}: {found:?}",
                fixture.name
            );
        }
    }
}

#[test]
fn a_foreign_log_is_noticed() {
    let fixture = merged_tail();
    let mut image = fixture.image.clone();
    *image.file("log") = stranger(&fixture).files["log"].clone();
    let found = outcome(fixture.config, &image, &fixture.expected);
    assert!(matches!(found, Outcome::Error(_)), "{found:?}");
}

#[test]
fn a_fresh_file_of_slots_is_noticed() {
    let fixture = direct(false);
    let storage = SimulatedStorage::new(fixture.config);
    drop(Store::create(&storage, direct_config(false, StoredLists::Out), [98; 16]).unwrap());
    let mut image = fixture.image.clone();
    *image.file("sections") = storage.image().files["sections"].clone();
    let found = outcome(fixture.config, &image, &fixture.expected);
    assert!(matches!(found, Outcome::Error(_)), "{found:?}");
}

/// The whole life of a database, file by file after each step.
struct Life {
    moments: Vec<(String, Image, Graph)>,
    history: BTreeMap<u64, Graph>,
}

fn life() -> Life {
    let config = sim_config(Persistence::Pages);
    let storage = SimulatedStorage::new(config);
    let shape = merged_config(false, StoredLists::Out);
    let mut reference = Reference::create(&storage, shape, [31; 16]);
    let mut moments = Vec::new();
    let mut note = |what: &str, reference: &Reference| {
        let graph = reference.history.values().next_back().unwrap().clone();
        moments.push((what.to_string(), storage.image(), graph));
    };
    note("created", &reference);
    for round in 0..3 {
        reference.commit_group(&[3, 1]);
        note("commits", &reference);
        reference.commit_group(&[2]);
        note("commit", &reference);
        reference.store.checkpoint().unwrap();
        note("checkpoint", &reference);
        reference.commit_group(&[2 + round]);
        note("tail", &reference);
        reference.store.close().unwrap();
        note("closed", &reference);
        let Reference { store, .. } = reference;
        drop(store);
        reference.store = Store::open(&storage, false).unwrap().0;
        assert_eq!(
            observe(&reference.store).unwrap(),
            *reference.history.values().next_back().unwrap()
        );
        note("opened", &reference);
    }
    Life {
        moments,
        history: reference.history,
    }
}

/// Any mixture of the files of two moments: an error, or the graph of a moment
/// that was there. An old pool alone never hides what came later; an old log
/// does, if the stop was not clean, and so do old pool and log together.
#[test]
fn files_of_two_moments_never_make_a_third_graph() {
    let life = life();
    let config = sim_config(Persistence::Pages);
    let (mut cases, mut errors, mut newest, mut older) = (0, 0, 0, Vec::new());
    for (i, (old_name, old, _)) in life.moments.iter().enumerate() {
        for (new_name, new, graph) in &life.moments[i + 1..] {
            for mask in 1..7u32 {
                let mut image = new.clone();
                let names: Vec<&str> = ["pool", "log", "extents"]
                    .into_iter()
                    .enumerate()
                    .filter(|(bit, _)| mask >> bit & 1 == 1)
                    .map(|(_, name)| name)
                    .collect();
                for name in &names {
                    *image.file(name) = old.files[*name].clone();
                }
                cases += 1;
                match outcome(config, &image, graph) {
                    Outcome::Right => newest += 1,
                    Outcome::Error(_) => errors += 1,
                    Outcome::Other(found) => {
                        assert_eq!(
                            life.history.get(&found.csn),
                            Some(&*found),
                            "{names:?} of {old_name} in {new_name}"
                        );
                        assert!(
                            names.contains(&"log"),
                            "old {names:?} of {old_name} in {new_name} hide commits"
                        );
                        older.push((
                            names.join("+"),
                            format!("{old_name} in {new_name}"),
                            found.csn,
                        ));
                    }
                    Outcome::Panic(panic) => {
                        panic!("{names:?} of {old_name} in {new_name}: {panic}")
                    }
                }
            }
        }
    }
    println!(
        "stale files: {cases} mixtures, {errors} errors, {newest} right, {} an earlier commit",
        older.len()
    );
    let mut by_kind: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (names, what, csn) in &older {
        by_kind
            .entry(names)
            .or_default()
            .push(format!("{what}@{csn}"));
    }
    for (names, cases) in by_kind {
        println!("  old {names}: {} cases, {}", cases.len(), cases.join("; "));
    }
}

/// A damaged pool is not taken for an interrupted creation.
#[test]
fn a_pool_cut_short_is_not_made_again() {
    let fixture = merged_clean();
    let cut = |len| {
        let mut image = fixture.image.clone();
        image.resize("pool", len);
        image
    };
    let mut zeroed = fixture.image.clone();
    zeroed.zero("pool", 0, 8192);
    let mut missing = fixture.image.clone();
    missing.files.remove("pool");
    let direct = direct(false);
    let mut direct_zeroed = direct.image.clone();
    direct_zeroed.zero("pool", 0, 8192);
    let damaged = [
        cut(4096),
        cut(4608),
        cut(512),
        cut(0),
        zeroed,
        missing,
        direct_zeroed,
    ];
    for (case, image) in damaged.into_iter().enumerate() {
        let storage = SimulatedStorage::from_image(fixture.config, &image);
        let made = Store::create(&storage, merged_config(false, StoredLists::Both), [1; 16]);
        assert!(made.is_err(), "case {case} was made again");
        drop(made);
        let after = storage.image();
        for (name, bytes) in &image.files {
            assert!(after.files[name] == *bytes, "case {case} changed {name}");
        }
    }
}
