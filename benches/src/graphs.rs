//! The graphs that benchmarks run on.

use std::path::{Path, PathBuf};

use evergraph::formats::{EdgeBatch, EdgeReader, Options};
use evergraph_generators::{Edge, kronecker};
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, Graph, StoredLists};

use crate::settings::Settings;

/// Edges in random order.
pub struct EdgeList {
    /// How it was made.
    pub name: String,
    /// Vertices, isolated ones included.
    pub vertex_count: usize,
    /// In random order.
    pub edges: Vec<Edge>,
}

impl EdgeList {
    /// The graph that was asked for: a file, or a Kronecker graph of a scale.
    /// A simple one has each undirected edge once and no self-loops, as the
    /// builder of the GAP Benchmark Suite leaves a symmetric graph.
    pub fn load(settings: &Settings<'_>, scale: u32, simple: bool) -> Result<Self, String> {
        let simple = settings.flag("simple", simple)?;
        let (name, mut list) = match settings.optional::<PathBuf>("graph")? {
            Some(path) => {
                settings.progress(&format!("reading {}", path.display()));
                let file = path.file_name().unwrap_or_default();
                (file.to_string_lossy().into_owned(), from_file(&path)?)
            }
            None => {
                let degree: u32 = settings.parameter("degree", 16)?;
                let name = format!("kronecker scale {scale} degree {degree}");
                settings.progress(&format!("generating {name}"));
                (name, kronecker(scale, degree, settings.seed))
            }
        };
        let largest = list.iter().map(|&(u, v)| u.max(v)).max().unwrap_or(0);
        // A list leaves out isolated vertices; generated ids are below a power of two.
        let vertex_count = (largest as usize + 1).next_power_of_two();
        if simple {
            list = simplified(vertex_count, &list);
        }
        Random::new(settings.seed).shuffle(&mut list);
        let name = format!("{name}{}", if simple { ", simple" } else { "" });
        Ok(EdgeList {
            name,
            vertex_count,
            edges: list,
        })
    }

    /// Each edge in both directions, in random order.
    pub fn into_arcs(mut self, seed: u64) -> Self {
        let reversed: Vec<Edge> = self.edges.iter().map(|&(u, v)| (v, u)).collect();
        self.edges.extend(reversed);
        Random::new(seed).shuffle(&mut self.edges);
        self.name += ", arcs";
        self
    }
}

fn simplified(vertex_count: usize, edges: &[Edge]) -> Vec<Edge> {
    let graph = Csr::from_edges(vertex_count, edges, StoredLists::Undirected).simple();
    let mut simple = Vec::with_capacity(graph.arc_count() as usize / 2);
    for u in 0..vertex_count as u32 {
        let larger = graph.neighbors(u).iter().filter(|&&v| u < v);
        simple.extend(larger.map(|&v| (u, v)));
    }
    simple
}

/// Pairs of little-endian 32-bit numbers, or any edge list that can be imported.
fn from_file(path: &Path) -> Result<Vec<Edge>, String> {
    let shown = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    if path.extension().is_some_and(|e| e == "bin" || e == "binel") {
        let bytes = std::fs::read(path).map_err(|error| shown(&error))?;
        let (pairs, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(shown(&"not a sequence of pairs of 32-bit numbers"));
        }
        let pairs = pairs.iter().map(|pair| {
            let [a, b, c, d, e, f, g, h] = *pair;
            let ends = (
                u32::from_le_bytes([a, b, c, d]),
                u32::from_le_bytes([e, f, g, h]),
            );
            (u64::from(ends.0), u64::from(ends.1))
        });
        return checked(path, pairs);
    }
    let mut reader = EdgeReader::open(path, &Options::default()).map_err(|e| shown(&e))?;
    let mut batch = EdgeBatch::default();
    let mut edges = Vec::new();
    while reader
        .next_batch(&mut batch, 1 << 16)
        .map_err(|e| shown(&e))?
        > 0
    {
        if !batch.deletions.is_empty() {
            return Err(shown(&"a file of events is no graph"));
        }
        edges.extend(
            batch
                .sources
                .iter()
                .copied()
                .zip(batch.targets.iter().copied()),
        );
    }
    checked(path, edges.into_iter())
}

fn checked(
    path: &Path,
    edges: impl ExactSizeIterator<Item = (u64, u64)>,
) -> Result<Vec<Edge>, String> {
    let limit = evergraph_graph::MAX_VERTICES as u64 / 2;
    let mut list = Vec::with_capacity(edges.len());
    for (u, v) in edges {
        if u.max(v) >= limit {
            return Err(format!(
                "{}: vertex {} is too large",
                path.display(),
                u.max(v)
            ));
        }
        list.push((u as u32, v as u32));
    }
    Ok(list)
}
