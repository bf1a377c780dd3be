//! Every power cut of a store with something attached.
//!
//! `EVERGRAPH_CAMPAIGN=deep` explores more seeds, longer; `EVERGRAPH_REPLAY`
//! repeats one execution.

use evergraph_persistence::mutant::{self, Mutant};
use evergraph_persistence::simulated::{
    Budget, Explorer, Persistence, REPLAY_VARIABLE, Scenario, mutant_score, replay,
};
use evergraph_simulation::AttachedScenario;

fn scenarios(deep: bool) -> Vec<AttachedScenario> {
    let (seeds, steps) = if deep { (48, 20) } else { (8, 10) };
    let media = [
        Persistence::Pages,
        Persistence::Lines,
        Persistence::LinesEadr,
    ];
    media
        .into_iter()
        .flat_map(|medium| (1..=seeds).map(move |seed| AttachedScenario::new(medium, seed, steps)))
        .collect()
}

#[test]
fn every_power_cut_with_something_attached_is_recovered_from() {
    let deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    let scenarios = scenarios(deep);
    if let Ok(line) = std::env::var(REPLAY_VARIABLE) {
        let named = |s: &&AttachedScenario| {
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
            exhaustive: [300, 16, 0],
            sampled: [120, 8, 0],
            sources: [3, 0],
        }
    };
    let reports = Explorer::new(budget).explore_all(&scenarios, 2);
    let executions: u64 = reports.iter().map(|r| r.total_executions()).sum();
    let order = |n: usize| -> u64 { reports.iter().map(|r| r.crash_points[n]).sum() };
    println!(
        "crash explorer: {executions} executions of {} scenarios, {} crash points, {} in recoveries",
        reports.len(),
        order(0),
        order(1)
    );
    assert!(order(0) > 0 && order(1) > 0, "cuts of both orders");
    for report in reports.iter().filter(|report| !report.is_clean()) {
        report.assert_clean();
    }
}

#[test]
fn every_seeded_mistake_of_attachments_is_caught() {
    let budget = Budget {
        executions: 20_000,
        exhaustive: [300, 16, 0],
        sampled: [120, 8, 0],
        sources: [3, 0],
    };
    let explorer = Explorer {
        most_violations: 1,
        ..Explorer::new(budget)
    };
    let mutants = mutant::ALL.iter().copied();
    let mutants: Vec<Mutant> = mutants
        .filter(|mutant| mutant.is_of_attachments())
        .collect();
    assert!(mutants.len() >= 5);
    let scenarios = scenarios(false);
    let score = mutant_score(&mutants, || {
        scenarios.iter().map(|scenario| explorer.explore(scenario))
    });
    for outcome in &score {
        println!("{:?}: {} executions", outcome.mistake, outcome.executions);
        assert!(outcome.is_caught(), "{:?} survived", outcome.mistake);
    }
}
