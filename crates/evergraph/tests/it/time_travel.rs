//! Older commits of the graph: by name, date and number, and what keeps them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Barrier;

use evergraph::formats::TimeUnit;
use evergraph::graph::StoredLists;
use evergraph::import::{Every, ImportControl, ImportOptions, ImportReport, Series, import};
use evergraph::run::{Durable, Outcome, Request, Values, over, run};
use evergraph::{
    At, Batch, Cancellation, Control, Database, Error, MediumKind, Options, Retention, View,
    formats, maintain, time_of_text,
};
use proptest::prelude::*;

use crate::common::hold;

fn options() -> Options {
    Options {
        medium: MediumKind::Dram,
        ..Options::default()
    }
}

fn database(options: &Options) -> Database {
    Database::create("in memory", options).expect("a database")
}

fn at(text: &str) -> At {
    At::from_text(text)
}

fn name_at(db: &Database, text: &str) -> String {
    match db.moment(&at(text)) {
        Ok(moment) => moment.name().to_string(),
        Err(error) => error.to_string(),
    }
}

/// A database with snapshots `a`, of the end of May, and `b` and `c` of June.
fn with_snapshots() -> Database {
    let db = database(&options());
    for (edge, name, time) in [
        ((0, 1), "a", "2016-05"),
        ((1, 2), "b", "2016-06-15"),
        ((2, 3), "c", "2016-06"),
    ] {
        db.insert_edges(&[edge]).unwrap();
        db.create_snapshot(name, time_of_text(time)).unwrap();
    }
    db.insert_edges(&[(3, 4)]).unwrap();
    db
}

#[test]
fn moments_are_found_by_name_date_and_commit() {
    let db = with_snapshots();
    for (text, expected) in [
        ("a", "a"),
        (" c ", "c"),
        ("now", "now"),
        ("2", "a"),
        ("7", "now"),
        ("2016-05", "a"),
        ("2016-06-14", "a"),
        ("2016-06-15T12:00", "a"),
        ("2016-06-15T23:59:59Z", "b"),
        ("2016-06-16T00:59+01:00", "b"),
        ("2016-06", "c"),
        ("2030-01-01", "c"),
        (
            "2016-04",
            "2016-04-30T23:59:59Z is before the history (the earliest snapshot is `a`, of 2016-05-31T23:59:59Z)",
        ),
        (
            "3",
            "the graph as of commit 3 is not kept (the nearest are 2 (`a`), 4 (`b`), 7 (now))",
        ),
        (
            "99",
            "commit 99 is not there yet (the nearest are 6 (`c`), 7 (now))",
        ),
        ("aa", "there is no snapshot \"aa\" (did you mean `a`?)"),
        (
            "+2",
            "there is no snapshot \"+2\" (`evergraph snapshot DB list` shows what there is)",
        ),
        (
            "yesterday",
            "there is no snapshot \"yesterday\" (`evergraph snapshot DB list` shows what there is)",
        ),
    ] {
        assert_eq!(name_at(&db, text), expected, "{text}");
    }
    let neighbors = |text, vertex| db.as_of(&at(text)).unwrap().neighbors(vertex).unwrap();
    assert!(neighbors("a", 1).is_empty());
    assert_eq!(neighbors("b", 1), [2]);
    assert!(neighbors("b", 2).is_empty());
    assert_eq!(neighbors("now", 3), [4]);
    assert_eq!(db.as_of(&at("b")).unwrap().vertex_count(), 3);
    // A name comes before the date that it looks like.
    db.create_snapshot("2016-05", None).unwrap();
    assert_eq!(db.moment(&at("2016-05")).unwrap().csn, 8);
    assert_eq!(name_at(&db, "now"), "2016-05");
    let empty = database(&options());
    assert!(name_at(&empty, "x").starts_with("the database has no snapshots"));
    assert!(name_at(&empty, "2016-05").starts_with("the database has no snapshots"));
    assert_eq!(name_at(&empty, "now"), "now");
}

