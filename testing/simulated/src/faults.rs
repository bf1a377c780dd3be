//! Faults: calls that fail, calls that do nothing, and damaged images.

use std::collections::{BTreeMap, BTreeSet};

use crate::budget::Depth;
use crate::choices::Random;

/// The system's answer to a call that is planned to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// `ENOSPC`. A write or grow has changed nothing.
    NoSpace,
    /// `EIO`. A write has stored some first part of its bytes.
    Io,
    /// As `Io`. A fence has lost what was stored since the one before it: the running
    /// system shows it all the same, and takes it for durable.
    Lost,
}

/// A call that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFailure {
    /// Number of the call among those of its kind, from 0, over all files.
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

/// Faults injected below the data structures in one run.
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
    /// The process is killed before this call, counted over all kinds: from then on
    /// calls change nothing and fail.
    pub kill: Option<u64>,
}

/// Calls that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// `write`, `write_through` and `discard`.
    Write,
    /// `grow` and `reserve`.
    Grow,
    /// `fence`.
    Fence,
    /// `fence`, which loses what it should make durable ([`FaultKind::Lost`]).
    LosingFence,
    /// `sync_names`.
    SyncNames,
}

impl CallKind {
    /// All.
    pub const ALL: [CallKind; 5] = [
        CallKind::Write,
        CallKind::Grow,
        CallKind::Fence,
        CallKind::LosingFence,
        CallKind::SyncNames,
    ];

    fn name(self) -> &'static str {
        match self {
            CallKind::Write => "write",
            CallKind::Grow => "grow",
            CallKind::Fence => "fence",
            CallKind::LosingFence => "lost",
            CallKind::SyncNames => "sync-names",
        }
    }
}

/// A call that fails, for the names of scenarios: `fence@3`; with `!`, it and all that
/// follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailingCall {
    /// Kind of the call.
    pub kind: CallKind,
    /// Number of the call among those of its kind, from 0.
    pub call: u64,
    /// Whether later ones fail, too.
    pub sticky: bool,
}

impl std::fmt::Display for FailingCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let for_ever = if self.sticky { "!" } else { "" };
        write!(f, "{}@{}{for_ever}", self.kind.name(), self.call)
    }
}

impl FailingCall {
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        let unreadable = || format!("end {name:?}");
        let (kind, call) = name.split_once('@').ok_or_else(unreadable)?;
        let kind = CallKind::ALL.into_iter().find(|of| of.name() == kind);
        let (call, sticky) = match call.strip_suffix('!') {
            Some(call) => (call, true),
            None => (call, false),
        };
        Ok(Self {
            kind: kind.ok_or_else(unreadable)?,
            call: call.parse().map_err(|_| unreadable())?,
            sticky,
        })
    }

    /// A full disk where something grows, a broken one elsewhere.
    pub(super) fn plan(self) -> FaultPlan {
        let failure = |kind| {
            Some(PlannedFailure {
                call: self.call,
                kind,
                sticky: self.sticky,
            })
        };
        let mut plan = FaultPlan::default();
        match self.kind {
            CallKind::Write => plan.fail_write = failure(FaultKind::Io),
            CallKind::Grow => plan.fail_grow = failure(FaultKind::NoSpace),
            CallKind::Fence => plan.fail_fence = failure(FaultKind::Io),
            CallKind::LosingFence => plan.fail_fence = failure(FaultKind::Lost),
            CallKind::SyncNames => plan.fail_sync_names = failure(FaultKind::Io),
        }
        plan
    }
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
    /// Calls of all kinds.
    pub fn all(self) -> u64 {
        self.writes + self.grows + self.flushes + self.fences + self.name_syncs
    }

    /// Calls of one kind.
    pub fn of(self, kind: CallKind) -> u64 {
        match kind {
            CallKind::Write => self.writes,
            CallKind::Grow => self.grows,
            CallKind::Fence | CallKind::LosingFence => self.fences,
            CallKind::SyncNames => self.name_syncs,
        }
    }

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

/// Bits of `bytes` bytes to be flipped: in a short run one of every byte, so that every
/// field is hit, and two thousand that `seed` picks; in a deep one all.
pub fn flips(bytes: u64, seed: u64) -> Vec<u64> {
    if Depth::asked() == Depth::Deep {
        return (0..8 * bytes).collect();
    }
    let mut random = Random::new(seed);
    let mut bits: BTreeSet<u64> = (0..bytes).map(|byte| 8 * byte + random.below(8)).collect();
    let more = if bytes == 0 { 0 } else { 2000 };
    bits.extend((0..more).map(|_| random.below(8 * bytes)));
    bits.into_iter().collect()
}

impl Image {
    /// The bytes of a file.
    ///
    /// # Panics
    /// If there is no such file: the test is wrong.
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
