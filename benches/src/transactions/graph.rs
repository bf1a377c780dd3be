//! Property graphs to measure on.

use std::time::Instant;

use evergraph::MediumKind;
use evergraph_graph::{Csr, StoredLists};
use evergraph_property_graph::graph::{GraphOptions, NodeId, OpenOptions, PropertyGraph};
use evergraph_storage::Storage;
use evergraph_storage::medium::{DramStorage, FileStorage};
use evergraph_topology::OpenReport;

use crate::graphs::EdgeList;
use crate::place::Place;
use crate::settings::Settings;
pub use crate::stores::text;

/// Relationships that one transaction of the preparation creates.
const RELATIONSHIPS_AT_ONCE: usize = 10_000;

/// A property graph in a place of its own, and the same edges as a static graph.
pub struct Made {
    graph: Option<PropertyGraph>,
    storage: Box<dyn Storage>,
    _place: Place,
    pub csr: Csr,
    pub nodes: usize,
    pub relationships: usize,
}

/// An empty property graph, on `file` unless another medium was asked for.
pub fn empty(settings: &Settings<'_>) -> Result<(PropertyGraph, Box<dyn Storage>, Place), String> {
    let medium = settings.medium.unwrap_or(MediumKind::File);
    let place = Place::new(settings, medium)?;
    let path = place.join("db");
    std::fs::create_dir_all(&path).map_err(text)?;
    let storage: Box<dyn Storage> = match medium {
        MediumKind::File => Box::new(FileStorage::open(&path).map_err(text)?),
        MediumKind::Dram => Box::new(DramStorage::new()),
        other => return Err(format!("transactions are not measured on {}", other.name())),
    };
    let graph = PropertyGraph::create(&*storage, GraphOptions::default(), [3; 16]).map_err(text)?;
    Ok((graph, storage, place))
}

impl Made {
    /// A Kronecker graph of `2^scale` nodes with a label and a number, whose edges
    /// are relationships of one type without properties.
    pub fn kronecker(settings: &Settings<'_>, scale: u32) -> Result<Self, String> {
        let list = EdgeList::load(settings, scale, true)?;
        let (graph, storage, place) = empty(settings)?;
        let nodes: Vec<NodeId> = graph
            .write(|transaction| {
                (0..list.vertex_count as i64)
                    .map(|number| transaction.create_node(&["Person"], [("number", number.into())]))
                    .collect()
            })
            .map_err(text)?;
        for some in list.edges.chunks(RELATIONSHIPS_AT_ONCE) {
            graph
                .write(|transaction| {
                    for &(u, v) in some {
                        let (u, v) = (nodes[u as usize], nodes[v as usize]);
                        transaction.create_relationship(u, "KNOWS", v, [])?;
                    }
                    Ok(())
                })
                .map_err(text)?;
        }
        Ok(Made {
            graph: Some(graph),
            storage,
            _place: place,
            csr: Csr::from_edges(list.vertex_count, &list.edges, StoredLists::Out),
            nodes: list.vertex_count,
            relationships: list.edges.len(),
        })
    }

    pub fn graph(&self) -> &PropertyGraph {
        self.graph.as_ref().expect("it is open")
    }

    /// Drops the graph as it is, and opens it again.
    pub fn reopened(&self) -> Result<(f64, OpenReport), String> {
        let began = Instant::now();
        let opening = OpenOptions {
            read_only: true,
            ..OpenOptions::default()
        };
        let (graph, report) = PropertyGraph::open(&*self.storage, opening).map_err(text)?;
        let seconds = began.elapsed().as_secs_f64();
        drop(graph);
        Ok((seconds, report))
    }
}