#[test]
fn ranges_hold_what_is_between() {
    let db = with_snapshots();
    let names = |from: Option<&str>, to: Option<&str>| {
        let (from, to) = (from.map(At::from_text), to.map(At::from_text));
        match db.moments(from.as_ref(), to.as_ref()) {
            Ok(moments) => {
                let names: Vec<_> = moments.iter().map(|m| m.name().to_string()).collect();
                names.join(" ")
            }
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(names(None, None), "a b c");
    assert_eq!(names(Some("a"), Some("b")), "a b");
    assert_eq!(names(Some("b"), None), "b c");
    assert_eq!(names(None, Some("now")), "a b c now");
    assert_eq!(names(Some("now"), Some("now")), "now");
    assert_eq!(names(Some("2016-06"), Some("2016-06")), "b c");
    assert_eq!(names(Some("2016-01"), Some("2016-05")), "a");
    assert_eq!(names(Some("4"), Some("6")), "b c");
    assert_eq!(
        names(Some("c"), Some("a")),
        "there is no snapshot in c..a (the range runs from the earlier to the later)"
    );
    assert!(names(Some("2016-07"), Some("2016-08")).starts_with("there is no snapshot in"));
    assert!(names(Some("nothing"), None).starts_with("there is no snapshot \"nothing\""));
    let from = At::Time(time_of_text("2016-06-15").unwrap());
    assert_eq!(db.moments(Some(&from), None).unwrap().len(), 2);
    // Two names of one commit are one moment.
    let mut batch = Batch::new();
    batch.create_snapshot("d", None).create_snapshot("e", None);
    db.commit(batch).unwrap();
    assert_eq!(names(Some("c"), None), "c d");
}

#[test]
fn names_that_stand_for_something_else_are_refused() {
    let db = with_snapshots();
    let long = "n".repeat(256);
    for (name, reason) in [
        ("", "it is empty"),
        ("17", "it is a number"),
        ("now", "it stands for the newest commit"),
        ("a..b", "between the ends of a range"),
        (" x", "a blank"),
        ("x\ny", "control characters"),
        ("run/x", "that belong to results"),
        ("maintain/x", "that belong to results"),
        (&long, "longer than 255"),
        ("a", "there is a snapshot \"a\" already"),
    ] {
        let error = db.create_snapshot(name, None).unwrap_err();
        assert!(error.to_string().contains(reason), "{name}: {error}");
    }
    // Nor below.
    assert!(db.store().create_snapshot("run/x", None).is_err());
    assert_eq!(db.snapshots().len(), 3);
    let unknown = db.drop_snapshots(&["a", "bb"]).unwrap_err();
    assert!(unknown.hint().contains("`b`"), "{unknown}");
    assert_eq!(db.snapshots().len(), 3);
}

fn maintained(name: &str) -> maintain::Request {
    maintain::Request {
        name: name.to_string(),
        algorithm: "degrees".to_string(),
        ..maintain::Request::default()
    }
}

#[test]
fn snapshots_of_results_are_no_moments_of_the_history() {
    let db = with_snapshots();
    db.maintain(&maintained("of-all"), &Control::new()).unwrap();
    let held = "maintain/of-all/1";
    assert_eq!(db.snapshots().last().unwrap().name, held);
    for (text, expected) in [
        ("9999-12-31", "c"),
        ("now", "now"),
        (held, held),
        ("8", held),
    ] {
        assert_eq!(name_at(&db, text), expected, "{text}");
    }
    for (range, expected) in [
        ("..", "a b c"),
        ("2016-06-20..", "c"),
        ("b..now", "b c now"),
        ("c..maintain/of-all/1", "c maintain/of-all/1"),
    ] {
        let moments = db.moments_of(range).unwrap();
        let names: Vec<_> = moments.iter().map(|moment| moment.name()).collect();
        assert_eq!(names.join(" "), expected, "{range}");
    }
    assert!(db.moments_of("2020-01-01..").is_err());
    let last_weeks = Retention {
        within: Some("3w".parse().unwrap()),
        ..Retention::default()
    };
    assert_eq!(db.prune(&last_weeks).unwrap().dropped, ["a"]);
    assert_eq!(db.flatten(None).unwrap(), ["b"]);
    assert_eq!(db.flatten(Some(&at("now"))).unwrap(), ["c"]);
    let earliest = name_at(&db, "2016-05");
    assert!(
        earliest.starts_with("the database has no snapshots"),
        "{earliest}"
    );
    db.insert_edges(&[(4, 5)]).unwrap();
    db.maintain(&maintained("of-all"), &Control::new()).unwrap();
}

#[test]
fn snapshots_that_no_result_needs_can_be_dropped_and_go_at_opening() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let options = Options::default();
    let db = Database::create(&path, &options).unwrap();
    db.insert_edges(&[(0, 1), (1, 2)]).unwrap();
    for name in [
        "run/pagerank",
        "run/of-all",
        "maintain/new/1",
        "maintain/of-all/9",
    ] {
        hold(&db, name);
    }
    hold(&db, "maintain/mine");
    db.maintain(&maintained("of-all"), &Control::new()).unwrap();
    hold(&db, "maintain/of-all/2");
    let needed = db.drop_snapshots(&["run/of-all", "maintain/of-all/1"]);
    let needed = needed.unwrap_err().to_string();
    assert!(
        needed.starts_with("a result needs the snapshot `maintain/of-all/1`"),
        "{needed}"
    );
    db.drop_snapshots(&["run/of-all"]).unwrap();
    db.close().unwrap();

    let db = Database::open(&path, &options).unwrap();
    let names: Vec<_> = db.snapshots().into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["maintain/mine", "maintain/of-all/1"]);
    db.drop_snapshots(&["maintain/mine"]).unwrap();
    db.drop_results(&["of-all"]).unwrap();
    assert!(db.snapshots().is_empty());
}

