//! Functions of texts.

use evergraph_property_graph::Value;

use evergraph_syntax::scope::{Returns, Types};

use unicode_normalization::UnicodeNormalization;

use super::definition::{Category, Function, may, needs};
use super::{scalar, unreachable_type, wrong};
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

type Result = std::result::Result<Datum, EvaluationError>;

const STRING: Category = Category::String;
const TEXT: evergraph_syntax::scope::Parameter = needs("text", Types::STRING);

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(STRING, "left", &[TEXT, needs("length", Types::INTEGER)], Types::STRING,
        "The first characters of a text, so many.",
        ("left('hello', 3)", "'hel'"), |arguments, _| {
            let (text, length) = (text(&arguments[0])?, count("left", &arguments[1])?);
            Ok(text.chars().take(length).collect::<String>().into())
        }),
    Function::new(STRING, "right", &[TEXT, needs("length", Types::INTEGER)], Types::STRING,
        "The last characters of a text, so many.",
        ("right('hello', 3)", "'llo'"), |arguments, _| {
            let (text, length) = (text(&arguments[0])?, count("right", &arguments[1])?);
            let skipped = text.chars().count().saturating_sub(length);
            Ok(text.chars().skip(skipped).collect::<String>().into())
        }),
    Function::new(STRING, "substring",
        &[TEXT, needs("start", Types::INTEGER), may("length", Types::INTEGER)], Types::STRING,
        "Characters of a text from a place (the first is 0), so many or to the end.",
        ("substring('hello', 1, 3)", "'ell'"), substring),
    Function::new(STRING, "replace",
        &[TEXT, needs("search", Types::STRING), needs("replacement", Types::STRING),
            may("limit", Types::INTEGER)], Types::STRING,
        "A text with each occurrence of another replaced, or with the first ones up to a limit.",
        ("replace('hello', 'l', 'w')", "'hewwo'"), replace),
    Function::new(STRING, "split",
        &[TEXT, needs("separators", Types::STRING.or(Types::LIST))], Types::LIST,
        "Parts of a text between separators; an empty one separates all characters.",
        ("split('one,two', ',')", "['one', 'two']"), split).that(Returns::ListOf(Types::STRING)),
    Function::new(STRING, "toLower", &[TEXT], Types::STRING,
        "A text in small letters.",
        ("toLower('HeLLo')", "'hello'"),
        |arguments, _| Ok(text(&arguments[0])?.to_lowercase().into())),
    Function::new(STRING, "lower", &[TEXT], Types::STRING,
        "As toLower.",
        ("lower('HeLLo')", "'hello'"),
        |arguments, _| Ok(text(&arguments[0])?.to_lowercase().into())),
    Function::new(STRING, "toUpper", &[TEXT], Types::STRING,
        "A text in capital letters.",
        ("toUpper('HeLLo')", "'HELLO'"),
        |arguments, _| Ok(text(&arguments[0])?.to_uppercase().into())),
    Function::new(STRING, "upper", &[TEXT], Types::STRING,
        "As toUpper.",
        ("upper('HeLLo')", "'HELLO'"),
        |arguments, _| Ok(text(&arguments[0])?.to_uppercase().into())),
    Function::new(STRING, "trim", &[TEXT, may("characters", Types::STRING)], Types::STRING,
        "A text without white space, or without the characters, at both ends.",
        ("trim('  hello ')", "'hello'"), |arguments, _| trimmed(arguments, true, true)),
    Function::new(STRING, "btrim", &[TEXT, may("characters", Types::STRING)], Types::STRING,
        "As trim.",
        ("btrim('xxhellox', 'x')", "'hello'"), |arguments, _| trimmed(arguments, true, true)),
    Function::new(STRING, "lTrim", &[TEXT, may("characters", Types::STRING)], Types::STRING,
        "As trim, at the beginning alone.",
        ("lTrim(' hello ')", "'hello '"), |arguments, _| trimmed(arguments, true, false)),
    Function::new(STRING, "rTrim", &[TEXT, may("characters", Types::STRING)], Types::STRING,
        "As trim, at the end alone.",
        ("rTrim(' hello ')", "' hello'"), |arguments, _| trimmed(arguments, false, true)),
    Function::new(STRING, "normalize", &[TEXT, may("form", Types::STRING)], Types::STRING,
        "A text in a normal form of Unicode: NFC, NFD, NFKC or NFKD, as a word or a text.",
        ("normalize('ﬁ', 'NFKC')", "'fi'"), normalize),
    Function::new(STRING, "isNormalized", &[TEXT, may("form", Types::STRING)], Types::BOOLEAN,
        "Whether a text is in a normal form; also written `text IS NFC NORMALIZED`.",
        ("isNormalized('ﬁ', 'NFKC')", "false"), |arguments, environment| {
            Ok((normalize(arguments, environment)? == arguments[0]).into())
        }),
    Function::new(STRING, "char_length", &[TEXT], Types::INTEGER,
        "Number of characters.",
        ("char_length('hello')", "5"), scalar::size),
    Function::new(STRING, "character_length", &[TEXT], Types::INTEGER,
        "Number of characters.",
        ("character_length('hello')", "5"), scalar::size),
];

