//! Workloads of numbered steps, and what every recovery of one is asked.

use std::ops::{Range, RangeInclusive};

use crate::explorer::{Progress, Scenario};
use crate::{Config, SimulatedStorage};

/// How far a workload is: which steps must be there, which may.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Acknowledged {
    /// What it runs on exists.
    pub created: bool,
    /// Steps acknowledged.
    pub done: usize,
    /// Steps begun.
    pub begun: usize,
}

/// A workload of numbered steps on something that is opened anew after a power
/// cut. Every one is a [`Scenario`] with these oracles: opening for reading shows
/// the acknowledged steps, perhaps with those in flight, and writes nothing;
/// opening for writing shows the same; further steps go as ever; and space that
/// nothing reaches is free.
pub trait Stepwise {
    /// What it runs on.
    type Opened;

    /// A name for messages, without `;`.
    fn name(&self) -> &str;

    /// The seed that the steps follow from.
    fn seed(&self) -> u64;

    /// The storage it runs on.
    fn config(&self) -> Config;

    /// Steps that the workload performs.
    fn planned(&self) -> usize;

    /// All steps: recoveries perform some of those behind.
    fn step_count(&self) -> usize;

    /// Makes what it runs on.
    fn create(&self, storage: &SimulatedStorage) -> Result<Self::Opened, String>;

    /// Opens it; `None` if there is nothing yet.
    fn open(
        &self,
        storage: &SimulatedStorage,
        read_only: bool,
    ) -> Result<Option<Self::Opened>, String>;

    /// How many of the `steps` are performed at once, from the first on.
    fn together(&self, steps: Range<usize>) -> usize {
        steps.len().min(1)
    }

    /// Performs steps that go together.
    fn perform(
        &self,
        storage: &SimulatedStorage,
        opened: Self::Opened,
        steps: Range<usize>,
    ) -> Result<Self::Opened, String>;

    /// Verifies it, and gives the latest of the `expected` numbers of steps that it
    /// shows.
    fn check(
        &self,
        opened: &Self::Opened,
        expected: RangeInclusive<usize>,
    ) -> Result<usize, String>;

    /// What else must hold when a recovery and some steps are behind.
    fn settle(&self, _opened: &Self::Opened) -> Result<(), String> {
        Ok(())
    }

    /// Bytes of space in use.
    fn used_bytes(&self, opened: &Self::Opened) -> u64;
}

fn perform_range<S: Stepwise>(
    scenario: &S,
    storage: &SimulatedStorage,
    mut opened: S::Opened,
    mut steps: Range<usize>,
    log: &mut Progress<'_, Acknowledged>,
) -> Result<S::Opened, String> {
    while !steps.is_empty() {
        let count = scenario.together(steps.clone());
        log.update(|model| model.begun += count);
        opened = scenario.perform(storage, opened, steps.start..steps.start + count)?;
        log.update(|model| model.done = model.begun);
        steps.start += count;
    }
    Ok(opened)
}

/// Opens what must be there.
fn reopen<S: Stepwise>(
    scenario: &S,
    storage: &SimulatedStorage,
    read_only: bool,
) -> Result<S::Opened, String> {
    let opened = scenario.open(storage, read_only)?;
    opened.ok_or_else(|| "there is nothing any more".to_string())
}

impl<S: Stepwise> Scenario for S {
    type Model = Acknowledged;

    fn name(&self) -> &str {
        Stepwise::name(self)
    }

    fn seed(&self) -> u64 {
        Stepwise::seed(self)
    }

    fn config(&self) -> Config {
        Stepwise::config(self)
    }

    fn initial(&self) -> Acknowledged {
        Acknowledged::default()
    }

    fn run(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), String> {
        let opened = self.create(storage)?;
        log.update(|model| model.created = true);
        perform_range(self, storage, opened, 0..self.planned(), log).map(drop)
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), String> {
        let at = log.model().clone();
        let expected = at.done..=at.begun;
        let calls = storage.calls();
        let for_reading = self
            .open(storage, true)
            .map_err(|error| format!("for reading: {error}"))?;
        let for_reading = match for_reading {
            Some(opened) => opened,
            // That a creation can be made again is explored with the store itself.
            None if !at.created => return Ok(()),
            None => return Err("there is nothing any more".to_string()),
        };
        let read = self.check(&for_reading, expected.clone())?;
        drop(for_reading);
        if storage.calls().writes != calls.writes {
            return Err("opening for reading wrote".to_string());
        }
        let opened = reopen(self, storage, false)?;
        let found = self.check(&opened, expected)?;
        if found != read {
            return Err("opening for reading showed something else".to_string());
        }
        log.update(|model| {
            *model = Acknowledged {
                created: true,
                done: found,
                begun: found,
            }
        });
        let end = (found + 2).min(self.step_count());
        let opened = perform_range(self, storage, opened, found..end, log)
            .map_err(|error| format!("after recovery: {error}"))?;
        let settled = self.check(&opened, end..=end).map(drop);
        settled
            .and_then(|()| self.settle(&opened))
            .map_err(|error| format!("after recovery and more: {error}"))?;
        let used = self.used_bytes(&opened);
        drop(opened);
        let again =
            reopen(self, storage, true).map_err(|error| format!("opened again: {error}"))?;
        let reachable = self.used_bytes(&again);
        if reachable != used {
            return Err(format!(
                "{used} bytes were in use and {reachable} are reachable"
            ));
        }
        self.check(&again, end..=end)
            .map(drop)
            .map_err(|error| format!("opened again: {error}"))
    }
}
