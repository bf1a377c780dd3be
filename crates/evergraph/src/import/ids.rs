//! From the ids of the files to vertices.

use evergraph_topology::MAX_VERTICES;
use evergraph_topology::ids::{IdTable, NumberIndex, TextIndex};
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
        count: usize,
        new_ends: Vec<u32>,
        new_bytes: Vec<u8>,
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
                vertices: texts
                    .zip(0..)
                    .map(|(id, vertex)| (id.into(), vertex))
                    .collect(),
                count,
                new_ends: Vec::new(),
                new_bytes: Vec::new(),
            },
            None => Mapper::Dense,
        }
    }

    /// The vertex at one end of an edge; a new one for a new id.
    #[inline]
    pub fn intern(&mut self, batch: &EdgeBatch, edge: usize, end: End) -> Result<u32, NoVertex> {
        match self {
            Mapper::Dense => dense(numbers(batch, end)[edge]),
            Mapper::Numbers { .. } => self.intern_number(numbers(batch, end)[edge]),
            Mapper::Texts { .. } => self.intern_text(texts(batch, end).get(edge).as_bytes()),
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
            vertices,
            count,
            new_ends,
            new_bytes,
        } = self
        else {
            unreachable!("only texts are interned as such");
        };
        if let Some(&vertex) = vertices.get(id) {
            return Ok(vertex);
        }
        let vertex = fresh(*count)?;
        vertices.insert(id.into(), vertex);
        new_bytes.extend_from_slice(id);
        new_ends.push(new_bytes.len() as u32);
        *count += 1;
        Ok(vertex)
    }

    /// The vertex at one end of an edge, if there is one.
    pub fn find(&self, batch: &EdgeBatch, edge: usize, end: End) -> Option<u32> {
        match self {
            Mapper::Dense => dense(numbers(batch, end)[edge]).ok(),
            Mapper::Numbers { vertices, .. } => vertices.get(numbers(batch, end)[edge]),
            Mapper::Texts { vertices, .. } => vertices
                .get(texts(batch, end).get(edge).as_bytes())
                .copied(),
        }
    }

    /// Bytes that the new ids will take in a log record.
    pub fn new_bytes(&self) -> usize {
        match self {
            Mapper::Dense => 0,
            Mapper::Numbers { new, .. } => 8 * new.len(),
            Mapper::Texts {
                new_ends,
                new_bytes,
                ..
            } => 4 * new_ends.len() + new_bytes.len(),
        }
    }

    /// Takes the ids that are new since the last call.
    pub fn take_new(&mut self) -> Option<ExternalIds> {
        match self {
            Mapper::Numbers { count, new, .. } if !new.is_empty() => Some(ExternalIds::Numbers {
                first: (*count - new.len()) as u32,
                ids: std::mem::take(new),
            }),
            Mapper::Texts {
                count,
                new_ends,
                new_bytes,
                ..
            } if !new_ends.is_empty() => Some(ExternalIds::Texts {
                first: (*count - new_ends.len()) as u32,
                ends: std::mem::take(new_ends),
                bytes: std::mem::take(new_bytes),
            }),
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

fn texts(batch: &EdgeBatch, end: End) -> &TextColumn {
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
    use super::*;
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
}
