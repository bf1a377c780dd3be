//! Layouts of stored structures, checked before the program runs.

/// A field: where it begins, and how many bytes it has.
pub type Field = (usize, usize);

/// Whether the fields, in order, cover all of `bytes` and no byte twice. Bytes
/// that are written as zero are fields, too.
///
/// ```
/// use evergraph_storage::layout::tiles;
/// const _: () = assert!(tiles(&[(0, 4), (4, 8)], 12));
/// const _: () = assert!(!tiles(&[(0, 4), (8, 4)], 12), "four bytes belong to no field");
/// ```
pub const fn tiles(fields: &[Field], bytes: usize) -> bool {
    let mut end = 0;
    let mut at = 0;
    while at < fields.len() {
        let (start, length) = fields[at];
        if start != end || length == 0 {
            return false;
        }
        end = start + length;
        at += 1;
    }
    end == bytes
}

/// Largest structures of which each check of `invariants` walks all of it, so
/// that debug builds stay as fast as the steps they check. What is larger is
/// walked where a checkpoint or an opening ends.
pub const WALKED_AT_MOST: usize = 256;

#[cfg(test)]
mod tests {
    use super::tiles;

    #[test]
    fn gaps_overlaps_and_wrong_totals_are_no_layout() {
        assert!(tiles(&[(0, 4), (4, 8), (12, 4)], 16));
        assert!(!tiles(&[(0, 4), (4, 8)], 16), "too short");
        assert!(!tiles(&[(0, 4), (8, 8)], 16), "a gap");
        assert!(!tiles(&[(0, 8), (4, 8)], 12), "an overlap");
        assert!(!tiles(&[(4, 4), (0, 4)], 8), "out of order");
        assert!(!tiles(&[(0, 8), (8, 0)], 8), "a field without bytes");
    }
}
