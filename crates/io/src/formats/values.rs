//! Numbers in the bytes of a line, parsed by hand.

use super::error::{BadLine, Endpoint, Flaw};

/// Blanks between columns. A carriage return is one, so that CRLF needs no care.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Digits from `at` as a number, and where they end. `None` if there are none
/// or more than 19 of them, which might not fit: the caller then looks closer.
#[inline]
pub(super) fn digits(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    (1..=19).contains(&(end - at)).then_some((value, end))
}

/// A whole field as an id.
#[inline]
pub(super) fn id(field: &[u8], end: Endpoint) -> Result<u64, BadLine> {
    match digits(field, 0) {
        Some((value, len)) if len == field.len() => Ok(value),
        _ => odd_id(field, end),
    }
}

/// An id that is no plain short number: very long, or the reason why it is none.
#[cold]
fn odd_id(field: &[u8], end: Endpoint) -> Result<u64, BadLine> {
    if field.is_empty() {
        return Err(BadLine::EmptyId(end));
    }
    let (negative, digits) = match field {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(BadLine::NotANumber(end));
    }
    if negative {
        return Err(BadLine::NegativeId(end));
    }
    let mut value = 0u64;
    for &digit in digits {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit - b'0')))
            .ok_or(BadLine::IdTooLarge(end))?;
    }
    Ok(value)
}

/// A whole field as a weight. Infinities count if they are spelled out.
#[inline]
pub(super) fn weight(field: &[u8]) -> Result<f32, BadLine> {
    if let Some(weight) = short_weight(field) {
        return Ok(weight);
    }
    let text = std::str::from_utf8(field).map_err(|_| BadLine::NotAWeight)?;
    let weight: f32 = text.parse().map_err(|_| BadLine::NotAWeight)?;
    if weight.is_nan() {
        return Err(BadLine::NanWeight);
    }
    if weight.is_infinite() && field.iter().any(u8::is_ascii_digit) {
        return Err(BadLine::WeightTooLarge);
    }
    Ok(weight)
}

/// Whether the text of a weight has more digits than its float of 32 bits keeps.
#[inline]
pub(super) fn is_rounded(field: &[u8], weight: f32) -> bool {
    // Six digits are always kept. An exponent may be below the least float.
    let has_exponent = field.iter().any(|byte| matches!(byte, b'e' | b'E'));
    let digits = field.iter().filter(|byte| byte.is_ascii_digit()).count();
    (digits > 6 || has_exponent) && has_other_digits(field, weight)
}

#[cold]
fn has_other_digits(field: &[u8], weight: f32) -> bool {
    let text = std::str::from_utf8(field).unwrap_or_default();
    let (given, kept) = (text.parse::<f64>(), weight.to_string().parse::<f64>());
    given != kept && given != Ok(f64::from(weight))
}

/// `digits[.digits]` with at most seven digits: most weights are such. Both the
/// digits as an integer and the power of ten are then exact as 32-bit floats,
/// so that their quotient is rounded once, and correctly.
#[inline]
fn short_weight(field: &[u8]) -> Option<f32> {
    const TENS: [f32; 8] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
    if field.len() > 8 {
        return None;
    }
    let (mut digits, mut value) = (0, 0u32);
    let mut point = None;
    for &byte in field {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = value * 10 + u32::from(digit);
            digits += 1;
        } else if byte == b'.' && point.is_none() {
            point = Some(digits);
        } else {
            return None;
        }
    }
    let fraction = digits - point.unwrap_or(digits);
    (1..=7)
        .contains(&digits)
        .then(|| value as f32 / TENS[fraction])
}