#[test]
fn a_run_that_keeps_no_state_leaves_no_snapshot() {
    let stopped = Cancellation::new();
    stopped.cancel();
    let stopped = Control::new().with_cancellation(&stopped);
    let request = Request {
        algorithm: "pagerank".to_string(),
        durable: Durable {
            checkpoint_every: Some(1),
            ..Durable::default()
        },
        ..Request::default()
    };
    let begin = |db: &Database, request: &Request, control: &Control<'_>| {
        let view = evergraph::run::view(db, request, None)?;
        assert_eq!(db.snapshots().len(), 1);
        let needed = db.drop_snapshots(&["run/pagerank"]).unwrap_err();
        assert!(
            needed.to_string().contains("needs the snapshot"),
            "{needed}"
        );
        run(db, &view, request, control, None)
    };
    let empty = database(&options());
    let none = begin(&empty, &request, &Control::new()).unwrap_err();
    assert!(none.to_string().contains("no vertices"), "{none}");
    assert!(empty.snapshots().is_empty());

    let db = database(&options());
    db.insert_edges(&[(0, 1), (1, 2), (2, 0), (2, 3)]).unwrap();
    let limited = Request {
        memory_limit: Some(1),
        ..request.clone()
    };
    let refused = begin(&db, &limited, &Control::new()).unwrap_err();
    assert!(refused.to_string().contains("the limit is 1"), "{refused}");
    assert!(db.snapshots().is_empty());
    let ended = begin(&db, &request, &stopped).unwrap_err();
    assert!(matches!(ended, Error::Interrupted { .. }), "{ended}");
    assert!(db.snapshots().is_empty());
    begin(&db, &request, &Control::new()).unwrap();
    assert!(db.snapshots().is_empty());

    // An impossible name is refused before anything is computed.
    let mut unnamed = request.clone();
    unnamed.durable.name = Some(String::new());
    let bad = evergraph::run::view(&db, &unnamed, None).err().unwrap();
    assert!(bad.to_string().contains("it is empty"), "{bad}");
    let mut kept = request;
    kept.durable = Durable {
        keep: Some("a\tb".to_string()),
        ..Durable::default()
    };
    let bad = run(&db, &db.view(), &kept, &stopped, None).unwrap_err();
    assert!(bad.to_string().contains("control characters"), "{bad}");
    assert!(db.snapshots().is_empty());
}

#[test]
fn a_dropped_snapshot_stays_with_those_who_look_at_it() {
    let db = with_snapshots();
    let view = db.as_of(&at("a")).unwrap();
    db.drop_snapshots(&["a"]).unwrap();
    db.delete_edges(&[(0, 1)]).unwrap();
    db.compact().unwrap();
    assert_eq!(view.neighbors(0).unwrap(), [1]);
    assert_eq!(
        name_at(&db, "2016-05").split(" (").next(),
        Some("2016-05-31T23:59:59Z is before the history")
    );
    assert!(db.as_of(&At::Csn(view.csn())).is_err());
}

