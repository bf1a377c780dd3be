//! Bits of every file, flipped alone: one of every byte and some more, all of them in a
//! deep campaign.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_graph::StoredLists;
use evergraph_simulated::{Image, SimulatedStorage};
use evergraph_topology::Store;

use super::fixture::{
    Fixture, Graph, Outcome, direct, direct_config, direct_half_done, direct_of, merged_blocks,
    merged_clean, merged_snapshots, merged_tail, merged_wrapped, outcome, read_all,
};
use super::reader;

#[derive(Default)]
struct Count {
    flips: AtomicU64,
    right: AtomicU64,
    errors: AtomicU64,
    window: AtomicU64,
}

/// Outcomes that a flip inside the window may have.
enum Allowed {
    /// The graph as of this commit, nothing else.
    Commit(u64),
    /// This list (of adjacency and vertex) may differ; an error or the right graph
    /// is as good.
    List(usize, u32),
}

/// The window of an image, by file and byte.
fn window(fixture: &Fixture) -> BTreeMap<(&'static str, usize), Allowed> {
    let mut window = BTreeMap::new();
    for (offset, len, csn) in reader::log_window(&fixture.image) {
        for byte in offset..offset + len {
            window.insert(("log", byte), Allowed::Commit(csn));
        }
    }
    if fixture.image.files.contains_key("sections") {
        for section in reader::direct_sections(&fixture.image) {
            for word in section.appended {
                for byte in word.offset..word.offset + word.len {
                    let list = Allowed::List(section.adjacency as usize, word.vertex);
                    window.insert(("extents", byte), list);
                }
            }
        }
    }
    window
}

fn differs_only_in(graph: &Graph, expected: &Graph, adjacency: usize, vertex: u32) -> bool {
    let without = |graph: &Graph| {
        let mut graph = graph.clone();
        graph.arc_count = 0;
        graph.lists[adjacency].remove(&vertex);
        graph
    };
    without(graph) == without(expected)
}

fn sweep(fixture: &Fixture) {
    let window = window(fixture);
    let flips: Vec<(String, u64)> = fixture
        .image
        .files
        .iter()
        .zip(1..)
        .flat_map(|((name, bytes), seed)| {
            let bits = evergraph_simulated::flips(bytes.len() as u64, seed);
            bits.into_iter().map(|bit| (name.clone(), bit))
        })
        .collect();
    let count = Count::default();
    let failures = std::sync::Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut image = fixture.image.clone();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed) as usize;
                    let Some((name, bit)) = flips.get(at) else {
                        break;
                    };
                    image.flip_bit(name, *bit);
                    let found = outcome(fixture.config, &image, &fixture.expected);
                    image.flip_bit(name, *bit);
                    count.flips.fetch_add(1, Ordering::Relaxed);
                    let byte = (*bit / 8) as usize;
                    let allowed = window.get(&(static_name(name), byte));
                    let fine = judge(fixture, allowed, &found, &count);
                    if !fine {
                        let text = format!("{name} byte {byte} bit {}: {found:?}", bit % 8);
                        failures.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!(
        "{}: {} flips, {} right, {} errors, {} in the window of {} bytes",
        fixture.name,
        count.flips.into_inner(),
        count.right.into_inner(),
        count.errors.into_inner(),
        count.window.into_inner(),
        window.len(),
    );
    assert!(
        failures.is_empty(),
        "{}: {} flips gave another graph, the first of them\n{}",
        fixture.name,
        failures.len(),
        failures[..failures.len().min(12)].join("\n")
    );
}

fn static_name(name: &str) -> &'static str {
    match name {
        "log" => "log",
        "extents" => "extents",
        _ => "",
    }
}

