//! One of a superblock's two slots is damaged after a power cut: while the other holds,
//! nothing is lost.

use evergraph_storage::medium::DramStorage;
use evergraph_storage::{Medium, MediumError, MediumHandle, Pool, PoolKind, Storage};

use crate::explorer::{Program, Progress};
use crate::scenario::{Known, Scenario, live, recover};
use crate::{Config, SimulatedStorage};

/// Slots of a superblock.
pub const SLOTS: u64 = 2;

/// A scenario whose recoveries find one slot damaged, wherever both held.
pub struct Damaged<'s, S> {
    scenario: &'s S,
    name: String,
    slot: u64,
}

impl<'s, S: Scenario> Damaged<'s, S> {
    /// `scenario`, with damage to this slot.
    pub fn new(scenario: &'s S, slot: u64) -> Self {
        Self {
            scenario,
            name: format!("{}+slot@{slot}", scenario.name()),
            slot,
        }
    }
}

impl<S: Scenario> Program for Damaged<'_, S> {
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
        live(self.scenario, storage, log).map(drop)
    }

    /// Recovers from the other slot. With one valid slot only, damaging it would lose
    /// everything, so that case is not explored.
    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Self::Model>,
    ) -> Result<(), String> {
        let kind = self.scenario.superblock();
        match damage(storage, kind, self.slot).map_err(|error| error.to_string())? {
            true => recover(self.scenario, storage, log),
            false => Ok(()),
        }
    }
}

/// Inverts a bit of a slot if both hold.
fn damage(storage: &SimulatedStorage, kind: PoolKind, slot: u64) -> Result<bool, MediumError> {
    let name = kind.file_name();
    if !storage.exists(name)? {
        return Ok(false);
    }
    let file = storage.open(name, false)?;
    for slot in 0..SLOTS {
        if !holds_alone(&file, kind, slot)? {
            return Ok(false);
        }
    }
    let at = slot * (file.len() / SLOTS) + 33;
    let mut byte = [0];
    file.read(at, &mut byte)?;
    file.write(at, &[byte[0] ^ 4])?;
    file.flush(at, 1)?;
    file.fence()?;
    drop(file);
    storage.begin_process();
    Ok(true)
}

/// Whether a superblock of this slot alone can be read.
fn holds_alone(file: &MediumHandle, kind: PoolKind, slot: u64) -> Result<bool, MediumError> {
    let alone = DramStorage::new();
    let copy = alone.open(kind.file_name(), true)?;
    let mut bytes = vec![0; (file.len() / SLOTS) as usize];
    if bytes.is_empty() {
        return Ok(false);
    }
    copy.grow(file.len())?;
    file.read(slot * bytes.len() as u64, &mut bytes)?;
    copy.write(slot * bytes.len() as u64, &bytes)?;
    Ok(Pool::open_kind(&alone, kind).is_ok())
}
