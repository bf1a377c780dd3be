//! Reference implementations: the exact spread, greedy over all vertices, and a check of
//! results.

use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, VertexId};

use super::chances::{Chances, World};
use super::{Influence, Parameters, Probabilities};
use crate::error::mismatch;
use crate::shortest_paths::for_each_weighted;
use crate::{Control, Mismatch, RunError};

/// Edges that may or may not pass a cascade on, at most, for the exact spread.
const UNCERTAIN: usize = 20;

/// An entry of a list and its probability.
type Chance = (VertexId, VertexId, f64);

/// The mean number of vertices that a cascade from `seeds` reaches, exactly: the sum
/// over all outcomes of all draws, each by its probability. For tiny graphs.
///
/// # Panics
/// If more than 20 edges have a probability that is neither 0 nor 1, or the graph
/// has no in-lists where they count.
pub fn exact_spread<G: Graph>(graph: &G, probabilities: Probabilities, seeds: &[VertexId]) -> f64 {
    let edges = chances(graph, probabilities);
    let certain = edges.iter().filter(|edge| edge.2 >= 1.0);
    let certain: Vec<&Chance> = certain.collect();
    let uncertain = edges.iter().filter(|edge| edge.2 > 0.0 && edge.2 < 1.0);
    let uncertain: Vec<&Chance> = uncertain.collect();
    assert!(uncertain.len() <= UNCERTAIN, "too many worlds");
    let mut mean = 0.0;
    for world in 0..1_u32 << uncertain.len() {
        let mut probability = 1.0;
        let mut live = certain.clone();
        for (at, &edge) in uncertain.iter().enumerate() {
            if world >> at & 1 == 1 {
                live.push(edge);
                probability *= edge.2;
            } else {
                probability *= 1.0 - edge.2;
            }
        }
        mean += probability * reached(graph.vertex_count(), &live, seeds) as f64;
    }
    mean
}

/// Every entry of the out-lists with its probability.
fn chances<G: Graph>(graph: &G, probabilities: Probabilities) -> Vec<Chance> {
    let mut edges = Vec::new();
    let mut reader = graph.reader();
    for u in 0..graph.vertex_count() as VertexId {
        for_each_weighted(&mut reader, u, |v, weight| {
            edges.push((u, v, f64::from(weight)))
        });
    }
    match probabilities {
        Probabilities::Weights => {}
        Probabilities::Uniform(probability) => {
            edges.iter_mut().for_each(|edge| edge.2 = probability);
        }
        Probabilities::WeightedCascade => {
            let mut in_degrees = vec![0_u32; graph.vertex_count()];
            edges
                .iter()
                .for_each(|edge| in_degrees[edge.1 as usize] += 1);
            for edge in &mut edges {
                edge.2 = 1.0 / f64::from(in_degrees[edge.1 as usize]);
            }
        }
    }
    edges
}

/// How many vertices `live` edges lead to from `seeds`, by passes until none is new.
fn reached(vertex_count: usize, live: &[&Chance], seeds: &[VertexId]) -> usize {
    let mut reached = vec![false; vertex_count];
    seeds.iter().for_each(|&v| reached[v as usize] = true);
    loop {
        let mut grown = false;
        for &&(u, v, _) in live {
            grown |= reached[u as usize] && !reached[v as usize];
            reached[v as usize] |= reached[u as usize];
        }
        if !grown {
            return reached.into_iter().filter(|&is| is).count();
        }
    }
}

