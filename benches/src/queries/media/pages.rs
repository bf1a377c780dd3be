//! Pages of files that this process loads from.

use std::fs;
use std::path::Path;

/// Bytes of a page.
pub const PAGE_BYTES: f64 = 4096.0;

/// Distinct pages of the files in `directory` that are loaded from or stored to while `work`
/// runs, by the accessed bits of the page tables: no other way counts loads from a mapping.
/// The pages are `None` where the system does not tell, has mapped larger ones, or there are
/// no files.
pub fn during<T>(directory: &Path, work: impl FnOnce() -> T) -> (T, Option<f64>) {
    let is_cleared = fs::write("/proc/self/clear_refs", "1").is_ok();
    forget_translations();
    let done = work();
    let maps = fs::read_to_string("/proc/self/smaps").ok();
    let maps = maps.filter(|_| is_cleared && directory.is_dir());
    let bytes = maps.and_then(|maps| referenced(&maps, &directory.display().to_string()));
    (done, bytes.map(|bytes| bytes / PAGE_BYTES))
}

/// Evicts what the processor knows of pages from before: a page is marked only when its
/// translation is looked up in the page tables.
fn forget_translations() {
    let others = vec![1_u8; 32 << 20];
    let sum: u32 = others
        .iter()
        .step_by(1 << 12)
        .map(|&byte| u32::from(byte))
        .sum();
    std::hint::black_box(sum);
}

/// Bytes of the mappings of files in a directory that are marked as accessed.
fn referenced(maps: &str, directory: &str) -> Option<f64> {
    let (mut is_inside, mut sum) = (false, 0.0);
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        if !name.ends_with(':') {
            // A mapping begins with its addresses.
            is_inside = line.contains(directory);
            continue;
        }
        let mut kib = || words.next()?.parse::<f64>().ok();
        match name {
            "Referenced:" if is_inside => sum += kib()? * 1024.0,
            "FilePmdMapped:" | "ShmemPmdMapped:" if is_inside && kib()? > 0.0 => return None,
            _ => {}
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::referenced;

    #[test]
    fn only_mappings_of_the_directory_count() {
        let maps = "7f0-7f1 rw-s 0 00:1a 5    /dev/shm/a/db/pool\nRss: 9 kB\nReferenced: 8 kB\n\
                    7f1-7f2 rw-p 0 00:00 0 \nReferenced: 100 kB\n\
                    7f3-7f4 r--s 0 00:1a 6    /dev/shm/a/db/log\nReferenced: 12 kB\n";
        assert_eq!(referenced(maps, "/dev/shm/a/"), Some(20.0 * 1024.0));
        assert_eq!(referenced(maps, "/dev/shm/b/"), Some(0.0));
        let large = maps.replace("Rss: 9", "FilePmdMapped: 2048");
        assert_eq!(referenced(&large, "/dev/shm/a/"), None);
    }
}
