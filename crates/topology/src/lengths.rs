//! Lengths of the lists of one section as of one commit.

use std::sync::OnceLock;

use evergraph_storage::Words;
use evergraph_storage::layout::WALKED_AT_MOST;

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
    /// The merged entries and nothing else: start of each list in the extent, one more
    /// than there are lists. No DRAM; but it keeps the extent, so a page that outlives
    /// the section's body is a copy.
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

    /// Whether no list is longer than in another page.
    pub fn lies_within(&self, other: &LengthPage) -> bool {
        let mut lists = self.len.iter().zip(other.len.iter());
        lists.all(|(len, newest)| len <= newest)
    }

    /// Tombstones of each list.
    pub fn tombstones_mut(&mut self) -> &mut [u32] {
        let lists = self.len.count();
        self.tombstones
            .get_or_insert_with(|| vec![0; lists].into_boxed_slice())
    }

    /// Drops the counts of tombstones if all are zero.
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

    /// Panics in debug builds if the counts cannot be those of `lists` lists.
    pub(crate) fn invariants(&self, lists: usize) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert_eq!(self.len.count(), lists, "a length for each list");
        let Some(counts) = &self.tombstones else {
            return;
        };
        assert_eq!(counts.len(), lists, "a count of tombstones for each list");
        if lists <= WALKED_AT_MOST {
            for (list, &count) in counts.iter().enumerate() {
                let len = self.len.of(list);
                assert!(
                    count <= len / 2,
                    "{count} tombstones among the {len} entries of list {list}: each cancels one"
                );
            }
        }
    }

    /// Panics in debug builds if a list is shorter than at a commit before, of the
    /// same generation: lists only grow. A commit with insertions and deletions is
    /// applied in parts, so that the one before may be of the same commit.
    pub(crate) fn follows(&self, before: &LengthPage) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            before.csn <= self.csn,
            "lengths of commit {} after those of {}",
            self.csn,
            before.csn
        );
        if self.len.count() <= WALKED_AT_MOST {
            let shrunk = (0..self.len.count()).find(|&list| {
                self.len.of(list) < before.len.of(list)
                    || self.tombstones(list) < before.tombstones(list)
            });
            assert!(
                shrunk.is_none(),
                "list {shrunk:?} is shorter at commit {} than at {}",
                self.csn,
                before.csn
            );
        }
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

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{LengthPage, Lengths};

    fn page(csn: u64, lengths: &[u32]) -> LengthPage {
        LengthPage {
            csn,
            len: Lengths::from(lengths.to_vec()),
            tombstones: None,
        }
    }

    #[test]
    fn lists_grow() {
        page(2, &[1, 5]).follows(&page(1, &[1, 2]));
    }

    #[test]
    #[should_panic(expected = "list Some(1) is shorter")]
    fn a_list_that_shrinks_is_noticed() {
        page(2, &[9, 1]).follows(&page(1, &[1, 2]));
    }

    #[test]
    #[should_panic(expected = "lengths of commit 1 after those of 2")]
    fn commits_ascend() {
        page(1, &[1]).follows(&page(2, &[1]));
    }

    #[test]
    #[should_panic(expected = "each cancels one")]
    fn a_tombstone_cancels_an_entry() {
        let mut page = page(1, &[3]);
        page.add_tombstone(0);
        page.invariants(1);
        page.add_tombstone(0);
        page.invariants(1);
    }

    #[test]
    #[should_panic(expected = "a length for each list")]
    fn each_list_has_a_length() {
        page(1, &[3]).invariants(2);
    }
}

/// Words that are all 0: the same for all that are empty and have a usual number
/// of lists.
pub(crate) fn zeros(count: usize) -> Words {
    static ZEROS: [OnceLock<Words>; 22] = [const { OnceLock::new() }; 22];
    let new = || Words::owned(vec![0; count]);
    match count {
        0 => ZEROS[0].get_or_init(new).clone(),
        _ if (count - 1).is_power_of_two() && count <= 1 << 20 => {
            let place = 1 + (count - 1).ilog2() as usize;
            ZEROS[place].get_or_init(new).clone()
        }
        _ => new(),
    }
}
