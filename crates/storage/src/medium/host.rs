//! Calls of the operating system for media on real files: space reserved and given back,
//! and address space that does not move.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags};

use super::MediumError;

/// Address space asked for at first; halved until the system agrees. Growing a
/// file then never moves its bytes.
const RESERVE_BYTES: u64 = 1 << 40;

/// Mappings start on such a boundary, so that huge pages fit.
const HUGE_PAGE: u64 = 2 << 20;

/// Unit in which space is given back.
const PAGE: u64 = 4096;

/// An error of the system while `doing` something to `file`.
pub(super) fn io_error(
    file: &str,
    doing: &'static str,
    source: impl Into<io::Error>,
) -> MediumError {
    MediumError::Io {
        file: file.to_string(),
        doing,
        source: source.into(),
    }
}

/// As [`io_error`], for calls that leave everything as it was when the disk
/// or the quota is full.
pub(super) fn space_error(
    file: &str,
    doing: &'static str,
    errno: Errno,
    wanted_bytes: u64,
) -> MediumError {
    match errno {
        Errno::NOSPC | Errno::DQUOT => MediumError::NoSpace {
            file: file.to_string(),
            wanted_bytes,
        },
        other => io_error(file, doing, other),
    }
}

/// The end of a range, if it lies within `file_len` bytes.
#[inline(always)]
pub(super) fn checked_end(offset: u64, len: u64, file_len: u64) -> Option<u64> {
    offset.checked_add(len).filter(|&end| end <= file_len)
}

/// Repeats a call that a signal interrupted before it did anything.
pub(super) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

/// Makes a file `to` bytes long with all its space reserved, from `from`.
/// After an error its length is `from` again.
pub(super) fn extend(file: BorrowedFd<'_>, from: u64, to: u64) -> Result<(), Errno> {
    let reserved =
        match retry(|| rustix::fs::fallocate(file, FallocateFlags::empty(), from, to - from)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => write_zeros(file, from, to),
            other => other,
        };
    if let Err(error) = reserved {
        // Some file systems keep what they reserved before they ran out.
        let _ = retry(|| rustix::fs::ftruncate(file, from));
        return Err(error);
    }
    Ok(())
}

/// Reserves space the slow way, where `fallocate` is not known.
fn write_zeros(file: BorrowedFd<'_>, from: u64, to: u64) -> Result<(), Errno> {
    let zeros = vec![0u8; 1 << 20];
    let mut at = from;
    while at < to {
        let step = (to - at).min(zeros.len() as u64) as usize;
        match retry(|| rustix::io::pwrite(file, &zeros[..step], at))? {
            0 => return Err(Errno::IO),
            written => at += written as u64,
        }
    }
    Ok(())
}

/// Ranges of a file that may have no space on the device.
pub(super) struct Holes {
    any: AtomicBool,
    ranges: Mutex<BTreeMap<u64, u64>>,
}

impl Holes {
    /// Those of a file just opened: the system can tell whether there are
    /// holes, not cheaply where.
    pub(super) fn of(file: BorrowedFd<'_>, len: u64) -> Self {
        let full = rustix::fs::fstat(file).is_ok_and(|stat| stat.st_blocks as u64 * 512 >= len);
        let mut ranges = BTreeMap::new();
        if len > 0 && !full {
            ranges.insert(0, len.next_multiple_of(PAGE));
        }
        Self {
            any: AtomicBool::new(!ranges.is_empty()),
            ranges: Mutex::new(ranges),
        }
    }

    pub(super) fn none() -> Self {
        Self {
            any: AtomicBool::new(false),
            ranges: Mutex::new(BTreeMap::new()),
        }
    }

