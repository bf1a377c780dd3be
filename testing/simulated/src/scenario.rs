//! Scenarios of campaigns: a workload, a model, and a way to open and compare.

use std::hash::{DefaultHasher, Hash, Hasher};

use evergraph_storage::PoolKind;

use crate::explorer::{Program, Progress};
use crate::faults::{FailingCall, FaultPlan};
use crate::{Config, SimulatedStorage};

/// Purpose of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To look at it: nothing is written.
    Reading,
    /// To go on.
    Writing,
}

/// A workload on something durable, held against a model of it. Deterministic.
///
/// Everything else is written once, over this trait: power cuts, kills, failing calls,
/// recoveries that are cut off in turn, mutants, replay lines and budgets
/// ([`crate::Suite`]).
pub trait Scenario: Sync {
    /// Expected state, by default that of what was just created. It may leave open
    /// operations that were begun and not acknowledged.
    type Model: Clone + Default + Hash;

    /// System under test.
    type Opened;

    /// A name for messages, without `;`.
    fn name(&self) -> &str;

    /// The seed that the workload follows from.
    fn seed(&self) -> u64 {
        0
    }

    /// The storage it runs on.
    fn config(&self) -> Config;

    /// Makes what the workload runs on.
    fn create(&self, storage: &SimulatedStorage) -> Result<Self::Opened, String>;

    /// Opens it; `None` if there is nothing yet. What a workload keeps outside of the
    /// storage follows from the model.
    fn open(
        &self,
        storage: &SimulatedStorage,
        access: Access,
        expected: &Self::Model,
    ) -> Result<Option<Self::Opened>, String>;

    /// Kind of superblock that it keeps, if it keeps one.
    fn superblock(&self) -> PoolKind {
        PoolKind::GRAPH
    }

    /// Whether it can be opened for reading.
    fn is_readable(&self) -> bool {
        true
    }

    /// Whether a creation that was cut off can be made again.
    fn is_created_again(&self) -> bool {
        true
    }

    /// Performs the next step, or the next few that go together. Tells the model
    /// before the first store of each, and after its acknowledgement.
    fn perform(
        &self,
        storage: &SimulatedStorage,
        opened: Self::Opened,
        told: &mut Told<'_, '_, Self::Model>,
    ) -> Result<Self::Opened, String>;

    /// Whether the workload has come to its end.
    fn is_over(&self, model: &Self::Model) -> bool;

    /// Verifies what was opened and holds it against the model. Gives the model of
    /// what it shows, of what was open the part that is there.
    fn compare(&self, opened: &Self::Opened, expected: &Self::Model)
    -> Result<Self::Model, String>;

    /// How many times a recovery goes on with [`Scenario::perform`].
    fn afterlife(&self, _found: &Self::Model) -> usize {
        2
    }

    /// Checks further invariants after a recovery and some steps.
    fn verify_at_end(&self, _opened: &Self::Opened) -> Result<(), String> {
        Ok(())
    }

    /// Bytes of space in use: what a fresh opening finds reachable must be the same.
    fn used_bytes(&self, _opened: &Self::Opened) -> Option<u64> {
        None
    }
}

/// How far a workload of numbered steps is: the model of scenarios that can tell what
/// must be there from the number alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Steps {
    /// Steps acknowledged.
    pub done: usize,
    /// Steps begun.
    pub begun: usize,
}

impl Steps {
    /// The latest number of steps that may be there and that `fits` what was found:
    /// steps without effect leave no trace.
    pub fn latest(self, fits: impl Fn(usize) -> bool) -> Option<Self> {
        let steps = (self.done..=self.begun).rev().find(|&steps| fits(steps))?;
        Some(Self {
            done: steps,
            begun: steps,
        })
    }
}

/// State of the harness beside the scenario's model.
#[derive(Clone, Default, Hash)]
pub struct Known<M> {
    is_created: bool,
    /// Lives before this one, each ended by a cut or a kill.
    lives: u32,
    model: M,
}

/// The model, as a workload tells it what happens.
pub struct Told<'t, 'p, M>(&'t mut Progress<'p, Known<M>>);

