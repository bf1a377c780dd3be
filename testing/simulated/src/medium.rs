//! One simulated file: as a [`Medium`] of lines, and as the system calls below an
//! ordinary file.

use std::io;

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::memory::Block;
use crate::state::State;
use evergraph_storage::medium::FileCalls;
use evergraph_storage::{DurabilityLevel, Medium, MediumError, Properties};

/// One file of a [`super::SimulatedStorage`].
///
/// It belongs to one run: after the power cut that ends the run, or when the
/// explorer starts the next one, every call fails.
pub struct SimulatedFile {
    shared: Arc<Mutex<State>>,
    generation: u64,
    file: u32,
    name: Box<str>,
    block: Arc<Block>,
}

impl SimulatedFile {
    pub(super) fn new(
        shared: Arc<Mutex<State>>,
        generation: u64,
        file: u32,
        name: &str,
        block: Arc<Block>,
    ) -> Self {
        Self {
            shared,
            generation,
            file,
            name: name.into(),
            block,
        }
    }

    fn state(&self) -> Result<MutexGuard<'_, State>, MediumError> {
        let state = self.shared.lock();
        if state.generation != self.generation {
            return Err(MediumError::Unsupported(format!(
                "{}: a medium of an earlier run was used after its power cut",
                self.name
            )));
        }
        Ok(state)
    }
}

/// The system's answer, of which the medium above makes its own error.
fn answer(error: MediumError) -> io::Error {
    match error {
        MediumError::NoSpace { .. } => io::ErrorKind::StorageFull.into(),
        MediumError::Io { source, .. } => source,
        other => io::Error::other(other),
    }
}

impl FileCalls for SimulatedFile {
    fn base(&self) -> *const u8 {
        self.block.base()
    }

    fn most_bytes(&self) -> u64 {
        u64::MAX
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.block.len())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.state().map_err(answer)?;
        state
            .write(self.file, offset, bytes, false)
            .map_err(answer)?;
        Ok(bytes.len())
    }

    fn sync(&self) -> io::Result<()> {
        self.state()
            .and_then(|mut state| state.fence(self.file))
            .map_err(answer)
    }

    fn extend(&self, _from: u64, to: u64) -> io::Result<()> {
        self.state()
            .and_then(|mut state| state.grow(self.file, to))
            .map_err(answer)
    }

    fn punch(&self, offset: u64, end: u64) -> io::Result<()> {
        self.state()
            .and_then(|mut state| state.discard(self.file, offset, end - offset))
            .map_err(answer)
    }

    /// So that a reservation can fail.
    fn has_holes(&self) -> bool {
        true
    }

    fn fill(&self, offset: u64, end: u64, _len: u64) -> io::Result<()> {
        self.state()
            .and_then(|mut state| state.reserve(self.file, offset, end - offset))
            .map_err(answer)
    }

    fn touch(&self, offset: u64, len: u64) -> io::Result<()> {
        self.state()
            .and_then(|mut state| state.touch(self.file, offset, len))
            .map_err(answer)
    }
}

/// One simulated file of byte-addressed memory.
pub struct SimulatedLines(pub(super) SimulatedFile);

impl SimulatedLines {
    fn state(&self) -> Result<MutexGuard<'_, State>, MediumError> {
        self.0.state()
    }

    fn store_word(&self, offset: u64, bytes: &[u8]) {
        assert!(
            offset.is_multiple_of(bytes.len() as u64),
            "{}: a store of {} bytes at {offset} is not aligned",
            self.0.name,
            bytes.len()
        );
        match self
            .state()
            .and_then(|mut s| s.store_word(self.0.file, offset, bytes))
        {
            // A poisoned medium and a killed process take nothing more, which the fence says.
            Ok(()) | Err(MediumError::Poisoned { .. } | MediumError::Unsupported(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

impl Medium for SimulatedLines {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn properties(&self) -> Properties {
        Properties {
            byte_addressed: true,
            durability: DurabilityLevel::Power,
            line_bytes: 64,
        }
    }

    fn len(&self) -> u64 {
        self.0.block.len()
    }

    fn grow(&self, len: u64) -> Result<(), MediumError> {
        self.state()?.grow(self.0.file, len)
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.discard(self.0.file, offset, len)
    }

    /// Always succeeds unless planned otherwise; counted and failed as a growth.
    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.reserve(self.0.file, offset, len)
    }

    fn base(&self) -> *const u8 {
        self.0.block.base()
    }

    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.touch(self.0.file, offset, len)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.state()?.write(self.0.file, offset, bytes, false)
    }

    /// Non-temporal stores.
    fn write_through(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.state()?.write_through(self.0.file, offset, bytes)
    }

    fn store_u32(&self, offset: u64, value: u32) {
        self.store_word(offset, &value.to_le_bytes());
    }

    fn store_u64(&self, offset: u64, value: u64) {
        self.store_word(offset, &value.to_le_bytes());
    }

    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.flush(self.0.file, offset, len)
    }

    fn fence(&self) -> Result<(), MediumError> {
        self.state()?.fence(self.0.file)
    }
}
