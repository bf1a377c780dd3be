//! Every medium keeps its promises: round trips, growth in place, a full disk,
//! a failed sync.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evergraph_storage::medium::{
    DramStorage, EmulatedStorage, FileCall, FileFault, FileFaults, FileStorage, LatencyProfile,
    MappedKind, MappedStorage,
};
use evergraph_storage::{DurabilityLevel, Medium, MediumError, MediumHandle, Storage};

/// Every storage that this machine can have, with files under `dir`.
fn storages(dir: &Path) -> Vec<Arc<dyn Storage>> {
    let mapped =
        |name: &str, kind| Arc::new(MappedStorage::create(dir.join(name), kind, true).unwrap());
    let file = |name: &str| Arc::new(FileStorage::create(dir.join(name)).unwrap());
    vec![
        file("file"),
        Arc::new(
            FileStorage::create(dir.join("large"))
                .unwrap()
                .with_memory(4096),
        ),
        mapped("dax", MappedKind::Dax),
        mapped("battery", MappedKind::Battery),
        Arc::new(DramStorage::new()),
        Arc::new(EmulatedStorage::new(file("emulated-file"), None)),
        Arc::new(EmulatedStorage::new(Arc::new(DramStorage::new()), None)),
        Arc::new(EmulatedStorage::new(
            mapped("emulated-dax", MappedKind::Dax),
            Some(LatencyProfile::CXL),
        )),
    ]
}

fn file_with_faults(dir: &Path) -> (FileStorage, MediumHandle, Arc<FileFaults>) {
    let faults = Arc::new(FileFaults::new());
    let storage = FileStorage::create(dir)
        .unwrap()
        .with_faults(faults.clone());
    let medium = storage.open("f", true).unwrap();
    (storage, medium, faults)
}

fn contents(medium: &MediumHandle) -> Vec<u8> {
    let mut bytes = vec![0; medium.len() as usize];
    medium.read(0, &mut bytes).unwrap();
    bytes
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 % 251 + 1) as u8).collect()
}

fn is_no_space(error: &MediumError) -> bool {
    matches!(error, MediumError::NoSpace { .. })
}

#[test]
fn what_is_written_is_read_on_every_medium() {
    let dir = tempfile::tempdir().unwrap();
    for storage in storages(dir.path()) {
        let medium = storage.open("a", true).unwrap();
        medium.grow(1 << 20).unwrap();
        let mut model = vec![0; 1 << 20];
        for (i, len) in [1, 63, 64, 65, 255, 256, 257, 4095, 4096, 70_001]
            .into_iter()
            .enumerate()
        {
            let bytes = pattern(len);
            for through in [false, true] {
                let offset = 100_000 * i + 37 * i + usize::from(through) * 71;
                model[offset..offset + len].copy_from_slice(&bytes);
                if through {
                    medium.write_through(offset as u64, &bytes).unwrap();
                } else {
                    medium.write(offset as u64, &bytes).unwrap();
                    medium.flush(offset as u64, len as u64).unwrap();
                }
            }
        }
        medium.fence().unwrap();
        assert!(contents(&medium) == model, "{}", storage.kind());

        if medium.properties().byte_addressed {
            medium.store_u32(8, 0x0403_0201);
            medium.store_u64(16, 0x0807_0605_0403_0201);
            medium.flush(8, 16).unwrap();
            medium.fence().unwrap();
            let mut bytes = [0; 16];
            medium.read(8, &mut bytes).unwrap();
            assert_eq!(bytes[..4], [1, 2, 3, 4]);
            assert_eq!(bytes[8..], [1, 2, 3, 4, 5, 6, 7, 8]);
        }
    }
}

