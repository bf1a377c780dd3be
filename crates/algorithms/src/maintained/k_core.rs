//! Coreness that follows its graph.
//!
//! State: the coreness of each vertex. Deletions first, all at once: coreness can
//! only fall, so that each vertex at which something changed falls to the largest
//! number k for which k of its neighbors have at least k, and its neighbors are asked
//! again, until no vertex falls. Then insertions, one entry after the other, the later
//! ones hidden: one edge raises a coreness by 1 at most, and only of vertices that have
//! that of its lower end, K, and hang together with it by such vertices. These are
//! searched from that end, beyond none that has at most K neighbors that could be in
//! the next core; who has no more than K such neighbors left is none of them.
//!
//! Work: the lists of the vertices that fall, and of their neighbors as often as these
//! are asked; of the vertices searched for each insertion. The worst case of one
//! insertion is a large part of the graph in which all have the same coreness: O(n + m).
//! Exact, the same as the static algorithm: parallel edges and self-loops count, a
//! self-loop twice. DRAM: n words of 4 bytes.
//! Sources: Montresor, De Pellegrini and Miorandi, "Distributed k-Core
//! Decomposition", PODC 2011 (falling); Sarıyüce, Gedik, Jacques-Silva, Wu and
//! Çatalyürek, "Streaming Algorithms for k-Core Decomposition", VLDB 2013 (the search).

use std::collections::BTreeMap;

use evergraph_graph::{Graph, NeighborReader, VertexId};

use super::overlay::Overlay;
use super::{Changes, Summary};
use crate::error::check_undirected;
use crate::k_core;
use crate::{Control, RunError};

/// Searches that have read this part of all entries together end, and the coreness is
/// computed from scratch, which takes some such part of the time for an entry.
const SEARCHED_PART: u64 = 16;
/// But not before they have read so many.
const ALWAYS_SEARCHED: u64 = 1 << 16;

/// The coreness of the vertices of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores {
    coreness: Vec<u32>,
}

/// The coreness in `graph`, by the static algorithm.
///
/// # Errors
/// [`RunError::NeedsUndirected`] if the graph is directed, or if `control` ends
/// the run.
pub fn start<G: Graph>(graph: &G, control: &Control) -> Result<Cores, RunError> {
    let found = k_core::run(graph, &k_core::Parameters::default(), control)?;
    Ok(Cores::restore(found.coreness))
}

impl Cores {
    /// The state whose coreness was kept.
    pub fn restore(coreness: Vec<u32>) -> Self {
        Self { coreness }
    }

    /// For each vertex its coreness.
    pub fn coreness(&self) -> &[u32] {
        &self.coreness
    }

    /// The largest, and how many vertices have it. O(n).
    pub fn innermost(&self) -> (u32, usize) {
        let max = self.coreness.iter().copied().max().unwrap_or(0);
        let having = self.coreness.iter().filter(|&&coreness| coreness == max);
        (max, having.count())
    }

    /// Follows the graph to `after`.
    ///
    /// # Errors
    /// [`RunError::NeedsUndirected`] if `after` is directed, or if `control` ends the
    /// run.
    ///
    /// # Panics
    /// If `after` has fewer vertices than before, or the changes are of another graph.
    pub fn update<G: Graph>(
        &mut self,
        after: &G,
        changes: &Changes,
        control: &Control,
    ) -> Result<Summary, RunError> {
        check_undirected(after)?;
        assert!(
            after.vertex_count() >= self.coreness.len(),
            "vertices are only ever added"
        );
        self.coreness.resize(after.vertex_count(), 0);
        let changes = changes.without_weights();
        let added = || changes.added().iter().map(|&(u, v, _)| (u, v));
        let mut lists = Lists {
            reader: after.reader(),
            overlay: Overlay::hiding(added()),
            summary: Summary::default(),
            budget: 0,
        };
        let lost = changes.removed().iter().map(|entry| entry.0);
        self.fall(lost.collect(), &mut lists, control)?;
        lists.budget =
            lists.summary.edges_read + ALWAYS_SEARCHED.max(after.arc_count() / SEARCHED_PART);
        // An edge is in two lists, and is inserted once; a self-loop is twice in one,
        // and each time as good as an edge to a vertex of any core.
        for (u, v) in added().filter(|&(u, v)| u <= v) {
            control.check()?;
            lists.overlay.show(u, v);
            if u != v {
                lists.overlay.show(v, u);
            }
            if !self.rise(u, v, &mut lists) {
                *self = start(after, control)?;
                lists.summary.touched += after.vertex_count() as u64;
                lists.summary.edges_read += after.arc_count();
                break;
            }
        }
        Ok(lists.summary)
    }

