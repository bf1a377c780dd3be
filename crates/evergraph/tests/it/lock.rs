//! Exclusion of one opening by another, whatever becomes of the files, and handles that
//! outlive a database.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

use evergraph::maintain::Request;
use evergraph::property::value::Value;
use evergraph::property::{GraphError, Transaction};
use evergraph::{Control, Database, Error, MediumKind, Options, StorageError, TopologyError};
use evergraph_storage::failpoint::Scope;

fn on(medium: MediumKind) -> Options {
    Options {
        medium,
        assume_persistent: true,
        ..Options::default()
    }
}

fn reading(options: &Options) -> Options {
    Options {
        read_only: true,
        ..options.clone()
    }
}

fn property_graph() -> Options {
    Options {
        property_graph: true,
        ..Options::default()
    }
}

/// A place for a database, on both kinds of media.
fn on_each_medium(test: impl Fn(&Path, &Options)) {
    for medium in [MediumKind::File, MediumKind::Battery] {
        let place = tempfile::tempdir().unwrap();
        test(&place.path().join("db"), &on(medium));
    }
}

fn refused(path: &Path, options: &Options) -> StorageError {
    match Database::open(path, options) {
        Err(Error::Store(TopologyError::Storage(error))) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it has been let in"),
    }
}

/// A second writer is refused; readers come in.
#[track_caller]
fn locked(path: &Path, options: &Options) {
    let error = refused(path, options);
    assert!(matches!(error, StorageError::Locked { .. }), "{error}");
    let reader = Database::open(path, &reading(options)).unwrap();
    assert!(reader.open_report().beside_writer);
}

/// Not only the commit, behind statements that seemed to write.
#[test]
fn readers_refuse_what_writes_within_transactions() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let options = property_graph();
    let db = Database::create(&path, &options).unwrap();
    db.query("CREATE (:A)", ()).unwrap();
    db.close().unwrap();
    let reader = Database::open(&path, &reading(&options)).unwrap();
    let mut transaction = reader.begin().unwrap();
    let refused = transaction.query("CREATE (:A)", ()).err().unwrap();
    assert!(refused.message().contains("reading only"), "{refused}");
    let count = transaction.query("MATCH (a:A) RETURN count(*)", ());
    assert_eq!(count.unwrap().single::<i64>().unwrap(), 1);
    assert!(transaction.commit().unwrap().is_none());
}

#[test]
fn removing_the_side_file_lets_nobody_in() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        db.insert_edges(&[(0, 1)]).unwrap();
        locked(path, options);
        fs::remove_file(path.join("lock")).unwrap();
        locked(path, options);
        assert!(!path.join("lock").exists(), "who is refused leaves nothing");
        let again = Database::create(path, options);
        assert!(again.is_err_and(|error| error.to_string().contains("open for writing")));
        db.insert_edges(&[(0, 2)]).unwrap();
        db.close().unwrap();
        let db = Database::open(path, options).unwrap();
        assert_eq!(db.view().neighbors(0).unwrap(), [1, 2]);
    });
}

#[test]
fn a_backup_without_the_side_file_is_locked_as_any() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        db.insert_edges(&[(0, 1)]).unwrap();
        db.close().unwrap();
        let backup = path.with_file_name("backup");
        fs::create_dir(&backup).unwrap();
        for file in ["pool", "log", "extents"] {
            fs::copy(path.join(file), backup.join(file)).unwrap();
        }
        let reader = Database::open(&backup, &reading(options)).unwrap();
        let second = Database::open(&backup, &reading(options)).unwrap();
        assert!(!backup.join("lock").exists(), "a reader writes nothing");
        drop((reader, second));
        let _writer = Database::open(&backup, options).unwrap();
        locked(&backup, options);
    });
}

