//! From the ids of the files to vertices.
//!
//! Ids that are there already are looked up for many edges at once, so that one does not
//! wait for the memory of another; the others get their vertices edge by edge, in the order
//! of their first appearance.

use std::ops::Range;

use evergraph_topology::MAX_VERTICES;
use evergraph_topology::ids::{IdTable, NO_VERTEX, NumberIndex, TextIndex, Texts};
use evergraph_topology::record::ExternalIds;

use crate::formats::{EdgeBatch, TextColumn};

/// An id that no vertex can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoVertex {
    /// A dense id beyond the limit.
    OutOfRange(u64),
    /// There are as many vertices as there can be.
    Full,
}

/// Ends of an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Source,
    Target,
}

/// The vertices of some edges of a batch, as far as their ids had one when they were
/// looked up. Ids keep their vertices, so it holds also when others have got theirs.
#[derive(Default)]
pub(super) struct Known {
    edges: Range<usize>,
    sources: Vec<u32>,
    targets: Vec<u32>,
}

impl Known {
    /// Forgets all, to be used for another batch.
    pub fn clear(&mut self) {
        self.edges = 0..0;
    }

    /// Whether an edge was looked up.
    #[inline]
    pub fn covers(&self, edge: usize) -> bool {
        self.edges.contains(&edge)
    }

    /// The vertex at one end of an edge that was looked up.
    #[inline]
    pub fn vertex(&self, edge: usize, end: End) -> Option<u32> {
        let vertices = match end {
            End::Source => &self.sources,
            End::Target => &self.targets,
        };
        let vertex = vertices[edge - self.edges.start];
        (vertex != NO_VERTEX).then_some(vertex)
    }
}

/// The database's ids and those that the import has added.
pub(super) enum Mapper {
    Dense,
    Numbers {
        vertices: NumberIndex,
        count: usize,
        new: Vec<u64>,
    },
    Texts {
        vertices: TextIndex,
        texts: Texts,
        /// Those before were taken.
        taken: usize,
    },
}

impl Mapper {
    /// Starts with the ids of the database.
    pub fn new(table: &IdTable) -> Self {
        let count = table.len();
        if let Some(ids) = table.numbers() {
            return Mapper::Numbers {
                vertices: NumberIndex::of(ids),
                count,
                new: Vec::new(),
            };
        }
        match table.texts() {
            Some(texts) => Mapper::Texts {
                vertices: TextIndex::of(texts),
                texts: texts.clone(),
                taken: count,
            },
            None => Mapper::Dense,
        }
    }

    /// Looks up the ends of some edges.
    pub fn find_all(&self, batch: &EdgeBatch, edges: Range<usize>, known: &mut Known) {
        let ends = [
            (End::Source, &mut known.sources),
            (End::Target, &mut known.targets),
        ];
        for (end, vertices) in ends {
            vertices.clear();
            self.find_column(batch, edges.clone(), end, vertices);
        }
        known.edges = edges;
    }

    /// Looks up one end of some edges; files that list vertices have no targets.
    fn find_column(&self, batch: &EdgeBatch, edges: Range<usize>, end: End, found: &mut Vec<u32>) {
        let ids = || numbers(batch, end).get(edges.clone()).unwrap_or_default();
        match self {
            Mapper::Dense => {
                let vertex = |&id: &u64| dense(id).unwrap_or(NO_VERTEX);
                found.extend(ids().iter().map(vertex));
            }
            Mapper::Numbers { vertices, .. } => vertices.get_all(ids(), found),
            Mapper::Texts {
                vertices, texts, ..
            } => {
                let column = column(batch, end);
                let edges = edges.start..edges.end.min(column.len());
                let wanted = edges.map(|edge| column.get(edge).as_bytes());
                vertices.get_all(texts, wanted, found);
            }
        }
    }

    /// The vertex at one end of an edge; a new one for a new id.
    pub fn intern(&mut self, batch: &EdgeBatch, edge: usize, end: End) -> Result<u32, NoVertex> {
        match self {
            Mapper::Dense => dense(numbers(batch, end)[edge]),
            Mapper::Numbers { .. } => self.intern_number(numbers(batch, end)[edge]),
            Mapper::Texts { .. } => self.intern_text(column(batch, end).get(edge).as_bytes()),
        }
    }

