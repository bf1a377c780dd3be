//! The crash explorer: every power cut, and every one during the recovery.
//!
//! Crash points lie before each fence and at the end. That is complete: between
//! two fences of a file volatile stores only accumulate, so what an earlier
//! instant could leave is a part of what the instant before the fence can.
//!
//! At each point the lazy choices are enumerated depth first, by running the
//! recovery again with the last choice advanced; above a bound they are sampled,
//! biased to the extremes. Some of these recoveries are recorded and cut off in
//! turn (second order), and some of those again (third).

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::budget::{Budget, Tried};
use crate::choices::{Random, Rest};
use crate::faults::FaultPlan;
use crate::ledger::mix;
use crate::replay;
use crate::report::{Leg, PointReport, Report, Violation};
use crate::{Config, SimulatedStorage};

/// A program to be cut off, and its oracles. Deterministic.
pub trait Program {
    /// Expected state: the workload updates it as it starts operations and as they are
    /// acknowledged.
    type Model: Clone + Hash;

    /// A name for messages, without `;`.
    fn name(&self) -> &str;

    /// The seed that the workload follows from.
    fn seed(&self) -> u64 {
        0
    }

    /// The storage it runs on.
    fn config(&self) -> Config;

    /// The model before the workload.
    fn initial(&self) -> Self::Model;

    /// The workload, on an empty storage. Call [`Progress::update`] before an
    /// operation's first store and after its acknowledgement.
    fn run(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Self::Model>,
    ) -> Result<(), String>;

    /// Opens the image that a power cut left, and checks it against [`Progress::model`].
    ///
    /// [`Progress::update`] may then fix the state that was found (a later power cut must
    /// not take it back), and more operations may follow.
    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Self::Model>,
    ) -> Result<(), String>;
}

/// Models, each from a position in the recorded calls on.
pub(super) type Steps<M> = Vec<(usize, M)>;

/// The models, each from a recorded call on.
pub struct Progress<'a, M> {
    storage: &'a SimulatedStorage,
    start: &'a M,
    steps: Steps<M>,
    recording: bool,
}

impl<'a, M: Clone> Progress<'a, M> {
    pub(super) fn new(storage: &'a SimulatedStorage, start: &'a M, recording: bool) -> Self {
        Self {
            storage,
            start,
            steps: Vec::new(),
            recording,
        }
    }

    /// The model now; at the start of a recovery, when the power failed.
    pub fn model(&self) -> &M {
        self.steps.last().map_or(self.start, |step| &step.1)
    }

    /// Changes the model. Power cuts from here on are held against the new one.
    pub fn update(&mut self, change: impl FnOnce(&mut M)) {
        let position = self.storage.shared.lock().journal.events.len();
        match self.steps.last_mut() {
            Some(last) if !self.recording || last.0 == position => {
                last.0 = position;
                change(&mut last.1);
            }
            _ => {
                let mut model = self.model().clone();
                change(&mut model);
                self.steps.push((position, model));
            }
        }
    }

    /// Power cuts so far are not explored: others do it.
    pub(super) fn forget_cuts(&mut self) {
        self.storage.shared.lock().journal.points.clear();
    }

    pub(super) fn into_steps(self) -> Steps<M> {
        self.steps
    }
}

/// The model that held when the call of number `position` was about to be made.
pub(super) fn model_at<'m, M>(start: &'m M, steps: &'m [(usize, M)], position: usize) -> &'m M {
    let after = steps.partition_point(|step| step.0 <= position);
    after.checked_sub(1).map_or(start, |last| &steps[last].1)
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Explorer {
    /// How much.
    pub budget: Budget,
    /// Faults injected into the workload, besides those it plans itself.
    pub workload_faults: FaultPlan,
    /// Faults injected into each recovery.
    pub recovery_faults: FaultPlan,
    /// Violations after which it stops.
    pub most_violations: usize,
}

impl Default for Explorer {
    fn default() -> Self {
        Self::new(Budget::default())
    }
}

impl Explorer {
    /// Without faults; stops at the first violation.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            workload_faults: FaultPlan::default(),
            recovery_faults: FaultPlan::default(),
            most_violations: 1,
        }
    }

    /// Explores one program. If [`super::REPLAY_VARIABLE`] is set and is about
    /// this program and seed, only that one execution is repeated and told.
    pub fn explore<P: Program>(&self, program: &P) -> Report {
        let started = std::time::Instant::now();
        let mut report = match replay::from_environment(self, program) {
            Some(report) => report,
            None => Search::new(self, program).run(),
        };
        report.seconds = started.elapsed().as_secs_f64();
        report
    }
}

