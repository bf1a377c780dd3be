//! Directory of the demo's database, and its removal.

use std::path::{Path, PathBuf};

use crate::report::Failure;

/// A directory that is removed in the end, unless it is to be kept.
pub struct Place {
    directory: PathBuf,
    is_kept: bool,
}

impl Place {
    /// The directory to keep, or a new one under `$TMPDIR` or the current
    /// directory.
    pub fn choose(kept: Option<&Path>) -> Result<Self, Failure> {
        if let Some(kept) = kept {
            return Ok(Place {
                directory: kept.to_path_buf(),
                is_kept: true,
            });
        }
        let parent = std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
        let directory = parent.join(format!("evergraph-demo-{}", std::process::id()));
        std::fs::create_dir(&directory)
            .map_err(|error| evergraph::Error::io(directory.display().to_string(), error))?;
        Ok(Place {
            directory,
            is_kept: false,
        })
    }

    /// Path of the database.
    pub fn database(&self) -> PathBuf {
        match self.is_kept {
            true => self.directory.clone(),
            false => self.directory.join("graph"),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_kept {
            // An error is passed over: a temporary directory stays behind.
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}
