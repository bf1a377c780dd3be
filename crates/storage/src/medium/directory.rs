//! The directory of a database, held open: its files, their names, and its lock.

use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::MediumError;
use super::host::{io_error, retry};
use crate::failpoint;

/// A directory held open: a rename of it, or of one of its parents, cannot make
/// two files of one database lie in two places.
pub(super) struct Directory {
    handle: OwnedFd,
    path: PathBuf,
    /// A failed sync is never repeated: the second one may lie.
    sync_failed: AtomicBool,
    /// Files are opened for reading only.
    pub(super) read_only: bool,
}

/// Flags that a directory is opened with.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

impl Directory {
    /// Opens a directory; with `create`, makes it (mode 0700) if it is missing, and its
    /// parents, and all their names durable.
    pub(super) fn open(path: &Path, create: bool) -> Result<Self, MediumError> {
        if create {
            make_durably(path, &mut |directory| rustix::fs::fsync(directory))?;
        }
        let handle = rustix::fs::open(path, DIRECTORY, Mode::empty())
            .map_err(|error| failed(path, "opening the directory")(error))?;
        Ok(Self {
            handle,
            path: path.to_path_buf(),
            sync_failed: AtomicBool::new(false),
            read_only: false,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A name of ours has no path in it.
    fn check_name(name: &str) -> Result<(), MediumError> {
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
            return Err(MediumError::Unsupported(format!(
                "{name:?} cannot be the name of a database file"
            )));
        }
        Ok(())
    }

    /// Only "there is no such file" is `false`; a file that cannot be looked at is an
    /// error, so that no empty database is created over it.
    pub(super) fn exists(&self, name: &str) -> Result<bool, MediumError> {
        Self::check_name(name)?;
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(io_error(name, "looking for it", error)),
        }
    }

    /// Opens a regular file of this directory, or makes it (mode 0600). Never
    /// follows a link, never shortens what is there. Returns its length.
    pub(super) fn open_file(
        &self,
        name: &str,
        create: bool,
    ) -> Result<(OwnedFd, u64), MediumError> {
        let flags = match (self.read_only, create) {
            (true, _) => OFlags::RDONLY,
            (false, true) => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
            (false, false) => OFlags::RDWR,
        };
        let doing = if create { "making it" } else { "opening it" };
        let (file, len) = self
            .open_with(name, flags)
            .map_err(|error| error.into_medium_error(name, doing))?;
        Ok((file, len))
    }

    /// A regular file, with its length.
    pub(super) fn open_with(&self, name: &str, flags: OFlags) -> Result<(OwnedFd, u64), NotOpened> {
        Self::check_name(name).map_err(NotOpened::Refused)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let file = retry(|| rustix::fs::openat(&self.handle, name, flags, mode))?;
        let stat = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            let what = format!("{name}: not a regular file");
            return Err(NotOpened::Refused(MediumError::Unsupported(what)));
        }
        Ok((file, u64::try_from(stat.st_size).unwrap_or(0)))
    }

    /// Whether the name still leads to an open file.
    pub(super) fn leads_to(&self, name: &str, file: &OwnedFd) -> Result<bool, Errno> {
        let open = rustix::fs::fstat(file)?;
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => Ok((there.st_dev, there.st_ino) == (open.st_dev, open.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), MediumError> {
        Self::check_name(name)?;
        rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())
            .map_err(|error| io_error(name, "removing it", error))
    }

    pub(super) fn sync(&self) -> Result<(), MediumError> {
        let shown = || self.path.display().to_string();
        if self.sync_failed.load(Ordering::Acquire) {
            return Err(MediumError::Poisoned { file: shown() });
        }
        rustix::fs::fsync(&self.handle).map_err(|error| {
            self.sync_failed.store(true, Ordering::Release);
            io_error(&shown(), "syncing the directory", error)
        })
    }
}

/// Reasons why a file is not open.
pub(super) enum NotOpened {
    /// Error of the system.
    System(Errno),
    /// It is none that a database may have.
    Refused(MediumError),
}

impl From<Errno> for NotOpened {
    fn from(error: Errno) -> Self {
        NotOpened::System(error)
    }
}

impl NotOpened {
    pub(super) fn into_medium_error(self, name: &str, doing: &'static str) -> MediumError {
        match self {
            NotOpened::System(error) => io_error(name, doing, error),
            NotOpened::Refused(error) => error,
        }
    }
}

/// Function that makes the names of a directory durable.
type Sync<'a> = &'a mut dyn FnMut(BorrowedFd<'_>) -> Result<(), Errno>;

/// Makes a directory (mode 0700) and the parents that are missing. The name of each is
/// durable before the next is made, so that a process that is killed leaves at most one
/// that is not: the last that exists, whose name is made durable again.
fn make_durably(path: &Path, sync: Sync<'_>) -> Result<(), MediumError> {
    let all = || path.ancestors().filter(|path| !path.as_os_str().is_empty());
    let missing: Vec<&Path> = all().take_while(|path| !path.is_dir()).collect();
    let existing = all().nth(missing.len()).unwrap_or(Path::new("."));
    match sync_name(existing, sync) {
        // A process that may not read a directory has made no name in it.
        Err(MediumError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => {}
        synced => synced?,
    }
    for path in missing.into_iter().rev() {
        match retry(|| rustix::fs::mkdir(path, Mode::RWXU)) {
            Ok(()) | Err(Errno::EXIST) => sync_name(path, sync)?,
            Err(error) => return Err(failed(path, "making the directory")(error)),
        }
    }
    Ok(())
}

/// Makes the name of a directory durable, which stands in its parent.
fn sync_name(path: &Path, sync: Sync<'_>) -> Result<(), MediumError> {
    if failpoint!("directory.names-not-durable") {
        return Ok(());
    }
    failpoint!("directory.name-made");
    let handle = rustix::fs::open(path, DIRECTORY, Mode::empty())
        .map_err(failed(path, "opening the directory"))?;
    rustix::fs::openat(handle, "..", DIRECTORY, Mode::empty())
        .and_then(|parent| sync(parent.as_fd()))
        .map_err(failed(path, "syncing its parent directory"))
}

fn failed(path: &Path, doing: &'static str) -> impl Fn(Errno) -> MediumError {
    move |error| io_error(&path.display().to_string(), doing, error)
}

#[cfg(test)]
mod tests;
