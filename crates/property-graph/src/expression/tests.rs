//! Cases of openCypher's rules, and errors.

use super::{Expression, SyntaxError, TypeError};
use crate::value::Value;

fn property(name: &str) -> Value {
    match name {
        "one" => Value::Integer(1),
        "two" => Value::Integer(2),
        "half" => Value::Float(0.5),
        "nan" => Value::Float(f64::NAN),
        "text" => "The Matrix".into(),
        "yes" => true.into(),
        "no" => false.into(),
        "list" => vec![1_i64, 2].into(),
        "full name" => "Keanu".into(),
        "born" => Value::Date("1964-09-02".parse().unwrap()),
        _ => Value::Null,
    }
}

fn truth(text: &str) -> Result<Option<bool>, String> {
    let of = |text: &str| {
        let expression = Expression::parse(text).map_err(|error| error.to_string())?;
        let keys = expression.keys();
        let mut give = |key: usize| Ok::<_, TypeError>(property(&keys[key].name));
        let held = expression.holds(&mut give);
        held.map_err(|error| error.to_string())
    };
    Ok(match (of(text)?, of(&format!("NOT ({text})"))?) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
        (true, true) => panic!("{text} is true and false"),
    })
}

#[test]
fn truths_are_those_of_opencypher() {
    const T: Option<bool> = Some(true);
    const F: Option<bool> = Some(false);
    for (text, expected) in [
        ("one = 1", T),
        ("one = 1.0", T),
        ("one <> 1", F),
        ("one = '1'", F),
        ("one <> '1'", T),
        ("one < '1'", None),
        ("one < two", T),
        ("half < one <= 1", T),
        ("half < one < 1", F),
        ("1 < missing < 0", None),
        ("2 < one < missing", F),
        ("nan = nan", F),
        ("nan <> nan", T),
        ("nan < 1", F),
        ("nan >= 1", F),
        ("nan < 'a'", None),
        ("missing = null", None),
        ("missing <> null", None),
        ("missing IS NULL", T),
        ("missing IS NOT NULL", F),
        ("(missing = 1) IS NULL", T),
        ("one is not null", T),
        ("no < yes", T),
        ("no > 0", None),
        ("null", None),
        ("missing", None),
        ("yes", T),
        ("NOT no", T),
        ("not not yes", T),
        ("NOT one = 2", T),
        // AND binds more than XOR, and that more than OR.
        ("true OR false AND false", T),
        ("true XOR true AND false", T),
        ("true OR true XOR true", T),
        ("false AND missing", F),
        ("missing AND false", F),
        ("true AND missing", None),
        ("true OR missing", T),
        ("false OR missing", None),
        ("true XOR missing", None),
        ("true XOR false XOR true", F),
        ("one IN [1, 2]", T),
        ("one IN [2, 3]", F),
        ("one IN [2, null]", None),
        ("one IN [1, null]", T),
        ("missing IN [1]", None),
        ("missing IN []", F),
        ("one IN []", F),
        ("one IN null", None),
        ("2 IN list", T),
        ("two IN [one, two]", T),
        ("[1, 2] IN [list]", T),
        ("[1, null] = list", None),
        ("[3, null] = list", F),
        ("[1] = list", F),
        ("[1, 3] > list", T),
        ("list < [1, 2, 0]", T),
        ("text STARTS WITH 'The'", T),
        ("text STARTS WITH 'the'", F),
        ("text ends with \"Matrix\"", T),
        ("text CONTAINS ' Mat'", T),
        ("text CONTAINS ''", T),
        ("text STARTS WITH missing", None),
        ("one STARTS WITH '1'", None),
        ("text STARTS WITH 1", None),
        ("text STARTS WITH 'The' = true", T),
        ("`full name` = 'Keanu'", T),
        ("born < date('1970-01-01')", T),
        ("born < datetime('1970-01-01T00:00Z')", None),
        ("duration('P1D') < duration('P2D')", None),
        ("duration('P1D') = duration('P1D')", T),
        ("two > -3", T),
        ("two = +2", T),
        ("-9223372036854775808 < one", T),
        ("0xFF = 255", T),
        ("0o17 = 15", T),
        (".5 = half", T),
        ("5e-1 = half", T),
        (r"'a\'b' = 'a\u0027b'", T),
        (r"'\\' = '\u005C'", T),
        (r"'\U0001F600' = '😀'", T),
    ] {
        assert_eq!(truth(text), Ok(expected), "{text}");
    }
}

fn refused(text: &str) -> SyntaxError {
    match Expression::parse(text) {
        Ok(_) => panic!("{text} is read"),
        Err(error) => error,
    }
}

