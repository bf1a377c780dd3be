//! External ids: what users call the vertices, when those are not dense.

use std::collections::HashMap;

use crate::record::ExternalIds;

/// Which external ids a graph has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// Vertices are called by their dense id.
    Dense,
    /// 64-bit numbers.
    Numbers,
    /// Strings.
    Texts,
}

/// External ids of all vertices, both ways, in DRAM.
#[derive(Debug)]
pub enum IdTable {
    /// No mapping.
    Dense,
    /// Numbers.
    Numbers {
        /// Id of each vertex.
        ids: Vec<u64>,
        /// Vertex of each id.
        vertices: HashMap<u64, u32>,
    },
    /// Strings.
    Texts {
        /// Where each vertex's string ends in `bytes`.
        ends: Vec<u64>,
        /// All strings.
        bytes: Vec<u8>,
        /// Vertex of each string.
        vertices: HashMap<Box<[u8]>, u32>,
    },
}

impl IdTable {
    /// An empty table.
    pub fn new(kind: IdKind) -> Self {
        match kind {
            IdKind::Dense => IdTable::Dense,
            IdKind::Numbers => IdTable::Numbers {
                ids: Vec::new(),
                vertices: HashMap::new(),
            },
            IdKind::Texts => IdTable::Texts {
                ends: Vec::new(),
                bytes: Vec::new(),
                vertices: HashMap::new(),
            },
        }
    }

    /// Number of ids.
    pub fn len(&self) -> usize {
        match self {
            IdTable::Dense => 0,
            IdTable::Numbers { ids, .. } => ids.len(),
            IdTable::Texts { ends, .. } => ends.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds ids for the next vertices; what is there already is skipped, so
    /// that replaying an assignment twice changes nothing.
    pub fn assign(&mut self, assigned: &ExternalIds) {
        match (self, assigned) {
            (
                IdTable::Numbers { ids, vertices },
                ExternalIds::Numbers {
                    first,
                    ids: new_ids,
                },
            ) => {
                let known = ids.len().saturating_sub(*first as usize);
                for &id in new_ids.iter().skip(known) {
                    vertices.insert(id, ids.len() as u32);
                    ids.push(id);
                }
            }
            (
                IdTable::Texts {
                    ends,
                    bytes,
                    vertices,
                },
                ExternalIds::Texts {
                    first,
                    ends: new_ends,
                    bytes: new_bytes,
                },
            ) => {
                let known = ends.len().saturating_sub(*first as usize);
                for i in known..new_ends.len() {
                    let start = if i == 0 { 0 } else { new_ends[i - 1] } as usize;
                    let text = &new_bytes[start..new_ends[i] as usize];
                    vertices.insert(text.into(), ends.len() as u32);
                    bytes.extend_from_slice(text);
                    ends.push(bytes.len() as u64);
                }
            }
            _ => {}
        }
    }

    /// The ids of vertices `from..`, for storing.
    pub fn since(&self, from: usize) -> Option<ExternalIds> {
        match self {
            IdTable::Numbers { ids, .. } if ids.len() > from => Some(ExternalIds::Numbers {
                first: from as u32,
                ids: ids[from..].to_vec(),
            }),
            IdTable::Texts { ends, bytes, .. } if ends.len() > from => {
                let start = if from == 0 { 0 } else { ends[from - 1] };
                Some(ExternalIds::Texts {
                    first: from as u32,
                    ends: ends[from..].iter().map(|&e| (e - start) as u32).collect(),
                    bytes: bytes[start as usize..].to_vec(),
                })
            }
            _ => None,
        }
    }

    /// The vertex with a numeric external id.
    pub fn vertex_of_number(&self, id: u64) -> Option<u32> {
        match self {
            IdTable::Numbers { vertices, .. } => vertices.get(&id).copied(),
            _ => None,
        }
    }

    /// The vertex with a string as external id.
    pub fn vertex_of_text(&self, id: &[u8]) -> Option<u32> {
        match self {
            IdTable::Texts { vertices, .. } => vertices.get(id).copied(),
            _ => None,
        }
    }

    /// What the user calls a vertex.
    pub fn name(&self, vertex: u32) -> String {
        let v = vertex as usize;
        match self {
            IdTable::Numbers { ids, .. } if v < ids.len() => ids[v].to_string(),
            IdTable::Texts { ends, bytes, .. } if v < ends.len() => {
                let start = if v == 0 { 0 } else { ends[v - 1] } as usize;
                String::from_utf8_lossy(&bytes[start..ends[v] as usize]).into_owned()
            }
            _ => vertex.to_string(),
        }
    }
}