    /// The vertex that files list by its number, with edges or without.
    pub fn intern_listed(&mut self, id: u64) -> Result<u32, NoVertex> {
        match self {
            Mapper::Dense => dense(id),
            Mapper::Numbers { .. } => self.intern_number(id),
            Mapper::Texts { .. } => self.intern_text(id.to_string().as_bytes()),
        }
    }

    #[inline]
    fn intern_number(&mut self, id: u64) -> Result<u32, NoVertex> {
        let Mapper::Numbers {
            vertices,
            count,
            new,
        } = self
        else {
            return dense(id);
        };
        if let Some(vertex) = vertices.get(id) {
            return Ok(vertex);
        }
        let vertex = fresh(*count)?;
        vertices.insert(id, vertex);
        new.push(id);
        *count += 1;
        Ok(vertex)
    }

    fn intern_text(&mut self, id: &[u8]) -> Result<u32, NoVertex> {
        let Mapper::Texts {
            vertices, texts, ..
        } = self
        else {
            unreachable!("only texts are interned as such");
        };
        if let Some(vertex) = vertices.get(texts, id) {
            return Ok(vertex);
        }
        let vertex = fresh(texts.len())?;
        texts.push(id);
        vertices.insert(texts, vertex);
        Ok(vertex)
    }

    /// The vertex at one end of an edge, if there is one.
    pub fn find(&self, batch: &EdgeBatch, edge: usize, end: End) -> Option<u32> {
        match self {
            Mapper::Dense => dense(numbers(batch, end)[edge]).ok(),
            Mapper::Numbers { vertices, .. } => vertices.get(numbers(batch, end)[edge]),
            Mapper::Texts {
                vertices, texts, ..
            } => vertices.get(texts, column(batch, end).get(edge).as_bytes()),
        }
    }

    /// Bytes that the new ids will take in a log record.
    pub fn new_bytes(&self) -> usize {
        match self {
            Mapper::Dense => 0,
            Mapper::Numbers { new, .. } => 8 * new.len(),
            Mapper::Texts { texts, taken, .. } => {
                4 * (texts.len() - taken) + texts.bytes_from(*taken).len()
            }
        }
    }

    /// Takes the ids that are new since the last call.
    pub fn take_new(&mut self) -> Option<ExternalIds> {
        match self {
            Mapper::Numbers { count, new, .. } if !new.is_empty() => Some(ExternalIds::Numbers {
                first: (*count - new.len()) as u32,
                ids: std::mem::take(new),
            }),
            Mapper::Texts { texts, taken, .. } if *taken < texts.len() => {
                let first = std::mem::replace(taken, texts.len());
                Some(ExternalIds::Texts {
                    first: first as u32,
                    ends: texts.ends_from(first).collect(),
                    bytes: texts.bytes_from(first).to_vec(),
                })
            }
            _ => None,
        }
    }
}

fn numbers(batch: &EdgeBatch, end: End) -> &[u64] {
    match end {
        End::Source => &batch.sources,
        End::Target => &batch.targets,
    }
}

fn column(batch: &EdgeBatch, end: End) -> &TextColumn {
    match end {
        End::Source => &batch.source_texts,
        End::Target => &batch.target_texts,
    }
}

#[inline]
fn dense(id: u64) -> Result<u32, NoVertex> {
    match id < MAX_VERTICES {
        true => Ok(id as u32),
        false => Err(NoVertex::OutOfRange(id)),
    }
}