#[test]
fn readers_keep_no_writer_out() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        db.insert_edges(&[(0, 1)]).unwrap();
        db.close().unwrap();
        let first = Database::open(path, &reading(options)).unwrap();
        assert!(!first.open_report().beside_writer);
        for removed in [false, true] {
            if removed {
                fs::remove_file(path.join("lock")).unwrap();
            }
            let writer = Database::open(path, options).unwrap();
            writer.insert_edges(&[(0, 2)]).unwrap();
            locked(path, options);
            writer.compact().unwrap();
            writer.close().unwrap();
        }
        assert_eq!(first.view().neighbors(0).unwrap(), [1]);
        let now = Database::open(path, &reading(options)).unwrap();
        assert_eq!(now.view().neighbors(0).unwrap(), [1, 2, 2]);
    });
}

/// Results have a root of their own.
#[test]
fn results_are_read_beside_a_writer() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        let request = Request {
            name: "d".to_string(),
            algorithm: "degrees".to_string(),
            ..Request::default()
        };
        let edges: Vec<(u32, u32)> = (0..40_000).map(|i| (i, i + 1)).collect();
        db.insert_edges(&edges).unwrap();
        db.maintain(&request, &Control::new()).unwrap();
        let reader = Database::open(path, &reading(options)).unwrap();
        let before = reader.results().unwrap();
        let csn = db.results().unwrap().get("d").unwrap();
        let csn = csn.description().graph.csn;
        for round in 0..6 {
            let edges: Vec<(u32, u32)> = edges.iter().map(|&(u, _)| (u, round)).collect();
            db.insert_edges(&edges).unwrap();
            db.maintain(&request, &Control::new()).unwrap();
        }
        assert_eq!(before.check(), Vec::<String>::new());
        let stored = before.get("d").unwrap();
        assert_eq!(stored.description().graph.csn, csn);
        let now = Database::open(path, &reading(options)).unwrap();
        assert_eq!(now.results().unwrap().check(), Vec::<String>::new());
    });
}

/// It locks the side file alone, as a whole.
#[test]
fn a_program_of_the_version_before_is_kept_out_and_keeps_out() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        let theirs = File::options().read(true).open(path.join("lock")).unwrap();
        assert!(theirs.try_lock().is_err() && theirs.try_lock_shared().is_err());
        db.close().unwrap();
        let db = Database::open(path, &reading(options)).unwrap();
        assert!(theirs.try_lock().is_err());
        theirs.try_lock_shared().unwrap();
        drop(db);
        Database::open(path, &reading(options)).unwrap();
        assert!(Database::open(path, options).is_err());
        theirs.try_lock().unwrap();
        for options in [options, &reading(options)] {
            let error = refused(path, options);
            assert!(matches!(error, StorageError::Locked { .. }), "{error}");
        }
        theirs.unlock().unwrap();
        Database::open(path, options).unwrap();
    });
}

/// A backup is restored between the opening of the file and its lock.
#[test]
fn a_file_that_is_replaced_meanwhile_is_not_the_one_that_is_locked() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        db.insert_edges(&[(0, 1)]).unwrap();
        db.close().unwrap();
        let ours = path.to_path_buf();
        let replaced = Scope::calling("lock.pool-opened", move |time| {
            if time == 1 {
                fs::copy(ours.join("pool"), ours.join("new")).unwrap();
                fs::rename(ours.join("new"), ours.join("pool")).unwrap();
            }
        });
        let db = {
            let _armed = replaced.enter();
            Database::open(path, options).unwrap()
        };
        fs::remove_file(path.join("lock")).unwrap();
        locked(path, options);
        assert_eq!(db.view().neighbors(0).unwrap(), [1]);
    });
}

