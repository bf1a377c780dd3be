//! Reading a query.

use tantivy::Index;
use tantivy::query::{Query, QueryParser};
use tantivy::query_grammar::{UserInputAst, UserInputLeaf, parse_query, parse_query_lenient};
use tantivy::schema::Field;

use crate::fulltext::error::TextError;
use crate::fulltext::grouping::grouped;

/// Bytes of a query at most.
const LONGEST: usize = 1 << 16;
/// Brackets and signs at most: the library takes them by recursion.
const DEEPEST: usize = 256;

/// Parses a query over a field.
///
/// # Errors
/// [`TextError::Query`], with the position if it is known.
pub(crate) fn parse(index: &Index, field: Field, query: &str) -> Result<Box<dyn Query>, TextError> {
    let wrong = |at, reason: String| TextError::Query {
        query: query.chars().take(100).collect(),
        at,
        reason,
    };
    check_size(query).map_err(|reason| wrong(None, reason))?;
    let grouped = grouped(query).map_err(|(at, reason)| wrong(letter_at(query, at), reason))?;
    let asked = grouped.as_deref().unwrap_or(query);
    let Ok(tree) = parse_query(asked) else {
        let (at, reason) = first_fault(query);
        return Err(wrong(at, reason));
    };
    if let Some(field) = named_field(&tree) {
        let reason = format!("`{field}:` names a field, and there are none; put it into quotes");
        return Err(wrong(place_of(query, &field), reason));
    }
    let mut parser = QueryParser::for_index(index, vec![field]);
    parser.set_conjunction_by_default();
    let parsed = parser.parse_query(asked);
    parsed.map_err(|error| wrong(None, error.to_string()))
}

fn check_size(query: &str) -> Result<(), String> {
    if query.trim().is_empty() {
        return Err("it has no words".to_string());
    }
    if query.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let signs = |letter: &char| "([{+-^".contains(*letter);
    let words = query.split_whitespace().filter(|&word| word == "NOT");
    match query.chars().filter(signs).count() + words.count() > DEEPEST {
        true => Err(format!(
            "it has more than {DEEPEST} brackets, signs and NOTs"
        )),
        false => Ok(()),
    }
}

/// The place in a query, in letters from 1, and what is wrong there.
fn first_fault(query: &str) -> (Option<usize>, String) {
    let (_, faults) = parse_query_lenient(query);
    match faults.into_iter().min_by_key(|fault| fault.pos) {
        Some(fault) => (letter_at(query, fault.pos), fault.message),
        None => (None, "brackets or quotes are not closed".to_string()),
    }
}

fn letter_at(query: &str, byte: usize) -> Option<usize> {
    Some(query.get(..byte)?.chars().count() + 1)
}

fn place_of(query: &str, field: &str) -> Option<usize> {
    letter_at(query, query.find(field)?)
}

/// A field that a query names.
fn named_field(asked: &UserInputAst) -> Option<String> {
    match asked {
        UserInputAst::Clause(parts) => parts.iter().find_map(|part| named_field(&part.1)),
        UserInputAst::Boost(part, _) => named_field(part),
        UserInputAst::Leaf(leaf) => match &**leaf {
            UserInputLeaf::Literal(literal) => literal.field_name.clone(),
            UserInputLeaf::Range { field, .. }
            | UserInputLeaf::Set { field, .. }
            | UserInputLeaf::Regex { field, .. } => field.clone(),
            UserInputLeaf::Exists { field } => Some(field.clone()),
            UserInputLeaf::All => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fulltext::base::{schema, tokenizers};
    use crate::fulltext::definition::Tokenizer;

    fn read(query: &str) -> Result<Box<dyn Query>, TextError> {
        let (schema, fields) = schema();
        let mut index = Index::create_in_ram(schema);
        index.set_tokenizers(tokenizers(Tokenizer::Words));
        parse(&index, fields.text, query)
    }

    #[test]
    fn faults_have_a_place() {
        for (query, place) in [
            ("red \"green", Some(11)),
            ("(red", Some(5)),
            ("größe title:red", Some(7)),
            ("node:5", Some(1)),
            ("text:*", Some(1)),
            ("red AND version:[a TO b]", Some(9)),
            ("-red", Some(1)),
            (" ", None),
        ] {
            match read(query) {
                Err(TextError::Query { at, reason, .. }) => {
                    assert_eq!(at, place, "{query}: {reason}")
                }
                other => panic!("{query}: {other:?}"),
            }
        }
    }

    #[test]
    fn long_and_deep_queries_are_refused() {
        for sign in ["(", "-", "+", "NOT ", "[", "-(", "+("] {
            for times in [300, 1 << 16] {
                assert!(read(&format!("{}a", sign.repeat(times))).is_err(), "{sign}");
            }
            // Whatever it means, it is read.
            let _ = read(&format!("{}a", sign.repeat(100)));
        }
        assert!(read(&"word ".repeat(10_000)).is_ok());
    }
}