#[test]
fn retention_keeps_what_its_rules_name() {
    let db = with_snapshots();
    let names = |db: &Database| {
        let names: Vec<_> = db.snapshots().into_iter().map(|s| s.name).collect();
        names.join(" ")
    };
    hold(&db, "run/base");
    let rules = Retention {
        last: Some(2),
        names: vec!["a*".to_string()],
        ..Retention::default()
    };
    db.set_retention(&rules).unwrap();
    assert_eq!(db.retention().unwrap(), rules);
    assert_eq!(names(&db), "a b c run/base");
    let last_day = Retention {
        within: Some("1d".parse().unwrap()),
        ..Retention::default()
    };
    db.set_retention(&last_day).unwrap();
    assert_eq!(names(&db), "c run/base");
    let too_old = db.create_snapshot("old", time_of_text("2016-06-01"));
    let too_old = too_old.unwrap_err().to_string();
    assert!(too_old.contains("would drop `old` at once"), "{too_old}");
    let there = db
        .create_snapshot("c", time_of_text("2016-06"))
        .unwrap_err();
    assert!(there.to_string().contains("already"), "{there}");
    db.create_snapshot("a", time_of_text("2016-06-30")).unwrap();
    db.set_retention(&rules).unwrap();
    assert_eq!(names(&db), "c run/base a");
    db.create_snapshot("d", None).unwrap();
    assert_eq!(names(&db), "run/base a d");
    let once = Retention {
        within: Some("1d".parse().unwrap()),
        ..Retention::default()
    };
    let pruned = db.prune(&once).unwrap();
    assert_eq!(pruned.dropped, ["a"]);
    assert_eq!(pruned.needed, [""; 0]);
    db.set_retention(&Retention::default()).unwrap();
    for i in 0..5 {
        db.create_snapshot(&format!("e{i}"), None).unwrap();
    }
    assert_eq!(db.snapshots().len(), 7);
    let nothing = Retention {
        last: Some(0),
        ..Retention::default()
    };
    assert!(matches!(db.prune(&nothing), Err(Error::Argument { .. })));
    let edges = Retention {
        within: Some(Every::Edges(3)),
        ..Retention::default()
    };
    assert!(db.set_retention(&edges).is_err());
}

/// Each application of the rules chooses among the snapshots that there are then.
#[test]
fn rules_are_applied_beside_each_other() {
    let db = with_snapshots();
    let rules = Retention {
        last: Some(1),
        ..Retention::default()
    };
    db.set_retention(&rules).unwrap();
    for round in 0..20 {
        for i in 0..30 {
            let name = format!("s{round}-{i}");
            db.store().create_snapshot(&name, None).unwrap();
        }
        let together = Barrier::new(3);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (db, rules, together) = (&db, &rules, &together);
                scope.spawn(move || {
                    together.wait();
                    match thread {
                        0 => drop(db.create_snapshot(&format!("s{round}"), None).unwrap()),
                        _ => drop(db.prune(rules).unwrap()),
                    }
                });
            }
        });
        assert_eq!(db.snapshots().len(), 1);
    }
}

#[test]
fn flattening_forgets_what_is_before() {
    let db = with_snapshots();
    assert_eq!(db.flatten(Some(&at("2016-06-20"))).unwrap(), ["a"]);
    assert_eq!(db.flatten(None).unwrap(), ["b"]);
    assert_eq!(db.flatten(None).unwrap(), [""; 0]);
    assert_eq!(db.as_of(&at("c")).unwrap().edge_count().unwrap(), 3);
    assert!(db.flatten(Some(&at("a"))).is_err());
}