/// One exploration.
struct Search<'s, P: Program> {
    explorer: &'s Explorer,
    program: &'s P,
    /// The storages after the first, second and third power cut.
    after: [SimulatedStorage; 3],
    /// States that were explored, and at which order.
    seen: HashMap<u64, u8>,
    path: Vec<Leg>,
    report: Report,
}

impl<'s, P: Program> Search<'s, P> {
    fn new(explorer: &'s Explorer, program: &'s P) -> Self {
        let config = program.config();
        Self {
            explorer,
            program,
            after: std::array::from_fn(|_| SimulatedStorage::new(config)),
            seen: HashMap::new(),
            path: Vec::new(),
            report: Report::new(program.name(), program.seed()),
        }
    }

    fn run(mut self) -> Report {
        let storage = SimulatedStorage::new(self.program.config());
        storage.plan(self.explorer.workload_faults.clone());
        let start = self.program.initial();
        let mut log = Progress::new(&storage, &start, true);
        let result = replay::guarded(|| self.program.run(&storage, &mut log));
        let steps = log.into_steps();
        self.report.workload_calls = storage.calls();
        match result {
            Ok(()) => self.explore_run(0, &storage, &start, &steps),
            Err(message) => {
                let violation = Violation::of_workload(self.program, message);
                self.report.violations.push(violation);
            }
        }
        self.report
    }

    fn is_done(&mut self) -> bool {
        if self.report.violations.len() >= self.explorer.most_violations {
            return true;
        }
        let spent: u64 = self.report.executions.iter().sum();
        self.report.budget_spent |= spent >= self.explorer.budget.executions;
        self.report.budget_spent
    }

    /// Cuts a recorded run at each of its crash points.
    fn explore_run(
        &mut self,
        order: usize,
        ran: &SimulatedStorage,
        start: &P::Model,
        steps: &[(usize, P::Model)],
    ) {
        let after = self.after[order].clone();
        after.shared.lock().begin_after(&ran.shared.lock());
        let point_count = ran.shared.lock().journal.point_count();
        let mut from = 0;
        for point in 0..point_count {
            if self.is_done() {
                return;
            }
            let model;
            {
                let (mut state, ran) = (after.shared.lock(), ran.shared.lock());
                let to = ran.journal.point(point);
                state.advance(&ran, from, to);
                from = to;
                model = model_at(start, steps, to);
                let mut hasher = DefaultHasher::new();
                model.hash(&mut hasher);
                let bytes = &ran.journal.bytes;
                let key = mix(state.base.fingerprint(bytes), hasher.finish());
                let earlier = self.seen.entry(key).or_insert(u8::MAX);
                if usize::from(*earlier) <= order {
                    self.report.repeated_points[order] += 1;
                    continue;
                }
                *earlier = order as u8;
                state.prepare(bytes);
            }
            self.report.crash_points[order] += 1;
            self.explore_point(order, point, &after, model);
        }
    }

    fn explore_point(
        &mut self,
        order: usize,
        point: usize,
        after: &SimulatedStorage,
        model: &P::Model,
    ) {
        let mut tried = Tried::default();
        let before = self.report.executions[order];
        let exhaustive = self.enumerate(order, point, after, model, &mut tried);
        if !exhaustive && !self.is_done() {
            self.sample(order, point, after, model, &mut tried);
        }
        let exhaustive = exhaustive && !after.shared.lock().thinned;
        let kind = if exhaustive {
            &mut self.report.exhaustive_points
        } else {
            &mut self.report.sampled_points
        };
        kind[order] += 1;
        if order == 0 {
            self.report.points.push(PointReport {
                point,
                executions: self.report.executions[0] - before,
                exhaustive,
            });
        }
        // Evenly over what was tried, the first and the last among them.
        let wanted = self.explorer.budget.sources.get(order).copied();
        let wanted = wanted.unwrap_or(0).min(tried.len());
        for i in 0..wanted {
            if self.is_done() {
                return;
            }
            let number = i * (tried.len() - 1) / (wanted - 1).max(1);
            let script = tried.get(number).to_vec();
            let (result, steps) = self.execute(order, after, model, &script, Rest::Oldest, true);
            if let Err(message) = result {
                // Clean before and not now: the program is not deterministic.
                if !tried.failed.contains(&number) {
                    self.violation(point, &script, message);
                }
                continue;
            }
            self.path.push(Leg {
                point,
                choices: script,
            });
            self.explore_run(order + 1, after, model, &steps);
            self.path.pop();
        }
    }

