//! Random choices that depend on what they are for, not on when they are made.

use evergraph_graph::random::{Random, split_mix};

/// Purpose of a stream of choices. Each (seed, purpose, key) has its own stream, so rows
/// can be made in any order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Profile = 1,
    Person,
    Browser,
    Order,
    Forum,
    Messages,
    Occasions,
    Queries,
}

/// A stream of random choices.
pub(crate) struct Draw(Random);

impl Draw {
    pub(crate) fn new(seed: u64, purpose: Purpose, key: u64) -> Self {
        let mut state = seed ^ (purpose as u64).wrapping_mul(0xa076_1d64_78bd_642f);
        Self(Random::stream(split_mix(&mut state), key))
    }

    /// An integer in `0..bound`; 0 if there is none.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        self.0.below(bound as u64) as usize
    }

    /// A time in `from..to`, or `from` if there is none.
    pub(crate) fn time(&mut self, from: i64, to: i64) -> i64 {
        if to <= from {
            return from;
        }
        from + self.0.below((to - from) as u64) as i64
    }

    /// A number in `0.0..1.0`.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.next_f64()
    }

    /// Whether something of so many in a thousand happens.
    pub(crate) fn chance(&mut self, per_mille: u64) -> bool {
        self.0.below(1000) < per_mille
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// An index below `bound`, low ones far more often (a power law: the first
    /// tenth is drawn in 46 of 100 cases).
    pub(crate) fn low(&mut self, bound: usize) -> usize {
        let u = self.unit();
        ((u * u * u * bound as f64) as usize).min(bound.saturating_sub(1))
    }

    /// A delay from `least` to `most` milliseconds whose tail is a power law: half
    /// of the answers come within four times the least delay.
    pub(crate) fn delay(&mut self, least: i64, most: i64) -> i64 {
        let u = 1.0 - self.unit();
        // Never above 2^106, and the cast saturates.
        ((least as f64 / (u * u)) as i64).clamp(least, most.max(least))
    }

    /// A weight of mean 1 with a power-law tail: the Lomax distribution of shape
    /// 8/3, whose density falls as x^(−11/3). Only square roots, which every
    /// machine rounds alike.
    pub(crate) fn popularity(&mut self) -> f64 {
        let fourth = (1.0 - self.unit()).sqrt().sqrt();
        let three_eighths = fourth * fourth.sqrt();
        (1.0 / three_eighths - 1.0) / 0.6
    }

    /// Puts `items` in a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        self.0.shuffle(items);
    }

    /// `count` distinct integers below `bound` (all if there are not so many), in
    /// random order; takes time in their number only.
    pub(crate) fn distinct(&mut self, count: usize, bound: usize) -> Vec<usize> {
        if count.saturating_mul(3) >= bound {
            let mut all: Vec<usize> = (0..bound).collect();
            self.shuffle(&mut all);
            all.truncate(count);
            return all;
        }
        let mut seen = std::collections::BTreeSet::new();
        let mut found = Vec::with_capacity(count);
        while found.len() < count {
            let next = self.below(bound);
            if seen.insert(next) {
                found.push(next);
            }
        }
        found
    }
}

/// A random number of an unordered pair, in `0.0..1.0`: the same from both sides.
pub(crate) fn pair_unit(key: u64, a: u32, b: u32) -> f64 {
    (pair_bits(key, a, b) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// Random bits of an unordered pair.
pub(crate) fn pair_bits(key: u64, a: u32, b: u32) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let mut state = key ^ (u64::from(high) << 32 | u64::from(low));
    split_mix(&mut state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_purpose_and_key() {
        let first = |seed, purpose, key| Draw::new(seed, purpose, key).0.next_u64();
        let all = [
            first(1, Purpose::Person, 1),
            first(2, Purpose::Person, 1),
            first(1, Purpose::Forum, 1),
            first(1, Purpose::Person, 2),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b), "{all:?}");
        }
        assert_eq!(all[0], first(1, Purpose::Person, 1));
    }

    #[test]
    fn popularity_has_mean_one_and_a_long_tail() {
        let mut draw = Draw::new(3, Purpose::Profile, 0);
        let mut values: Vec<f64> = (0..200_000).map(|_| draw.popularity()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!((0.95..1.05).contains(&mean), "{mean}");
        values.sort_by(f64::total_cmp);
        let (median, late) = (values[100_000], values[199_800]);
        assert!((0.45..0.55).contains(&median), "{median}");
        // (1000^(3/8) − 1) / 0.6
        assert!((17.0..25.0).contains(&late), "{late}");
    }

    #[test]
    fn distinct_numbers_are_distinct_and_in_range() {
        let mut draw = Draw::new(3, Purpose::Forum, 0);
        for (count, bound) in [(0, 0), (5, 3), (3, 1000), (300, 1000), (10, 10)] {
            let mut found = draw.distinct(count, bound);
            assert_eq!(found.len(), count.min(bound));
            assert!(found.iter().all(|&i| i < bound));
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), count.min(bound));
        }
    }

    #[test]
    fn choices_among_nothing_do_not_panic() {
        let mut draw = Draw::new(3, Purpose::Forum, 0);
        assert_eq!(draw.below(0), 0);
        assert_eq!(draw.low(0), 0);
        assert_eq!(draw.time(5, 5), 5);
        assert_eq!(draw.time(5, 4), 5);
        assert!((10..=20).contains(&draw.delay(10, 20)));
        assert_eq!(draw.delay(10, 5), 10);
    }

    #[test]
    fn pairs_are_unordered() {
        assert_eq!(pair_bits(9, 4, 7), pair_bits(9, 7, 4));
        assert_ne!(pair_bits(9, 4, 7), pair_bits(9, 4, 8));
        assert!((0.0..1.0).contains(&pair_unit(9, 4, 7)));
    }
}
