//! Offsets at which words are stored, in the orders that are measured.

/// An order of offsets in a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Word by word.
    Sequential,
    /// Anywhere.
    Random,
    /// Always the same word.
    InPlace,
}

impl Order {
    /// All.
    pub const ALL: [Order; 3] = [Order::Sequential, Order::Random, Order::InPlace];

    /// For results.
    pub fn name(self) -> &'static str {
        match self {
            Order::Sequential => "sequential",
            Order::Random => "random",
            Order::InPlace => "in place",
        }
    }
}

/// Endless offsets of words of four bytes; a few instructions each.
pub struct Offsets {
    order: Order,
    words: u64,
    state: u64,
}

impl Offsets {
    /// In a range of `bytes`; different streams of random ones by `stream`.
    pub fn new(order: Order, bytes: u64, stream: u64) -> Self {
        Offsets {
            order,
            words: bytes / 4,
            state: match order {
                Order::Random => 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(stream + 1),
                _ => 0,
            },
        }
    }
}

impl Iterator for Offsets {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        let word = match self.order {
            Order::InPlace => 0,
            Order::Sequential => {
                let word = self.state;
                self.state = if word + 1 == self.words { 0 } else { word + 1 };
                word
            }
            Order::Random => {
                // A linear congruence modulo 2^64 (Knuth's multiplier); its
                // high half says where.
                self.state = self
                    .state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                ((self.state >> 32) * self.words) >> 32
            }
        };
        Some(4 * word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_stay_in_the_range() {
        for order in Order::ALL {
            let all: Vec<u64> = Offsets::new(order, 64, 1).take(100).collect();
            assert!(all.iter().all(|&offset| offset <= 60 && offset % 4 == 0));
        }
        let few: Vec<u64> = Offsets::new(Order::Sequential, 8, 0).take(3).collect();
        assert_eq!(few, [0, 4, 0]);
    }
}