fn judge(fixture: &Fixture, allowed: Option<&Allowed>, found: &Outcome, count: &Count) -> bool {
    match (allowed, found) {
        (_, Outcome::Panic(_)) => false,
        // There the answer is known exactly.
        (Some(Allowed::Commit(csn)), found) => {
            count.window.fetch_add(1, Ordering::Relaxed);
            let prefix = &fixture.history[csn];
            match found {
                Outcome::Right => *prefix == fixture.expected,
                Outcome::Other(graph) => **graph == *prefix,
                _ => false,
            }
        }
        (_, Outcome::Right) => {
            count.right.fetch_add(1, Ordering::Relaxed);
            true
        }
        (_, Outcome::Error(_)) => {
            count.errors.fetch_add(1, Ordering::Relaxed);
            true
        }
        (Some(Allowed::List(adjacency, vertex)), Outcome::Other(graph)) => {
            count.window.fetch_add(1, Ordering::Relaxed);
            differs_only_in(graph, &fixture.expected, *adjacency, *vertex)
        }
        (None, Outcome::Other(_)) => false,
    }
}

#[test]
fn every_bit_of_a_merged_database_after_a_clean_stop() {
    let fixture = merged_clean();
    assert!(window(&fixture).is_empty(), "no window after a clean stop");
    sweep(&fixture);
}

#[test]
fn every_bit_of_a_merged_database_with_a_log_tail() {
    let fixture = merged_tail();
    let records = reader::log_window(&fixture.image);
    assert_eq!(records.len(), 2, "the last group has two commits");
    sweep(&fixture);
}

#[test]
fn every_bit_of_a_database_of_blocks() {
    sweep(&merged_blocks());
}

#[test]
fn every_bit_of_a_database_with_snapshots() {
    sweep(&merged_snapshots());
}

#[test]
fn every_bit_of_a_log_tail_that_wraps() {
    sweep(&merged_wrapped());
}

#[test]
fn every_bit_of_a_direct_database_after_a_clean_stop() {
    sweep(&direct(true));
}

#[test]
fn every_bit_of_a_direct_database_with_edges_in_two_lists() {
    sweep(&direct_of(direct_config(false, StoredLists::Both), false));
    sweep(&direct_of(
        direct_config(true, StoredLists::Undirected),
        false,
    ));
}

/// An intent that was not carried out at all must not seem half done later, when
/// another edge has been appended to one of its lists.
#[test]
fn an_intent_that_was_not_begun_is_made_void() {
    let (fixture, before) = direct_half_done(direct_config(false, StoredLists::Both), 0);
    let done = reader::direct_sections(&fixture.image);
    let (other, _) = direct_half_done(direct_config(false, StoredLists::Both), 1);
    let mut image = fixture.image.clone();
    for section in done.iter().filter(|section| section.adjacency == 1) {
        let old = other.image.files["extents"][section.extent.clone()].to_vec();
        image.file("extents")[section.extent.clone()].copy_from_slice(&old);
    }
    let storage = SimulatedStorage::from_image(fixture.config, &image);
    assert_eq!(read_all(&storage).unwrap(), before);
    drop(Store::open(&storage, false).unwrap());
    assert_eq!(read_all(&storage).unwrap(), before);
    let word = |image: &Image| image.files["sections"][64..72].to_vec();
    assert_ne!(word(&image), [0; 8]);
    assert_eq!(word(&storage.image()), [0; 8], "void");
}

/// The intent that stands for the missing half must not be lost silently.
#[test]
fn every_bit_of_an_intent_that_is_half_done() {
    for (direction, missing) in [(StoredLists::Both, 1), (StoredLists::Both, 0)] {
        let (fixture, _) = direct_half_done(direct_config(true, direction), missing);
        let mut errors = 0;
        for bit in evergraph_simulated::flips(fixture.image.files["sections"].len() as u64, 1) {
            let mut image = fixture.image.clone();
            image.flip_bit("sections", bit);
            match outcome(fixture.config, &image, &fixture.expected) {
                Outcome::Right => {}
                Outcome::Error(_) => errors += 1,
                other => panic!("bit {bit}: {other:?}"),
            }
        }
        assert!(errors > 40, "every byte of the intent is noticed");
    }
    let shape = direct_config(false, StoredLists::Undirected);
    direct_half_done(shape, 1);
    direct_half_done(shape, 0);
}

#[test]
fn every_bit_of_a_direct_database_with_weights() {
    sweep(&direct_of(direct_config(true, StoredLists::Out), false));
}

#[test]
fn every_bit_of_a_direct_database_after_a_crash() {
    let fixture = direct(false);
    assert!(
        !window(&fixture).is_empty(),
        "some edges were appended in place"
    );
    sweep(&fixture);
}