/// Greedy in the same worlds as [`Method::Greedy`](super::Method::Greedy) that asks every
/// vertex each time; the reference implementation of the lazy one. Work O(k n m) a world.
///
/// # Errors
/// As [`run`](super::run).
pub fn plain_greedy<G: Graph>(
    graph: &G,
    parameters: &Parameters,
) -> Result<Vec<(VertexId, f64)>, RunError> {
    let n = graph.vertex_count();
    let chances = Chances::new(graph, parameters.probabilities, &Control::new())?;
    let mut reader = graph.reader();
    let worlds: Vec<Vec<Chance>> = (0..parameters.simulations)
        .map(|number| {
            let world = World::new(parameters.seed, number);
            let mut live = Vec::new();
            for u in 0..n as VertexId {
                chances.live(&mut reader, world, u, |v| live.push((u, v, 1.0)));
            }
            live
        })
        .collect();
    let spread = |seeds: &[VertexId]| -> usize {
        let live = |world: &Vec<Chance>| reached(n, &world.iter().collect::<Vec<_>>(), seeds);
        worlds.iter().map(live).sum()
    };
    let mut seeds: Vec<VertexId> = Vec::new();
    let mut gains = Vec::new();
    let mut before = 0;
    for _ in 0..parameters.seeds {
        let mut best = None;
        for v in 0..n as VertexId {
            if seeds.contains(&v) {
                continue;
            }
            seeds.push(v);
            let total = spread(&seeds);
            seeds.pop();
            if best.is_none_or(|(_, most)| total > most) {
                best = Some((v, total));
            }
        }
        let (v, total) = best.expect("no more seeds than vertices");
        seeds.push(v);
        gains.push((v, (total - before) as f64 / worlds.len() as f64));
        before = total;
    }
    Ok(gains)
}

/// Checks that the seeds are as many different vertices as wanted, that none adds
/// more than one before, and the spread against cascades of its own: within six
/// standard errors of both, and what ten cascades could add. Sequential.
///
/// # Errors
/// The first seed that is wrong, or the first seed if the spread is.
///
/// # Panics
/// If the graph has no in-lists.
pub fn verify<G: Graph>(
    graph: &G,
    parameters: &Parameters,
    result: &Influence,
) -> Result<(), Mismatch> {
    let n = graph.vertex_count();
    let mut is_seed = vec![false; n];
    for &(v, _) in &result.seeds {
        if std::mem::replace(&mut is_seed[v as usize], true) {
            return Err(mismatch(v, "how often it is a seed", 2.0, 1.0));
        }
    }
    let (first, count) = (result.seeds[0].0, result.seeds.len());
    if count != parameters.seeds {
        return Err(mismatch(
            first,
            "number of seeds, it the first,",
            count as f64,
            parameters.seeds as f64,
        ));
    }
    for pair in result.seeds.windows(2) {
        if pair[1].1 > pair[0].1 {
            return Err(mismatch(
                pair[1].0,
                "spread that it adds",
                pair[1].1,
                pair[0].1,
            ));
        }
    }
    let seeds: Vec<VertexId> = result.seeds.iter().map(|&(v, _)| v).collect();
    let sizes = cascades(graph, parameters, &seeds);
    let own = super::Spread::of(&sizes);
    let errors = own.standard_error + result.spread.standard_error;
    let allowed = 6.0 * errors + 10.0 * n as f64 / parameters.simulations as f64;
    if (own.mean - result.spread.mean).abs() > allowed {
        return Err(mismatch(
            first,
            "spread with all other seeds",
            result.spread.mean,
            own.mean,
        ));
    }
    Ok(())
}

/// The sizes of cascades, each drawn edge by edge as it comes.
fn cascades<G: Graph>(graph: &G, parameters: &Parameters, seeds: &[VertexId]) -> Vec<u32> {
    let mut random = Random::new(parameters.seed ^ 0x5eed);
    let mut incoming = graph.reverse_reader().expect("in-lists");
    let mut reader = graph.reader();
    let mut sizes = Vec::new();
    for _ in 0..parameters.simulations {
        let mut reached = vec![false; graph.vertex_count()];
        seeds.iter().for_each(|&v| reached[v as usize] = true);
        let mut waiting = seeds.to_vec();
        let mut size = 0;
        while let Some(u) = waiting.pop() {
            size += 1;
            for_each_weighted(&mut reader, u, |v, weight| {
                if reached[v as usize] {
                    return;
                }
                let probability = match parameters.probabilities {
                    Probabilities::Weights => f64::from(weight),
                    Probabilities::Uniform(probability) => probability,
                    Probabilities::WeightedCascade => 1.0 / incoming.degree(v) as f64,
                };
                if random.next_f64() < probability {
                    reached[v as usize] = true;
                    waiting.push(v);
                }
            });
        }
        sizes.push(size);
    }
    sizes
}
