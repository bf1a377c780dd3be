//! Where an index lies: one file, and a lock beside it.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::VectorError;

/// The file of one index, which nobody else has open.
pub(crate) struct Files {
    directory: PathBuf,
    path: PathBuf,
    _lock: File,
}

fn io_error(path: &Path) -> impl Fn(std::io::Error) -> VectorError {
    let path = path.to_path_buf();
    move |source| VectorError::Io {
        path: path.clone(),
        source,
    }
}

impl Files {
    /// The index `name` of those in a directory, which is made if need be.
    pub fn open(directory: &Path, name: &str) -> Result<Self, VectorError> {
        fs::create_dir_all(directory).map_err(io_error(directory))?;
        let path = directory.join(format!("{name}.vectors.lock"));
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false);
        let lock = opened.open(&path).map_err(io_error(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(VectorError::InUse { path }),
            Err(TryLockError::Error(source)) => return Err(VectorError::Io { path, source }),
        }
        Ok(Files {
            directory: directory.to_path_buf(),
            path: directory.join(format!("{name}.vectors")),
            _lock: lock,
        })
    }

    /// What the file holds; nothing if there is none.
    pub fn read(&self) -> Result<Vec<u8>, VectorError> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map_err(io_error(&self.path)),
        }
    }

    /// Replaces the file, durably: after a crash it is the old one or the new one.
    pub fn write(&self, bytes: &[u8]) -> Result<(), VectorError> {
        let new = self.path.with_extension("vectors.new");
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&new, &self.path)?;
            File::open(&self.directory)?.sync_all()
        };
        write().map_err(io_error(&self.path))
    }
}
