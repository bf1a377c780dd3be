//! Hit curves: which share of all accesses goes to fast memory, by the share of the
//! data that has room in it.

use evergraph_graph::VertexId;

/// A curve through measured points, straight between them.
#[derive(Clone, Debug, PartialEq)]
pub struct HitCurve {
    /// Share of the data and share of the accesses; both rise, the first from 0 to 1.
    points: Vec<(f64, f64)>,
}

impl HitCurve {
    /// The curve through `points`, which must rise in both; behind the last it stays
    /// as high. (0, 0) is always one of them.
    ///
    /// # Panics
    /// If they do not rise.
    pub fn through(points: &[(f64, f64)]) -> Self {
        let mut all = vec![(0.0, 0.0)];
        all.extend(points.iter().filter(|point| point.0 > 0.0));
        let rises = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
        assert!(all.windows(2).all(rises), "points rise");
        Self { points: all }
    }

    /// Of a placement that does not change: `counts` are the accesses of each item,
    /// `order` has the items that are placed first, first.
    pub fn of_order(counts: &[u64], order: &[VertexId], steps: usize) -> Self {
        let total: u64 = counts.iter().sum();
        let mut hits = vec![0];
        for &item in order {
            hits.push(hits[hits.len() - 1] + counts[item as usize]);
        }
        let items = counts.len();
        Self::sampled(items, steps, |room| hits[room.min(order.len())], total)
    }

    /// Of a cache that drops what was used least recently (LRU), for every size at
    /// once: an access hits if fewer other items than have room were used since the
    /// last use. Work O(accesses · log accesses).
    ///
    /// Source: Mattson et al., "Evaluation Techniques for Storage Hierarchies", 1970.
    pub fn of_lru(trace: &[VertexId], items: usize, steps: usize) -> Self {
        let mut hits = vec![0; items + 1];
        let mut last = vec![usize::MAX; items];
        // Marks where each item was used last.
        let mut marks = Counts::new(trace.len());
        for (now, &item) in trace.iter().enumerate() {
            let before = std::mem::replace(&mut last[item as usize], now);
            if before != usize::MAX {
                let others = marks.between(before + 1, now);
                hits[others + 1] += 1;
                marks.add(before, -1);
            }
            marks.add(now, 1);
        }
        for room in 1..=items {
            hits[room] += hits[room - 1];
        }
        Self::sampled(items, steps, |room| hits[room], trace.len() as u64)
    }

    /// The curve at `steps` sizes of equal distance, of which the last is all.
    fn sampled(items: usize, steps: usize, hits: impl Fn(usize) -> u64, total: u64) -> Self {
        let mut rooms: Vec<usize> = (1..=steps).map(|step| items * step / steps).collect();
        rooms.dedup();
        let share = |part: f64, whole: f64| if whole == 0.0 { 0.0 } else { part / whole };
        let point = |room: usize| {
            let hit = share(hits(room) as f64, total as f64);
            (share(room as f64, items as f64), hit)
        };
        Self::through(&rooms.into_iter().map(point).collect::<Vec<_>>())
    }

    /// The share of the accesses that hit if this share of the data has room.
    pub fn at(&self, share: f64) -> f64 {
        let behind = self.points.partition_point(|point| point.0 <= share);
        let (x, y) = self.points[behind.max(1) - 1];
        match self.points.get(behind) {
            Some(&(next_x, next_y)) => y + (next_y - y) * (share - x).max(0.0) / (next_x - x),
            None => y,
        }
    }

    /// The measured points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }
}

/// Counts at positions, and their sums over ranges, each in O(log n) (a Fenwick
/// tree).
struct Counts(Vec<i64>);

impl Counts {
    fn new(positions: usize) -> Self {
        Self(vec![0; positions + 1])
    }

    fn add(&mut self, position: usize, count: i64) {
        let mut at = position + 1;
        while at < self.0.len() {
            self.0[at] += count;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum over the positions before `end`.
    fn before(&self, end: usize) -> i64 {
        let mut sum = 0;
        let mut at = end;
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }

    fn between(&self, start: usize, end: usize) -> usize {
        (self.before(end) - self.before(start)) as usize
    }
}
