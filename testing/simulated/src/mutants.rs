//! The table of mutants, `testing/mutants.tsv`.

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