#[test]
fn growth_keeps_the_base_and_the_bytes_and_adds_zeros() {
    let dir = tempfile::tempdir().unwrap();
    for storage in storages(dir.path()) {
        let medium = storage.open("a", true).unwrap();
        assert!(medium.is_empty());
        let base = medium.base();
        let mut model = Vec::new();
        for len in [100, 4096, 5000, 3 << 20, 40 << 20] {
            let from = model.len();
            medium.grow(len).unwrap();
            model.resize(len as usize, 0);
            assert_eq!((medium.base(), medium.len()), (base, len));
            assert!(contents(&medium) == model, "{} {len}", storage.kind());
            let bytes = pattern(50);
            medium.write(from as u64, &bytes).unwrap();
            model[from..from + 50].copy_from_slice(&bytes);
        }
        medium.grow(10).unwrap();
        assert_eq!(medium.len(), 40 << 20, "growth never shortens");
        assert!(contents(&medium) == model, "{}", storage.kind());
    }
}

#[test]
fn a_reopened_file_has_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    for storage in storages(dir.path()) {
        assert!(!storage.exists("a").unwrap());
        assert!(matches!(
            storage.open("a", false),
            Err(MediumError::Io { .. })
        ));
        let medium = storage.open("a", true).unwrap();
        medium.grow(10_000).unwrap();
        medium.write(3, b"kept").unwrap();
        medium.flush(3, 4).unwrap();
        medium.fence().unwrap();
        storage.sync_names().unwrap();
        let before = contents(&medium);
        drop(medium);

        assert!(storage.exists("a").unwrap());
        // A second creation is refused and shortens nothing.
        assert!(matches!(
            storage.open("a", true),
            Err(MediumError::Io { .. })
        ));
        let again = storage.open("a", false).unwrap();
        assert!(contents(&again) == before, "{}", storage.kind());
        drop(again);
        storage.remove("a").unwrap();
        assert!(!storage.exists("a").unwrap());
        assert!(storage.remove("a").is_err());
    }
}

#[test]
fn files_are_private_and_links_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("db");
    let storage = FileStorage::create(&path).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    storage.open("a", true).unwrap();
    assert_eq!((mode(&path), mode(&path.join("a"))), (0o700, 0o600));

    symlink(path.join("a"), path.join("link")).unwrap();
    assert!(storage.open("link", false).is_err());
    assert!(storage.open("link", true).is_err());
    std::fs::create_dir(path.join("sub")).unwrap();
    for name in ["sub", "", ".", "..", "../a", "sub/a", "/etc/passwd", "a\0"] {
        assert!(storage.open(name, false).is_err(), "{name:?}");
    }
    assert!(FileStorage::open(dir.path().join("missing")).is_err());
    let below = dir.path().join("missing/db");
    FileStorage::create(&below).unwrap();
    assert_eq!(
        (mode(below.parent().unwrap()), mode(&below)),
        (0o700, 0o700)
    );
}

#[test]
fn dax_is_refused_where_the_system_cannot_promise_it() {
    let dir = tempfile::tempdir().unwrap();
    for kind in [MappedKind::Dax, MappedKind::Battery] {
        let storage = MappedStorage::open(dir.path(), kind, false).unwrap();
        match storage.open("a", true) {
            Ok(medium) => {
                eprintln!("not tested: the temporary directory is on DAX");
                assert_eq!(medium.properties().durability, DurabilityLevel::Power);
                drop(medium);
                storage.remove("a").unwrap();
            }
            Err(error) => {
                assert!(matches!(error, MediumError::Unsupported(_)), "{error:?}");
                let text = error.to_string();
                assert!(text.contains("--assume-persistent"), "{text}");
                assert!(text.contains(kind.name()), "{text}");
                assert!(
                    !storage.exists("a").unwrap(),
                    "no empty file is left behind"
                );

                let storage = MappedStorage::open(dir.path(), kind, true).unwrap();
                let medium = storage.open("a", true).unwrap();
                assert_eq!(medium.properties().durability, DurabilityLevel::Process);
                storage.remove("a").unwrap();
            }
        }
    }
    assert!(MappedStorage::open(dir.path(), MappedKind::Dram, true).is_err());
    let dram = DramStorage::new().open("a", true).unwrap();
    assert_eq!(dram.properties().durability, DurabilityLevel::Volatile);
}

