//! Entries that stand for themselves, and edges that are listed at both ends.

use super::outcome;

#[test]
fn an_entry_of_the_diagonal_is_one_edge() {
    let of = |symmetry: &str| {
        let text =
            format!("%%MatrixMarket matrix coordinate real {symmetry}\n2 2 2\n1 1 3\n2 1 4\n");
        outcome("a.mtx", "w", text.as_bytes(), 9)
    };
    let edges = |text: &str| text.matches('>').count();
    // Of a skew one the entry beside the diagonal is two, with two signs.
    assert_eq!(edges(&of("general")), 2, "{}", of("general"));
    assert_eq!(edges(&of("skew-symmetric")), 3, "{}", of("skew-symmetric"));
}

#[test]
fn a_symmetric_matrix_has_no_two_sides() {
    for symmetry in ["symmetric", "skew-symmetric"] {
        let text = format!("%%MatrixMarket matrix coordinate real {symmetry}\n2 2 1\n2 1 4\n");
        let refused = outcome("a.mtx", "bipartite", text.as_bytes(), 9);
        assert!(
            refused.contains("this matrix has no two sides"),
            "{refused}"
        );
    }
}

#[test]
fn a_loop_of_metis_is_listed_once_or_twice() {
    for text in ["2 2\n1 2\n1\n", "2 2\n1 1 2\n1\n"] {
        let read = outcome("a.graph", "", text.as_bytes(), 9);
        assert!(!read.contains('|'), "{text}: {read}");
    }
    let wrong = outcome("a.graph", "", b"2 3\n1 2\n1\n", 9);
    assert!(wrong.contains('|'), "{wrong}");
}
