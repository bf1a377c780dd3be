//! Manifests: the description of a result and where its blocks are, as bytes.
//!
//! Numbers are little-endian. Texts and lists begin with their length (4 bytes).
//! The directory's checksum covers a manifest, so that what does not make sense
//! here was written so; it is an error all the same.

use evergraph_graph::{ColumnKind, StoredLists};

use super::{Description, GraphIdentity};

/// Version of the bytes.
const VERSION: u32 = 1;

/// A result as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    pub description: Description,
    pub columns: Vec<ManifestColumn>,
}

/// A column, and offset and checksum of each of its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ManifestColumn {
    pub name: String,
    pub kind: ColumnKind,
    pub len: u64,
    pub blocks: Vec<(u64, u32)>,
}

impl Manifest {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_u32(&mut bytes, VERSION);
        let description = &self.description;
        put_text(&mut bytes, &description.name);
        put_text(&mut bytes, &description.algorithm);
        put_pairs(&mut bytes, &description.parameters);
        let graph = &description.graph;
        for number in [graph.csn, graph.vertex_count, graph.arc_count] {
            put_u64(&mut bytes, number);
        }
        bytes.push(match graph.direction {
            StoredLists::Undirected => 0,
            StoredLists::Out => 1,
            StoredLists::Both => 2,
        });
        bytes.push(u8::from(graph.weighted));
        put_u64(&mut bytes, description.step);
        bytes.push(u8::from(description.finished));
        put_u64(&mut bytes, description.started_us as u64);
        put_u64(&mut bytes, description.updated_us as u64);
        put_pairs(&mut bytes, &description.notes);
        put_u32(&mut bytes, self.columns.len() as u32);
        for column in &self.columns {
            put_text(&mut bytes, &column.name);
            let kind = ColumnKind::ALL.iter().position(|&kind| kind == column.kind);
            bytes.push(kind.expect("one of all") as u8);
            put_u64(&mut bytes, column.len);
            put_u32(&mut bytes, column.blocks.len() as u32);
            for &(offset, crc) in &column.blocks {
                put_u64(&mut bytes, offset);
                put_u32(&mut bytes, crc);
            }
        }
        bytes
    }

    /// `None` if the bytes are not a manifest.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        if bytes.u32()? != VERSION {
            return None;
        }
        let description = Description {
            name: bytes.text()?,
            algorithm: bytes.text()?,
            parameters: bytes.pairs()?,
            graph: GraphIdentity {
                csn: bytes.u64()?,
                vertex_count: bytes.u64()?,
                arc_count: bytes.u64()?,
                direction: match bytes.u8()? {
                    0 => StoredLists::Undirected,
                    1 => StoredLists::Out,
                    2 => StoredLists::Both,
                    _ => return None,
                },
                weighted: bytes.switch()?,
            },
            step: bytes.u64()?,
            finished: bytes.switch()?,
            started_us: bytes.u64()? as i64,
            updated_us: bytes.u64()? as i64,
            notes: bytes.pairs()?,
        };
        let columns = bytes.list(|bytes| {
            Some(ManifestColumn {
                name: bytes.text()?,
                kind: *ColumnKind::ALL.get(usize::from(bytes.u8()?))?,
                len: bytes.u64()?,
                blocks: bytes.list(|bytes| Some((bytes.u64()?, bytes.u32()?)))?,
            })
        })?;
        bytes.0.is_empty().then_some(Manifest {
            description,
            columns,
        })
    }
}

fn put_u32(bytes: &mut Vec<u8>, value: u32) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

fn put_u64(bytes: &mut Vec<u8>, value: u64) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_u32(bytes, text.len() as u32);
    bytes.extend_from_slice(text.as_bytes());
}

fn put_pairs(bytes: &mut Vec<u8>, pairs: &[(String, String)]) {
    put_u32(bytes, pairs.len() as u32);
    for (name, value) in pairs {
        put_text(bytes, name);
        put_text(bytes, value);
    }
}

/// Rest of the bytes to be decoded.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn switch(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<String> {
        let len = self.u32()? as usize;
        String::from_utf8(self.take(len)?.to_vec()).ok()
    }

    fn pairs(&mut self) -> Option<Vec<(String, String)>> {
        self.list(|bytes| Some((bytes.text()?, bytes.text()?)))
    }

    /// A list; memory is taken only as far as there are items.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.u32()?;
        (0..count).map(|_| item(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            description: Description {
                name: "r".to_string(),
                algorithm: "katz".to_string(),
                parameters: Vec::new(),
                graph: GraphIdentity {
                    csn: 1,
                    vertex_count: 2,
                    arc_count: 3,
                    direction: StoredLists::Both,
                    weighted: true,
                },
                step: 4,
                finished: false,
                started_us: -5,
                updated_us: 6,
                notes: Vec::new(),
            },
            columns: vec![ManifestColumn {
                name: "c".to_string(),
                kind: ColumnKind::U32,
                len: 7,
                blocks: vec![(64, 8)],
            }],
        }
    }

    #[test]
    fn bytes_are_one_manifest_or_none() {
        let bytes = manifest().encode();
        assert_eq!(Manifest::decode(&bytes), Some(manifest()));
        for cut in 0..bytes.len() {
            assert_eq!(Manifest::decode(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(Manifest::decode(&[&bytes[..], &[0]].concat()), None);
        // Behind the version, two texts, a list and three numbers: whether there are weights.
        let weighted = 4 + 5 + 8 + 4 + 3 * 8 + 1;
        let mut other = bytes.clone();
        assert_eq!(other[weighted], 1);
        other[weighted] = 2;
        assert_eq!(Manifest::decode(&other), None);
    }
}
