//! Where an index lies: one file or directory, and a lock beside it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What can be wrong with a place.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Somebody has the index open.
    #[error("{path}: the index is open already; close it there first")]
    InUse {
        /// Its lock.
        path: PathBuf,
    },
    /// There is no index of this name.
    #[error("{path}: there is no such index")]
    NotThere {
        /// Where it would be.
        path: PathBuf,
    },
    /// What the system says.
    #[error("{path}: {source}")]
    Io {
        /// The file, or its directory.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl PlaceError {
    /// Wraps what the system says of a path.
    pub fn io(path: &Path) -> impl Fn(io::Error) -> PlaceError {
        let path = path.to_path_buf();
        move |source| PlaceError::Io {
            path: path.clone(),
            source,
        }
    }
}

/// Whether an index may have this name: 1 to 64 letters, digits, `-` and `_` of ASCII.
pub fn check_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(is_of_name)
}

/// The place of one index, which nobody else has open: `NAME.KIND` in a directory of
/// indexes, with a lock `NAME.KIND.lock` that is held as long as this lives.
#[derive(Debug)]
pub struct Place {
    directory: PathBuf,
    path: PathBuf,
    lock_path: PathBuf,
    _lock: File,
}

/// What lies in a directory of indexes, seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The name of an index.
    pub name: String,
    /// Its file or directory.
    pub path: PathBuf,
    /// Bytes that it has.
    pub bytes: u64,
    /// When it was written last, if the system knows.
    pub written: Option<SystemTime>,
}

impl Place {
    /// Takes the place of an index in a directory, which is made if need be. There may
    /// be nothing at the place.
    ///
    /// # Errors
    /// If somebody has it; what the system says.
    pub fn take(directory: &Path, name: &str, kind: &str) -> Result<Self, PlaceError> {
        fs::create_dir_all(directory).map_err(PlaceError::io(directory))?;
        let path = directory.join(format!("{name}.{kind}"));
        let lock_path = directory.join(format!("{name}.{kind}.lock"));
        loop {
            let lock = locked(&lock_path)?;
            // Whoever removed the index has removed the lock that was waited for.
            if is_at(&lock, &lock_path).map_err(PlaceError::io(&lock_path))? {
                return Ok(Place {
                    directory: directory.to_path_buf(),
                    path,
                    lock_path,
                    _lock: lock,
                });
            }
        }
    }

    /// The directory of indexes.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the index is, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what is there.
    ///
    /// # Errors
    /// What the system says.
    pub fn clear(&self) -> Result<(), PlaceError> {
        let removed = match self.path.is_dir() {
            true => fs::remove_dir_all(&self.path),
            false => fs::remove_file(&self.path),
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(PlaceError::io(&self.path)),
        }
    }

    /// Removes an index with its lock, and says what it had.
    ///
    /// # Errors
    /// If there is none, or somebody has it open; what the system says.
    pub fn remove(directory: &Path, name: &str, kind: &str) -> Result<Placed, PlaceError> {
        let path = directory.join(format!("{name}.{kind}"));
        let found = Self::all(directory, kind)?;
        let Some(placed) = found.into_iter().find(|placed| placed.name == name) else {
            return Err(PlaceError::NotThere { path });
        };
        let place = Self::take(directory, name, kind)?;
        place.clear()?;
        fs::remove_file(&place.lock_path).map_err(PlaceError::io(&place.lock_path))?;
        Ok(placed)
    }

    /// The indexes of a kind that lie in a directory, by name; none if there is no
    /// directory.
    ///
    /// # Errors
    /// What the system says.
    pub fn all(directory: &Path, kind: &str) -> Result<Vec<Placed>, PlaceError> {
        let ending = format!(".{kind}");
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(PlaceError::io(directory))?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(PlaceError::io(directory))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.and_then(|name| name.strip_suffix(&ending));
            if let Some(name) = name.filter(|name| check_name(name)) {
                let (bytes, written) = size_of(&path).map_err(PlaceError::io(&path))?;
                found.push(Placed {
                    name: name.to_string(),
                    bytes,
                    written,
                    path,
                });
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}

/// A lock file that is locked.
fn locked(path: &Path) -> Result<File, PlaceError> {
    let mut options = File::options();
    let opened = options.read(true).write(true).create(true).truncate(false);
    let file = opened.open(path).map_err(PlaceError::io(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PlaceError::InUse {
            path: path.to_path_buf(),
        }),
        Err(TryLockError::Error(source)) => Err(PlaceError::io(path)(source)),
    }
}

/// Whether a path leads to an open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Bytes of a file or a directory of files, and when any of them was written last.
fn size_of(path: &Path) -> io::Result<(u64, Option<SystemTime>)> {
    let files: Vec<PathBuf> = match path.is_dir() {
        true => fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?,
        false => vec![path.to_path_buf()],
    };
    let (mut bytes, mut written) = (0, None);
    for file in files {
        match fs::metadata(&file) {
            Ok(there) => {
                bytes += there.len();
                written = written.max(there.modified().ok());
            }
            // Somebody is writing, and removes what is old.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok((bytes, written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_a_place_and_those_who_look_see_it() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path().join("indexes");
        assert_eq!(Place::all(&directory, "kind").unwrap(), []);
        let place = Place::take(&directory, "b", "kind").unwrap();
        let again = Place::take(&directory, "b", "kind");
        assert!(matches!(again, Err(PlaceError::InUse { .. })));
        assert_eq!(Place::all(&directory, "kind").unwrap(), [], "only a lock");
        fs::write(place.path(), b"12345").unwrap();
        let other = Place::take(&directory, "a", "kind").unwrap();
        fs::create_dir(other.path()).unwrap();
        fs::write(other.path().join("one"), b"12").unwrap();
        fs::write(directory.join("no name.kind"), b"").unwrap();
        let found = Place::all(&directory, "kind").unwrap();
        let facts = found
            .iter()
            .map(|placed| (placed.name.as_str(), placed.bytes));
        assert_eq!(facts.collect::<Vec<_>>(), [("a", 2), ("b", 5)]);
        assert!(found.iter().all(|placed| placed.written.is_some()));
        assert_eq!(Place::all(&directory, "other").unwrap(), []);

        let used = Place::remove(&directory, "b", "kind");
        assert!(matches!(used, Err(PlaceError::InUse { .. })));
        drop((place, other));
        assert_eq!(Place::remove(&directory, "b", "kind").unwrap().bytes, 5);
        assert_eq!(Place::remove(&directory, "a", "kind").unwrap().bytes, 2);
        let none = Place::remove(&directory, "a", "kind");
        assert!(matches!(none, Err(PlaceError::NotThere { .. })));
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "the stranger");
        Place::take(&directory, "b", "kind")
            .unwrap()
            .clear()
            .unwrap();
    }
}