/// A kernel that refuses `MAP_SYNC` over a reservation has already removed the
/// reservation: unmapping that range then may take a mapping that another thread was
/// given there. Needs a temporary directory that is not on DAX.
#[test]
fn databases_opened_side_by_side_keep_their_mappings() {
    const THREADS: u8 = 4;
    const ROUNDS: u32 = 400;
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let dir = &dir;
            scope.spawn(move || {
                let place = dir.path().join(thread.to_string());
                let storage = MappedStorage::create(&place, MappedKind::Dax, true).unwrap();
                for round in 0..ROUNDS {
                    let names = ["a", "b", "c"];
                    let media = names.map(|name| storage.open(name, round == 0).unwrap());
                    for (medium, value) in media.iter().zip([1, 2, 3]) {
                        medium.grow(4096).unwrap();
                        medium
                            .write(0, &[thread ^ round as u8 ^ value; 64])
                            .unwrap();
                    }
                    std::thread::yield_now();
                    for (medium, value) in media.iter().zip([1, 2, 3]) {
                        let mut found = [0; 64];
                        medium.read(0, &mut found).unwrap();
                        assert_eq!(found, [thread ^ round as u8 ^ value; 64]);
                    }
                }
            });
        }
    });
}

#[test]
fn accesses_past_the_end_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    for storage in storages(dir.path()) {
        let medium = storage.open("a", true).unwrap();
        medium.grow(1000).unwrap();
        let out = |result: Result<(), MediumError>| {
            assert!(
                matches!(result, Err(MediumError::OutOfBounds { file_len: 1000, .. })),
                "{}: {result:?}",
                storage.kind()
            );
        };
        for (offset, len) in [
            (1000, 1),
            (996, 5),
            (u64::MAX, 1),
            (u64::MAX - 3, 8),
            (0, 1001),
        ] {
            out(medium.touch(offset, len));
            out(medium.flush(offset, len));
            out(medium.discard(offset, len));
            out(medium.reserve(offset, len));
            out(medium.write(offset, &vec![0; len as usize]));
            out(medium.write_through(offset, &vec![0; len as usize]));
        }
        medium.touch(1000, 0).unwrap();
        medium.write(999, &[1]).unwrap();
    }
}

#[test]
fn wrong_single_stores_panic() {
    let dir = tempfile::tempdir().unwrap();
    for storage in storages(dir.path()) {
        let medium = storage.open("a", true).unwrap();
        medium.grow(64).unwrap();
        let panics = |store: &dyn Fn()| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(store)).is_err()
        };
        let byte_addressed = medium.properties().byte_addressed;
        assert_eq!(panics(&|| medium.store_u32(60, 1)), !byte_addressed);
        assert_eq!(panics(&|| medium.store_u64(56, 1)), !byte_addressed);
        for offset in [2, 61, 64, u64::MAX - 3, u64::MAX - 7] {
            assert!(panics(&|| medium.store_u32(offset, 1)), "{offset}");
        }
        for offset in [4, 60, 64, u64::MAX - 7] {
            assert!(panics(&|| medium.store_u64(offset, 1)), "{offset}");
        }
    }
}

#[test]
fn space_given_back_can_be_reserved_again() {
    let dir = tempfile::tempdir().unwrap();
    for storage in storages(dir.path()) {
        let medium = storage.open("a", true).unwrap();
        medium.grow(1 << 20).unwrap();
        medium.write(0, &pattern(1 << 20)).unwrap();
        let before = contents(&medium);
        medium.discard(10_000, 500_000).unwrap();
        assert_eq!(medium.len(), 1 << 20);
        let mut after = contents(&medium);
        after[10_000..510_000].copy_from_slice(&before[10_000..510_000]);
        assert!(after == before, "{}: nothing else changed", storage.kind());
        medium.reserve(0, 20_000).unwrap();
        medium.reserve(100_000, 1).unwrap();
        medium.write(10_000, &before[10_000..510_000]).unwrap();
        assert!(contents(&medium) == before, "{}", storage.kind());
    }
}

