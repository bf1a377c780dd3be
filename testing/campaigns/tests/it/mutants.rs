//! The table of mutants is held against the code.

use std::collections::BTreeSet;

use evergraph_simulated::mutants;

#[test]
fn the_table_lists_each_mutant_of_the_code() {
    let in_code: BTreeSet<String> = mutants::failpoints()
        .into_iter()
        .filter_map(|(name, is_mutant)| is_mutant.then_some(name))
        .collect();
    let in_table: BTreeSet<String> = mutants::all()
        .map(|mutant| mutant.failpoint.into())
        .collect();
    assert_eq!(in_code, in_table, "testing/mutants.tsv");
}

/// A campaign or a test that the table names is there, and arms the mutant.
#[test]
fn each_mutant_is_armed_somewhere() {
    let mut files = Vec::new();
    mutants::sources(&mutants::workspace(), &mut files);
    for mutant in mutants::all() {
        match mutant.caught_by.strip_prefix("test:") {
            Some(tests) => {
                let armed = format!("\"{}\"", mutant.failpoint);
                let last = tests.rsplit("::").next().expect("a path");
                let is_armed = files.iter().any(|(path, text)| {
                    path.contains("tests") && path.contains(last) && text.contains(&armed)
                });
                assert!(is_armed, "{mutant:?}");
            }
            None => {
                for suite in mutant.caught_by.split(',') {
                    let asked = format!("of_suite(\"{suite}\")");
                    let is_run = files.iter().any(|(_, text)| text.contains(&asked));
                    assert!(is_run, "{mutant:?}: there is no suite {suite}");
                }
            }
        }
    }
}
