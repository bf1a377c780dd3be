//! From the ids of the files to vertices.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use evergraph_graph::random::split_mix;
use evergraph_topology::MAX_VERTICES;
use evergraph_topology::ids::IdTable;
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
        vertices: HashMap<u64, u32, Seed>,
        new: Vec<u64>,
    },
    Texts {
        vertices: HashMap<Box<[u8]>, u32, Seed>,
        new_ends: Vec<u32>,
        new_bytes: Vec<u8>,
    },
}

impl Mapper {
    /// Starts with the ids of the database.
    pub fn new(table: &IdTable) -> Self {
        let seed = Seed::random();
        match table {
            IdTable::Dense => Mapper::Dense,
            IdTable::Numbers { ids, .. } => {
                let mut vertices = HashMap::with_capacity_and_hasher(ids.len(), seed);
                vertices.extend(ids.iter().zip(0..).map(|(&id, vertex)| (id, vertex)));
                Mapper::Numbers {
                    vertices,
                    new: Vec::new(),
                }
            }
            IdTable::Texts {
                vertices: known, ..
            } => {
                let mut vertices = HashMap::with_capacity_and_hasher(known.len(), seed);
                vertices.extend(known.iter().map(|(id, &vertex)| (id.clone(), vertex)));
                Mapper::Texts {
                    vertices,
                    new_ends: Vec::new(),
                    new_bytes: Vec::new(),
                }
            }
        }
    }

    /// The vertex at one end of an edge; a new one for a new id.
    #[inline]
    pub fn intern(&mut self, batch: &EdgeBatch, edge: usize, end: End) -> Result<u32, NoVertex> {
        match self {
            Mapper::Dense => dense(numbers(batch, end)[edge]),
            Mapper::Numbers { vertices, new } => {
                let id = numbers(batch, end)[edge];
                let next = vertices.len();
                if let Some(&vertex) = vertices.get(&id) {
                    return Ok(vertex);
                }
                let vertex = fresh(next)?;
                vertices.insert(id, vertex);
                new.push(id);
                Ok(vertex)
            }
            Mapper::Texts {
                vertices,
                new_ends,
                new_bytes,
            } => {
                let id = texts(batch, end).get(edge).as_bytes();
                let next = vertices.len();
                if let Some(&vertex) = vertices.get(id) {
                    return Ok(vertex);
                }
                let vertex = fresh(next)?;
                vertices.insert(id.into(), vertex);
                new_bytes.extend_from_slice(id);
                new_ends.push(new_bytes.len() as u32);
                Ok(vertex)
            }
        }
    }

    /// The vertex at one end of an edge, if there is one.
    pub fn find(&self, batch: &EdgeBatch, edge: usize, end: End) -> Option<u32> {
        match self {
            Mapper::Dense => dense(numbers(batch, end)[edge]).ok(),
            Mapper::Numbers { vertices, .. } => vertices.get(&numbers(batch, end)[edge]).copied(),
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
            Mapper::Numbers { vertices, new } if !new.is_empty() => Some(ExternalIds::Numbers {
                first: (vertices.len() - new.len()) as u32,
                ids: std::mem::take(new),
            }),
            Mapper::Texts {
                vertices,
                new_ends,
                new_bytes,
            } if !new_ends.is_empty() => Some(ExternalIds::Texts {
                first: (vertices.len() - new_ends.len()) as u32,
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

/// Makes fast hashers, seeded at random so that no file can be made to collide.
#[derive(Clone)]
pub(super) struct Seed(u64);

impl Seed {
    fn random() -> Self {
        Seed(RandomState::new().hash_one(0) | 1)
    }
}

impl BuildHasher for Seed {
    type Hasher = Mixed;

    fn build_hasher(&self) -> Mixed {
        Mixed { state: self.0 }
    }
}

/// Mixes each word into the state with the finalizer of SplitMix64, in which
/// every input bit reaches every output bit, whatever the seed.
pub(super) struct Mixed {
    state: u64,
}

impl Hasher for Mixed {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().expect("eight bytes")));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        self.write_u64(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.state = split_mix(&mut (self.state ^ word));
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.state
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

    #[test]
    fn nearby_numbers_spread_over_all_bits() {
        for seed in (0..64).map(Seed).chain([Seed::random()]) {
            spreads(&seed);
        }
    }

    fn spreads(seed: &Seed) {
        let low = |id: u64| seed.hash_one(id) & 0xfff;
        let high = |id: u64| seed.hash_one(id) >> 57;
        let lows: std::collections::HashSet<u64> = (0..4096).map(|i| low(i << 20)).collect();
        let highs: std::collections::HashSet<u64> = (0..4096).map(high).collect();
        assert!(lows.len() > 2000, "{}", lows.len());
        assert_eq!(highs.len(), 128);
    }
}
