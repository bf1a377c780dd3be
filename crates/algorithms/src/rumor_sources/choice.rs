//! Greedy choice of sources, and swaps.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::search::{Lengths, Scratch};
use super::{Candidates, Parameters, RumorSources};
use crate::edge_map::Lists;
use crate::parallel::{CHUNK_ITEMS, shared};
use crate::strips::Strips;
use crate::subset::Bitmap;
use crate::{Cancelled, Control, RunError, UNREACHED};

/// Cost of a distance; the sources minimize the sum of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cost {
    /// Itself.
    Distance,
    /// 1 if it is larger than this.
    Beyond(f64),
}

impl Cost {
    fn of(self, distance: f64, lengths: &Lengths) -> u128 {
        match self {
            Cost::Distance => lengths.cost(distance),
            Cost::Beyond(radius) => u128::from(distance > radius),
        }
    }

    /// Only a candidate nearer than this costs less than `distance`.
    fn saves_within(self, distance: f64) -> f64 {
        match self {
            Cost::Distance => distance,
            Cost::Beyond(radius) if distance > radius => radius.next_up(),
            Cost::Beyond(_) => 0.0,
        }
    }
}

/// A sum of 128 bits that tasks add to: 64 would not hold small distances beside large.
#[derive(Debug, Default)]
struct WideSum {
    low: AtomicU64,
    high: AtomicU64,
}

impl WideSum {
    fn add(&self, value: u128) {
        let low = value as u64;
        let before = self.low.fetch_add(low, Relaxed);
        let carry = u64::from(before.checked_add(low).is_none());
        let high = (value >> 64) as u64 + carry;
        if high > 0 {
            self.high.fetch_add(high, Relaxed);
        }
    }

    fn clear(&self) {
        self.low.store(0, Relaxed);
        self.high.store(0, Relaxed);
    }

    /// The sum, when no task adds to it.
    fn get(&self) -> u128 {
        u128::from(self.high.load(Relaxed)) << 64 | u128::from(self.low.load(Relaxed))
    }
}

/// The nearest source and the second nearest of an infected vertex; infinity is the
/// distance where there is none.
#[derive(Clone, Copy)]
struct Nearest {
    distance: f64,
    /// Its number among the sources.
    source: u32,
    second: f64,
}

/// Sources that may be the result.
struct Found {
    maximum: f64,
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
    savings: Vec<WideSum>,
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
            savings: shared(n, WideSum::default, control)?,
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
        let lengths = self.lengths;
        let mut radii = 0..lengths.rank(best.maximum);
        while !radii.is_empty() {
            let middle = radii.start + (radii.end - radii.start) / 2;
            let radius = lengths.at_rank(middle);
            self.choose(Cost::Beyond(radius))?;
            if self.maximum() <= radius {
                best = self.found();
                radii.end = lengths.rank(best.maximum);
            } else {
                radii.start = middle + 1;
            }
        }
        self.return_to(&best)?;
        for _ in 0..self.parameters.rounds {
            let Some(smaller) = lengths.rank(best.maximum).checked_sub(1) else {
                break;
            };
            let smaller = Cost::Beyond(lengths.at_rank(smaller));
            let swapped = self.swap_each(smaller)?;
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
            let old = self.sources[number];
            if without - saved < now && v != old {
                self.replace(number, v)?;
                // What is saved was added up along paths backwards, rounded otherwise.
                if self.total(cost, self.distances()) < now {
                    self.swaps += 1;
                } else {
                    self.replace(number, old)?;
                }
            }
        }
        Ok(self.swaps > before)
    }

    fn replace(&mut self, number: usize, v: VertexId) -> Result<(), Cancelled> {
        let mut sources = std::mem::take(&mut self.sources);
        sources[number] = v;
        self.begin_with(sources)
    }

    /// The largest distance.
    fn maximum(&self) -> f64 {
        self.distances().fold(0.0, f64::max)
    }

    fn distances(&self) -> impl Iterator<Item = f64> {
        self.nearest.iter().map(|nearest| nearest.distance)
    }

    /// The distances if a source were none.
    fn distances_without(&self, number: usize) -> impl Iterator<Item = f64> {
        self.nearest
            .iter()
            .map(move |nearest| match nearest.source as usize == number {
                true => nearest.second,
                false => nearest.distance,
            })
    }

    fn total(&self, cost: Cost, distances: impl Iterator<Item = f64>) -> u128 {
        distances
            .map(|distance| cost.of(distance, &self.lengths))
            .sum()
    }

    /// Has exactly these sources.
    fn begin_with(&mut self, sources: Vec<VertexId>) -> Result<(), Cancelled> {
        let none = Nearest {
            distance: f64::INFINITY,
            source: UNREACHED,
            second: f64::INFINITY,
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
        let seconds = self.nearest.iter().map(|nearest| nearest.second);
        let radius = seconds.fold(0.0, f64::max);
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
        self.strips
            .first()
            .search(lists, v, radius, &self.lengths, self.control, visit)
    }

    /// The candidate that saves most, the first of several, and what; beside all
    /// sources, or all but one.
    fn best(&mut self, cost: Cost, without: Option<usize>) -> Result<(VertexId, u128), Cancelled> {
        let lists = Lists::incoming(self.graph).expect("the graph has in-lists");
        let mut searches: Vec<(VertexId, f64)> = match without {
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
        searches.retain(|&(_, distance)| cost.saves_within(distance) > 0.0);
        let (savings, lengths, control) = (&self.savings, &self.lengths, self.control);
        savings
            .par_iter()
            .with_min_len(CHUNK_ITEMS)
            .for_each(WideSum::clear);
        self.strips
            .each(&mut searches, |scratch, _, &mut (v, distance)| {
                let radius = cost.saves_within(distance);
                scratch.search(lists, v, radius, lengths, control, |u, nearer| {
                    let saved = cost.of(distance, lengths) - cost.of(nearer, lengths);
                    savings[u as usize].add(saved);
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
            .map(|(v, saved)| (saved.get(), std::cmp::Reverse(v as VertexId)))
            .filter(|&(_, v)| free(v.0))
            .max();
        let (saved, v) = best.expect("more candidates than sources");
        Ok((v.0, saved))
    }

    pub(super) fn into_result(self) -> RumorSources {
        let source = |nearest: &Nearest| self.sources.get(nearest.source as usize);
        let nearest = self.nearest.iter();
        RumorSources {
            nearest: nearest
                .clone()
                .map(|of| source(of).copied().unwrap_or(UNREACHED))
                .collect(),
            distances: nearest.map(|nearest| nearest.distance).collect(),
            sources: self.sources,
            infected: self.infected,
            swaps: self.swaps,
        }
    }
}
