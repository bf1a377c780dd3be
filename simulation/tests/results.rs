//! Power cuts while results are kept, and seeded mistakes of their store.

mod campaign;

use campaign::{assert_all_caught, explore, is_deep};
use evergraph_simulated::{Budget, Persistence, Report};
use evergraph_simulation::ResultScenario;

fn scenarios(seeds: u64, operations: usize) -> Vec<ResultScenario> {
    let of_medium =
        |medium| (1..=seeds).map(move |seed| ResultScenario::new(medium, seed, operations));
    Persistence::ALL.into_iter().flat_map(of_medium).collect()
}

#[test]
fn every_power_cut_leaves_whole_versions() {
    let (seeds, operations) = if is_deep() { (32, 16) } else { (4, 7) };
    let short = Budget {
        executions: 20_000,
        exhaustive: [300, 16, 4],
        sampled: [120, 8, 2],
        sources: [3, 1],
    };
    let Some(reports) = explore(&scenarios(seeds, operations), short) else {
        return;
    };
    reports.iter().for_each(|report| report.assert_clean());
    let executions: u64 = reports.iter().map(Report::total_executions).sum();
    assert!(executions >= 50_000);
}

#[test]
fn every_seeded_mistake_is_caught() {
    let shared = ["extent.half-flushed", "superblock.slots-share-one-fence"];
    let mistakes = [RESULTS, &shared].concat();
    let budget = Budget {
        executions: 20_000,
        exhaustive: [300, 16, 0],
        sampled: [120, 8, 0],
        sources: [4, 0],
    };
    assert_all_caught(&mistakes, &scenarios(4, 8), budget);
}

const RESULTS: &[&str] = &[
    "results.root-before-blocks",
    "results.changed-block-shared",
    "results.freed-first",
    "results.superblock-first",
];
