//! From opening a database to the first correct answer, after a clean stop and
//! after a kill. A kill is a copy of the files while the database is open: what
//! another process would find.

use std::path::Path;
use std::time::Instant;

use evergraph::{Database, Layout, MediumKind, Mode, Options};
use evergraph_generators::Edge;
use evergraph_graph::StoredLists;
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::median;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, is_byte_addressed, mode_name, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "recovery",
    parameters: &[
        "degree", "graph", "simple", "scales", "tail", "batch", "modes", "layouts",
    ],
    run,
};

/// Neighbors in the order in which the answer must give them.
struct Question {
    source: u32,
    expected: Vec<u32>,
    arcs: u64,
}

impl Question {
    /// About the end of the newest edge.
    fn about(edges: &[Edge]) -> Self {
        let source = edges.last().map_or(0, |edge| edge.0);
        let out = edges.iter().filter(|edge| edge.0 == source);
        Question {
            source,
            expected: out.map(|edge| edge.1).collect(),
            arcs: edges.len() as u64,
        }
    }
}

/// How long one opening took.
struct Opening {
    open: f64,
    first_answer: f64,
    whole_graph: f64,
    replayed_entries: u64,
    was_clean: bool,
    /// Bytes that the system fetched from devices up to the first answer.
    read_bytes: u64,
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let default = match settings.scale {
        Some(scale) => vec![scale],
        None => vec![14, 16, 18],
    };
    let scales: Vec<u32> = settings.list("scales", &default)?;
    let modes = settings.names("modes", &["merged", "direct"])?;
    let tail: usize = settings.parameter("tail", 1_000_000)?;
    let batch: usize = settings.parameter("batch", 10_000)?;
    if batch == 0 {
        return Err("a commit has at least 1 edge".to_string());
    }
    let media = match settings.medium {
        Some(MediumKind::Dram) => return Err("nothing of dram is left to recover".to_string()),
        Some(medium) => vec![medium],
        None => vec![MediumKind::File, MediumKind::Dax],
    };
    let mut table = Table::new(
        format!("recovery, the last {tail} edges at most not merged"),
        &[
            "medium",
            "mode",
            "layout",
            "stop",
            "graph",
            "edges",
            "tail_edges",
            "open_seconds",
            "first_answer_seconds",
            "total_seconds",
            "replayed_entries",
            "entries_per_second",
            "whole_graph_seconds",
            "cold_total_seconds",
            "cold_read_bytes",
            "as_expected",
        ],
    );
    for scale in scales {
        let list = EdgeList::load(settings, scale, false)?;
        for &medium in &media {
            for mode in &modes {
                let (mode, layouts) = match mode.as_str() {
                    "direct" if !is_byte_addressed(medium) => continue,
                    "direct" => (Mode::Direct, vec![Layout::Pma]),
                    _ => (Mode::Merged, settings.layouts()?),
                };
                for layout in layouts {
                    let options = Options {
                        layout,
                        background: false,
                        ..stores::options(settings, medium, mode, StoredLists::Out)
                    };
                    measure(settings, &list, &options, (tail, batch), &mut table)?;
                }
            }
        }
    }
    Ok(vec![table])
}