    /// Whether a range may need [`Holes::fill`].
    #[inline(always)]
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Gives the whole pages of a range back to the system.
    pub(super) fn punch(&self, file: BorrowedFd<'_>, offset: u64, end: u64) -> Result<(), Errno> {
        let (first, last) = (offset.next_multiple_of(PAGE), end / PAGE * PAGE);
        if first >= last {
            return Ok(());
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let mut ranges = self.ranges.lock();
        // Noted before the space is gone, so that no store can slip between.
        cut(&mut ranges, first, last);
        ranges.insert(first, last);
        self.any.store(true, Ordering::Release);
        match retry(|| rustix::fs::fallocate(file, flags, first, last - first)) {
            // Best effort: a file system that cannot keeps its space.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            other => other,
        }
    }

    /// Reserves space for the holes in a range of the file.
    pub(super) fn fill(
        &self,
        file: BorrowedFd<'_>,
        offset: u64,
        end: u64,
        file_len: u64,
    ) -> Result<(), Errno> {
        let (first, last) = (offset / PAGE * PAGE, end.next_multiple_of(PAGE));
        let mut ranges = self.ranges.lock();
        let overlapping = ranges
            .range(..last)
            .next_back()
            .is_some_and(|(_, &hole_end)| hole_end > first);
        if !overlapping {
            return Ok(());
        }
        let end = last.min(file_len);
        match retry(|| rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, first, end - first)) {
            // Where space cannot be reserved it was not given back either.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(error) => return Err(error),
        }
        cut(&mut ranges, first, last);
        self.any.store(!ranges.is_empty(), Ordering::Release);
        Ok(())
    }
}

/// Removes `first..last` from a set of disjoint ranges.
fn cut(ranges: &mut BTreeMap<u64, u64>, first: u64, last: u64) {
    while let Some((&start, &end)) = ranges.range(..last).next_back() {
        if end <= first {
            break;
        }
        ranges.remove(&start);
        if end > last {
            ranges.insert(last, end);
        }
        if start < first {
            ranges.insert(start, first);
        }
    }
}

/// A range of this process's addresses: a shared mapping of a file that is
/// larger than the file, or anonymous memory. It stays where it is until dropped.
pub(super) struct Mapping {
    whole: *mut c_void,
    whole_len: usize,
    base: *mut u8,
    len: u64,
}

// SAFETY: the struct holds addresses of a mapping that it owns and never
// changes; what may be done with the bytes is decided by its users.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// Uses of a mapping of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mapped {
    /// Reading what explicit writes leave in the page cache.
    Read,
    /// Reading, where the system gives `MAP_SYNC` to those who write.
    ReadSync,
    /// Storing, without any promise of the system.
    Write,
    /// Storing, with `MAP_SYNC`: the file's metadata is durable before a store
    /// can be.
    WriteSync,
}

impl Mapping {
    /// Maps a file with room to grow. `Err(Errno::OPNOTSUPP)` means that
    /// `MAP_SYNC` was refused.
    pub(super) fn of_file(
        file: BorrowedFd<'_>,
        file_len: u64,
        access: Mapped,
    ) -> Result<Self, Errno> {
        const SYNC: MapFlags = MapFlags::SHARED_VALIDATE.union(MapFlags::SYNC);
        let (protection, flags) = match access {
            Mapped::Read => (ProtFlags::READ, MapFlags::SHARED),
            Mapped::Write => (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED),
            Mapped::ReadSync => (ProtFlags::READ, SYNC),
            Mapped::WriteSync => (ProtFlags::READ | ProtFlags::WRITE, SYNC),
        };
        if flags == SYNC {
            Self::probe_sync(file, protection, flags)?;
        }
        let mut len = RESERVE_BYTES.max(file_len.next_multiple_of(HUGE_PAGE));
        loop {
            let attempt = Self::anonymous_of(len, ProtFlags::empty()).and_then(|mapping| {
                // SAFETY: `FIXED` replaces `base..base + len`, which lies in the
                // anonymous reservation just made, to which no other reference exists.
                let replaced = unsafe {
                    rustix::mm::mmap(
                        mapping.base.cast(),
                        len as usize,
                        protection,
                        flags | MapFlags::FIXED,
                        file,
                        0,
                    )
                };
                match replaced {
                    Ok(_) => Ok(mapping),
                    Err(errno) => {
                        // The system may have removed the reservation before it
                        // refused, and another thread may have been given the
                        // range since. So it is not ours to unmap any more.
                        std::mem::forget(mapping);
                        Err(errno)
                    }
                }
            });
            match attempt {
                Err(_) if len / 2 >= file_len.max(HUGE_PAGE) => len /= 2,
                other => return other,
            }
        }
    }

