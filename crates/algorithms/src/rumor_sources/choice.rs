//! Greedy choice of sources, and swaps.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::search::{Lengths, Scratch};
use super::{Candidates, Parameters, RumorSources};
use crate::edge_map::Lists;
use crate::parallel::{CHUNK_ITEMS, shared_u64};
use crate::strips::Strips;
use crate::subset::Bitmap;
use crate::{Cancelled, Control, RunError, UNREACHED};

/// Cost of a distance; the sources minimize the sum of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cost {
    /// Itself.
    Distance,
    /// 1 if it is larger than this.
    Beyond(u64),
}

impl Cost {
    fn of(self, distance: u64) -> u64 {
        match self {
            Cost::Distance => distance,
            Cost::Beyond(radius) => u64::from(distance > radius),
        }
    }

    /// Only a candidate nearer than this costs less than `distance`.
    fn saves_within(self, distance: u64) -> u64 {
        match self {
            Cost::Distance => distance,
            Cost::Beyond(radius) if distance > radius => radius + 1,
            Cost::Beyond(_) => 0,
        }
    }
}

/// The nearest source and the second nearest of an infected vertex.
#[derive(Clone, Copy)]
struct Nearest {
    distance: u64,
    /// Its number among the sources.
    source: u32,
    second: u64,
}

/// Sources that may be the result.
struct Found {
    maximum: u64,
    sources: Vec<VertexId>,
    /// How many were replaced on the way to them.
    swaps: u32,
}

/// Sources chosen so far.
pub(super) struct Choice<'g, 'c, G> {
    graph: &'g G,
    control: &'c Control<'c>,
    parameters: &'c Parameters,
    lengths: Lengths,
    infected: Vec<VertexId>,
    /// For each vertex its place among the infected, [`UNREACHED`] for others.
    places: Vec<u32>,
    sources: Vec<VertexId>,
    nearest: Vec<Nearest>,
    /// For each vertex what it would save as one more source.
    savings: Vec<AtomicU64>,
    strips: Strips<Scratch>,
    swaps: u32,
}

impl<'g, 'c, G: Graph> Choice<'g, 'c, G> {
    pub(super) fn new(
        graph: &'g G,
        infected: Vec<VertexId>,
        parameters: &'c Parameters,
        control: &'c Control<'c>,
    ) -> Result<Self, RunError> {
        let n = graph.vertex_count();
        let lengths = Lengths::new(graph, parameters.weighted, infected.len(), control)?;
        let mut places = control.array(UNREACHED, n)?;
        for (place, &v) in (0..).zip(&infected) {
            places[v as usize] = place;
        }
        Ok(Self {
            graph,
            control,
            parameters,
            lengths,
            places,
            sources: Vec::new(),
            nearest: Vec::new(),
            savings: shared_u64(n, 0, control)?,
            strips: Strips::new(|| Scratch::new(n, &lengths, control))?,
            infected,
            swaps: 0,
        })
    }

    /// Chooses the sources of the smallest sum.
    pub(super) fn minimize_sum(&mut self) -> Result<(), Cancelled> {
        self.choose(Cost::Distance)?;
        for _ in 0..self.parameters.rounds {
            if !self.swap_each(Cost::Distance)? {
                break;
            }
        }
        Ok(())
    }

    /// Chooses the sources of the smallest maximum.
    pub(super) fn minimize_maximum(&mut self) -> Result<(), Cancelled> {
        self.minimize_sum()?;
        let mut best = self.found();
        let mut radii = 0..best.maximum;
        while !radii.is_empty() {
            let radius = radii.start + (radii.end - radii.start) / 2;
            self.choose(Cost::Beyond(radius))?;
            if self.maximum() <= radius {
                best = self.found();
                radii.end = best.maximum;
            } else {
                radii.start = radius + 1;
            }
        }
        self.return_to(&best)?;
        for _ in 0..self.parameters.rounds {
            let Some(smaller) = best.maximum.checked_sub(1) else {
                break;
            };
            let swapped = self.swap_each(Cost::Beyond(smaller))?;
            if self.maximum() < best.maximum {
                best = self.found();
            } else if !swapped {
                break;
            }
        }
        self.return_to(&best)
    }

    /// The sources as they are.
    fn found(&self) -> Found {
        Found {
            maximum: self.maximum(),
            sources: self.sources.clone(),
            swaps: self.swaps,
        }
    }

    fn return_to(&mut self, found: &Found) -> Result<(), Cancelled> {
        self.swaps = found.swaps;
        self.begin_with(found.sources.clone())
    }

    /// Chooses all sources anew, one after another that which lowers the cost most.
    fn choose(&mut self, cost: Cost) -> Result<(), Cancelled> {
        self.swaps = 0;
        self.begin_with(Vec::new())?;
        while self.sources.len() < self.parameters.sources {
            let cost = match self.total(cost, self.distances()) {
                // At cost 0 all candidates are equal: the rest may as well be near.
                0 => Cost::Distance,
                _ => cost,
            };
            let (v, _) = self.best(cost, None)?;
            self.add(v)?;
            let (done, all) = (self.sources.len(), self.parameters.sources);
            self.control
                .report("sources", done as u64, Some(all as u64));
        }
        Ok(())
    }

