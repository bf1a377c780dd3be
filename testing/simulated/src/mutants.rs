//! The table of mutants, `testing/mutants.tsv`, and the failpoints of the code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A failpoint that makes a step go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Name of the failpoint.
    pub failpoint: &'static str,
    /// Suites that must catch it, or `test:` and the tests that do.
    pub caught_by: &'static str,
    /// The step that goes wrong.
    pub wrong: &'static str,
}

/// All, by name.
pub fn all() -> impl Iterator<Item = Mutant> {
    let lines = include_str!("../../mutants.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).map(|line| {
        let mut columns = line.split('\t');
        let mut column = || columns.next().expect("three columns");
        Mutant {
            failpoint: column(),
            caught_by: column(),
            wrong: column(),
        }
    })
}

/// Failpoints that a suite must catch.
pub fn of_suite(suite: &str) -> Vec<&'static str> {
    let caught = all().filter(|mutant| mutant.caught_by.split(',').any(|name| name == suite));
    caught.map(|mutant| mutant.failpoint).collect()
}

/// The workspace's directory.
pub fn workspace() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).to_path_buf()
}

/// All Rust files below a directory, but for what is built: paths and texts.
///
/// # Panics
/// If one cannot be read.
pub fn sources(directory: &Path, found: &mut Vec<(String, String)>) {
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
///
/// # Panics
/// If a file cannot be read, or a failpoint has no name.
pub fn failpoints() -> BTreeMap<String, bool> {
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
