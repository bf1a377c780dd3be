//! Intersection of two sorted lists.

use std::ops::ControlFlow;

use evergraph_graph::{NeighborReader, VertexId};

use crate::parallel::HUB_DEGREE;
use crate::{Cancelled, Control};

/// A list that is so many times longer is searched; a shorter one is read through.
const MUCH_LONGER: usize = 16;

/// Calls `visit` with each member of `shorter`, in order, that `v`'s list has too.
pub(super) fn for_each_common(
    shorter: &[VertexId],
    reader: &mut impl NeighborReader,
    v: VertexId,
    control: &Control,
    mut visit: impl FnMut(VertexId),
) -> Result<(), Cancelled> {
    let mut left = shorter;
    let much_longer = reader.degree(v) / MUCH_LONGER > shorter.len();
    let mut read_until_check = HUB_DEGREE;
    let mut stopped = Ok(());
    let _ = reader.for_each_segment(v, |segment| {
        if left.is_empty() {
            return ControlFlow::Break(());
        }
        if much_longer {
            left = search(left, segment, &mut visit);
            return ControlFlow::Continue(());
        }
        for piece in segment.chunks(HUB_DEGREE) {
            left = merge(left, piece, &mut visit);
            read_until_check = read_until_check.saturating_sub(piece.len());
            if read_until_check == 0 {
                read_until_check = HUB_DEGREE;
                stopped = control.check();
                if stopped.is_err() {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    });
    stopped
}

/// Visits what is in both lists by walking along both; returns what of `shorter` is
/// behind `segment`.
fn merge<'a>(
    mut shorter: &'a [VertexId],
    segment: &[VertexId],
    visit: &mut impl FnMut(VertexId),
) -> &'a [VertexId] {
    let mut at = 0;
    while let (Some(&a), Some(&b)) = (shorter.first(), segment.get(at)) {
        if a == b {
            visit(a);
        }
        // Without a branch on which is smaller, as that is as good as random.
        at += usize::from(b <= a);
        shorter = &shorter[usize::from(a <= b)..];
    }
    shorter
}

/// As [`merge`], in steps that double along `segment`.
fn search<'a>(
    mut shorter: &'a [VertexId],
    segment: &[VertexId],
    visit: &mut impl FnMut(VertexId),
) -> &'a [VertexId] {
    let mut rest = segment;
    while let Some(&a) = shorter.first() {
        let mut bound = 1;
        while bound < rest.len() && rest[bound] < a {
            bound *= 2;
        }
        let within = &rest[..rest.len().min(bound + 1)];
        rest = &rest[within.partition_point(|&b| b < a)..];
        match rest.first() {
            None => break,
            Some(&b) if b == a => visit(a),
            Some(_) => {}
        }
        shorter = &shorter[1..];
    }
    shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_find_the_same() {
        let multiples =
            |of: u32, below: u32| -> Vec<u32> { (0..below).step_by(of as usize).collect() };
        for (a, b) in [(7, 3), (3, 7), (1, 1), (50, 1), (1, 50), (1000, 1)] {
            let (shorter, longer) = (multiples(a, 600), multiples(b, 500));
            let expected: Vec<u32> = (0..500).filter(|v| v % a == 0 && v % b == 0).collect();
            for piece in [1, 2, 7, 600] {
                let (mut merged, mut found) = (Vec::new(), Vec::new());
                let (mut left, mut right) = (&shorter[..], &shorter[..]);
                for segment in longer.chunks(piece) {
                    left = merge(left, segment, &mut |v| merged.push(v));
                    right = search(right, segment, &mut |v| found.push(v));
                }
                assert_eq!(merged, expected, "{a} {b} {piece}");
                assert_eq!(found, expected, "{a} {b} {piece}");
                assert!(left.iter().all(|v| shorter.contains(v)));
            }
        }
    }
}
