//! Formats, columns, ids and counts that an import of plain edges would find in files,
//! without importing them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_algorithms::Cancellation;
use evergraph_topology::ids::IdKind;

use super::{interrupted, rejects_of};
use crate::Error;
use crate::formats::{
    Compression, EdgeBatch, EdgeReader, EndpointKind, FileColumn, Format, Options, SkippedLines,
    TextColumn,
};

/// Edges that are looked at together.
const LOOKED_AT: usize = 1 << 16;

/// Files of edges, as an import would take them.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeInspection {
    /// The files.
    pub files: Vec<InspectedFile>,
    /// Kind of the ids.
    pub ids: IdKind,
    /// Lines, heads and comments among them.
    pub lines: u64,
    /// Edges that are added.
    pub edges: u64,
    /// Edges that are deleted.
    pub deletions: u64,
    /// Vertices: ids that occur, and those that the files list.
    pub vertices: u64,
    /// Edges beyond the first between the same two vertices, in the same direction if
    /// edges have one; deletions aside.
    pub duplicates: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
    /// The least and the largest weight, if weights are read.
    pub weights: Option<(f32, f32)>,
    /// The first and the last time, in seconds since 1970, if times are read.
    pub times: Option<(i64, i64)>,
    /// Malformed lines that were tolerated.
    pub skipped: SkippedLines,
}

/// A file, as its head and its first line tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedFile {
    /// Its path.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// Columns of its lines.
    pub columns: Vec<FileColumn>,
    /// Whether it says that its edges are undirected.
    pub symmetric: bool,
}

/// Reads files and counts what they hold; nothing is written but the file of rejected
/// lines. DRAM: 8 bytes an edge, and the ids.
///
/// # Errors
/// As those of an import; [`Error::Interrupted`].
pub fn inspect(
    files: &[PathBuf],
    (ids, undirected): (IdKind, bool),
    reading: &Options,
    rejects: Option<&Path>,
    cancellation: &Cancellation,
) -> Result<EdgeInspection, Error> {
    let reading = Options {
        ids: match ids {
            IdKind::Texts => EndpointKind::Text,
            IdKind::Dense | IdKind::Numbers => EndpointKind::Number,
        },
        keep_base: ids == IdKind::Numbers,
        ..reading.clone()
    };
    let inspected = files.iter().map(|path| inspect_one(path, &reading));
    let mut found = EdgeInspection {
        files: inspected.collect::<Result<_, Error>>()?,
        ids,
        lines: 0,
        edges: 0,
        deletions: 0,
        vertices: 0,
        duplicates: 0,
        self_loops: 0,
        weights: None,
        times: None,
        skipped: SkippedLines::default(),
    };
    let mut reader = EdgeReader::open_all(files, &reading)?;
    let mut rejects = rejects_of(rejects, files, &mut reader)?;
    let mut counts = Counts::default();
    if ids != IdKind::Texts {
        counts.declared = reader.declared_ids().unwrap_or(0..0);
    }
    let mut batch = EdgeBatch::default();
    loop {
        let read = reader.next_batch(&mut batch, LOOKED_AT);
        if let Some(rejects) = &mut rejects {
            rejects.add_lines(&reader.take_rejected())?;
        }
        if read? == 0 {
            break;
        }
        if cancellation.is_cancelled() {
            return Err(interrupted(0));
        }
        let undirected = undirected || reader.symmetric();
        counts.take(&batch, reader.lists_vertices(), undirected, &mut found);
    }
    found.lines = reader.position().lines;
    found.vertices = counts.ids();
    found.duplicates = counts.duplicates();
    found.skipped = reader.skipped().clone();
    Ok(found)
}

fn inspect_one(path: &PathBuf, reading: &Options) -> Result<InspectedFile, Error> {
    let reader = EdgeReader::open(path, reading)?;
    Ok(InspectedFile {
        path: path.clone(),
        format: reader.format(),
        compression: reader.compression(),
        columns: reader.columns(),
        symmetric: reader.symmetric(),
    })
}

/// Ids in the order of their first appearance, and the edges between them.
#[derive(Default)]
struct Counts {
    numbers: HashMap<u64, u32>,
    texts: HashMap<Arc<str>, u32>,
    edges: Vec<(u32, u32)>,
    /// Ids of vertices that the files list.
    declared: Range<u64>,
}

impl Counts {
    fn take(
        &mut self,
        batch: &EdgeBatch,
        lists_vertices: bool,
        undirected: bool,
        found: &mut EdgeInspection,
    ) {
        for edge in 0..batch.len() {
            let source = self.end(&batch.sources, &batch.source_texts, edge);
            if lists_vertices {
                continue;
            }
            let target = self.end(&batch.targets, &batch.target_texts, edge);
            if batch.deletions.get(edge) == Some(&true) {
                found.deletions += 1;
                continue;
            }
            found.edges += 1;
            found.self_loops += u64::from(source == target);
            self.edges.push(match undirected {
                true => (source.min(target), source.max(target)),
                false => (source, target),
            });
        }
        for &weight in &batch.weights {
            let (least, most) = found.weights.unwrap_or((weight, weight));
            found.weights = Some((least.min(weight), most.max(weight)));
        }
        for &time in &batch.timestamps {
            let (first, last) = found.times.unwrap_or((time, time));
            found.times = Some((first.min(time), last.max(time)));
        }
    }

    fn end(&mut self, numbers: &[u64], texts: &TextColumn, edge: usize) -> u32 {
        match numbers.get(edge) {
            Some(&number) => self.number(number),
            None => self.text(texts.get(edge)),
        }
    }

    fn number(&mut self, number: u64) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(number).or_insert(next)
    }

    fn text(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.texts.get(text) {
            return known;
        }
        let next = self.texts.len() as u32;
        self.texts.insert(text.into(), next);
        next
    }

    fn ids(&self) -> u64 {
        let others = self.numbers.keys().filter(|id| !self.declared.contains(id));
        let declared = self.declared.end - self.declared.start;
        declared + (others.count() + self.texts.len()) as u64
    }

    fn duplicates(mut self) -> u64 {
        let all = self.edges.len();
        self.edges.sort_unstable();
        self.edges.dedup();
        (all - self.edges.len()) as u64
    }
}
