//! The four kernels on views of the live store, beside a static graph in plain
//! memory: same graph, same sources, same threads, trials in turn.

pub mod kernels;
mod writing;

use std::collections::BTreeMap;

use evergraph::{Database, GraphView, Layout, MediumKind, Mode, Options};
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::{Meter, Times, median, minimum};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, is_byte_addressed, text};
use crate::table::{Table, number};
use kernels::{Kernel, Outcome};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "analyze",
    parameters: &[
        "degree",
        "graph",
        "simple",
        "source",
        "states",
        "kernels",
        "precision",
        "verify",
        "tail",
        "batch",
        "merges",
        "rewrite-growth",
    ],
    run,
};

/// States of the store that are measured.
const STATES: [&str; 6] = [
    "merged",
    "tail",
    "direct",
    "blocks",
    "blocks-compacted",
    WRITING,
];
/// Merges between which a store of blocks is ingested, unless told otherwise: a
/// list that grew in so many pieces lies in several blocks.
const MERGES: usize = 16;
/// The state in which a thread ingests meanwhile; it has a table of its own.
const WRITING: &str = "writing";

/// A graph that a kernel runs on.
enum Subject {
    Plain(Csr),
    /// The database is kept open beside its view.
    Live {
        view: Box<GraphView>,
        _db: Database,
        _place: Place,
    },
}

/// Of one kernel on one graph.
struct Medians {
    seconds: f64,
    cpu_seconds: f64,
    /// While all trials on all graphs ran.
    others: f64,
}

struct Named {
    name: String,
    subject: Subject,
}

impl Named {
    fn run(&self, kernel: Kernel) -> Result<Outcome, String> {
        match &self.subject {
            Subject::Plain(graph) => kernel.run(graph),
            Subject::Live { view, .. } => kernel.run(&**view),
        }
    }

    fn verify(&self, kernel: Kernel, outcome: &Outcome) -> Result<(), String> {
        match &self.subject {
            Subject::Plain(graph) => kernel.verify(graph, outcome),
            Subject::Live { view, .. } => kernel.verify(&**view, outcome),
        }
    }
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(16), true)?;
    let mut pins = Table::new(
        "views",
        &[
            "graph",
            "pin_seconds",
            "vertices",
            "arcs",
            "extent_bytes_per_arc",
            "tail_bytes",
        ],
    );
    let subjects = subjects(settings, &list, &mut pins)?;
    let kernels = chosen_kernels(settings, &subjects[0])?;
    let trials = settings.trials.unwrap_or(5);
    let mut times = Table::new(
        format!(
            "kernels on {}, median of {trials} trials in turn",
            list.name
        ),
        &[
            "kernel",
            "threads",
            "graph",
            "seconds",
            "seconds_best",
            "cpu_seconds",
            "ratio",
            "ratio_best",
            "ratio_cpu",
            "equal",
        ],
    );
    let mut summary: BTreeMap<(usize, &str), Vec<Vec<Medians>>> = BTreeMap::new();
    for &threads in &settings.threads {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(text)?;
        for &kernel in &kernels {
            settings.progress(&format!("analyze: {}, {threads} threads", kernel.name()));
            let medians = pool.install(|| measure(kernel, threads, trials, &subjects, &mut times));
            let of_kernel = summary.entry((threads, kernel.family())).or_default();
            of_kernel.push(medians?);
        }
    }
    if settings.flag("verify", true)? {
        for &kernel in &kernels {
            settings.progress(&format!("verifying {}", kernel.name()));
            for subject in &subjects {
                let outcome = subject.run(kernel)?;
                subject
                    .verify(kernel, &outcome)
                    .map_err(|error| format!("{} on {}: {error}", kernel.name(), subject.name))?;
            }
        }
    }
    let mut tables = vec![summarize(&summary, &subjects), times, pins];
    // What lies in memory for the other states is of no use any more.
    drop(subjects);
    if settings
        .names("states", &STATES)?
        .iter()
        .any(|state| state == WRITING)
    {
        tables.push(writing::measure(settings, &list, &kernels, trials)?);
    }
    Ok(tables
        .into_iter()
        .filter(|table| !table.is_empty())
        .collect())
}

