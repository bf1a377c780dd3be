//! Results that follow their graph, against runs from scratch, by batch size.

use evergraph_algorithms::maintained::distances::{self, Length};
use evergraph_algorithms::maintained::{
    Changes, Entry, Summary, components, degrees, k_core, pagerank, triangles,
};
use evergraph_algorithms::pagerank::{Iterations, Parameters, run as rank};
use evergraph_algorithms::triangle_count::Detail;
use evergraph_algorithms::{
    Control, RunError, bfs, connected_components, delta_stepping, k_core as cores, triangle_count,
};
use evergraph_generators::Edge;
use evergraph_graph::{Csr, Graph, StoredLists, VertexId};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::{Meter, Times, median};
use crate::settings::Settings;
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "maintained",
    parameters: &[
        "degree",
        "direction",
        "graph",
        "parts",
        "problems",
        "simple",
    ],
    run,
};

const PROBLEMS: [&str; 7] = [
    "pagerank",
    "components",
    "degrees",
    "k-core",
    "triangles",
    "hops",
    "distances",
];

/// The graph after a batch, and what the batch changed.
struct Step {
    edges: usize,
    after: Csr,
    changes: Changes,
}

/// One problem: its state at the beginning, which each trial takes a copy of.
struct Problem<S> {
    start: S,
    update: fn(&mut S, &Csr, &Changes) -> Result<Summary, RunError>,
    /// A run from scratch; what it returns says whether a state agrees with it.
    scratch: Scratch<S>,
}

type Scratch<S> = Box<dyn Fn(&Csr) -> Result<Agrees<S>, RunError>>;
type Agrees<S> = Box<dyn Fn(&S, &Csr) -> bool>;

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(18), true)?;
    let direction = match settings
        .parameter("direction", "undirected".to_string())?
        .as_str()
    {
        "undirected" => StoredLists::Undirected,
        "both" => StoredLists::Both,
        other => return Err(format!("direction is undirected or both, not {other:?}")),
    };
    let parts = settings.list("parts", &[0.0, 1e-5, 1e-4, 1e-3, 1e-2])?;
    let problems = settings.names("problems", &PROBLEMS)?;
    let threads = settings.threads.last().copied().unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| error.to_string())?;

    let most = parts.iter().copied().fold(0.0, f64::max);
    let held_back = (list.edges.len() as f64 * most / 2.0).ceil() as usize + 1;
    let first = &list.edges[..list.edges.len() - held_back];
    let before = graph(list.vertex_count, first, direction);
    let steps: Vec<Step> = (parts.iter())
        .map(|&part| step(&list, held_back, part, direction))
        .collect();
    let mut table = Table::new(
        format!(
            "updates and runs from scratch on {}, {threads} threads, half of each batch \
             insertions",
            list.name
        ),
        &[
            "problem",
            "batch",
            "part",
            "update_seconds",
            "scratch_seconds",
            "scratch_over_update",
            "touched",
            "edges_read",
            "agrees",
        ],
    );
    let trials = settings.trials.unwrap_or(3);
    let source = (0..list.vertex_count as VertexId)
        .max_by_key(|&v| before.neighbors(v).len())
        .unwrap_or(0);
    for name in &problems {
        settings.progress(name);
        let rows = pool.install(|| measure(name, &before, source, &steps, trials));
        for row in rows.map_err(|error| error.to_string())? {
            table.row(row.values(name, list.edges.len()));
        }
    }
    Ok(vec![table])
}

fn graph(vertex_count: usize, edges: &[Edge], direction: StoredLists) -> Csr {
    Csr::from_edges(vertex_count, edges, direction)
}

/// Half a batch of the edges held back comes, and half of one of the oldest goes.
fn step(list: &EdgeList, held_back: usize, part: f64, direction: StoredLists) -> Step {
    let edges = ((list.edges.len() as f64 * part) as usize).max(1);
    let (inserted, deleted) = (edges.div_ceil(2), edges / 2);
    let held = list.edges.len() - held_back;
    let entries =
        |edges: &[Edge]| -> Vec<Entry> { edges.iter().map(|&(u, v)| (u, v, 1.0)).collect() };
    Step {
        edges,
        after: graph(
            list.vertex_count,
            &list.edges[deleted..held + inserted],
            direction,
        ),
        changes: Changes::of_edges(
            direction,
            &entries(&list.edges[held..held + inserted]),
            &entries(&list.edges[..deleted]),
        ),
    }
}

