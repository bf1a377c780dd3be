//! Plain edges of a view into files that [`import`](crate::import) reads.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use evergraph_graph::{Csr, Graph, Induced, NeighborReader, Shape, StoredLists};
use evergraph_snapshots::View;
use evergraph_topology::ids::IdKind;

use crate::formats::{Compression, EdgeBatch, EdgeWriter, WriteFormat};
use crate::run::{AnyGraph, largest_component};
use crate::whole::WholeFile;
use crate::{Cancellation, Control, Database, Error};

/// Edges that are gathered before they are written.
const AT_ONCE: usize = 1 << 16;

/// Options of an export of plain edges.
#[derive(Clone, Debug)]
pub struct EdgeExport {
    /// The file; compressed if it is called so (`.gz`, `.zst`).
    pub output: PathBuf,
    /// The format; told from the file's name if nothing is said.
    pub format: Option<WriteFormat>,
    /// The graph that is written.
    pub reduction: Reduction,
}

/// A simpler graph than the stored one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduction {
    /// Without self-loops; of parallel edges the lightest.
    pub simple: bool,
    /// Edges of a directed graph lead both ways: with `simple`, reciprocal ones are one;
    /// without, the file is the same.
    pub undirected: bool,
    /// Only the largest weakly connected component; of several as large that of the
    /// first vertex.
    pub largest_component: bool,
}

/// Writes the edges that a view shows, by source and then in insertion order, with
/// external ids, and with weights if the database keeps them; an edge of an
/// undirected graph once. Gives their number. The file appears under its name only
/// when it is whole.
///
/// Vertices without edges have no place in such a file; times of edges are not
/// kept. A simple graph is made in memory first, 4 bytes an edge and end, 8
/// with weights; of the largest component the edges are found with 16 bytes a vertex.
///
/// # Errors
/// An id that the format cannot hold; a file that cannot be written;
/// [`Error::Interrupted`] if `stop` says so. Then there is no file.
pub fn export_edges(
    db: &Database,
    view: &View,
    options: &EdgeExport,
    stop: &Cancellation,
    progress: &dyn Fn(u64),
) -> Result<u64, Error> {
    let file = WholeFile::create(&options.output)?;
    let format = match options.format {
        Some(format) => format,
        None => WriteFormat::of_name(&options.output)?,
    };
    let compression = Compression::of_name(&options.output);
    let mut export = Export {
        db,
        writer: EdgeWriter::to_writer(file.path(), file.writer()?, format, compression)?,
        stop,
        progress,
        written: 0,
    };
    let graph = view.graph()?;
    match options.reduction.largest_component {
        false => export.reduced(&graph, None, options.reduction)?,
        true => {
            let control = Control::new().with_cancellation(stop);
            let subset = largest_component(&AnyGraph::Live(&graph), &control)?;
            let component = Induced::of(&graph, &subset);
            export.reduced(&component, Some(subset.vertices()), options.reduction)?;
        }
    }
    export.writer.finish()?;
    file.finish()?;
    Ok(export.written)
}

struct Export<'a> {
    db: &'a Database,
    writer: EdgeWriter,
    stop: &'a Cancellation,
    progress: &'a dyn Fn(u64),
    written: u64,
}

impl Export<'_> {
    /// Writes a graph whose vertices stand for those of the database, after it was
    /// reduced.
    fn reduced<G: Graph>(
        &mut self,
        graph: &G,
        vertices: Option<&Arc<[u32]>>,
        reduction: Reduction,
    ) -> Result<(), Error> {
        let check = || check(self.stop);
        if !reduction.simple {
            // Which way an edge points is said where the file is read.
            return self.all(graph, vertices);
        }
        let shape = match reduction.undirected {
            true => Shape::Symmetric,
            false => Shape::Simple,
        };
        self.all(&Csr::seal(graph, shape, &check)?, vertices)
    }

    /// Writes all edges.
    fn all<G: Graph>(&mut self, graph: &G, vertices: Option<&Arc<[u32]>>) -> Result<(), Error> {
        let mut gathered = Gathered::default();
        let mut lists = graph.reader();
        for vertex in 0..graph.vertex_count() as u32 {
            gathered.add(graph, &mut lists, vertex);
            let is_last = vertex as usize + 1 == graph.vertex_count();
            if gathered.edges.len() < AT_ONCE && !is_last {
                continue;
            }
            check(self.stop)?;
            self.written += gathered.write(self.db, vertices, &mut self.writer)?;
            (self.progress)(self.written);
        }
        Ok(())
    }
}

fn check(stop: &Cancellation) -> Result<(), Error> {
    match stop.is_cancelled() {
        false => Ok(()),
        true => Err(Error::Interrupted {
            message: "nothing was exported".to_string(),
            hint: "the database is unchanged; run it again".to_string(),
        }),
    }
}

/// Edges that wait to be written.
#[derive(Default)]
struct Gathered {
    edges: Vec<(u32, u32)>,
    /// Beside the edges; empty in a graph without weights.
    weights: Vec<f32>,
}

impl Gathered {
    /// Adds the edges that are written where `vertex` is their source.
    fn add<G: Graph>(&mut self, graph: &G, lists: &mut impl NeighborReader, vertex: u32) {
        let undirected = graph.stored_lists() == StoredLists::Undirected;
        let mut loops = 0;
        // The other end writes it; a loop is in its list twice.
        let mut is_other = |neighbor: u32| {
            loops += u32::from(neighbor == vertex);
            undirected && (neighbor < vertex || (neighbor == vertex && loops % 2 == 0))
        };
        if !graph.is_weighted() {
            let _ = lists.for_each_segment(vertex, |neighbors| {
                let own = neighbors.iter().filter(|&&neighbor| !is_other(neighbor));
                self.edges.extend(own.map(|&neighbor| (vertex, neighbor)));
                ControlFlow::Continue(())
            });
            return;
        }
        let _ = lists.for_each_weighted_segment(vertex, |neighbors, weights| {
            for (&neighbor, &weight) in neighbors.iter().zip(weights) {
                if !is_other(neighbor) {
                    self.edges.push((vertex, neighbor));
                    self.weights.push(weight);
                }
            }
            ControlFlow::Continue(())
        });
    }

    /// Writes them under their external ids, and says how many they were.
    fn write(
        &mut self,
        db: &Database,
        vertices: Option<&Arc<[u32]>>,
        writer: &mut EdgeWriter,
    ) -> Result<u64, Error> {
        if let Some(vertices) = vertices {
            for (source, target) in &mut self.edges {
                *source = vertices[*source as usize];
                *target = vertices[*target as usize];
            }
        }
        let mut batch = EdgeBatch {
            weights: std::mem::take(&mut self.weights),
            ..EdgeBatch::default()
        };
        let ids = db.store().ids()?;
        match (ids.kind(), ids.numbers()) {
            (IdKind::Texts, _) => {
                for &(source, target) in &self.edges {
                    batch.source_texts.push(&ids.name(source));
                    batch.target_texts.push(&ids.name(target));
                }
            }
            (_, numbers) => {
                let numbers = numbers.unwrap_or_default();
                let id = |vertex: u32| {
                    let id = numbers.get(vertex as usize).copied();
                    id.unwrap_or(vertex.into())
                };
                batch.sources = self.edges.iter().map(|edge| id(edge.0)).collect();
                batch.targets = self.edges.iter().map(|edge| id(edge.1)).collect();
            }
        }
        drop(ids);
        writer.batch(&batch)?;
        let count = self.edges.len() as u64;
        self.edges.clear();
        Ok(count)
    }
}
