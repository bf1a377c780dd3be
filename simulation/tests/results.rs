//! Power cuts while results are kept, and seeded mistakes of their store.

use evergraph_persistence::mutant::{self, Mutant};
use evergraph_persistence::simulated::{
    Budget, Explorer, Persistence, REPLAY_VARIABLE, Scenario, mutant_score, replay,
};
use evergraph_simulation::ResultScenario;

const MEDIA: [Persistence; 3] = [
    Persistence::Pages,
    Persistence::Lines,
    Persistence::LinesEadr,
];

fn scenarios(seeds: u64, operations: usize) -> Vec<ResultScenario> {
    let of_medium =
        |medium| (1..=seeds).map(move |seed| ResultScenario::new(medium, seed, operations));
    MEDIA.into_iter().flat_map(of_medium).collect()
}

#[test]
fn every_power_cut_leaves_whole_versions() {
    let deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    let scenarios = scenarios(if deep { 32 } else { 4 }, if deep { 16 } else { 7 });
    if let Ok(line) = std::env::var(REPLAY_VARIABLE) {
        let named = |s: &&ResultScenario| {
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
    let budget = if deep {
        Budget::thorough()
    } else {
        Budget {
            executions: 20_000,
            exhaustive: [300, 16, 4],
            sampled: [120, 8, 2],
            sources: [3, 1],
        }
    };
    let reports = Explorer::new(budget).explore_all(&scenarios, 2);
    let executions: u64 = reports.iter().map(|report| report.total_executions()).sum();
    let second: u64 = reports.iter().map(|report| report.crash_points[1]).sum();
    println!("results: {executions} executions, {second} crash points in recoveries");
    reports.iter().for_each(|report| report.assert_clean());
    assert!(executions >= 50_000 && second > 0);
}

#[test]
fn every_seeded_mistake_is_caught() {
    let shared = [Mutant::ExtentHalfFlushed, Mutant::RootSlotsShareOneFence];
    let mistakes = [mutant::RESULTS, &shared].concat();
    let budget = Budget {
        executions: 20_000,
        exhaustive: [300, 16, 0],
        sampled: [120, 8, 0],
        sources: [4, 0],
    };
    let explorer = Explorer {
        most_violations: 1,
        ..Explorer::new(budget)
    };
    let scenarios = scenarios(4, 8);
    let score = mutant_score(&mistakes, || {
        scenarios.iter().map(|scenario| explorer.explore(scenario))
    });
    for outcome in &score {
        let message = outcome.message.as_deref().unwrap_or("SURVIVED");
        let first_line = message.lines().next().unwrap_or("");
        println!(
            "{:28} {:>8} executions: {first_line}",
            format!("{:?}", outcome.mistake),
            outcome.executions
        );
    }
    assert!(score.iter().all(|outcome| outcome.is_caught()));
}
