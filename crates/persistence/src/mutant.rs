//! Seeded mistakes, for measuring the crash explorer.
//!
//! A persistence step asks [`active`] whether the current thread wants it done
//! wrongly. Without the feature `mutants` the answer is a constant `false` and
//! the mistakes are not in the program at all. The campaign in `simulation`
//! switches them on one by one; each must be caught.

/// Declares the seeded mistakes: name, and what goes wrong. Those of results come
/// after a semicolon, those of the order between results and snapshots after another,
/// and those of the property graph after a third.
macro_rules! mutants {
    (
        $($(#[$doc:meta])* $name:ident),* $(,)?;
        $($(#[$result_doc:meta])* $result:ident),* $(,)?;
        $($(#[$held_doc:meta])* $held:ident),* $(,)?;
        $($(#[$property_doc:meta])* $property:ident),* $(,)?
    ) => {
        /// A seeded persistency mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Mutant {
            $($(#[$doc])* $name,)*
            $($(#[$result_doc])* $result,)*
            $($(#[$held_doc])* $held,)*
            $($(#[$property_doc])* $property,)*
        }

        /// All that concern the graph, in order.
        pub const ALL: &[Mutant] = &[$(Mutant::$name),*];

        /// All that concern results, in order.
        pub const RESULTS: &[Mutant] = &[$(Mutant::$result),*];

        /// All that concern the snapshots that results need, in order.
        pub const HELD: &[Mutant] = &[$(Mutant::$held),*];

        /// All that concern records, names, indexes and constraints, in order.
        pub const PROPERTIES: &[Mutant] = &[$(Mutant::$property),*];
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
    /// Checkpoint: one touched section is not merged, though the root says so.
    CheckpointForgetsSection,
    /// Checkpoint: named facts are not stored, though their log is freed.
    CheckpointForgetsFacts,
    /// Open: replay applies what a section has merged already, after a root
    /// whose sections are newer than its commit.
    ReplayIgnoresMerged,
    /// Merge: the log is freed up to the newest commit, though some sections
    /// are merged only up to an older one.
    LogFreedTooFar,
    /// Blocks: what goes behind published entries is not flushed.
    BlocksFillNotFlushed,
    /// Blocks: space of a compacted list is used again before the root that
    /// does not need it is published (XPGraph's compaction in place).
    BlocksReusedTooEarly,
    /// Blocks: the slabs of a section that is written whole are used again
    /// before the root that does not name them is published.
    BlocksRewriteFreesFirst,
    /// History: a merge does not store the lengths of the past that it jumps over.
    HistoryDroppedAtMerge,
    /// History: a segment is written after the root that should name it.
    HistoryAfterRoot,
    /// History: segments that were joined are used again before the root that does
    /// not name them is published.
    HistoryFreedFirst,
    /// History: lengths that are stored are told again with the next merge.
    HistoryStoredTwice,
    /// History: names of snapshots are not stored, though their log is freed.
    NamesNotStored,
    /// History: a dropped snapshot is not written to the table.
    DropForgotten,
    /// Compaction: drops entries that only snapshots show.
    CompactionIgnoresSnapshots,
    /// Open: replay does not tell the lengths as of a snapshot from those after it.
    ReplayJumpsSnapshots,
    /// Change of layout: the directory does not say that a section has another.
    RelayoutUnmarked,
    /// Checkpoint: the root is published before the directory is durable.
    DirectoryNotFenced,
    /// Checkpoint: old extents are reused before the new root is published.
    OldExtentsFreedFirst,
    /// Open: the mark of a clean stop survives into the next life (DGAP).
    CleanMarkClearedTooLate,
    /// Sealing: the root that names a sealed graph is published before its pieces
    /// are durable.
    SealedPiecesNotFlushed,
    /// Sealing: the pieces of a sealed graph are used again before the root that
    /// does not name them is published.
    SealedFreedFirst,
    /// Open: the pieces of sealed graphs are not claimed, and used again.
    SealedNotClaimed,
    /// Attachment: payloads are applied after their commit is visible.
    AttachedAppliedLate,
    /// Attachment: what it writes is named by the root after the next one, though
    /// the log is freed.
    AttachedAfterRoot,
    /// Attachment: what it replaces is used again before the root that does not name
    /// it is published.
    AttachedFreedFirst,
    /// Attachment: the log is freed further than it has merged.
    AttachedLogFreedTooFar,
    /// Attachment: replay does not hand it its part of the log.
    AttachedNotReplayed,
    /// Attachment: replay hands it each part twice.
    AttachedReplayedTwice,
    /// Attachment: what the root names of it is not claimed at the opening, and used
    /// again.
    AttachedNotClaimed,
    /// Sealing: the graphs of dropped snapshots stay.
    SealedOrphansKept,
    /// Direct mode: not the edge but another address is flushed (DGAP's logs).
    DirectWrongAddressFlushed,
    /// Direct mode: an edge is acknowledged before the fence.
    DirectEdgeNotFenced,
    /// Direct mode: a section is published before its new extent is durable.
    DirectSlotBeforeExtent,
    /// Direct mode: the slot of a rewritten section is not flushed, though the
    /// old extent is reused.
    DirectSlotNotFlushed,
    /// Direct mode: the old extent is reused before the new one is published
    /// (DGAP's resize).
    DirectOldFreedFirst,
    /// Direct mode: recovery does not read the edge log (DGAP).
    DirectEdgeLogIgnored,
    /// Direct mode: recovery reads the edge log from the second entry on.
    DirectEdgeLogOffByOne,
    /// Direct mode with weights: half an entry of the edge log counts.
    DirectTornEntryCounts,
    /// Direct mode: the vertex count becomes durable after the edge.
    DirectVertexCountLate,
    /// Direct mode: a rewrite drops what its edge log held.
    DirectRewriteLosesLog,
    /// Direct mode: a new slot is counted before it is durable.
    SlotCountedFirst,
    /// Direct mode: the mark of whose slots they are is not flushed at creation.
    SlotsIdentityNotFlushed,
    /// Commit log: the mark of whose log it is is not flushed at creation.
    LogIdentityNotFlushed,
    /// Direct mode: the first of two lists is stored before the intent is
    /// durable.
    IntentNotFenced,
    /// Direct mode: recovery does not read the intents.
    IntentsIgnored,
    /// Direct mode: recovery appends what a list does not hold, and not what it
    /// is too short by.
    IntentRedoneByValue;
    /// Results: the root is published before blocks and manifest are durable.
    ResultRootBeforeBlocks,
    /// Results: a block of which the beginning is the same counts as the same.
    ResultChangedBlockShared,
    /// Results: what the version before holds alone is reused before the root
    /// without it is published.
    ResultFreedFirst,
    /// Results: the extents' file has no durable name when the pool file is made.
    ResultPoolFirst;
    /// Maintained results: the graph of the version before is released before the new
    /// version is durable.
    HeldReleasedFirst,
    /// Results that are dropped: their graph is released before they are gone.
    HeldDroppedFirst;
    /// Index: the root names a manifest whose extents are not durable.
    IndexExtentsNotFlushed,
    /// Index: changes are dropped when they are written, not when a root names them.
    IndexDeltaDroppedFirst,
    /// Dictionary: the root names records whose codes are on a page that is not
    /// durable.
    DictionaryPageNotFlushed,
    /// Ids: an id is given away while a view or a named snapshot shows what it named.
    IdGivenWhileShown,
    /// Records: the history table loses what a named snapshot shows.
    RecordHistoryDropped,
    /// Constraints: one is made while writers are on their way that did not know it.
    SchemaNotLocked,
    /// Records: the log of a chunk that was loaded is freed before the chunk is on the
    /// medium.
    LoadNotKept,
    /// Records: the log of nodes is freed further than they are merged.
    NodesLogFreedTooFar,
    /// Records: where nothing is, the moment since when is not kept, so that an id may
    /// be given away that a snapshot shows.
    BirthForgotten,
    /// History: segments of records that were joined are used again before the root
    /// that does not name them is published.
    RecordHistoryFreedFirst,
    /// Dictionary: what tables use while they write is stored one round late.
    DictionaryBeforeTables,
    /// Dictionary: behind a full page its items are written over.
    DictionaryFullPageLost,
    /// Choices: the size of chunks is not stored before the first commit.
    ChoicesNotStored,
    /// Definitions: one counts as held to before all there is was held to it.
    ConfirmedTooEarly,
    /// Definitions: the table says of all that they are held to.
    StoredAsConfirmed,
    /// Definitions: what says that one is held to is not kept until it is stored.
    ConfirmationNotKept,
    /// Open: what was not held to when the process ended stays.
    UnconfirmedKept,
}

impl Mutant {
    /// Whether it is made where something is attached to a store, and nowhere else.
    pub fn is_of_attachments(self) -> bool {
        use Mutant::{
            AttachedAfterRoot, AttachedAppliedLate, AttachedFreedFirst, AttachedLogFreedTooFar,
            AttachedNotClaimed, AttachedNotReplayed, AttachedReplayedTwice,
        };
        matches!(
            self,
            AttachedAppliedLate
                | AttachedAfterRoot
                | AttachedFreedFirst
                | AttachedLogFreedTooFar
                | AttachedNotReplayed
                | AttachedReplayedTwice
                | AttachedNotClaimed
        )
    }

    /// Whether it is made where graphs are sealed, and nowhere else.
    pub fn is_of_sealing(self) -> bool {
        use Mutant::{
            SealedFreedFirst, SealedNotClaimed, SealedOrphansKept, SealedPiecesNotFlushed,
        };
        matches!(
            self,
            SealedPiecesNotFlushed | SealedFreedFirst | SealedNotClaimed | SealedOrphansKept
        )
    }
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

/// Guards the means that only seeded mistakes use.
///
/// # Panics
/// In a program without the feature `mutants`.
pub(crate) fn assert_seeded() {
    if !cfg!(feature = "mutants") {
        panic!("only a seeded mistake comes here");
    }
}

/// Switches one mistake on for this thread, or all off.
#[cfg(feature = "mutants")]
pub fn set(mutant: Option<Mutant>) {
    ACTIVE.with(|a| a.set(mutant));
}
