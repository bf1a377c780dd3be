//! Databases of each format version as they were written then. Every later
//! program must read them.
//!
//! `EVERGRAPH_WRITE_GOLDEN=1 cargo test -p evergraph-topology --test it damage::golden`
//! writes them anew; only a new format version may make that necessary.

use std::path::{Path, PathBuf};

use evergraph_graph::StoredLists;
use evergraph_simulated::{Image, Persistence, SimulatedStorage};
use evergraph_storage::FORMAT_VERSION;
use evergraph_storage::medium::FileStorage;
use evergraph_topology::ids::IdKind;
use evergraph_topology::{Batch, Config, Layout, Store, in_adjacency, out_adjacency};

use super::fixture::{
    Graph, Reference, direct_config, fill_blocks, fill_direct, fill_snapshots, merged_config,
    observe, read_all, sim_config,
};
use super::reader;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// Version 2: chains of blocks, sections merged up to different commits.
fn blocks() -> (Image, Graph) {
    let storage = SimulatedStorage::new(sim_config(Persistence::Lines));
    let reference = fill_blocks(&storage, false, *b"evergraph-gold-4");
    let graph = reference.history.values().next_back().unwrap().clone();
    drop(reference.store);
    (storage.image(), graph)
}

/// Version 3: snapshots in several segments.
fn snapshots() -> (Image, Graph) {
    let storage = SimulatedStorage::new(sim_config(Persistence::Pages));
    let reference = fill_snapshots(&storage, *b"evergraph-gold-5");
    let graph = reference.history.values().next_back().unwrap().clone();
    drop(reference.store);
    (storage.image(), graph)
}

/// Version 5: a ring that replaced another, and commits that lie in extents, merged and
/// only in the log.
fn large_commits() -> (Image, Graph) {
    let storage = SimulatedStorage::new(sim_config(Persistence::Pages));
    let shape = Config {
        first_ring_bytes: 512,
        ..merged_config(true, StoredLists::Both)
    };
    let mut reference = Reference::create(&storage, shape, *b"evergraph-gold-7");
    reference.name_vertices();
    reference.commit_group(&[30, 2]);
    reference.store.checkpoint().unwrap();
    for _ in 0..4 {
        reference.commit_group(&[1, 1]);
    }
    reference.commit_group(&[20, 3]);
    let graph = reference.history.values().next_back().unwrap().clone();
    drop(reference.store);
    let image = storage.image();
    assert!(image.files.contains_key("log.1") && !image.files.contains_key("log"));
    (image, graph)
}

/// A checkpoint, deletions, external ids, a fact, and commits only in the log.
fn merged() -> (Image, Graph) {
    let storage = SimulatedStorage::new(sim_config(Persistence::Pages));
    let shape = merged_config(true, StoredLists::Both);
    let mut reference = Reference::create(&storage, shape, *b"evergraph-gold-1");
    reference.name_vertices();
    reference.commit_group(&[8, 5]);
    reference.store.checkpoint().unwrap();
    reference.commit_group(&[4]);
    reference.commit_group(&[2, 3]);
    let graph = reference.history.values().next_back().unwrap().clone();
    drop(reference.store);
    (storage.image(), graph)
}

/// Edges in place, in edge logs, and deletions of both; not stopped cleanly.
fn direct() -> (Image, Graph) {
    filled(direct_config(false, StoredLists::Out), *b"evergraph-gold-2")
}

/// Undirected, as made before there were intents.
fn direct_undirected() -> (Image, Graph) {
    let shape = direct_config(false, StoredLists::Undirected);
    filled(shape, *b"evergraph-gold-3")
}

/// Weights, out- and in-lists, with intents.
fn direct_both() -> (Image, Graph) {
    let shape = direct_config(true, StoredLists::Both);
    filled(shape, *b"evergraph-gold-4")
}

fn filled(shape: Config, uuid: [u8; 16]) -> (Image, Graph) {
    let storage = SimulatedStorage::new(sim_config(Persistence::Lines));
    let store = Store::create(&storage, shape, uuid).unwrap();
    let graph = fill_direct(&store).graph(0);
    drop(store);
    (storage.image(), graph)
}

fn load(directory: &Path) -> Image {
    let mut image = Image::default();
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        image
            .files
            .insert(name, std::fs::read(entry.path()).unwrap());
    }
    image
}

/// Type, source, target, id.
type Relationship = (u16, u32, u32, u32);

/// Version 4: relationships of two types, merged and only in the log; deletions
/// that name them, behind a snapshot.
fn relationships() -> (Image, Vec<Relationship>) {
    let storage = SimulatedStorage::new(sim_config(Persistence::Pages));
    let shape = Config {
        relationships: true,
        ids: IdKind::Dense,
        ..merged_config(false, StoredLists::Both)
    };
    let store = Store::create(&storage, shape, *b"evergraph-gold-6").unwrap();
    let commit = |kind: u16, inserted: &[(u32, u32, u32)], deleted: &[(u32, u32, u32)]| {
        let column = |some: &[(u32, u32, u32)]| {
            let of = |of: fn(&(u32, u32, u32)) -> u32| some.iter().map(of).collect::<Vec<u32>>();
            (of(|r| r.0), of(|r| r.1), of(|r| r.2))
        };
        let mut batch = Batch::new();
        let (sources, targets, ids) = column(inserted);
        batch
            .at(1)
            .insert_relationships(kind, sources, targets, ids);
        let (sources, targets, ids) = column(deleted);
        batch.delete_relationships(kind, sources, targets, ids);
        assert_eq!(store.commit(batch).unwrap().missed_deletes, 0);
    };
    commit(0, &[(1, 2, 10), (1, 2, 11), (3, 3, 12)], &[]);
    commit(9, &[(1, 2, 13), (4, 1, 14)], &[]);
    store.checkpoint().unwrap();
    store.create_snapshot("before", Some(7)).unwrap();
    commit(0, &[(5, 1, 15)], &[(1, 2, 10)]);
    store.relayout(Layout::Blocks).unwrap();
    store.compact().unwrap();
    commit(9, &[(1, 2, 10)], &[(1, 2, 13)]);
    drop(store);
    let live = vec![
        (0, 1, 2, 11),
        (0, 3, 3, 12),
        (0, 5, 1, 15),
        (9, 1, 2, 10),
        (9, 4, 1, 14),
    ];
    (storage.image(), live)
}

