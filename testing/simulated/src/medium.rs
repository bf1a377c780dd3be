//! One simulated file as a [`Medium`].

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::Persistence;
use crate::memory::Block;
use crate::state::State;
use evergraph_persistence::{AckLevel, Medium, MediumError, Properties};

/// One file of a [`super::SimulatedStorage`].
///
/// It belongs to one run: after the power cut that ends the run, or when the
/// explorer starts the next one, every call fails.
pub struct SimulatedMedium {
    shared: Arc<Mutex<State>>,
    generation: u64,
    file: u32,
    name: Box<str>,
    persistence: Persistence,
    block: Arc<Block>,
}

impl SimulatedMedium {
    pub(super) fn new(
        shared: Arc<Mutex<State>>,
        generation: u64,
        file: u32,
        name: &str,
        persistence: Persistence,
        block: Arc<Block>,
    ) -> Self {
        Self {
            shared,
            generation,
            file,
            name: name.into(),
            persistence,
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

    fn store_word(&self, offset: u64, bytes: &[u8]) {
        assert!(
            self.persistence != Persistence::Pages,
            "{}: single stores need a byte-addressed medium",
            self.name
        );
        assert!(
            offset.is_multiple_of(bytes.len() as u64),
            "{}: a store of {} bytes at {offset} is not aligned",
            self.name,
            bytes.len()
        );
        match self
            .state()
            .and_then(|mut s| s.store_word(self.file, offset, bytes))
        {
            // A poisoned medium and a killed process take nothing more, which the fence says.
            Ok(()) | Err(MediumError::Poisoned { .. } | MediumError::Unsupported(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

impl Medium for SimulatedMedium {
    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> Properties {
        let pages = self.persistence == Persistence::Pages;
        Properties {
            byte_addressed: !pages,
            ack: AckLevel::Power,
            line_bytes: if pages { 4096 } else { 64 },
        }
    }

    fn len(&self) -> u64 {
        self.block.len()
    }

    fn grow(&self, len: u64) -> Result<(), MediumError> {
        self.state()?.grow(self.file, len)
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.discard(self.file, offset, len)
    }

    /// Always succeeds unless planned otherwise; counted and failed as a growth.
    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.reserve(self.file, offset, len)
    }

    fn base(&self) -> *const u8 {
        self.block.base()
    }

    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.touch(self.file, offset, len)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.state()?.write(self.file, offset, bytes, false)
    }

    /// Non-temporal stores on lines; on pages a write, whose flush is nothing.
    fn write_through(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.state()?.write_through(self.file, offset, bytes)
    }

    fn store_u32(&self, offset: u64, value: u32) {
        self.store_word(offset, &value.to_le_bytes());
    }

    fn store_u64(&self, offset: u64, value: u64) {
        self.store_word(offset, &value.to_le_bytes());
    }

    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.state()?.flush(self.file, offset, len)
    }

    fn fence(&self) -> Result<(), MediumError> {
        self.state()?.fence(self.file)
    }
}