/// It is never removed, because another process may have locked it by then.
#[test]
fn what_an_interrupted_creation_leaves_is_locked_and_used_again() {
    on_each_medium(|path, options| {
        for pool in [vec![], vec![0; 8192]] {
            let _ = fs::remove_dir_all(path);
            fs::create_dir(path).unwrap();
            fs::write(path.join("pool"), pool).unwrap();
            let file = File::open(path.join("pool")).unwrap();
            let error = Database::open(path, options).map(drop).unwrap_err();
            assert!(
                error.to_string().contains("not an Evergraph database"),
                "{error}"
            );
            let db = Database::create(path, options).unwrap();
            use std::os::unix::fs::MetadataExt;
            let now = fs::metadata(path.join("pool")).unwrap().ino();
            assert_eq!(file.metadata().unwrap().ino(), now);
            locked(path, options);
            drop(db);
            Database::open(path, options).unwrap();
        }
    });
}

/// Of two creations of the same database one succeeds, in any order.
#[test]
fn a_creation_is_locked_from_its_first_file_on() {
    on_each_medium(|path, options| {
        let (there, other) = (path.to_path_buf(), options.clone());
        let (tell, told) = channel();
        let meanwhile = Scope::calling("lock.pool-opened", move |time| {
            // Before anything is locked, the other creation may come first.
            if time == 1 {
                tell.send(Database::create(&there, &other)).unwrap();
            }
        });
        let late = {
            let _armed = meanwhile.enter();
            Database::create(path, options)
        };
        let first = told.recv().unwrap().unwrap();
        let error = late.map(drop).unwrap_err();
        assert!(error.to_string().contains("open for writing"), "{error}");
        first.insert_edges(&[(0, 1)]).unwrap();
        first.close().unwrap();
        let db = Database::open(path, options).unwrap();
        assert_eq!(db.view().neighbors(0).unwrap(), [1]);
    });
}

#[test]
fn a_creation_is_undone_while_it_is_locked() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        let (there, other) = (path.to_path_buf(), options.clone());
        let tried = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&tried);
        let meanwhile = Scope::calling("database.removing", move |_| {
            for tried in [
                Database::open(&there, &other),
                Database::create(&there, &other),
            ] {
                let error = tried.map(drop).unwrap_err();
                assert!(error.to_string().contains("open for writing"), "{error}");
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        {
            let _armed = meanwhile.enter();
            db.undo_create().unwrap();
        }
        assert_eq!(tried.load(Ordering::Relaxed), 2);
        assert!(!path.exists());

        let db = Database::create(path, options).unwrap();
        fs::write(path.join("notes"), b"of the user").unwrap();
        // Large commits, for which the log gets another file.
        for _ in 0..2 {
            db.insert_edges(&vec![(0, 1); 20_000]).unwrap();
        }
        assert!(path.join("log.1").exists());
        db.undo_create().unwrap();
        let left = fs::read_dir(path).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["notes"]);
    });
}

/// An opening of the file from before its removal, which locks it afterwards, starts
/// anew.
#[test]
fn who_waits_while_a_creation_is_undone_locks_no_file_without_a_name() {
    on_each_medium(|path, options| {
        let undone = std::sync::Mutex::new(Some(Database::create(path, options).unwrap()));
        let meanwhile = Scope::calling("lock.pool-opened", move |_| {
            if let Some(db) = undone.lock().unwrap().take() {
                db.undo_create().unwrap();
            }
        });
        let opened = {
            let _armed = meanwhile.enter();
            Database::open(path, options)
        };
        let error = opened.map(drop).unwrap_err();
        assert!(error.to_string().contains("no file `pool`"), "{error}");
    });
}

#[test]
fn a_transaction_that_outlives_its_database_keeps_it_locked_and_can_commit() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let db = Database::create(&path, &property_graph()).unwrap();
    let mut tx = db.property_graph().unwrap().begin();
    let node = tx
        .create_node(&["Person"], [("name", "Ann".into())])
        .unwrap();
    drop(db);
    locked(&path, &Options::default());
    let text = refused(&path, &Options::default()).to_string();
    assert!(text.contains("in this process"), "{text}");
    tx.commit().unwrap();

    let db = Database::open(&path, &Options::default()).unwrap();
    let found = db.property_graph().unwrap().view().node(node).unwrap();
    let name = found.expect("committed").get("name").cloned();
    assert_eq!(name, Some(Value::from("Ann")));
}

