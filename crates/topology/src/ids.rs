//! External ids: what users call the vertices, when those are not dense.

use std::collections::HashMap;

use crate::record::ExternalIds;

/// Kinds of external ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// Vertices are called by their dense id.
    Dense,
    /// 64-bit numbers.
    Numbers,
    /// Strings.
    Texts,
}

impl IdKind {
    /// Name in reports and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Numbers => "mapped numbers",
            Self::Texts => "mapped texts",
        }
    }
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
        /// End of each vertex's string in `bytes`.
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

    /// Whether an assignment continues a table of `len` ids, and says the same
    /// about those of its vertices that this table has already.
    ///
    /// # Errors
    /// The fault of the assignment, for a message.
    pub fn check(&self, len: usize, assigned: &ExternalIds) -> Result<(), &'static str> {
        let (first, same) = match (self, assigned) {
            (IdTable::Numbers { ids, .. }, ExternalIds::Numbers { first, ids: new }) => {
                let known = ids.get(*first as usize..).unwrap_or_default();
                (*first, known.iter().zip(new).all(|(a, b)| a == b))
            }
            (IdTable::Texts { .. }, ExternalIds::Texts { first, ends, bytes }) => {
                let known = (*first as usize..self.len()).take(ends.len());
                let same =
                    |(i, vertex): (usize, usize)| self.text(vertex) == text_at(ends, bytes, i);
                (*first, known.enumerate().all(same))
            }
            _ => return Err("external ids of a kind that the graph does not have"),
        };
        if first as usize > len {
            return Err("external ids of vertices far behind the last that has one");
        }
        // An id that is assigned twice before it is in the table cannot be compared.
        let unknown = (first as usize) < len && self.len() < len;
        if unknown || !same {
            return Err("other external ids for vertices that have some");
        }
        Ok(())
    }

    /// Adds ids for the next vertices; what is there already is skipped, so
    /// that replaying an assignment twice changes nothing.
    ///
    /// # Errors
    /// As [`IdTable::check`]; the table is then unchanged.
    pub fn assign(&mut self, assigned: &ExternalIds) -> Result<(), &'static str> {
        self.check(self.len(), assigned)?;
        match (&mut *self, assigned) {
            (
                IdTable::Numbers { ids, vertices },
                ExternalIds::Numbers {
                    first,
                    ids: new_ids,
                },
            ) => {
                let known = ids.len() - *first as usize;
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
                let known = ends.len() - *first as usize;
                for i in known..new_ends.len() {
                    let text = text_at(new_ends, new_bytes, i);
                    vertices.insert(text.into(), ends.len() as u32);
                    bytes.extend_from_slice(text);
                    ends.push(bytes.len() as u64);
                }
            }
            _ => unreachable!("checked above"),
        }
        self.invariants();
        Ok(())
    }

    /// Panics in debug builds if both directions contradict each other, as far as it
    /// is cheap to see. Two vertices may have been given one id.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let known = match self {
            IdTable::Dense => return,
            IdTable::Numbers { vertices, .. } => vertices.len(),
            IdTable::Texts {
                ends,
                bytes,
                vertices,
            } => {
                assert_eq!(
                    ends.last().copied().unwrap_or(0),
                    bytes.len() as u64,
                    "the last string ends where all do"
                );
                vertices.len()
            }
        };
        assert!(
            known <= self.len(),
            "{known} ids of {} vertices",
            self.len()
        );
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

    /// External id of a vertex, or its number.
    pub fn name(&self, vertex: u32) -> String {
        let v = vertex as usize;
        match self {
            IdTable::Numbers { ids, .. } if v < ids.len() => ids[v].to_string(),
            IdTable::Texts { ends, .. } if v < ends.len() => {
                String::from_utf8_lossy(self.text(v)).into_owned()
            }
            _ => vertex.to_string(),
        }
    }

    /// The string of a vertex that has one.
    fn text(&self, vertex: usize) -> &[u8] {
        match self {
            IdTable::Texts { ends, bytes, .. } => {
                let start = if vertex == 0 { 0 } else { ends[vertex - 1] } as usize;
                &bytes[start..ends[vertex] as usize]
            }
            _ => &[],
        }
    }
}

impl ExternalIds {
    /// One behind the last vertex that gets an id.
    pub(crate) fn end(&self) -> usize {
        match self {
            ExternalIds::Numbers { first, ids } => *first as usize + ids.len(),
            ExternalIds::Texts { first, ends, .. } => *first as usize + ends.len(),
        }
    }
}

/// The i-th string of an assignment.
fn text_at<'a>(ends: &[u32], bytes: &'a [u8], i: usize) -> &'a [u8] {
    let start = if i == 0 { 0 } else { ends[i - 1] } as usize;
    &bytes[start..ends[i] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(first: u32, ids: &[u64]) -> ExternalIds {
        let ids = ids.to_vec();
        ExternalIds::Numbers { first, ids }
    }

    fn texts(first: u32, texts: &[&str]) -> ExternalIds {
        let ends = (1..=texts.len()).map(|n| texts[..n].concat().len() as u32);
        ExternalIds::Texts {
            first,
            ends: ends.collect(),
            bytes: texts.concat().into_bytes(),
        }
    }

    #[test]
    fn assignments_follow_one_another_and_may_be_replayed() {
        let mut table = IdTable::new(IdKind::Numbers);
        table.assign(&numbers(0, &[7, 8])).unwrap();
        table.assign(&numbers(2, &[9])).unwrap();
        for replayed in [numbers(0, &[7, 8]), numbers(1, &[8, 9, 10])] {
            table.assign(&replayed).unwrap();
        }
        assert_eq!((table.len(), table.vertex_of_number(10)), (4, Some(3)));
        let mut table = IdTable::new(IdKind::Texts);
        table.assign(&texts(0, &["a", "", "ccc"])).unwrap();
        table.assign(&texts(1, &["", "ccc", "dd"])).unwrap();
        assert_eq!((table.len(), table.name(3)), (4, "dd".to_string()));
    }

    #[test]
    fn what_does_not_continue_the_table_is_refused() {
        let mut table = IdTable::new(IdKind::Numbers);
        table.assign(&numbers(0, &[7, 8])).unwrap();
        for wrong in [
            numbers(3, &[9]),
            numbers(1, &[7]),
            numbers(0, &[8, 8, 9]),
            texts(2, &["a"]),
        ] {
            assert!(table.assign(&wrong).is_err(), "{wrong:?}");
            assert_eq!((table.len(), table.vertex_of_number(9)), (2, None));
        }
        let mut table = IdTable::new(IdKind::Texts);
        table.assign(&texts(0, &["a", "b"])).unwrap();
        for wrong in [texts(3, &["c"]), texts(1, &["c"]), numbers(2, &[1])] {
            assert!(table.assign(&wrong).is_err(), "{wrong:?}");
            assert_eq!(table.len(), 2);
        }
        assert!(IdTable::Dense.assign(&numbers(0, &[1])).is_err());
    }
}
