//! A property graph: transactions, indexes, imports, snapshots, merges and layouts.

use std::collections::BTreeMap;
use std::path::Path;

use evergraph::property::value::Value;
use evergraph::property::{PropertyGraph, PropertyImport, Transaction, View, import};
use evergraph::{Cancellation, Database, Layout, Options};
use evergraph_simulated::Random;

use super::Subject;

/// Rows of one file, and of one transaction of its import.
const ROWS: i64 = 20;
const ROWS_AT_ONCE: usize = 6;
/// Names of nodes and relationships are numbers: so many for each operation.
const NAMES: i64 = 100;

pub struct Property;

/// By name: values of nodes; ends and values of relationships.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    nodes: BTreeMap<i64, i64>,
    relationships: BTreeMap<i64, (i64, i64, i64)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    now: Moment,
    snapshots: BTreeMap<String, Moment>,
    indexes: Vec<String>,
}

#[derive(Debug)]
pub enum Change {
    Node(i64, i64),
    Relationship(i64, i64, i64, i64),
    Value(i64, i64),
    DeleteRelationship(i64),
    DeleteNode(i64),
}

#[derive(Debug)]
pub enum Operation {
    Write(Vec<Change>),
    /// The file of this number, behind so many rows.
    Import(i64, usize),
    CreateIndex(String, &'static str),
    DropIndex(String),
    Checkpoint,
    Compact,
    Relayout(Layout),
    Snapshot(String),
    DropSnapshot(String),
}

fn apply(moment: &mut Moment, change: &Change) {
    match *change {
        Change::Node(name, value) | Change::Value(name, value) => {
            moment.nodes.insert(name, value);
        }
        Change::Relationship(name, source, target, value) => {
            moment.relationships.insert(name, (source, target, value));
        }
        Change::DeleteRelationship(name) => {
            moment.relationships.remove(&name);
        }
        Change::DeleteNode(name) => {
            moment.nodes.remove(&name);
            moment
                .relationships
                .retain(|_, (source, target, _)| *source != name && *target != name);
        }
    }
}

/// Changes that follow from one another.
fn changes(random: &mut Random, number: u64, mut moment: Moment) -> Vec<Change> {
    let mut changes = Vec::new();
    for i in 0..2 + random.below(6) as i64 {
        let name = number as i64 * NAMES + i;
        let value = random.below(1000) as i64;
        let any = |random: &mut Random, names: Vec<i64>| {
            let at = random.below(names.len().max(1) as u64) as usize;
            names.get(at).copied()
        };
        let nodes = || moment.nodes.keys().copied().collect::<Vec<_>>();
        let node = any(random, nodes());
        let other = any(random, nodes());
        let relationship = any(random, moment.relationships.keys().copied().collect());
        let change = match (random.below(8), node.zip(other), relationship) {
            (0..=2, _, _) | (_, None, _) => Change::Node(name, value),
            (3 | 4, Some((node, other)), _) => Change::Relationship(name, node, other, value),
            (5, Some((node, _)), _) => Change::Value(node, value),
            (6, _, Some(relationship)) => Change::DeleteRelationship(relationship),
            (_, Some((node, _)), _) => Change::DeleteNode(node),
        };
        apply(&mut moment, &change);
        changes.push(change);
    }
    changes
}

/// The rows of a file: nodes, then relationships between them.
fn rows(number: i64) -> Vec<Change> {
    let name = |i: i64| number * NAMES + i;
    let nodes = (0..ROWS).map(|i| Change::Node(name(i), i));
    let relationships =
        (0..ROWS).map(|i| Change::Relationship(name(50 + i), name(i), name((i * 7) % ROWS), i));
    nodes.chain(relationships).collect()
}

fn line(row: &Change) -> String {
    match row {
        Change::Node(name, value) => format!(
            "{{\"id\":{name},\"label\":\"Node\",\"props\":{{\"name\":{name},\"value\":{value}}}}}\n"
        ),
        Change::Relationship(name, source, target, value) => format!(
            "{{\"from\":{source},\"type\":\"LINK\",\"to\":{target},\"props\":{{\"name\":{name},\"value\":{value}}}}}\n"
        ),
        _ => unreachable!("files only add"),
    }
}

fn write(tx: &mut Transaction, changes: &[Change]) -> Result<(), evergraph::property::GraphError> {
    for change in changes {
        // Nodes that the transaction created are found, too.
        let node = |tx: &Transaction, name: i64| {
            let found = tx.find("Node", &[("name", name.into())]).expect("readable");
            assert_eq!(found.len(), 1, "node {name}");
            found[0].id()
        };
        match *change {
            Change::Node(name, value) => {
                let properties = [("name", name.into()), ("value", value.into())];
                tx.create_node(&["Node"], properties)?;
            }
            Change::Relationship(name, source, target, value) => {
                let (source, target) = (node(tx, source), node(tx, target));
                let properties = [("name", name.into()), ("value", value.into())];
                tx.create_relationship(source, "LINK", target, properties)?;
            }
            Change::Value(name, value) => {
                let node = node(tx, name);
                tx.set(node, "value", value)?;
            }
            Change::DeleteRelationship(name) => {
                let links = tx.relationships().map(|found| found.expect("readable"));
                let named = |link: &evergraph::property::Relationship| {
                    link.get("name") == Some(&Value::from(name))
                };
                let link = links.into_iter().find(named).expect("it is there").id();
                tx.delete_relationship(link)?;
            }
            Change::DeleteNode(name) => {
                let node = node(tx, name);
                tx.detach_delete_node(node)?;
            }
        }
    }
    Ok(())
}

fn read(view: &View) -> Moment {
    let mut moment = Moment::default();
    let mut names = BTreeMap::new();
    let number = |value: Option<&Value>| value.and_then(Value::as_integer).expect("a number");
    for node in view.nodes() {
        let node = node.expect("readable");
        let name = number(node.get("name"));
        names.insert(node.id(), name);
        moment.nodes.insert(name, number(node.get("value")));
    }
    for link in view.relationships() {
        let link = link.expect("readable");
        let ends = (names[&link.source()], names[&link.target()]);
        let name = number(link.get("name"));
        let value = number(link.get("value"));
        moment.relationships.insert(name, (ends.0, ends.1, value));
    }
    moment
}

/// Each node is found by its values, with an index and without.
fn assert_found(graph: &PropertyGraph, moment: &Moment) {
    let view = graph.view();
    for (&name, &value) in &moment.nodes {
        let found = view
            .find("Node", &[("name", name.into())])
            .expect("readable");
        assert_eq!(found.len(), 1, "node {name}");
        let by_value = view
            .find("Node", &[("value", value.into())])
            .expect("readable");
        let as_many = moment
            .nodes
            .values()
            .filter(|other| **other == value)
            .count();
        assert_eq!(by_value.len(), as_many, "value {value}");
    }
}

impl Subject for Property {
    type Model = Model;
    type Operation = Operation;

