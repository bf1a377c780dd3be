//! Names that are not known, and the nearest known to them.

use std::sync::Arc;

use crate::Error;

/// Names of a kind that an error lists at most.
const LISTED: usize = 12;

/// The name among `known` that `given` most likely stands for: at most a third
/// of its letters (and at least one) away. The first of several equally near.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .into_iter()
        .map(|name| (distance(&given, &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= (name.chars().count() / 3).max(1))
        .map(|(_, name)| name)
}

/// Refuses names that are not among those `known`.
pub fn check_names<'n>(
    what: &str,
    names: impl IntoIterator<Item = &'n String>,
    known: &[Arc<str>],
) -> Result<(), Error> {
    for name in names {
        if known.iter().any(|known| **known == **name) {
            continue;
        }
        let near = nearest(name, known.iter().map(|known| &**known));
        let hint = match (near, known) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "the graph has none".to_string(),
            (None, known) => {
                let listed: Vec<&str> = known.iter().take(LISTED).map(|known| &**known).collect();
                let more = if known.len() > LISTED { ", ..." } else { "" };
                format!("there are {}{more}", listed.join(", "))
            }
        };
        return Err(Error::argument(
            format!("there is no {what} {name:?}"),
            hint,
        ));
    }
    Ok(())
}

/// Letters to insert, delete, replace or swap with the next (the optimal string
/// alignment distance).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let one_more = rows[i - 1][j].min(rows[i][j - 1]) + 1;
            let mut best = replace.min(one_more);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = [
            "pagerank",
            "bfs",
            "betweenness",
            "connected-components",
            "LIKES",
            "cc",
        ];
        for (given, expected) in [
            ("pagernak", Some("pagerank")),
            ("PageRank", Some("pagerank")),
            ("betweeness", Some("betweenness")),
            ("likes", Some("LIKES")),
            ("bsf", Some("bfs")),
            ("conected-component", Some("connected-components")),
            ("c", Some("cc")),
            ("louvain", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }
}
