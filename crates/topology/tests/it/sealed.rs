//! Sealed graphs in the database: what is read is what was sealed, or an error.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use evergraph_graph::{Compressed, Csr, Graph, NeighborReader, Shape, StoredLists, VertexId};
use evergraph_simulated::{Config as SimConfig, Image, Persistence, SimulatedStorage};
use evergraph_storage::Storage;
use evergraph_storage::medium::FileStorage;
use evergraph_topology::{
    Batch, Config, Mode, SealedGraph, SealedInfo, SealedName, Store, TopologyError,
};
use expect_test::expect;

use crate::common::{small_config, small_pages};

type Lists = Vec<Vec<(VertexId, u32)>>;

fn go_on() -> Result<(), Infallible> {
    Ok(())
}

/// A graph that is no one's view: what is stored is checked against itself.
fn graph(n: u32, edges: usize, direction: StoredLists, weighted: bool) -> Csr {
    let mut random = evergraph_graph::random::Random::new(edges as u64);
    let mut vertex = || random.below(u64::from(n)) as VertexId;
    let edges: Vec<_> = (0..edges).map(|_| (vertex(), vertex())).collect();
    if weighted {
        let weight = |(u, v): (VertexId, VertexId)| (u, v, (u % 7 + v % 3) as f32 + 0.5);
        let edges: Vec<_> = edges.into_iter().map(weight).collect();
        Csr::from_weighted_edges(n as usize, &edges, direction)
    } else {
        Csr::from_edges(n as usize, &edges, direction)
    }
}

fn sealed(graph: &Csr, shape: Option<Shape>, block_edges: Option<usize>) -> SealedGraph {
    match (shape, block_edges) {
        (None, _) => {
            let Ok(copy) = Csr::copy(graph, &go_on);
            SealedGraph::Plain(Arc::new(copy))
        }
        (Some(shape), None) => {
            let Ok(sealed) = Csr::seal(graph, shape, &go_on);
            SealedGraph::Plain(Arc::new(sealed))
        }
        (Some(shape), Some(block_edges)) => {
            let Ok(sealed) = Compressed::seal(graph, shape, block_edges, &go_on);
            SealedGraph::Compressed(Arc::new(sealed))
        }
    }
}

/// Out-lists and in-lists with the bits of their weights.
fn lists(graph: &SealedGraph) -> [Lists; 2] {
    fn of(graph: &impl Graph) -> [Lists; 2] {
        let readers = [Some(graph.reader()), graph.reverse_reader()];
        readers.map(|reader| {
            let mut lists = vec![];
            if let Some(mut reader) = reader {
                for v in 0..graph.vertex_count() as VertexId {
                    let mut list = vec![];
                    let _ = reader.for_each_weighted_segment(v, |neighbors, weights| {
                        let weights = weights.iter().map(|weight| weight.to_bits());
                        let weights = weights.chain(std::iter::repeat(0));
                        list.extend(neighbors.iter().copied().zip(weights));
                        ControlFlow::Continue(())
                    });
                    lists.push(list);
                }
            }
            lists
        })
    }
    match graph {
        SealedGraph::Plain(graph) => of(&**graph),
        SealedGraph::Compressed(graph) => of(&**graph),
    }
}

fn own(name: &str) -> SealedName {
    SealedName::Own(name.to_string())
}

fn store(store: &Store, name: &str, csn: u64, graph: &SealedGraph) -> SealedInfo {
    store
        .store_sealed(own(name), csn, graph, &mut |_, _| true)
        .unwrap()
}

fn read(store: &Store, name: &str) -> Result<SealedGraph, TopologyError> {
    let found = store.sealed_graph(&own(name), &|| true)?;
    Ok(found.expect("it was stored"))
}

fn new_store(storage: &dyn Storage) -> Store {
    let store = Store::create(storage, small_config(), [7; 16]).unwrap();
    let mut batch = Batch::new();
    batch.insert(&[(0, 1), (1, 2), (2, 0)]);
    store.commit(batch).unwrap();
    store
}

const KINDS: [(Option<Shape>, Option<usize>); 6] = [
    (None, None),
    (Some(Shape::Sorted), None),
    (Some(Shape::Simple), None),
    (Some(Shape::Symmetric), None),
    (Some(Shape::Sorted), Some(3)),
    (Some(Shape::Symmetric), Some(64)),
];