/// Measures one problem; none of the rows if it is not one of this graph.
fn measure(
    name: &str,
    before: &Csr,
    source: VertexId,
    steps: &[Step],
    trials: usize,
) -> Result<Vec<Row>, RunError> {
    let control = Control::new();
    macro_rules! follow {
        ($start:expr, $scratch:expr) => {
            Problem {
                start: $start,
                update: |state, after, changes| state.update(after, changes, &Control::new()),
                scratch: Box::new($scratch),
            }
            .measure(steps, trials)
        };
    }
    match name {
        "pagerank" => follow!(
            pagerank::start(before, &pagerank::Parameters::default(), &control)?,
            ranks_from_scratch
        ),
        "components" => follow!(components::start(before, &control)?, |after| {
            let labels = connected_components::run(after, &Control::new())?.labels;
            Ok(Box::new(move |state, _| state.labels() == labels))
        }),
        "degrees" => Problem {
            start: degrees::start(before, &control)?,
            update: |state, after, changes| Ok(state.update(after, changes)),
            scratch: Box::new(|after| {
                let degrees = degrees::start(after, &Control::new())?;
                Ok(Box::new(move |state, _| *state == degrees))
            }),
        }
        .measure(steps, trials),
        "hops" => follow!(
            distances::start(before, source, Length::Edges, &control)?,
            move |after| {
                let depths = bfs::run(after, source, &Control::new())?.depths;
                Ok(Box::new(move |state, _| state.depths() == depths))
            }
        ),
        "distances" => follow!(
            distances::start(before, source, Length::Weights, &control)?,
            move |after| {
                let parameters = delta_stepping::Parameters::default();
                let found = delta_stepping::run(after, source, &parameters, &Control::new())?;
                Ok(Box::new(move |state, _| {
                    state.distances() == found.distances
                }))
            }
        ),
        _ if before.stored_lists() != StoredLists::Undirected => Ok(Vec::new()),
        "k-core" => follow!(k_core::start(before, &control)?, |after| {
            let found = cores::run(after, &cores::Parameters::default(), &Control::new())?;
            Ok(Box::new(move |state, _| state.coreness() == found.coreness))
        }),
        _ => follow!(triangles::start(before, &control)?, |after| {
            let found = triangle_count::run(after, Detail::Vertices, &Control::new())?;
            Ok(Box::new(move |state, _| *state.counts() == found))
        }),
    }
}

/// Ranks from scratch; others agree with them if they are as near to the exact ones.
fn ranks_from_scratch(after: &Csr) -> Result<Agrees<pagerank::Ranks>, RunError> {
    let control = Control::new();
    let scratch = rank(after, &Parameters::default(), &control)?.ranks;
    Ok(Box::new(move |state, after| {
        let longer = Parameters {
            iterations: Iterations::Fixed(150),
            ..Parameters::default()
        };
        let Ok(exact) = rank(after, &longer, &Control::new()) else {
            return false;
        };
        let error = |ranks: &[f64]| -> f64 {
            let pairs = ranks.iter().zip(&exact.ranks);
            pairs.map(|(a, b)| (a - b).abs()).sum()
        };
        error(&state.ranks()) <= error(&scratch)
    }))
}

/// Cost of a batch.
struct Row {
    edges: usize,
    update: f64,
    scratch: f64,
    summary: Summary,
    agrees: bool,
}

impl Row {
    fn values(&self, problem: &str, edges: usize) -> Vec<serde_json::Value> {
        vec![
            json!(problem),
            json!(self.edges),
            number(self.edges as f64 / edges as f64),
            number(self.update),
            number(self.scratch),
            number(self.scratch / self.update),
            json!(self.summary.touched),
            json!(self.summary.edges_read),
            json!(self.agrees),
        ]
    }
}

impl<S: Clone> Problem<S> {
    /// Updates and runs from scratch in turn.
    fn measure(&self, steps: &[Step], trials: usize) -> Result<Vec<Row>, RunError> {
        let mut rows = Vec::new();
        for step in steps {
            let (mut updates, mut scratches) = (Times::default(), Times::default());
            let (mut summary, mut agrees) = (Summary::default(), true);
            for _ in 0..trials {
                let mut state = self.start.clone();
                let meter = Meter::start();
                summary = (self.update)(&mut state, &step.after, &step.changes)?;
                updates.add(meter.stop());
                let meter = Meter::start();
                let judge = (self.scratch)(&step.after)?;
                scratches.add(meter.stop());
                agrees &= judge(&state, &step.after);
            }
            rows.push(Row {
                edges: step.edges,
                update: median(&updates.wall),
                scratch: median(&scratches.wall),
                summary,
                agrees,
            });
        }
        Ok(rows)
    }
}
