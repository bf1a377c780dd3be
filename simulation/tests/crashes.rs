//! The short campaign: every power cut of small workloads, and every seeded
//! mistake caught.
//!
//! `EVERGRAPH_CAMPAIGN=deep` explores more seeds, longer; `EVERGRAPH_REPLAY`
//! repeats one execution.

use evergraph_graph::Direction;
use evergraph_persistence::simulated::{
    Budget, Explorer, Persistence, REPLAY_VARIABLE, Scenario, replay,
};
use evergraph_simulation::StoreScenario;
use evergraph_topology::Mode;

const THREADS: usize = 2;

fn deep() -> bool {
    std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep")
}

fn scenarios() -> Vec<StoreScenario> {
    let seeds = if deep() { 64 } else { 4 };
    let operations = if deep() { 24 } else { 10 };
    let media = [
        (Mode::Merged, Persistence::Pages),
        (Mode::Merged, Persistence::Lines),
        (Mode::Merged, Persistence::LinesEadr),
    ];
    let directions = [Direction::Out, Direction::Undirected, Direction::Both];
    let mut all = Vec::new();
    for (mode, persistence) in media {
        for direction in directions {
            for seed in 1..=seeds {
                all.push(StoreScenario::new(
                    mode, persistence, direction, seed, operations,
                ));
            }
        }
    }
    all
}

#[test]
fn every_power_cut_is_recovered_from() {
    let scenarios = scenarios();
    if let Ok(line) = std::env::var(REPLAY_VARIABLE) {
        let named = |s: &&StoreScenario| {
            line.contains(&format!("scenario={};seed={};", s.name(), s.seed()))
        };
        if let Some(scenario) = scenarios.iter().find(named) {
            let found = replay(&Explorer::new(Budget::default()), scenario, &line);
            if let Some(violation) = found.expect("a line of this scenario") {
                panic!("{violation}");
            }
        }
        return;
    }
    let budget = if deep() {
        Budget::thorough()
    } else {
        Budget {
            executions: 12_000,
            exhaustive: [400, 60, 8],
            sampled: [160, 24, 4],
            sources: [16, 1],
        }
    };
    let reports = Explorer::new(budget).explore_all(&scenarios, THREADS);
    let executions: u64 = reports.iter().map(|r| r.total_executions()).sum();
    let points: u64 = reports.iter().map(|r| r.crash_points.iter().sum::<u64>()).sum();
    let seconds: f64 = reports.iter().map(|r| r.seconds).sum::<f64>() / THREADS as f64;
    println!(
        "crash explorer: {executions} executions at {points} crash points of {} scenarios, {:.0} executions/s a thread",
        reports.len(),
        executions as f64 / seconds / THREADS as f64
    );
    for report in &reports {
        report.assert_clean();
    }
}
