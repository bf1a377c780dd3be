//! Which versions of a section are read, and which is the newest.
//!
//! All versions between two rewrites share their slabs. Two rules keep what a
//! reader sees as it was: only the newest version is appended to, and space
//! that a version freed waits until no older version is read.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

/// The versions that share a set of slabs.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    /// Held while the slabs are written.
    writing: Mutex<()>,
    versions: Mutex<Versions>,
}

#[derive(Debug, Default)]
struct Versions {
    newest: u64,
    /// The last attempt to make a newer one.
    attempt: u64,
    /// A root may name the attempt already.
    publishing: bool,
    read: BTreeSet<u64>,
}

/// One version; while it exists a reader may read it.
#[derive(Debug)]
pub(super) struct Version {
    lineage: Arc<Lineage>,
    number: u64,
    /// Of an attempt: the version that it may replace.
    before: u64,
}

/// The right to write what the newest version does not count.
pub(super) struct Attempt<'a> {
    /// Versions older than that are not read any more.
    pub oldest_read: u64,
    /// The number of the version to come.
    pub number: u64,
    lineage: &'a Arc<Lineage>,
    before: u64,
    _writing: MutexGuard<'a, ()>,
}

impl Versions {
    /// Panics in debug builds if versions contradict each other.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.newest <= self.attempt,
            "version {} was published, {} was the last begun",
            self.newest,
            self.attempt
        );
        assert!(
            self.read.last().is_none_or(|&last| last <= self.newest),
            "readers have {:?}, of which the last was not published: {}",
            self.read,
            self.newest
        );
    }
}

impl Version {
    /// The first version over new slabs, to be published.
    pub(super) fn first() -> Self {
        let lineage = Arc::new(Lineage::default());
        lineage.versions.lock().attempt = 1;
        Version {
            lineage,
            number: 1,
            before: 0,
        }
    }

    /// Begins a newer version. What an attempt before wrote, and did not
    /// publish, is written over.
    ///
    /// # Panics
    /// If there is a newer version already, or one whose publication is not
    /// known to have succeeded.
    pub(super) fn begin(&self) -> Attempt<'_> {
        let writing = self.lineage.writing.lock();
        let mut versions = self.lineage.versions.lock();
        assert_eq!(
            versions.newest, self.number,
            "only the newest version of a section is appended to"
        );
        assert!(
            !versions.publishing,
            "a version that a root may name is not written over"
        );
        versions.attempt += 1;
        versions.invariants();
        Attempt {
            oldest_read: versions.read.first().copied().unwrap_or(self.number),
            number: versions.attempt,
            lineage: &self.lineage,
            before: self.number,
            _writing: writing,
        }
    }

    /// A root may name an attempt's version from now on: nothing is written
    /// over it, unless it is published.
    ///
    /// # Panics
    /// If another attempt has been begun or published since.
    pub(super) fn publishing(&self) {
        let mut versions = self.lineage.versions.lock();
        assert!(
            versions.newest == self.before && versions.attempt == self.number,
            "another attempt wrote over this version"
        );
        versions.publishing = true;
    }

    /// Makes an attempt's version the newest; it can be read from now on.
    ///
    /// # Panics
    /// As [`Version::publishing`].
    pub(super) fn publish(&self) {
        self.publishing();
        let mut versions = self.lineage.versions.lock();
        versions.publishing = false;
        versions.newest = self.number;
        versions.read.insert(self.number);
        versions.invariants();
    }
}

impl Attempt<'_> {
    /// The version that was written; not published yet.
    pub(super) fn version(&self) -> Version {
        Version {
            lineage: Arc::clone(self.lineage),
            number: self.number,
            before: self.before,
        }
    }
}

impl Drop for Version {
    fn drop(&mut self) {
        self.lineage.versions.lock().read.remove(&self.number);
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::Versions;

    #[test]
    #[should_panic(expected = "was the last begun")]
    fn what_was_not_begun_is_not_published() {
        let versions = Versions {
            newest: 2,
            attempt: 1,
            ..Versions::default()
        };
        versions.invariants();
    }

    #[test]
    #[should_panic(expected = "was not published")]
    fn what_was_not_published_is_not_read() {
        let versions = Versions {
            newest: 1,
            attempt: 2,
            read: [1, 2].into(),
            ..Versions::default()
        };
        versions.invariants();
    }
}
