//! How evenly a batch is dealt out to threads, by counting entries: adaptive
//! ranges as XPGraph has them, those that the store makes, and GraphOne's fixed
//! ranges. No time is measured, so the threads need no processors.

use evergraph_generators::{Edge, Kronecker};
use evergraph_topology::front::sharding::{
    ArcColumns, DEFAULT_BIAS, NO_ORIGIN, Sharded, deal, imbalance, range_count,
};
use serde_json::json;

use crate::Benchmark;
use crate::settings::Settings;
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "imbalance",
    parameters: &["edges", "section-shift"],
    run,
};

/// Ranges in GraphOne, whatever the batch.
const FIXED_RANGES: usize = 256;
const THREADS: [usize; 8] = [2, 4, 8, 16, 32, 48, 64, 96];

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let scale = settings.scale.unwrap_or(20);
    let sizes: Vec<u32> = settings.list("edges", &[16, 20])?;
    let section_shift: u32 = settings.parameter("section-shift", 8)?;
    let most = sizes.iter().copied().max().unwrap_or(0);
    if most > 30 || section_shift > 20 {
        return Err("edges are powers of two, up to 30; section-shift is at most 20".to_string());
    }
    let mut table = Table::new(
        format!("largest share of a thread, as a multiple of the average; Kronecker scale {scale}"),
        &[
            "ids",
            "edges",
            "threads",
            "adaptive",
            "store",
            "fixed_256",
            "adaptive_ranges",
            "store_ranges",
            "idle_adaptive",
            "idle_store",
            "idle_fixed_256",
            "largest_list",
        ],
    );
    let degree = 1 << most.saturating_sub(scale);
    let permuted = Kronecker::new(scale, degree, settings.seed);
    let skewed = permuted.clone().with_ids_in_order();
    for (ids, graph) in [("permuted", permuted), ("in order", skewed)] {
        settings.progress(&format!("imbalance: ids {ids}"));
        let edges = graph.edges();
        for &size in &sizes {
            let batch = &edges[..1 << size];
            let lists = counts(batch, scale, scale);
            let adaptive = counts(batch, scale, range_count(batch.len(), DEFAULT_BIAS).ilog2());
            let stored = as_the_store(batch, section_shift);
            let fixed = counts(batch, scale, FIXED_RANGES.ilog2());
            for threads in settings.threads_or(&THREADS) {
                let dealt = [
                    (&adaptive, deal(&adaptive, threads)),
                    (&stored, deal(&stored, threads)),
                    (&fixed, greedily(&fixed, threads)),
                ];
                let idle = |of: usize| dealt[of].1.iter().filter(|own| own.is_empty()).count();
                let share = |of: usize| number(imbalance(dealt[of].0, &dealt[of].1));
                // A list is not divided: its thread has at least that much.
                let largest = lists.iter().copied().max().unwrap_or(0);
                table.row(vec![
                    json!(ids),
                    json!(batch.len()),
                    json!(threads),
                    share(0),
                    share(1),
                    share(2),
                    json!(adaptive.len()),
                    json!(stored.len()),
                    json!(idle(0)),
                    json!(idle(1)),
                    json!(idle(2)),
                    number(largest as f64 * threads as f64 / batch.len() as f64),
                ]);
            }
        }
    }
    Ok(vec![table])
}

/// Edges in each of `2^power` ranges of sources, as far as there are as many.
fn counts(batch: &[Edge], scale: u32, power: u32) -> Vec<usize> {
    let power = power.min(scale);
    let mut counts = vec![0; 1 << power];
    for edge in batch {
        counts[(edge.0 >> (scale - power)) as usize] += 1;
    }
    counts
}

/// Edges in the ranges that the store cuts: of whole sections.
fn as_the_store(batch: &[Edge], section_shift: u32) -> Vec<usize> {
    let (sources, targets): (Vec<u32>, Vec<u32>) = batch.iter().copied().unzip();
    let columns = ArcColumns {
        sources: &sources,
        targets: &targets,
        weights: &[],
        tag: 0,
        origin: NO_ORIGIN,
        mirrored: false,
    };
    let mut sharded = Sharded::default();
    sharded.scatter(&[columns], section_shift, false, 1, DEFAULT_BIAS);
    sharded.counts()
}

/// GraphOne's division as XPGraph's paper describes it (its section 4.1): ranges
/// in order, each thread takes until it has the average, so the first have more
/// and the last what is left.
fn greedily(counts: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let total: usize = counts.iter().sum();
    let mut dealt = vec![Vec::new(); threads];
    let (mut thread, mut sum) = (0, 0);
    for (range, &count) in counts.iter().enumerate() {
        if sum * threads >= total && thread + 1 < threads {
            (thread, sum) = (thread + 1, 0);
        }
        sum += count;
        if count > 0 {
            dealt[thread].push(range);
        }
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_threads_take_until_they_have_the_average() {
        // The average is 5.
        let counts = [4, 4, 1, 1, 9, 1];
        let dealt = greedily(&counts, 4);
        assert_eq!(dealt, [vec![0, 1], vec![2, 3, 4], vec![5], vec![]]);
        assert_eq!(imbalance(&counts, &dealt), 11.0 / 5.0);
        assert_eq!(greedily(&counts, 1), [vec![0, 1, 2, 3, 4, 5]]);
    }

    #[test]
    fn every_edge_is_in_one_range() {
        let batch: Vec<Edge> = (0..1000).map(|i| (i * 7 % 512, i)).collect();
        for counted in [
            counts(&batch, 9, 4),
            counts(&batch, 9, 20),
            as_the_store(&batch, 3),
        ] {
            assert_eq!(counted.iter().sum::<usize>(), 1000);
        }
        assert_eq!(counts(&batch, 9, 4).len(), 16);
        assert_eq!(counts(&batch, 9, 20).len(), 512);
    }
}
