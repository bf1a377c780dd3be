//! Leaves: pages of sorted entries, with the common prefix of their keys kept once.
//!
//! ```text
//! 0   checksum, bound to the place     4
//! 4   number of entries                2
//! 6   length of the common beginning   2
//! 8   reserved                         8
//! 16  where each entry begins, and where the last ends   2 each
//!     the common beginning of the keys
//!     entries: marks 1, id 4, begin 8 if marked, end 8 if marked, rest of the key
//! ```

use evergraph_storage::layout::{Field, tiles};
use evergraph_storage::{Uuid, checksum};

use super::entry::{EntryRef, Interval};

const HEAD: usize = 16;
const SLOT: usize = 2;

// Fields of the head.
const CRC: Field = (0, 4);
const COUNT: Field = (4, 2);
const PREFIX_LEN: Field = (6, 2);
const _: () = assert!(tiles(&[CRC, COUNT, PREFIX_LEN, (8, 8)], HEAD));
const _: () = assert!(
    super::geometry::MOST_LEAF_BYTES <= u16::MAX as usize,
    "two bytes say where an entry begins"
);
const HAS_BEGIN: u8 = 1;
const HAS_END: u8 = 2;

/// A leaf that was verified.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    bytes: &'a [u8],
    count: usize,
    prefix: &'a [u8],
}

/// An entry of a leaf: its key is the leaf's beginning and this rest.
#[derive(Clone, Copy)]
pub(super) struct LeafEntry<'a> {
    pub(super) rest: &'a [u8],
    pub(super) id: u32,
    pub(super) interval: Interval,
}

impl<'a> Leaf<'a> {
    /// A leaf that was checked before.
    #[inline]
    pub(super) fn checked_before(bytes: &'a [u8]) -> Self {
        let count = number(bytes, COUNT.0);
        let start = HEAD + SLOT * (count + 1);
        Leaf {
            bytes,
            count,
            prefix: &bytes[start..start + number(bytes, PREFIX_LEN.0)],
        }
    }

    /// Verifies that the bytes are a leaf that was written to this place; else returns
    /// the problem.
    pub(super) fn check(bytes: &'a [u8], uuid: &Uuid, offset: u64) -> Result<Self, &'static str> {
        let stored = bytes.first_chunk().copied().map(u32::from_le_bytes);
        if bytes.len() < HEAD || stored != Some(checksum(uuid, offset, &bytes[CRC.1..])) {
            return Err("a leaf of an index has a wrong checksum");
        }
        Self::check_structure(bytes).ok_or("a leaf of an index does not hold together")
    }

    fn check_structure(bytes: &'a [u8]) -> Option<Self> {
        let count = number(bytes, COUNT.0);
        let start = HEAD + SLOT * (count + 1);
        let prefix = bytes.get(start..)?.get(..number(bytes, PREFIX_LEN.0))?;
        if count == 0 {
            return None;
        }
        let leaf = Leaf {
            bytes,
            count,
            prefix,
        };
        let mut expected = start + prefix.len();
        for i in 0..count {
            let (from, to) = (leaf.slot(i), leaf.slot(i + 1));
            let marks = *bytes.get(from)?;
            let holds = from == expected && marks <= 3 && to <= bytes.len();
            if !holds || to < from + head(marks) {
                return None;
            }
            expected = to;
        }
        let order = |i: usize| {
            let entry = leaf.entry(i);
            (entry.rest, entry.id, entry.interval)
        };
        let ascends = (1..count).all(|i| order(i - 1) < order(i));
        ascends.then_some(leaf)
    }

    /// Number of entries, at least one.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn prefix(&self) -> &'a [u8] {
        self.prefix
    }

    fn slot(&self, i: usize) -> usize {
        number(self.bytes, HEAD + SLOT * i)
    }

    #[inline]
    fn bytes_of(&self, i: usize) -> &'a [u8] {
        let [from, from_high, to, to_high] = word(self.bytes, HEAD + SLOT * i);
        let end = |bytes| usize::from(u16::from_le_bytes(bytes));
        &self.bytes[end([from, from_high])..end([to, to_high])]
    }

    /// The key of an entry behind the common beginning, and its id.
    #[inline]
    fn key(&self, i: usize) -> (&'a [u8], u32) {
        let bytes = self.bytes_of(i);
        let id = u32::from_le_bytes(word(bytes, 1));
        (&bytes[head(bytes[0])..], id)
    }

    #[inline]
    pub(super) fn entry(&self, i: usize) -> LeafEntry<'a> {
        let bytes = self.bytes_of(i);
        let (marks, id) = (bytes[0], u32::from_le_bytes(word(bytes, 1)));
        let mut at = 5;
        let mut interval = Interval::ALWAYS;
        if marks & HAS_BEGIN != 0 {
            interval.begin = u64::from_le_bytes(word(bytes, at));
            at += 8;
        }
        if marks & HAS_END != 0 {
            interval.end = u64::from_le_bytes(word(bytes, at));
            at += 8;
        }
        LeafEntry {
            rest: &bytes[at..],
            id,
            interval,
        }
    }

    /// The first entry that is not before this one.
    pub(super) fn lower_bound(&self, (key, id): EntryRef<'_>) -> usize {
        let common = key.len().min(self.prefix.len());
        match key[..common].cmp(&self.prefix[..common]) {
            std::cmp::Ordering::Less => return 0,
            std::cmp::Ordering::Greater => return self.count,
            std::cmp::Ordering::Equal if key.len() < self.prefix.len() => return 0,
            std::cmp::Ordering::Equal => {}
        }
        let rest = &key[common..];
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            match self.key(middle) < (rest, id) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

#[inline]
fn number(bytes: &[u8], at: usize) -> usize {
    u16::from_le_bytes(word(bytes, at)).into()
}

#[inline]
fn word<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("as many bytes")
}

