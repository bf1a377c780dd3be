//! Lengths of the lists of one section as of one commit.

use evergraph_persistence::Words;

use crate::section_format::zeros;

/// Lengths and tombstone counts of a section's lists, as of commit `csn` and
/// every later one until the section's next page. Never changed once a view
/// can see it (DGAP's degree cache, copied page by page on write instead of
/// whole: its section 6).
#[derive(Clone, Debug)]
pub struct LengthPage {
    /// The last commit that the page includes.
    pub csn: u64,
    /// Entries of each list, tombstones included.
    pub len: Lengths,
    /// Effective tombstones of each list; none at all in most sections.
    pub tombstones: Option<Box<[u32]>>,
}

/// Entries of each list of a section.
#[derive(Debug)]
pub enum Lengths {
    /// Four bytes of DRAM a list.
    Own(Box<[u32]>),
    /// What is merged and nothing else: where each list starts in the extent, one
    /// more than there are lists. No DRAM; but it keeps the extent, so whoever
    /// outlives the section's body has a copy.
    Merged(Words),
}

impl Clone for Lengths {
    /// A copy that keeps no extent.
    fn clone(&self) -> Self {
        Lengths::Own(self.iter().collect())
    }
}

impl PartialEq for Lengths {
    fn eq(&self, other: &Self) -> bool {
        self.count() == other.count() && self.iter().eq(other.iter())
    }
}

impl From<Vec<u32>> for Lengths {
    fn from(lengths: Vec<u32>) -> Self {
        Lengths::Own(lengths.into_boxed_slice())
    }
}

impl FromIterator<u32> for Lengths {
    fn from_iter<I: IntoIterator<Item = u32>>(lengths: I) -> Self {
        Lengths::Own(lengths.into_iter().collect())
    }
}

impl Lengths {
    /// Lists.
    #[inline(always)]
    pub fn count(&self) -> usize {
        match self {
            Lengths::Own(lengths) => lengths.len(),
            Lengths::Merged(starts) => starts.count() - 1,
        }
    }

    /// Entries of one list.
    ///
    /// # Panics
    /// If there is no such list.
    #[inline(always)]
    pub fn of(&self, list: usize) -> u32 {
        match self {
            Lengths::Own(lengths) => lengths[list],
            Lengths::Merged(starts) => starts[list + 1] - starts[list],
        }
    }

    /// Entries of each list.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (own, starts) = match self {
            Lengths::Own(lengths) => (&lengths[..], &[][..]),
            Lengths::Merged(starts) => (&[][..], &starts[..]),
        };
        let merged = starts.windows(2).map(|pair| pair[1] - pair[0]);
        own.iter().copied().chain(merged)
    }

    /// To be changed; in DRAM from now on.
    pub fn own(&mut self) -> &mut [u32] {
        if let Lengths::Merged(_) = self {
            *self = self.clone();
        }
        match self {
            Lengths::Own(lengths) => lengths,
            Lengths::Merged(_) => unreachable!("copied above"),
        }
    }

    /// Whether they are known to be those between these starts.
    pub fn are_between(&self, starts: &Words) -> bool {
        match self {
            Lengths::Own(_) => false,
            Lengths::Merged(own) => std::ptr::eq(&**own, &**starts),
        }
    }

    /// Whether they are in an extent, which they keep.
    pub fn keep_an_extent(&self) -> bool {
        matches!(self, Lengths::Merged(starts) if starts.extent().is_some())
    }
}

impl LengthPage {
    /// Empty lists.
    pub fn empty(lists: usize) -> Self {
        LengthPage {
            csn: 0,
            len: Lengths::Merged(zeros(lists + 1)),
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
        self.len.of(list) - 2 * self.tombstones(list)
    }

    /// Tombstones of each list.
    pub fn tombstones_mut(&mut self) -> &mut [u32] {
        let lists = self.len.count();
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
        let own = match &self.len {
            Lengths::Own(lengths) => 4 * lengths.len(),
            Lengths::Merged(_) => 0,
        };
        own + 4 * self.tombstones.as_ref().map_or(0, |counts| counts.len())
    }

    /// Entries and tombstones of the whole section.
    pub fn totals(&self) -> (u64, u64) {
        let entries = self.len.iter().map(u64::from).sum();
        let tombstones = self.tombstones.as_deref().unwrap_or(&[]);
        (entries, tombstones.iter().map(|&n| u64::from(n)).sum())
    }
}