#[test]
fn errors_point_at_the_place() {
    for (text, marked, what) in [
        ("", "", "the text ends where an expression"),
        ("one >", "", "the text ends where an expression"),
        ("one > > 2", ">", "> stands where an expression"),
        ("one == 2", "==", "no operator =="),
        ("one != 2", "!=", "no operator !="),
        ("one && two", "&&", "no operator &&"),
        ("(one = 1", "", "the text ends where ) should be"),
        ("one = 1)", ")", ") stands where an operator"),
        (
            "one CONTAIN 'x'",
            "CONTAIN",
            "CONTAIN stands where an operator",
        ),
        ("text STARTS 'x'", "'x'", "where WITH should be"),
        ("one IS 1", "1", "NULL, NOT NULL or a label should be"),
        ("AND one", "AND", "AND stands where an expression"),
        ("n.one = 1", "n.one", "without a variable"),
        ("text = 'abc", "'", "this string has no end"),
        ("`abc = 1", "`", "this name has no end"),
        ("`` = 1", "``", "this name is empty"),
        (r"text = 'a\x'", r"\x", "no such escape"),
        (r"text = '\uD800'", r"\u", "no character"),
        ("one = 12abc", "12abc", "12abc is no number"),
        ("one = 1e", "1e", "1e is no number"),
        ("one = 1e999", "1e999", "larger than a float"),
        (
            "one = 9223372036854775808",
            "9223372036854775808",
            "64 bits",
        ),
        (
            "one = 99999999999999999999",
            "99999999999999999999",
            "64 bits",
        ),
        ("one = - two", "- two", "arithmetic"),
        ("one = 1 + 1", "1 + 1", "arithmetic"),
        ("text =~ 'a.*'", "text =~ 'a.*'", "regular expressions"),
        ("one = $one", "$one", "parameters"),
        ("one:Label", "one:Label", "labels"),
        ("list[0] = 1", "list[0]", "parts of values"),
        ("(a)-->()", "(a)-->()", "paths"),
        (
            "any(x IN list WHERE x = 1)",
            "any(x IN list WHERE x = 1)",
            "each element",
        ),
        (
            "one = CASE WHEN yes THEN 1 END",
            "CASE WHEN yes THEN 1 END",
            "CASE",
        ),
        ("one = {a: 1}", "{a: 1}", "maps"),
        ("count(*) > 1", "count(*)", "aggregations"),
        ("born > dat('2001-01-01')", "dat", "no function dat"),
        ("born > date('2001-13-01')", "'2001-13-01'", "2001-13-01"),
        ("born > date(one)", "one", "a text in quotes"),
        ("1", "1", "an INTEGER where a BOOLEAN"),
        ("yes AND 'x'", "'x'", "a STRING where a BOOLEAN"),
        ("NOT [1]", "[1]", "a LIST where a BOOLEAN"),
        ("one IN 1", "1", "an INTEGER where a LIST"),
        ("one # 2", "#", "no meaning"),
        ("ä = 1 é", "é", "é stands where an operator"),
    ] {
        let error = refused(text);
        assert_eq!(&text[error.at.clone()], marked, "{text}: {error}");
        assert!(error.what.contains(what), "{text}: {error}");
        assert!(!error.hint.is_empty(), "{text}");
    }
}

#[test]
fn the_place_is_shown_under_the_line() {
    let shown = refused("one = 1\n\tOR täxt CONTAIN 'x'").to_string();
    assert_eq!(
        shown,
        "CONTAIN stands where an operator, such as AND, should be, at character 18\n  \
         \tOR täxt CONTAIN 'x'\n  \t        ^^^^^^^"
    );
    let shown = refused("one >").to_string();
    assert!(shown.ends_with("\n  one >\n       ^"), "{shown}");
    assert_eq!(
        truth("two = 2 AND list").unwrap_err(),
        "this is a LIST where a BOOLEAN should be, at character 13\n  two = 2 AND list\n              ^^^^"
    );
    assert!(
        truth("one IN two")
            .unwrap_err()
            .contains("an INTEGER where a LIST")
    );
}

#[test]
fn depth_has_a_bound() {
    for text in [
        format!("{}yes{}", "(".repeat(5000), ")".repeat(5000)),
        format!("{}yes", "NOT ".repeat(5000)),
        format!("one IN {}", "[".repeat(5000)),
        format!("one{}", " IS NULL".repeat(5000)),
    ] {
        assert!(refused(&text).what.contains("more than 100 things"));
    }
    // What is long and flat is not deep.
    let long = vec!["yes"; 5000].join(" AND ");
    assert_eq!(truth(&long), Ok(Some(true)));
}

#[test]
fn any_text_is_read_or_refused() {
    let mut random = evergraph_graph::random::Random::new(5);
    let words = [
        "one", "AND", "NOT", "(", ")", "[", "]", ",", "IN", "IS", "NULL", "<", "=", "'a'", "1.5",
        ".", "-", "`x`", "STARTS", "WITH", "ü", "\\", "'", "\n", "date(", "0x", "1e", "😀",
    ];
    for _ in 0..20_000 {
        let text: String = (0..random.below(12))
            .map(|_| {
                let blank = if random.below(3) == 0 { "" } else { " " };
                format!(
                    "{}{blank}",
                    words[random.below(words.len() as u64) as usize]
                )
            })
            .collect();
        if let Err(error) = Expression::parse(&text) {
            assert!(text.get(error.at.clone()).is_some(), "{text:?}: {error:?}");
            assert!(error.to_string().lines().count() >= 3, "{text:?}");
        }
    }
}
