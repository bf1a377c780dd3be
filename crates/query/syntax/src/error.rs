//! Errors: what is wrong, where it stands, and what to write instead.

use std::fmt;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// Classes of errors as openCypher's Technology Compatibility Kit names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Class {
    /// The text is no statement, or can have no meaning.
    SyntaxError,
    /// A value can never have the type that is needed.
    TypeError,
    /// There is no such procedure.
    ProcedureError,
    /// A parameter is needed that is not given.
    ParameterMissing,
}

macro_rules! details {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Errors, by the names of openCypher's Technology Compatibility Kit; the
        /// last ones are not of the kit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum Detail {
            $($(#[$doc])* $name,)*
        }

        impl Detail {
            /// All of them.
            pub const ALL: &[Detail] = &[$(Detail::$name,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Detail::$name => stringify!($name),)*
                }
            }
        }
    };
}

details! {
    AmbiguousAggregationExpression,
    ColumnNameConflict,
    CreatingVarLength,
    DifferentColumnsInUnion,
    FloatingPointOverflow,
    IntegerOverflow,
    InvalidAggregation,
    InvalidArgumentPassingMode,
    InvalidArgumentType,
    InvalidClauseComposition,
    InvalidDelete,
    InvalidNumberLiteral,
    InvalidNumberOfArguments,
    InvalidParameterUse,
    InvalidRelationshipPattern,
    InvalidUnicodeCharacter,
    InvalidUnicodeLiteral,
    MissingParameter,
    NegativeIntegerArgument,
    NestedAggregation,
    NoExpressionAlias,
    NonConstantExpression,
    NoSingleRelationshipType,
    NoVariablesInScope,
    NumberOutOfRange,
    ProcedureNotFound,
    RelationshipUniquenessViolation,
    RequiresDirectedRelationship,
    UndefinedVariable,
    UnexpectedSyntax,
    UnknownFunction,
    VariableAlreadyBound,
    VariableTypeConflict,
    /// There are too many things within each other, or the text is too long.
    LimitExceeded,
    /// It is known, and not supported.
    Unsupported,
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a text is no statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Content>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    problem: Problem,
    line: usize,
    column: usize,
    shown: String,
}

/// An error whose text is not at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub class: Class,
    pub detail: Detail,
    pub what: String,
    pub hint: String,
    /// The word that was probably meant.
    pub near: Option<String>,
    pub at: Range<usize>,
}

impl Problem {
    pub(crate) fn new(
        detail: Detail,
        at: Range<usize>,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Problem {
            class: Class::SyntaxError,
            detail,
            what: what.into(),
            hint: hint.into(),
            near: None,
            at,
        }
    }

    pub(crate) fn of_class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// Suggests the one of `known` that a word is most like.
    pub(crate) fn near<'k>(mut self, word: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        self.near = nearest(word, known).map(str::to_string);
        self
    }

    /// Suggests what was probably meant.
    pub(crate) fn meant(self, here: &str) -> Self {
        let near = Some(here.to_string());
        Problem { near, ..self }
    }

    pub(crate) fn of(self, text: &str) -> Error {
        let (line, column) = position(text, self.at.start);
        let near = self.near.as_ref();
        let meant = near.map_or(String::new(), |near| format!(": did you mean {near}?"));
        let (what, excerpt) = (&self.what, excerpt(text, &self.at));
        let shown = format!("{what}{meant}, at line {line}, column {column}\n{excerpt}");
        Error(Box::new(Content {
            problem: self,
            line,
            column,
            shown,
        }))
    }
}

impl Error {
    /// Its class in the kit.
    pub fn class(&self) -> Class {
        self.0.problem.class
    }

    /// The error, by the kit's names.
    pub fn detail(&self) -> Detail {
        self.0.problem.detail
    }

    /// The problem, in one line.
    pub fn what(&self) -> &str {
        &self.0.problem.what
    }

    /// Advice.
    pub fn hint(&self) -> &str {
        &self.0.problem.hint
    }

    /// The word that was probably meant.
    pub fn near(&self) -> Option<&str> {
        self.0.problem.near.as_deref()
    }

    /// Bytes of the text.
    pub fn at(&self) -> Range<usize> {
        self.0.problem.at.clone()
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Character in the line, from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.shown)
    }
}

impl std::error::Error for Error {}