fn measure(
    settings: &Settings<'_>,
    list: &EdgeList,
    options: &Options,
    (tail, batch): (usize, usize),
    table: &mut Table,
) -> Result<(), String> {
    let Options {
        medium,
        mode,
        layout,
        ..
    } = *options;
    settings.progress(&format!(
        "recovery: {}, {}, on {}, {}",
        mode_name(mode),
        layout.name(),
        medium.name(),
        list.name
    ));
    let place = Place::new(settings, medium)?;
    let (killed, clean) = (place.join("killed"), place.join("clean"));
    let db = Database::create(&clean, options).map_err(text)?;
    let tail = tail.min(list.edges.len() / 2);
    let (merged, unmerged) = list.edges.split_at(list.edges.len() - tail);
    stores::load(&db, list.vertex_count, merged)?;
    stores::insert(&db, unmerged, batch, None)?;
    copy(&clean, &killed)?;
    db.close().map_err(text)?;

    let question = Question::about(&list.edges);
    for (stop, database) in [("kill", &killed), ("clean", &clean)] {
        let (mut openings, mut cold) = (Vec::new(), Vec::new());
        for _ in 0..settings.trials.unwrap_or(3) {
            for is_cold in [false, true] {
                let copied = place.join("opened");
                copy(database, &copied)?;
                if is_cold {
                    drop_from_cache(&copied)?;
                }
                let opening = open(&copied, options, &question)?;
                match is_cold {
                    true => cold.push(opening),
                    false => openings.push(opening),
                }
                std::fs::remove_dir_all(&copied).map_err(text)?;
            }
        }
        // Files in memory cannot be dropped, nor can what others have mapped.
        if cold.iter().any(|opening| opening.read_bytes == 0) {
            settings.progress("recovery: nothing was read from a device; no cold figures");
            cold.clear();
        }
        let cold_total: Vec<f64> = cold.iter().map(|o| o.open + o.first_answer).collect();
        let cold_read = cold.iter().map(|o| o.read_bytes).max();
        let middle = |of: fn(&Opening) -> f64| median(&openings.iter().map(of).collect::<Vec<_>>());
        let (opened, answer) = (middle(|o| o.open), middle(|o| o.first_answer));
        let replayed = openings[0].replayed_entries;
        table.row(vec![
            json!(medium.name()),
            json!(mode_name(mode)),
            json!(layout.name()),
            json!(stop),
            json!(list.name),
            json!(list.edges.len()),
            json!(if stop == "kill" { tail } else { 0 }),
            number(opened),
            number(answer),
            number(opened + answer),
            json!(replayed),
            if replayed > 0 {
                number(replayed as f64 / opened)
            } else {
                json!(null)
            },
            number(middle(|o| o.whole_graph)),
            match cold.is_empty() {
                true => json!(null),
                false => number(median(&cold_total)),
            },
            json!(cold_read),
            json!(openings.iter().all(|o| o.was_clean == (stop == "clean"))),
        ]);
    }
    Ok(())
}

/// Copies what a kill would leave, file by file, as it is.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::create_dir(to).map_err(text)?;
    for entry in std::fs::read_dir(from).map_err(text)? {
        let entry = entry.map_err(text)?;
        std::fs::copy(entry.path(), to.join(entry.file_name())).map_err(text)?;
        // Opening syncs what it finds; the copy's own debts are paid before.
        let copied = std::fs::File::open(to.join(entry.file_name())).map_err(text)?;
        copied.sync_all().map_err(text)?;
    }
    Ok(())
}

/// Asks the system to forget the contents of the files, which are on the medium.
fn drop_from_cache(directory: &Path) -> Result<(), String> {
    for entry in std::fs::read_dir(directory).map_err(text)? {
        let file = std::fs::File::open(entry.map_err(text)?.path()).map_err(text)?;
        rustix::fs::fdatasync(&file).map_err(text)?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).map_err(text)?;
    }
    Ok(())
}

/// Bytes that this process made the system fetch from devices; 0 if unknown.
fn fetched_bytes() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let mut fields = io
        .lines()
        .filter_map(|line| line.strip_prefix("read_bytes: "));
    fields
        .next()
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(0)
}

/// Opens, asks, and checks the answer against the edges that were inserted.
fn open(path: &Path, options: &Options, question: &Question) -> Result<Opening, String> {
    let fetched = fetched_bytes();
    let began = Instant::now();
    let db = Database::open(path, options).map_err(text)?;
    let opened = began.elapsed().as_secs_f64();
    let view = db.view();
    let neighbors = view.neighbors(question.source).map_err(text)?;
    let answered = began.elapsed().as_secs_f64();
    let read_bytes = fetched_bytes() - fetched;
    if neighbors != question.expected {
        return Err(format!(
            "vertex {} has {} neighbors after recovery instead of {}",
            question.source,
            neighbors.len(),
            question.expected.len()
        ));
    }
    let graph = view.graph().map_err(text)?;
    let whole = began.elapsed().as_secs_f64();
    let arcs = evergraph_graph::Graph::arc_count(&graph);
    if arcs != question.arcs {
        return Err(format!(
            "{arcs} edges after recovery instead of {}",
            question.arcs
        ));
    }
    let report = *db.open_report();
    Ok(Opening {
        open: opened,
        first_answer: answered - opened,
        whole_graph: whole - answered,
        replayed_entries: report.replayed_entries,
        was_clean: report.clean,
        read_bytes,
    })
}
