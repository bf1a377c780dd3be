//! Imports that are stopped anywhere go on without losing or doubling an edge.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use evergraph::import::{
    Action, Every, ImportControl, ImportOptions, ImportProgress, Series, default_ids, import, probe,
};
use evergraph::{At, Cancellation, Database, Error, IdKind, MediumKind, Options, formats};
use evergraph_storage::failpoint;

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

/// A tiny log and no merging in the background: the import waits for space again and
/// again, and is stopped at each step of it.
#[test]
fn an_import_that_waits_for_room_stops_cleanly() {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("edges.txt");
    let text: String = (0..20_000u32)
        .map(|i| format!("{} {}\n", i % 5000, i * 7 % 5000))
        .collect();
    std::fs::write(&file, text).expect("a file");
    let options = Options {
        medium: MediumKind::Dram,
        log_bytes: 8 << 10,
        section_shift: 2,
        background: false,
        ..Options::default()
    };
    let db = Database::create("in memory", &options).expect("a database");
    let options = ImportOptions {
        resume: true,
        ..ImportOptions::default()
    };
    let mut stops = 0;
    let mut before = 0;
    loop {
        let cancellation = Cancellation::new();
        let control = ImportControl {
            cancellation: cancellation.clone(),
            progress: &|_| (),
        };
        // The first time it waits, or a little later.
        let stop = move |times| {
            if times == 1 + stops % 4 {
                cancellation.cancel();
            }
        };
        let armed = failpoint::Scope::calling("commit.waits-for-room", stop).enter();
        let finished = import(&db, std::slice::from_ref(&file), &options, &control);
        drop(armed);
        let edges = db.view().edge_count().expect("a count");
        assert!(edges >= before, "what was committed stays");
        before = edges;
        match finished {
            Ok(_) => break,
            Err(Error::Interrupted { message, .. }) => {
                assert!(message.starts_with(&edges.to_string()), "{message} {edges}");
                stops += 1;
            }
            Err(error) => panic!("{error}"),
        }
        assert!(stops < 20_000, "it comes to an end");
    }
    assert!(stops > 3 && db.stats().back_pressure.waits > 0);
    assert_eq!(before, 20_000);
    assert!(db.check().problems.is_empty());
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
fn a_loop_of_a_symmetric_matrix_comes_and_goes_once() {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("loop.mtx");
    let text = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n";
    std::fs::write(&file, text).expect("a file");
    let db = database(IdKind::Dense);
    let mut options = ImportOptions::default();
    for (action, loops) in [
        (Action::Insert, 1),
        (Action::Insert, 2),
        (Action::Delete, 1),
    ] {
        options.action = action;
        import_until(&db, std::slice::from_ref(&file), &options, None).expect("imported");
        let found = db.view().neighbors(0).expect("readable");
        assert_eq!(
            found.iter().filter(|&&v| v == 0).count(),
            loops,
            "{action:?}"
        );
    }
}

/// A malformed line at the beginning, and one far behind it.
#[test]
fn malformed_lines_count_once_however_often_an_import_is_stopped() {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("texts.txt");
    let edges: String = (1..16 << 10).map(|i| format!("a{i} b{i}\n")).collect();
    std::fs::write(&file, format!("a b\nbad\n{edges}bad\nc d\n")).expect("a file");
    let files = [file];
    for (batch_edges, skip_bad, is_whole) in [(1000, 2, true), (4096, 2, true), (4096, 1, false)] {
        let mut options = ImportOptions {
            batch_edges,
            resume: true,
            ..ImportOptions::default()
        };
        options.reading.skip_bad = skip_bad;
        let db = database(IdKind::Texts);
        let (mut runs, mut ended) = (1, import_until(&db, &files, &options, Some(1)));
        while matches!(ended, Err(Error::Interrupted { .. })) {
            runs += 1;
            ended = import_until(&db, &files, &options, Some(1));
        }
        let case = format!("{batch_edges} {skip_bad}: {ended:?} in {runs} runs");
        assert_eq!(ended.is_ok(), is_whole, "{case}");
        assert!(runs > 2, "{case}");
    }
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

/// Events in small files: the model applies one after the other.
#[test]
fn events_come_and_go_in_their_order() {
    let place = tempfile::tempdir().expect("a directory");
    let (mut text, mut model, mut missed) = (String::new(), Vec::new(), 0);
    let mut random = evergraph::graph::random::Random::new(5);
    for _ in 0..600 {
        let (u, v) = (random.below(7) as u32, random.below(7) as u32);
        if random.below(5) < 3 {
            text.push_str(&format!("+ {u} {v}\n"));
            model.push((u, v));
        } else {
            text.push_str(&format!("- {u} {v}\n"));
            match model.iter().rposition(|&edge| edge == (u, v)) {
                Some(at) => drop(model.remove(at)),
                None => missed += 1,
            }
        }
    }
    let file = place.path().join("events.txt");
    std::fs::write(&file, &text).expect("a file");
    let expected: Vec<Vec<u32>> = (0..7)
        .map(|u| model.iter().filter(|e| e.0 == u).map(|e| e.1).collect())
        .collect();
    let found = |db: &Database| -> Vec<Vec<u32>> {
        let view = db.view();
        (0..7)
            .map(|u| view.neighbors(u).expect("readable"))
            .collect()
    };
    for batch_edges in [1, 7, 1000] {
        let mut options = ImportOptions {
            batch_edges,
            ..ImportOptions::default()
        };
        let db = database(IdKind::Dense);
        let control = ImportControl {
            cancellation: Cancellation::new(),
            progress: &|_| {},
        };
        let report =
            import(&db, std::slice::from_ref(&file), &options, &control).expect("imported");
        assert_eq!(report.edges, 600);
        let added = report.edges - report.deletions;
        let deleted = report.deletions - report.missed;
        assert_eq!(
            (report.missed, added - deleted),
            (missed, model.len() as u64)
        );
        assert_eq!(found(&db), expected, "{batch_edges}");
        // The same, interrupted again and again.
        options.resume = true;
        let db = database(IdKind::Dense);
        while import_until(&db, std::slice::from_ref(&file), &options, Some(2)).is_err() {}
        assert_eq!(found(&db), expected, "{batch_edges}, resumed");
        // A list of what to delete says nothing else.
        options.action = Action::Delete;
        options.resume = false;
        let error =
            import_until(&db, std::slice::from_ref(&file), &options, None).expect_err("events");
        assert!(error.to_string().contains("lists events"), "{error}");
    }
}

/// Kind of ids of a new database.
#[test]
fn ids_stay_dense_only_where_every_number_occurs() {
    let place = tempfile::tempdir().expect("a directory");
    let of = |texts: &[&str], change: &dyn Fn(&mut ImportOptions)| {
        let files: Vec<PathBuf> = (0..texts.len())
            .map(|i| place.path().join(format!("{i}.txt")))
            .collect();
        for (file, text) in files.iter().zip(texts) {
            std::fs::write(file, text).expect("a file");
        }
        let mut options = ImportOptions::default();
        change(&mut options);
        default_ids(&files, &options, &Cancellation::new()).expect("readable")
    };
    let plain = |text: &str| of(&[text], &|_| ());
    for dense in ["0 1\n", "3 0\n2 1\n", "# a loop\n0 0\n", "0,2\n1,2\n"] {
        assert_eq!(plain(dense), IdKind::Dense, "{dense:?}");
    }
    let long: String = (0..100_000)
        .map(|i| format!("{} 0\n", i * 7 % 100_000))
        .collect();
    assert_eq!(plain(&long), IdKind::Dense);
    assert_eq!(plain(&long.replace("99993 0\n", "")), IdKind::Numbers);
    for mapped in [
        "",
        "# nothing\n",
        "1 2\n",
        "0 2\n",
        "0 4294967296\n",
        "0 1\n1 18446744073709551615\n",
        // Counted from 1.
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
        // An event is no listing: what goes may never have been there.
        "+ 0 1\n- 1 0\n",
        // The import tells what is wrong.
        "0 1\nx y\n",
        "0 1\n1 -2\n",
    ] {
        assert_eq!(plain(mapped), IdKind::Numbers, "{mapped:?}");
    }
    for texts in ["ada bob\n", "7 bob\n8 9\n", "ada,bob\n", "# one\nada,bob\n"] {
        assert_eq!(plain(texts), IdKind::Texts, "{texts:?}");
    }
    // Titles over the numbers of another file, and an edge without any.
    assert_eq!(of(&["ada,bob\n", "0,2\n"], &|_| ()), IdKind::Numbers);
    assert_eq!(of(&["ada,bob\n", "cy,dan\n"], &|_| ()), IdKind::Texts);
    // Bad lines that may be left out decide nothing, texts do.
    let tolerant = |options: &mut ImportOptions| options.reading.skip_bad = 2;
    assert_eq!(of(&["oops\n1 2\n"], &tolerant), IdKind::Numbers);
    assert_eq!(of(&["oops\nada bob\n1 2\n"], &tolerant), IdKind::Texts);
    assert_eq!(of(&["0 2\n", "1 1\n"], &|_| ()), IdKind::Dense);
    assert_eq!(of(&["0 3\n", "1 1\n"], &|_| ()), IdKind::Numbers);
    // What grows is mapped, so that what there was at a commit is a prefix.
    let timed = |options: &mut ImportOptions| options.reading.timestamps = true;
    assert_eq!(of(&["0 1 5\n"], &timed), IdKind::Numbers);
    let stepwise = |options: &mut ImportOptions| {
        options.snapshots = Some(Series {
            every: Every::Edges(1),
            prefix: String::new(),
        });
    };
    assert_eq!(of(&["0 1\n"], &stepwise), IdKind::Numbers);
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let file = place.path().join("0.txt");
    let stopped = default_ids(&[file], &ImportOptions::default(), &cancelled);
    assert!(matches!(stopped, Err(Error::Interrupted { .. })));
}

/// The vertices of a snapshot are the ids of the edges up to it, counted one by one.
#[test]
fn no_vertex_is_there_before_its_id_occurs() {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("edges.txt");
    let mut random = evergraph::graph::random::Random::new(8);
    let edges: Vec<(u64, u64)> = (0..300)
        .map(|_| (random.below(90) * 11, random.below(40) << 40))
        .collect();
    let text: String = edges.iter().map(|(u, v)| format!("{u} {v}\n")).collect();
    std::fs::write(&file, text).expect("a file");
    let options = ImportOptions {
        batch_edges: 7,
        snapshots: Some(Series {
            every: Every::Edges(20),
            prefix: String::new(),
        }),
        ..ImportOptions::default()
    };
    let files = [file];
    let kind = default_ids(&files, &options, &Cancellation::new()).expect("readable");
    assert_eq!(kind, IdKind::Numbers);
    let db = database(kind);
    import_until(&db, &files, &options, None).expect("imported");
    assert_eq!(db.snapshots().len(), 15);
    for (snapshot, count) in db.snapshots().iter().zip((20..).step_by(20)) {
        let ends = edges[..count].iter().flat_map(|&(u, v)| [u, v]);
        let expected: BTreeSet<u64> = ends.collect();
        let view = db.as_of(&At::from_text(&snapshot.name)).expect("kept");
        let vertices = 0..view.vertex_count() as u32;
        let names: BTreeSet<u64> = vertices
            .map(|vertex| db.vertex_name(vertex).parse().expect("a number"))
            .collect();
        assert_eq!(names, expected, "{count}");
        assert_eq!(view.vertex_count(), expected.len());
    }
}

/// Formats whose heads say how many vertices there are list them all, however often the
/// import is cut off.
#[test]
fn listed_vertices_are_there_without_edges() {
    let place = tempfile::tempdir().expect("a directory");
    let listed = [
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n9 9 2\n7 2\n2 3\n",
        ),
        ("a.gr", "p sp 9 2\na 7 2 1\na 2 3 1\n"),
        ("a.graph", "9 1\n\n7\n\n\n\n\n2\n\n\n"),
    ];
    for (name, text) in listed {
        let file = place.path().join(name);
        std::fs::write(&file, text).expect("a file");
        let files = [file];
        let mut options = ImportOptions {
            batch_edges: 1,
            ..ImportOptions::default()
        };
        let kind = default_ids(&files, &options, &Cancellation::new()).expect("readable");
        assert_eq!(kind, IdKind::Numbers, "{name}");
        for kind in [IdKind::Numbers, IdKind::Texts] {
            let whole = database(kind);
            import_until(&whole, &files, &options, None).expect("imported");
            let names = lists(&whole).into_iter().map(|(name, _)| name);
            let expected = (1..=9).map(|id: u32| id.to_string());
            assert_eq!(
                names.collect::<Vec<_>>(),
                expected.collect::<Vec<_>>(),
                "{name}"
            );
            options.resume = true;
            let parts = database(kind);
            while import_until(&parts, &files, &options, Some(1)).is_err() {}
            assert_eq!(lists(&parts), lists(&whole), "{name}");
            options.resume = false;
        }
        let dense = database(IdKind::Dense);
        import_until(&dense, &files, &options, None).expect("imported");
        assert_eq!(dense.view().vertex_count(), 9, "{name}");
    }
    let file = place.path().join("vast.mtx");
    let text =
        "%%MatrixMarket matrix coordinate pattern general\n4000000000000 4000000000000 1\n1 1\n";
    std::fs::write(&file, text).expect("a file");
    let options = ImportOptions::default();
    let error = import_until(&database(IdKind::Numbers), &[file], &options, None);
    let error = error.expect_err("more than memory holds").to_string();
    assert!(error.contains("4000000000000 vertices"), "{error}");
}
