//! What the campaigns of this room have in common: how many executions, what is
//! repeated, what is printed.

use evergraph_simulated::{
    Budget, Explorer, REPLAY_VARIABLE, Report, Scenario, mutant_score, replay,
};

/// Threads that explore.
pub const THREADS: usize = 2;

/// Whether the long campaign is asked for, by `EVERGRAPH_CAMPAIGN=deep`.
pub fn is_deep() -> bool {
    std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep")
}

/// Explores all power cuts of the scenarios, with the budget `short` unless the
/// long campaign is asked for. `EVERGRAPH_REPLAY` repeats one execution instead;
/// then there are no reports.
///
/// # Panics
/// If an execution that is repeated goes wrong, with what does.
pub fn explore<S: Scenario + Sync>(scenarios: &[S], short: Budget) -> Option<Vec<Report>> {
    if let Ok(line) = std::env::var(REPLAY_VARIABLE) {
        let named = |s: &&S| line.contains(&format!("scenario={};seed={};", s.name(), s.seed()));
        if let Some(scenario) = scenarios.iter().find(named) {
            let found = replay(&Explorer::new(Budget::default()), scenario, &line);
            if let Some(violation) = found.expect("a line of this scenario") {
                panic!("{violation}");
            }
        }
        return None;
    }
    let budget = if is_deep() { Budget::thorough() } else { short };
    let reports = Explorer::new(budget).explore_all(scenarios, THREADS);
    let executions: u64 = reports.iter().map(Report::total_executions).sum();
    let points = |order: usize| -> u64 { reports.iter().map(|r| r.crash_points[order]).sum() };
    let seconds: f64 = reports.iter().map(|report| report.seconds).sum();
    println!(
        "crash explorer: {executions} executions of {} scenarios, {} crash points, {} in \
         recoveries, {:.0} executions/s a thread",
        reports.len(),
        points(0),
        points(1),
        executions as f64 / seconds
    );
    assert!(points(0) > 0 && points(1) > 0, "cuts of both orders");
    Some(reports)
}

/// Explores the scenarios with each mistake in turn until it is caught, and
/// prints what caught it.
///
/// # Panics
/// If one is not caught.
pub fn assert_all_caught<S: Scenario>(mistakes: &[&'static str], scenarios: &[S], budget: Budget) {
    let explorer = Explorer {
        most_violations: 1,
        ..Explorer::new(budget)
    };
    let score = mutant_score(mistakes, || {
        scenarios.iter().map(|scenario| explorer.explore(scenario))
    });
    for outcome in &score {
        let message = outcome.message.as_deref().unwrap_or("SURVIVED");
        let first_line = message.lines().next().unwrap_or("");
        let short: String = first_line.chars().take(90).collect();
        println!(
            "{:28} {:>8} executions: {short}",
            format!("{:?}", outcome.mistake),
            outcome.executions
        );
    }
    let caught = score.iter().filter(|outcome| outcome.is_caught()).count();
    println!("mutation score: {caught} of {}", score.len());
    assert_eq!(caught, score.len(), "every seeded mistake must be caught");
}
