//! Lengths of the lists of one section as of one commit.

/// Lengths and tombstone counts of a section's lists, as of commit `csn` and
/// every later one until the section's next page. Never changed once a view
/// can see it (DGAP's degree cache, copied page by page on write instead of
/// whole: its section 6).
#[derive(Clone, Debug)]
pub struct LengthPage {
    /// The last commit that the page includes.
    pub csn: u64,
    /// Entries of each list, tombstones included.
    pub len: Box<[u32]>,
    /// Effective tombstones of each list; none at all in most sections.
    pub tombstones: Option<Box<[u32]>>,
}

impl LengthPage {
    /// Empty lists.
    pub fn empty(lists: usize) -> Self {
        LengthPage {
            csn: 0,
            len: vec![0; lists].into_boxed_slice(),
            tombstones: None,
        }
    }

    /// Tombstones of one list.
    #[inline(always)]
    pub fn tombstones(&self, list: usize) -> u32 {
        self.tombstones.as_ref().map_or(0, |t| t[list])
    }

    /// Live entries of one list: each tombstone cancels one entry and is one.
    #[inline(always)]
    pub fn live(&self, list: usize) -> u32 {
        self.len[list] - 2 * self.tombstones(list)
    }

    /// Tombstones of each list.
    pub fn tombstones_mut(&mut self) -> &mut [u32] {
        let lists = self.len.len();
        self.tombstones
            .get_or_insert_with(|| vec![0; lists].into_boxed_slice())
    }

    /// Where no list has tombstones, none are counted.
    pub fn forget_no_tombstones(&mut self) {
        if let Some(counts) = &self.tombstones
            && counts.iter().all(|&count| count == 0)
        {
            self.tombstones = None;
        }
    }

    /// Counts one more tombstone.
    pub fn add_tombstone(&mut self, list: usize) {
        self.tombstones_mut()[list] += 1;
    }

    /// Bytes in DRAM.
    pub fn heap_bytes(&self) -> usize {
        4 * self.len.len() * (1 + usize::from(self.tombstones.is_some()))
    }

    /// Entries and tombstones of the whole section.
    pub fn totals(&self) -> (u64, u64) {
        let sum = |counts: &[u32]| counts.iter().map(|&n| u64::from(n)).sum();
        (sum(&self.len), self.tombstones.as_deref().map_or(0, sum))
    }
}