fn file(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn series(every: &str) -> ImportOptions {
    ImportOptions {
        snapshots: Some(Series {
            every: every.parse().unwrap(),
            prefix: String::new(),
        }),
        ..ImportOptions::default()
    }
}

fn import_all(
    db: &Database,
    files: &[PathBuf],
    options: &ImportOptions,
) -> Result<ImportReport, Error> {
    let control = ImportControl {
        cancellation: Cancellation::new(),
        progress: &|_| {},
    };
    import(db, files, options, &control)
}

/// Name, edges and time of each snapshot.
fn listed(db: &Database) -> Vec<(String, u64, i64)> {
    let snapshots = db.snapshots().into_iter();
    snapshots
        .map(|s| (s.name, s.arc_count, s.time_us))
        .collect()
}

#[test]
fn steps_of_time_become_snapshots() {
    let place = tempfile::tempdir().unwrap();
    let text = "0 1 2016-04-30\n1 2 2016-05-01\n2 3 2016-05-31T23:59:59\n3 4 2016-08-01\n";
    let path = file(place.path(), "months.txt", text);
    let db = database(&options());
    let report = import_all(&db, &[path], &series("1mo")).unwrap();
    assert_eq!((report.snapshots, report.edges), (3, 4));
    // Without a first commit that only says that the import begins.
    assert_eq!(report.commits, 3);
    let end = |text| time_of_text(text).unwrap();
    let expected = [
        ("2016-04".to_string(), 1, end("2016-04")),
        ("2016-05".to_string(), 3, end("2016-05")),
        ("2016-08".to_string(), 4, end("2016-08")),
    ];
    assert_eq!(listed(&db), expected);
    // A month without edges looks like the one before.
    assert_eq!(name_at(&db, "2016-06"), "2016-05");
    assert_eq!(
        db.as_of(&at("2016-07-31")).unwrap().edge_count().unwrap(),
        3
    );
}

#[test]
fn edges_out_of_order_are_sorted_first() {
    let place = tempfile::tempdir().unwrap();
    let first = file(
        place.path(),
        "a.txt",
        "# ids\n5 6 86400\n1 2 0\n6 5 86400\n",
    );
    let second = file(place.path(), "b.txt", "7 8 3\n");
    for texts in [false, true] {
        let db = database(&Options {
            ids: if texts {
                evergraph::IdKind::Texts
            } else {
                evergraph::IdKind::Numbers
            },
            ..options()
        });
        let files = [first.clone(), second.clone()];
        let report = import_all(&db, &files, &series("1d")).unwrap();
        let place = format!("{}:3", first.display());
        assert_eq!(report.sorted_from.as_deref(), Some(&*place));
        let view = db.as_of(&at("1970-01-01")).unwrap();
        assert_eq!(view.edge_count().unwrap(), 2);
        let names: Vec<_> = (0..4).map(|v| db.vertex_name(v)).collect();
        assert_eq!(names, ["1", "2", "7", "8"]);
        assert_eq!(listed(&db).len(), 2);
    }
}

#[test]
fn steps_of_edges_go_on_over_imports() {
    let place = tempfile::tempdir().unwrap();
    let text: String = (0..25).map(|i| format!("{i} {}\n", i + 1)).collect();
    let path = file(place.path(), "path.txt", &text);
    let db = database(&options());
    let mut options = series("10");
    options.batch_edges = 7;
    import_all(&db, std::slice::from_ref(&path), &options).unwrap();
    import_all(&db, &[path], &options).unwrap();
    let listed = listed(&db);
    let names: Vec<_> = listed.iter().map(|row| (&*row.0, row.1)).collect();
    let expected = [10, 20, 25, 30, 40, 50].map(|n| (format!("edges-{n}"), n));
    assert_eq!(
        names,
        expected.iter().map(|e| (&*e.0, e.1)).collect::<Vec<_>>()
    );
}

#[test]
fn a_later_file_goes_on_with_the_open_step() {
    let place = tempfile::tempdir().unwrap();
    let db = database(&options());
    let may = file(place.path(), "may.txt", "0 1 2016-05-10\n");
    let more = file(place.path(), "more.txt", "1 2 2016-05-09\n2 3 2016-06-01\n");
    import_all(&db, &[may], &series("1mo")).unwrap();
    import_all(&db, &[more], &series("1mo")).unwrap();
    let names: Vec<_> = listed(&db).into_iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(
        names,
        [("2016-05".to_string(), 2), ("2016-06".to_string(), 3)]
    );
    let early = file(place.path(), "early.txt", "3 4 2016-05-20\n");
    let error = import_all(&db, &[early], &series("1mo")).unwrap_err();
    assert!(
        error.to_string().contains("the past cannot be changed"),
        "{error}"
    );
    assert_eq!(db.view().edge_count().unwrap(), 3);
    // A name that is in use for something else.
    let july = file(place.path(), "july.txt", "3 4 2016-07-20\n");
    db.create_snapshot("2016-07", Some(0)).unwrap();
    let error = import_all(&db, &[july], &series("1mo")).unwrap_err();
    assert!(
        error.to_string().contains("another snapshot `2016-07`"),
        "{error}"
    );
}

#[test]
fn events_and_units_of_time_are_read() {
    let place = tempfile::tempdir().unwrap();
    let text = "19971108 + 1 3\n19971108 + 3 2\n19971109 - 3 1\n19971110 + 2 4\n";
    let events = file(place.path(), "events.tsv", text);
    let db = database(&Options {
        direction: StoredLists::Undirected,
        ..options()
    });
    let mut options = series("1d");
    options.reading.time_unit = TimeUnit::Date;
    import_all(&db, &[events], &options).unwrap();
    let rows: Vec<_> = listed(&db)
        .into_iter()
        .map(|row| (row.0, row.1 / 2))
        .collect();
    let expected = [("1997-11-08", 2), ("1997-11-09", 1), ("1997-11-10", 2)];
    assert_eq!(
        rows,
        expected.map(|(name, edges)| (name.to_string(), edges))
    );
    let view = db.as_of(&at("1997-11-08")).unwrap();
    assert_eq!(view.neighbors(3).unwrap(), [1, 2]);
    assert_eq!(db.view().neighbors(3).unwrap(), [2]);
}

#[test]
fn input_that_cannot_be_cut_into_steps_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let db = database(&options());
    let complaint = |name: &str, text: &str, options: &ImportOptions| {
        let path = file(place.path(), name, text);
        import_all(&db, &[path], options).unwrap_err().to_string()
    };
    let no_times = complaint("a.txt", "0 1\n", &series("1d"));
    assert!(no_times.contains("too few columns"), "{no_times}");
    let far = complaint("b.txt", "0 1 999999999999999\n", &series("1d"));
    assert!(far.contains("--time-unit"), "{far}");
    let mut bad = series("1d");
    for (prefix, reason) in [("a..", "a range"), ("run/", "belong to results")] {
        bad.snapshots.as_mut().unwrap().prefix = prefix.to_string();
        let why = complaint("c.txt", "0 1 5\n", &bad);
        assert!(why.contains(reason), "{why}");
    }
    let mut none = series("1d");
    none.snapshots.as_mut().unwrap().every = Every::Edges(0);
    let none = complaint("d.txt", "0 1 5\n", &none);
    assert!(none.contains("no step"), "{none}");
    assert_eq!(db.view().vertex_count(), 0);
    let no_unit = formats::Options {
        timestamps: true,
        ..formats::Options::default()
    };
    for (text, unit) in [
        ("0 1 19971108\n1 2 19971109\n", TimeUnit::Date),
        ("0 1 1082040961000\n", TimeUnit::Milliseconds),
        ("0 1 1082040961\n", TimeUnit::Seconds),
        ("0 1 2016-05-01\n", TimeUnit::Seconds),
    ] {
        let path = file(place.path(), "probe.txt", text);
        assert_eq!(
            evergraph::import::probe_times(path, &no_unit).unwrap(),
            unit
        );
    }
}

