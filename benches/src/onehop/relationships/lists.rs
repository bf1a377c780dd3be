//! Relationships in plain memory.

use evergraph_graph::VertexId;

/// For each vertex the other ends of what leaves it, in order of insertion, and beside
/// them the ids.
pub struct Static {
    offsets: Vec<usize>,
    neighbors: Vec<VertexId>,
    ids: Vec<u32>,
}

impl Static {
    /// Of source, target and id.
    pub fn of(vertices: usize, entries: &[(VertexId, VertexId, u32)]) -> Self {
        let mut offsets = vec![0; vertices + 1];
        for entry in entries {
            offsets[entry.0 as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let (mut neighbors, mut ids) = (vec![0; entries.len()], vec![0; entries.len()]);
        for &(source, target, id) in entries {
            let at = &mut next[source as usize];
            (neighbors[*at], ids[*at]) = (target, id);
            *at += 1;
        }
        Static {
            offsets,
            neighbors,
            ids,
        }
    }

    /// One list.
    #[inline(always)]
    pub fn list(&self, v: VertexId) -> (&[VertexId], &[u32]) {
        let v = v as usize;
        let range = self.offsets[v]..self.offsets[v + 1];
        (&self.neighbors[range.clone()], &self.ids[range])
    }
}

#[test]
fn lists_are_in_order_of_insertion() {
    let entries = [(2, 1, 7), (0, 2, 8), (2, 2, 9), (2, 1, 3)];
    let lists = Static::of(4, &entries);
    assert_eq!(lists.list(0), (&[2][..], &[8][..]));
    assert_eq!(lists.list(1), (&[][..], &[][..]));
    assert_eq!(lists.list(2), (&[1, 2, 1][..], &[7, 9, 3][..]));
    assert_eq!(lists.list(3), (&[][..], &[][..]));
}
