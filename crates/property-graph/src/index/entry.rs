//! Entries of an index: a key, and the id of a record that has it.

use std::borrow::Borrow;
use std::cmp::Ordering;

use smallvec::SmallVec;

/// A key and an id, as they order: by key, then by id.
pub(super) type EntryRef<'a> = (&'a [u8], u32);

/// A key in DRAM, in place where it is short: a number, or a text of 14 bytes.
pub(crate) type KeyBytes = SmallVec<[u8; 16]>;

/// An entry in DRAM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntryKey {
    pub(super) key: KeyBytes,
    pub(super) id: u32,
}

impl EntryKey {
    pub(super) fn new((key, id): EntryRef<'_>) -> Self {
        EntryKey {
            key: KeyBytes::from_slice(key),
            id,
        }
    }

    pub(super) fn parts(&self) -> EntryRef<'_> {
        (&self.key, self.id)
    }

    /// Estimated DRAM of an entry as a key of a map, without its value.
    pub(super) fn bytes((key, _): EntryRef<'_>) -> usize {
        let elsewhere = match key.len() > KeyBytes::new().inline_size() {
            true => key.len(),
            false => 0,
        };
        // A map's pages are part empty.
        elsewhere + size_of::<EntryKey>() * 3 / 2
    }
}

impl Ord for EntryKey {
    fn cmp(&self, other: &Self) -> Ordering {
        // Most keys differ in their first bytes, and comparing those is no call.
        match (self.key.first_chunk::<8>(), other.key.first_chunk()) {
            (Some(own), Some(others)) if own != others => {
                u64::from_be_bytes(*own).cmp(&u64::from_be_bytes(*others))
            }
            _ => self.parts().cmp(&other.parts()),
        }
    }
}

impl PartialOrd for EntryKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Lets maps be searched by a borrowed entry.
pub(super) trait AsEntry {
    fn as_entry(&self) -> EntryRef<'_>;
}

impl AsEntry for EntryKey {
    fn as_entry(&self) -> EntryRef<'_> {
        self.parts()
    }
}

impl AsEntry for EntryRef<'_> {
    fn as_entry(&self) -> EntryRef<'_> {
        *self
    }
}

impl PartialEq for dyn AsEntry + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.as_entry() == other.as_entry()
    }
}

impl Eq for dyn AsEntry + '_ {}

impl PartialOrd for dyn AsEntry + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn AsEntry + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_entry().cmp(&other.as_entry())
    }
}

impl<'a> Borrow<dyn AsEntry + 'a> for EntryKey {
    fn borrow(&self) -> &(dyn AsEntry + 'a) {
        self
    }
}

/// The commits as of which a stored entry is visible: `begin <= csn < end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Interval {
    /// 0 also where no reader could tell the difference.
    pub(super) begin: u64,
    /// [`Interval::OPEN`] if it has not been removed.
    pub(super) end: u64,
}

impl Interval {
    pub(super) const OPEN: u64 = u64::MAX;
    /// Visible at every commit.
    pub(super) const ALWAYS: Interval = Interval {
        begin: 0,
        end: Interval::OPEN,
    };

    pub(super) fn contains(self, csn: u64) -> bool {
        self.begin <= csn && csn < self.end
    }

    pub(super) fn is_closed(self) -> bool {
        self.end != Interval::OPEN
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::EntryKey;

    proptest! {
        #[test]
        fn entries_order_as_their_parts(
            keys in prop::array::uniform2(prop::collection::vec(prop_oneof![Just(0_u8), Just(255)], 0..20)),
            ids in prop::array::uniform2(0..3_u32),
        ) {
            let parts = [(&keys[0][..], ids[0]), (&keys[1][..], ids[1])];
            let [one, other] = parts.map(EntryKey::new);
            prop_assert_eq!(one.cmp(&other), parts[0].cmp(&parts[1]));
            prop_assert_eq!(one == other, parts[0] == parts[1]);
        }
    }
}
