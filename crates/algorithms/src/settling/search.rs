//! The labels of a search, and the expansion of a frontier.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Column, Graph, NeighborReader, VertexId, Weight};
use rayon::prelude::*;

use super::Labels;
use super::bins::{Place, Slots};
use crate::parallel::{
    CHUNK_ITEMS, CHUNK_LISTED, HUB_DEGREE, Lists, copied_u64, for_each_in, map_hub_parts,
    shared_u64, sharing_u64, unshared_u64,
};
use crate::subset::SharedBitmap;
use crate::{Cancelled, Control, RunError};

/// Vertices whose lists are fetched before the first of them is read, so that
/// the cache misses overlap.
const GROUP: usize = 16;

/// Edges that are looked at before the first is acted on.
const BLOCK: usize = 64;
const ONES: [Weight; BLOCK] = [1.0; BLOCK];

pub(super) struct Search<'a, 'g, G, L> {
    lists: Lists<'g, G>,
    labels: &'a L,
    best: Vec<AtomicU64>,
    /// The label with which a vertex was expanded last.
    expanded: Vec<AtomicU64>,
    /// The vertices that a round has listed so far; none between rounds.
    listed: SharedBitmap,
}

/// How far a search is.
#[derive(Default)]
pub(crate) struct Progress {
    pub(crate) rounds: u64,
    /// Vertices expanded, each as often as it was.
    pub(crate) expanded: u64,
}

/// State of one task.
struct Task<'a> {
    place: Place,
    improved: &'a mut Vec<VertexId>,
    /// The labels of the targets of a block, and the offers below them.
    near: [u64; BLOCK],
    offers: [(u64, VertexId); BLOCK],
}

impl<'a> Task<'a> {
    fn new(place: Place, improved: &'a mut Vec<VertexId>) -> Self {
        Self {
            place,
            improved,
            near: [0; BLOCK],
            offers: [(0, 0); BLOCK],
        }
    }
}

/// Results of the tasks of an expansion.
#[derive(Default)]
struct Found {
    /// Vertices to list, each once.
    improved: Vec<VertexId>,
    /// Left for later, as their lists are long.
    hubs: Vec<VertexId>,
    expanded: u64,
}

impl<'a, 'g, G: Graph, L: Labels> Search<'a, 'g, G, L> {
    pub(super) fn new(
        graph: &'g G,
        source: VertexId,
        first: u64,
        labels: &'a L,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let n = graph.vertex_count();
        let best = shared_u64(n, L::UNREACHED, control)?;
        best[source as usize].store(first, Relaxed);
        Ok(Self {
            lists: Lists::outgoing(graph),
            labels,
            best,
            expanded: shared_u64(n, u64::MAX, control)?,
            listed: SharedBitmap::empty(n),
        })
    }

    /// Goes back to what was offered; the rounds that it stands for.
    pub(super) fn resume(&mut self, control: &Control) -> Result<Progress, RunError> {
        let Some(mut saved) = control.saved() else {
            return Ok(Progress::default());
        };
        let n = self.best.len();
        self.best = sharing_u64(saved.take("labels", n)?);
        self.expanded = sharing_u64(saved.take("expanded", n)?);
        Ok(Progress {
            rounds: saved.step,
            expanded: saved.take("progress", 1)?[0],
        })
    }

    /// Offers the labels after a round, and which of them have been extended.
    pub(super) fn offer(&self, progress: &Progress, control: &Control) -> Result<(), RunError> {
        if !control.wants(progress.rounds) {
            return Ok(());
        }
        let (labels, expanded) = (copied_u64(&self.best), copied_u64(&self.expanded));
        control.offer(progress.rounds, || {
            [
                ("labels", Column::U64(&labels)),
                ("expanded", Column::U64(&expanded)),
                (
                    "progress",
                    Column::U64(std::slice::from_ref(&progress.expanded)),
                ),
            ]
        })
    }

    /// The vertices that have paths and wait to be expanded, ascending.
    pub(super) fn waiting(&self) -> Vec<VertexId> {
        let vertices = (0..self.best.len() as VertexId).into_par_iter();
        let waits = |&v: &VertexId| {
            let label = self.best[v as usize].load(Relaxed);
            label != L::UNREACHED && self.expanded[v as usize].load(Relaxed) != label
        };
        vertices.with_min_len(CHUNK_ITEMS).filter(waits).collect()
    }

