//! The location of an index: one file or directory, which is locked.
//!
//! A file beside it is locked, too: it exists before the index does, and programs of the
//! previous version lock it alone. Removing it does not let a second process open an
//! index that exists, because the index itself is locked as well.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Errors of a [`IndexFile`].
#[derive(Debug, thiserror::Error)]
pub enum IndexFileError {
    /// The index is open, in this process or another.
    #[error("{path}: the index is open already; close it there first")]
    InUse {
        /// The index, or its lock.
        path: PathBuf,
    },
    /// Another process has brought the index further than this one reads.
    #[error("{path}: the index has later commits than this process reads")]
    Ahead {
        /// The index.
        path: PathBuf,
    },
    /// There is no index of this name.
    #[error("{path}: there is no such index")]
    NotThere {
        /// Path at which the index would be.
        path: PathBuf,
    },
    /// The operating system refused a call.
    #[error("{path}: {source}")]
    Io {
        /// The file, or its directory.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl IndexFileError {
    /// Wraps an I/O error with its path.
    pub fn io(path: &Path) -> impl Fn(io::Error) -> IndexFileError {
        let path = path.to_path_buf();
        move |source| IndexFileError::Io {
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

/// The place of one index, held exclusively: `NAME.KIND` in a directory of indexes. That
/// and `NAME.KIND.lock` are locked as long as this lives.
#[derive(Debug)]
pub struct IndexFile {
    directory: PathBuf,
    path: PathBuf,
    lock_path: PathBuf,
    /// The locked index; `None` if there is none yet.
    index: Mutex<Option<File>>,
    lock: File,
    /// The process that opened it.
    opener: u32,
}

/// An index in a directory, seen without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The name of an index.
    pub name: String,
    /// Its file or directory.
    pub path: PathBuf,
    /// Bytes that it has.
    pub bytes: u64,
    /// When it was written last, if the system knows.
    pub written: Option<SystemTime>,
}

impl StoredFile {
    /// Whether a process has it open, and may be making it.
    pub fn is_open(&self) -> bool {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        let kind = self.path.extension().and_then(|kind| kind.to_str());
        let taken = IndexFile::take(directory, &self.name, kind.unwrap_or_default());
        matches!(taken, Err(IndexFileError::InUse { .. }))
    }
}

impl Drop for IndexFile {
    /// Closing is not enough: a child that another thread is just starting has the files,
    /// too, until it executes its program, and with them the locks. One that uses its copies
    /// leaves these to its parent.
    fn drop(&mut self) {
        if self.opener != std::process::id() {
            return;
        }
        let index = self.index.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = index {
            let _ = index.unlock();
        }
        let _ = self.lock.unlock();
    }
}

impl IndexFile {
    /// Locks the file of an index in a directory, which is made if need be. There may
    /// be nothing yet.
    ///
    /// # Errors
    /// [`IndexFileError::InUse`] if the index is open elsewhere; I/O errors.
    pub fn take(directory: &Path, name: &str, kind: &str) -> Result<Self, IndexFileError> {
        fs::create_dir_all(directory).map_err(IndexFileError::io(directory))?;
        let path = directory.join(format!("{name}.{kind}"));
        let lock_path = directory.join(format!("{name}.{kind}.lock"));
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let lock = loop {
            let lock = locked(&lock_path, &options)?;
            // The process that removed the index has removed the lock, too, that was waited
            // for.
            if is_at(&lock, &lock_path).map_err(IndexFileError::io(&lock_path))? {
                break lock;
            }
        };
        Ok(IndexFile {
            directory: directory.to_path_buf(),
            index: Mutex::new(locked_index(&path)?),
            path,
            lock_path,
            lock,
            opener: std::process::id(),
        })
    }

    /// The directory of indexes.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Path of the index, which need not exist yet.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the index's file or directory; the place stays taken.
    ///
    /// # Errors
    /// I/O errors.
    pub fn clear(&self) -> Result<(), IndexFileError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let removed = match self.path.is_dir() {
            true => fs::remove_dir_all(&self.path),
            false => fs::remove_file(&self.path),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(IndexFileError::io(&self.path)(error))
            }
            _ => {
                *index = None;
                Ok(())
            }
        }
    }

    /// Makes an empty directory where nothing is.
    ///
    /// # Errors
    /// If there is something already, or another process made it first; I/O errors.
    pub fn make_directory(&self) -> Result<(), IndexFileError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        fs::create_dir(&self.path).map_err(IndexFileError::io(&self.path))?;
        *index = locked_index(&self.path)?;
        Ok(())
    }

