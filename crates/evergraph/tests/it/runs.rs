//! Results and states that runs store, and their use by later runs.

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Once};

use evergraph::algorithms::Progress;
use evergraph::graph::Column;
use evergraph::maintain;
use evergraph::run::{
    self, Durable, FileFormat, Format, Outcome, Request, ValueColumn, write_columns,
};
use evergraph::{
    At, Batch, Cancellation, Control, Database, Error, ExternalIds, IdKind, MediumKind, Mode,
    Options,
};

fn database(ids: IdKind) -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        ids,
        ..Options::default()
    };
    Database::create("in memory", &options).unwrap()
}

/// A cycle with chords.
fn ring() -> Database {
    let db = database(IdKind::Dense);
    let edges: Vec<(u32, u32)> = (0..50).flat_map(|v| [(v, (v + 1) % 50), (v, 7)]).collect();
    db.insert_edges(&edges).unwrap();
    db
}

fn request(algorithm: &str, parameters: &[(&str, &str)]) -> Request {
    let owned = |&(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    Request {
        algorithm: algorithm.to_string(),
        parameters: parameters.iter().map(owned).collect(),
        ..Request::default()
    }
}

fn keeping(request: &Request, name: &str) -> Request {
    Request {
        durable: Durable {
            keep: Some(name.to_string()),
            ..Durable::default()
        },
        ..request.clone()
    }
}

fn with_states(request: &Request) -> Request {
    Request {
        durable: Durable {
            checkpoint_every: Some(1),
            ..request.durable.clone()
        },
        ..request.clone()
    }
}

fn run_now(db: &Database, request: &Request) -> Outcome {
    run::run(db, &db.view(), request, &Control::new(), None).unwrap()
}

/// Begins a run and stops it when it has kept a state.
fn cut(db: &Database, request: &Request, at: Option<&At>) {
    let stop = Cancellation::new();
    let show = |progress: Progress| {
        if progress.unit == "iterations" && progress.done >= 4 {
            stop.cancel();
        }
    };
    let control = Control::new().with_cancellation(&stop).with_progress(&show);
    let view = run::view(db, request, at).unwrap();
    let ran = run::run(db, &view, request, &control, None);
    assert!(matches!(ran, Err(Error::Interrupted { .. })), "{ran:?}");
}

#[test]
fn direct_mode_reads_no_result_of_an_earlier_graph() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let options = Options {
        medium: MediumKind::Dax,
        assume_persistent: true,
        mode: Mode::Direct,
        ..Options::default()
    };
    let wanted = request("degrees", &[]);
    let db = Database::create(&path, &options).unwrap();
    db.insert_edges(&[(0, 1)]).unwrap();
    let before = run_now(&db, &keeping(&wanted, "degrees"));
    db.close().unwrap();

    let db = Database::open(&path, &options).unwrap();
    db.insert_edges(&[(0, 2)]).unwrap();
    let now = run_now(&db, &wanted);
    assert_eq!(before.csn, now.csn, "commits are counted anew");
    assert_eq!(now.kept, None);
    assert_eq!(now.edges, 2);
}

/// A copy of before is put back beside the results, and goes another way, in which as many
/// edges come.
#[test]
fn a_result_of_another_history_is_told_and_not_read() {
    let place = tempfile::tempdir().unwrap();
    let [path, copy] = ["db", "copy"].map(|name| place.path().join(name));
    let copy_over = |from: &Path, to: &Path| {
        std::fs::create_dir_all(to).unwrap();
        for file in std::fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    };
    let options = Options::default();
    let db = Database::create(&path, &options).unwrap();
    db.insert_edges(&[(0, 1), (1, 2)]).unwrap();
    db.close().unwrap();
    copy_over(&path, &copy);
    let wanted = request("degrees", &[]);
    let followed = maintain::Request {
        name: "followed".to_string(),
        algorithm: "degrees".to_string(),
        ..maintain::Request::default()
    };
    let why = |db: &Database, name: &str| {
        let stored = db.results().unwrap().find(name).unwrap();
        db.other_history(&stored).unwrap().unwrap_or_default()
    };

    let db = Database::open(&path, &options).unwrap();
    db.insert_edges(&[(0, 2)]).unwrap();
    db.create_snapshot("here", None).unwrap();
    let kept = run_now(&db, &keeping(&wanted, "kept"));
    assert_eq!(run_now(&db, &wanted).kept.as_deref(), Some("kept"));
    db.maintain(&followed, &Control::new()).unwrap();
    assert_eq!((why(&db, "kept"), why(&db, "followed")), Default::default());
    db.close().unwrap();

    copy_over(&copy, &path);
    let db = Database::open(&path, &options).unwrap();
    let behind = why(&db, "kept");
    assert!(behind.contains("the newest of the graph is"), "{behind}");
    db.insert_edges(&[(1, 0)]).unwrap();
    db.create_snapshot("here", None).unwrap();
    let computed = run_now(&db, &wanted);
    assert_eq!((computed.csn, computed.kept), (kept.csn, None));
    assert_ne!(computed.values, kept.values);
    let damaged = computed.damaged.unwrap();
    assert!(damaged.contains("another history"), "{damaged}");
    assert!(why(&db, "kept").contains("another history"));
    db.create_snapshot("followed", None).unwrap();
    let refused = db.maintain(&followed, &Control::new()).unwrap_err();
    assert!(refused.to_string().contains("another history"), "{refused}");
}

