//! A graph with columns: in plain arrays, in a property graph, and as files for peers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use evergraph_graph::random::Random;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, PropertyGraph, RelationshipId};

use crate::graphs::EdgeList;
use crate::settings::Settings;
use crate::transactions::graph::text;

/// Rows that one commit loads.
const ROWS_AT_ONCE: usize = 1 << 17;
/// Values of `a`; a filter for one of ten takes those below a tenth of it.
pub const RANGE_OF_A: i64 = 1_000;
/// Values of `c`.
pub const RANGE_OF_C: i64 = 1 << 20;
/// Nodes with the label `Few`.
pub const FEW: usize = 100;

/// Three small integers a node, one a relationship, all in plain arrays.
pub struct Data {
    pub name: String,
    /// Uniform below [`RANGE_OF_A`].
    pub a: Vec<i64>,
    /// The number of the node.
    pub b: Vec<i64>,
    /// Uniform below [`RANGE_OF_C`].
    pub c: Vec<i64>,
    pub edges: Vec<(u32, u32)>,
    /// Uniform below 100.
    pub w: Vec<i64>,
}

impl Data {
    /// A Kronecker graph, or that of `--param graph=FILE`.
    pub fn generate(settings: &Settings<'_>) -> Result<Self, String> {
        let list = EdgeList::load(settings, settings.scale.unwrap_or(18), true)?;
        let mut random = Random::new(settings.seed);
        let nodes = list.vertex_count;
        let mut below = |bound: i64, count: usize| -> Vec<i64> {
            let number = |_| random.below(bound as u64) as i64;
            (0..count).map(number).collect()
        };
        Ok(Data {
            name: list.name,
            a: below(RANGE_OF_A, nodes),
            b: (0..nodes as i64).collect(),
            c: below(RANGE_OF_C, nodes),
            w: below(100, list.edges.len()),
            edges: list.edges,
        })
    }

    pub fn nodes(&self) -> usize {
        self.a.len()
    }

    /// Whether the node of a number has the label `Tenth`.
    pub fn is_tenth(number: usize) -> bool {
        number.is_multiple_of(10)
    }

    /// Whether it has the label `Few`: they lie far apart.
    pub fn is_few(&self, number: usize) -> bool {
        number.is_multiple_of((self.nodes() / FEW).max(1))
            && number / (self.nodes() / FEW).max(1) < FEW
    }

    /// Loads all of it in bulk, as an import does, and merges it.
    pub fn load(&self, graph: &PropertyGraph) -> Result<Ids, String> {
        let mut ids = Ids::default();
        let mut load = graph.load();
        for number in 0..self.nodes() {
            let mut labels = vec!["Item"];
            labels.extend(Self::is_tenth(number).then_some("Tenth"));
            labels.extend(self.is_few(number).then_some("Few"));
            let properties = [
                ("a", Value::from(self.a[number])),
                ("b", Value::from(self.b[number])),
                ("c", Value::from(self.c[number])),
            ];
            ids.nodes
                .push(load.create_node(&labels, properties).map_err(text)?);
            if (number + 1).is_multiple_of(ROWS_AT_ONCE) {
                load.commit().map_err(text)?;
                load = graph.load();
            }
        }
        load.commit().map_err(text)?;
        let mut load = graph.load();
        for (number, &(u, v)) in self.edges.iter().enumerate() {
            let (u, v) = (ids.nodes[u as usize], ids.nodes[v as usize]);
            let properties = [("w", Value::from(self.w[number]))];
            let made = load.create_relationship(u, "LINKS", v, properties);
            ids.relationships.push(made.map_err(text)?);
            if (number + 1).is_multiple_of(ROWS_AT_ONCE) {
                load.commit().map_err(text)?;
                load = graph.load();
            }
        }
        load.commit().map_err(text)?;
        graph.checkpoint().map_err(text)?;
        Ok(ids)
    }

    /// Writes `nodes.csv` and `relationships.csv`, which peers can read.
    pub fn write_files(&self, directory: &Path) -> Result<(), String> {
        std::fs::create_dir_all(directory).map_err(text)?;
        let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
        let mut nodes = create("nodes.csv").map_err(text)?;
        writeln!(nodes, "id,a,b,c").map_err(text)?;
        for number in 0..self.nodes() {
            let (a, b, c) = (self.a[number], self.b[number], self.c[number]);
            writeln!(nodes, "{number},{a},{b},{c}").map_err(text)?;
        }
        nodes.flush().map_err(text)?;
        let mut relationships = create("relationships.csv").map_err(text)?;
        writeln!(relationships, "source,target,w").map_err(text)?;
        for (&(u, v), w) in self.edges.iter().zip(&self.w) {
            writeln!(relationships, "{u},{v},{w}").map_err(text)?;
        }
        relationships.flush().map_err(text)
    }
}

/// Ids in the property graph, by number in the arrays.
#[derive(Default)]
pub struct Ids {
    pub nodes: Vec<NodeId>,
    pub relationships: Vec<RelationshipId>,
}