#[test]
fn every_kind_is_read_back_in_place_before_and_after_reopening() {
    for direction in [StoredLists::Undirected, StoredLists::Out, StoredLists::Both] {
        for weighted in [false, true] {
            let storage = SimulatedStorage::new(small_pages());
            let store = new_store(&storage);
            let graph = graph(20, 60, direction, weighted);
            let mut expected = vec![];
            for (number, (shape, block_edges)) in KINDS.into_iter().enumerate() {
                let sealed = sealed(&graph, shape, block_edges);
                let name = number.to_string();
                let info = self::store(&store, &name, 1, &sealed);
                assert_eq!((info.shape, info.csn), (shape, 1));
                assert_eq!(info.weighted, weighted);
                assert_eq!(info.block_edges, block_edges.map(|edges| edges as u32));
                expected.push((name, sealed, info));
            }
            let verify = |store: &Store| {
                let infos: Vec<_> = expected.iter().map(|kept| kept.2.clone()).collect();
                assert_eq!(store.sealed_graphs(), infos);
                for (name, sealed, _) in &expected {
                    let found = read(store, name).unwrap();
                    assert_eq!(lists(&found), lists(sealed), "{direction:?} {name}");
                    let dram = match found {
                        SealedGraph::Plain(graph) => graph.size_bytes(),
                        SealedGraph::Compressed(graph) => graph.size_bytes(),
                    };
                    assert_eq!(dram, 0, "nothing is copied");
                }
                let report = store.check();
                assert_eq!(
                    (report.problems, report.sealed_graphs),
                    (vec![], KINDS.len())
                );
            };
            verify(&store);
            store.checkpoint().unwrap();
            verify(&store);
            let used = store.stats().extent_bytes;
            drop(store);
            let (store, _) = Store::open(&storage, false).unwrap();
            assert_eq!(store.stats().extent_bytes, used);
            verify(&store);
            store.compact().unwrap();
            verify(&store);
        }
    }
}

#[test]
fn graphs_of_many_pieces_and_of_none() {
    let directory = tempfile::tempdir().unwrap();
    let storage = FileStorage::open(directory.path()).unwrap();
    let config = Config {
        extent_alignment: 4096,
        growth_step: 1 << 20,
        log_bytes: 1 << 16,
        ..small_config()
    };
    let store = Store::create(&storage, config, [7; 16]).unwrap();
    let large = graph(50_000, 700_000, StoredLists::Out, true);
    let empty = Csr::from_edges(0, &[], StoredLists::Both);
    let mut expected = vec![];
    for (number, (shape, block_edges)) in KINDS.into_iter().enumerate() {
        for (which, graph) in [("large", &large), ("empty", &empty)] {
            let sealed = sealed(graph, shape, block_edges);
            let name = format!("{which} {number}");
            let (mut steps, mut last) = (0, 0);
            let info = store.store_sealed(own(&name), 0, &sealed, &mut |done, total| {
                assert!(done < total && done >= last);
                (steps, last) = (steps + 1, done);
                true
            });
            assert_eq!(steps > 3, which == "large");
            expected.push((name, sealed, info.unwrap()));
        }
    }
    drop(store);
    let (store, _) = Store::open(&storage, true).unwrap();
    for (name, sealed, info) in &expected {
        assert_eq!(lists(&read(&store, name).unwrap()), lists(sealed), "{name}");
        assert!(store.sealed_graphs().contains(info));
    }
}