#[test]
fn a_full_disk_changes_nothing_and_is_survived() {
    let dir = tempfile::tempdir().unwrap();
    for fault in [FileFault::NO_SPACE, FileFault::QUOTA] {
        let (storage, medium, faults) = file_with_faults(dir.path());
        medium.grow(4096).unwrap();
        medium.write(0, &pattern(4096)).unwrap();
        faults.fail_from(FileCall::Grow, 0, fault);
        faults.fail_from(FileCall::Write, 0, fault);
        for _ in 0..3 {
            let grown = medium.grow(1 << 20).unwrap_err();
            assert!(is_no_space(&grown), "{grown:?}");
            let written = medium.write(0, &[0; 4096]).unwrap_err();
            assert!(is_no_space(&written), "{written:?}");
            assert_eq!(contents(&medium), pattern(4096), "reads go on");
            medium.fence().unwrap();
        }
        faults.forgive();
        medium.grow(1 << 20).unwrap();
        medium.write(5000, b"room").unwrap();
        medium.fence().unwrap();
        drop(medium);
        storage.remove("f").unwrap();
    }
}

#[test]
fn space_for_a_hole_can_be_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (_storage, medium, faults) = file_with_faults(dir.path());
    medium.grow(1 << 20).unwrap();
    medium.discard(0, 1 << 19).unwrap();
    let calls = faults.calls(FileCall::Grow);
    faults.fail_once(FileCall::Grow, calls, FileFault::NO_SPACE);
    assert!(is_no_space(&medium.reserve(0, 8192).unwrap_err()));
    medium.reserve(0, 1 << 20).unwrap();
    // All holes are filled: nothing is asked of the system.
    let calls = faults.calls(FileCall::Grow);
    medium.reserve(0, 1 << 20).unwrap();
    assert_eq!(faults.calls(FileCall::Grow), calls);
}

#[test]
fn short_and_interrupted_writes_are_continued() {
    let dir = tempfile::tempdir().unwrap();
    let (_storage, medium, faults) = file_with_faults(dir.path());
    medium.grow(10_000).unwrap();
    faults.fail_once(FileCall::Write, 0, FileFault::INTERRUPTED);
    faults.fail_once(FileCall::Write, 1, FileFault::Short(1));
    faults.fail_once(FileCall::Write, 2, FileFault::Short(4999));
    faults.fail_once(FileCall::Write, 3, FileFault::INTERRUPTED);
    medium.write(0, &pattern(10_000)).unwrap();
    assert_eq!(faults.calls(FileCall::Write), 5);
    assert_eq!(contents(&medium), pattern(10_000));

    // A system that takes nothing does not keep us for ever.
    faults.fail_from(FileCall::Write, 5, FileFault::Short(0));
    assert!(medium.write(0, &[1]).is_err());
}

#[test]
fn a_failed_sync_poisons_for_ever() {
    let dir = tempfile::tempdir().unwrap();
    for fault in [
        FileFault::IO,
        FileFault::NO_SPACE,
        FileFault::QUOTA,
        FileFault::INTERRUPTED,
    ] {
        let (storage, medium, faults) = file_with_faults(dir.path());
        medium.grow(4096).unwrap();
        medium.fence().unwrap();
        medium.write(0, b"lost?").unwrap();
        faults.fail_once(FileCall::Sync, 1, fault);
        // Not `NoSpace`, which would say that nothing was changed.
        assert!(matches!(medium.fence(), Err(MediumError::Io { .. })));
        faults.forgive();
        for _ in 0..2 {
            let poisoned = [
                medium.fence(),
                medium.write(0, &[1]),
                medium.write_through(0, &[1]),
                medium.grow(8192),
                medium.discard(0, 4096),
            ];
            for result in poisoned {
                assert!(
                    matches!(result, Err(MediumError::Poisoned { .. })),
                    "{result:?}"
                );
            }
        }
        assert_eq!(
            faults.calls(FileCall::Sync),
            2,
            "a failed sync is not repeated"
        );
        assert_eq!(medium.len(), 4096);
        medium.touch(0, 4096).unwrap();
        drop(medium);
        // Reopened it works.
        let medium = storage.open("f", false).unwrap();
        medium.write(0, b"again").unwrap();
        medium.fence().unwrap();
        storage.remove("f").unwrap();
    }
}

