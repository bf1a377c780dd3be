//! Slots of many rows.

/// Slots to be read, as ids of records of one chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice<'a> {
    ids: &'a [u32],
    /// The id of slot 0.
    first: u32,
    is_range: bool,
}

/// Whether these are worth to be read as a range.
fn follow_one_another(ids: &[u32]) -> bool {
    let Some(&start) = ids.first().filter(|_| ids.len() > 7) else {
        return false;
    };
    // Without a branch for each, unless the first few tell.
    let differ = |ids: &[u32], start: u32| {
        let differs = |(offset, id): (u32, &u32)| id.wrapping_sub(offset) ^ start;
        (0u32..).zip(ids).map(differs).fold(0, |all, one| all | one) != 0
    };
    let (few, others) = ids.split_at(8);
    !differ(few, start) && !differ(others, start.wrapping_add(8))
}

impl<'a> Slice<'a> {
    /// The first of some ids, as many as are of one chunk of so many records from
    /// `first` on, which is the id of slot 0.
    ///
    /// # Panics
    /// If the first is of another chunk.
    pub(crate) fn of_one_chunk(ids: &'a [u32], first: u32, records: u32) -> Self {
        let until_end = |id: u32| (records - (id - first)) as usize;
        let is_range = follow_one_another(ids);
        let count = match ids.first() {
            Some(&id) if is_range => ids.len().min(until_end(id)),
            _ => {
                let is_other = |id: &u32| id.wrapping_sub(first) >= records;
                // Without a branch for each, unless the first few tell.
                let all_in = |ids: &&[u32]| !ids.iter().fold(false, |any, id| any | is_other(id));
                let (few, others) = ids.split_at(ids.len().min(8));
                let whole = match few.iter().any(is_other) {
                    true => 0,
                    false => few.len() + 64 * others.chunks_exact(64).take_while(all_in).count(),
                };
                let rest = ids[whole..].iter().position(is_other);
                rest.map_or(ids.len(), |rest| whole + rest)
            }
        };
        Slice {
            ids: &ids[..count],
            first,
            is_range,
        }
    }

    /// The ids.
    pub(crate) fn ids(&self) -> &'a [u32] {
        self.ids
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The slot of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> usize {
        (self.ids[row] - self.first) as usize
    }

    /// The slots, if they follow one another, and are worth it.
    #[inline]
    pub(crate) fn range(&self) -> Option<std::ops::Range<usize>> {
        let start = (self.ids.first()? - self.first) as usize;
        self.is_range.then_some(start..start + self.ids.len())
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = usize> + Clone + use<'a> {
        let first = self.first;
        self.ids.iter().map(move |id| (id - first) as usize)
    }

    /// Which rows have a bit: 64 rows a word, the lowest first. Bits behind the last row
    /// are zero.
    pub(crate) fn rows_with<'b>(&self, bits: &'b [u64]) -> impl Iterator<Item = u64> + use<'a, 'b> {
        let slice = *self;
        let words = 0..self.len().div_ceil(64);
        words.map(move |word| {
            let rows = (slice.len() - 64 * word).min(64);
            match slice.range() {
                Some(range) => {
                    let from = range.start + 64 * word;
                    let (at, shift) = (from / 64, from % 64);
                    let next = bits.get(at + 1).copied().unwrap_or(0);
                    let high = if shift > 0 { next << (64 - shift) } else { 0 };
                    (bits[at] >> shift | high) & (u64::MAX >> (64 - rows))
                }
                None => {
                    let slots = slice.ids[64 * word..][..rows].iter().rev();
                    slots.fold(0, |rows, id| {
                        let slot = (id - slice.first) as usize;
                        rows << 1 | bits[slot / 64] >> (slot % 64) & 1
                    })
                }
            }
        })
    }
}
