//! Rewrites a query so that the library groups it in one way alone. By itself it takes words
//! beside `OR` as optional, and brackets of excluded words as matching nothing: each `OR`
//! gets operands of its own here, and ambiguous queries are refused.

use std::iter::Peekable;
use std::str::CharIndices;

/// The place in a query, in bytes, and what is wrong there.
type Fault = (usize, String);

/// The operator between two operands.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    Nothing,
    And,
    Or,
}

/// A word, words in quotes, or what is in brackets.
struct Operand {
    at: usize,
    /// Whether it must not match.
    is_negative: bool,
    text: String,
    /// Between the one before and this one.
    between: Between,
}

/// A query with the same meaning in which the library has no choice; `None` of one that it
/// has to refuse.
///
/// # Errors
/// Ambiguous queries, and those that exclude everything.
pub(super) fn grouped(query: &str) -> Result<Option<String>, Fault> {
    let mut reader = Reader {
        query,
        letters: query.char_indices().peekable(),
    };
    match reader.level()? {
        Some(text) if reader.letters.peek().is_none() => Ok(Some(text)),
        _ => Ok(None),
    }
}

struct Reader<'q> {
    query: &'q str,
    letters: Peekable<CharIndices<'q>>,
}

impl Reader<'_> {
    /// All up to the end, or a closing bracket.
    fn level(&mut self) -> Result<Option<String>, Fault> {
        let mut operands: Vec<Operand> = Vec::new();
        let (mut between, mut is_negative) = (Between::Nothing, false);
        // Where the signs of the next operand begin.
        let mut signs = None;
        loop {
            while self
                .letters
                .next_if(|(_, letter)| letter.is_whitespace())
                .is_some()
            {}
            let Some(&(at, letter)) = self.letters.peek() else {
                break;
            };
            let text = match letter {
                ')' => break,
                '-' | '+' => {
                    self.letters.next();
                    signs.get_or_insert(at);
                    is_negative ^= letter == '-';
                    match self.letters.peek() {
                        Some((_, next)) if !next.is_whitespace() && !"-+)".contains(*next) => {
                            continue;
                        }
                        _ => return Ok(None),
                    }
                }
                '"' => self.quoted(),
                '(' => self.bracket()?,
                _ => self.word()?,
            };
            let Some(text) = text else {
                return Ok(None);
            };
            match &*text {
                "AND" | "&&" | "OR" | "||" if !is_negative && between == Between::Nothing => {
                    between = match &*text {
                        "AND" | "&&" => Between::And,
                        _ => Between::Or,
                    };
                    if operands.is_empty() {
                        return Ok(None);
                    }
                    continue;
                }
                "AND" | "&&" | "OR" | "||" => return Ok(None),
                "NOT" => {
                    signs.get_or_insert(at);
                    is_negative = !is_negative;
                    continue;
                }
                _ => {}
            }
            operands.push(Operand {
                at: signs.take().unwrap_or(at),
                is_negative,
                text,
                between,
            });
            (between, is_negative) = (Between::Nothing, false);
        }
        match operands.is_empty() || between != Between::Nothing || is_negative {
            true => Ok(None),
            false => together(&operands).map(Some),
        }
    }

    /// Words in quotes, and what says how near they are.
    fn quoted(&mut self) -> Option<String> {
        let (start, _) = self.letters.next()?;
        loop {
            match self.letters.next()? {
                (_, '\\') => drop(self.letters.next()?),
                (_, '"') => break,
                _ => {}
            }
        }
        self.rest();
        Some(self.query[start..self.place()].to_string())
    }

    /// Operands in brackets; without the brackets if there is one.
    fn bracket(&mut self) -> Result<Option<String>, Fault> {
        self.letters.next();
        let Some(text) = self.level()? else {
            return Ok(None);
        };
        if self.letters.next().is_none() {
            return Ok(None);
        }
        let from = self.place();
        self.rest();
        let weight = &self.query[from..self.place()];
        Ok(Some(match weight.is_empty() && is_one(&text) {
            true => text,
            false => format!("({text}){weight}"),
        }))
    }

    /// A word, in which an apostrophe is a letter.
    fn word(&mut self) -> Result<Option<String>, Fault> {
        let start = self.place();
        self.rest();
        let word = &self.query[start..self.place()];
        if word.contains(['[', ']', '{', '}']) {
            return Ok(None);
        }
        let is_part = word.len() > 1 && word.ends_with('*') && !word.ends_with("\\*");
        let near = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        if is_part || near.len() > 1 && near.ends_with('~') {
            let reason = format!("`{word}`: words are found whole, not by parts or alike");
            return Err((start, reason));
        }
        Ok(Some(word.replace("\\'", "'").replace('\'', "\\'")))
    }

    /// Goes on to the end of a word.
    fn rest(&mut self) {
        let goes_on = |letter: char| !letter.is_whitespace() && !"()\"".contains(letter);
        while let Some((_, letter)) = self.letters.next_if(|(_, letter)| goes_on(*letter)) {
            if letter == '\\' {
                self.letters.next();
            }
        }
    }

    fn place(&mut self) -> usize {
        self.letters.peek().map_or(self.query.len(), |(at, _)| *at)
    }
}

