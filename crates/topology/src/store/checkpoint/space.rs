//! A full disk: what is kept for it, and how merges do with little.

use std::sync::atomic::Ordering;

use evergraph_storage::{MediumError, StorageError};

use crate::error::TopologyError;
use crate::section::Wanted;
use crate::store::checkpoint::{Checkpointer, Purpose, RootState};
use crate::store::live::Named;

/// Of the space in use, so much is kept for merges that make room...
const RESERVED_SHARE: u64 = 32;
/// ...but at least that, and at most what the log holds, which such a merge may add.
const LEAST_RESERVE: u64 = 128 << 10;

impl Checkpointer {
    /// Keeps some space of the extents' file for merges that make room.
    pub(in crate::store) fn keep_reserve(&self) {
        if self.live.direct.is_some() {
            return;
        }
        let region = &self.live.resources.volume.region;
        let least = LEAST_RESERVE.min(self.live.config.growth_step / 4);
        let most = self.live.config.log_bytes.max(least);
        region.keep_reserve((region.used_bytes() / RESERVED_SHARE).clamp(least, most));
    }

    /// Merges. Where the disk has no room for all of it at once, in parts: each gives back
    /// what it replaces before the next begins.
    pub(in crate::store) fn merge_in_parts(
        &self,
        roots: &mut RootState,
        sections: &[Named],
        purpose: Purpose<'_>,
        clean: bool,
        with_extension: bool,
    ) -> Result<(), TopologyError> {
        let merged = self.merge(roots, sections, purpose, clean, with_extension);
        if !merged.as_ref().is_err_and(is_no_space) || sections.len() <= 1 {
            return merged;
        }
        // A publication that failed is no matter of space any more.
        self.live.status.refuse_if_failed()?;
        let drops = self.live.makes_room.load(Ordering::Acquire);
        let (of_first, of_rest) = match purpose {
            // Tombstones would take the space that what they delete could give.
            Purpose::All(Wanted::Merged) if drops => {
                (Wanted::Compacted.into(), Wanted::Compacted.into())
            }
            Purpose::Flattened => (Wanted::Compacted.into(), purpose),
            other => (other, other),
        };
        let (first, rest) = sections.split_at(sections.len() / 2);
        self.merge_in_parts(roots, first, of_first, false, false)?;
        self.merge_in_parts(roots, rest, of_rest, clean, with_extension)
    }
}

fn is_no_space(error: &TopologyError) -> bool {
    use StorageError::Medium;
    matches!(
        error,
        TopologyError::Storage(Medium(MediumError::NoSpace { .. }))
    )
}
