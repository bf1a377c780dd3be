//! The lists N+ of hubs, as rows of bits.

use rayon::prelude::*;

use crate::Cancelled;

/// A group of 64 ranks has rows of one length.
const GROUP: usize = 64;
/// With more, the rows no longer fit a cache, and there is less to gain.
const MAX_GROUPS: usize = 256;

/// For each hub the hubs ranked higher that are its neighbors: of rank r, in r /
/// 64 + 1 words. At most about n words altogether: there are √(128n) hubs, and at
/// most 16,384.
pub(super) struct Hubs<const MUTUAL: bool> {
    count: usize,
    rows: Vec<u64>,
    /// Of those neighbors, the ones joined in both directions.
    mutual: Vec<u64>,
}

impl<const MUTUAL: bool> Hubs<MUTUAL> {
    /// Rows are made by `fill`, called with a rank, its row and its row of mutual
    /// neighbors, if such are told apart.
    pub(super) fn new(
        vertex_count: usize,
        fill: impl Fn(u32, &mut [u64], &mut [u64]) -> Result<(), Cancelled> + Sync,
    ) -> Result<Self, Cancelled> {
        let groups = (vertex_count / 32).isqrt().min(MAX_GROUPS);
        let count = (groups * GROUP).min(vertex_count);
        let words = Self::start(count);
        let mut rows = vec![0; words];
        let mut mutual = vec![0; if MUTUAL { words } else { 0 }];
        {
            let (mut rows, mut mutual) = (&mut *rows, &mut *mutual);
            let mut tasks = Vec::with_capacity(count);
            for rank in 0..count {
                let len = rank / GROUP + 1;
                let row = rows.split_off_mut(..len).expect("words are for all rows");
                let mutual = mutual.split_off_mut(..len).unwrap_or_default();
                tasks.push((rank as u32, row, mutual));
            }
            (tasks.into_par_iter()).try_for_each(|(rank, row, mutual)| fill(rank, row, mutual))?;
        }
        Ok(Self {
            count,
            rows,
            mutual,
        })
    }

    /// Start of the row of `rank`.
    #[inline]
    fn start(rank: usize) -> usize {
        let (group, at) = (rank / GROUP, rank % GROUP);
        GROUP * group * (group + 1) / 2 + at * (group + 1)
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The row of a hub and its row of mutual neighbors.
    #[inline]
    pub(super) fn row(&self, rank: u32) -> (&[u64], &[u64]) {
        let start = Self::start(rank as usize);
        let row = start..start + rank as usize / GROUP + 1;
        let mutual = match MUTUAL {
            true => &self.mutual[row.clone()],
            false => &[],
        };
        (&self.rows[row], mutual)
    }
}
