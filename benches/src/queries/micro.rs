//! Small queries on a uniformly random graph without loops and parallel edges: what one
//! call costs, one hop, counts of all paths and triangles, aggregation, and writes.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use evergraph::property::value::Value;
use evergraph::property::{Definition, PropertyGraph, Rule};
use evergraph_algorithms::Control;
use evergraph_algorithms::triangle_count::{self, Detail};
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, StoredLists};
use evergraph_interpreter::Parameters;
use serde_json::json;

use super::measure::{Measured, parameters, shown, table as table_of};
use super::text;
use super::texts::MICRO;
use crate::meter::median;
use crate::settings::Settings;
use crate::table::{Table, number};
use crate::transactions::append;
use crate::transactions::graph::empty;

/// Nodes, unless a scale is asked for.
const NODES: u32 = 20_000;
/// Relationships a node.
const DEGREE: usize = 10;
/// Ages are below this.
const AGES: u64 = 80;
/// Nodes that one call of `merge` names; half of them are there.
const MERGED: i64 = 1_000;
/// Bytes of the log that an insertion takes, about: what it is held against.
const INSERTED: usize = 128;

/// The graph in plain arrays.
struct Data {
    ages: Vec<i64>,
    edges: Vec<(u32, u32)>,
}

impl Data {
    fn generate(settings: &Settings<'_>) -> Self {
        let nodes = settings.scale.map_or(NODES, |scale| 1 << scale);
        let mut random = Random::new(settings.seed);
        let ages = (0..nodes).map(|_| random.below(AGES) as i64).collect();
        let (mut edges, mut known) = (Vec::new(), BTreeSet::new());
        while edges.len() < nodes as usize * DEGREE {
            let [u, v] = [(); 2].map(|()| random.below(u64::from(nodes)) as u32);
            if u != v && known.insert((u.min(v), u.max(v))) {
                edges.push((u, v));
            }
        }
        Data { ages, edges }
    }

    fn load(&self, graph: &PropertyGraph) -> Result<(), String> {
        let mut load = graph.load();
        let mut ids = Vec::new();
        for (id, &age) in self.ages.iter().enumerate() {
            let properties = [
                ("id", Value::from(id as i64)),
                ("name", format!("Person {id}").into()),
                ("age", age.into()),
            ];
            ids.push(load.create_node(&["Person"], properties).map_err(text)?);
        }
        for &(u, v) in &self.edges {
            let (u, v) = (ids[u as usize], ids[v as usize]);
            load.create_relationship(u, "KNOWS", v, []).map_err(text)?;
        }
        load.commit().map_err(text)?;
        let by_id = Definition::of_nodes("Person id", "Person", &["id"], Rule::Unique);
        graph.define_all(&[by_id]).map_err(text)?;
        graph.checkpoint().map_err(text)?;
        Ok(())
    }

    /// Writes `persons.csv` and `knows.csv`.
    fn write(&self, directory: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(directory)?;
        let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
        let mut persons = create("persons.csv")?;
        writeln!(persons, "id,name,age")?;
        for (id, age) in self.ages.iter().enumerate() {
            writeln!(persons, "{id},Person {id},{age}")?;
        }
        persons.flush()?;
        let mut knows = create("knows.csv")?;
        writeln!(knows, "source,target")?;
        for (u, v) in &self.edges {
            writeln!(knows, "{u},{v}")?;
        }
        knows.flush()
    }

    /// Triangles by the library's kernel on plain arrays, and its time in microseconds.
    fn triangles(&self, trials: usize) -> Result<(u64, f64), String> {
        let graph = Csr::from_edges(self.ages.len(), &self.edges, StoredLists::Undirected);
        let graph = graph.simple();
        let (mut count, mut took) = (0, Vec::new());
        for _ in 0..trials {
            let began = Instant::now();
            let found = triangle_count::run(&graph, Detail::Total, &Control::new());
            count = found.map_err(text)?.triangles;
            took.push(began.elapsed().as_secs_f64() * 1e6);
        }
        Ok((count, median(&took)))
    }
}

/// `over` is beside the library's kernel for `triangles-once`, and beside a bare append of
/// 128 bytes with `fdatasync` for `insert`.
pub fn table(settings: &Settings<'_>) -> Result<Table, String> {
    let data = Data::generate(settings);
    if let Some(directory) = settings.optional::<PathBuf>("write")? {
        data.write(&directory).map_err(text)?;
    }
    let (graph, _storage, place) = empty(settings)?;
    data.load(&graph)?;
    settings.progress("queries: small ones");
    let nodes = data.ages.len();
    let runs: usize = settings.parameter("runs", 1_000)?;
    let trials = settings.trials.unwrap_or(5);
    let name = format!(
        "small queries, {nodes} nodes, {} relationships",
        data.edges.len()
    );
    let mut table = table_of(&name, &["count", "over"]);
    for query in MICRO {
        let mut measured = Measured::new(settings, &graph, query)?;
        let calls = calls_of(query.name, settings.seed, nodes, runs);
        let count = measured.run(&calls[0])?;
        // The first call of a write was the first of its kind.
        let trials = if calls.len() == 1 { trials } else { 1 };
        match query.name {
            "insert" | "merge" => measured.run_each(&calls[1..])?,
            _ => measured.run_all(&calls, trials)?,
        }
        let over = match query.name {
            "triangles-once" => {
                let (expected, took) = data.triangles(trials)?;
                let found = shown(count.clone());
                if found != json!(expected) {
                    return Err(format!(
                        "{found} triangles, and the kernel finds {expected}"
                    ));
                }
                number(measured.median() / took)
            }
            "insert" => {
                let runs = measured.runs();
                let bare = append(&place, runs, INSERTED)?.seconds * 1e6 / runs as f64;
                number(measured.median() / bare)
            }
            _ => json!(null),
        };
        let has_count = calls.len() == 1;
        let count = if has_count { shown(count) } else { json!(null) };
        measured.add(&mut table, &[count, over]);
    }
    Ok(table)
}

/// Parameters of the calls of a query; one call of a query that has none.
fn calls_of(query: &str, seed: u64, nodes: usize, runs: usize) -> Vec<Parameters> {
    let mut random = Random::new(seed);
    let any = |random: &mut Random| random.below(nodes as u64) as i64;
    let new = |run: usize| (nodes + run) as i64;
    match query {
        "point-read" | "one-hop" | "variable-length" => {
            let call = |_| parameters(&vec![("id", any(&mut random).into())]);
            (0..runs).map(call).collect()
        }
        "merge" => {
            let call = |run: usize| {
                // Behind those of "insert".
                let begin = (nodes + runs + 1) as i64 + run as i64 * MERGED / 2;
                let made = begin..begin + MERGED / 2;
                let there = (0..MERGED / 2).map(|_| any(&mut random));
                parameters(&vec![("ids", made.chain(there).collect())])
            };
            (0..=runs.div_ceil(50)).map(call).collect()
        }
        "insert" => {
            let call = |run: usize| {
                let name = format!("Person {run}");
                parameters(&vec![
                    ("id", new(run).into()),
                    ("name", name.into()),
                    ("age", 30.into()),
                ])
            };
            (0..=runs).map(call).collect()
        }
        _ => vec![Parameters::default()],
    }
}
