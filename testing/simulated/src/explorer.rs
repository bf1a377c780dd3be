//! Programs to be cut off, and how much of them is explored.

use std::hash::Hash;

use crate::budget::Budget;
use crate::faults::FaultPlan;
use crate::{Config, SimulatedStorage};

/// A program to be cut off, and its oracles. Deterministic.
pub trait Program {
    /// Expected state, by default that before the workload, which updates it as it starts
    /// operations and as they are acknowledged.
    type Model: Clone + Default + Hash;

    /// A name for messages, without `;`.
    fn name(&self) -> &str;

    /// The seed that the workload follows from.
    fn seed(&self) -> u64 {
        0
    }

    /// The storage it runs on.
    fn config(&self) -> Config;

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

/// Explores programs, within a budget; see [`Explorer::explore`].
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
}
