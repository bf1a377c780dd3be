//! Beginnings of several tests.

use std::path::{Path, PathBuf};

use evergraph::property::{
    Imported, Node, NodeId, PropertyGraph, PropertyImport, Relationship, import,
};
use evergraph::{Batch, Cancellation, Database, Error, MediumKind, Options};
use tempfile::TempDir;

/// An empty property graph in memory.
pub fn database() -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        log_bytes: 1 << 20,
        ..Options::default()
    };
    Database::create("anywhere", &options).unwrap()
}

/// A directory of its own for each test.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// Lines of the bad rows, without directories.
pub fn bad(imported: &Imported) -> Vec<String> {
    let lines = imported.bad_rows.iter().map(|bad| {
        let text = bad.to_string();
        text.rsplit_once('/')
            .map_or(text.clone(), |(_, file)| file.to_string())
    });
    lines.collect()
}

/// A graph by the property `name` of its nodes: labels and properties, and each
/// relationship, sorted.
pub fn content(graph: &PropertyGraph) -> (Vec<String>, Vec<String>) {
    let view = graph.view();
    let name = |id: NodeId| {
        let node = view.node(id).unwrap().expect("an end is there");
        node.get("name").map(|name| format!("{name:?}"))
    };
    let sorted = |properties: &mut dyn Iterator<Item = String>| {
        let mut properties: Vec<String> = properties.collect();
        properties.sort();
        properties.join(", ")
    };
    let node = |node: Node| {
        let mut labels = node.labels();
        labels.sort();
        let mut properties = node
            .properties()
            .map(|(key, value)| format!("{key}: {value:?}"));
        format!("{labels:?} {}", sorted(&mut properties))
    };
    let relationship = |relationship: Relationship| {
        let mut properties = relationship
            .properties()
            .map(|(key, value)| format!("{key}: {value:?}"));
        let (source, target) = (relationship.source(), relationship.target());
        let kind = relationship.kind();
        let properties = sorted(&mut properties);
        format!("{:?} {kind} {:?} {properties}", name(source), name(target))
    };
    let mut nodes: Vec<String> = view.nodes().map(|found| node(found.unwrap())).collect();
    let relationships = view.relationships();
    let mut relationships: Vec<String> = relationships
        .map(|found| relationship(found.unwrap()))
        .collect();
    nodes.sort();
    relationships.sort();
    (nodes, relationships)
}

/// Imports with an interruption after so many commits, again and again, until it gets
/// through. What the last run says, and how many there were.
pub fn import_in_pieces(
    path: &Path,
    options: &Options,
    what: &PropertyImport,
    cut_every: u32,
) -> (Imported, u32) {
    for runs in 1..500 {
        // Dropped without being closed, as a killed process leaves it.
        let db = Database::open(path, options).unwrap();
        let stop = Cancellation::new();
        let (commits, rows) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
        let cut = |done: &Imported| {
            // Rows that all were left out are no commit.
            let before = rows.replace(done.nodes + done.relationships);
            commits.set(commits.get() + u32::from(rows.get() > before));
            if commits.get() == cut_every {
                stop.cancel();
            }
        };
        let again = PropertyImport {
            resume: true,
            ..what.clone()
        };
        match import(db.property_graph().unwrap(), &again, &stop, &cut) {
            Ok(imported) => return (imported, runs),
            Err(Error::Interrupted { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    panic!("it does not get on");
}

/// The same numbers in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Makes a snapshot that belongs to a result.
pub fn hold(db: &Database, name: &str) {
    let mut batch = Batch::new();
    batch.hold_snapshot(name);
    db.commit(batch).unwrap();
}
