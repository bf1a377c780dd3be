//! Planned failures of real files, for tests: a full disk, a failed sync.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustix::io::Errno;

/// A system call of [`super::FileMedium`] that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCall {
    /// `pwrite`. A write of the medium makes several when they are short.
    Write,
    /// `fdatasync`. A fence with nothing to sync makes none.
    Sync,
    /// Reservation of space, by growth or after a discard.
    Grow,
}

/// Failures of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// Nothing is done; the system answers with this error number.
    Errno(i32),
    /// A write takes only this many bytes and says so; other calls succeed.
    Short(usize),
}

impl FileFault {
    /// No space on the device.
    pub const NO_SPACE: Self = Self::Errno(Errno::NOSPC.raw_os_error());
    /// The device failed.
    pub const IO: Self = Self::Errno(Errno::IO.raw_os_error());
    /// A signal came first.
    pub const INTERRUPTED: Self = Self::Errno(Errno::INTR.raw_os_error());
    /// The user's quota is used up.
    pub const QUOTA: Self = Self::Errno(Errno::DQUOT.raw_os_error());
}

struct Planned {
    call: FileCall,
    from: u64,
    until: u64,
    fault: FileFault,
}

/// A plan of failures for the files of one [`super::FileStorage`].
///
/// Calls are counted from 0 over all files, separately for each kind. A plan is
/// shared: failures can be added, and forgiven, while the files are in use.
#[derive(Default)]
pub struct FileFaults {
    made: [AtomicU64; 3],
    planned: Mutex<Vec<Planned>>,
}

impl FileFaults {
    /// Plans no failure.
    pub fn new() -> Self {
        Self::default()
    }

    /// The `nth` call of its kind fails.
    pub fn fail_once(&self, call: FileCall, nth: u64, fault: FileFault) {
        self.plan(call, nth, nth + 1, fault);
    }

    /// The `nth` call of its kind and all later ones fail, until
    /// [`FileFaults::forgive`].
    pub fn fail_from(&self, call: FileCall, nth: u64, fault: FileFault) {
        self.plan(call, nth, u64::MAX, fault);
    }

    fn plan(&self, call: FileCall, from: u64, until: u64, fault: FileFault) {
        self.planned.lock().push(Planned {
            call,
            from,
            until,
            fault,
        });
    }

    /// Forgets all planned failures, as if space had been made.
    pub fn forgive(&self) {
        self.planned.lock().clear();
    }

    /// Calls of a kind so far, failed ones included.
    pub fn calls(&self, call: FileCall) -> u64 {
        self.made[call as usize].load(Ordering::Relaxed)
    }

    /// Counts a call; says how many of its `len` bytes it may work on.
    pub(super) fn meet(&self, call: FileCall, len: usize) -> Result<usize, Errno> {
        let number = self.made[call as usize].fetch_add(1, Ordering::Relaxed);
        let planned = self.planned.lock();
        let hit = planned
            .iter()
            .find(|p| p.call == call && (p.from..p.until).contains(&number));
        match hit.map(|p| p.fault) {
            None => Ok(len),
            Some(FileFault::Short(bytes)) => Ok(len.min(bytes)),
            Some(FileFault::Errno(number)) => Err(Errno::from_raw_os_error(number)),
        }
    }
}
