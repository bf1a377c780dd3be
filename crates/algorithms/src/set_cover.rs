//! A cover of the vertices by neighborhoods: few vertices, the *sets*, such that
//! every vertex that has a neighbor is a neighbor of one of them; at most some
//! (1 + ε)² H(Δ) times as many as necessary, where H(Δ) ≈ ln Δ + 0.58 for the largest
//! degree Δ.
//!
//! Each vertex stands for a set and for an element. The set covers its neighbors
//! (out-neighbors in a directed graph), itself only by a self-loop.
//!
//! Idea: the greedy algorithm, many sets at a time. Sets wait in buckets by how many
//! uncovered elements they have, in powers of 1 + ε. Of the highest bucket each
//! set claims its uncovered elements in a random order of sets; a set that wins
//! nearly all of them joins the cover, the others wait again (a maximal nearly
//! independent set of sets). A [`GraphFilter`] forgets elements that are covered, and at
//! first those that parallel edges repeat, since a set is as large as it covers.
//!
//! Work O(m) expected, depth O(log³ n) with high probability; DRAM at most 13n words of 8
//! bytes and 2m bits. Deterministic for a seed. Parallel edges change nothing.
//! Sources: Blelloch, Peng and Tangwongsan, "Linear-Work Greedy Parallel
//! Approximate Set Cover and Variants", SPAA 2011; Dhulipala, Blelloch and Shun,
//! "Julienne", SPAA 2017; Dhulipala et al., "Sage", VLDB 2020, appendix C.3.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use evergraph_graph::random::split_mix;
use evergraph_graph::{Graph, NeighborReader, VertexId};
use rayon::prelude::*;

use crate::buckets::{BucketQueue, Buckets, NONE, Order};
use crate::edge_map::{Gather, Kernel, push};
use crate::filter::{BlockSize, GraphFilter, Keep};
use crate::parallel::{CHUNK_ITEMS, Lists, shared_degrees, shared_u32};
use crate::subset::SharedBitmap;
use crate::{Control, Mismatch, RunError, UNREACHED};

/// Buckets that are open at a time.
const OPEN_BUCKETS: usize = 128;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The ε of the bound: from 0.001 to 1. Smaller is closer and slower.
    pub epsilon: f64,
    /// Of the random order of sets.
    pub seed: u64,
}

impl Default for Parameters {
    /// ε = 0.01, seed 0.
    fn default() -> Self {
        Self {
            epsilon: 0.01,
            seed: 0,
        }
    }
}

/// A cover of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCover {
    /// The sets of the cover, ascending.
    pub sets: Vec<VertexId>,
    /// For each vertex a set of the cover that has it, [`UNREACHED`] for a vertex
    /// that is in no set at all.
    pub covered_by: Vec<VertexId>,
    /// Vertices that are covered.
    pub covered: usize,
    /// Rounds in which sets claimed elements.
    pub rounds: u32,
}