fn text(datum: &Datum) -> std::result::Result<&str, EvaluationError> {
    let text = datum.as_value().and_then(Value::as_text);
    text.ok_or_else(unreachable_type)
}

/// A number of characters.
fn count(function: &str, datum: &Datum) -> std::result::Result<usize, EvaluationError> {
    let number = datum.as_value().and_then(Value::as_integer);
    let number = number.ok_or_else(unreachable_type)?;
    usize::try_from(number).map_err(|_| {
        let message = format!("{function}() does not take the negative number {number}");
        wrong(ErrorKind::NegativeIntegerArgument, message)
    })
}

fn substring(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let start = count("substring", &arguments[1])?;
    let length = arguments.get(2).map(|length| count("substring", length));
    let length = length.transpose()?.unwrap_or(usize::MAX);
    let characters = text(&arguments[0])?.chars().skip(start).take(length);
    Ok(characters.collect::<String>().into())
}

fn replace(arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let (text, search) = (text(&arguments[0])?, text(&arguments[1])?);
    let replacement = self::text(&arguments[2])?;
    let limit = arguments.get(3).map(|limit| count("replace", limit));
    let limit = limit.transpose()?.unwrap_or(usize::MAX);
    let times = text.matches(search).take(limit).count();
    environment.check_bytes(text.len() + times.saturating_mul(replacement.len()))?;
    Ok(text.replacen(search, replacement, limit).into())
}

fn split(arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let text = text(&arguments[0])?;
    let separators: Vec<Datum> = match arguments[1].elements() {
        Some(elements) => elements.iter().collect(),
        None => vec![arguments[1].clone()],
    };
    let mut parts = vec![text];
    for separator in &separators {
        let separator = separator
            .as_value()
            .and_then(Value::as_text)
            .ok_or_else(|| {
                let message = "split() takes a list of STRING for 'separators'";
                wrong(ErrorKind::InvalidArgumentValue, message)
            })?;
        let pieces = parts.iter().flat_map(|part| pieces(part, separator));
        parts = pieces.collect();
        environment.check_elements(parts.len())?;
    }
    Ok(Datum::Value(parts.into_iter().collect()))
}

fn pieces<'a>(part: &'a str, separator: &str) -> Vec<&'a str> {
    if !separator.is_empty() || part.is_empty() {
        return part
            .split(separator)
            .take(if part.is_empty() { 1 } else { usize::MAX })
            .collect();
    }
    let ends = part
        .char_indices()
        .map(|(at, c)| &part[at..at + c.len_utf8()]);
    ends.collect()
}

fn normalize(arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let characters = text(&arguments[0])?.chars();
    let form = arguments.get(1).map(text).transpose()?.unwrap_or("NFC");
    let normal: String = match form.to_ascii_uppercase().as_str() {
        "NFC" => characters.nfc().collect(),
        "NFD" => characters.nfd().collect(),
        "NFKC" => characters.nfkc().collect(),
        "NFKD" => characters.nfkd().collect(),
        _ => {
            let message = format!("normalize() takes NFC, NFD, NFKC or NFKD, not '{form}'");
            return Err(wrong(ErrorKind::InvalidArgumentValue, message));
        }
    };
    environment.check_bytes(normal.len())?;
    Ok(normal.into())
}

/// White space that can be broken at, as Java and Neo4j have it.
fn is_blank(c: char) -> bool {
    match c {
        '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}' => false,
        '\u{1c}'..='\u{1f}' => true,
        _ => c.is_whitespace(),
    }
}

fn trimmed(arguments: &[Datum], start: bool, end: bool) -> Result {
    let mut text = text(&arguments[0])?;
    let characters = arguments.get(1).map(self::text).transpose()?;
    let is_cut = |c: char| characters.map_or(is_blank(c), |set| set.contains(c));
    if start {
        text = text.trim_start_matches(is_cut);
    }
    if end {
        text = text.trim_end_matches(is_cut);
    }
    Ok(text.into())
}
