//! Larger damage: lost blocks, misdirected blocks, files cut short.

use std::collections::BTreeSet;

use evergraph_graph::StoredLists;
use evergraph_simulated::Image;

use super::fixture::{
    Fixture, Graph, Outcome, SECTION_SHIFT, direct, direct_config, direct_of, merged_clean,
    merged_snapshots, merged_tail, merged_wrapped, outcome,
};
use super::reader;

/// Lists that some damage may show beside an error and the right graph.
enum Allowed {
    Nothing,
    /// Exactly the graph as of this commit: the log ends before the damage, and
    /// nothing behind it proves that it did not.
    Commit(u64),
    /// Lists of these adjacencies and vertices may differ (direct mode).
    Lists(BTreeSet<(usize, u32)>),
}

fn changed(fixture: &Fixture, damaged: &Image, name: &str, range: std::ops::Range<usize>) -> bool {
    fixture.image.files[name][range.clone()] != damaged.files[name][range]
}

fn allowed(fixture: &Fixture, damaged: &Image) -> Allowed {
    let same_length = |name: &str| fixture.image.files[name].len() == damaged.files[name].len();
    let log_len = fixture.image.files["log"].len();
    let foreign_log =
        !same_length("log") || changed(fixture, damaged, "log", log_len - 512..log_len);
    if !reader::root(&fixture.image).clean && !foreign_log {
        let records = reader::log(&fixture.image);
        let hit = |record: &&reader::Record| {
            changed(
                fixture,
                damaged,
                "log",
                record.offset..record.offset + record.covered,
            )
        };
        if let Some(first) = records.iter().find(hit) {
            let proof = |record: &&reader::Record| !hit(record) && record.durable > first.lsn;
            if !records.iter().any(|record| proof(&record)) {
                return Allowed::Commit(first.csn - 1);
            }
        }
    }
    if !damaged.files.contains_key("sections") {
        return Allowed::Nothing;
    }
    let mut vertices = BTreeSet::new();
    for section in reader::direct_sections(&fixture.image) {
        let lists = 0..1u32 << SECTION_SHIFT;
        let adjacency = section.adjacency as usize;
        let of_section = lists.map(|list| (adjacency, section.first_vertex + list));
        let hit = |range: &std::ops::Range<usize>| {
            same_length("extents") && changed(fixture, damaged, "extents", range.clone())
        };
        if hit(&section.words) || hit(&section.log) {
            vertices.extend(of_section);
        }
    }
    if vertices.is_empty() {
        Allowed::Nothing
    } else {
        Allowed::Lists(vertices)
    }
}

#[derive(Default)]
struct Count {
    cases: u64,
    right: u64,
    errors: u64,
    window: u64,
}

fn check(fixture: &Fixture, damaged: &Image, what: &str, count: &mut Count) {
    if *damaged == fixture.image {
        return;
    }
    count.cases += 1;
    let found = outcome(fixture.config, damaged, &fixture.expected);
    match (allowed(fixture, damaged), &found) {
        (Allowed::Commit(csn), Outcome::Other(graph)) if **graph == fixture.history[&csn] => {
            count.window += 1;
        }
        (Allowed::Lists(vertices), Outcome::Other(graph))
            if without(graph, &vertices) == without(&fixture.expected, &vertices) =>
        {
            count.window += 1;
        }
        (Allowed::Commit(csn), Outcome::Right) => {
            assert_eq!(fixture.history[&csn], fixture.expected, "{what}");
            count.right += 1;
        }
        // Some sections are merged further than the log's new end.
        (Allowed::Commit(csn), Outcome::Error(error))
            if error.contains(&format!("the log ends with commit {csn}, but")) =>
        {
            count.errors += 1;
        }
        (Allowed::Commit(_), Outcome::Error(error)) => {
            panic!("{}: {what}: a torn tail is no error: {error}", fixture.name)
        }
        (_, Outcome::Right) => count.right += 1,
        (_, Outcome::Error(_)) => count.errors += 1,
        (_, found) => panic!("{}: {what}: {found:?}", fixture.name),
    }
}

fn without(graph: &Graph, vertices: &BTreeSet<(usize, u32)>) -> Graph {
    let mut graph = graph.clone();
    graph.arc_count = 0;
    for (adjacency, lists) in graph.lists.iter_mut().enumerate() {
        lists.retain(|&vertex, _| !vertices.contains(&(adjacency, vertex)));
    }
    graph
}

fn sweep(fixture: &Fixture) {
    let mut count = Count::default();
    for (name, bytes) in &fixture.image.files {
        let len = bytes.len() as u64;
        for size in [64, 512] {
            for at in (0..len).step_by(size as usize) {
                let size = size.min(len - at);
                let mut image = fixture.image.clone();
                image.zero(name, at, size);
                check(
                    fixture,
                    &image,
                    &format!("{name}: {at}+{size} zeroed"),
                    &mut count,
                );
                for from in [0, at.saturating_sub(size), (at + size) % len, len - size] {
                    if from + size > len || from.abs_diff(at) < size {
                        continue;
                    }
                    let mut image = fixture.image.clone();
                    image.misdirect(name, from, at, size);
                    let what = format!("{name}: {from}+{size} written to {at}");
                    check(fixture, &image, &what, &mut count);
                    // And the two exchanged.
                    let there =
                        fixture.image.files[name][at as usize..(at + size) as usize].to_vec();
                    image.file(name)[from as usize..(from + size) as usize].copy_from_slice(&there);
                    let what = format!("{name}: {from}+{size} and {at} exchanged");
                    check(fixture, &image, &what, &mut count);
                }
            }
        }
        for cut in (0..len).step_by(64) {
            let mut image = fixture.image.clone();
            image.resize(name, cut);
            check(
                fixture,
                &image,
                &format!("{name}: cut to {cut}"),
                &mut count,
            );
        }
        let mut image = fixture.image.clone();
        image.resize(name, len + 64);
        check(fixture, &image, &format!("{name}: longer"), &mut count);
    }
    println!(
        "{}: {} damaged blocks and lengths, {} right, {} errors, {} in the window",
        fixture.name, count.cases, count.right, count.errors, count.window
    );
}

#[test]
fn blocks_of_a_merged_database() {
    sweep(&merged_clean());
    sweep(&merged_tail());
    sweep(&merged_wrapped());
    sweep(&merged_snapshots());
}

#[test]
fn blocks_of_a_direct_database() {
    sweep(&direct(true));
    sweep(&direct(false));
}

#[test]
fn blocks_of_a_direct_database_with_weights() {
    sweep(&direct_of(direct_config(true, StoredLists::Out), false));
    sweep(&direct_of(direct_config(true, StoredLists::Both), false));
}

#[test]
fn a_lost_block_of_slots_is_noticed() {
    let fixture = direct(true);
    let mut silent = Vec::new();
    for at in (64..fixture.image.files["sections"].len() as u64).step_by(64) {
        let mut image = fixture.image.clone();
        image.zero("sections", at, 64);
        if let Outcome::Other(_) = outcome(fixture.config, &image, &fixture.expected) {
            silent.push(at);
        }
    }
    assert!(silent.is_empty(), "silently less at {silent:?}");
}

#[test]
fn a_shorter_file_of_slots_is_noticed() {
    let fixture = direct(true);
    let mut image = fixture.image.clone();
    image.resize("sections", 64);
    let found = outcome(fixture.config, &image, &fixture.expected);
    assert!(matches!(found, Outcome::Error(_)), "{found:?}");
}
