//! Imports that are stopped anywhere go on without losing or doubling an edge.

use std::cell::Cell;
use std::path::PathBuf;

use evergraph::import::{Action, ImportControl, ImportOptions, ImportProgress, import, probe};
use evergraph::{Cancellation, Database, Error, IdKind, MediumKind, Options, formats};

/// Stops after so many commits; `None` never.
fn import_until(
    db: &Database,
    files: &[PathBuf],
    options: &ImportOptions,
    commits: Option<u32>,
) -> Result<u64, Error> {
    let cancellation = Cancellation::new();
    let left = Cell::new(commits.unwrap_or(u32::MAX));
    let count = |_: ImportProgress| {
        left.set(left.get() - 1);
        if left.get() == 0 {
            cancellation.cancel();
        }
    };
    let control = ImportControl {
        cancellation: cancellation.clone(),
        progress: &count,
    };
    import(db, files, options, &control).map(|report| report.edges + report.resumed_edges)
}

fn database(ids: IdKind) -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        ids,
        ..Options::default()
    };
    Database::create("in memory", &options).expect("a database")
}

fn lists(db: &Database) -> Vec<(String, Vec<String>)> {
    let view = db.view();
    let name = |vertex| db.vertex_name(vertex);
    (0..view.vertex_count() as u32)
        .map(|vertex| {
            let neighbors = view.neighbors(vertex).expect("readable");
            (name(vertex), neighbors.into_iter().map(name).collect())
        })
        .collect()
}

/// Two files: one of them METIS, where one line holds many edges.
fn files(directory: &std::path::Path) -> Vec<PathBuf> {
    let star = directory.join("star.graph");
    let mut text = String::from("60 59\n");
    text.extend((2..=60).map(|leaf| format!("{leaf} ")));
    text.push('\n');
    text.push_str(&"1\n".repeat(59));
    std::fs::write(&star, text).expect("a file");
    let path = directory.join("path.txt");
    let text: String = (0..200).map(|i| format!("{i} {}\n", i + 1)).collect();
    std::fs::write(&path, format!("# a path\n\n{text}# the end\n")).expect("a file");
    vec![star, path]
}

#[test]
fn a_stopped_import_goes_on_exactly_where_it_was() {
    let place = tempfile::tempdir().expect("a directory");
    let files = files(place.path());
    for ids in [IdKind::Dense, IdKind::Numbers, IdKind::Texts] {
        for batch_edges in [1, 7, 64] {
            let mut options = ImportOptions {
                batch_edges,
                ..ImportOptions::default()
            };
            let whole = database(ids);
            let edges = import_until(&whole, &files, &options, None).expect("imported");
            options.resume = true;
            let parts = database(ids);
            let mut runs = 1;
            // Each run commits at least one batch and at most three.
            while let Err(error) = import_until(&parts, &files, &options, Some(1 + runs % 3)) {
                assert!(matches!(error, Error::Interrupted { .. }), "{error}");
                runs += 1;
                assert!(runs < 1000, "it comes to an end");
            }
            let again = import_until(&parts, &files, &options, None).expect("nothing to do");
            assert_eq!(again, edges);
            assert!(runs > 1 || batch_edges > 7);
            assert_eq!(lists(&parts), lists(&whole), "{ids:?} {batch_edges}");
        }
    }
}

#[test]
fn deletions_undo_an_import() {
    let place = tempfile::tempdir().expect("a directory");
    let files = files(place.path());
    let db = database(IdKind::Texts);
    let mut options = ImportOptions::default();
    import_until(&db, &files, &options, None).expect("imported");
    options.action = Action::Delete;
    import_until(&db, &files, &options, None).expect("deleted");
    assert_eq!(db.view().edge_count().expect("a count"), 0);
}

#[test]
fn other_files_are_not_resumed() {
    let place = tempfile::tempdir().expect("a directory");
    let files = files(place.path());
    let db = database(IdKind::Dense);
    let options = ImportOptions {
        batch_edges: 10,
        resume: true,
        ..ImportOptions::default()
    };
    import_until(&db, &files, &options, Some(1)).expect_err("stopped");
    let error = import_until(&db, &files[1..], &options, None).expect_err("other files");
    assert!(error.to_string().contains("star.graph"), "{error}");
}

#[test]
fn files_are_told_apart() {
    let place = tempfile::tempdir().expect("a directory");
    let files = files(place.path());
    let reading = formats::Options::default();
    let star = probe(&files[..1], &reading).expect("readable");
    assert!(star.symmetric && star.numeric && star.dense);
    assert!(!probe(&files, &reading).expect("readable").symmetric);
    let named = place.path().join("named.txt");
    std::fs::write(&named, "ada bob\n").expect("a file");
    assert!(!probe(&[named], &reading).expect("readable").numeric);
}