    /// Lowers the coreness of those of `waiting`, and of the vertices that have to
    /// follow, to what the lists support.
    fn fall(
        &mut self,
        mut waiting: Vec<VertexId>,
        lists: &mut Lists<impl NeighborReader>,
        control: &Control,
    ) -> Result<(), RunError> {
        let mut waits = control.array(false, self.coreness.len())?;
        waiting.dedup();
        waiting.iter().for_each(|&v| waits[v as usize] = true);
        let (mut list, mut having) = (Vec::new(), Vec::new());
        while let Some(v) = waiting.pop() {
            control.check()?;
            waits[v as usize] = false;
            lists.read(v, &mut list);
            let before = self.coreness[v as usize];
            let now = self.supported(before, &list, &mut having);
            if now == before {
                continue;
            }
            self.coreness[v as usize] = now;
            for &u in &list {
                // It counted on `v`, and cannot any more.
                let counted = (now + 1..=before).contains(&self.coreness[u as usize]);
                if counted && !waits[u as usize] {
                    waits[u as usize] = true;
                    waiting.push(u);
                }
            }
        }
        Ok(())
    }

    /// The largest number up to `most` for which as many of `list` have at least it.
    fn supported(&self, most: u32, list: &[VertexId], having: &mut Vec<u32>) -> u32 {
        having.clear();
        having.resize(most as usize + 1, 0);
        for &u in list {
            having[self.coreness[u as usize].min(most) as usize] += 1;
        }
        let (mut number, mut neighbors) = (most, having[most as usize]);
        while neighbors < number {
            number -= 1;
            neighbors += having[number as usize];
        }
        number
    }

    /// Raises the coreness of the vertices that are in a higher core with the edge
    /// between `u` and `v`. False if that would read too much.
    fn rise(&mut self, u: VertexId, v: VertexId, lists: &mut Lists<impl NeighborReader>) -> bool {
        let [of_u, of_v] = [u, v].map(|end| self.coreness[end as usize]);
        let core = of_u.min(of_v);
        let mut search = Search {
            coreness: &self.coreness,
            core,
            support: BTreeMap::new(),
        };
        let root = if of_u == core { u } else { v };
        let found = search.run(root, lists);
        let support = search.support;
        if found {
            for (w, _) in support.into_iter().filter(|&(_, support)| support > core) {
                self.coreness[w as usize] = core + 1;
            }
        }
        found
    }
}

/// The lists as they are at the moment.
struct Lists<R> {
    reader: R,
    overlay: Overlay,
    summary: Summary,
    /// Entries that may be read in all.
    budget: u64,
}

impl<R: NeighborReader> Lists<R> {
    fn read(&mut self, v: VertexId, list: &mut Vec<VertexId>) {
        self.overlay.read(&mut self.reader, v, list);
        self.summary.touched += 1;
        // Edges that do not count yet are read, too.
        self.summary.edges_read += self.reader.degree(v) as u64;
    }
}

/// The search for the vertices of one coreness that rise.
struct Search<'c> {
    coreness: &'c [u32],
    core: u32,
    /// Of each vertex found, how many entries of its list could be in the next core;
    /// at most `core` if it cannot be itself.
    support: BTreeMap<VertexId, u32>,
}

impl Search<'_> {
    /// False if that would read too much.
    fn run(&mut self, root: VertexId, lists: &mut Lists<impl NeighborReader>) -> bool {
        let mut list = Vec::new();
        let mut found = vec![root];
        while let Some(v) = found.pop() {
            if self.support.contains_key(&v) {
                continue;
            }
            if lists.summary.edges_read > lists.budget {
                return false;
            }
            lists.read(v, &mut list);
            let support = list.iter().filter(|&&w| self.could_rise(w)).count() as u32;
            self.support.insert(v, support);
            if support <= self.core {
                self.give_up(v, lists);
                continue;
            }
            let same = |w: &&VertexId| self.coreness[**w as usize] == self.core;
            let new = list
                .iter()
                .filter(same)
                .filter(|w| !self.support.contains_key(w));
            found.extend(new);
        }
        true
    }

    fn could_rise(&self, v: VertexId) -> bool {
        let coreness = self.coreness[v as usize];
        let not_given_up = || {
            self.support
                .get(&v)
                .is_none_or(|&support| support > self.core)
        };
        coreness > self.core || coreness == self.core && not_given_up()
    }

    /// Takes `v`, which cannot rise, from the support of its neighbors, and then the
    /// vertices that cannot rise without it.
    fn give_up(&mut self, v: VertexId, lists: &mut Lists<impl NeighborReader>) {
        let mut list = Vec::new();
        let mut given_up = vec![v];
        while let Some(v) = given_up.pop() {
            lists.read(v, &mut list);
            for &w in list.iter().filter(|&&w| w != v) {
                let Some(support) = self.support.get_mut(&w) else {
                    continue;
                };
                if *support > self.core {
                    *support -= 1;
                    if *support == self.core {
                        given_up.push(w);
                    }
                }
            }
        }
    }
}
