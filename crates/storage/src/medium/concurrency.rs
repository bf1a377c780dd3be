//! How many random reads a device needs at once before it is fast.
//!
//! One read after another leaves most of an SSD idle; so many at once that adding
//! more gains nothing keep it busy. In between lies the concurrency from which on
//! scattered reads are no worse than any others (XPGraph's section 4.3 and its
//! Figure 24, where it is 8). It is measured past the page cache, on a file that
//! is there, and nothing is written.

use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::thread;
use std::time::{Duration, Instant};

/// Reads at once that are tried.
const LEVELS: [usize; 5] = [1, 2, 4, 8, 16];
/// Time for each.
const TIME: Duration = Duration::from_micros(700);
const PAGE: usize = 4096;
/// A shorter file is no sample of the device.
const LEAST_BYTES: u64 = 4 << 20;

/// A page aligned as direct reads want their target.
#[repr(align(4096))]
struct Page([u8; PAGE]);

/// The fewest reads at once with which random reads of this file reach half of
/// the most that was seen with any number. Takes about four milliseconds. `None`
/// if it cannot be measured: the file is short, or its reads always pass the page
/// cache.
pub(super) fn for_random_reads(file: BorrowedFd<'_>, len: u64) -> Option<usize> {
    if len < LEAST_BYTES {
        return None;
    }
    let direct = File::options()
        .read(true)
        .custom_flags(rustix::fs::OFlags::DIRECT.bits() as i32)
        .open(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .ok()?;
    let rates: Vec<f64> = LEVELS
        .iter()
        .map(|&readers| reads_per_second(&direct, len / PAGE as u64, readers))
        .collect::<Option<_>>()?;
    Some(enough(&rates))
}

/// The first level whose rate is at least half of the best.
fn enough(rates: &[f64]) -> usize {
    let best = rates.iter().copied().fold(0.0, f64::max);
    let found = LEVELS
        .iter()
        .zip(rates)
        .find(|(_, rate)| 2.0 * **rate >= best);
    found.map_or(LEVELS[0], |(&level, _)| level)
}

fn reads_per_second(file: &File, pages: u64, readers: usize) -> Option<f64> {
    let read = |reader: usize| {
        let mut page = Box::new(Page([0; PAGE]));
        let mut at = 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(reader as u64 + 1);
        let mut done = 0;
        let started = Instant::now();
        while started.elapsed() < TIME {
            at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let offset = (at >> 20) % pages * PAGE as u64;
            file.read_exact_at(&mut page.0, offset).ok()?;
            done += 1;
        }
        Some(f64::from(done) / started.elapsed().as_secs_f64())
    };
    thread::scope(|scope| {
        let spawn = |reader| thread::Builder::new().spawn_scoped(scope, move || read(reader));
        let others: Vec<_> = (1..readers).map(spawn).collect();
        let mine = read(0);
        let theirs = others.into_iter().map(|other| other.ok()?.join().ok()?);
        theirs.fold(mine, |sum, rate| Some(sum? + rate?))
    })
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn half_of_the_best_rate_is_enough() {
        assert_eq!(enough(&[10.0, 20.0, 40.0, 80.0, 100.0]), 8);
        assert_eq!(enough(&[10.0, 11.0, 12.0, 12.0, 12.0]), 1);
        assert_eq!(enough(&[1.0, 2.0, 4.0, 8.0, 17.0]), 16);
        assert_eq!(enough(&[0.0; 5]), 1);
    }

    /// Wherever the directory of temporary files is: measured, or not at all.
    #[test]
    fn a_short_file_is_not_measured_and_a_long_one_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, vec![1; 4096]).unwrap();
        let short = File::open(&path).unwrap();
        assert_eq!(for_random_reads(short.as_fd(), 4096), None);
        std::fs::write(&path, vec![1; 5 << 20]).unwrap();
        let long = File::open(&path).unwrap();
        let found = for_random_reads(long.as_fd(), 5 << 20);
        assert!(
            found.is_none_or(|level| LEVELS.contains(&level)),
            "{found:?}"
        );
    }
}
