//! Stored texts of runs, by algorithm: a result is found again by the parameters that
//! it was stored with, a run goes on from the columns of its state, and a maintained result
//! from its own.
//!
//! `UPDATE_EXPECT=1 cargo test -p evergraph --test it pins` writes the files anew. A
//! difference is a change of what is stored: golden databases say whether the old is read.

use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};

use evergraph::algorithms::Progress;
use evergraph::formats::Format;
use evergraph::graph::{ColumnKind, StoredLists};
use evergraph::maintain::{self, maintainable};
use evergraph::property::FileKind;
use evergraph::run::{self, Algorithm, Durable, Request, algorithms};
use evergraph::state::Stored;
use evergraph::{Batch, Cancellation, Control, Database, Edges, Layout, MediumKind, Options};
use expect_test::expect_file;

#[test]
fn words_of_the_command_line_are_pinned() {
    let names = |all: &[&str]| all.join(" ");
    let media: Vec<&str> = MediumKind::ALL.iter().map(|medium| medium.0).collect();
    assert_eq!(names(&media), "file dax battery dram");
    let layouts: Vec<&str> = Layout::ALL.iter().map(|layout| layout.0).collect();
    assert_eq!(names(&layouts), "pma blocks");
    let kinds: Vec<&str> = FileKind::ALL.iter().map(|kind| kind.0).collect();
    let pinned = "neo4j ldbc jsonl graphml parquet arrow tables";
    assert_eq!(names(&kinds), pinned);
    let formats = Format::ALL.map(Format::name);
    assert_eq!(names(&formats), "edgelist csv mtx gr metis events");
}

/// Two squares with a diagonal each, joined by an edge; weights are whole.
fn database() -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        direction: StoredLists::Undirected,
        weighted: true,
        ..Options::default()
    };
    let db = Database::create("in memory", &options).unwrap();
    let edges = [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 0),
        (0, 2),
        (3, 4),
        (4, 5),
        (5, 6),
        (6, 7),
        (7, 4),
        (4, 6),
    ];
    let mut batch = Batch::new();
    batch.insert_columns(Edges {
        sources: edges.iter().map(|edge| edge.0).collect(),
        targets: edges.iter().map(|edge| edge.1).collect(),
        weights: (1..)
            .map(|weight| weight as f32)
            .take(edges.len())
            .collect(),
    });
    db.commit(batch).unwrap();
    db
}

/// Columns, notes and parameters of a result; values only of notes that are words.
fn described(stored: &Stored) -> String {
    let description = stored.description();
    let mut text = format!("of {}", description.algorithm);
    for (name, value) in &description.parameters {
        let _ = write!(text, "\n  parameter {name}={value}");
    }
    for (name, value) in &description.notes {
        let is_word = ["values", "format", "reads", "maintained"].contains(&name.as_str());
        let kind = value.split(' ').next().unwrap_or_default();
        let _ = match name.strip_prefix("result.") {
            Some(_) => write!(text, "\n  note {name}: {kind}"),
            None if is_word => write!(text, "\n  note {name}: {value}"),
            None => write!(text, "\n  note {name}: {} characters", value.len()),
        };
    }
    for (name, kind, _) in stored.columns() {
        let _ = write!(text, "\n  column {name}: {}", word(kind));
    }
    text + "\n"
}

fn word(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::U8 => "u8",
        ColumnKind::U32 => "u32",
        ColumnKind::U64 => "u64",
        ColumnKind::F32 => "f32",
        ColumnKind::F64 => "f64",
    }
}

/// Each parameter that is not the default is stored.
fn given(algorithm: &Algorithm) -> Vec<(String, String)> {
    let values = [
        ("source", "1"),
        ("seed", "5"),
        ("damping", "0.5"),
        ("infected", "1,2"),
    ];
    let known = |name| {
        algorithm
            .all_parameters()
            .any(|parameter| parameter.name == name)
    };
    let given = values.into_iter().filter(|(name, _)| known(*name));
    given
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

fn request(algorithm: &Algorithm, durable: Durable) -> Request {
    Request {
        algorithm: algorithm.name.to_string(),
        parameters: given(algorithm),
        threads: Some(1),
        durable,
        ..Request::default()
    }
}

#[test]
fn what_results_hold_is_pinned() {
    let db = database();
    let mut text = String::new();
    for algorithm in algorithms() {
        let durable = Durable {
            keep: Some(algorithm.name.to_string()),
            ..Durable::default()
        };
        let wanted = request(algorithm, durable);
        match run::run(&db, &db.view(), &wanted, &Control::new(), None) {
            Ok(_) => {
                let stored = db.results().unwrap().find(algorithm.name).unwrap();
                text += &described(&stored);
            }
            Err(error) => {
                text += &format!("of {}\n  refused: {}\n", algorithm.name, error.summary())
            }
        }
    }
    expect_file!["pins/results.txt"].assert_eq(&text);
}

/// The first state that a run keeps, if it keeps any.
fn first_state(db: &Database, algorithm: &Algorithm) -> Option<String> {
    let durable = Durable {
        checkpoint_every: Some(1),
        name: Some("state".to_string()),
        ..Durable::default()
    };
    let wanted = request(algorithm, durable);
    for calls in 1..200 {
        let stop = Cancellation::new();
        let seen = AtomicU32::new(0);
        let show = |_: Progress| {
            if seen.fetch_add(1, Ordering::Relaxed) + 1 == calls {
                stop.cancel();
            }
        };
        let control = Control::new().with_cancellation(&stop).with_progress(&show);
        let view = run::view(db, &wanted, None).ok()?;
        let ran = run::run(db, &view, &wanted, &control, None);
        drop(view);
        if let Some(state) = db.results().unwrap().get("state") {
            let text = described(&state);
            db.drop_results(&["state"]).unwrap();
            return Some(text);
        }
        if ran.is_ok() {
            return None;
        }
    }
    None
}

#[test]
fn what_states_of_runs_hold_is_pinned() {
    let db = database();
    let states = algorithms().filter_map(|algorithm| first_state(&db, algorithm));
    expect_file!["pins/states.txt"].assert_eq(&states.collect::<String>());
}

#[test]
fn what_maintained_results_hold_is_pinned() {
    let db = database();
    let mut text = String::new();
    for algorithm in maintainable() {
        let request = maintain::Request {
            name: algorithm.to_string(),
            algorithm: algorithm.to_string(),
            threads: Some(1),
            ..maintain::Request::default()
        };
        match db.maintain(&request, &Control::new()) {
            Ok(_) => text += &described(&db.results().unwrap().find(algorithm).unwrap()),
            Err(error) => text += &format!("of {algorithm}\n  refused: {}\n", error.summary()),
        }
    }
    let snapshots: Vec<String> = db.snapshots().into_iter().map(|s| s.name).collect();
    text += &format!("{snapshots:?}\n");
    expect_file!["pins/maintained.txt"].assert_eq(&text);
}