#[test]
fn space_comes_back_when_the_last_reader_lets_go() {
    let storage = SimulatedStorage::new(small_pages());
    let store = new_store(&storage);
    let snapshot = store.create_snapshot("a", Some(0)).unwrap();
    // So that there is a directory before as after.
    store.checkpoint().unwrap();
    let before = store.stats();
    assert_eq!(before.sealed_bytes, 0);
    let (first, second) = (
        sealed(&graph(20, 60, StoredLists::Out, false), None, None),
        sealed(
            &graph(30, 90, StoredLists::Out, false),
            Some(Shape::Simple),
            Some(8),
        ),
    );
    self::store(&store, "a", 1, &first);
    let reader = read(&store, "a").unwrap();
    let with_first = store.stats();
    assert!(with_first.sealed_bytes > 0);

    // A name that is taken again stands for the newer graph alone.
    self::store(&store, "a", 1, &second);
    assert_eq!(store.sealed_graphs().len(), 1);
    let both = store.stats().extent_bytes;
    assert_eq!(lists(&reader), lists(&first));
    drop(reader);
    let with_second = store.stats();
    assert_eq!(both - with_second.extent_bytes, with_first.sealed_bytes);
    assert_eq!(lists(&read(&store, "a").unwrap()), lists(&second));

    // A name of a user and that of a snapshot are two.
    let of_snapshot = SealedName::Snapshot("a".to_string());
    let of_another = store.store_sealed(of_snapshot.clone(), 1, &first, &mut |_, _| true);
    expect![[r#"the snapshot "a" is not of commit 1"#]]
        .assert_eq(&of_another.unwrap_err().to_string());
    store
        .store_sealed(of_snapshot.clone(), snapshot.csn, &first, &mut |_, _| true)
        .unwrap();
    assert_eq!(store.sealed_graphs().len(), 2);
    store.drop_sealed(&[own("a")]).unwrap();
    assert_eq!(store.sealed_graphs()[0].name, of_snapshot);
    assert!(store.sealed_graph(&own("a"), &|| true).unwrap().is_none());

    let unknown = store.drop_sealed(&[of_snapshot.clone(), own("a")]);
    assert!(matches!(unknown, Err(TopologyError::UnknownSealed(name)) if name == own("a")));
    assert_eq!(store.sealed_graphs().len(), 1);
    store.drop_sealed(&[of_snapshot]).unwrap();
    let after = store.stats();
    assert_eq!(
        (after.sealed_bytes, after.extent_bytes),
        (0, before.extent_bytes)
    );
    drop(store);
    let (store, _) = Store::open(&storage, false).unwrap();
    assert_eq!(store.stats().extent_bytes, before.extent_bytes);
}

#[test]
fn what_is_interrupted_or_refused_leaves_nothing() {
    let storage = SimulatedStorage::new(small_pages());
    let store = new_store(&storage);
    let graph = sealed(&graph(20, 60, StoredLists::Out, false), None, None);
    let before = store.stats().extent_bytes;
    let mut asked = 0;
    let stopped = store.store_sealed(own("a"), 1, &graph, &mut |_, _| {
        asked += 1;
        asked < 2
    });
    assert!(matches!(stopped, Err(TopologyError::Cancelled)));
    let long = "x".repeat(256);
    let errors = [("", 1), ("a\n", 1), (&*long, 1), ("a", 2)].map(|(name, csn)| {
        let refused = store.store_sealed(own(name), csn, &graph, &mut |_, _| true);
        refused.unwrap_err().to_string().replace(&long, "long")
    });
    expect![[r#"
        "" cannot be the name of a sealed graph; use up to 255 bytes without control characters
        "a\n" cannot be the name of a sealed graph; use up to 255 bytes without control characters
        "long" cannot be the name of a sealed graph; use up to 255 bytes without control characters
        there is no commit 2 yet"#]]
    .assert_eq(&errors.join("\n"));
    assert_eq!(store.stats().extent_bytes, before);
    assert_eq!(store.sealed_graphs(), []);
    self::store(&store, "a", 1, &graph);
    assert!(matches!(
        store.sealed_graph(&own("a"), &|| false),
        Err(TopologyError::Cancelled)
    ));
    drop(store);
    let (store, _) = Store::open(&storage, true).unwrap();
    let refused = store.drop_sealed(&[own("a")]).unwrap_err();
    expect!["the database was opened for reading only: another process had it open for writing, or its files may only be read; open it again to write"].assert_eq(&refused.to_string());

    let direct = Config {
        mode: Mode::Direct,
        ..small_config()
    };
    let lines = SimConfig::new(Persistence::Lines).with_capacity(64 << 10);
    let store = Store::create(&SimulatedStorage::new(lines), direct, [7; 16]).unwrap();
    let refused = store.store_sealed(own("a"), 0, &graph, &mut |_, _| true);
    expect!["direct mode numbers no commits, so no stored graph can be of one; import into a database in merged mode"].assert_eq(&refused.unwrap_err().to_string());
}

/// A log that lost the commit of a sealed graph would number another like it.
#[test]
fn a_log_that_ends_before_a_sealed_commit_is_damaged() {
    let storage = SimulatedStorage::new(small_pages());
    let store = new_store(&storage);
    let before = storage.image();
    let mut batch = Batch::new();
    batch.insert(&[(3, 3)]);
    store.commit(batch).unwrap();
    let graph = sealed(&graph(20, 60, StoredLists::Out, false), None, None);
    self::store(&store, "a", 2, &graph);
    drop(store);
    let mut image = storage.image();
    image
        .files
        .insert("log".to_string(), before.files["log"].clone());
    let storage = SimulatedStorage::from_image(small_pages(), &image);
    let error = Store::open(&storage, true).err().unwrap().to_string();
    assert!(
        error.contains("commit 1") && error.contains("commit 2"),
        "{error}"
    );
}

/// Any flipped bit of a database with sealed graphs, and any of its bytes zeroed:
/// an error or the right graphs.
#[test]
fn damage_is_an_error_and_never_another_graph() {
    for (direction, weighted) in [(StoredLists::Both, true), (StoredLists::Undirected, false)] {
        let storage = SimulatedStorage::new(small_pages());
        let store = new_store(&storage);
        let graph = graph(9, 20, direction, weighted);
        let mut expected = vec![];
        for (name, (shape, block_edges)) in ["a", "b", "c"]
            .into_iter()
            .zip([KINDS[0], KINDS[3], KINDS[4]])
        {
            let sealed = sealed(&graph, shape, block_edges);
            self::store(&store, name, 1, &sealed);
            expected.push((name, lists(&sealed)));
        }
        let used = store.stats().extent_bytes;
        drop(store);
        let image = storage.image();
        let try_read = |image: &Image| -> Result<(), String> {
            let storage = SimulatedStorage::from_image(small_pages(), image);
            let (store, _) = Store::open(&storage, true).map_err(|error| error.to_string())?;
            for (name, expected) in &expected {
                let found = read(&store, name).map_err(|error| error.to_string())?;
                assert_eq!(lists(&found), *expected);
            }
            Ok(())
        };
        try_read(&image).unwrap();
        let mut damaged = image.clone();
        let mut noticed = BTreeSet::new();
        let mut noted = |byte: usize, image: &Image| {
            let outcome = catch_unwind(AssertUnwindSafe(|| try_read(image)));
            if let Err(error) = outcome.expect("neither panic nor another graph") {
                noticed.insert(byte);
                assert!(!error.is_empty());
            }
        };
        let len = image.files["extents"].len();
        for byte in 0..len {
            for bit in 0..8 {
                damaged.flip_bit("extents", (byte * 8 + bit) as u64);
                noted(byte, &damaged);
                damaged.flip_bit("extents", (byte * 8 + bit) as u64);
            }
            let extents = damaged.files.get_mut("extents").unwrap();
            let before = std::mem::take(&mut extents[byte]);
            noted(byte, &damaged);
            damaged.files.get_mut("extents").unwrap()[byte] = before;
        }
        // Of the space in use only the padding to the alignment is not looked at.
        assert!(
            noticed.len() as u64 * 2 > used,
            "{} of {used}",
            noticed.len()
        );
    }
}

/// Sealed graphs as format version 3 had them first. Every later program reads
/// them.
///
/// `EVERGRAPH_WRITE_GOLDEN=1 cargo test -p evergraph-topology --test it sealed::golden`
/// writes them if they are missing.
#[test]
fn golden_sealed_graphs() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v3-sealed");
    let graphs = [
        (StoredLists::Out, false, KINDS[0]),
        (StoredLists::Both, true, KINDS[3]),
        (StoredLists::Undirected, false, KINDS[4]),
    ];
    let graphs = graphs.map(|(direction, weighted, (shape, block_edges))| {
        sealed(&graph(9, 20, direction, weighted), shape, block_edges)
    });
    let snapshot = SealedName::Snapshot("first".to_string());
    if !directory.exists() && std::env::var_os("EVERGRAPH_WRITE_GOLDEN").is_some() {
        let storage = SimulatedStorage::new(small_pages());
        let store = new_store(&storage);
        let csn = store.create_snapshot("first", Some(5)).unwrap().csn;
        for (name, graph) in ["a", "b", "c"].iter().zip(&graphs) {
            self::store(&store, name, 1, graph);
        }
        store
            .store_sealed(snapshot.clone(), csn, &graphs[0], &mut |_, _| true)
            .unwrap();
        store.close().unwrap();
        std::fs::create_dir_all(&directory).unwrap();
        for (file, bytes) in &storage.image().files {
            std::fs::write(directory.join(file), bytes).unwrap();
        }
    }
    let mut image = Image::default();
    for file in std::fs::read_dir(&directory).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        image
            .files
            .insert(name, std::fs::read(file.path()).unwrap());
    }
    let storage = SimulatedStorage::from_image(small_pages(), &image);
    let (store, _) = Store::open(&storage, true).unwrap();
    assert_eq!(store.check().problems, Vec::<String>::new());
    for (name, graph) in ["a", "b", "c"].iter().zip(&graphs) {
        assert_eq!(lists(&read(&store, name).unwrap()), lists(graph));
    }
    let of_snapshot = store.sealed_graph(&snapshot, &|| true).unwrap().unwrap();
    assert_eq!(lists(&of_snapshot), lists(&graphs[0]));
}
