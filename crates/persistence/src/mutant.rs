//! Seeded mistakes, for measuring the crash explorer.
//!
//! A persistence step asks [`active`] whether the current thread wants it done
//! wrongly. Without the feature `mutants` the answer is a constant `false` and
//! the mistakes are not in the program at all. The campaign in `simulation`
//! switches them on one by one; each must be caught.

/// Declares the seeded mistakes: name, and what goes wrong.
macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// A seeded persistency mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Mutant { $($(#[$doc])* $name),* }

        /// All of them, in order.
        pub const ALL: &[Mutant] = &[$(Mutant::$name),*];
    };
}

mutants! {
    /// Commit log: records are not flushed before the fence.
    LogRecordsNotFlushed,
    /// Commit log: only the record's header is flushed.
    LogFlushesHeaderOnly,
    /// Commit log: acknowledged before the fence.
    LogFenceMissing,
    /// Commit log: any record that is not zero counts as valid (DGAP's log).
    LogValidByNonzero,
    /// Commit log: replay loses the first record (log count off by one, DGAP).
    LogReplayOffByOne,
    /// Commit log: a reopened log continues in the epoch of the torn tail.
    LogEpochNotBumped,
    /// Extents: only the first half of the content is flushed.
    ExtentHalfFlushed,
    /// Root: both slots are written before one fence.
    RootSlotsShareOneFence,
    /// Root: the second slot is never written, though space is reclaimed.
    RootSecondSlotSkipped,
    /// Checkpoint: the directory is written before the sections are durable.
    SectionsNotFenced,
    /// Checkpoint: the root is published before the directory is durable.
    DirectoryNotFenced,
    /// Checkpoint: the root claims commits that are not merged.
    RootLogStartTooFar,
    /// Checkpoint: old extents are reused before the new root is published.
    OldExtentsFreedFirst,
    /// Open: the mark of a clean stop survives into the next life (DGAP).
    CleanMarkClearedTooLate,
    /// Directory: stored blocks are believed without their checksum.
    DirectoryCrcIgnored,
}

#[cfg(feature = "mutants")]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Whether the step must be done wrongly on this thread.
#[inline(always)]
pub fn active(mutant: Mutant) -> bool {
    #[cfg(feature = "mutants")]
    {
        ACTIVE.with(|a| a.get() == Some(mutant))
    }
    #[cfg(not(feature = "mutants"))]
    {
        let _ = mutant;
        false
    }
}

/// Switches one mistake on for this thread, or all off.
#[cfg(feature = "mutants")]
pub fn set(mutant: Option<Mutant>) {
    ACTIVE.with(|a| a.set(mutant));
}
