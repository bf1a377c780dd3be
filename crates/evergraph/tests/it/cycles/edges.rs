//! Edges: insertions, deletions, vertices, imports, snapshots, merges and layouts.

use std::collections::BTreeMap;
use std::path::Path;

use evergraph::graph::{Graph, NeighborReader};
use evergraph::import::{ImportControl, ImportOptions, import};
use evergraph::{Cancellation, Database, Layout, Options};
use evergraph_simulated::Random;

use super::Subject;

const VERTICES: u32 = 96;
/// Edges of one file, and of one commit of its import.
const ROWS: usize = 40;
const ROWS_AT_ONCE: usize = 9;

pub struct Edges;

/// Out-lists in order of insertion; a vertex without edges is not in it.
type Lists = BTreeMap<u32, Vec<u32>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    lists: Lists,
    snapshots: BTreeMap<String, Lists>,
}

#[derive(Debug)]
pub enum Operation {
    Insert(Vec<(u32, u32)>),
    Delete(Vec<(u32, u32)>),
    DeleteVertex(u32),
    /// The file of this number, behind so many rows.
    Import(u64, usize),
    Checkpoint,
    Compact,
    Relayout(Layout),
    Snapshot(String),
    DropSnapshots(Vec<String>),
    Flatten,
}

fn edges(random: &mut Random, count: usize) -> Vec<(u32, u32)> {
    let mut vertex = || random.below(u64::from(VERTICES)) as u32;
    (0..count).map(|_| (vertex(), vertex())).collect()
}

fn rows(number: u64) -> Vec<(u32, u32)> {
    edges(&mut Random::new(number + 77), ROWS)
}

fn insert(lists: &mut Lists, edges: &[(u32, u32)]) {
    for &(u, v) in edges {
        lists.entry(u).or_default().push(v);
    }
}

fn delete(lists: &mut Lists, edges: &[(u32, u32)]) {
    for &(u, v) in edges {
        let list = lists.entry(u).or_default();
        if let Some(at) = list.iter().rposition(|&found| found == v) {
            list.remove(at);
        }
    }
    lists.retain(|_, list| !list.is_empty());
}

fn read(view: &evergraph::View) -> Lists {
    let graph = view.graph().expect("a view");
    let mut reader = graph.reader();
    let mut lists = Lists::new();
    for v in 0..graph.vertex_count() as u32 {
        let mut list = Vec::new();
        reader.neighbors_into(v, &mut list);
        if !list.is_empty() {
            lists.insert(v, list);
        }
    }
    lists
}

impl Subject for Edges {
    type Model = Model;
    type Operation = Operation;

    fn options() -> Options {
        Options {
            section_shift: 3,
            log_bytes: 16 << 10,
            ..Options::default()
        }
    }

    fn plan(random: &mut Random, number: u64, model: &Model) -> Operation {
        match random.below(20) {
            0..=4 => Operation::Insert(edges(random, 30)),
            5..=7 => {
                let present = model
                    .lists
                    .iter()
                    .flat_map(|(&u, list)| list.iter().map(move |&v| (u, v)));
                let mut chosen: Vec<_> = present.filter(|_| random.below(12) == 0).collect();
                chosen.push((random.below(u64::from(VERTICES)) as u32, 0));
                Operation::Delete(chosen)
            }
            8 => Operation::DeleteVertex(random.below(u64::from(VERTICES)) as u32),
            9..=11 => Operation::Import(number, 0),
            12 => Operation::Checkpoint,
            13 => Operation::Compact,
            14 => Operation::Relayout(Layout::Blocks),
            15 => Operation::Relayout(Layout::Pma),
            16 | 17 => Operation::Snapshot(format!("s{number:05}")),
            18 => {
                let names = model.snapshots.keys();
                Operation::DropSnapshots(names.filter(|_| random.below(2) == 0).cloned().collect())
            }
            _ => Operation::Flatten,
        }
    }

    fn perform(db: &Database, files: &Path, operation: &Operation) {
        match operation {
            Operation::Insert(edges) => drop(db.insert_edges(edges).expect("committed")),
            Operation::Delete(edges) => drop(db.delete_edges(edges).expect("committed")),
            // One that never was is no vertex.
            Operation::DeleteVertex(vertex) => drop(db.delete_vertices(&[*vertex])),
            Operation::Import(number, done) => {
                let file = files.join(format!("{number}.txt"));
                let lines: String = rows(*number)
                    .iter()
                    .map(|(u, v)| format!("{u} {v}\n"))
                    .collect();
                if *done == 0 {
                    std::fs::write(&file, lines).expect("written");
                }
                let options = ImportOptions {
                    batch_edges: ROWS_AT_ONCE,
                    resume: *done > 0,
                    ..ImportOptions::default()
                };
                let control = ImportControl {
                    cancellation: Cancellation::new(),
                    progress: &|_| {},
                };
                import(db, &[file], &options, &control).expect("imported");
            }
            Operation::Checkpoint => db.checkpoint().expect("written"),
            Operation::Compact => db.compact().expect("written"),
            Operation::Relayout(layout) => db.relayout(*layout).expect("written"),
            Operation::Snapshot(name) => drop(db.create_snapshot(name, None).expect("named")),
            Operation::DropSnapshots(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                db.drop_snapshots(&names).expect("dropped");
            }
            Operation::Flatten => drop(db.flatten(None).expect("dropped")),
        }
    }

    fn stages(model: &Model, operation: &Operation) -> Vec<Model> {
        let mut after = model.clone();
        match operation {
            Operation::Insert(edges) => insert(&mut after.lists, edges),
            Operation::Delete(edges) => delete(&mut after.lists, edges),
            Operation::DeleteVertex(vertex) => {
                after.lists.remove(vertex);
                let lists = after.lists.values_mut();
                lists.for_each(|list| list.retain(|target| target != vertex));
                after.lists.retain(|_, list| !list.is_empty());
            }
            Operation::Import(number, done) => {
                let rows = rows(*number);
                let mut stages = vec![after.clone()];
                for row in &rows[*done..] {
                    insert(&mut after.lists, std::slice::from_ref(row));
                    stages.push(after.clone());
                }
                return stages;
            }
            Operation::Checkpoint | Operation::Compact | Operation::Relayout(_) => {}
            Operation::Snapshot(name) => {
                after.snapshots.insert(name.clone(), after.lists.clone());
            }
            Operation::DropSnapshots(names) => {
                after.snapshots.retain(|name, _| !names.contains(name))
            }
            Operation::Flatten => {
                let newest = after.snapshots.pop_last();
                after.snapshots = newest.into_iter().collect();
            }
        }
        vec![model.clone(), after]
    }

    fn again(operation: Operation, stage: usize) -> Option<Operation> {
        match operation {
            Operation::Import(number, _) => Some(Operation::Import(number, stage)),
            _ => None,
        }
    }

    fn observe(db: &Database) -> Model {
        let snapshots = db.snapshots().into_iter().map(|snapshot| {
            let view = db.as_of(&evergraph::At::from_text(&snapshot.name));
            (snapshot.name, read(&view.expect("kept")))
        });
        Model {
            snapshots: snapshots.collect(),
            lists: read(&db.view()),
        }
    }
}
