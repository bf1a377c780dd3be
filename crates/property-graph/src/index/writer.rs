//! Writes ascending entries to new extents.

use std::sync::Arc;

use evergraph_storage::order::Flushed;
use evergraph_storage::{Region, StorageError, Uuid};

use super::base::Fence;
use super::entry::{EntryRef, Interval};
use super::extent::{LeafExtent, NewLeaf, Summary};
use super::geometry::Geometry;
use super::leaf::{LeafBuilder, common_len};

/// Destination of extents.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    Medium { region: &'a Region, uuid: &'a Uuid },
    Memory,
}

/// Takes entries, gives extents.
pub(super) struct ExtentWriter<'a> {
    target: Target<'a>,
    geometry: Geometry,
    builder: LeafBuilder,
    summary: Summary,
    /// First key of the leaf that is being filled.
    fence: Fence,
    last: Fence,
    /// Full leaves that are in no extent yet.
    leaves: Vec<(NewLeaf, Summary)>,
    pub(super) extents: Vec<(Fence, Arc<LeafExtent>)>,
    pub(super) flushed: Vec<Flushed<()>>,
}

impl<'a> ExtentWriter<'a> {
    pub(super) fn new(target: Target<'a>, geometry: Geometry) -> Self {
        ExtentWriter {
            target,
            geometry,
            builder: LeafBuilder::new(geometry.leaf_bytes),
            summary: Summary::default(),
            fence: Fence::default(),
            last: Fence::default(),
            leaves: Vec::new(),
            extents: Vec::new(),
            flushed: Vec::new(),
        }
    }

    /// Begins a new extent, at `fence`; to be called after [`ExtentWriter::end`].
    pub(super) fn begin(&mut self, fence: Fence) {
        self.fence = fence;
    }

    /// Adds the next entry with its intervals, at least one and at most three.
    pub(super) fn push(
        &mut self,
        entry: EntryRef<'_>,
        intervals: &[Interval],
    ) -> Result<(), StorageError> {
        debug_assert!(
            (1..=3).contains(&intervals.len()),
            "{} intervals of one entry: a leaf may not have room for more",
            intervals.len()
        );
        debug_assert!(
            (&self.last.0[..], self.last.1) < entry
                || (self.builder.count() == 0 && self.leaves.is_empty()),
            "entries ascend: {entry:?} after {:?}",
            self.last
        );
        if !self.builder.push(entry, intervals) {
            self.finish_leaf();
            self.fence = separator((&self.last.0, self.last.1), entry);
            let fits = self.builder.push(entry, intervals);
            debug_assert!(fits, "keys are cut so that some fit in a leaf");
            if self.leaves.len() >= 2 * self.geometry.leaves_per_extent {
                self.write_extent(self.geometry.leaves_per_extent)?;
            }
        }
        intervals
            .iter()
            .for_each(|&interval| self.summary.add(interval));
        self.last.0.clear();
        self.last.0.extend_from_slice(entry.0);
        self.last.1 = entry.1;
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<(), StorageError> {
        if self.builder.count() > 0 {
            self.finish_leaf();
        }
        // Two halves, and not a full one and the rest: the next entries come to
        // either.
        if self.leaves.len() > self.geometry.leaves_per_extent {
            self.write_extent(self.leaves.len().div_ceil(2))?;
        }
        if !self.leaves.is_empty() {
            self.write_extent(self.leaves.len())?;
        }
        Ok(())
    }

    fn finish_leaf(&mut self) {
        let leaf = NewLeaf {
            bytes: self.builder.finish(),
            fence: std::mem::take(&mut self.fence),
        };
        self.leaves.push((leaf, std::mem::take(&mut self.summary)));
    }

    fn write_extent(&mut self, leaf_count: usize) -> Result<(), StorageError> {
        debug_assert!((1..=self.leaves.len()).contains(&leaf_count));
        let mut summary = Summary::default();
        let mut leaves = Vec::with_capacity(leaf_count);
        for (leaf, of_leaf) in self.leaves.drain(..leaf_count) {
            summary.include(&of_leaf);
            leaves.push(leaf);
        }
        let fence = leaves[0].fence.clone();
        let extent = match self.target {
            Target::Memory => LeafExtent::in_memory(leaves, summary),
            Target::Medium { region, uuid } => {
                let (extent, flushed) = LeafExtent::write(region, uuid, leaves, summary)?.split();
                self.flushed.push(flushed);
                extent
            }
        };
        self.extents.push((fence, Arc::new(extent)));
        Ok(())
    }
}

/// The shortest fence behind `last` and not behind `first`.
fn separator(last: EntryRef<'_>, first: EntryRef<'_>) -> Fence {
    if last.0 == first.0 {
        return (first.0.to_vec(), first.1);
    }
    debug_assert!(last < first, "{last:?} before {first:?}");
    let len = common_len(last.0, first.0) + 1;
    (first.0[..len.min(first.0.len())].to_vec(), 0)
}