/// Sums over the sources, so that a kernel is one row.
fn summarize(summary: &BTreeMap<(usize, &str), Vec<Vec<Medians>>>, subjects: &[Named]) -> Table {
    let mut table = Table::new(
        "summary: mean over the sources, ratio to the first graph",
        &[
            "kernel",
            "threads",
            "graph",
            "seconds",
            "cpu_seconds",
            "ratio",
            "ratio_cpu",
            "others",
        ],
    );
    for ((threads, family), sources) in summary {
        let mean = |graph: usize, what: fn(&Medians) -> f64| {
            let sum: f64 = sources.iter().map(|graphs| what(&graphs[graph])).sum();
            sum / sources.len() as f64
        };
        for (i, subject) in subjects.iter().enumerate() {
            let (seconds, cpu) = (mean(i, |m| m.seconds), mean(i, |m| m.cpu_seconds));
            table.row(vec![
                json!(family),
                json!(threads),
                json!(subject.name),
                number(seconds),
                number(cpu),
                number(seconds / mean(0, |m| m.seconds)),
                number(cpu / mean(0, |m| m.cpu_seconds)),
                number(mean(i, |m| m.others)),
            ]);
        }
    }
    table
}

/// The plain graphs first: sorted as GAP has it, and in the order of insertion
/// as the store has it.
fn subjects(
    settings: &Settings<'_>,
    list: &EdgeList,
    pins: &mut Table,
) -> Result<Vec<Named>, String> {
    let unsorted = Csr::from_edges(list.vertex_count, &list.edges, StoredLists::Undirected);
    let mut subjects = vec![
        Named {
            name: "csr, sorted".to_string(),
            subject: Subject::Plain(unsorted.clone().sorted()),
        },
        Named {
            name: "csr, order of insertion".to_string(),
            subject: Subject::Plain(unsorted),
        },
    ];
    let states = settings.names("states", &STATES)?;
    for state in states.iter().filter(|state| *state != WRITING) {
        settings.progress(&format!("analyze: loading the store, {state}"));
        subjects.push(live(settings, list, state, pins)?);
    }
    Ok(subjects)
}

fn live(
    settings: &Settings<'_>,
    list: &EdgeList,
    state: &str,
    pins: &mut Table,
) -> Result<Named, String> {
    let asked = settings.medium.unwrap_or(MediumKind::File);
    let (mode, medium) = match state {
        "direct" if !is_byte_addressed(asked) => (Mode::Direct, MediumKind::Dax),
        "direct" => (Mode::Direct, asked),
        _ => (Mode::Merged, asked),
    };
    let percent: usize = settings.parameter("tail", 5)?;
    if percent > 100 {
        return Err("tail is a share of the edges in percent".to_string());
    }
    let percent = if state == "tail" { percent } else { 0 };
    let tail = list.edges.len() * percent / 100;
    let place = Place::new(settings, medium)?;
    let layout = match state.starts_with("blocks") {
        true => Layout::Blocks,
        false => Layout::Pma,
    };
    let options = Options {
        layout,
        // The tail stays what it is.
        background: false,
        tuning: stores::tuning(settings)?,
        ..stores::options(settings, medium, mode, StoredLists::Undirected)
    };
    let db = Database::create(place.join("db"), &options).map_err(text)?;
    let (merged, unmerged) = list.edges.split_at(list.edges.len() - tail);
    let pieces = match layout {
        Layout::Blocks => settings.parameter("merges", MERGES)?,
        Layout::Pma => 1,
    };
    for piece in merged.chunks(merged.len().div_ceil(pieces.max(1)).max(1)) {
        stores::load(&db, list.vertex_count, piece)?;
    }
    if state == "blocks-compacted" {
        db.compact().map_err(text)?;
    }
    stores::insert(&db, unmerged, stores::LARGE_BATCH, None)?;
    let meter = Meter::start();
    let view = db.view().graph().map_err(text)?;
    let pinned = meter.stop();
    let stats = db.stats();
    let name = match tail {
        0 => format!("{state}, {}", medium.name()),
        _ => format!("{percent} % not merged, {}", medium.name()),
    };
    pins.row(vec![
        json!(name),
        number(pinned.seconds),
        json!(view.vertex_count()),
        json!(view.arc_count()),
        number(stats.extent_bytes as f64 / view.arc_count() as f64),
        json!(stats.tail_dram_bytes),
    ]);
    Ok(Named {
        name,
        subject: Subject::Live {
            view: Box::new(view),
            _db: db,
            _place: place,
        },
    })
}

