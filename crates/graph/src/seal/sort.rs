//! Sorts a list, stopping soon when it has to.

use crate::{VertexId, Weight};

/// Elements that the standard sort handles in some 10 ms: the sort cannot be stopped in
/// between.
const MAX_AT_ONCE: usize = 1 << 18;
/// A longer list is divided into so many ranges of neighbors first.
const RANGES: usize = 1 << 10;

/// Scratch space of a sort beside the list: none for most lists, a key for each edge with
/// weights, and as much again for a list above [`MAX_AT_ONCE`].
pub(super) struct Scratch {
    /// Makes a range of a neighbor.
    shift: u32,
    keys: Vec<u64>,
    divided_ids: Vec<VertexId>,
    divided_keys: Vec<u64>,
}

impl Scratch {
    pub(super) fn new(vertex_count: usize) -> Self {
        let mut shift = 0;
        while vertex_count >> shift >= RANGES {
            shift += 1;
        }
        Self {
            shift,
            keys: Vec::new(),
            divided_ids: Vec::new(),
            divided_keys: Vec::new(),
        }
    }

    /// Sorts by neighbor, then by weight; `weights` may be empty.
    pub(super) fn sort<E>(
        &mut self,
        neighbors: &mut [VertexId],
        weights: &mut [Weight],
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        if weights.is_empty() {
            let range = |neighbor| (neighbor >> self.shift) as usize;
            return sort(neighbors, &mut self.divided_ids, range, check);
        }
        self.keys.clear();
        let pairs = neighbors.iter().zip(&*weights);
        (self.keys).extend(pairs.map(|(&neighbor, &weight)| key(neighbor, weight)));
        let range = |key| (key >> 32 >> self.shift) as usize;
        sort(&mut self.keys, &mut self.divided_keys, range, check)?;
        for ((neighbor, weight), &key) in neighbors.iter_mut().zip(weights).zip(&self.keys) {
            *neighbor = (key >> 32) as VertexId;
            *weight = weight_of(key);
        }
        Ok(())
    }
}

/// Orders as the neighbor, then as [`Weight::total_cmp`].
fn key(neighbor: VertexId, weight: Weight) -> u64 {
    let bits = weight.to_bits();
    let sign = 1 << 31;
    let ordered = if bits & sign == 0 { bits ^ sign } else { !bits };
    u64::from(neighbor) << 32 | u64::from(ordered)
}

fn weight_of(key: u64) -> Weight {
    let (ordered, sign) = (key as u32, 1 << 31);
    Weight::from_bits(match ordered & sign {
        0 => !ordered,
        _ => ordered ^ sign,
    })
}

/// Sorts `list`, of which `range` gives for each item one of [`RANGES`] ranges in
/// their order.
fn sort<T: Copy + Default + Ord, E>(
    list: &mut [T],
    divided: &mut Vec<T>,
    range: impl Fn(T) -> usize,
    check: &dyn Fn() -> Result<(), E>,
) -> Result<(), E> {
    if list.len() <= MAX_AT_ONCE {
        list.sort_unstable();
        return Ok(());
    }
    let mut ends = [0; RANGES + 1];
    for piece in list.chunks(MAX_AT_ONCE) {
        check()?;
        piece.iter().for_each(|&item| ends[range(item) + 1] += 1);
    }
    for at in 0..RANGES {
        ends[at + 1] += ends[at];
    }
    divided.clear();
    divided.resize(list.len(), T::default());
    for piece in list.chunks(MAX_AT_ONCE) {
        check()?;
        for &item in piece {
            let end = &mut ends[range(item)];
            divided[*end] = item;
            *end += 1;
        }
    }
    let mut start = 0;
    for &end in &ends[..RANGES] {
        check()?;
        divided[start..end].sort_unstable();
        start = end;
    }
    list.copy_from_slice(divided);
    divided.clear();
    divided.shrink_to_fit();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn keys_order_as_weights_and_give_them_back() {
        let weights = [
            f32::NEG_INFINITY,
            -1.5,
            -0.0,
            0.0,
            1e-40,
            2.0,
            f32::INFINITY,
        ];
        for pair in weights.windows(2) {
            assert!(key(7, pair[0]) < key(7, pair[1]));
            assert!(key(7, pair[1]) < key(8, pair[0]));
        }
        for weight in weights {
            assert_eq!(weight_of(key(7, weight)).to_bits(), weight.to_bits());
        }
        assert!(weight_of(key(0, f32::NAN)).is_nan());
    }

    #[test]
    fn long_lists_are_divided_and_can_be_stopped() {
        let n = 1 << 22;
        let mut random = Random::new(5);
        let list: Vec<VertexId> = (0..2 * MAX_AT_ONCE + 9)
            .map(|_| random.below(n as u64) as VertexId)
            .collect();
        let weights: Vec<Weight> = list.iter().map(|&v| (v % 3) as Weight).collect();
        let mut expected = list.clone();
        expected.sort();

        let mut scratch = Scratch::new(n);
        let go_on = || Ok::<(), ()>(());
        let mut sorted = list.clone();
        scratch.sort(&mut sorted, &mut [], &go_on).unwrap();
        assert_eq!(sorted, expected);

        let (mut sorted, mut beside) = (list.clone(), weights);
        scratch.sort(&mut sorted, &mut beside, &go_on).unwrap();
        assert_eq!(sorted, expected);
        assert!(
            sorted
                .iter()
                .zip(&beside)
                .all(|(&v, &w)| w == (v % 3) as Weight)
        );

        let mut sorted = list;
        assert_eq!(scratch.sort(&mut sorted, &mut [], &|| Err(())), Err(()));
    }
}