    /// Whether the file system takes `MAP_SYNC`: one page, wherever the system
    /// likes, so that a refusal replaces nothing. Old kernels answer INVAL to a
    /// flag they do not know; they all lack it.
    fn probe_sync(
        file: BorrowedFd<'_>,
        protection: ProtFlags,
        flags: MapFlags,
    ) -> Result<(), Errno> {
        const PAGE: usize = 4096;
        // SAFETY: without an address the system picks a free range.
        let probe = unsafe { rustix::mm::mmap(ptr::null_mut(), PAGE, protection, flags, file, 0) };
        match probe {
            // SAFETY: the page was mapped just now and its address has not left this
            // function.
            Ok(page) => unsafe { rustix::mm::munmap(page, PAGE) },
            Err(Errno::OPNOTSUPP | Errno::INVAL) => Err(Errno::OPNOTSUPP),
            Err(errno) => Err(errno),
        }
    }

    /// Zeroed memory, of which only what is touched takes space; at most
    /// `at_most` bytes, less if the system refuses.
    pub(super) fn anonymous(at_most: u64) -> Result<Self, Errno> {
        let mut len = at_most;
        loop {
            match Self::anonymous_of(len, ProtFlags::READ | ProtFlags::WRITE) {
                Err(_) if len / 2 >= HUGE_PAGE => len /= 2,
                other => return other,
            }
        }
    }

    /// Zeroed memory with as much room as one file may have.
    pub(super) fn anonymous_file() -> Result<Self, Errno> {
        Self::anonymous(RESERVE_BYTES)
    }

    /// Zeroed memory of exactly `len` bytes.
    pub(super) fn memory(len: u64) -> Result<Self, Errno> {
        Self::anonymous_of(len, ProtFlags::READ | ProtFlags::WRITE)
    }

    fn anonymous_of(len: u64, protection: ProtFlags) -> Result<Self, Errno> {
        let whole_len = usize::try_from(len + HUGE_PAGE).map_err(|_| Errno::NOMEM)?;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: without an address the system picks a free range.
        let whole =
            unsafe { rustix::mm::mmap_anonymous(ptr::null_mut(), whole_len, protection, flags)? };
        let slack = whole.cast::<u8>().align_offset(HUGE_PAGE as usize);
        Ok(Self {
            whole,
            whole_len,
            // `slack` is below HUGE_PAGE, by which the whole is longer.
            base: whole.cast::<u8>().wrapping_add(slack),
            len,
        })
    }

    /// First byte; the mapping is valid for [`Mapping::len`] bytes, as far as
    /// the file below reaches.
    #[inline(always)]
    pub(super) fn base(&self) -> *mut u8 {
        self.base
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Asks for huge pages in the part that is in use. Only a hint.
    pub(super) fn advise_huge(&self, used: u64) {
        let used = used.min(self.len) / HUGE_PAGE * HUGE_PAGE;
        if used > 0 {
            // SAFETY: the range is inside the mapping, and the advice does not
            // change what the bytes are.
            let _ = unsafe {
                rustix::mm::madvise(self.base.cast(), used as usize, Advice::LinuxHugepage)
            };
        }
    }

    /// A page that is missing is to be read alone. Only a hint.
    pub(super) fn advise_random(&self) {
        // SAFETY: the range is the mapping, and the advice does not change what
        // the bytes are.
        let _ = unsafe { rustix::mm::madvise(self.base.cast(), self.len as usize, Advice::Random) };
    }

    /// Replaces whole pages of anonymous memory by zeros.
    pub(super) fn forget(&self, offset: u64, end: u64) {
        let (first, last) = (offset.next_multiple_of(PAGE), end / PAGE * PAGE);
        if first < last && last <= self.len {
            // SAFETY: the range is inside the mapping; the caller of `discard` promised
            // that no slice of it exists.
            let _ = unsafe {
                rustix::mm::madvise(
                    self.base.add(first as usize).cast(),
                    (last - first) as usize,
                    Advice::LinuxDontNeed,
                )
            };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `anonymous_of`; the media that own a
        // mapping lend out its bytes only for their own life.
        let _ = unsafe { rustix::mm::munmap(self.whole, self.whole_len) };
    }
}

/// Bytes that a killed process wrote are visible before they are durable. After this,
/// recovery sees only what the medium holds.
pub(super) fn sync_what_it_held(name: &str, file: impl AsFd) -> Result<(), MediumError> {
    rustix::fs::fdatasync(file).map_err(|error| io_error(name, "syncing what it held", error))
}

/// Length of a file now.
pub(super) fn length(file: impl AsFd) -> Result<u64, Errno> {
    Ok(u64::try_from(rustix::fs::fstat(file)?.st_size).unwrap_or(0))
}

/// DRAM that this process may use, page cache included: that of the machine, or
/// less if a control group around the process has a limit.
/// As it was when it was first asked for.
pub fn memory_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| memory_bytes_from(|path| std::fs::read_to_string(path).ok()))
}