/// A cover of all vertices that are in some out-list.
///
/// # Errors
/// If ε is out of range, or `control` ends the run.
pub fn run<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    control: &Control,
) -> Result<SetCover, RunError> {
    let scale = Scale::new(parameters.epsilon)?;
    let n = graph.vertex_count();
    let mut filter = GraphFilter::new(graph, Keep::Out, BlockSize::default(), control)?;
    filter.unite_parallel(control)?;
    let state = State {
        uncovered: shared_degrees(Lists::outgoing(&filter), control)?,
        won: shared_u32(n, 0, control)?,
        covered: SharedBitmap::empty(n),
        claims: (0..n)
            .into_par_iter()
            .with_min_len(CHUNK_ITEMS)
            .map(|_| AtomicU64::new(UNCLAIMED))
            .collect(),
    };
    let bucket_of = |s: VertexId| scale.bucket(state.uncovered[s as usize].load(Relaxed));
    let mut buckets = Buckets::new(n, Order::Decreasing, OPEN_BUCKETS, bucket_of);
    let mut sets = Vec::new();
    let mut rounds = 0;
    while let Some((bucket, candidates)) = buckets.next() {
        rounds += 1;
        let uncovered = |_, e| !state.covered.contains(e);
        for (s, degree) in filter.edge_map_pack(&candidates, uncovered, control)? {
            state.uncovered[s as usize].store(degree, Relaxed);
        }
        // Sets that lost elements since wait in a lower bucket.
        let is_active = |&s: &VertexId| (bucket..NONE).contains(&bucket_of(s));
        let (active, waiting): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_active);
        buckets.update(&waiting);

        let enough = scale.wins(bucket);
        let priorities = Priorities::new(parameters.seed, rounds);
        let elements = Lists::outgoing(&filter);
        let each = |act| EachElement {
            state: &state,
            priorities,
            enough,
            act,
        };
        push(elements, &active, &each(Act::Claim), control)?;
        push(elements, &active, &each(Act::Count), control)?;
        push(elements, &active, &each(Act::Cover), control)?;

        let (joined, again): (Vec<_>, Vec<_>) =
            active.iter().partition(|&&s| state.wins(s) >= enough);
        for &s in &active {
            state.won[s as usize].store(0, Relaxed);
        }
        for &s in &joined {
            state.uncovered[s as usize].store(0, Relaxed);
        }
        sets.extend(joined);
        buckets.update(&again);
        control.report("sets of the cover", sets.len() as u64, None);
    }
    drop(buckets);
    sets.par_sort_unstable();
    let covered_by: Vec<VertexId> = state.claims.into_iter().map(covering).collect();
    let covered = covered_by.par_iter().filter(|&&s| s != UNREACHED).count();
    Ok(SetCover {
        sets,
        covered_by,
        covered,
        rounds,
    })
}

/// Buckets of powers of 1 + ε.
#[derive(Clone, Copy)]
struct Scale {
    base: f64,
}

impl Scale {
    fn new(epsilon: f64) -> Result<Self, RunError> {
        if !(0.001..=1.0).contains(&epsilon) {
            return Err(RunError::InvalidParameter {
                name: "epsilon",
                value: epsilon,
                expected: "from 0.001 to 1",
            });
        }
        Ok(Self {
            base: 1.0 + epsilon,
        })
    }

    /// The bucket of a set with so many uncovered elements.
    #[inline]
    fn bucket(self, elements: u32) -> u32 {
        match elements {
            0 => NONE,
            _ => f64::from(elements).log(self.base) as u32,
        }
    }

    /// Elements that a set of a bucket has to win: a bucket below its least, so
    /// that one that wins all has enough, however numbers are rounded.
    fn wins(self, bucket: u32) -> u32 {
        let wins = self.base.powi(bucket as i32 - 1).ceil();
        (wins as u32).max(1)
    }
}

/// The random order of sets in one round.
#[derive(Clone, Copy)]
struct Priorities {
    mask: u64,
}

impl Priorities {
    fn new(seed: u64, round: u32) -> Self {
        let mut state = seed;
        let mut state = split_mix(&mut state) ^ u64::from(round);
        Self {
            mask: split_mix(&mut state),
        }
    }

    /// The claim of a set: a random half above its number, so that claims differ,
    /// none is [`UNCLAIMED`], and all are above those of sets that cover.
    #[inline]
    fn claim(self, s: VertexId) -> u64 {
        split_mix(&mut (u64::from(s) ^ self.mask)) >> 32 << 32 | 1 << 32 | u64::from(s)
    }
}

/// An element that no set claims.
const UNCLAIMED: u64 = u64::MAX;

/// The set that covers an element, or [`UNREACHED`].
fn covering(claim: AtomicU64) -> VertexId {
    match claim.into_inner() {
        set if set <= u64::from(VertexId::MAX) => set as VertexId,
        _ => UNREACHED,
    }
}

struct State {
    /// Of each set, how many of its elements were uncovered when it was looked at
    /// last; none for a set of the cover.
    uncovered: Vec<AtomicU32>,
    /// Of each set, how many elements it wins in this round.
    won: Vec<AtomicU32>,
    /// The elements that are covered.
    covered: SharedBitmap,
    /// Of each element the lowest claim, or just the number of the set that
    /// covers it.
    claims: Vec<AtomicU64>,
}

impl State {
    #[inline]
    fn wins(&self, s: VertexId) -> u32 {
        self.won[s as usize].load(Relaxed)
    }
}

/// Actions of sets on their elements, one after the other.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    /// Claim them.
    Claim,
    /// Count those that they won.
    Count,
    /// Cover those if they are enough, else give them back.
    Cover,
}

