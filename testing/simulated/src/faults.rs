//! Faults: calls that fail, calls that do nothing, and damaged images.

use std::collections::BTreeMap;

/// The system's answer to a call that is planned to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// `ENOSPC`. A write or grow has changed nothing.
    NoSpace,
    /// `EIO`. A write has stored some first part of its bytes.
    Io,
}

/// A call that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFailure {
    /// Which call of its kind, counted from 0 over all files.
    pub call: u64,
    /// How it fails.
    pub kind: FaultKind,
    /// Whether every later call of the kind fails as well (a full or dead disk).
    pub sticky: bool,
}

impl PlannedFailure {
    /// The failure of the `call`-th call alone.
    pub fn once(call: u64, kind: FaultKind) -> Self {
        Self {
            call,
            kind,
            sticky: false,
        }
    }

    pub(super) fn hits(plan: &Option<Self>, call: u64) -> Option<FaultKind> {
        plan.as_ref()
            .filter(|p| p.call == call || (p.sticky && call > p.call))
            .map(|p| p.kind)
    }
}

/// What goes wrong below the data structures in one run.
///
/// Calls are counted from 0 over all files, separately for each kind, from the
/// start of the workload or of one recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// A failing `write`. Single stores to byte-addressed media cannot fail.
    pub fail_write: Option<PlannedFailure>,
    /// A failing `grow` or `reserve`.
    pub fail_grow: Option<PlannedFailure>,
    /// A failing `fence`; the file is poisoned from then on.
    pub fail_fence: Option<PlannedFailure>,
    /// A failing `sync_names`.
    pub fail_sync_names: Option<PlannedFailure>,
    /// A `flush` (or the flush in a `write_through`) that does nothing and says
    /// it did.
    pub drop_flush: Option<u64>,
    /// A `fence` that does nothing and says it did.
    pub drop_fence: Option<u64>,
    /// A `sync_names` that does nothing and says it did.
    pub drop_sync_names: Option<u64>,
}

/// How often each kind of call was made in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// `write`, `write_through`, `store_u32`, `store_u64` and `discard`.
    pub writes: u64,
    /// `grow` and `reserve`.
    pub grows: u64,
    /// `flush` and `write_through`.
    pub flushes: u64,
    /// `fence`.
    pub fences: u64,
    /// `sync_names`.
    pub name_syncs: u64,
}

impl Calls {
    /// The larger of each count.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            writes: self.writes.max(other.writes),
            grows: self.grows.max(other.grows),
            flushes: self.flushes.max(other.flushes),
            fences: self.fences.max(other.fences),
            name_syncs: self.name_syncs.max(other.name_syncs),
        }
    }
}

/// The files of a storage as plain bytes, to be looked at, compared, damaged
/// and started from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Content by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Image {
    /// The bytes of a file.
    ///
    /// # Panics
    /// If there is no such file: a mistake of the test.
    pub fn file(&mut self, name: &str) -> &mut Vec<u8> {
        self.files
            .get_mut(name)
            .unwrap_or_else(|| panic!("the image has no file {name:?}"))
    }

    /// Bit rot: inverts bit `bit` (counted from the file's start).
    pub fn flip_bit(&mut self, name: &str, bit: u64) {
        self.file(name)[(bit / 8) as usize] ^= 1 << (bit % 8);
    }

    /// A lost extent: the range reads as zeros.
    pub fn zero(&mut self, name: &str, offset: u64, len: u64) {
        self.file(name)[offset as usize..(offset + len) as usize].fill(0);
    }

    /// A file cut short, or extended by zeros.
    pub fn resize(&mut self, name: &str, len: u64) {
        self.file(name).resize(len as usize, 0);
    }

    /// A misdirected write: the block at `from` is found at `to` as well.
    pub fn misdirect(&mut self, name: &str, from: u64, to: u64, len: u64) {
        self.file(name)
            .copy_within(from as usize..(from + len) as usize, to as usize);
    }

    /// A lost write: the range reads as it did in `older`.
    ///
    /// # Panics
    /// If `older` lacks the file or the range.
    pub fn stale(&mut self, name: &str, older: &Image, offset: u64, len: u64) {
        let range = offset as usize..(offset + len) as usize;
        let old = &older.files[name][range.clone()];
        self.file(name)[range].copy_from_slice(old);
    }
}
