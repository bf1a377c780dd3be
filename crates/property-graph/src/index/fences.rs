//! Inner pages: where each page of a row of pages begins.
//!
//! The first page begins before everything. A fence is the shortest beginning
//! that tells a page's first key from the last key before it.
//!
//! Stored: number of fences 4, where each ends 4 each, then id 4 and key of each.

use super::entry::EntryRef;
use super::leaf::common_len;

/// Fences as they are stored, checked.
#[derive(Clone, Copy)]
pub(super) struct PackedFences<'a> {
    count: usize,
    ends: &'a [u8],
    heap: &'a [u8],
}

impl<'a> PackedFences<'a> {
    /// The fences of `count` pages, if the bytes are those. The first is empty.
    pub(super) fn check(bytes: &'a [u8], count: usize) -> Option<Self> {
        let fences = Self::checked_before(bytes)?;
        let mut end = 0;
        for i in 0..fences.count {
            let next = fences.end(i);
            if next < end + 4 || next > fences.heap.len() {
                return None;
            }
            end = next;
        }
        let ascends = (1..fences.count).all(|i| fences.get(i - 1) < fences.get(i));
        let holds = fences.count == count && end == fences.heap.len() && ascends;
        holds.then_some(fences)
    }

    /// Fences that were checked before.
    pub(super) fn checked_before(bytes: &'a [u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (ends, heap) = rest.split_at_checked(count.checked_mul(4)?)?;
        Some(PackedFences { count, ends, heap })
    }

    fn end(&self, i: usize) -> usize {
        let end = &self.ends[4 * i..4 * i + 4];
        u32::from_le_bytes(end.try_into().expect("four bytes")) as usize
    }

    pub(super) fn get(&self, i: usize) -> EntryRef<'a> {
        let start = if i == 0 { 0 } else { self.end(i - 1) };
        let (id, key) = self.heap[start..self.end(i)].split_at(4);
        (key, u32::from_le_bytes(id.try_into().expect("four bytes")))
    }

    /// The page in which an entry lies, or would lie.
    pub(super) fn find(&self, entry: EntryRef<'_>) -> usize {
        let (mut low, mut high) = (1, self.count.max(1));
        while low < high {
            let middle = (low + high) / 2;
            match self.get(middle) <= entry {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low - 1
    }
}

pub(super) fn pack<'a>(fences: impl ExactSizeIterator<Item = EntryRef<'a>> + Clone) -> Vec<u8> {
    let mut bytes = (fences.len() as u32).to_le_bytes().to_vec();
    let mut end = 0u32;
    for (key, _) in fences.clone() {
        end += 4 + key.len() as u32;
        bytes.extend_from_slice(&end.to_le_bytes());
    }
    for (key, id) in fences {
        bytes.extend_from_slice(&id.to_le_bytes());
        bytes.extend_from_slice(key);
    }
    bytes
}

/// Fences in DRAM. What they all begin with is kept apart, and the next eight
/// bytes of each lie side by side: most searches look at nothing else.
#[derive(Debug)]
pub(super) struct Fences {
    prefix: Box<[u8]>,
    heads: Box<[u64]>,
    ends: Box<[u32]>,
    ids: Box<[u32]>,
    rests: Box<[u8]>,
}

impl Fences {
    /// The first fence is taken for empty.
    pub(super) fn new<'a>(fences: impl ExactSizeIterator<Item = EntryRef<'a>> + Clone) -> Self {
        let mut others = fences.clone().skip(1);
        let first = others.next().map_or(&[][..], |fence| fence.0);
        let last = others.last().map_or(first, |fence| fence.0);
        let prefix = &first[..common_len(first, last)];
        let count = fences.len();
        let (mut heads, mut ends) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut ids, mut rests) = (Vec::with_capacity(count), Vec::new());
        for (i, (key, id)) in fences.enumerate() {
            let rest = if i == 0 { &[] } else { &key[prefix.len()..] };
            heads.push(head(rest));
            ids.push(if i == 0 { 0 } else { id });
            rests.extend_from_slice(rest);
            ends.push(rests.len() as u32);
        }
        Fences {
            prefix: prefix.into(),
            heads: heads.into(),
            ends: ends.into(),
            ids: ids.into(),
            rests: rests.into(),
        }
    }

    pub(super) fn unpack(packed: PackedFences<'_>) -> Self {
        Self::new((0..packed.count).map(|i| packed.get(i)))
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.prefix.len() + 16 * self.heads.len() + self.rests.len()
    }

    fn rest(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.rests[start as usize..self.ends[i] as usize]
    }

    /// The key and the id at which a page begins.
    pub(super) fn get(&self, i: usize) -> (Vec<u8>, u32) {
        match i {
            0 => (Vec::new(), 0),
            _ => ([&self.prefix, self.rest(i)].concat(), self.ids[i]),
        }
    }

    /// The page in which an entry lies, or would lie.
    pub(super) fn find(&self, (key, id): EntryRef<'_>) -> usize {
        let common = key.len().min(self.prefix.len());
        let last = self.heads.len().saturating_sub(1);
        match key[..common].cmp(&self.prefix[..common]) {
            std::cmp::Ordering::Less => return 0,
            std::cmp::Ordering::Greater => return last,
            std::cmp::Ordering::Equal if key.len() < self.prefix.len() => return 0,
            std::cmp::Ordering::Equal => {}
        }
        let rest = &key[common..];
        let wanted = head(rest);
        let (mut low, mut high) = (1, last + 1);
        while low < high {
            let middle = (low + high) / 2;
            let is_behind = match self.heads[middle].cmp(&wanted) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Greater => true,
                std::cmp::Ordering::Equal => (self.rest(middle), self.ids[middle]) > (rest, id),
            };
            match is_behind {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        low - 1
    }
}

/// The first eight bytes as a number that orders as they do.
fn head(key: &[u8]) -> u64 {
    match key.first_chunk() {
        Some(head) => u64::from_be_bytes(*head),
        None => {
            let mut head = [0; 8];
            head[..key.len()].copy_from_slice(key);
            u64::from_be_bytes(head)
        }
    }
}
