//! A vertex of plain edges.

use std::ops::ControlFlow;

use evergraph::formats::Exact;
use evergraph::graph::{Graph, NeighborReader, StoredLists};
use evergraph::{Database, GraphView, IdKind, View};
use serde_json::{Value, json};

use super::{NeighborsArgs, NodeArgs, Way};
use crate::report::{Failure, Report, aligned_by, count, table};

/// An edge at the vertex.
struct Edge {
    way: &'static str,
    neighbor: u32,
    weight: Option<f32>,
}

/// How many edges there are, and the first of them.
struct Edges {
    total: u64,
    first: Vec<Edge>,
    most: usize,
}

pub fn show(db: &Database, args: &NodeArgs) -> Result<Report, Failure> {
    let (view, vertex) = found(db, args)?;
    let graph = view.graph()?;
    let mut json = json!({ "vertex": id(db, vertex), "csn": view.csn() });
    let mut rows = vec![("vertex", db.vertex_name(vertex))];
    let ways: &[(&str, Way)] = match graph.stored_lists() {
        StoredLists::Undirected => &[("degree", Way::Out)],
        StoredLists::Out | StoredLists::Both => &[("out_degree", Way::Out), ("in_degree", Way::In)],
    };
    for &(title, way) in ways {
        let edges = Edges::of(&graph, vertex, way, 0);
        json[title] = json!(edges.total);
        rows.push((title, count(edges.total)));
    }
    rows.push(("commit", count(view.csn())));
    Ok(Report::new(json, table(&rows)))
}

pub fn neighbors(db: &Database, args: &NeighborsArgs) -> Result<Report, Failure> {
    if !args.types.is_empty() {
        return Err(Failure::usage(
            "plain edges have no types",
            "leave out --types",
        ));
    }
    let (view, vertex) = found(db, &args.node)?;
    let graph = view.graph()?;
    let edges = Edges::of(&graph, vertex, args.direction, args.node.limit);
    let is_weighted = graph.is_weighted();
    let mut head = vec!["DIRECTION".to_string(), "VERTEX".to_string()];
    head.extend(is_weighted.then(|| "WEIGHT".to_string()));
    let (mut rows, mut found) = (vec![head], Vec::new());
    for edge in &edges.first {
        let weight = edge.weight.map(|weight| Exact(weight).to_string());
        let mut row = vec![edge.way.to_string(), db.vertex_name(edge.neighbor)];
        row.extend(weight.filter(|_| is_weighted));
        rows.push(row);
        let mut json = json!({ "direction": edge.way, "vertex": id(db, edge.neighbor) });
        if is_weighted {
            json["weight"] = json!(edge.weight);
        }
        found.push(json);
    }
    let name = db.vertex_name(vertex);
    let text = match edges.total {
        0 => format!("{name} has no neighbors\n"),
        _ => aligned_by(&rows, |column| column > 0),
    };
    let json = json!({
        "vertex": id(db, vertex),
        "csn": view.csn(),
        "total": edges.total,
        "neighbors": found,
    });
    let text = text + &super::nodes::rest(edges.total, edges.first.len());
    Ok(Report::new(json, text))
}

/// The vertex that is meant, in the graph that is meant.
fn found(db: &Database, args: &NodeArgs) -> Result<(View, u32), Failure> {
    let Some(key) = &args.key else {
        return Err(Failure::usage(
            "plain edges have no properties",
            "give the id of a vertex, as it was imported",
        ));
    };
    let view = db.as_of(&args.at())?;
    let known = db.vertex_of_name(key)?;
    match known.filter(|&vertex| u64::from(vertex) < view.vertex_count() as u64) {
        Some(vertex) => Ok((view, vertex)),
        None => Err(Failure::new(
            format!("there is no vertex {key:?}"),
            "give an id as it was imported; `evergraph stats DB` counts the vertices",
        )),
    }
}

/// The external id, as a number where ids are such.
fn id(db: &Database, vertex: u32) -> Value {
    let name = db.vertex_name(vertex);
    let number = match db.config().ids {
        IdKind::Texts => None,
        IdKind::Dense | IdKind::Numbers => name.parse::<u64>().ok(),
    };
    number.map_or(json!(name), |number| json!(number))
}

impl Edges {
    /// Edges in one direction or both. Without in-lists, what enters the vertex is found
    /// in the lists of all others.
    fn of(graph: &GraphView, vertex: u32, way: Way, most: usize) -> Self {
        let mut edges = Edges {
            total: 0,
            first: Vec::new(),
            most,
        };
        let is_directed = graph.stored_lists() != StoredLists::Undirected;
        if way != Way::In || !is_directed {
            let way = if is_directed { "out" } else { "both" };
            edges.add(&mut graph.reader(), vertex, way);
        }
        if way == Way::Out || !is_directed {
            return edges;
        }
        match graph.reverse_reader() {
            Some(mut reader) => edges.add(&mut reader, vertex, "in"),
            None => edges.add_entering(graph, vertex),
        }
        edges
    }

    fn push(&mut self, edge: Edge) {
        self.total += 1;
        if self.first.len() < self.most {
            self.first.push(edge);
        }
    }

    fn add(&mut self, reader: &mut impl NeighborReader, vertex: u32, way: &'static str) {
        let _ = reader.for_each_weighted_segment(vertex, |neighbors, weights| {
            for (at, &neighbor) in neighbors.iter().enumerate() {
                self.push(Edge {
                    way,
                    neighbor,
                    weight: weights.get(at).copied(),
                });
            }
            ControlFlow::Continue(())
        });
    }

    fn add_entering(&mut self, graph: &GraphView, vertex: u32) {
        let mut reader = graph.reader();
        for source in 0..graph.vertex_count() as u32 {
            let _ = reader.for_each_weighted_segment(source, |neighbors, weights| {
                for (at, _) in neighbors.iter().enumerate().filter(|&(_, &v)| v == vertex) {
                    self.push(Edge {
                        way: "in",
                        neighbor: source,
                        weight: weights.get(at).copied(),
                    });
                }
                ControlFlow::Continue(())
            });
        }
    }
}
