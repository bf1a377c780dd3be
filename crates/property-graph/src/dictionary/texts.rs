//! Choice of the text values that get a code.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Texts of which sightings are counted at the same time.
const COUNTED: usize = 1 << 16;

/// Policy for the text values that are stored as codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextPolicy {
    pub(crate) least_bytes: usize,
    pub(crate) most_bytes: usize,
    /// So often a text has to be written to the medium before it gets a code.
    pub(crate) sightings: u8,
    /// So many texts get a code; their strings are all in DRAM.
    pub(crate) most_codes: u32,
}

impl Default for TextPolicy {
    /// 4 to 64 bytes, eight times, 65 536 texts: at most 8 MiB of DRAM.
    fn default() -> Self {
        TextPolicy {
            least_bytes: 4,
            most_bytes: 64,
            sightings: 8,
            most_codes: 1 << 16,
        }
    }
}

/// How often texts without a code were seen lately, by their hashes: two texts of
/// the same hash count as one, which does no harm.
#[derive(Default)]
pub(super) struct Sightings {
    counts: HashMap<u64, u8>,
}

impl Sightings {
    /// Counts a sighting; whether the text has been seen often enough.
    pub(super) fn is_worth_a_code(&mut self, text: &str, policy: &TextPolicy) -> bool {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        if self.counts.len() >= COUNTED {
            // All counts are dropped: a text that comes often is soon counted again.
            self.counts.clear();
        }
        let count = self.counts.entry(hasher.finish()).or_insert(0);
        *count = count.saturating_add(1);
        *count >= policy.sightings
    }
}
