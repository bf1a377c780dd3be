//! The table of mutants is held against the code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use evergraph_simulated::mutants;

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// All Rust files below, but for what is built.
fn sources(directory: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("readable");
            found.push((path.display().to_string(), text));
        }
    }
}

/// Failpoints in the source of crates that ship and of the registers, by name, with
/// whether their answer is used.
fn failpoints() -> BTreeMap<String, bool> {
    let mut files = Vec::new();
    for part in ["crates", "testing/campaigns/src"] {
        sources(&workspace().join(part), &mut files);
    }
    files.retain(|(path, _)| !path.contains("/tests/") && !path.ends_with("/failpoint.rs"));
    let mut found = BTreeMap::new();
    for (path, text) in &files {
        for (at, _) in text.match_indices("failpoint!(") {
            let rest = text[at + "failpoint!(".len()..].trim_start();
            let rest = rest.strip_prefix('"');
            let (name, after) = rest
                .and_then(|rest| rest.split_once('"'))
                .unwrap_or_else(|| {
                    panic!("{path}: a failpoint without a name");
                });
            // A statement of its own is a place where a process ends, or is stopped.
            let line = text[..at].rsplit('\n').next().unwrap_or_default();
            let is_place = after.starts_with(");") || after.starts_with(", until ");
            let is_mutant = !line.trim().is_empty() || !is_place;
            *found.entry(name.to_string()).or_insert(false) |= is_mutant;
        }
    }
    found
}

#[test]
fn the_table_lists_each_mutant_of_the_code() {
    let in_code: BTreeSet<String> = failpoints()
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
    sources(workspace(), &mut files);
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
