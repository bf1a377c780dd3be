//! Lists in brackets, as Cypher, JSON and DuckDB write them: `[1, 2]`, `['a, b', "c"]`,
//! `[x, y]`, `[date('2020-02-29')]`.

use crate::interchange::types::shown;

/// The texts of the elements of a list in brackets: without quotes and, of others than texts,
/// without the name of the function around them. `None` if the text is in no brackets.
///
/// # Errors
/// A quote, a bracket or an escape that does not end; null.
pub(super) fn elements(text: &str, are_texts: bool) -> Result<Option<Vec<String>>, String> {
    let inner = text.trim().strip_prefix('[');
    let Some(inner) = inner.and_then(|text| text.strip_suffix(']')) else {
        return Ok(None);
    };
    let whole = || format!("{} is no list such as ['a', 'b']", shown(text));
    let mut elements = Vec::new();
    let (mut start, mut depth, mut quote) = (0, 0_u32, None);
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(open), letter) => quote = (letter != open).then_some(open),
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(' | '{' | '[') => depth += 1,
            (None, ')' | '}' | ']') => depth = depth.checked_sub(1).ok_or_else(whole)?,
            (None, ',') if depth == 0 => {
                elements.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if quote.is_some() || depth > 0 {
        return Err(whole());
    }
    if !elements.is_empty() || !inner.trim().is_empty() {
        elements.push(&inner[start..]);
    }
    let elements = elements
        .into_iter()
        .map(|element| plain(element.trim(), are_texts));
    let elements: Option<Vec<String>> = elements.collect();
    elements.map(Some).ok_or_else(whole)
}

/// An element without the function around it, and without its quotes. `None` for nothing,
/// null, and an unknown escape.
fn plain(element: &str, is_text: bool) -> Option<String> {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let argument = element
        .strip_suffix(')')
        .and_then(|call| call.split_once('('))
        .filter(|(name, _)| !is_text && is_name(name));
    let element = match argument.map_or(element, |(_, argument)| argument) {
        // As Cypher writes what has no literal.
        "0.0 / 0.0" if !is_text => "NaN",
        "1.0 / 0.0" if !is_text => "Infinity",
        "-1.0 / 0.0" if !is_text => "-Infinity",
        null if null.eq_ignore_ascii_case("null") => return None,
        element => element,
    };
    let quoted = |quote: char| element.strip_prefix(quote)?.strip_suffix(quote);
    match quoted('\'').or_else(|| quoted('"')) {
        Some(inner) => unescaped(inner),
        None => (!element.is_empty()).then(|| element.to_string()),
    }
}

fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => {
                    let digits: String = letters.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok()?;
                    char::from_u32(code).filter(|_| digits.len() == 4)?
                }
                other => other,
            },
            letter => letter,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn lists_are_read_as_programs_write_them() {
        let cases: &[(&str, &[&str])] = &[
            ("[]", &[]),
            (" [ 1, -2 ] ", &["1", "-2"]),
            ("[a b, c]", &["a b", "c"]),
            (
                r#"['a, b', "it's", 'c\'d\\', "\u00e9"]"#,
                &["a, b", "it's", r"c'd\", "é"],
            ),
            ("['']", &[""]),
            ("[date('2020-02-29')]", &["2020-02-29"]),
            (
                "[point({srid: 7203, x: 1.0, y: 2.0}), point({x: 3, y: 4})]",
                &["{srid: 7203, x: 1.0, y: 2.0}", "{x: 3, y: 4}"],
            ),
            ("[']', '[']", &["]", "["]),
            (
                "[(0.0 / 0.0), (-1.0 / 0.0), 1.5]",
                &["NaN", "-Infinity", "1.5"],
            ),
        ];
        for (text, expected) in cases {
            let found = elements(text, false).unwrap().unwrap();
            assert_eq!(found, *expected, "{text}");
        }
        let texts = elements("[f(x), (a), '(0.0 / 0.0)', 'null']", true);
        let expected = ["f(x)", "(a)", "(0.0 / 0.0)", "null"].map(String::from);
        assert_eq!(texts, Ok(Some(expected.into())));
        assert_eq!(elements("a;b", true), Ok(None));
        for text in [
            "['a]",
            "[1,]",
            "[,1]",
            "[(1]",
            "[1)]",
            r"['\u12']",
            "[null]",
        ] {
            assert!(elements(text, true).is_err(), "{text}");
        }
    }
}
