//! Formats that stores have written, and every later program has to read: names, numbers,
//! and the bytes of small databases.
//!
//! `UPDATE_EXPECT=1 cargo test -p evergraph-topology --test it pins` writes the bytes anew. Where they
//! change, so does the format: golden databases say whether the old one is still read.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use evergraph_graph::{Compressed, Csr, Shape, StoredLists};
use evergraph_simulated::{Config as SimConfig, Image, Persistence, SimulatedStorage};
use evergraph_topology::ids::IdKind;
use evergraph_topology::record::{Edges, ExternalIds, Op, Relationships, encode};
use evergraph_topology::{
    Batch, Config, EXTENSION_BLOBS, EXTENSION_OWNERS, Layout, MAX_VERTICES, Mode, RESERVED_NAMES,
    SealedGraph, SealedName, Store, TOMBSTONE, check_snapshot_name, in_adjacency, is_reserved,
    out_adjacency,
};
use expect_test::{Expect, expect, expect_file};

use crate::common::small_config;

#[test]
fn numbers_of_the_format_are_pinned() {
    assert_eq!(TOMBSTONE, 1 << 31);
    assert_eq!(MAX_VERTICES, (1 << 30) - 1);
    assert_eq!(
        [
            out_adjacency(0),
            in_adjacency(0),
            out_adjacency(1),
            in_adjacency(1)
        ],
        [0, 1, 2, 3]
    );
    assert_eq!(out_adjacency(u16::MAX), 131_070);
    assert_eq!((EXTENSION_OWNERS, EXTENSION_BLOBS), (1 << 31, 32));
}

#[test]
fn names_of_snapshots_are_pinned() {
    assert_eq!(RESERVED_NAMES, ["run/", "maintain/"]);
    for (name, reserved) in [
        ("run/pagerank", true),
        ("maintain/pr/7", true),
        ("runs", false),
    ] {
        assert_eq!(is_reserved(name), reserved, "{name}");
    }
    // What was a name once stays one.
    for name in [
        "2024-05",
        "week 7",
        "a/b",
        "Zürich",
        "-",
        "7d",
        &"x".repeat(255),
    ] {
        check_snapshot_name(name).unwrap();
    }
}

#[test]
fn words_of_layouts_are_pinned() {
    assert_eq!(
        [Layout::Pma, Layout::Blocks].map(Layout::name),
        ["pma", "blocks"]
    );
}

fn edges(weights: &[f32]) -> Edges {
    Edges {
        sources: vec![1, 2],
        targets: vec![3, 4],
        weights: weights.to_vec(),
    }
}