fn fresh(next: usize) -> Result<u32, NoVertex> {
    match (next as u64) < MAX_VERTICES {
        true => Ok(next as u32),
        false => Err(NoVertex::Full),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use evergraph_graph::random::Random;
    use evergraph_topology::ids::IdKind;

    #[test]
    fn ids_come_in_the_order_of_their_first_appearance() {
        let mut mapper = Mapper::new(&IdTable::new(IdKind::Numbers));
        let batch = EdgeBatch {
            sources: vec![900, 5, 900],
            targets: vec![5, u64::MAX, 900],
            ..EdgeBatch::default()
        };
        let mut ends = Vec::new();
        for edge in 0..3 {
            for end in [End::Source, End::Target] {
                ends.push(mapper.intern(&batch, edge, end).unwrap());
            }
        }
        assert_eq!(ends, [0, 1, 1, 2, 0, 0]);
        let new = mapper.take_new();
        let expected = ExternalIds::Numbers {
            first: 0,
            ids: vec![900, 5, u64::MAX],
        };
        assert_eq!(new, Some(expected));
        assert_eq!(mapper.take_new(), None);
    }

    /// The ends of random edges in batches, looked up in windows as an import does, and their
    /// ids taken now and then: against ids that are numbered one by one.
    fn numbered_in_their_order(kind: IdKind, id: impl Fn(u64) -> u64) {
        let mut random = Random::new(11);
        let (mut mapper, mut known) = (Mapper::new(&IdTable::new(kind)), Known::default());
        let (mut reference, mut in_order) = (HashMap::new(), Vec::new());
        let mut taken = Vec::new();
        for _ in 0..30 {
            let batch = random_batch(kind, &mut random, &id);
            known.clear();
            for edge in 0..batch.len() {
                if !known.covers(edge) {
                    mapper.find_all(&batch, edge..batch.len().min(edge + 50), &mut known);
                }
                for end in [End::Source, End::Target] {
                    let name = name(&batch, edge, end);
                    let before = reference.get(&name).copied();
                    assert_eq!(mapper.find(&batch, edge, end), before);
                    let found = known.vertex(edge, end);
                    assert!(found.is_none() || found == before);
                    let vertex = found.unwrap_or_else(|| mapper.intern(&batch, edge, end).unwrap());
                    let next = reference.len() as u32;
                    assert_eq!(vertex, *reference.entry(name.clone()).or_insert(next));
                    in_order.resize(reference.len(), name);
                }
            }
            if let Some(new) = mapper.take_new() {
                assert_eq!(first_of(&new), taken.len());
                taken.extend(names_of(&new));
            }
            assert_eq!((mapper.new_bytes(), &taken), (0, &in_order));
        }
    }

    fn random_batch(kind: IdKind, random: &mut Random, id: &impl Fn(u64) -> u64) -> EdgeBatch {
        let mut batch = EdgeBatch::default();
        for _ in 0..random.next_u64() % 300 {
            let [source, target] = [(); 2].map(|()| id(random.next_u64() % 3_000));
            match kind {
                IdKind::Texts => {
                    batch.source_texts.push_number(source);
                    batch.target_texts.push_number(target);
                }
                _ => {
                    batch.sources.push(source);
                    batch.targets.push(target);
                }
            }
        }
        batch
    }

    fn name(batch: &EdgeBatch, edge: usize, end: End) -> String {
        match numbers(batch, end).get(edge) {
            Some(number) => number.to_string(),
            None => column(batch, end).get(edge).to_string(),
        }
    }

    fn first_of(ids: &ExternalIds) -> usize {
        match ids {
            ExternalIds::Numbers { first, .. } | ExternalIds::Texts { first, .. } => {
                *first as usize
            }
        }
    }

    fn names_of(ids: &ExternalIds) -> Vec<String> {
        match ids {
            ExternalIds::Numbers { ids, .. } => ids.iter().map(u64::to_string).collect(),
            ExternalIds::Texts { ends, bytes, .. } => {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let text = |(start, &end): (u32, &u32)| {
                    String::from_utf8(bytes[start as usize..end as usize].to_vec()).unwrap()
                };
                starts.zip(ends).map(text).collect()
            }
        }
    }

    #[test]
    fn vertices_are_numbered_in_the_order_in_which_ids_appear() {
        for kind in [IdKind::Numbers, IdKind::Texts] {
            numbered_in_their_order(kind, |id| id);
            numbered_in_their_order(kind, |id| id << 45);
        }
    }

    #[test]
    fn dense_ids_go_up_to_the_last_vertex() {
        for (id, vertex) in [
            (MAX_VERTICES - 1, Ok((MAX_VERTICES - 1) as u32)),
            (MAX_VERTICES, Err(NoVertex::OutOfRange(MAX_VERTICES))),
            (u64::MAX, Err(NoVertex::OutOfRange(u64::MAX))),
        ] {
            assert_eq!(Mapper::Dense.intern_listed(id), vertex);
        }
    }

    #[test]
    fn vertices_that_files_list_have_no_targets() {
        let batch = EdgeBatch {
            sources: vec![4, 2],
            ..EdgeBatch::default()
        };
        for kind in [IdKind::Dense, IdKind::Numbers] {
            let mapper = Mapper::new(&IdTable::new(kind));
            let mut known = Known::default();
            mapper.find_all(&batch, 0..2, &mut known);
            let vertex = (kind == IdKind::Dense).then_some(2);
            assert_eq!(known.vertex(1, End::Source), vertex);
        }
    }
}
