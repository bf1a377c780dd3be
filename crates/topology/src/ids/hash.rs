//! A fast hash for ids.

use std::hash::{BuildHasher, Hasher, RandomState};

use evergraph_graph::random::split_mix;

/// Makes fast hashers, seeded at random so that no file can be made to collide.
#[derive(Clone, Debug)]
pub struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        Seed(RandomState::new().hash_one(0) | 1)
    }
}

impl BuildHasher for Seed {
    type Hasher = Mixed;

    fn build_hasher(&self) -> Mixed {
        Mixed { state: self.0 }
    }
}

/// Mixes each word into the state with the finalizer of SplitMix64, in which
/// every input bit reaches every output bit, whatever the seed.
#[derive(Debug)]
pub struct Mixed {
    state: u64,
}

impl Hasher for Mixed {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().expect("eight bytes")));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        self.write_u64(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.state = split_mix(&mut (self.state ^ word));
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearby_numbers_spread_over_all_bits() {
        for seed in (0..64).map(Seed).chain([Seed::default()]) {
            spreads(&seed);
        }
    }

    fn spreads(seed: &Seed) {
        let low = |id: u64| seed.hash_one(id) & 0xfff;
        let high = |id: u64| seed.hash_one(id) >> 57;
        let lows: std::collections::HashSet<u64> = (0..4096).map(|i| low(i << 20)).collect();
        let highs: std::collections::HashSet<u64> = (0..4096).map(high).collect();
        assert!(lows.len() > 2000, "{}", lows.len());
        assert_eq!(highs.len(), 128);
    }
}
