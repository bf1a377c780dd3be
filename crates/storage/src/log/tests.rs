//! The log as a ring: laps, lives, damage and older roots.

use super::{CommitLog, LogStart, RECORD_HEADER_BYTES, SEARCH_BYTES, StorageError};
use crate::medium::{
    DramStorage, FileCall, FileFault, FileFaults, FileStorage, Medium, MediumHandle, Storage,
};

const UUID: [u8; 16] = [7; 16];

fn created(capacity: u64) -> MediumHandle {
    let medium = DramStorage::new().open("log", true).unwrap();
    CommitLog::create(&medium, &UUID, capacity).unwrap();
    medium
}

fn opened(medium: MediumHandle, epoch: u32, lsn: u64, csn: u64) -> CommitLog {
    let start = LogStart { lsn, epoch: 0, csn };
    let opened = CommitLog::open(medium, &UUID, epoch, start, None, |_| {
        Ok::<_, StorageError>(())
    });
    opened.unwrap().0
}

/// The error of an opening that is refused.
fn refusal(medium: MediumHandle, epoch: u32, start: LogStart) -> String {
    let opened = CommitLog::open(medium, &UUID, epoch, start, None, |_| {
        Ok::<_, StorageError>(())
    });
    opened.unwrap_err().to_string()
}

fn log() -> CommitLog {
    let mut log = opened(created(4096), 1, 0, 0);
    log.append(1, 0, b"one").unwrap();
    log
}

/// A merge that is on its way when a sync fails ends, and releases what it has read.
#[test]
fn what_is_durable_is_released_behind_a_sync_that_failed() {
    let dir = tempfile::tempdir().unwrap();
    let faults = std::sync::Arc::new(FileFaults::new());
    let storage = FileStorage::create(dir.path()).unwrap();
    let storage = storage.with_faults(faults.clone());
    let medium = storage.open("log", true).unwrap();
    CommitLog::create(&medium, &UUID, 4096).unwrap();
    let mut log = opened(medium, 1, 0, 0);
    let durable = log.append(1, 0, b"one").unwrap();
    log.sync().unwrap();
    log.append(2, 0, b"two").unwrap();
    faults.fail_from(FileCall::Sync, 1, FileFault::IO);
    assert!(log.sync().is_err());
    log.release(durable);
    assert!(log.sync().is_err() && log.used_bytes() > 0);
}

/// Of a ring that starts and ends less than a header before the end of a lap, the
/// few bytes there are counted once.
#[test]
fn a_full_ring_is_read_up_to_its_last_record() {
    let medium = created(512);
    let mut log = opened(medium.clone(), 1, 0, 0);
    assert_eq!(log.append(1, 0, &[1; 448]).unwrap(), 504);
    log.sync().unwrap();
    log.release(504);
    assert_eq!(log.append(2, 0, &[2; 440]).unwrap(), 1008);
    log.sync().unwrap();
    let mut again = opened(medium, 2, 504, 1);
    assert_eq!((again.head(), again.used_bytes()), (1008, 504));
    again.release(1008);
    again.append(3, 0, &[3; 400]).unwrap();
}

/// And not one more: replay begins there.
#[test]
fn a_ring_takes_as_many_bytes_as_it_has() {
    let mut log = opened(created(512), 1, 0, 0);
    log.append(1, 0, &[1; 40]).unwrap();
    log.sync().unwrap();
    log.release(96);
    assert_eq!(log.append(2, 0, &[2; 360]).unwrap(), 512);
    assert!(log.has_room(40) && !log.has_room(41));
    assert!(matches!(
        log.append(3, 0, &[3; 41]),
        Err(StorageError::LogFull)
    ));
    assert_eq!(log.append(3, 0, &[3; 40]).unwrap(), 608);
    assert_eq!(log.used_bytes(), log.capacity_bytes());
}

/// Of a group of which only the second record reached the medium, that one stands
/// where the next life goes on, with the commit that it would have next.
#[test]
fn what_a_torn_group_left_continues_no_later_life() {
    let medium = created(512);
    let mut log = opened(medium.clone(), 1, 0, 0);
    log.append(1, 0, &[1; 40]).unwrap();
    log.append(2, 0, &[2; 40]).unwrap();
    medium.write(RECORD_HEADER_BYTES as u64, &[0; 40]).unwrap();
    let mut log = opened(medium.clone(), 2, 0, 0);
    assert_eq!(log.append(1, 0, &[3; 40]).unwrap(), 96);
    log.sync().unwrap();
    let log = opened(medium, 3, 0, 0);
    assert_eq!((log.head(), log.csn), (96, 1));
}

