//! Which directories are synced while the path of a database is made.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::*;

/// Inodes of the directories that are synced while a path is made.
fn synced(path: &Path) -> Vec<u64> {
    let mut synced = Vec::new();
    make_durably(path, &mut |directory| {
        synced.push(rustix::fs::fstat(directory)?.st_ino);
        Ok(())
    })
    .unwrap();
    synced
}

#[test]
fn the_name_of_each_new_directory_is_durable() {
    let place = tempfile::tempdir().unwrap();
    let inode = |path: &str| fs::metadata(place.path().join(path)).unwrap().ino();
    let own = || fs::metadata(place.path().join("..")).unwrap().ino();
    let first = synced(&place.path().join("a/b/c/db"));
    let parents = [own(), inode("."), inode("a"), inode("a/b"), inode("a/b/c")];
    assert_eq!(
        first, parents,
        "the last that existed, and then what is new"
    );
    // A process that was killed may have made it, and not come to its sync.
    assert_eq!(synced(&place.path().join("a/b/c/db")), [inode("a/b/c")]);
    assert_eq!(synced(&place.path().join("a/x")), [inode("."), inode("a")]);
}

#[test]
fn each_name_is_durable_before_the_next_is_made() {
    let place = tempfile::tempdir().unwrap();
    let (path, mut made) = (place.path().join("a/b/db"), Vec::new());
    make_durably(&path, &mut |_| {
        made.push(path.ancestors().filter(|path| path.exists()).count());
        Ok(())
    })
    .unwrap();
    let above = place.path().ancestors().count();
    assert_eq!(made, [above, above + 1, above + 2, above + 3]);
}

#[test]
fn what_stops_it_is_told() {
    let place = tempfile::tempdir().unwrap();
    let mut fails = |_: BorrowedFd<'_>| Err(Errno::IO);
    let error = make_durably(&place.path().join("db"), &mut fails).unwrap_err();
    assert!(error.to_string().contains("syncing its parent"), "{error}");
    fs::write(place.path().join("file"), b"").unwrap();
    for path in ["file", "file/db"] {
        let error = make_durably(&place.path().join(path), &mut |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("opening the"), "{error}");
    }
}

#[cfg(feature = "failpoints")]
#[test]
fn a_name_that_is_not_synced_is_noticed() {
    let _armed = failpoint::Scope::armed("directory.names-not-durable").enter();
    let place = tempfile::tempdir().unwrap();
    assert!(synced(&place.path().join("a/db")).is_empty());
}
