//! Where an index lies: a directory of its own, and a lock beside it.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::TextError;

/// The directory of one index, which nobody else has open.
pub(crate) struct Files {
    directory: PathBuf,
    _lock: File,
}

fn io_error(path: &Path) -> impl Fn(std::io::Error) -> TextError {
    let path = path.to_path_buf();
    move |source| TextError::Io {
        path: path.clone(),
        source,
    }
}

impl Files {
    /// The index `name` of those in a directory, which is made if need be.
    pub fn open(parent: &Path, name: &str) -> Result<Self, TextError> {
        fs::create_dir_all(parent).map_err(io_error(parent))?;
        let path = parent.join(format!("{name}.text.lock"));
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false);
        let lock = opened.open(&path).map_err(io_error(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(TextError::InUse { path }),
            Err(TryLockError::Error(source)) => return Err(TextError::Io { path, source }),
        }
        let directory = parent.join(format!("{name}.text"));
        fs::create_dir_all(&directory).map_err(io_error(&directory))?;
        Ok(Files {
            directory,
            _lock: lock,
        })
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Removes all of it.
    pub fn clear(&self) -> Result<(), TextError> {
        fs::remove_dir_all(&self.directory).map_err(io_error(&self.directory))?;
        fs::create_dir_all(&self.directory).map_err(io_error(&self.directory))
    }
}