/// The search for what proves damage looks at every place, also where one part of
/// what it reads ends and the next begins.
#[test]
fn damage_is_told_by_a_durable_record_at_any_distance() {
    for end in (SEARCH_BYTES - 24..=SEARCH_BYTES + 24).step_by(8) {
        let medium = created(2 * SEARCH_BYTES + 1024);
        let mut log = opened(medium.clone(), 1, 0, 0);
        let payload = vec![1; end as usize - RECORD_HEADER_BYTES];
        assert_eq!(log.append(1, 0, &payload).unwrap(), end);
        log.sync().unwrap();
        log.append(2, 0, b"two").unwrap();
        log.sync().unwrap();
        medium.write(RECORD_HEADER_BYTES as u64, &[0]).unwrap();
        let start = LogStart {
            lsn: 0,
            epoch: 0,
            csn: 0,
        };
        let error = refusal(medium, 2, start);
        let expected = "commit 1 does not hold, though commit 2 after it does";
        assert!(error.contains(expected), "behind {end} bytes: {error}");
    }
}

/// A ring of 512 bytes in which a first record ends at 504, and a second one at 968.
fn ring_of_two() -> (MediumHandle, CommitLog) {
    let medium = created(512);
    let mut log = opened(medium.clone(), 1, 0, 0);
    assert_eq!(log.append(1, 0, &[1; 448]).unwrap(), 504);
    log.sync().unwrap();
    log.release(504);
    assert_eq!(log.append(2, 0, &[2; 400]).unwrap(), 968);
    log.sync().unwrap();
    (medium, log)
}

/// A root that begins to read at a place, of a commit and a life, is refused as older.
fn assert_is_older(medium: MediumHandle, (lsn, epoch, csn): (u64, u32, u64)) {
    let error = refusal(medium, 2, LogStart { lsn, epoch, csn });
    assert!(error.contains("older than the log"), "{error}");
}

/// The last record ends behind the place from which an earlier root begins to read:
/// that root is not the newest.
#[test]
fn a_record_over_the_start_of_the_log_is_of_a_later_root() {
    let (medium, mut log) = ring_of_two();
    log.release(968);
    assert_eq!(log.append(3, 0, &[]).unwrap(), 1024);
    log.sync().unwrap();
    assert_is_older(medium, (504, 1, 1));
}

/// The next lap's first record lies over all that there was.
#[test]
fn a_later_lap_over_the_whole_ring_is_of_a_later_root() {
    let medium = created(512);
    let mut log = opened(medium.clone(), 1, 0, 0);
    assert_eq!(log.append(1, 0, &[1; 456]).unwrap(), 512);
    log.sync().unwrap();
    log.release(512);
    log.append(2, 0, b"two").unwrap();
    log.sync().unwrap();
    assert_is_older(medium, (0, 0, 0));
}

/// It lies over the place from which the older root begins to read.
#[test]
fn a_record_of_a_later_life_is_of_a_later_root() {
    let (medium, _) = ring_of_two();
    let mut log = opened(medium.clone(), 2, 968, 2);
    assert_eq!(log.append(3, 0, &[]).unwrap(), 1024);
    log.sync().unwrap();
    assert_is_older(medium, (504, 1, 1));
}

/// It is the pool that is to be put back, whether or not the log is damaged before that
/// record.
#[test]
fn an_older_root_is_told_before_damage() {
    let medium = created(512);
    let mut log = opened(medium.clone(), 1, 0, 0);
    log.append(1, 0, b"one").unwrap();
    log.sync().unwrap();
    let mut log = opened(medium.clone(), 2, 0, 0);
    log.append(2, 0, b"two").unwrap();
    log.sync().unwrap();
    medium.write(RECORD_HEADER_BYTES as u64, &[0]).unwrap();
    assert_is_older(medium, (0, 0, 0));
}

#[test]
#[should_panic(expected = "start <= durable <= head")]
fn nothing_is_durable_behind_the_head() {
    let mut log = log();
    log.durable = log.head + 8;
    log.invariants();
}

#[test]
#[should_panic(expected = "where replay still reads")]
fn a_lap_does_not_overtake_the_one_before() {
    let mut log = log();
    log.head += log.capacity;
    log.invariants();
}

#[test]
#[should_panic(expected = "records start at multiples")]
fn records_are_aligned() {
    let mut log = log();
    log.head += 4;
    log.invariants();
}

#[test]
#[should_panic(expected = "will not flush them")]
fn what_is_not_durable_waits_for_a_sync() {
    let mut log = log();
    log.dirty.clear();
    log.invariants();
}

#[test]
#[should_panic(expected = "a record wraps")]
fn records_do_not_wrap() {
    let mut log = log();
    log.dirty.push((log.capacity - 8, 56));
    log.invariants();
}

#[test]
#[should_panic(expected = "takes a gap between two commits")]
fn commits_follow_one_another() {
    let _ = log().append(3, 0, b"three");
}