/// An import that is stopped after each commit names the same snapshots.
#[test]
fn a_stopped_import_goes_on_with_its_steps() {
    let place = tempfile::tempdir().unwrap();
    let sorted: String = (0..60)
        .map(|i| format!("{} {} {}\n", i % 7, i % 5, i * 7000))
        .collect();
    let unsorted: String = sorted
        .lines()
        .rev()
        .map(|line| format!("{line}\n"))
        .collect();
    for text in [sorted, unsorted] {
        let lines: Vec<&str> = text.lines().collect();
        let with_bad = [&lines[..20], &["0 one 140000"], &lines[20..]].concat();
        let text = with_bad.join("\n");
        let path = [file(place.path(), "times.txt", &text)];
        for every in ["1d", "7"] {
            let mut options = series(every);
            options.batch_edges = 4;
            options.reading.skip_bad = 1;
            let whole = database(&self::options());
            let skipped = import_all(&whole, &path, &options).unwrap().skipped.count;
            assert_eq!(skipped, 1);
            let parts = database(&self::options());
            options.resume = true;
            let mut runs = 0;
            loop {
                runs += 1;
                assert!(runs < 100);
                let cancellation = Cancellation::new();
                let stop = cancellation.clone();
                let control = ImportControl {
                    cancellation,
                    progress: &|_| stop.cancel(),
                };
                match import(&parts, &path, &options, &control) {
                    Err(Error::Interrupted { .. }) => {}
                    other => break assert_eq!(other.unwrap().skipped.count, 1, "{every}"),
                }
            }
            assert!(runs > 10, "{runs}");
            assert_eq!(rows_of(&parts), rows_of(&whole), "{every}");
            for snapshot in whole.snapshots() {
                let name = At::Name(snapshot.name);
                let (a, b) = (whole.as_of(&name).unwrap(), parts.as_of(&name).unwrap());
                assert_eq!(lists(&a), lists(&b));
            }
        }
    }
}