struct EachElement<'a> {
    state: &'a State,
    priorities: Priorities,
    enough: u32,
    act: Act,
}

impl Kernel for EachElement<'_> {
    #[inline]
    fn condition(&self, _: VertexId) -> bool {
        true
    }

    #[inline]
    fn push(&self, s: VertexId, e: VertexId) -> bool {
        let (own, claim) = (self.priorities.claim(s), &self.state.claims[e as usize]);
        let current = claim.load(Relaxed);
        match self.act {
            Act::Claim => {
                if own < current {
                    claim.fetch_min(own, Relaxed);
                }
            }
            Act::Count => {
                if own == current {
                    self.state.won[s as usize].fetch_add(1, Relaxed);
                }
            }
            Act::Cover => {
                if own == current {
                    if self.state.wins(s) >= self.enough {
                        claim.store(u64::from(s), Relaxed);
                        self.state.covered.insert(e);
                    } else {
                        claim.store(UNCLAIMED, Relaxed);
                    }
                }
            }
        }
        false
    }
}

/// Only pushed.
impl Gather for EachElement<'_> {
    type Gathered = ();

    fn gather(&self, (): &mut (), _: VertexId) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn merge(&self, (): &mut (), (): ()) {}
    fn apply(&self, _: VertexId, (): ()) -> bool {
        false
    }
}

/// The size of the cover that takes the set with the most uncovered elements again and
/// again: at most H(Δ) times as large as necessary. Sequential; the reference
/// implementation of [`run`].
pub fn reference<G: Graph>(graph: &G) -> usize {
    let n = graph.vertex_count() as VertexId;
    let mut reader = graph.reader();
    let mut covered = vec![false; n as usize];
    let mut queue: BinaryHeap<(usize, VertexId)> = (0..n).map(|s| (reader.degree(s), s)).collect();
    let mut sets = 0;
    while let Some((promised, s)) = queue.pop() {
        let mut elements = Vec::new();
        reader.for_each_neighbor(s, |e| elements.extend((!covered[e as usize]).then_some(e)));
        elements.sort_unstable();
        elements.dedup();
        if elements.len() < promised {
            queue.push((elements.len(), s));
        } else if promised > 0 {
            elements.iter().for_each(|&e| covered[e as usize] = true);
            sets += 1;
        }
        if promised == 0 {
            break;
        }
    }
    sets
}

/// Checks that every vertex that is in a list is covered by a set of the cover that
/// has it, and that there are no more sets than the bound allows beside
/// [`reference()`]. Sequential.
///
/// # Errors
/// The first vertex that is wrong.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &SetCover,
) -> Result<(), Mismatch> {
    let n = graph.vertex_count();
    let wrong = |vertex, what, found: f64, expected: f64| {
        Err(Mismatch {
            vertex,
            what,
            found,
            expected,
        })
    };
    let mut in_cover = vec![false; n];
    result
        .sets
        .iter()
        .for_each(|&s| in_cover[s as usize] = true);
    let (mut coverable, mut holds) = (vec![false; n], vec![false; n]);
    let (mut reader, mut largest) = (graph.reader(), 0);
    let mut elements = Vec::new();
    for s in 0..n as VertexId {
        elements.clear();
        reader.neighbors_into(s, &mut elements);
        elements.sort_unstable();
        elements.dedup();
        largest = largest.max(elements.len());
        for &e in &elements {
            coverable[e as usize] = true;
            holds[e as usize] |= result.covered_by[e as usize] == s && in_cover[s as usize];
        }
    }
    for (e, &s) in (0..).zip(&result.covered_by) {
        let right = match coverable[e as usize] {
            true => holds[e as usize],
            false => s == UNREACHED,
        };
        if !right {
            return wrong(e, "covering set", f64::from(s), f64::from(UNREACHED));
        }
    }
    let harmonic: f64 = (1..=largest).map(|k| 1.0 / k as f64).sum();
    let at_most = (1.0 + parameters.epsilon).powi(2) * harmonic * reference(graph) as f64;
    let found = result.sets.len() as f64;
    match found <= at_most.ceil() {
        true => Ok(()),
        false => wrong(0, "sets of the cover", found, at_most.ceil()),
    }
}
