//! Sets of chunks as ranges.

use std::ops::Range;

/// Numbers as ranges, ascending and apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<Range<u32>>);

impl Ranges {
    /// Ranges that ascend and do not touch; `None` of others.
    pub(super) fn checked(ranges: Vec<Range<u32>>) -> Option<Self> {
        let is_apart = ranges.windows(2).all(|pair| pair[0].end < pair[1].start);
        let has_none_empty = ranges.iter().all(|range| !range.is_empty());
        (is_apart && has_none_empty).then_some(Ranges(ranges))
    }

    /// Adds a number. O(log ranges) for one that is there or comes last.
    pub(super) fn insert(&mut self, number: u32) {
        let at = self.0.partition_point(|range| range.end < number);
        let joins_next = |ranges: &[Range<u32>]| {
            let next = ranges.get(at + 1);
            next.is_some_and(|next| next.start == number + 1)
        };
        match self.0.get_mut(at) {
            Some(range) if range.contains(&number) => {}
            Some(range) if range.end == number => {
                range.end = number + 1;
                if joins_next(&self.0) {
                    let next = self.0.remove(at + 1);
                    self.0[at].end = next.end;
                }
            }
            Some(range) if range.start == number + 1 => range.start = number,
            _ => self.0.insert(at, number..number + 1),
        }
    }

    /// Whether a number is in one. O(log ranges).
    pub(super) fn contains(&self, number: u32) -> bool {
        let at = self.0.partition_point(|range| range.end <= number);
        self.0.get(at).is_some_and(|range| range.start <= number)
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Range<u32>> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_are_a_set(numbers in prop::collection::vec(0..40u32, 0..60)) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for number in numbers {
                ranges.insert(number);
                set.insert(number);
                prop_assert!(ranges.iter().cloned().flatten().eq(set.iter().copied()));
                prop_assert!((0..45).all(|other| ranges.contains(other) == set.contains(&other)));
                prop_assert_eq!(Ranges::checked(ranges.0.clone()), Some(ranges.clone()));
            }
        }
    }
}