    pub(super) fn labels_now(&self) -> &[AtomicU64] {
        &self.best
    }

    pub(super) fn into_labels(self) -> Vec<u64> {
        unshared_u64(self.best)
    }

    /// The bin of a vertex that waits to be expanded.
    pub(super) fn pending(&self, v: VertexId) -> Option<u64> {
        let label = self.best[v as usize].load(Relaxed);
        let waits = self.expanded[v as usize].load(Relaxed) != label;
        waits.then(|| self.labels.bin(label))
    }

    /// Extends the paths to the vertices of `frontier` that belong to `place`
    /// and have not been expanded with their labels, whose number it returns. The
    /// vertices to list are added to `improved`, each once however often it was.
    pub(super) fn expand(
        &self,
        frontier: &[VertexId],
        place: Place,
        improved: &mut Vec<VertexId>,
        control: &Control,
    ) -> Result<u64, RunError> {
        let chunk = |mut found: Found, vertices: &[VertexId]| {
            control.check()?;
            self.expand_chunk(vertices, place, &mut found)?;
            Ok::<_, RunError>(found)
        };
        let found = if frontier.len() <= CHUNK_LISTED {
            let begun = Found {
                improved: std::mem::take(improved),
                ..Default::default()
            };
            let mut found = chunk(begun, frontier)?;
            *improved = std::mem::take(&mut found.improved);
            found
        } else {
            frontier
                .par_chunks(CHUNK_LISTED)
                .try_fold(Found::default, chunk)
                .try_reduce(Found::default, |mut left, right| {
                    append(&mut left.improved, right.improved);
                    left.hubs.extend(right.hubs);
                    left.expanded += right.expanded;
                    Ok(left)
                })?
        };
        append(improved, found.improved);
        for u in found.hubs {
            let label = self.best[u as usize].load(Relaxed);
            self.expanded[u as usize].store(label, Relaxed);
            let parts = map_hub_parts(self.lists, u, control, |reader, part| {
                let mut improved = Vec::new();
                let mut task = Task::new(place, &mut improved);
                let mut relaxed = Ok(());
                let _ = reader.visit_list::<true>(u, part, |list, weights| {
                    relaxed = self.relax_list((u, label), list, weights, &mut task);
                    flow(&relaxed)
                });
                relaxed.map(|()| improved)
            })?;
            for part in parts {
                append(improved, part?);
            }
        }
        Ok(found.expanded)
    }

    /// Forgets which vertices the round has listed: those of `improved`.
    pub(super) fn end_round(&mut self, improved: &[VertexId]) {
        if improved.len() <= CHUNK_ITEMS {
            improved.iter().for_each(|&v| self.listed.remove_alone(v));
        } else {
            for_each_in(improved, |v| self.listed.remove(v));
        }
    }

    /// Puts the vertices of `improved` in the bins of their labels.
    pub(super) fn put(&self, improved: &[VertexId], place: Place, slots: &mut Slots) {
        let put = |mut slots: Slots, vertices: &[VertexId]| {
            for &v in vertices {
                let label = self.best[v as usize].load(Relaxed);
                slots.add(self.slot(label, place), v);
            }
            slots
        };
        if improved.len() <= CHUNK_ITEMS {
            *slots = put(std::mem::take(slots), improved);
        } else {
            let parts = improved.par_chunks(CHUNK_ITEMS);
            let parts = parts.fold(Slots::default, put);
            slots.append(parts.reduce(Slots::default, |mut left, right| {
                left.append(right);
                left
            }));
        }
    }

    fn expand_chunk(
        &self,
        vertices: &[VertexId],
        place: Place,
        found: &mut Found,
    ) -> Result<(), RunError> {
        let mut reader = self.lists.reader();
        let mut task = Task::new(place, &mut found.improved);
        for group in vertices.chunks(GROUP) {
            let mut pending = [0; GROUP];
            let mut len = 0;
            for &u in group {
                let label = self.best[u as usize].load(Relaxed);
                pending[len % GROUP] = u;
                // A label of an earlier bin was expanded there.
                len += usize::from(
                    self.expanded[u as usize].load(Relaxed) != label
                        && self.slot(label, place) == place.slot,
                );
            }
            for &u in &pending[..len] {
                touch(&mut reader, u);
            }
            for &u in &pending[..len] {
                let label = self.best[u as usize].load(Relaxed);
                if self.expanded[u as usize].load(Relaxed) == label {
                    continue;
                }
                found.expanded += 1;
                if reader.degree(u) > HUB_DEGREE {
                    found.hubs.push(u);
                    continue;
                }
                // Two tasks may do this at once, which changes nothing.
                self.expanded[u as usize].store(label, Relaxed);
                let mut relaxed = Ok(());
                let _ = reader.for_each_weighted_segment(u, |list, weights| {
                    relaxed = self.relax_list((u, label), list, weights, &mut task);
                    flow(&relaxed)
                });
                relaxed?;
            }
        }
        Ok(())
    }