    /// Depth first through all choices; `false` if they are too many.
    fn enumerate(
        &mut self,
        order: usize,
        point: usize,
        after: &SimulatedStorage,
        model: &P::Model,
        tried: &mut Tried,
    ) -> bool {
        let most = self.explorer.budget.exhaustive[order];
        let mut script: Vec<u32> = Vec::new();
        for number in 0..most {
            let (result, _) = self.execute(order, after, model, &script, Rest::Oldest, false);
            let mut product = 1u64;
            {
                let state = after.shared.lock();
                let taken = &state.chooser.taken;
                tried.add(taken.iter().map(|t| t.option));
                script.clear();
                script.extend(taken.iter().map(|t| t.option));
                for t in taken {
                    product = product.saturating_mul(u64::from(t.options));
                }
                while let Some(last) = script.pop() {
                    if last + 1 < taken[script.len()].options {
                        script.push(last + 1);
                        break;
                    }
                }
            }
            if let Err(message) = result {
                let number = tried.len() - 1;
                tried.failed.push(number);
                self.violation(point, tried.get(number), message);
            }
            if script.is_empty() || self.is_done() {
                return script.is_empty();
            }
            // Hopeless: rather sample at once than exhaust one corner.
            if number == 0 && product > most.saturating_mul(64) {
                return false;
            }
        }
        false
    }

    /// Some choices, the extreme ones above all.
    fn sample(
        &mut self,
        order: usize,
        point: usize,
        after: &SimulatedStorage,
        model: &P::Model,
        tried: &mut Tried,
    ) {
        let seed = mix(mix(self.program.seed(), order as u64), point as u64);
        let mut random = Random::new(seed);
        for number in 0..self.explorer.budget.sampled[order] {
            if self.is_done() {
                return;
            }
            let width = tried.widest.max(1);
            let turn = (number / 8) as usize % width;
            let percent = |percent, random: &mut Random| Rest::Random {
                random: Random::new(random.next_u64()),
                percent,
            };
            let rest = match number % 8 {
                0 if number == 0 => Rest::Newest,
                0 => percent(50, &mut random),
                1 => Rest::AllBut(turn),
                2 => Rest::Only(turn),
                3 => Rest::Before(turn),
                4 => percent(90, &mut random),
                5 => percent(10, &mut random),
                6 => Rest::Before(random.below(width as u64) as usize),
                _ => percent(0, &mut random),
            };
            let (result, _) = self.execute(order, after, model, &[], rest, false);
            let taken: Vec<u32> = {
                let state = after.shared.lock();
                state.chooser.taken.iter().map(|t| t.option).collect()
            };
            if let Err(message) = result {
                tried.failed.push(tried.len());
                self.violation(point, &taken, message);
            }
            tried.add(taken.into_iter());
        }
    }

    /// One recovery of what the power cut left by these choices.
    fn execute(
        &mut self,
        order: usize,
        after: &SimulatedStorage,
        model: &P::Model,
        script: &[u32],
        rest: Rest,
        record: bool,
    ) -> (Result<(), String>, Steps<P::Model>) {
        let mut steps = Vec::new();
        let result = replay::recover_once(
            self.explorer,
            self.program,
            after,
            model,
            script,
            rest,
            record.then_some(&mut steps),
        );
        self.report.executions[order] += 1;
        self.report.recovery_calls = self.report.recovery_calls.max(after.calls());
        (result, steps)
    }

    fn violation(&mut self, point: usize, choices: &[u32], message: String) {
        let spent = self.report.executions.iter().sum();
        let mut path = self.path.clone();
        path.push(Leg {
            point,
            choices: choices.to_vec(),
        });
        let violation = replay::shrink(self.explorer, self.program, path, message, spent);
        self.report.violations.push(violation);
    }
}
