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

use crate::SimulatedStorage;
use crate::budget::Tried;
use crate::choices::{Random, Rest};
use crate::explorer::{Explorer, Program, Progress, Steps, model_at};
use crate::ledger::mix;
use crate::replay;
use crate::report::{Leg, PointReport, Report, Violation};

impl Explorer {
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
        let start = P::Model::default();
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
