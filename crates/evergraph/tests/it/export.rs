//! Plain edges that are exported read as the same edges.

use std::path::{Path, PathBuf};

use evergraph::formats::{self, WriteFormat};
use evergraph::graph::StoredLists;
use evergraph::import::{Action, ImportControl, ImportOptions, import};
use evergraph::{
    At, Cancellation, Database, EdgeExport, Error, IdKind, MediumKind, Options, Reduction, View,
    export_edges,
};
use proptest::prelude::*;

fn database(direction: StoredLists, weighted: bool, ids: IdKind) -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        direction,
        weighted,
        ids,
        ..Options::default()
    };
    Database::create("in memory", &options).unwrap()
}

fn read(db: &Database, file: &Path, action: Action, weighted: bool) {
    let options = ImportOptions {
        action,
        reading: formats::Options {
            weighted,
            ..formats::Options::default()
        },
        ..ImportOptions::default()
    };
    let control = ImportControl {
        cancellation: Cancellation::new(),
        progress: &|_| {},
    };
    import(db, &[file.to_path_buf()], &options, &control).unwrap();
}

fn write(db: &Database, view: &View, output: &Path) -> Result<u64, Error> {
    let options = EdgeExport {
        output: output.to_path_buf(),
        format: None,
        reduction: Reduction::default(),
    };
    export_edges(db, view, &options, &Cancellation::new(), &|_| {})
}

/// All entries of all out-lists by name.
fn entries(db: &Database, view: &View) -> Vec<String> {
    let mut entries = Vec::new();
    for vertex in 0..view.vertex_count() as u32 {
        for (neighbor, weight) in view.weighted_neighbors(vertex).unwrap() {
            let (source, target) = (db.vertex_name(vertex), db.vertex_name(neighbor));
            entries.push(format!("{source:?} {target:?} {weight}"));
        }
    }
    entries.sort();
    entries
}

/// A file with these edges; ids of texts hold what needs quotes.
fn file(place: &Path, edges: &[(u32, u32, f32)], weighted: bool, ids: IdKind) -> PathBuf {
    let name = |vertex: u32| match ids {
        IdKind::Dense => vertex.to_string(),
        IdKind::Numbers => (u64::from(vertex) * 1_000_000_007).to_string(),
        IdKind::Texts => format!("\"a, {vertex}\""),
    };
    let mut text = String::from("source,target,weight\n");
    for &(source, target, weight) in edges {
        text += &format!("{},{}", name(source), name(target));
        text += &if weighted {
            format!(",{weight}\n")
        } else {
            ",0\n".to_string()
        };
    }
    let path = place.join("edges-in.csv");
    std::fs::write(&path, text).unwrap();
    path
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn edges_read_as_they_were_written(
        edges in prop::collection::vec((0..6_u32, 0..6_u32, -2.0..2.0_f32), 1..30),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        direction in prop::sample::select(vec![StoredLists::Out, StoredLists::Both, StoredLists::Undirected]),
        ids in prop::sample::select(vec![IdKind::Dense, IdKind::Numbers, IdKind::Texts]),
        weighted: bool,
        name in prop::sample::select(vec!["e.csv", "e.tsv.gz", "e.csv.zst", "e.txt"]),
    ) {
        let place = tempfile::tempdir().unwrap();
        let db = database(direction, weighted, ids);
        read(&db, &file(place.path(), &edges, weighted, ids), Action::Insert, weighted);
        db.create_snapshot("all", None).unwrap();
        let gone: Vec<_> = gone.iter().map(|index| edges[index.index(edges.len())]).collect();
        if !gone.is_empty() {
            read(&db, &file(place.path(), &gone, weighted, ids), Action::Delete, false);
        }
        for at in [At::Now, At::Name("all".to_string())] {
            let view = db.as_of(&at).unwrap();
            let output = place.path().join(name);
            let written = write(&db, &view, &output);
            if ids == IdKind::Texts && name == "e.txt" && view.edge_count().unwrap() > 0 {
                let refused = written.unwrap_err().to_string();
                prop_assert!(refused.contains("csv"), "{refused}");
                prop_assert!(!output.exists());
                continue;
            }
            prop_assert_eq!(written.unwrap(), view.edge_count().unwrap());
            let other = database(direction, weighted, ids);
            if view.edge_count().unwrap() > 0 {
                read(&other, &output, Action::Insert, weighted);
            }
            prop_assert_eq!(entries(&other, &other.view()), entries(&db, &view));
        }
    }
}

#[test]
fn an_export_that_fails_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let db = database(StoredLists::Out, false, IdKind::Dense);
    let edges: Vec<(u32, u32)> = (0..70_000).map(|i| (i, i + 1)).collect();
    db.insert_edges(&edges).unwrap();
    let options = EdgeExport {
        output: place.path().join("e.mtx"),
        format: Some(WriteFormat::EdgeList),
        reduction: Reduction::default(),
    };
    let stop = Cancellation::new();
    let cut = |_| stop.cancel();
    let stopped = export_edges(&db, &db.view(), &options, &stop, &cut);
    assert!(matches!(stopped, Err(Error::Interrupted { .. })));
    let refused = write(&db, &db.view(), &options.output);
    assert!(refused.unwrap_err().to_string().contains("not written"));
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    let full = Path::new("/dev/full");
    if full.exists() {
        let failed = write(&db, &db.view(), full).unwrap_err().to_string();
        assert!(failed.contains("/dev/full"), "{failed}");
    }
    let options = EdgeExport {
        output: place.path().join("e.mtx"),
        format: Some(WriteFormat::EdgeList),
        reduction: Reduction::default(),
    };
    let go_on = Cancellation::new();
    let written = export_edges(&db, &db.view(), &options, &go_on, &|_| {}).unwrap();
    assert_eq!(written, 70_000);
}
