//! The mutation score: mutants, and whether they are killed.

use crate::explorer::{Explorer, Program};
use crate::faults::{Calls, FaultPlan};
use crate::report::Report;
use evergraph_storage::failpoint;

/// A mutant, and whether it was killed.
#[derive(Clone, Debug)]
pub struct Caught<T> {
    /// The mutant.
    pub mutant: T,
    /// Message of the violation that killed it; `None` if it survived.
    pub message: Option<String>,
    /// Executions until then, or in all.
    pub executions: u64,
}

impl<T> Caught<T> {
    /// Whether it was caught.
    pub fn is_caught(&self) -> bool {
        self.message.is_some()
    }

    fn of(mutant: T, reports: impl IntoIterator<Item = Report>) -> Self {
        let mut executions = 0;
        for report in reports {
            if let Some(violation) = report.violations.into_iter().next() {
                return Self {
                    mutant,
                    message: Some(violation.message),
                    executions: executions + violation.executions,
                };
            }
            executions += report.executions.iter().sum::<u64>();
        }
        Self {
            mutant,
            message: None,
            executions,
        }
    }
}

/// A call that does nothing and says it did. A survivor is either redundant
/// (remove it: it costs time) or out of the oracles' sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DroppedCall {
    /// In the recovery, not in the workload.
    pub in_recovery: bool,
    /// Method: `flush`, `fence` or `sync_names`.
    pub method: &'static str,
    /// Number of the call of it, from 0.
    pub call: u64,
}

/// Drops each flush, fence and `sync_names` of the workload and of the recovery
/// in turn, by number of the call; of more than `most` calls of a method, `most`
/// evenly. The program must be clean as it is.
///
/// # Panics
/// If it is not.
pub fn dropped_call_score<P: Program>(
    explorer: &Explorer,
    program: &P,
    most: u64,
) -> Vec<Caught<DroppedCall>> {
    let clean = explorer.explore(program);
    clean.assert_clean();
    let mut outcomes = Vec::new();
    for (in_recovery, calls) in [(false, clean.workload_calls), (true, clean.recovery_calls)] {
        for (method, count) in methods(calls) {
            let tried = count.min(most);
            for i in 0..tried {
                let call = i * count / tried;
                let plan = match method {
                    "flush" => FaultPlan {
                        drop_flush: Some(call),
                        ..FaultPlan::default()
                    },
                    "fence" => FaultPlan {
                        drop_fence: Some(call),
                        ..FaultPlan::default()
                    },
                    _ => FaultPlan {
                        drop_sync_names: Some(call),
                        ..FaultPlan::default()
                    },
                };
                let mut explorer = explorer.clone();
                if in_recovery {
                    explorer.recovery_faults = plan;
                } else {
                    explorer.workload_faults = plan;
                }
                let dropped = DroppedCall {
                    in_recovery,
                    method,
                    call,
                };
                outcomes.push(Caught::of(dropped, [explorer.explore(program)]));
            }
        }
    }
    outcomes
}

fn methods(calls: Calls) -> [(&'static str, u64); 3] {
    [
        ("flush", calls.flushes),
        ("fence", calls.fences),
        ("sync_names", calls.name_syncs),
    ]
}

/// Arms each mutant (by its failpoint) for this thread and explores until it is caught:
/// `explore` yields the reports of one program after the other, and is asked for no
/// more than it takes.
pub fn mutant_score<I: IntoIterator<Item = Report>>(
    mutants: &[&'static str],
    mut explore: impl FnMut() -> I,
) -> Vec<Caught<&'static str>> {
    let score_of = |&mutant: &&'static str| {
        let _armed = failpoint::Scope::armed(mutant).enter();
        Caught::of(mutant, explore())
    };
    mutants.iter().map(score_of).collect()
}
