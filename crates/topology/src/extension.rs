//! Store extensions: what else lives in a store and changes with its commits.
//!
//! The property graph is one. Its changes travel as opaque payloads in the log
//! record of the edges that they belong to ([`crate::Batch::add_payload`]), are
//! applied in the order of the log before the commit becomes visible, are
//! written out of place by the checkpoints of the store, named by the same root,
//! and replayed by the same recovery. So one store publishes a commit, and there
//! is one order of commits for edges and records.

use std::sync::Arc;

use evergraph_storage::order::Flushed;
use evergraph_storage::{Directory, Needed, Region, StorageError, Uuid};

/// Owners in the section directory from here on are the extension's.
pub const EXTENSION_OWNERS: u32 = 1 << 31;

/// Kinds of tables of the section directory from here on are the extension's.
pub const EXTENSION_BLOBS: u32 = 32;

/// Storage of an extension's extents, and the directory that names them.
pub struct Place<'a> {
    /// Space for extents: [`Region::allocate`], `Draft::finish`.
    pub region: &'a Region,
    /// Identity of the database, part of every checksum.
    pub uuid: &'a Uuid,
    /// Names the extents: owners from [`EXTENSION_OWNERS`], kinds of tables from
    /// [`EXTENSION_BLOBS`] on.
    pub directory: &'a mut Directory,
}

/// Records, dictionaries and indexes that live in a store beside its lists.
///
/// # Order of calls
/// [`StoreExtension::restore`], then [`StoreExtension::apply`] for the log's tail, then
/// the store is open. From there on `apply` comes from one thread at a time, in
/// log order; `write`, `publishing` and `published` (or `abandoned`) come in
/// rounds, one round at a time, while commits are applied and readers read.
pub trait StoreExtension: Send + Sync {
    /// Applies the payloads of one commit, in the order in which they were
    /// added. Called in log order and before the watermark reaches `csn`, so no
    /// view shows it before it is complete.
    ///
    /// Also called at replay, with commits that extents may hold already: it skips
    /// what they do, as it knows up to which commit each of them is merged.
    /// `needed` was gathered before the commit is visible; of what is newer it says
    /// nothing.
    ///
    /// # Errors
    /// The store takes no more commits after one, until it is opened again.
    fn apply(&self, csn: u64, payloads: &[&[u8]], needed: &Needed) -> Result<(), StorageError>;

    /// The oldest commit of which something is not in published extents: the log is
    /// kept from there on.
    fn unmerged_since(&self) -> Option<u64>;

    /// Bytes of DRAM that a checkpoint would free: not what only views hold. They
    /// count for the store's budget of buffers.
    fn unmerged_bytes(&self) -> usize;

    /// Durability steps 1 and 2: writes what is committed up to `csn` and not stored
    /// to new extents, and names them in the directory. Commits after `csn` may be
    /// applied meanwhile, and are not written. The caller fences what is returned
    /// before a root names it, and rolls the directory back if anything fails.
    ///
    /// Versions that `needed` asks for and the new extents do not hold any more have to
    /// be kept: for live views in DRAM, for kept commits (named snapshots) in extents,
    /// because the log will not have it.
    fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError>;

    /// Before Durability step 4: a root on the medium may name what was written from
    /// now on, whatever is reported. Extents that the extension holds itself, not
    /// in tables, are to be marked ([`evergraph_storage::Extent::published`]).
    /// If the publication fails, nothing follows: the store is closed to writers.
    fn publishing(&self) {}

    /// Durability step 6: the root is durable. Readers are switched to the new
    /// extents, the old are retired. `needed` is asked now, under the lock
    /// that guards what is dropped.
    fn published(&self, needed: &dyn Fn() -> Needed);

    /// No root names what was written: what is not merged still is not.
    fn abandoned(&self);

    /// Recovery step R3: claims the extents that the directory names
    /// ([`Region::adopt`]; tables are claimed already), and reads what has to be
    /// known at once.
    fn restore(&self, place: &mut Place<'_>) -> Result<(), StorageError>;

    /// Verifies everything as of the newest commit `csn`; one sentence a problem.
    fn check(&self, csn: u64, problems: &mut Vec<String>);
}

/// The extension of a store, if it has one.
pub(crate) type Extension = Option<Arc<dyn StoreExtension>>;

/// Whether the directory names anything of an extension.
pub(crate) fn is_named(directory: &Directory) -> bool {
    directory
        .entries()
        .any(|(key, _)| key.owner >= EXTENSION_OWNERS)
        || directory.has_blobs_from(EXTENSION_BLOBS)
}