    /// Replaces the file that is there, or makes it, durably: after a crash it is the old
    /// one or the new one.
    ///
    /// # Errors
    /// If another process has made one meanwhile; I/O errors.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), IndexFileError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let io = || IndexFileError::io(&self.path);
        let mut name = self.path.clone().into_os_string();
        name.push(".new");
        let new = PathBuf::from(name);
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io()(error)),
            // Left by a process that was killed.
            _ => {}
        }
        // Locked before it is the index.
        let mut file = locked(&new, File::options().write(true).create_new(true))?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(io())?;
        let is_ours = match &*index {
            Some(index) => is_at(index, &self.path).map_err(io())?,
            None => !self.path.exists(),
        };
        if !is_ours || !is_at(&file, &new).map_err(io())? {
            return Err(self.in_use());
        }
        match &*index {
            Some(_) => fs::rename(&new, &self.path),
            // This fails if there is an index by now.
            None => fs::hard_link(&new, &self.path).and_then(|()| fs::remove_file(&new)),
        }
        .map_err(io())?;
        *index = Some(file);
        let directory = File::open(&self.directory);
        directory.and_then(|d| d.sync_all()).map_err(io())
    }

    fn in_use(&self) -> IndexFileError {
        IndexFileError::InUse {
            path: self.path.clone(),
        }
    }

    /// Removes an index with its lock, and says what it had.
    ///
    /// # Errors
    /// If there is none, or it is open elsewhere; I/O errors.
    pub fn remove(directory: &Path, name: &str, kind: &str) -> Result<StoredFile, IndexFileError> {
        let path = directory.join(format!("{name}.{kind}"));
        let found = Self::all(directory, kind)?;
        let Some(placed) = found.into_iter().find(|placed| placed.name == name) else {
            return Err(IndexFileError::NotThere { path });
        };
        let place = Self::take(directory, name, kind)?;
        place.clear()?;
        fs::remove_file(&place.lock_path).map_err(IndexFileError::io(&place.lock_path))?;
        Ok(placed)
    }

    /// The indexes of a kind that lie in a directory, by name; none if there is no
    /// directory.
    ///
    /// # Errors
    /// I/O errors.
    pub fn all(directory: &Path, kind: &str) -> Result<Vec<StoredFile>, IndexFileError> {
        let ending = format!(".{kind}");
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(IndexFileError::io(directory))?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(IndexFileError::io(directory))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.and_then(|name| name.strip_suffix(&ending));
            if let Some(name) = name.filter(|name| check_name(name)) {
                let (bytes, written) = size_of(&path).map_err(IndexFileError::io(&path))?;
                found.push(StoredFile {
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

/// The file or directory at a path, locked; `None` if nothing is there.
fn locked_index(path: &Path) -> Result<Option<File>, IndexFileError> {
    loop {
        let options = File::options().read(true).write(!path.is_dir()).to_owned();
        match locked(path, &options) {
            Err(IndexFileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
            Ok(index) => {
                if is_at(&index, path).map_err(IndexFileError::io(path))? {
                    return Ok(Some(index));
                }
            }
        }
    }
}

/// A file or directory that is locked.
fn locked(path: &Path, options: &fs::OpenOptions) -> Result<File, IndexFileError> {
    let file = options.open(path).map_err(IndexFileError::io(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(IndexFileError::InUse {
            path: path.to_path_buf(),
        }),
        Err(TryLockError::Error(source)) => Err(IndexFileError::io(path)(source)),
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
            // The index's owner writes it just now, and removes old files.
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
        assert_eq!(IndexFile::all(&directory, "kind").unwrap(), []);
        let place = IndexFile::take(&directory, "b", "kind").unwrap();
        let again = IndexFile::take(&directory, "b", "kind");
        assert!(matches!(again, Err(IndexFileError::InUse { .. })));
        assert_eq!(
            IndexFile::all(&directory, "kind").unwrap(),
            [],
            "only a lock"
        );
        fs::write(place.path(), b"12345").unwrap();
        let other = IndexFile::take(&directory, "a", "kind").unwrap();
        fs::create_dir(other.path()).unwrap();
        fs::write(other.path().join("one"), b"12").unwrap();
        fs::write(directory.join("no name.kind"), b"").unwrap();
        let found = IndexFile::all(&directory, "kind").unwrap();
        let facts = found
            .iter()
            .map(|placed| (placed.name.as_str(), placed.bytes));
        assert_eq!(facts.collect::<Vec<_>>(), [("a", 2), ("b", 5)]);
        assert!(found.iter().all(|placed| placed.written.is_some()));
        assert_eq!(IndexFile::all(&directory, "other").unwrap(), []);

        let used = IndexFile::remove(&directory, "b", "kind");
        assert!(matches!(used, Err(IndexFileError::InUse { .. })));
        drop((place, other));
        assert_eq!(IndexFile::remove(&directory, "b", "kind").unwrap().bytes, 5);
        assert_eq!(IndexFile::remove(&directory, "a", "kind").unwrap().bytes, 2);
        let none = IndexFile::remove(&directory, "a", "kind");
        assert!(matches!(none, Err(IndexFileError::NotThere { .. })));
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "the stranger");
        IndexFile::take(&directory, "b", "kind")
            .unwrap()
            .clear()
            .unwrap();
    }

    fn is_taken(directory: &Path) -> bool {
        match IndexFile::take(directory, "a", "kind") {
            Ok(_) => false,
            Err(IndexFileError::InUse { .. }) => true,
            Err(other) => panic!("{other}"),
        }
    }

    /// As a user does who takes the file for a remnant of a killed process.
    fn remove_the_side_file(directory: &Path) {
        fs::remove_file(directory.join("a.kind.lock")).unwrap();
    }

    #[test]
    fn removing_the_side_file_lets_no_second_process_at_an_index() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path();
        for replaced in 0..3 {
            let place = IndexFile::take(directory, "a", "kind").unwrap();
            for _ in 0..replaced {
                place.replace(b"index").unwrap();
            }
            assert!(is_taken(directory));
            remove_the_side_file(directory);
            assert_eq!(
                is_taken(directory),
                replaced > 0,
                "there may be nothing yet"
            );
        }
        assert_eq!(fs::read(directory.join("a.kind")).unwrap(), b"index");
        let place = IndexFile::take(directory, "a", "kind").unwrap();
        place.clear().unwrap();
        place.make_directory().unwrap();
        remove_the_side_file(directory);
        assert!(is_taken(directory));
        drop(place);
        let place = IndexFile::take(directory, "a", "kind").unwrap();
        remove_the_side_file(directory);
        assert!(is_taken(directory));
        drop(place);
        assert!(!is_taken(directory));
    }

    /// As a child has them that was forked and has not executed its program yet.
    #[test]
    fn open_files_of_a_child_hold_no_lock_that_was_given_back() {
        let place = tempfile::tempdir().unwrap();
        for is_made in [false, true] {
            let index = IndexFile::take(place.path(), "a", "kind").unwrap();
            index.replace(b"index").unwrap();
            let lock = index.lock.try_clone().unwrap();
            let file = index.index.lock().unwrap().as_ref().map(File::try_clone);
            assert!(is_taken(place.path()), "{is_made}");
            drop(index);
            assert!(!is_taken(place.path()), "{is_made}");
            drop((lock, file));
        }
    }

    #[test]
    fn an_index_that_another_has_put_in_its_place_stays() {
        let place = tempfile::tempdir().unwrap();
        let index = IndexFile::take(place.path(), "a", "kind").unwrap();
        index.replace(b"own").unwrap();
        fs::remove_file(index.path()).unwrap();
        assert!(index.replace(b"again").is_err(), "it is gone");
        fs::write(index.path(), b"another's").unwrap();
        let refused = index.replace(b"again");
        assert!(matches!(refused, Err(IndexFileError::InUse { .. })));
        assert_eq!(fs::read(index.path()).unwrap(), b"another's");
    }

    #[test]
    fn of_two_who_begin_an_index_one_goes_on() {
        let both = |directory: &Path| {
            let one = IndexFile::take(directory, "a", "kind").unwrap();
            remove_the_side_file(directory);
            [one, IndexFile::take(directory, "a", "kind").unwrap()]
        };
        let place = tempfile::tempdir().unwrap();
        let [one, other] = both(place.path());
        other.replace(b"other").unwrap();
        assert!(one.replace(b"one").is_err());
        other.replace(b"still").unwrap();
        assert!(one.replace(b"one").is_err());
        assert_eq!(fs::read(one.path()).unwrap(), b"still");
        assert_eq!(
            fs::read_dir(place.path()).unwrap().count(),
            3,
            "index, lock, new"
        );

        let place = tempfile::tempdir().unwrap();
        let [one, other] = both(place.path());
        one.make_directory().unwrap();
        assert!(other.make_directory().is_err());
    }
}