impl<M: Clone> Told<'_, '_, M> {
    /// The model now.
    pub fn model(&self) -> &M {
        &self.0.model().model
    }

    /// Changes the model. Power cuts from here on are held against the new one.
    pub fn update(&mut self, change: impl FnOnce(&mut M)) {
        self.0.update(|known| change(&mut known.model));
    }

    /// Whether this is the first life, in which nothing was cut off yet.
    pub fn is_first_life(&self) -> bool {
        self.0.model().lives == 0
    }
}

impl Told<'_, '_, Steps> {
    /// Performs `count` steps that are acknowledged together.
    pub fn steps<T>(
        &mut self,
        count: usize,
        perform: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        self.update(|steps| steps.begun += count);
        let performed = perform()?;
        self.update(|steps| steps.done = steps.begun);
        Ok(performed)
    }
}

fn fingerprint(model: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    model.hash(&mut hasher);
    hasher.finish()
}

/// Creates it and performs the workload to its end.
pub(super) fn live<S: Scenario>(
    scenario: &S,
    storage: &SimulatedStorage,
    log: &mut Progress<'_, Known<S::Model>>,
) -> Result<S::Opened, String> {
    let mut opened = scenario
        .create(storage)
        .map_err(|error| format!("create: {error}"))?;
    log.update(|known| known.is_created = true);
    while !scenario.is_over(&log.model().model) {
        opened = scenario.perform(storage, opened, &mut Told(log))?;
    }
    Ok(opened)
}

/// Recovers and compares: all that is expected is there and nothing else, later
/// operations succeed, and the result is whole.
pub(super) fn recover<S: Scenario>(
    scenario: &S,
    storage: &SimulatedStorage,
    log: &mut Progress<'_, Known<S::Model>>,
) -> Result<(), String> {
    let known = log.model().clone();
    let read = match scenario.is_readable() {
        true => read_only(scenario, storage, &known)?,
        false => None,
    };
    let opened = scenario
        .open(storage, Access::Writing, &known.model)
        .map_err(|error| format!("open: {error}"))?;
    let Some(mut opened) = opened else {
        return match known.is_created {
            true => Err("there is nothing any more".to_string()),
            false => create_again(scenario, storage, log),
        };
    };
    let found = scenario.compare(&opened, &known.model)?;
    if read.is_some_and(|read| fingerprint(&read) != fingerprint(&found)) {
        return Err("opening for reading showed something else".to_string());
    }
    let afterlife = scenario.afterlife(&found);
    log.update(|known| {
        known.is_created = true;
        known.lives += 1;
        known.model = found;
    });
    for _ in 0..afterlife {
        opened = scenario
            .perform(storage, opened, &mut Told(log))
            .map_err(|error| format!("after recovery: {error}"))?;
    }
    is_whole(scenario, storage, opened, log)
}

/// Opening for reading writes nothing. `None` if there is nothing to be read.
fn read_only<S: Scenario>(
    scenario: &S,
    storage: &SimulatedStorage,
    known: &Known<S::Model>,
) -> Result<Option<S::Model>, String> {
    let before = storage.calls().writes;
    let opened = scenario
        .open(storage, Access::Reading, &known.model)
        .map_err(|error| format!("open for reading: {error}"))?;
    let read = match &opened {
        Some(opened) => Some(scenario.compare(opened, &known.model)?),
        None => None,
    };
    drop(opened);
    match storage.calls().writes == before {
        true => Ok(read),
        false => Err("opening for reading wrote".to_string()),
    }
}

/// A creation that was cut off can be made again.
fn create_again<S: Scenario>(
    scenario: &S,
    storage: &SimulatedStorage,
    log: &mut Progress<'_, Known<S::Model>>,
) -> Result<(), String> {
    if !scenario.is_created_again() {
        return Ok(());
    }
    let opened = scenario
        .create(storage)
        .map_err(|error| format!("creating again: {error}"))?;
    log.update(|known| known.is_created = true);
    scenario.compare(&opened, &log.model().model).map(drop)
}

