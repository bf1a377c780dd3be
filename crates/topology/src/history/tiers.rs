//! Which segments a new one takes in.
//!
//! As in a log-structured merge tree: a segment is joined with a newer one as
//! soon as it is not more than twice as large as all that came after it. So each
//! segment is more than twice as large as all newer ones together, there are
//! logarithmically many, and what is written is written logarithmically often.

/// Sizes on which the choice depends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
    /// Bytes of the segment.
    pub bytes: u64,
    /// Bytes of that which no snapshot and no view needs any more.
    pub waste: u64,
}

/// A segment with more waste than this part of it is written again.
const MOST_WASTE: u64 = 2;

/// The first of the segments, the oldest first, that a new one of `coming` bytes
/// takes in with all after it.
pub(crate) fn absorbed_from(segments: &[Tier], coming: u64) -> usize {
    let mut from = segments.len();
    let mut total = coming;
    while from > 0 && segments[from - 1].bytes <= 2 * total {
        from -= 1;
        total += segments[from].bytes;
    }
    let wasteful = |tier: &Tier| tier.waste * MOST_WASTE > tier.bytes;
    segments[..from].iter().position(wasteful).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn few_segments_written_few_times(sizes in proptest::collection::vec(1u64..1000, 1..300)) {
            let mut tiers: Vec<Tier> = Vec::new();
            let (mut written, mut all) = (0, 0);
            for coming in sizes {
                let from = absorbed_from(&tiers, coming);
                let bytes = coming + tiers.drain(from..).map(|tier| tier.bytes).sum::<u64>();
                tiers.push(Tier { bytes, waste: 0 });
                written += bytes;
                all += coming;
                let bound = 2 + all.ilog2() as usize;
                prop_assert!(tiers.len() <= bound, "{} of at most {bound}", tiers.len());
            }
            prop_assert_eq!(tiers.iter().map(|tier| tier.bytes).sum::<u64>(), all);
            prop_assert!(written <= all * 2 * (2 + u64::from(all.ilog2())));
        }
    }

    #[test]
    fn waste_is_written_again_with_all_that_is_newer() {
        let tier = |bytes, waste| Tier { bytes, waste };
        let tiers = [tier(1000, 0), tier(400, 201), tier(100, 0)];
        assert_eq!(absorbed_from(&tiers, 1), 1);
        assert_eq!(absorbed_from(&tiers[..1], 1), 1);
    }
}
