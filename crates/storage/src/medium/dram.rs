//! Medium `dram`: ordinary memory, gone with the process.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::host::io_error;
use super::{MappedMedium, MediumError, MediumHandle, Storage};

/// Files in ordinary memory. They live as long as this object, a clone of it, or a medium
/// opened from it. Flushes and fences cost nothing and promise nothing.
///
/// Growth reserves addresses, not memory: the system may still run out of it
/// later, and then ends the process.
#[derive(Clone, Default)]
pub struct DramStorage {
    files: Arc<Mutex<HashMap<String, Arc<MappedMedium>>>>,
}

impl DramStorage {
    /// Creates a storage without files.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Storage for DramStorage {
    fn kind(&self) -> &'static str {
        "dram"
    }

    fn share(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    fn exists(&self, name: &str) -> Result<bool, MediumError> {
        Ok(self.files.lock().contains_key(name))
    }

    /// Opened twice, a file is the same medium.
    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError> {
        let mut files = self.files.lock();
        match (files.get(name), create) {
            (Some(_), true) => Err(io_error(name, "making it", io::ErrorKind::AlreadyExists)),
            (Some(medium), false) => Ok(MediumHandle::Mapped(medium.clone())),
            (None, false) => Err(io_error(name, "opening it", io::ErrorKind::NotFound)),
            (None, true) => {
                let medium = Arc::new(MappedMedium::volatile(name)?);
                files.insert(name.to_string(), medium.clone());
                Ok(MediumHandle::Mapped(medium))
            }
        }
    }

    fn remove(&self, name: &str) -> Result<(), MediumError> {
        match self.files.lock().remove(name) {
            Some(_) => Ok(()),
            None => Err(io_error(name, "removing it", io::ErrorKind::NotFound)),
        }
    }

    fn sync_names(&self) -> Result<(), MediumError> {
        Ok(())
    }
}