/// After some steps: as the model says, nothing leaked, and the same once more.
fn is_whole<S: Scenario>(
    scenario: &S,
    storage: &SimulatedStorage,
    opened: S::Opened,
    log: &mut Progress<'_, Known<S::Model>>,
) -> Result<(), String> {
    let after = |error: String| format!("after recovery and more: {error}");
    let model = &log.model().model;
    scenario.compare(&opened, model).map_err(after)?;
    scenario.verify_at_end(&opened).map_err(after)?;
    let used = scenario.used_bytes(&opened);
    drop(opened);
    let access = match scenario.is_readable() {
        true => Access::Reading,
        false => return Ok(()),
    };
    let again = |error: String| format!("opened again: {error}");
    let opened = scenario.open(storage, access, model).map_err(again)?;
    let opened = opened.ok_or_else(|| again("there is nothing any more".to_string()))?;
    let reachable = scenario.used_bytes(&opened);
    if reachable != used {
        return Err(format!(
            "{used:?} bytes were in use and {reachable:?} are reachable"
        ));
    }
    scenario.compare(&opened, model).map(drop).map_err(again)
}

impl<S: Scenario> Program for S {
    type Model = Known<S::Model>;

    fn name(&self) -> &str {
        Scenario::name(self)
    }

    fn seed(&self) -> u64 {
        Scenario::seed(self)
    }

    fn config(&self) -> Config {
        Scenario::config(self)
    }

    fn run(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Self::Model>,
    ) -> Result<(), String> {
        live(self, storage, log).map(drop)
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Self::Model>,
    ) -> Result<(), String> {
        recover(self, storage, log)
    }
}

/// How the first life of a scenario ends, if not by a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The process is killed before this call to its medium, counted over all kinds.
    Kill(u64),
    /// A call fails, and the process ends.
    Failure(FailingCall),
}

/// A scenario whose first life ends early, in the same boot: the next process sees all
/// that was stored, durable or not. Power cuts follow in the second life.
pub struct Ended<'s, S> {
    scenario: &'s S,
    name: String,
    end: End,
}

impl<'s, S: Scenario> Ended<'s, S> {
    /// `scenario`, whose first life ends like this.
    pub fn new(scenario: &'s S, end: End) -> Self {
        Self {
            scenario,
            name: format!("{}+{}", scenario.name(), end.name()),
            end,
        }
    }
}

impl End {
    /// As in the name of a scenario: `kill@17`, `fence@3`, `write@5!` for ever.
    pub fn name(self) -> String {
        match self {
            End::Kill(call) => format!("kill@{call}"),
            End::Failure(call) => call.to_string(),
        }
    }

    /// Reads [`End::name`].
    pub fn parse(name: &str) -> Result<Self, String> {
        match name.strip_prefix("kill@") {
            Some(call) => Ok(End::Kill(
                call.parse().map_err(|_| format!("end {name:?}"))?,
            )),
            None => FailingCall::parse(name).map(End::Failure),
        }
    }

    fn plan(self) -> FaultPlan {
        match self {
            End::Kill(call) => FaultPlan {
                kill: Some(call),
                ..FaultPlan::default()
            },
            End::Failure(call) => call.plan(),
        }
    }
}

impl<S: Scenario> Program for Ended<'_, S> {
    type Model = Known<S::Model>;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.scenario.seed()
    }

    fn config(&self) -> Config {
        self.scenario.config()
    }

    fn run(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Self::Model>,
    ) -> Result<(), String> {
        storage.plan(self.end.plan());
        // An error is what is expected of it; a panic is not.
        let outcome = live(self.scenario, storage, log).map(drop);
        let calls = storage.calls();
        storage.begin_process();
        log.forget_cuts();
        recover(self.scenario, storage, log).map_err(|error| match outcome {
            Ok(()) => format!("{error} (after {calls:?} without an error)"),
            Err(before) => format!("{error} (after: {before})"),
        })
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Self::Model>,
    ) -> Result<(), String> {
        recover(self.scenario, storage, log)
    }
}
