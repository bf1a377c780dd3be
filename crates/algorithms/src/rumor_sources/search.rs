//! Searches from one vertex that end at a radius.

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight};

use crate::edge_map::Lists;
use crate::parallel::for_each_chunk;
use crate::random_walks::largest_weight;
use crate::shortest_paths::for_each_weighted;
use crate::{Cancelled, Control, RunError};

/// Vertices that are expanded with one reader, and between two looks whether the run
/// may go on.
const VISITS: usize = 256;
/// Of a vertex that is not in the heap.
const OUTSIDE: u32 = u32::MAX;

/// How long edges are, and what distances cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    /// Whether edges are as long as their weights; else each is one hop.
    weighted: bool,
    /// Hops that count where there is no path.
    hops: u64,
    /// Cost of a distance of 1.
    per_length: f64,
    /// Cost of no path.
    none: u128,
}

impl Lengths {
    /// Lengths of which the costs of `count` together fit into 126 bits.
    pub(super) fn new<G: Graph>(
        graph: &G,
        weighted: bool,
        count: usize,
        control: &Control,
    ) -> Result<Self, RunError> {
        let hops = graph.vertex_count() as u64;
        let n = hops as f64;
        if !weighted || !graph.is_weighted() {
            return Ok(Self {
                weighted: false,
                hops,
                per_length: 1.0,
                none: hops.into(),
            });
        }
        let largest = match largest(graph, control)? {
            0.0 => 1.0,
            largest => f64::from(largest),
        };
        let room = 126.0 - (n * count as f64 * largest).log2();
        let per_length = room.floor().exp2();
        Ok(Self {
            weighted: true,
            hops,
            per_length,
            none: (n * largest * per_length).ceil() as u128,
        })
    }

    fn of(&self, weight: Weight) -> f64 {
        match self.weighted {
            true => f64::from(weight),
            false => 1.0,
        }
    }

    /// A distance in whole units, a power of two of them in 1; infinity is no path.
    pub(super) fn cost(&self, distance: f64) -> u128 {
        match distance == f64::INFINITY {
            true => self.none,
            false => (distance * self.per_length).round() as u128,
        }
    }

    /// The place of a distance in the order of all that there may be.
    pub(super) fn rank(&self, distance: f64) -> u64 {
        match self.weighted {
            // Numbers that are not negative are ordered as their bits.
            true => distance.to_bits(),
            false => self.hops.min(distance as u64),
        }
    }

    /// The distance at that place.
    pub(super) fn at_rank(&self, rank: u64) -> f64 {
        match self.weighted {
            true => f64::from_bits(rank),
            false => rank as f64,
        }
    }
}

/// The largest weight; refuses those that are negative or not finite.
fn largest<G: Graph>(graph: &G, control: &Control) -> Result<Weight, RunError> {
    // Numbers that are not negative are ordered as their bits.
    let largest = std::sync::atomic::AtomicU32::new(0);
    for_each_chunk(graph.vertex_count(), |vertices| {
        control.check()?;
        let mut reader = graph.reader();
        for u in vertices {
            let weight = largest_weight(&mut reader, u)?;
            largest.fetch_max(weight.to_bits(), std::sync::atomic::Ordering::Relaxed);
        }
        Ok::<_, RunError>(())
    })?;
    Ok(Weight::from_bits(largest.into_inner()))
}

/// Scratch space of a search: at most 3 words of 8 bytes a vertex.
pub(super) struct Scratch {
    /// For each vertex the number of the last search that found it.
    found_by: Vec<u32>,
    search: u32,
    /// Found vertices, of hops in the order in which they were found; of weights a
    /// heap of those that are not expanded, the nearest first.
    waiting: Vec<VertexId>,
    /// Of weights, the distance of each vertex and its place in the heap.
    distances: Vec<f64>,
    places: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(
        vertex_count: usize,
        lengths: &Lengths,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let weighted = match lengths.weighted {
            true => vertex_count,
            false => 0,
        };
        Ok(Self {
            found_by: control.array(0, vertex_count)?,
            search: 0,
            waiting: control.room_for(vertex_count)?,
            distances: control.array(0.0, weighted)?,
            places: control.array(OUTSIDE, weighted)?,
        })
    }

    /// Calls `visit` with each vertex that is less than `radius` from `start` along
    /// `lists`, and its distance.
    pub(super) fn search<G: Graph>(
        &mut self,
        lists: Lists<'_, G>,
        start: VertexId,
        radius: f64,
        lengths: &Lengths,
        control: &Control,
        visit: impl FnMut(VertexId, f64),
    ) -> Result<(), Cancelled> {
        control.check()?;
        if self.search == u32::MAX {
            self.found_by.fill(0);
            self.search = 0;
        }
        self.search += 1;
        self.waiting.clear();
        if radius == 0.0 {
            return Ok(());
        }
        match lengths.weighted {
            false => self.by_hops(lists, start, radius, control, visit),
            true => self.by_weight(lists, start, radius, lengths, control, visit),
        }
    }

