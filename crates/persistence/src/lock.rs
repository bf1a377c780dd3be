//! One writer at a time: a lock file that holds the writer's pid.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};

use crate::error::PersistenceError;
use crate::medium::MediumError;

/// Held as long as a process may write the database. The lock belongs to the
/// open file, so a second handle in the same process is refused as well, and
/// the system drops it when the process ends in whatever way.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock of the database in `directory`.
    pub fn acquire(directory: &Path) -> Result<Self, PersistenceError> {
        let path = directory.join("lock");
        let io = |doing| {
            let file = path.display().to_string();
            move |source| {
                PersistenceError::Medium(MediumError::Io {
                    file,
                    doing,
                    source,
                })
            }
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits() as i32)
            .open(&path)
            .map_err(io("opening the lock file"))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut text = String::new();
                // The pid only helps the person who reads the message.
                let _ = file.read_to_string(&mut text);
                return Err(PersistenceError::Locked {
                    pid: text.trim().parse().unwrap_or(0),
                });
            }
            Err(errno) => return Err(io("locking")(errno.into())),
        }
        file.set_len(0).map_err(io("writing the pid"))?;
        file.seek(SeekFrom::Start(0))
            .map_err(io("writing the pid"))?;
        writeln!(file, "{}", std::process::id()).map_err(io("writing the pid"))?;
        Ok(WriterLock { _file: file })
    }
}
