//! A small hash table that a task uses again for each of its vertices.

use std::ops::Add;

/// No key: a free place. Keys are numbers of vertices, so below.
const FREE: u32 = u32::MAX;

/// Sums by key, with open addressing. All places are free between two vertices, so
/// a vertex pays for its own keys alone.
#[derive(Default)]
pub(crate) struct Table<T> {
    places: Vec<(u32, T)>,
    /// Slots with keys, in the order of their first additions.
    taken: Vec<u32>,
}

impl<T: Add<Output = T> + Copy + Default> Table<T> {
    /// An empty table for up to `keys` keys, in a part of the places that fits.
    #[inline]
    pub(crate) fn begin(&mut self, keys: usize) -> Sums<'_, T> {
        let size = (2 * keys).next_power_of_two().max(4);
        for at in self.taken.drain(..) {
            self.places[at as usize] = (FREE, T::default());
        }
        if self.places.len() < size {
            self.places.resize(size, (FREE, T::default()));
        }
        Sums {
            places: &mut self.places[..size],
            taken: &mut self.taken,
        }
    }
}

/// The sums around one vertex.
pub(crate) struct Sums<'a, T> {
    /// A power of two of places, at most half of them taken.
    places: &'a mut [(u32, T)],
    taken: &'a mut Vec<u32>,
}

impl<T: Add<Output = T> + Copy + Default> Sums<'_, T> {
    /// Adds to the sum of `key`; returns it.
    #[inline]
    pub(crate) fn add(&mut self, key: u32, value: T) -> T {
        let mask = self.places.len() - 1;
        // Fibonacci hashing; the upper bits are the mixed ones.
        let mut at = (u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            let place = &mut self.places[at];
            if place.0 == FREE {
                place.0 = key;
                self.taken.push(at as u32);
            }
            if place.0 == key {
                place.1 = place.1 + value;
                return place.1;
            }
            at = (at + 1) & mask;
        }
    }

    /// The keys and their sums, in the order of their first additions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, T)> {
        self.taken.iter().map(|&at| self.places[at as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_kept_by_key() {
        let mut table = Table::default();
        for keys in [1, 1000, 3] {
            let mut sums = table.begin(keys);
            for round in 1..4 {
                for key in 0..keys as u32 {
                    let sum = sums.add(key << 20 | key, u64::from(key));
                    assert_eq!(sum, round * u64::from(key));
                }
            }
            let found: Vec<_> = sums.iter().collect();
            let expected = |key: u32| (key << 20 | key, 3 * u64::from(key));
            assert_eq!(found, (0..keys as u32).map(expected).collect::<Vec<_>>());
        }
    }
}
