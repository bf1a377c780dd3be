//! Every power cut while graphs are sealed, replaced and dropped.
//!
//! `EVERGRAPH_CAMPAIGN=deep` explores more seeds, longer; `EVERGRAPH_REPLAY`
//! repeats one execution.

mod campaign;

use campaign::{assert_all_caught, explore, is_deep};
use evergraph_simulated::{Budget, Persistence};
use evergraph_simulation::SealedScenario;

fn scenarios(deep: bool) -> Vec<SealedScenario> {
    let (seeds, steps) = if deep { (48, 20) } else { (8, 9) };
    Persistence::ALL
        .into_iter()
        .flat_map(|medium| (1..=seeds).map(move |seed| SealedScenario::new(medium, seed, steps)))
        .collect()
}

const BUDGET: Budget = Budget {
    executions: 20_000,
    exhaustive: [300, 16, 0],
    sampled: [120, 8, 0],
    sources: [3, 0],
};

#[test]
fn every_power_cut_while_sealing_is_recovered_from() {
    let reports = explore(&scenarios(is_deep()), BUDGET).unwrap_or_default();
    reports.iter().for_each(|report| report.assert_clean());
}

#[test]
fn every_seeded_mistake_of_sealing_is_caught() {
    assert_all_caught(MUTANTS, &scenarios(false), BUDGET);
}

const MUTANTS: &[&str] = &[
    "sealed.pieces-not-flushed",
    "sealed.freed-first",
    "sealed.not-claimed",
    "sealed.orphans-kept",
];