/// Name and edges; times of steps of edges without times are those of the clock.
fn rows_of(db: &Database) -> Vec<(String, u64)> {
    listed(db).into_iter().map(|row| (row.0, row.1)).collect()
}

fn lists(view: &View) -> Vec<Vec<u32>> {
    let vertices = 0..view.vertex_count() as u32;
    vertices.map(|v| view.neighbors(v).unwrap()).collect()
}

/// Name of each snapshot of a range, and the outcome of an algorithm on it.
fn over_all(db: &Database, request: &Request) -> Vec<(String, Outcome)> {
    let moments = db.moments_of("..now").unwrap();
    let mut all = Vec::new();
    over(
        db,
        &moments,
        request,
        &Control::new(),
        None,
        |moment, outcome| {
            all.push((moment.name().to_string(), outcome));
            Ok(())
        },
    )
    .unwrap();
    all
}

/// A history in which edges only come, then also go; the vertices grow.
fn history(direction: StoredLists) -> Database {
    let db = database(&Options {
        direction,
        ..options()
    });
    db.create_snapshot("before", None).unwrap();
    let mut random = 7u32;
    let mut edge = |vertices: u32| {
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 8
        };
        (next() % vertices, next() % vertices)
    };
    for i in 0..12u32 {
        let vertices = 40 + 20 * i;
        let edges: Vec<_> = (0..30).map(|_| edge(vertices)).collect();
        db.insert_edges(&edges).unwrap();
        if i > 6 {
            db.delete_edges(&edges[..5]).unwrap();
        }
        db.create_snapshot(&format!("s{i}"), None).unwrap();
    }
    db.insert_edges(&[(0, 1)]).unwrap();
    db
}

#[test]
fn a_range_gives_what_separate_runs_give() {
    for direction in [StoredLists::Out, StoredLists::Both, StoredLists::Undirected] {
        let db = history(direction);
        for (algorithm, parameter) in [
            ("pagerank", None),
            ("pagerank", Some(("tolerance", "1e-9"))),
            ("pagerank", Some(("iterations", "5"))),
            ("connected-components", None),
            ("k-core", None),
        ] {
            let parameter = parameter.map(|(k, v)| (k.to_string(), v.to_string()));
            let verify = [("verify".to_string(), "true".to_string())];
            let request = Request {
                algorithm: algorithm.to_string(),
                parameters: verify.into_iter().chain(parameter.clone()).collect(),
                threads: Some(1),
                ..Request::default()
            };
            let found = over_all(&db, &request);
            // Before the first edge there is nothing to run on.
            assert_eq!(found.len(), 13);
            assert_eq!(found[12].0, "now");
            for (name, outcome) in found {
                assert_eq!(outcome.verified, Some(Ok(())), "{algorithm} {name}");
                let view = db.as_of(&at(&name)).unwrap();
                let alone = run(&db, &view, &request, &Control::new(), None).unwrap();
                assert_eq!(outcome.csn, alone.csn);
                match (&outcome.values, &alone.values) {
                    (Values::Reals(followed), Values::Reals(exact)) => {
                        let tolerance = match &parameter {
                            Some((_, value)) => value.parse().unwrap_or(1e-9),
                            None => 1e-6,
                        };
                        let pairs = followed.iter().zip(exact);
                        let error: f64 = pairs.map(|(a, b)| (a - b).abs()).sum();
                        assert_eq!(followed.len(), exact.len());
                        assert!(error < 10.0 * tolerance, "{name} {error}");
                    }
                    (found, expected) => {
                        assert_eq!(found, expected, "{algorithm} {name}");
                        assert_eq!(outcome.result, alone.result);
                    }
                }
            }
        }
    }
}