#[test]
fn a_fence_syncs_only_what_needs_it() {
    let dir = tempfile::tempdir().unwrap();
    let (_storage, medium, faults) = file_with_faults(dir.path());
    let syncs = || faults.calls(FileCall::Sync);
    medium.fence().unwrap();
    assert_eq!(syncs(), 0, "nothing was written");
    medium.grow(1 << 16).unwrap();
    medium.fence().unwrap();
    medium.fence().unwrap();
    assert_eq!(syncs(), 1, "a new length needs a sync, once");
    // Another thread's write, not even flushed.
    std::thread::scope(|scope| {
        scope.spawn(|| medium.write(0, b"x").unwrap());
    });
    medium.fence().unwrap();
    assert_eq!(syncs(), 2);
    // A write that failed half-way is synced too.
    let writes = faults.calls(FileCall::Write);
    faults.fail_once(FileCall::Write, writes, FileFault::Short(3));
    faults.fail_once(FileCall::Write, writes + 1, FileFault::IO);
    assert!(medium.write(0, b"torn apart").is_err());
    medium.fence().unwrap();
    assert_eq!(syncs(), 3);
}

#[test]
fn no_thread_returns_from_a_fence_that_failed_for_another() {
    let dir = tempfile::tempdir().unwrap();
    let (_storage, medium, faults) = file_with_faults(dir.path());
    medium.grow(1 << 16).unwrap();
    medium.fence().unwrap();
    faults.fail_from(FileCall::Sync, 200, FileFault::IO);
    let acknowledged: u64 = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4u64)
            .map(|thread| {
                let medium = &medium;
                scope.spawn(move || {
                    let mut acknowledged = 0;
                    for _ in 0..10_000 {
                        let done = medium
                            .write(thread * 4096, &[1])
                            .and_then(|()| medium.fence());
                        if done.is_err() {
                            break;
                        }
                        acknowledged += 1;
                    }
                    acknowledged
                })
            })
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .sum()
    });
    assert_eq!(
        faults.calls(FileCall::Sync),
        201,
        "one failure, never repeated"
    );
    // 199 syncs after the first; each acknowledges at most one write a thread.
    assert!((199..=4 * 199).contains(&acknowledged), "{acknowledged}");
}

#[test]
fn growth_by_another_opener_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    for storage in &storages(dir.path())[..3] {
        let writer = storage.open("a", true).unwrap();
        writer.grow(4096).unwrap();
        let reader = storage.open("a", false).unwrap();
        writer.grow(100_000).unwrap();
        writer.write(90_000, b"new").unwrap();
        let mut bytes = [0; 3];
        reader.read(90_000, &mut bytes).unwrap();
        assert_eq!(&bytes, b"new");
        assert!(reader.touch(100_000, 1).is_err());
    }
}

#[test]
fn added_latency_is_waited_for() {
    let storage = EmulatedStorage::new(
        Arc::new(DramStorage::new()),
        Some(LatencyProfile::NVGRAPH_SSD),
    );
    assert!(format!("{}", storage.device().profile().unwrap()).contains("200000 ns a fence"));
    let medium = storage.open("a", true).unwrap();
    medium.grow(4096).unwrap();
    let start = Instant::now();
    for _ in 0..20 {
        medium.store_u32(0, 1);
        medium.flush(0, 4).unwrap();
        medium.fence().unwrap();
        medium.touch(0, 1).unwrap();
    }
    assert!(start.elapsed() >= Duration::from_micros(20 * 225) * 9 / 10);
    assert!(LatencyProfile::named("optane").is_some());

    // 256 MiB at 13.9 GB/s.
    let storage = EmulatedStorage::new(Arc::new(DramStorage::new()), Some(LatencyProfile::OPTANE));
    let medium = storage.open("a", true).unwrap();
    medium.grow(1 << 20).unwrap();
    let bytes = pattern(1 << 20);
    let start = Instant::now();
    for _ in 0..256 {
        medium.write(0, &bytes).unwrap();
        medium.flush(0, 1 << 20).unwrap();
    }
    assert!(start.elapsed().as_secs_f64() >= 0.9 * 268.4e6 / 13.9e9);
}

