//! An index and a constraint on many nodes, made while writers commit: what they cost the
//! writers, beside what it costs them to be kept off for a moment.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evergraph_property_graph::graph::{Definition, GraphError, NodeId, PropertyGraph, Rule};
use serde_json::json;

use super::graph::{empty, text};
use crate::settings::Settings;
use crate::table::{Table, number};

/// Nodes of one bulk load.
const LOADED_AT_ONCE: u64 = 100_000;

/// An activity beside the writers, from one moment until another.
struct Phase {
    name: &'static str,
    began: Instant,
    ended: Instant,
    error: Option<String>,
}

impl Phase {
    fn of(name: &'static str, work: impl FnOnce() -> Result<(), GraphError>) -> Self {
        let began = Instant::now();
        let error = work().err().map(text);
        Phase {
            name,
            began,
            ended: Instant::now(),
            error,
        }
    }

    fn seconds(&self) -> f64 {
        (self.ended - self.began).as_secs_f64()
    }
}

pub fn run(settings: &Settings<'_>) -> Result<Table, String> {
    let nodes = settings.scale.map_or(1_000_000, |scale| 1 << scale);
    let nodes: u64 = settings.parameter("nodes", nodes)?;
    let writers: usize = settings.parameter("writers", 8)?;
    let seconds: f64 = settings.parameter("seconds", 3.0)?;
    let pause = Duration::try_from_secs_f64(seconds).map_err(text)?;
    if nodes == 0 || nodes > 1 << 29 || writers == 0 {
        return Err("there are 1 to 2^29 nodes, and one writer at least".to_string());
    }
    let (graph, _storage, _place) = empty(settings)?;
    load(&graph, nodes).map_err(text)?;
    let (next, is_done) = (AtomicU64::new(nodes), AtomicBool::new(false));
    let (phases, commits) = std::thread::scope(|scope| {
        let write = || write(&graph, nodes, &next, &is_done);
        let threads: Vec<_> = (0..writers).map(|_| scope.spawn(write)).collect();
        let phases = phases(&graph, pause);
        is_done.store(true, Ordering::Release);
        let commits: Result<Vec<_>, GraphError> = threads
            .into_iter()
            .map(|thread| thread.join().expect("a writer does not panic"))
            .collect();
        (phases, commits)
    });
    let commits = commits.map_err(text)?;
    let problems = graph.check().problems;
    match problems.first() {
        Some(problem) => Err(problem.clone()),
        None => Ok(table(nodes, &phases, &commits)),
    }
}

fn load(graph: &PropertyGraph, nodes: u64) -> Result<(), GraphError> {
    for first in (0..nodes).step_by(LOADED_AT_ONCE as usize) {
        let mut load = graph.load();
        for number in first..nodes.min(first + LOADED_AT_ONCE) {
            load.create_node(&["Person"], [("number", (number as i64).into())])?;
        }
        load.commit()?;
    }
    graph.checkpoint()?;
    Ok(())
}

/// Writers alone, and beside definitions: of relationships, of which there are none, so
/// that nothing but the switch takes time, and of the nodes.
fn phases(graph: &PropertyGraph, pause: Duration) -> Vec<Phase> {
    let alone = || {
        std::thread::sleep(pause);
        Ok(())
    };
    let none = |name, rule| Definition::of_relationships(name, "KNOWS", &["number"], rule);
    let all = |name, rule| Definition::of_nodes(name, "Person", &["number"], rule);
    let define = |definition: Definition| move || graph.define(&definition);
    vec![
        Phase::of("before", alone),
        Phase::of("index on nothing", define(none("a", Rule::Index))),
        Phase::of("writers alone", alone),
        Phase::of("constraint on nothing", define(none("b", Rule::Unique))),
        Phase::of("writers alone", alone),
        Phase::of("index", define(all("c", Rule::Index))),
        Phase::of("writers alone", alone),
        Phase::of("constraint", define(all("d", Rule::Unique))),
        Phase::of("after", alone),
    ]
}

/// Commits small transactions, each with a number that no other has, and gives when each
/// was acknowledged.
fn write(
    graph: &PropertyGraph,
    nodes: u64,
    next: &AtomicU64,
    is_done: &AtomicBool,
) -> Result<Vec<Instant>, GraphError> {
    let mut commits = Vec::new();
    while !is_done.load(Ordering::Acquire) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let value = number as i64;
        graph.write(|own| match number % 2 {
            0 => own
                .create_node(&["Person"], [("number", value.into())])
                .map(|_| ()),
            _ => {
                let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
                own.set(NodeId((mixed % nodes) as u32), "number", value)
            }
        })?;
        commits.push(Instant::now());
    }
    Ok(commits)
}

fn table(nodes: u64, phases: &[Phase], commits: &[Vec<Instant>]) -> Table {
    let writers = commits.len();
    let mut table = Table::new(
        format!("{writers} writers, and definitions on {nodes} nodes"),
        &[
            "phase",
            "outcome",
            "seconds",
            "commits_per_second",
            "over_before",
            "longest_pause_ms",
        ],
    );
    let mut before = None;
    for phase in phases {
        let rate = committed(phase, commits) as f64 / phase.seconds();
        let before = *before.get_or_insert(rate);
        table.row(vec![
            json!(phase.name),
            json!(phase.error.as_deref().unwrap_or("done")),
            number(phase.seconds()),
            number(rate),
            number(rate / before),
            number(longest_pause(phase, commits).as_secs_f64() * 1e3),
        ]);
    }
    table
}

fn committed(phase: &Phase, commits: &[Vec<Instant>]) -> usize {
    let all = commits.iter().flatten();
    all.filter(|&&at| phase.began <= at && at < phase.ended)
        .count()
}

/// The longest time between two commits of a writer that has a moment of the phase in it.
fn longest_pause(phase: &Phase, commits: &[Vec<Instant>]) -> Duration {
    let pairs = commits.iter().flat_map(|commits| commits.windows(2));
    let overlapping = pairs.filter(|pair| pair[0] < phase.ended && phase.began < pair[1]);
    let pauses = overlapping.map(|pair| pair[1] - pair[0]);
    pauses.max().unwrap_or_default()
}
