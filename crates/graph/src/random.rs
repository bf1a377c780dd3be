//! A small seedable source of random numbers for generators and tests; not for
//! secrets.
//!
//! xoshiro256++ 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number
//! generators", 2021), its state filled by SplitMix64 (Steele, Lea and Flood,
//! OOPSLA 2014). The same seed gives the same numbers on every machine and in
//! every later release.

/// One step of SplitMix64: advances `state` and returns 64 well-mixed bits.
///
/// A bijection of the state, so distinct states give distinct values.
#[inline]
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A xoshiro256++ generator: 32 bytes of state, period 2^256 − 1.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator of `seed`.
    pub fn new(seed: u64) -> Self {
        Self::stream(seed, 0)
    }

    /// The `stream`-th independent generator of `seed`, so that chunks of one
    /// job can be generated in any order and by any number of threads.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut mixer = seed;
        let mut mixer = split_mix(&mut mixer) ^ stream.wrapping_mul(0xd605_1331_8ea1_d1c5);
        Self {
            state: std::array::from_fn(|_| split_mix(&mut mixer)),
        }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A uniform integer in `0..bound`, unbiased (Lemire, ACM TOMACS 2019).
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no integer is below 0");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            let low = product as u64;
            // Only the lowest `2^64 mod bound` remainders would be favoured.
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// A uniform number in `0.0..1.0`, a multiple of 2^−53.
    #[inline]
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Puts `items` in a uniformly random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_values() {
        let mut state = 1_234_567;
        let values: Vec<u64> = (0..3).map(|_| split_mix(&mut state)).collect();
        assert_eq!(
            values,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn xoshiro_gives_the_published_values() {
        let mut random = Random {
            state: [1, 2, 3, 4],
        };
        let values: Vec<u64> = (0..4).map(|_| random.next_u64()).collect();
        assert_eq!(
            values,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386
            ]
        );
    }

    #[test]
    fn below_is_in_range_and_even() {
        let mut random = Random::new(7);
        let mut counts = [0_u32; 3];
        for _ in 0..30_000 {
            counts[random.below(3) as usize] += 1;
        }
        assert!(
            counts.iter().all(|c| (9_500..10_500).contains(c)),
            "{counts:?}"
        );
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.next_f64())));
    }
    #[test]
    fn shuffling_keeps_the_items() {
        let mut items: Vec<u32> = (0..1000).collect();
        Random::new(5).shuffle(&mut items);
        assert_ne!(items, (0..1000).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..1000).collect::<Vec<_>>());
        Random::new(5).shuffle::<u8>(&mut []);
    }
}