fn memory_bytes_from(read: impl Fn(&Path) -> Option<String>) -> u64 {
    let text = |path: &str| read(Path::new(path)).unwrap_or_default();
    let machine = text("/proc/meminfo").lines().find_map(|line| {
        let kib = line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?;
        kib.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let mut least = machine.unwrap_or(u64::MAX);
    for line in text("/proc/self/cgroup").lines() {
        // `number:controllers:path`; the second version names no controllers.
        let mut parts = line.splitn(3, ':');
        let (_, controllers, own) = (parts.next(), parts.next(), parts.next());
        let (Some(controllers), Some(own)) = (controllers, own) else {
            continue;
        };
        let (root, name) = if controllers.split(',').any(|name| name == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max")
        } else {
            continue;
        };
        // A limit binds all groups below it. What a container does not see of
        // the path is not there to be read.
        let below = Path::new(root).join(own.trim_start_matches('/'));
        for group in below
            .ancestors()
            .take_while(|group| group.starts_with(root))
        {
            let limit = read(&group.join(name));
            // `max` is none.
            let limit = limit.and_then(|limit| limit.trim().parse::<u64>().ok());
            least = least.min(limit.unwrap_or(u64::MAX));
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(files: &[(&str, &str)]) -> u64 {
        memory_bytes_from(|path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path);
            file.map(|(_, text)| text.to_string())
        })
    }

    const MACHINE: (&str, &str) = ("/proc/meminfo", "MemFree: 7 kB\nMemTotal:    1000 kB\n");

    #[test]
    fn the_lowest_limit_of_memory_counts() {
        assert_eq!(memory(&[]), u64::MAX);
        assert_eq!(memory(&[MACHINE]), 1_024_000);
        let first = (
            "/proc/self/cgroup",
            "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/\n",
        );
        let own = "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes";
        let above = "/sys/fs/cgroup/memory/a/memory.limit_in_bytes";
        let none = "9223372036854771712\n";
        assert_eq!(memory(&[MACHINE, first]), 1_024_000);
        assert_eq!(memory(&[MACHINE, first, (own, none)]), 1_024_000);
        assert_eq!(memory(&[MACHINE, first, (own, "4096\n")]), 4096);
        assert_eq!(
            memory(&[MACHINE, first, (own, "4096\n"), (above, "12\n")]),
            12
        );
        let second = ("/proc/self/cgroup", "0::/user.slice/x:y\n");
        let own = "/sys/fs/cgroup/user.slice/x:y/memory.max";
        let above = "/sys/fs/cgroup/user.slice/memory.max";
        assert_eq!(memory(&[MACHINE, second, (own, "max\n")]), 1_024_000);
        assert_eq!(
            memory(&[MACHINE, second, (own, "max\n"), (above, "8192")]),
            8192
        );
        // Inside a container the path is not below the root that is seen.
        let root = "/sys/fs/cgroup/memory.max";
        assert_eq!(memory(&[MACHINE, second, (root, "77\n")]), 77);
    }

    #[test]
    fn this_machine_has_memory() {
        assert!((1 << 20..u64::MAX).contains(&memory_bytes()));
    }
}
