//! The examples of `docs/query-language.md` give what the page says.
//!
//! A block of statements is followed by a block of what they print. `UPDATE_EXPECT=1` writes
//! the latter anew.

use std::fmt::Write;

use crate::common::Place;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/query-language.md");

#[test]
fn examples_give_what_the_page_says() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let place = Place::new();
    place
        .call_with(&["query", "db", "RETURN 1", "--create"])
        .expect(0);
    let mut written = String::new();
    let mut rest = page.as_str();
    let mut examples = 0;
    while let Some((before, after)) = rest.split_once("```cypher\n") {
        let (statements, behind) = after.split_once("```\n").expect("the end of a block");
        let expected = behind
            .strip_prefix("\n```text\n")
            .or(behind.strip_prefix("```text\n"));
        let expected = expected.expect("what the statements print");
        let (_, behind) = expected.split_once("```\n").expect("the end of a block");
        let said = place.feed(&["query", "db", "-"], statements);
        let text = match said.code {
            Some(0) => said.stdout,
            _ => format!("{}{}", said.stdout, said.stderr),
        };
        let _ = write!(
            written,
            "{before}```cypher\n{statements}```\n```text\n{text}```\n"
        );
        rest = behind;
        examples += 1;
    }
    written.push_str(rest);
    assert!(examples > 5, "{examples}");
    expect_test::expect_file![PAGE].assert_eq(&written);
}