#[test]
fn operations_in_the_log_are_pinned() {
    let relationships = || Relationships {
        kind: 7,
        sources: vec![1],
        targets: vec![2],
        ids: vec![3],
    };
    let text = |text: &str| text.to_string();
    let ops: [(&str, Op, Expect); 14] = [
        (
            "insert",
            Op::Insert(edges(&[])),
            expect![[r#"
            insert: 32 bytes
            000000 01000000 00000000 02000000 00000000 ................
            000010 01000000 02000000 03000000 04000000 ................
        "#]],
        ),
        (
            "insert, weights",
            Op::Insert(edges(&[0.5, 1.0])),
            expect![[r#"
            insert, weights: 40 bytes
            000000 01010000 00000000 02000000 00000000 ................
            000010 01000000 02000000 03000000 04000000 ................
            000020 0000003f 0000803f                   ...?...?
        "#]],
        ),
        (
            "delete",
            Op::Delete(edges(&[])),
            expect![[r#"
            delete: 32 bytes
            000000 02000000 00000000 02000000 00000000 ................
            000010 01000000 02000000 03000000 04000000 ................
        "#]],
        ),
        (
            "vertices",
            Op::Vertices(9),
            expect![[r#"
            vertices: 16 bytes
            000000 03000000 00000000 09000000 00000000 ................
        "#]],
        ),
        (
            "meta",
            Op::Meta {
                key: b"key".to_vec(),
                value: b"value".to_vec(),
            },
            expect![[r#"
                meta: 24 bytes
                000000 04000000 03000000 05000000 00000000 ................
                000010 6b657976 616c7565                   keyvalue
            "#]],
        ),
        (
            "numbers",
            Op::Ids(ExternalIds::Numbers {
                first: 5,
                ids: vec![1 << 40],
            }),
            expect![[r#"
                numbers: 24 bytes
                000000 05000000 05000000 01000000 00000000 ................
                000010 00000000 00010000                   ........
            "#]],
        ),
        (
            "texts",
            Op::Ids(ExternalIds::Texts {
                first: 5,
                ends: vec![1, 3],
                bytes: b"abc".to_vec(),
            }),
            expect![[r#"
                texts: 32 bytes
                000000 05010000 05000000 02000000 00000000 ................
                000010 01000000 03000000 61626300 00000000 ........abc.....
            "#]],
        ),
        (
            "snapshot",
            Op::CreateSnapshot {
                name: text("one"),
                time_us: Some(-2),
            },
            expect![[r#"
                snapshot: 32 bytes
                000000 06010000 00000000 03000000 00000000 ................
                000010 feffffff ffffffff 6f6e6500 00000000 ........one.....
            "#]],
        ),
        (
            "snapshot of now",
            Op::CreateSnapshot {
                name: text("two"),
                time_us: None,
            },
            expect![[r#"
                snapshot of now: 24 bytes
                000000 06000000 00000000 03000000 00000000 ................
                000010 74776f00 00000000                   two.....
            "#]],
        ),
        (
            "drop",
            Op::DropSnapshot { name: text("one") },
            expect![[r#"
            drop: 24 bytes
            000000 07000000 00000000 03000000 00000000 ................
            000010 6f6e6500 00000000                   one.....
        "#]],
        ),
        (
            "attached",
            Op::Payload(b"effects".to_vec()),
            expect![[r#"
            attached: 24 bytes
            000000 08000000 00000000 07000000 00000000 ................
            000010 65666665 63747300                   effects.
        "#]],
        ),
        (
            "relationships",
            Op::InsertRelationships(relationships()),
            expect![[r#"
                relationships: 32 bytes
                000000 09000700 00000000 01000000 00000000 ................
                000010 01000000 02000000 03000000 00000000 ................
            "#]],
        ),
        (
            "deletions",
            Op::DeleteRelationships(relationships()),
            expect![[r#"
                deletions: 32 bytes
                000000 0a000700 00000000 01000000 00000000 ................
                000010 01000000 02000000 03000000 00000000 ................
            "#]],
        ),
        (
            "nothing attached",
            Op::Payload(vec![]),
            expect![[r#"
            nothing attached: 16 bytes
            000000 08000000 00000000 00000000 00000000 ................
        "#]],
        ),
    ];
    for (what, op, expected) in ops {
        let mut bytes = Vec::new();
        encode(std::slice::from_ref(&op), &mut bytes);
        let image = Image {
            files: BTreeMap::from([(what.to_string(), bytes)]),
        };
        expected.assert_eq(&image.dump());
    }
}

const UUID: [u8; 16] = *b"evergraph-pins-0";

fn storage() -> SimulatedStorage {
    SimulatedStorage::new(SimConfig::new(Persistence::Lines).with_capacity(64 << 10))
}

/// Commits at a time of its own, so that the bytes do not depend on the clock.
fn commit(store: &Store, time: i64, fill: impl FnOnce(&mut Batch)) {
    let mut batch = Batch::new();
    batch.at(time);
    fill(&mut batch);
    store.commit(batch).unwrap();
}

fn inserted(sources: &[u32], targets: &[u32], weights: &[f32]) -> Edges {
    Edges {
        sources: sources.to_vec(),
        targets: targets.to_vec(),
        weights: weights.to_vec(),
    }
}

/// Some lists merged, a snapshot whose history is kept, and a commit in the log.
fn fill(layout: Layout) -> String {
    let storage = storage();
    let shape = Config {
        weighted: true,
        ids: IdKind::Numbers,
        layout,
        ..small_config()
    };
    let store = Store::create(&storage, shape, UUID).unwrap();
    commit(&store, 1, |batch| {
        batch.assign_ids(ExternalIds::Numbers {
            first: 0,
            ids: (100..108).collect(),
        });
        batch.insert_columns(inserted(&[0, 0, 5], &[1, 2, 6], &[1.0, 2.0, 3.0]));
        batch.set_meta(b"key", b"value");
    });
    commit(&store, 2, |batch| {
        batch.create_snapshot("before", Some(7));
    });
    commit(&store, 3, |batch| {
        batch.delete(&[(0, 1)]);
    });
    store.checkpoint().unwrap();
    commit(&store, 4, |batch| {
        batch.insert_columns(inserted(&[7], &[0], &[4.0]));
    });
    drop(store);
    storage.image().dump()
}

#[test]
fn bytes_of_packed_sections_are_pinned() {
    expect_file!["pins/pma.txt"].assert_eq(&fill(Layout::Pma));
}

#[test]
fn bytes_of_chains_of_blocks_are_pinned() {
    expect_file!["pins/blocks.txt"].assert_eq(&fill(Layout::Blocks));
}

#[test]
fn bytes_of_relationships_are_pinned() {
    let storage = storage();
    let shape = Config {
        direction: StoredLists::Both,
        relationships: true,
        ..small_config()
    };
    let store = Store::create(&storage, shape, UUID).unwrap();
    commit(&store, 1, |batch| {
        batch.insert_relationships(0, vec![1, 1], vec![2, 3], vec![10, 11]);
        batch.insert_relationships(2, vec![3], vec![1], vec![12]);
    });
    store.checkpoint().unwrap();
    commit(&store, 2, |batch| {
        batch.delete_relationships(0, vec![1], vec![2], vec![10]);
    });
    drop(store);
    expect_file!["pins/relationships.txt"].assert_eq(&storage.image().dump());
}

#[test]
fn bytes_of_direct_mode_are_pinned() {
    let storage = storage();
    let shape = Config {
        mode: Mode::Direct,
        log_bytes: 512,
        edge_log_bytes: 64,
        ..small_config()
    };
    let store = Store::create(&storage, shape, UUID).unwrap();
    for time in 1..6 {
        commit(&store, time, |batch| {
            batch.insert_columns(inserted(&[0], &[time as u32], &[]));
        });
    }
    commit(&store, 6, |batch| {
        batch.delete(&[(0, 2)]);
    });
    drop(store);
    expect_file!["pins/direct.txt"].assert_eq(&storage.image().dump());
}

#[test]
fn bytes_of_sealed_graphs_are_pinned() {
    let storage = storage();
    let store = Store::create(&storage, small_config(), UUID).unwrap();
    let edges = [(0, 1), (1, 2), (2, 0), (2, 2)];
    commit(&store, 1, |batch| {
        batch.insert(&edges);
    });
    let graph = Csr::from_edges(3, &edges, StoredLists::Out);
    let go_on = || Ok::<(), Infallible>(());
    let plain = |shape| {
        let Ok(sealed) = Csr::seal(&graph, shape, &go_on);
        SealedGraph::Plain(Arc::new(sealed))
    };
    let Ok(copy) = Csr::copy(&graph, &go_on);
    let Ok(compressed) = Compressed::seal(&graph, Shape::Sorted, 64, &go_on);
    for (name, sealed) in [
        ("copy", SealedGraph::Plain(Arc::new(copy))),
        ("sorted", plain(Shape::Sorted)),
        ("simple", plain(Shape::Simple)),
        ("symmetric", plain(Shape::Symmetric)),
        ("compressed", SealedGraph::Compressed(Arc::new(compressed))),
    ] {
        let name = SealedName::Own(name.to_string());
        store
            .store_sealed(name, 1, &sealed, &mut |_, _| true)
            .unwrap();
    }
    drop(store);
    expect_file!["pins/sealed.txt"].assert_eq(&storage.image().dump());
}