#[test]
fn a_transaction_that_outlives_a_close_is_told_so() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let db = Database::create(&path, &property_graph()).unwrap();
    let graph = db.property_graph().unwrap();
    let create = |tx: &mut Transaction| tx.create_node(&["Person"], [("name", "Ann".into())]);
    let node = graph.write(create).unwrap();
    let (mut tx, mut late) = (graph.begin(), graph.begin());
    tx.create_node(&["Person"], [("name", "Bob".into())])
        .unwrap();
    db.close().unwrap();
    // It may still read its view, and write changes that can never be committed.
    let kept = late.node(node).unwrap().expect("committed");
    assert_eq!(kept.get("name"), Some(&Value::from("Ann")));
    drop(kept);
    late.create_node(&["Person"], [("name", "Cid".into())])
        .unwrap();
    for tx in [tx, late] {
        let closed = tx.commit().map(drop);
        assert!(matches!(
            closed,
            Err(GraphError::Topology(TopologyError::Closed))
        ));
    }
    let db = Database::open(&path, &Options::default()).unwrap();
    assert!(db.open_report().clean);
    assert_eq!(db.property_graph().unwrap().view().nodes().count(), 1);
}

#[test]
fn what_reads_keeps_a_closed_database_locked() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        db.insert_edges(&[(0, 1), (0, 2)]).unwrap();
        let request = Request {
            name: "d".to_string(),
            algorithm: "degrees".to_string(),
            ..Request::default()
        };
        db.maintain(&request, &Control::new()).unwrap();
        let view = db.view();
        let graph = view.graph().unwrap();
        let results = db.results().unwrap();
        let stored = results.get("d").unwrap();
        let store = Arc::clone(view.store());
        db.close().unwrap();

        // Both stores say why nothing is written any more.
        let mut batch = evergraph::Batch::new();
        batch.insert(&[(0, 3)]);
        assert!(matches!(store.commit(batch), Err(TopologyError::Closed)));
        assert!(matches!(store.checkpoint(), Err(TopologyError::Closed)));
        let error = results.remove(&["d"]).unwrap_err();
        assert!(
            error.to_string().contains("the database was closed"),
            "{error}"
        );
        assert_eq!(view.neighbors(0).unwrap(), [1, 2]);
        locked(path, options);
        drop((view, store));
        // The graph that an algorithm reads needs neither.
        locked(path, options);
        drop(graph);
        locked(path, options);
        drop(results);
        locked(path, options);
        drop(stored);
        let db = Database::open(path, options).unwrap();
        assert!(db.open_report().clean);
        assert_eq!(db.view().neighbors(0).unwrap(), [1, 2]);
        assert!(db.results().unwrap().get("d").is_some());
    });
}

#[test]
fn results_that_outlive_a_database_keep_it_locked_and_can_be_written() {
    on_each_medium(|path, options| {
        let db = Database::create(path, options).unwrap();
        db.insert_edges(&[(0, 1)]).unwrap();
        let request = Request {
            name: "d".to_string(),
            algorithm: "degrees".to_string(),
            ..Request::default()
        };
        db.maintain(&request, &Control::new()).unwrap();
        let results = db.results().unwrap();
        drop(db);
        locked(path, options);
        results.remove(&["d"]).unwrap();
        drop(results);
        let db = Database::open(path, options).unwrap();
        assert!(db.results().unwrap().get("d").is_none());
    });
}

/// The last is that of the directory in which the first is made.
#[test]
fn a_creation_makes_the_names_of_its_parents_durable() {
    on_each_medium(|path, options| {
        let made = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&made);
        let counting = Scope::calling("directory.name-made", move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let db = {
            let _armed = counting.enter();
            Database::create(path.join("a/b/c/db"), options).unwrap()
        };
        db.close().unwrap();
        assert_eq!(made.load(Ordering::Relaxed), 6);
    });
}