    /// Replaces each source by the candidate that lowers the cost most, if any does.
    /// Returns whether one was.
    fn swap_each(&mut self, cost: Cost) -> Result<bool, Cancelled> {
        let before = self.swaps;
        for number in 0..self.sources.len() {
            let now = self.total(cost, self.distances());
            let without = self.total(cost, self.distances_without(number));
            let (v, saved) = self.best(cost, Some(number))?;
            if without - saved < now {
                let mut sources = std::mem::take(&mut self.sources);
                sources[number] = v;
                self.begin_with(sources)?;
                self.swaps += 1;
            }
        }
        Ok(self.swaps > before)
    }

    /// The largest distance.
    fn maximum(&self) -> u64 {
        self.distances().max().unwrap_or(0)
    }

    fn distances(&self) -> impl Iterator<Item = u64> {
        self.nearest.iter().map(|nearest| nearest.distance)
    }

    /// The distances if a source were none.
    fn distances_without(&self, number: usize) -> impl Iterator<Item = u64> {
        self.nearest
            .iter()
            .map(move |nearest| match nearest.source as usize == number {
                true => nearest.second,
                false => nearest.distance,
            })
    }

    fn total(&self, cost: Cost, distances: impl Iterator<Item = u64>) -> u64 {
        distances.map(|distance| cost.of(distance)).sum()
    }

    /// Has exactly these sources.
    fn begin_with(&mut self, sources: Vec<VertexId>) -> Result<(), Cancelled> {
        let none = Nearest {
            distance: self.lengths.none,
            source: UNREACHED,
            second: self.lengths.none,
        };
        self.nearest.clear();
        self.nearest.resize(self.infected.len(), none);
        self.sources.clear();
        sources.into_iter().try_for_each(|v| self.add(v))
    }

    /// Makes `v` a source: a search from it to those whose second nearest source is
    /// farther.
    fn add(&mut self, v: VertexId) -> Result<(), Cancelled> {
        let number = self.sources.len() as u32;
        self.sources.push(v);
        let radius = self.nearest.iter().map(|nearest| nearest.second).max();
        let (nearest, places) = (&mut self.nearest, &self.places);
        let lists = Lists::outgoing(self.graph);
        let visit = |u: VertexId, distance| {
            let Some(nearest) = nearest.get_mut(places[u as usize] as usize) else {
                return;
            };
            if distance < nearest.distance {
                nearest.second = std::mem::replace(&mut nearest.distance, distance);
                nearest.source = number;
            } else {
                nearest.second = distance.min(nearest.second);
            }
        };
        let radius = radius.unwrap_or(0);
        self.strips
            .first()
            .search(lists, v, radius, &self.lengths, self.control, visit)
    }

    /// The candidate that saves most, the first of several, and what; beside all
    /// sources, or all but one.
    fn best(&mut self, cost: Cost, without: Option<usize>) -> Result<(VertexId, u64), Cancelled> {
        let lists = Lists::incoming(self.graph).expect("the graph has in-lists");
        let mut searches: Vec<(VertexId, u64)> = match without {
            None => self
                .infected
                .iter()
                .copied()
                .zip(self.distances())
                .collect(),
            Some(number) => {
                let distances = self.distances_without(number);
                self.infected.iter().copied().zip(distances).collect()
            }
        };
        searches.retain(|&(_, distance)| cost.saves_within(distance) > 0);
        let (savings, lengths, control) = (&self.savings, &self.lengths, self.control);
        savings
            .par_iter()
            .with_min_len(CHUNK_ITEMS)
            .for_each(|saved| saved.store(0, Relaxed));
        self.strips
            .each(&mut searches, |scratch, _, &mut (v, distance)| {
                let radius = cost.saves_within(distance);
                scratch.search(lists, v, radius, lengths, control, |u, nearer| {
                    let saved = cost.of(distance) - cost.of(nearer);
                    savings[u as usize].fetch_add(saved, Relaxed);
                })
            })?;
        let mut taken = Bitmap::empty(self.places.len());
        for (number, &v) in self.sources.iter().enumerate() {
            if Some(number) != without {
                taken.insert(v);
            }
        }
        let all = self.parameters.candidates == Candidates::All;
        let free =
            |v: VertexId| !taken.contains(v) && (all || self.places[v as usize] != UNREACHED);
        let candidates = savings.par_iter().enumerate().with_min_len(CHUNK_ITEMS);
        let best = candidates
            .map(|(v, saved)| (saved.load(Relaxed), std::cmp::Reverse(v as VertexId)))
            .filter(|&(_, v)| free(v.0))
            .max();
        let (saved, v) = best.expect("more candidates than sources");
        Ok((v.0, saved))
    }

    pub(super) fn into_result(self) -> RumorSources {
        let source = |nearest: &Nearest| self.sources.get(nearest.source as usize);
        let nearest = self.nearest.iter();
        let distance = |nearest: &Nearest| match nearest.source {
            UNREACHED => f64::INFINITY,
            _ => self.lengths.distance(nearest.distance),
        };
        RumorSources {
            nearest: nearest
                .clone()
                .map(|of| source(of).copied().unwrap_or(UNREACHED))
                .collect(),
            distances: nearest.map(distance).collect(),
            sources: self.sources,
            infected: self.infected,
            swaps: self.swaps,
        }
    }
}
