//! Vertices as units: adding them, and deleting all edges of some at once.

use std::ops::ControlFlow;

use evergraph_graph::StoredLists;
use evergraph_storage::ViewToken;
use rayon::prelude::*;

use crate::error::TopologyError;
use crate::ids::IdKind;
use crate::list::ListScratch;
use crate::published::Published;
use crate::record::{Edges, Op};
use crate::store::Store;
use crate::store::batch::{Batch, Commit};
use crate::store::fits::check_vertex;

impl Store {
    /// Adds `count` vertices without edges behind those that exist, as one
    /// commit. Returns the id of the first.
    ///
    /// # Errors
    /// With external ids: there a vertex comes into being with its id, by
    /// [`Batch::assign_ids`].
    pub fn add_vertices(&self, count: u32) -> Result<(u32, Commit), TopologyError> {
        if self.live().config.ids != IdKind::Dense {
            return Err(TopologyError::WrongGraphKind(
                "vertices of this graph have external ids, and come with them",
            ));
        }
        self.refuse_of_relationships("nodes come with their records")?;
        // No other caller may take the same ids.
        let _alone = self.committer.gate.write();
        let first = self.live().published().1.vertex_count;
        let mut batch = Batch::new();
        batch.add_vertices(first + u64::from(count));
        let commit = self.committer.commit_in_gate(batch, None)?;
        Ok((first as u32, commit))
    }

    /// Deletes every live edge from and to these vertices as one commit (one
    /// log record: a crash shows all of it or nothing). No other commit comes
    /// between reading the neighbors and logging the deletions.
    ///
    /// The vertices stay, without edges, and so do their external ids: an id is never
    /// given to another vertex. Vertices that do not exist have no edges.
    ///
    /// Costs in proportion to the edges of these vertices. A graph that keeps
    /// out-lists alone has to be searched for edges to them: O(edges), in
    /// parallel. In direct mode each edge is a commit of its own, and edges
    /// inserted meanwhile with [`Store::insert_edges_direct`] may stay.
    ///
    /// # Errors
    /// As [`Store::commit`]: more edges than the log takes in one record are
    /// refused, and nothing is deleted.
    pub fn delete_vertices(&self, vertices: &[u32]) -> Result<Commit, TopologyError> {
        self.live().status.refuse_if_not_writable()?;
        self.refuse_of_relationships("relationships are deleted one by one, each by its id")?;
        let largest = vertices.iter().max().copied().unwrap_or(0);
        check_vertex(u64::from(largest))?;
        // Every commit before has returned, so the watermark shows it.
        let _alone = self.committer.gate.write();
        let mut batch = Batch::new();
        batch.ops.push(Op::Delete(self.edges_of(vertices)?));
        self.committer.commit_in_gate(batch, None)
    }

    fn refuse_of_relationships(&self, why: &'static str) -> Result<(), TopologyError> {
        match self.live().config.relationships {
            false => Ok(()),
            true => Err(TopologyError::WrongGraphKind(why)),
        }
    }

    /// Every live edge from or to these vertices, each once, in the columns of
    /// a deletion.
    fn edges_of(&self, vertices: &[u32]) -> Result<Edges, TopologyError> {
        let token = self.register();
        let doomed = Marked::new(vertices, token.state().vertex_count);
        let undirected = self.live().config.direction == StoredLists::Undirected;
        let mut edges = Edges::default();
        let mut out_lists = self.reader(&token, 0);
        for &v in &doomed.vertices {
            let mut loop_ends = 0;
            for &u in out_lists.neighbors(v)? {
                if undirected && u == v {
                    // Both ends of a loop are in this list.
                    loop_ends += 1;
                    if loop_ends % 2 == 0 {
                        continue;
                    }
                }
                // In both lists, and taken from the smaller's.
                if undirected && u < v && doomed.contains(u) {
                    continue;
                }
                push(&mut edges, v, u);
            }
        }
        match self.live().config.direction {
            StoredLists::Undirected => {}
            StoredLists::Both => {
                let mut in_lists = self.reader(&token, 1);
                for &v in &doomed.vertices {
                    for &u in in_lists.neighbors(v)? {
                        if !doomed.contains(u) {
                            push(&mut edges, u, v);
                        }
                    }
                }
            }
            StoredLists::Out => {
                for (u, v) in self.search_edges_to(&token, &doomed)? {
                    push(&mut edges, u, v);
                }
            }
        }
        Ok(edges)
    }

    /// Live edges from other vertices to marked ones, found by reading every
    /// list.
    fn search_edges_to(
        &self,
        token: &ViewToken<Published>,
        doomed: &Marked,
    ) -> Result<Vec<(u32, u32)>, TopologyError> {
        if doomed.vertices.is_empty() {
            return Ok(Vec::new());
        }
        let shift = self.live().config.section_shift;
        let sections = self.pin(token, 0)?;
        let search = |(number, section): (usize, &crate::SectionView)| {
            let mut found = Vec::new();
            let mut scratch = ListScratch::default();
            for list in 0..1usize << shift {
                let u = ((number << shift) + list) as u32;
                if section.degree(list) == 0 || doomed.contains(u) {
                    continue;
                }
                let _ = section.for_each_segment::<()>(list, &mut scratch, |words| {
                    let to_doomed = words.iter().filter(|&&v| doomed.contains(v));
                    found.extend(to_doomed.map(|&v| (u, v)));
                    ControlFlow::Continue(())
                });
            }
            found
        };
        Ok(sections
            .par_iter()
            .enumerate()
            .flat_map_iter(search)
            .collect())
    }
}

fn push(edges: &mut Edges, source: u32, target: u32) {
    edges.sources.push(source);
    edges.targets.push(target);
}

/// Some vertices, ascending, and a bit for each vertex of the graph.
struct Marked {
    vertices: Vec<u32>,
    bits: Vec<u64>,
}

impl Marked {
    fn new(vertices: &[u32], vertex_count: u64) -> Self {
        let mut bits = vec![0; vertex_count.div_ceil(64) as usize];
        let exists = |v: &&u32| u64::from(**v) < vertex_count;
        let mut vertices: Vec<u32> = vertices.iter().filter(exists).copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        for &v in &vertices {
            bits[v as usize / 64] |= 1 << (v % 64);
        }
        Marked { vertices, bits }
    }

    #[inline(always)]
    fn contains(&self, v: u32) -> bool {
        let bits = self.bits.get(v as usize / 64);
        bits.is_some_and(|bits| bits >> (v % 64) & 1 == 1)
    }
}