#[test]
fn a_range_of_runs_can_be_stopped() {
    let db = history(StoredLists::Out);
    let moments = db.moments_of("s1..s5").unwrap();
    assert_eq!(moments.len(), 5);
    let request = Request {
        algorithm: "pagerank".to_string(),
        ..Request::default()
    };
    let cancellation = Cancellation::new();
    let control = Control::new().with_cancellation(&cancellation);
    let mut seen = 0;
    let stopped = over(&db, &moments, &request, &control, None, |_, _| {
        seen += 1;
        cancellation.cancel();
        Ok(())
    });
    assert!(
        matches!(stopped, Err(Error::Interrupted { .. })),
        "{stopped:?}"
    );
    assert_eq!(seen, 1);
    let refused = over(&db, &moments, &request, &Control::new(), None, |_, _| {
        Err(Error::usage("enough", "stop"))
    });
    assert_eq!(refused.unwrap_err().to_string(), "enough (stop)");
    assert!(db.moments_of("s1").is_err());
    let limited = Request {
        memory_limit: Some(1 << 10),
        ..request
    };
    assert!(
        over(
            &db,
            &moments,
            &limited,
            &Control::new(),
            None,
            |_, _| Ok(())
        )
        .is_err()
    );
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(u32, u32)>),
    Delete(Vec<(u32, u32)>),
    Snapshot,
    Drop(usize),
    Checkpoint,
    Compact,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let edges = |count| prop::collection::vec((0..12u32, 0..12u32), 1..count);
    let step = prop_oneof![
        4 => edges(12).prop_map(Step::Insert),
        3 => edges(8).prop_map(Step::Delete),
        4 => Just(Step::Snapshot),
        1 => any::<usize>().prop_map(Step::Drop),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Compact),
    ];
    prop::collection::vec(step, 1..30)
}

/// The results of an algorithm, as texts.
fn values(db: &Database, view: &View, algorithm: &str) -> String {
    let request = Request {
        algorithm: algorithm.to_string(),
        threads: Some(1),
        ..Request::default()
    };
    let outcome = run(db, view, &request, &Control::new(), None).unwrap();
    format!("{:?} {:?}", outcome.result, outcome.values)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every snapshot of a random history shows what a database holds that got only
    /// the commits up to it.
    #[test]
    fn the_past_is_what_it_was(steps in steps(), undirected in any::<bool>()) {
        let direction = match undirected {
            true => StoredLists::Undirected,
            false => StoredLists::Both,
        };
        let options = Options { direction, ..options() };
        let db = database(&options);
        let mut history: Vec<Step> = Vec::new();
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        for (i, step) in steps.iter().enumerate() {
            match step {
                Step::Insert(edges) => drop(db.insert_edges(edges).unwrap()),
                Step::Delete(edges) => drop(db.delete_edges(edges).unwrap()),
                Step::Snapshot => {
                    let name = format!("s{i}");
                    db.create_snapshot(&name, None).unwrap();
                    kept.insert(name, history.len());
                }
                Step::Drop(which) => {
                    let count = kept.len().max(1);
                    if let Some(name) = kept.keys().nth(which % count).cloned() {
                        db.drop_snapshots(&[&name]).unwrap();
                        kept.remove(&name);
                    }
                }
                Step::Checkpoint => db.checkpoint().unwrap(),
                Step::Compact => db.compact().unwrap(),
            }
            if matches!(step, Step::Insert(_) | Step::Delete(_)) {
                history.push(step.clone());
            }
        }
        for (name, commits) in kept {
            let replayed = database(&options);
            for step in &history[..commits] {
                let mut batch = Batch::new();
                match step {
                    Step::Insert(edges) => batch.insert(edges),
                    Step::Delete(edges) => batch.delete(edges),
                    _ => unreachable!("only commits of edges are kept"),
                };
                replayed.commit(batch).unwrap();
            }
            let (past, expected) = (db.as_of(&At::Name(name)).unwrap(), replayed.view());
            prop_assert_eq!(lists(&past), lists(&expected));
            prop_assert_eq!(past.edge_count().unwrap(), expected.edge_count().unwrap());
            if past.vertex_count() == 0 {
                continue;
            }
            for algorithm in ["connected-components", "pagerank", "k-core", "bfs", "triangle-count"] {
                prop_assert_eq!(
                    values(&db, &past, algorithm),
                    values(&replayed, &expected, algorithm)
                );
            }
        }
    }
}