    fn options() -> Options {
        Options {
            property_graph: true,
            section_shift: 3,
            chunk_records: 4,
            log_bytes: 64 << 10,
            ..Options::default()
        }
    }

    fn plan(random: &mut Random, number: u64, model: &Model) -> Operation {
        let index = format!("index{number}");
        match random.below(22) {
            0..=7 => Operation::Write(changes(random, number, model.now.clone())),
            8..=10 => Operation::Import(number as i64, 0),
            11 => match model.indexes.len() {
                0 => Operation::CreateIndex(index, "name"),
                1 => Operation::CreateIndex(index, "value"),
                _ => Operation::DropIndex(model.indexes[0].clone()),
            },
            12 => match model.indexes.first() {
                Some(index) => Operation::DropIndex(index.clone()),
                None => Operation::CreateIndex(index, "value"),
            },
            13 | 14 => Operation::Checkpoint,
            15 => Operation::Compact,
            16 => Operation::Relayout(Layout::Blocks),
            17 => Operation::Relayout(Layout::Pma),
            18 | 19 => Operation::Snapshot(format!("s{number:05}")),
            _ => match model.snapshots.keys().next() {
                Some(oldest) => Operation::DropSnapshot(oldest.clone()),
                None => Operation::Checkpoint,
            },
        }
    }

    fn perform(db: &Database, files: &Path, operation: &Operation) {
        let graph = db.property_graph().expect("a property graph");
        match operation {
            Operation::Write(changes) => graph.write(|tx| write(tx, changes)).expect("committed"),
            Operation::Import(number, done) => {
                let file = files.join(format!("{number}.jsonl"));
                if *done == 0 {
                    let lines: String = rows(*number).iter().map(line).collect();
                    std::fs::write(&file, lines).expect("written");
                }
                let options = PropertyImport {
                    files: vec![file],
                    rows_at_once: ROWS_AT_ONCE,
                    resume: *done > 0,
                    ..PropertyImport::default()
                };
                let imported = import(graph, &options, &Cancellation::new(), &|_| {});
                imported.expect("imported");
            }
            Operation::CreateIndex(name, key) => {
                graph.create_index(name, "Node", &[key]).expect("made");
            }
            Operation::DropIndex(name) => graph.drop_definition(name).expect("dropped"),
            Operation::Checkpoint => db.checkpoint().expect("written"),
            Operation::Compact => db.compact().expect("written"),
            Operation::Relayout(layout) => db.relayout(*layout).expect("written"),
            Operation::Snapshot(name) => drop(db.create_snapshot(name, None).expect("named")),
            Operation::DropSnapshot(name) => db.drop_snapshots(&[name]).expect("dropped"),
        }
    }

    fn stages(model: &Model, operation: &Operation) -> Vec<Model> {
        let mut after = model.clone();
        match operation {
            Operation::Write(changes) => {
                changes
                    .iter()
                    .for_each(|change| apply(&mut after.now, change));
            }
            Operation::Import(number, done) => {
                let mut stages = vec![after.clone()];
                for row in &rows(*number)[*done..] {
                    apply(&mut after.now, row);
                    stages.push(after.clone());
                }
                return stages;
            }
            Operation::CreateIndex(name, _) => after.indexes.push(name.clone()),
            Operation::DropIndex(name) => after.indexes.retain(|other| other != name),
            Operation::Checkpoint | Operation::Compact | Operation::Relayout(_) => {}
            Operation::Snapshot(name) => {
                after.snapshots.insert(name.clone(), after.now.clone());
            }
            Operation::DropSnapshot(name) => drop(after.snapshots.remove(name)),
        }
        after.indexes.sort();
        vec![model.clone(), after]
    }

    fn again(operation: Operation, stage: usize) -> Option<Operation> {
        match operation {
            Operation::Import(number, _) => Some(Operation::Import(number, stage)),
            _ => None,
        }
    }

    fn observe(db: &Database) -> Model {
        let graph = db.property_graph().expect("a property graph");
        let now = read(&graph.view());
        assert_found(graph, &now);
        let snapshots = graph.snapshots().into_iter().map(|snapshot| {
            let moment = read(&graph.as_of(&snapshot.name).expect("kept"));
            (snapshot.name, moment)
        });
        let mut indexes: Vec<String> = graph.definitions().into_iter().map(|of| of.name).collect();
        indexes.sort();
        Model {
            snapshots: snapshots.collect(),
            now,
            indexes,
        }
    }
}
