//! Sizes of an index, and where its pages are.

/// Placement of an index's pages (Poseidon, section 7.4, Figure 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Leaves on the medium, inner pages in DRAM: a lookup reads one page of the
    /// medium. The one to use; the others are for comparison.
    Hybrid,
    /// All pages in DRAM; at every opening the index is built again.
    Volatile,
    /// All pages on the medium: a lookup reads one page a level.
    OnMedium,
}

/// Bytes of the largest leaf.
pub(super) const MOST_LEAF_BYTES: usize = 32 << 10;
/// Leaves are multiples of it: media write so many bytes at once.
pub(super) const LEAF_STEP: usize = 256;

/// Sizes of an index. All can be tiny, for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of a leaf, a multiple of 256, at most 32 KiB.
    pub leaf_bytes: usize,
    /// The most leaves that are written in one extent.
    pub leaves_per_extent: usize,
    /// Longer keys are cut to so many bytes: lookups find their hits and, before the
    /// records are looked at, some that only begin the same.
    pub key_bytes: usize,
}

impl Geometry {
    /// As these numbers, each moved to the nearest that works.
    pub fn checked(self) -> Self {
        let leaf_bytes = self
            .leaf_bytes
            .next_multiple_of(LEAF_STEP)
            .clamp(LEAF_STEP, MOST_LEAF_BYTES);
        Geometry {
            leaf_bytes,
            leaves_per_extent: self.leaves_per_extent.clamp(1, 1 << 12),
            // At least four entries a leaf, whatever their keys are.
            key_bytes: self.key_bytes.clamp(8, leaf_bytes / 4 - 32),
        }
    }
}

impl Default for Geometry {
    /// Leaves of 4 KiB, 32 of them an extent, keys of up to 512 bytes.
    fn default() -> Self {
        Geometry {
            leaf_bytes: 4096,
            leaves_per_extent: 32,
            key_bytes: 512,
        }
    }
}