    #[inline]
    fn relax_list(
        &self,
        (u, label): (VertexId, u64),
        list: &[VertexId],
        weights: &[Weight],
        task: &mut Task,
    ) -> Result<(), RunError> {
        if weights.is_empty() {
            for list in list.chunks(BLOCK) {
                self.relax_block((u, label), list, &ONES[..list.len()], task)?;
            }
        } else {
            for (list, weights) in list.chunks(BLOCK).zip(weights.chunks(BLOCK)) {
                self.relax_block((u, label), list, weights, task)?;
            }
        }
        Ok(())
    }

    /// Offers the path to `u`, labelled `label`, and one more edge to each of
    /// `list`, of at most [`BLOCK`].
    ///
    /// Most offers are no better than what is there. They are sorted out without
    /// a branch on the answer, which would be guessed before it is known and often
    /// wrong.
    #[inline]
    fn relax_block(
        &self,
        (u, label): (VertexId, u64),
        list: &[VertexId],
        weights: &[Weight],
        task: &mut Task,
    ) -> Result<(), RunError> {
        let mut len = 0;
        let mut valid = true;
        for (near, &v) in task.near.iter_mut().zip(list) {
            *near = self.best[v as usize].load(Relaxed);
        }
        for &weight in weights {
            valid &= L::takes(weight);
        }
        for ((&v, &weight), &near) in list.iter().zip(weights).zip(&task.near) {
            let offer = self.labels.extend(label, weight);
            task.offers[len % BLOCK] = (offer, v);
            len += usize::from(offer < near);
        }
        if !valid {
            let mut edges = list.iter().zip(weights);
            let invalid = edges.find(|&(_, &weight)| !L::takes(weight));
            let (&to, &weight) = invalid.expect("a weight is invalid");
            return Err(RunError::InvalidWeight {
                from: u,
                to,
                weight,
                expected: L::WEIGHTS,
            });
        }
        for at in 0..len {
            let (offer, v) = task.offers[at % BLOCK];
            self.improve((u, v), offer, task);
        }
        Ok(())
    }

    #[inline]
    fn improve(&self, (u, v): (VertexId, VertexId), label: u64, task: &mut Task) {
        let best = &self.best[v as usize];
        let mut before = best.load(Relaxed);
        while label < before {
            match best.compare_exchange_weak(before, label, Relaxed, Relaxed) {
                Ok(_) => {
                    self.labels.improved(u, v);
                    return self.list(v, before, label, task);
                }
                Err(now) => before = now,
            }
        }
    }

    /// Lists `v`, unless this round has done so, or it is in its bin already and its
    /// turn is to come.
    #[inline]
    fn list(&self, v: VertexId, before: u64, label: u64, task: &mut Task) {
        let place = task.place;
        let slot = self.slot(label, place);
        let is_due =
            slot == place.slot || before == L::UNREACHED || slot < self.slot(before, place);
        if is_due && self.listed.claim(v) {
            task.improved.push(v);
        }
    }

    #[inline]
    fn slot(&self, label: u64, place: Place) -> usize {
        place.slot_of(self.labels.bin(label))
    }
}

/// Moves what is in `more` behind `list`.
fn append(list: &mut Vec<VertexId>, more: Vec<VertexId>) {
    match list.is_empty() {
        true => *list = more,
        false => list.extend(more),
    }
}

/// Ends the reading of a list at the first error.
fn flow(result: &Result<(), RunError>) -> ControlFlow<()> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Loads the beginning of `u`'s list without waiting for it.
#[inline]
fn touch(reader: &mut impl NeighborReader, u: VertexId) {
    let _ = reader.for_each_weighted_segment(u, |list, weights| {
        std::hint::black_box((list.first().copied(), weights.first().copied()));
        ControlFlow::Break(())
    });
}