/// Results of versions that did not note their commit's time are known by their own.
#[test]
fn a_result_without_a_note_is_of_a_commit_before_it() {
    let db = ring();
    run_now(&db, &keeping(&request("degrees", &[]), "kept"));
    let results = db.results().unwrap();
    let described = results.find("kept").unwrap().description().clone();
    for (later_us, is_other) in [(1, false), (-59_000_000, false), (-61_000_000, true)] {
        let mut without = described.clone();
        without.notes.retain(|(name, _)| name != "commit");
        without.updated_us = db.view().wall_us() + later_us;
        results.put(&without, &[]).unwrap();
        let stored = results.find("kept").unwrap();
        assert_eq!(db.other_history(&stored).unwrap().is_some(), is_other);
    }
}

#[test]
fn lists_that_end_behind_their_vertices_are_refused() {
    let db = ring();
    run_now(&db, &keeping(&request("degrees", &[]), "kept"));
    let results = db.results().unwrap();
    let mut lists = results.find("kept").unwrap().description().clone();
    lists.notes = vec![("values".to_string(), "lists".to_string())];
    let vertices = [7, 8, 9];
    for (ends, is_read) in [
        (&[1, 3][..], true),
        (&[], true),
        (&[1, 4], false),
        (&[2, 1], false),
    ] {
        let columns = [
            ("end", Column::U64(ends)),
            ("vertex", Column::U32(&vertices)),
        ];
        results.put(&lists, &columns).unwrap();
        let read = run::Kept::read(&db, &results.find("kept").unwrap());
        assert_eq!(read.is_ok(), is_read, "{ends:?}");
    }
}

#[test]
fn a_result_is_of_what_stood_in_a_file() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("infected.txt");
    let name = path.to_string_lossy();
    let db = ring();
    let wanted = request("rumor-sources", &[("infected-file", &name)]);
    std::fs::write(&path, "1\n2\n").unwrap();
    run_now(&db, &keeping(&wanted, "rumor"));
    assert_eq!(run_now(&db, &wanted).kept.as_deref(), Some("rumor"));
    std::fs::write(&path, "30\n31\n").unwrap();
    let other = run_now(&db, &wanted);
    assert_eq!(other.kept, None);
}

#[test]
fn texts_with_commas_are_other_sources() {
    let db = database(IdKind::Texts);
    let mut batch = Batch::new();
    batch.assign_ids(ExternalIds::Texts {
        first: 0,
        ends: vec![1, 2, 5],
        bytes: b"aba,b".to_vec(),
    });
    batch.add_vertices(3).insert(&[(0, 1), (1, 2), (2, 0)]);
    db.commit(batch).unwrap();
    let two = request("personalized-pagerank", &[("source", "a"), ("source", "b")]);
    let one = request("personalized-pagerank", &[("source", "a,b")]);
    let of_two = run_now(&db, &keeping(&two, "two"));
    let of_one = run_now(&db, &one);
    assert_eq!(of_one.kept, None);
    assert_ne!(of_one.values, of_two.values);
    assert_eq!(run_now(&db, &two).kept.as_deref(), Some("two"));
}

#[test]
fn one_source_is_one() {
    let db = ring();
    let wanted = request("bfs", &[("source", "3,1")]);
    let ran = run::run(&db, &db.view(), &wanted, &Control::new(), None);
    let error = ran.unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    assert!(error.to_string().contains("names 2 vertices"), "{error}");
}