/// Whether a text is one operand that is wanted, so that it needs no brackets.
fn is_one(text: &str) -> bool {
    !text.starts_with('-') && !text.contains(char::is_whitespace)
}

/// The operands of a level, all of which have to match, or one of those that `OR` parts.
fn together(operands: &[Operand]) -> Result<String, Fault> {
    let mut parts: Vec<&[Operand]> = Vec::new();
    let mut start = 0;
    for (at, operand) in operands.iter().enumerate().skip(1) {
        if operand.between == Between::Or {
            parts.push(&operands[start..at]);
            start = at;
        }
    }
    parts.push(&operands[start..]);
    let beside = operands[1..]
        .iter()
        .find(|one| one.between == Between::Nothing);
    if let Some(beside) = beside.filter(|_| parts.len() > 1) {
        let reason = "brackets have to say what OR is between: a (b OR c), or (a b) OR c";
        return Err((beside.at, reason.to_string()));
    }
    let mut texts: Vec<String> = Vec::new();
    for part in &parts {
        if part.iter().all(|operand| operand.is_negative) {
            let reason = "this says only what is left out: `* -word` finds all other texts";
            return Err((part[0].at, reason.to_string()));
        }
        let signed = part.iter().map(|operand| match operand.is_negative {
            true => format!("-{}", operand.text),
            false => operand.text.clone(),
        });
        let signed: Vec<String> = signed.collect();
        let text = match parts.len() > 1 && signed.len() > 1 {
            true => format!("({})", signed.join(" ")),
            false => signed.join(" "),
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(texts.join(" OR "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_stay_together() {
        for (query, expected) in [
            ("red green", "red green"),
            (" red  AND green blue ", "red green blue"),
            ("red AND NOT green", "red -green"),
            ("red OR \"a b\"~2 OR (green)", "red OR \"a b\"~2 OR green"),
            ("red AND green OR blue", "(red green) OR blue"),
            ("red || green && -blue", "red OR (green -blue)"),
            ("red (green OR green)", "red green"),
            ("red -(green OR blue)^2", "red -(green OR blue)^2"),
            ("((red green))", "((red green))"),
            ("don't say O\\'Brien's", "don\\'t say O\\'Brien\\'s"),
            ("* -red", "* -red"),
        ] {
            let grouped = grouped(query).unwrap();
            assert_eq!(grouped.as_deref(), Some(expected), "{query}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for (query, at) in [
            ("red green OR blue", 4),
            ("red OR green blue", 13),
            ("red OR -green", 7),
            ("red (-green -blue)", 5),
            ("-red", 0),
            ("red gre*", 4),
            ("red~1", 0),
        ] {
            let fault = grouped(query).unwrap_err();
            assert_eq!(fault.0, at, "{query}: {}", fault.1);
        }
    }

    #[test]
    fn what_is_not_closed_is_left_to_the_library() {
        for query in [
            "(red", "red)", "\"red", "red OR", "AND red", "[a TO b]", "- red", "--red",
        ] {
            assert_eq!(grouped(query), Ok(None), "{query}");
        }
    }
}