/// Bytes of an entry before its key.
#[inline]
fn head(marks: u8) -> usize {
    5 + 8 * marks.count_ones() as usize
}

fn marks(interval: Interval) -> u8 {
    let begin = if interval.begin > 0 { HAS_BEGIN } else { 0 };
    let end = if interval.is_closed() { HAS_END } else { 0 };
    begin | end
}

/// Takes ascending entries until a leaf is full.
pub(super) struct LeafBuilder {
    leaf_bytes: usize,
    keys: Vec<u8>,
    entries: Vec<(usize, u32, Interval)>,
    /// Bytes of all entries as if nothing were common to the keys.
    long_bytes: usize,
}

impl LeafBuilder {
    pub(super) fn new(leaf_bytes: usize) -> Self {
        LeafBuilder {
            leaf_bytes,
            keys: Vec::new(),
            entries: Vec::new(),
            long_bytes: 0,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    fn first_key(&self) -> &[u8] {
        let end = self.entries.first().map_or(0, |first| first.0);
        &self.keys[..end]
    }

    /// Adds an entry, once for each of its intervals, which ascend. If they do not
    /// fit, says so, and nothing has changed.
    pub(super) fn push(&mut self, (key, id): EntryRef<'_>, intervals: &[Interval]) -> bool {
        let count = self.entries.len() + intervals.len();
        let common = match self.entries.is_empty() {
            true => key.len(),
            false => common_len(self.first_key(), key),
        };
        let heads = intervals.iter().map(|&interval| head(marks(interval)));
        let long_bytes = self.long_bytes + heads.sum::<usize>() + intervals.len() * key.len();
        let bytes = HEAD + SLOT * (count + 1) + common + long_bytes - count * common;
        if bytes > self.leaf_bytes {
            return false;
        }
        for &interval in intervals {
            self.keys.extend_from_slice(key);
            self.entries.push((self.keys.len(), id, interval));
        }
        self.long_bytes = long_bytes;
        true
    }

    /// The leaf but for its checksum; the builder is empty again.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let count = self.entries.len();
        let last = match count {
            0 | 1 => 0,
            _ => self.entries[count - 2].0,
        };
        let common = common_len(self.first_key(), &self.keys[last..]);
        let mut bytes = vec![0; HEAD + SLOT * (count + 1)];
        bytes[COUNT.0..][..COUNT.1].copy_from_slice(&(count as u16).to_le_bytes());
        bytes[PREFIX_LEN.0..][..PREFIX_LEN.1].copy_from_slice(&(common as u16).to_le_bytes());
        bytes.extend_from_slice(&self.keys[..common]);
        let mut from = 0;
        for (i, &(to, id, interval)) in self.entries.iter().enumerate() {
            let at = bytes.len() as u16;
            bytes[HEAD + SLOT * i..][..SLOT].copy_from_slice(&at.to_le_bytes());
            let marks = marks(interval);
            bytes.push(marks);
            bytes.extend_from_slice(&id.to_le_bytes());
            if marks & HAS_BEGIN != 0 {
                bytes.extend_from_slice(&interval.begin.to_le_bytes());
            }
            if marks & HAS_END != 0 {
                bytes.extend_from_slice(&interval.end.to_le_bytes());
            }
            bytes.extend_from_slice(&self.keys[from + common..to]);
            from = to;
        }
        let end = bytes.len() as u16;
        bytes[HEAD + SLOT * count..][..SLOT].copy_from_slice(&end.to_le_bytes());
        debug_assert!(
            bytes.len() <= self.leaf_bytes,
            "{count} entries take {} bytes of a leaf's {}: `push` counts what `finish` writes",
            bytes.len(),
            self.leaf_bytes
        );
        bytes.resize(self.leaf_bytes, 0);
        debug_assert!(
            Leaf::check_structure(&bytes).is_some(),
            "a leaf that the next opening would refuse: are its {count} entries ascending?"
        );
        self.keys.clear();
        self.entries.clear();
        self.long_bytes = 0;
        bytes
    }
}

/// Sets the checksum of a leaf that will lie at `offset`.
pub(super) fn seal(leaf: &mut [u8], uuid: &Uuid, offset: u64) {
    let sum = checksum(uuid, offset, &leaf[CRC.1..]);
    leaf[..CRC.1].copy_from_slice(&sum.to_le_bytes());
}

/// How many bytes two keys have in common at their beginning.
pub(super) fn common_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Interval, LeafBuilder};

    fn leaf(entries: &[(&[u8], u32)]) {
        let mut builder = LeafBuilder::new(256);
        for &entry in entries {
            assert!(builder.push(entry, &[Interval::ALWAYS]));
        }
        builder.finish();
    }

    #[test]
    fn entries_ascend_by_key_and_id() {
        leaf(&[(b"a", 2), (b"b", 1), (b"b", 2)]);
    }

    #[test]
    #[should_panic(expected = "that the next opening would refuse")]
    fn a_leaf_out_of_order_is_not_written() {
        leaf(&[(b"b", 1), (b"a", 2)]);
    }

    #[test]
    #[should_panic(expected = "that the next opening would refuse")]
    fn an_entry_is_in_a_leaf_once() {
        leaf(&[(b"a", 1), (b"a", 1)]);
    }
}
