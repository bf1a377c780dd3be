//! Queries in openCypher.

use evergraph_syntax::scope::{Environment, check};
use evergraph_syntax::{Error, parse, parse_script};

/// Statements: what is read is checked, printed, and read again; what is not is shown with
/// its place. Returns whether it is a text.
pub fn query(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let statements = parse_script(text);
    let Ok(statement) = parse(text) else {
        if let Err(error) = statements {
            shows_its_place(text, &error);
        }
        return true;
    };
    if let Err(error) = check(text, &statement, Environment::default()) {
        shows_its_place(text, &error);
    }
    let shown = statement.to_string();
    assert_eq!(
        parse(&shown).as_ref(),
        Ok(&statement),
        "{text:?} is shown as {shown:?}"
    );
    true
}

fn shows_its_place(text: &str, error: &Error) {
    assert!(text.get(error.at()).is_some(), "{error:?}");
    assert!(error.to_string().contains('^'), "{error:?}");
}