#[test]
fn a_result_of_a_run_with_states_is_read_again() {
    let db = ring();
    let plain = request("pagerank", &[]);
    let wanted = with_states(&keeping(&plain, "ranks"));
    let view = run::view(&db, &wanted, None).unwrap();
    let made = run::run(&db, &view, &wanted, &Control::new(), None).unwrap();
    drop(view);
    let again = run_now(&db, &plain);
    assert_eq!(again.kept.as_deref(), Some("ranks"));
    assert_eq!(again.values, made.values);
    assert!(db.check().problems.is_empty());
    db.insert_edges(&[(0, 30)]).unwrap();
    assert_eq!(run_now(&db, &plain).kept, None);

    // A commit meanwhile makes it a result of an older commit.
    let wanted = with_states(&keeping(&plain, "past"));
    let view = run::view(&db, &wanted, None).unwrap();
    db.insert_edges(&[(0, 31)]).unwrap();
    run::run(&db, &view, &wanted, &Control::new(), None).unwrap();
    drop(view);
    let now = run_now(&db, &plain);
    assert_eq!(now.kept, None);
    assert_eq!(now.edges, 102);
}

#[test]
fn a_run_on_the_newest_commit_by_its_number_goes_on() {
    let db = ring();
    let wanted = with_states(&request("pagerank", &[]));
    let newest = At::Csn(db.view().csn());
    cut(&db, &wanted, Some(&newest));
    db.insert_edges(&[(0, 30)]).unwrap();
    db.compact().unwrap();
    let resumed = Request {
        durable: Durable {
            resume: true,
            ..wanted.durable.clone()
        },
        ..wanted.clone()
    };
    let view = run::view(&db, &resumed, None).unwrap();
    let ran = run::run(&db, &view, &resumed, &Control::new(), None).unwrap();
    assert!(ran.checkpointing.unwrap().resumed_step > 0);
    assert_eq!(ran.edges, 100);
    drop(view);
    assert!(db.snapshots().is_empty());

    // No run could go on from a state whose commit no snapshot keeps.
    let ran = run::run(&db, &db.view(), &wanted, &Control::new(), None);
    let error = ran.unwrap_err().to_string();
    assert!(error.contains("no snapshot keeps commit"), "{error}");
}

#[test]
fn a_name_belongs_to_one_run_at_a_time() {
    let db = ring();
    let wanted = with_states(&request("pagerank", &[]));
    let first = run::view(&db, &wanted, None).unwrap();
    let held = db.snapshots();
    let second = run::view(&db, &wanted, None).err().unwrap();
    assert!(second.to_string().contains("goes on in this process"));
    // Nor does a run without such a view take anything from it.
    run::run(&db, &db.view(), &wanted, &Control::new(), None).unwrap();
    assert_eq!(db.snapshots(), held);
    db.insert_edges(&[(0, 30)]).unwrap();
    let ran = run::run(&db, &db.view(), &wanted, &Control::new(), None);
    assert!(ran.is_err());
    assert_eq!(db.snapshots(), held);
    let ran = run::run(&db, &first, &wanted, &Control::new(), None).unwrap();
    assert_eq!(ran.edges, 100);
    drop(first);
    assert!(db.snapshots().is_empty());
    // A view on which nothing was run leaves nothing.
    drop(run::view(&db, &wanted, None).unwrap());
    assert!(db.snapshots().is_empty());
    drop(run::view(&db, &wanted, None).unwrap());
}

/// Commits from another owner when the first name comes.
struct Meanwhile {
    db: Arc<Database>,
    once: Once,
}

impl Write for Meanwhile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes != b"10" {
            return Ok(bytes.len());
        }
        let mut outcome = Ok(());
        self.once.call_once(|| {
            let (done, ended) = channel();
            let db = Arc::clone(&self.db);
            std::thread::spawn(move || {
                let mut batch = Batch::new();
                batch.assign_ids(ExternalIds::Numbers {
                    first: 2,
                    ids: vec![12],
                });
                batch.add_vertices(3);
                db.commit(batch).unwrap();
                done.send(()).unwrap();
            });
            // A commit that had to wait for the writing would never end.
            outcome = ended.recv().map_err(io::Error::other);
        });
        outcome.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn writing_values_holds_up_no_commit() {
    let db = Arc::new(database(IdKind::Numbers));
    let mut batch = Batch::new();
    batch.assign_ids(ExternalIds::Numbers {
        first: 0,
        ids: vec![10, 11],
    });
    batch.add_vertices(2).insert(&[(0, 1)]);
    db.commit(batch).unwrap();
    let outcome = run_now(&db, &request("degrees", &[]));
    let column = ValueColumn {
        title: "now".to_string(),
        values: outcome.values.clone(),
        naming: outcome.naming.clone(),
    };
    let mut out = Meanwhile {
        db: Arc::clone(&db),
        once: Once::new(),
    };
    let columns = [column.clone(), column];
    write_columns(
        &mut out,
        &db,
        &columns,
        (FileFormat::Text, Format::Evergraph),
    )
    .unwrap();
    assert!(out.once.is_completed());
}