    fn by_hops<G: Graph>(
        &mut self,
        lists: Lists<'_, G>,
        start: VertexId,
        radius: f64,
        control: &Control,
        mut visit: impl FnMut(VertexId, f64),
    ) -> Result<(), Cancelled> {
        self.found_by[start as usize] = self.search;
        self.waiting.push(start);
        let (mut at, mut level_end, mut distance) = (0, 1, 0.0);
        while at < self.waiting.len() {
            control.check()?;
            let mut reader = lists.reader();
            for _ in 0..VISITS.min(level_end - at) {
                let u = self.waiting[at];
                at += 1;
                visit(u, distance);
                if distance + 1.0 >= radius {
                    continue;
                }
                reader.for_each_neighbor(u, |v| {
                    let found_by = &mut self.found_by[v as usize];
                    if *found_by != self.search {
                        *found_by = self.search;
                        self.waiting.push(v);
                    }
                });
            }
            if at == level_end {
                level_end = self.waiting.len();
                distance += 1.0;
            }
        }
        Ok(())
    }

    /// Dijkstra's algorithm.
    fn by_weight<G: Graph>(
        &mut self,
        lists: Lists<'_, G>,
        start: VertexId,
        radius: f64,
        lengths: &Lengths,
        control: &Control,
        mut visit: impl FnMut(VertexId, f64),
    ) -> Result<(), Cancelled> {
        self.offer(start, 0.0);
        while !self.waiting.is_empty() {
            control.check()?;
            let mut reader = lists.reader();
            for _ in 0..VISITS {
                let Some(u) = self.pop() else {
                    break;
                };
                let distance = self.distances[u as usize];
                visit(u, distance);
                for_each_weighted(&mut reader, u, |v, weight| {
                    let through = distance + lengths.of(weight);
                    if through < radius {
                        self.offer(v, through);
                    }
                });
            }
        }
        Ok(())
    }

    /// Notes that there is a path of this length to `v`.
    fn offer(&mut self, v: VertexId, distance: f64) {
        let known = self.found_by[v as usize] == self.search;
        if known && self.distances[v as usize] <= distance {
            return;
        }
        self.distances[v as usize] = distance;
        if !known {
            self.found_by[v as usize] = self.search;
            self.places[v as usize] = self.waiting.len() as u32;
            self.waiting.push(v);
        }
        // Known vertices that come nearer are in the heap still.
        self.sift_up(self.places[v as usize] as usize);
    }

    /// Takes the nearest vertex out of the heap.
    fn pop(&mut self) -> Option<VertexId> {
        let last = self.waiting.pop()?;
        let Some(&nearest) = self.waiting.first() else {
            return Some(last);
        };
        self.put(0, last);
        self.sift_down();
        Some(nearest)
    }

    fn put(&mut self, place: usize, v: VertexId) {
        self.waiting[place] = v;
        self.places[v as usize] = place as u32;
    }

    fn key(&self, place: usize) -> f64 {
        self.distances[self.waiting[place] as usize]
    }

    fn swap(&mut self, a: usize, b: usize) {
        let (u, v) = (self.waiting[a], self.waiting[b]);
        self.put(a, v);
        self.put(b, u);
    }

    fn sift_up(&mut self, mut place: usize) {
        while place > 0 && self.key(place) < self.key((place - 1) / 2) {
            self.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    fn sift_down(&mut self) {
        let mut place = 0;
        loop {
            let children = 2 * place + 1..self.waiting.len().min(2 * place + 3);
            let nearer = |&a: &usize, &b: &usize| self.key(a).total_cmp(&self.key(b));
            let Some(child) = children.min_by(nearer) else {
                return;
            };
            if self.key(child) >= self.key(place) {
                return;
            }
            self.swap(place, child);
            place = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shortest_paths::reference;
    use evergraph_generators::{edge_weight, kronecker};
    use evergraph_graph::{Csr, StoredLists};

    #[test]
    fn distances_within_the_radius_are_those_of_the_reference() {
        let weigh = |(u, v)| (u, v, edge_weight(u, v, 20));
        let edges: Vec<_> = kronecker(8, 4, 1).into_iter().map(weigh).collect();
        let graph = Csr::from_weighted_edges(256, &edges, StoredLists::Both);
        let hops: Vec<_> = edges.iter().map(|&(u, v, _)| (u, v)).collect();
        let hops = Csr::from_edges(256, &hops, StoredLists::Both);
        let control = Control::new();
        for (graph, radii) in [(&graph, [1.0, 9.0, 1e6]), (&hops, [1.0, 2.0, 1e6])] {
            let lengths = Lengths::new(graph, true, 256, &control).unwrap();
            let mut scratch = Scratch::new(256, &lengths, &control).unwrap();
            for start in (0..256).step_by(17) {
                let expected = reference(graph, start);
                for radius in radii {
                    let mut found = vec![f64::INFINITY; 256];
                    let visit = |v: VertexId, distance| {
                        assert!(found[v as usize].is_infinite(), "{v} comes twice");
                        found[v as usize] = distance;
                    };
                    let lists = Lists::outgoing(graph);
                    scratch
                        .search(lists, start, radius, &lengths, &control, visit)
                        .unwrap();
                    let within = expected
                        .iter()
                        .map(|&d| if d < radius { d } else { f64::INFINITY });
                    assert!(found.into_iter().eq(within), "{start} within {radius}");
                }
            }
        }
    }
}