/// A file system of 1 MiB, or `None` if we may not mount one.
struct TinyDisk(tempfile::TempDir);

impl TinyDisk {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
            .arg(dir.path())
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("SKIPPED: a full disk on a real file system (cannot mount a tmpfs here)");
            return None;
        }
        Some(Self(dir))
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_really_full_disk_is_survived() {
    let Some(disk) = TinyDisk::mount() else {
        return;
    };
    let dir = disk.0.path();
    let storages: [Box<dyn Storage>; 2] = [
        Box::new(FileStorage::open(dir).unwrap()),
        Box::new(MappedStorage::open(dir, MappedKind::Dax, true).unwrap()),
    ];
    for storage in storages {
        let medium = storage.open("a", true).unwrap();
        medium.grow(512 << 10).unwrap();
        medium.write(0, &pattern(512 << 10)).unwrap();
        let refused = medium.grow(4 << 20).unwrap_err();
        assert!(is_no_space(&refused), "{refused:?}");
        assert_eq!(medium.len(), 512 << 10);
        assert_eq!(std::fs::metadata(dir.join("a")).unwrap().len(), 512 << 10);
        assert!(contents(&medium) == pattern(512 << 10));

        // Space given back and taken by another file is refused, not a signal.
        medium.discard(0, 256 << 10).unwrap();
        let filler = storage.open("b", true).unwrap();
        filler.grow(700 << 10).unwrap();
        assert!(is_no_space(&medium.reserve(0, 256 << 10).unwrap_err()));
        assert!(is_no_space(
            &medium.write(0, &pattern(256 << 10)).unwrap_err()
        ));
        drop(filler);
        storage.remove("b").unwrap();
        medium.reserve(0, 256 << 10).unwrap();
        medium.write(0, &pattern(512 << 10)).unwrap();
        medium.fence().unwrap();
        assert!(contents(&medium) == pattern(512 << 10));
        drop(medium);
        storage.remove("a").unwrap();
    }
}

#[test]
fn a_file_larger_than_memory_is_fetched_when_announced() {
    let dir = tempfile::tempdir().unwrap();
    let announced = |medium: &MediumHandle| match medium {
        MediumHandle::File(file) => file.announced_bytes(),
        _ => unreachable!("a file"),
    };
    let bytes = pattern(300_000);
    let fill = |medium: &MediumHandle| {
        medium.grow(bytes.len() as u64).unwrap();
        medium.write_through(0, &bytes).unwrap();
        medium.fence().unwrap();
        medium.will_need(0, 300_000);
        assert_eq!(contents(medium), bytes);
    };
    let large = FileStorage::create(dir.path().join("l"))
        .unwrap()
        .with_memory(400_000);
    let medium = large.open("f", true).unwrap();
    medium.grow(200_000).unwrap();
    assert!(medium.fits_in_memory(), "half of the memory");
    fill(&medium);
    assert!(!medium.fits_in_memory());
    assert_eq!(announced(&medium), 300_000);
    // Hints go as far as the file does, and change nothing.
    medium.will_need(299_999, u64::MAX);
    medium.will_need(u64::MAX, 7);
    medium.wont_need(0, 300_000);
    medium.wont_need(1 << 40, 1);
    assert_eq!(contents(&medium), bytes);
    drop(medium);
    assert!(!large.open("f", false).unwrap().fits_in_memory());

    let small = FileStorage::create(dir.path().join("s"))
        .unwrap()
        .with_memory(600_000);
    let medium = small.open("f", true).unwrap();
    fill(&medium);
    assert!(medium.fits_in_memory());
    assert_eq!(announced(&medium), 0, "nothing to do");
}