/// The relationships as of a commit, or now, which both lists agree on.
fn relationships_of(store: &Store, csn: Option<u64>) -> Vec<Relationship> {
    let token = csn.map_or_else(|| store.register(), |csn| store.register_at(csn).unwrap());
    let read = |adjacency: fn(u16) -> usize| {
        let mut found = Vec::new();
        for kind in store.relationship_types() {
            let mut reader = store.reader(&token, adjacency(kind));
            for vertex in 0..8 {
                let (neighbors, ids) = reader.relationships(vertex).unwrap();
                let entries = neighbors.iter().zip(ids);
                found.extend(entries.map(|(&other, &id)| (kind, vertex, other, id)));
            }
        }
        found
    };
    let out = read(out_adjacency);
    let mut incoming = read(in_adjacency);
    incoming
        .iter_mut()
        .for_each(|r| std::mem::swap(&mut r.1, &mut r.2));
    incoming.sort_unstable();
    let mut sorted = out.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, incoming);
    sorted
}

#[test]
fn golden_relationships_version_4() {
    let directory = golden("v4-relationships");
    let (fresh, expected) = relationships();
    if FORMAT_VERSION == 4 && std::env::var_os("EVERGRAPH_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(&directory).unwrap();
        for (file, bytes) in &fresh.files {
            std::fs::write(directory.join(file), bytes).unwrap();
        }
    }
    let image = load(&directory);
    assert_eq!(reader::root(&image).columns, 2);
    let storage = SimulatedStorage::from_image(sim_config(Persistence::Pages), &image);
    for reopened in [false, true] {
        let (store, _) = Store::open(&storage, false).unwrap();
        assert_eq!(store.check().problems, Vec::<String>::new());
        assert_eq!(relationships_of(&store, None), expected, "{reopened}");
        let before = store.snapshot("before").unwrap();
        let then = [
            (0, 1, 2, 10),
            (0, 1, 2, 11),
            (0, 3, 3, 12),
            (9, 1, 2, 13),
            (9, 4, 1, 14),
        ];
        assert_eq!(relationships_of(&store, Some(before.csn)), then);
        store.close().unwrap();
    }
}

fn check(name: &str, make: fn() -> (Image, Graph)) {
    let directory = golden(name);
    let (fresh, expected) = make();
    let current = name.starts_with(&format!("v{FORMAT_VERSION}-"));
    if current && std::env::var_os("EVERGRAPH_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(&directory).unwrap();
        for (file, bytes) in &fresh.files {
            std::fs::write(directory.join(file), bytes).unwrap();
        }
    }
    let image = load(&directory);
    assert!(image.files.values().map(Vec::len).sum::<usize>() < 100_000);
    reader::root(&image);
    let is_of_files = ["merged", "snapshots", "commits"];
    let config = if is_of_files.iter().any(|what| name.ends_with(what)) {
        sim_config(Persistence::Pages)
    } else {
        sim_config(Persistence::Lines)
    };
    let storage = SimulatedStorage::from_image(config, &image);
    assert_eq!(read_all(&storage).unwrap(), expected, "{name}, in memory");
    // And a copy on real files, for writing.
    let copy = tempfile::tempdir().unwrap();
    for (file, bytes) in &image.files {
        std::fs::write(copy.path().join(file), bytes).unwrap();
    }
    let storage = FileStorage::open(copy.path()).unwrap();
    assert_eq!(read_all(&storage).unwrap(), expected, "{name}, from files");
    let (store, _) = Store::open(&storage, false).unwrap();
    assert_eq!(observe(&store).unwrap(), expected);
    store.close().unwrap();
    drop(store);
    assert_eq!(
        read_all(&storage).unwrap(),
        expected,
        "{name}, closed by this version"
    );
}

#[test]
fn golden_merged_version_1() {
    check("v1-merged", merged);
}

#[test]
fn golden_blocks_version_2() {
    check("v2-blocks", blocks);
}

#[test]
fn golden_snapshots_version_3() {
    check("v3-snapshots", snapshots);
}

#[test]
fn golden_large_commits_version_5() {
    check("v5-large-commits", large_commits);
}

#[test]
fn golden_direct_version_1() {
    check("v1-direct", direct);
}

#[test]
fn golden_undirected_version_1_without_intents() {
    check("v1-direct-undirected", direct_undirected);
}

#[test]
fn golden_direct_version_1_with_weights_and_both_directions() {
    check("v1-direct-both", direct_both);
}