/// Walks over the blank-separated tokens of a line.
pub(super) struct Tokens<'a> {
    line: &'a [u8],
    at: usize,
    /// Tokens taken.
    pub taken: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(line: &'a [u8]) -> Tokens<'a> {
        Tokens {
            line,
            at: 0,
            taken: 0,
        }
    }

    /// Start of the next token, if there is one.
    #[inline]
    fn start(&mut self) -> Option<usize> {
        while is_blank(*self.line.get(self.at)?) {
            self.at += 1;
        }
        Some(self.at)
    }

    /// The next token and its offset.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, &'a [u8])> {
        let start = self.start()?;
        while self.line.get(self.at).is_some_and(|&byte| !is_blank(byte)) {
            self.at += 1;
        }
        self.taken += 1;
        Some((start, &self.line[start..self.at]))
    }

    /// The next token as an id, of `needed` columns in all.
    #[inline]
    pub(super) fn id(&mut self, end: Endpoint, needed: usize) -> Result<u64, Flaw> {
        let Some(start) = self.start() else {
            return Err(self.too_few(needed));
        };
        if let Some((value, after)) = digits(self.line, start)
            && self.line.get(after).is_none_or(|&byte| is_blank(byte))
        {
            self.at = after;
            self.taken += 1;
            return Ok(value);
        }
        let (start, token) = self.next().expect("a token starts here");
        id(token, end).map_err(|reason| Flaw::at(start, reason))
    }

    /// The next token as an id in `1..=count`, as the formats that count from 1 have it.
    #[inline]
    pub(super) fn id_within(
        &mut self,
        end: Endpoint,
        count: u64,
        needed: usize,
    ) -> Result<u64, Flaw> {
        let id = self.id(end, needed)?;
        if id == 0 || id > count {
            return Err(BadLine::IdOutOfRange { end, id, count }.into());
        }
        Ok(id)
    }

    /// The next token as a weight, of `needed` columns in all; `rounds` becomes true if it
    /// is rounded.
    #[inline]
    pub(super) fn weight(&mut self, needed: usize, rounds: &mut bool) -> Result<f32, Flaw> {
        let Some((start, token)) = self.next() else {
            return Err(self.too_few(needed));
        };
        let weight = weight(token).map_err(|reason| Flaw::at(start, reason))?;
        *rounds = *rounds || is_rounded(token, weight);
        Ok(weight)
    }

    /// Passes over a token, of `needed` columns in all.
    #[inline]
    pub(super) fn skip(&mut self, needed: usize) -> Result<(), Flaw> {
        match self.next() {
            Some(_) => Ok(()),
            None => Err(self.too_few(needed)),
        }
    }

    /// Whether nothing is left.
    #[inline]
    pub(super) fn is_done(&mut self) -> bool {
        self.start().is_none()
    }

    /// Refuses a line that has anything left.
    #[inline]
    pub(super) fn finish(mut self) -> Result<(), Flaw> {
        let expected = self.taken;
        let Some(start) = self.start() else {
            return Ok(());
        };
        while self.next().is_some() {}
        let found = self.taken;
        Err(Flaw::at(start, BadLine::UnevenColumns { found, expected }))
    }

    fn too_few(&self, needed: usize) -> Flaw {
        BadLine::TooFewColumns {
            found: self.taken,
            needed,
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_weights_are_read_or_refused() {
        let end = Endpoint::Source;
        let ids: &[(&str, Result<u64, BadLine>)] = &[
            ("0", Ok(0)),
            ("007", Ok(7)),
            ("9999999999999999999", Ok(9_999_999_999_999_999_999)),
            ("18446744073709551615", Ok(u64::MAX)),
            ("00000000000000000000001", Ok(1)),
            ("18446744073709551616", Err(BadLine::IdTooLarge(end))),
            ("-1", Err(BadLine::NegativeId(end))),
            ("-", Err(BadLine::NotANumber(end))),
            ("+1", Err(BadLine::NotANumber(end))),
            ("1.0", Err(BadLine::NotANumber(end))),
            ("１", Err(BadLine::NotANumber(end))),
            ("", Err(BadLine::EmptyId(end))),
        ];
        for (text, expected) in ids {
            assert_eq!(id(text.as_bytes(), end), *expected, "{text:?}");
        }
        let weights: &[(&str, Result<f32, BadLine>)] = &[
            ("1", Ok(1.0)),
            ("9999999", Ok(9_999_999.0)),
            ("-.5", Ok(-0.5)),
            (".5", Ok(0.5)),
            ("5.", Ok(5.0)),
            ("16.77721", Ok(16.77721)),
            ("12345678", Ok(12_345_678.0)),
            (".", Err(BadLine::NotAWeight)),
            ("1.2.3", Err(BadLine::NotAWeight)),
            ("1.25664e7", Ok(12_566_400.0)),
            ("inf", Ok(f32::INFINITY)),
            ("-Infinity", Ok(f32::NEG_INFINITY)),
            ("nan", Err(BadLine::NanWeight)),
            ("1e39", Err(BadLine::WeightTooLarge)),
            ("heavy", Err(BadLine::NotAWeight)),
            ("", Err(BadLine::NotAWeight)),
        ];
        for (text, expected) in weights {
            assert_eq!(weight(text.as_bytes()), *expected, "{text:?}");
        }
        for value in (0..10_000_000u32).step_by(97) {
            let text = format!("{}.{:03}", value / 1000, value % 1000);
            let expected: f32 = text.parse().unwrap();
            assert_eq!(weight(text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn weights_that_lose_digits_are_told() {
        for (text, rounds) in [
            ("0.1", false),
            ("1234567", false),
            ("16777216", false),
            ("0.500000000", false),
            ("1e3", false),
            ("inf", false),
            // All digits, though 100000010 would be as near.
            ("100000008", false),
            ("16777217", true),
            ("3.14159265", true),
            ("-0.333333333", true),
            ("1e-50", true),
        ] {
            let weight = weight(text.as_bytes()).unwrap();
            assert_eq!(is_rounded(text.as_bytes(), weight), rounds, "{text}");
        }
    }
}
