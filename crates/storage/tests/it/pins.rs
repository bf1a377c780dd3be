//! Names and numbers that are stored, and that every later program has to know. The bytes of
//! whole databases are pinned where they are written: in the tests of `evergraph-topology`.

use evergraph_storage::medium::FileStorage;
use evergraph_storage::{
    CommitLog, DurabilityLevel, FORMAT_VERSION, Pool, PoolKind, RECORD_HEADER_BYTES, Root,
    USER_BYTES,
};

#[test]
fn names_and_versions_are_pinned() {
    assert_eq!(FORMAT_VERSION, 8);
    let names = [PoolKind::GRAPH, PoolKind::RESULTS].map(PoolKind::file_name);
    assert_eq!(names, ["pool", "results"]);
    let logs = CommitLog::file_names();
    assert_eq!(
        (logs.len(), &logs[..3]),
        (17, &["log", "log.1", "log.2"][..])
    );
    assert!((0..17).all(|n| CommitLog::file_name(n).unwrap() == logs[n as usize]));
    assert!(CommitLog::file_name(17).is_err());
    assert_eq!((USER_BYTES, RECORD_HEADER_BYTES), (192, 56));
}

#[test]
fn a_pool_says_what_it_is() {
    for (kind, magic, version) in [
        (PoolKind::GRAPH, b"EVERGRPH", 8_u32),
        (PoolKind::RESULTS, b"EVERRSLT", 1),
    ] {
        let place = tempfile::tempdir().unwrap();
        let storage = FileStorage::open(place.path()).unwrap();
        let root = Root::first([9; USER_BYTES]);
        drop(Pool::create_kind(&storage, kind, [7; 16], root).unwrap());
        let bytes = std::fs::read(place.path().join(kind.file_name())).unwrap();
        assert_eq!(bytes.len(), 8192);
        for slot in [0, 4096] {
            let slot = &bytes[slot..slot + 512];
            assert_eq!(&slot[..8], magic);
            assert_eq!(slot[8..12], version.to_le_bytes());
            assert_eq!(slot[16..32], [7; 16]);
            assert_eq!(slot[128..128 + USER_BYTES], [9; USER_BYTES]);
        }
    }
}

/// The words of `survives` in reports.
#[test]
fn words_of_durability_are_pinned() {
    let levels = [
        DurabilityLevel::Volatile,
        DurabilityLevel::Process,
        DurabilityLevel::Power,
    ];
    assert_eq!(
        levels.map(DurabilityLevel::name),
        ["volatile", "process", "power"]
    );
}
