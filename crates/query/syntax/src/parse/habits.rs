//! Habits from other languages and places, and from earlier times, and what to write here.

use super::Parser;

/// The words that should be at a place (how they begin), those that stand there (of several
/// words the last one may also stand right before; an empty one is anything), and a hint.
#[rustfmt::skip] // Rows of a table.
const HABITS: [(&str, &[&str], &str); 20] = [
    (
        "the end of the text",
        &[""],
        "one statement is given; `evergraph query DB -` reads several from standard input",
    ),
    (
        "a clause, such as MATCH",
        &[":"],
        "lines such as :begin are for `evergraph shell`; `evergraph query` takes \
         --param NAME=VALUE",
    ),
    (
        "a clause, such as MATCH",
        &["USING"],
        "write LOAD CSV ... AS row CALL (row) { ... } IN TRANSACTIONS OF 500 ROWS",
    ),
    (":", &["}"], "a parameter is written $name, and a property {name: value}"),
    (":", &["="], "a property is written {name: value}"),
    (
        "",
        &["DATABASE", "DATABASES", "USE"],
        "a database is a directory, the first argument of `evergraph`; --create makes one",
    ),
    (
        "",
        &["BEGIN", "COMMIT", "ROLLBACK"],
        "`evergraph shell` has :begin, :commit and :rollback; elsewhere a statement is a \
         transaction",
    ),
    ("", &["UPDATE"], "write MATCH (n:Label) SET n.key = value"),
    ("", &["INTO"], "write CREATE (n:Label {key: value})"),
    ("", &["DELETE FROM"], "write MATCH (n:Label) DETACH DELETE n"),
    ("", &["DROP INDEX ON"], "write DROP INDEX name; SHOW INDEXES has the names"),
    ("", &["DROP CONSTRAINT ON"], "write DROP CONSTRAINT name; SHOW CONSTRAINTS has the names"),
    ("", &["SELECT"], "a query reads by MATCH (n:Label), and RETURN gives its columns"),
    ("", &["JOIN"], "patterns join: MATCH (a)-[:TYPE]->(b)"),
    ("", &["GROUP"], "RETURN and WITH group by what they do not aggregate"),
    ("", &["HAVING"], "write WITH with the aggregation, and WHERE behind it"),
    (
        "",
        &["LIKE"],
        "write STARTS WITH, ENDS WITH, CONTAINS, or =~ with a regular expression",
    ),
    ("", &["BETWEEN"], "write 1 <= n.key <= 9"),
    (
        "",
        &["WHEN"],
        "WHEN begins a query, and is no clause: write CALL (*) { WHEN ... THEN ... }, or NEXT \
         before it",
    ),
    ("", &["ASSERT"], "write CREATE CONSTRAINT FOR (n:Label) REQUIRE n.key IS UNIQUE"),
];

impl Parser<'_> {
    /// The hint of a habit, where something else should be.
    pub(super) fn habit(&self, expected: &str) -> Option<&'static str> {
        let mut habits = HABITS.into_iter();
        let habit = habits.find(|(place, known, _)| {
            expected.starts_with(place) && known.iter().any(|words| self.stand(words))
        });
        habit.map(|(.., hint)| hint)
    }

    /// Whether words stand here, or several right before.
    fn stand(&self, words: &str) -> bool {
        let words: Vec<&str> = words.split(' ').collect();
        let end_here = |end: usize| {
            let start = end.checked_sub(words.len());
            start.is_some_and(|start| {
                let mut pairs = self.tokens[start..end].iter().zip(&words);
                pairs.all(|(token, word)| {
                    let written = &self.text[token.start as usize..token.end as usize];
                    word.is_empty() || word.eq_ignore_ascii_case(written)
                })
            })
        };
        end_here(self.place + 1) || (words.len() > 1 && end_here(self.place))
    }
}