/// Line and character in the line, from 1, of a byte of a text.
pub fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    (line, before[begin..].chars().count() + 1)
}

/// Characters of a long line that are shown on each side of a place.
const SHOWN: usize = 60;

/// The line of a place, and carets under the place, as wide as a terminal shows it; of a
/// long line only a part. Both lines are indented by two blanks.
pub fn excerpt(text: &str, at: &Range<usize>) -> String {
    let mut start = at.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let before = &text[..start];
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let behind = text[start..].split(['\n', '\r']).next().unwrap_or_default();
    let (left, right) = (&before[begin..], behind);
    let width = text.get(start..at.end.min(start + right.len()));
    let shown = |character: char| match character.is_control() && character != '\t' {
        true => '\u{fffd}',
        false => character,
    };
    let columns = |character: char| shown(character).width().unwrap_or(1);
    let width = width.map_or(1, |marked| {
        let marked = marked.chars().take(SHOWN);
        marked.map(columns).sum::<usize>().max(1)
    });
    let cut = left.chars().count().saturating_sub(SHOWN);
    let mut line: String = match cut {
        0 => left.chars().map(shown).collect(),
        _ => {
            let end = left.chars().skip(cut).map(shown);
            std::iter::once('…').chain(end).collect()
        }
    };
    // Whatever moves the text moves the carets under it.
    let margin: String = line
        .chars()
        .map(|c| match c {
            '\t' => "\t".to_string(),
            other => " ".repeat(columns(other)),
        })
        .collect();
    let mut rest = right.chars().map(shown);
    line.extend(rest.by_ref().take(2 * SHOWN));
    if rest.next().is_some() {
        line.push('…');
    }
    format!("  {line}\n  {margin}{}", "^".repeat(width))
}

/// The word of those that is most like another, if one is: a third of its letters may
/// differ, or one, and the case does not count. The first letter is rarely wrong, so that it
/// differs in no other.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    const LONGEST: usize = 40;
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let allowed = word.chars().count().div_ceil(3).min(3);
    let begins_alike = |known: &str| known.to_lowercase().chars().next() == word.chars().next();
    let distances = known
        .into_iter()
        .map(|known| (distance(&word, &known.to_lowercase()), known));
    let best = distances.min_by_key(|(distance, _)| *distance);
    best.filter(|(distance, known)| {
        let is_near = *distance <= allowed && *distance < known.len();
        is_near && (*distance <= 1 || begins_alike(known))
    })
    .map(|(_, known)| known)
}

/// The name of a type with its article: `a STRING`, `an INTEGER`.
pub fn with_article(name: impl fmt::Display) -> String {
    let name = name.to_string();
    // No name begins with a U, before which the sound would decide.
    match name.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) {
        true => format!("an {name}"),
        false => format!("a {name}"),
    }
}

/// Letters to change, insert, leave out, or exchange with the next.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, excerpt, nearest, position, with_article};

    #[test]
    fn words_that_are_like_are_found() {
        assert_eq!(distance("retrun", "return"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(nearest("RETRUN", ["MATCH", "RETURN"]), Some("RETURN"));
        assert_eq!(nearest("xyz", ["MATCH", "RETURN"]), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("nope", ["type"]), None);
        assert_eq!(nearest("tsrip", ["strip"]), Some("strip"));
    }

    #[test]
    fn articles_are_those_of_the_sound() {
        assert_eq!(with_article("STRING"), "a STRING");
        assert_eq!(with_article("INTEGER or FLOAT"), "an INTEGER or FLOAT");
        assert_eq!(with_article("value"), "a value");
    }

    #[test]
    fn places_are_lines_and_characters() {
        let text = "MATCH (ä)\r\n\tRETRUN ä";
        let at = text.find("RETRUN").unwrap();
        assert_eq!(position(text, at), (2, 2));
        assert_eq!(excerpt(text, &(at..at + 6)), "  \tRETRUN ä\n  \t^^^^^^");
        assert_eq!(excerpt(text, &(9..99)), "  MATCH (ä)\n          ^");
        assert_eq!(excerpt(text, &(8..99)), "  MATCH (ä)\n         ^^");
        let long = format!("{}!{}", "a".repeat(500), "b".repeat(500));
        let shown = excerpt(&long, &(500..501));
        assert!(
            shown.chars().count() < 300 && shown.ends_with("    ^"),
            "{shown}"
        );
    }
}