fn chosen_kernels(settings: &Settings<'_>, first: &Named) -> Result<Vec<Kernel>, String> {
    let Subject::Plain(graph) = &first.subject else {
        return Err("the first graph is a plain one".to_string());
    };
    let sources = match settings.list("source", &[])? {
        none if none.is_empty() => random_sources(graph, settings.seed)?,
        given => given,
    };
    let double = match settings
        .parameter("precision", "single".to_string())?
        .as_str()
    {
        "single" => false,
        "double" => true,
        other => return Err(format!("precision is single or double, not {other:?}")),
    };
    let mut kernels = Vec::new();
    for name in settings.names("kernels", &["pagerank", "bfs", "cc", "bc"])? {
        match name.as_str() {
            "pagerank" => kernels.push(Kernel::PageRank { double }),
            "cc" => kernels.push(Kernel::Components),
            "bfs" => kernels.extend(sources.iter().map(|&s| Kernel::Bfs(s))),
            _ => kernels.extend(sources.iter().map(|&s| Kernel::Betweenness(s))),
        }
    }
    Ok(kernels)
}

/// Three vertices that have neighbors.
fn random_sources(graph: &Csr, seed: u64) -> Result<Vec<VertexId>, String> {
    if graph.arc_count() == 0 {
        return Err("the graph has no edges".to_string());
    }
    let mut random = Random::new(seed);
    let any = std::iter::repeat_with(|| random.below(graph.vertex_count() as u64) as VertexId);
    Ok(any
        .filter(|&v| !graph.neighbors(v).is_empty())
        .take(3)
        .collect())
}

fn measure(
    kernel: Kernel,
    threads: usize,
    trials: usize,
    subjects: &[Named],
    table: &mut Table,
) -> Result<Vec<Medians>, String> {
    let mut times = vec![Times::default(); subjects.len()];
    let mut equal = vec![true; subjects.len()];
    let whole = Meter::start();
    for trial in 0..trials {
        let mut expected = None;
        for (i, subject) in subjects.iter().enumerate() {
            let meter = Meter::start();
            let outcome = subject.run(kernel)?;
            times[i].add(meter.stop());
            if trial == 0 {
                equal[i] = expected
                    .get_or_insert_with(|| outcome.clone())
                    .equals(&outcome);
            }
        }
    }
    let others = whole.stop().others;
    let yardstick = &times[0];
    for ((subject, mine), equal) in subjects.iter().zip(&times).zip(equal) {
        table.row(vec![
            json!(kernel.name()),
            json!(threads),
            json!(subject.name),
            number(median(&mine.wall)),
            number(minimum(&mine.wall)),
            number(median(&mine.cpu)),
            number(median(&mine.wall) / median(&yardstick.wall)),
            number(minimum(&mine.wall) / minimum(&yardstick.wall)),
            number(median(&mine.cpu) / median(&yardstick.cpu)),
            json!(equal),
        ]);
    }
    Ok(times
        .iter()
        .map(|mine| Medians {
            seconds: median(&mine.wall),
            cpu_seconds: median(&mine.cpu),
            others,
        })
        .collect())
}
