//! The types of columns, told from all of their values.
//!
//! A type is taken if every value is written as it writes them, and no value would
//! be another one: `007`, `+1` and a number that a float does not hold to its last
//! digit are texts, and then the whole column is. `NaN` and `inf` are floats beside numbers.

use std::io::BufRead;

use crate::interchange::csv::Neo4jReader;
use crate::interchange::csv::header::PlainColumn;
use crate::interchange::csv::records::{Field, Outcome, Records};
use crate::interchange::{PropertyType, Scalar};

/// Types that are told, the narrower before the wider.
const TYPES: [Scalar; 6] = [
    Scalar::Boolean,
    Scalar::Integer,
    Scalar::Float,
    Scalar::Date,
    Scalar::LocalDateTime,
    Scalar::DateTime,
];

/// Of a column of integers whose digits every float holds.
const ALL_BUT_NUMBERS: [bool; TYPES.len()] = [true, false, false, true, true, true];

/// Digits that every float holds.
const SURE_DIGITS: usize = 15;
/// Digits with which programs write a float so that it is read again as it was.
const WRITTEN_DIGITS: usize = 17;

/// Floats that are no decimal numbers, as programs write them: a column of these alone is
/// one of texts.
const NAMED_FLOATS: [&str; 6] = ["NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"];

/// Types that the values of a column allowed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Observed {
    /// Whether there was a value other than the name of a float.
    any: bool,
    excluded: [bool; TYPES.len()],
}

impl Observed {
    /// Takes a value into account.
    #[inline]
    fn observe(&mut self, text: &str) {
        // Most columns are integers: what is one is no value of another type but a float,
        // which holds so many digits.
        if !(self.is_integer() && text.len() <= SURE_DIGITS && is_integer(text)) {
            self.exclude(text);
        }
    }

    /// Excludes the types that a value is not of.
    fn exclude(&mut self, text: &str) {
        self.any |= !NAMED_FLOATS.contains(&text);
        for (excluded, scalar) in self.excluded.iter_mut().zip(TYPES) {
            *excluded = *excluded || !fits(scalar, text);
        }
    }

    /// Takes what was seen elsewhere into account.
    fn join(&mut self, other: &Observed) {
        self.any |= other.any;
        for (excluded, of_other) in self.excluded.iter_mut().zip(other.excluded) {
            *excluded |= of_other;
        }
    }

    fn is_integer(&self) -> bool {
        self.any && self.excluded == ALL_BUT_NUMBERS
    }

    /// The type of all values; text if there were none.
    pub(crate) fn scalar(&self) -> Scalar {
        let mut types = self.excluded.iter().zip(TYPES);
        let found = types.find(|(excluded, _)| !**excluded);
        found.filter(|_| self.any).map_or(Scalar::Text, |of| of.1)
    }
}

/// Types of the columns of plain CSV, by their number: those that the header declares,
/// and of the others the first of boolean, integer, float, date, local date-time and
/// date-time in which every value of the column in all parts is written, so that none
/// would be another value; else text. Empty fields are no values, `""` is a text. An id
/// is an integer or a text. The parts are read to their ends, and have the same header;
/// they may be taken by threads, each into an inference of its own.
///
/// [`Neo4jOptions::types`](crate::interchange::csv::Neo4jOptions::types) takes the result.
#[derive(Debug, Default)]
pub struct Inference {
    observed: Vec<Observed>,
    columns: Vec<PlainColumn>,
}

impl Inference {
    /// Takes all rows of a part into account. `ask` is asked now and then whether to go on.
    ///
    /// # Errors
    /// Those of `ask`. What cannot be read is told by the pass that reads the rows.
    pub fn take<R: BufRead, E>(
        &mut self,
        part: Neo4jReader<R>,
        ask: &dyn Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut records, columns) = part.into_columns();
        self.observed.resize(columns.len(), Observed::default());
        self.columns = columns;
        if self.columns.iter().all(|column| column.declared.is_some()) {
            return Ok(());
        }
        let is_null = |field: Field<'_>| field.text.is_empty() && !field.quoted;
        observe(&mut records, is_null, &mut self.observed, ask)
    }

    /// Takes what another saw of other parts into account.
    pub fn join(&mut self, other: Inference) {
        self.observed
            .resize(other.observed.len(), Observed::default());
        for (of_all, of_other) in self.observed.iter_mut().zip(&other.observed) {
            of_all.join(of_other);
        }
        self.columns = other.columns;
    }

    /// The types of the columns.
    pub fn types(&self) -> Vec<PropertyType> {
        let types = self.columns.iter().zip(&self.observed);
        let types = types.map(
            |(column, observed)| match (column.declared, observed.scalar()) {
                (Some(kind), _) => kind,
                (None, scalar) if column.is_id && scalar != Scalar::Integer => Scalar::Text.into(),
                (None, scalar) => scalar.into(),
            },
        );
        types.collect()
    }
}

/// Takes all rows of a file into account, an `Observed` for each column. Rows that cannot
/// be read are left out here: the pass that reads the file for its rows reports them.
/// `ask` is asked now and then whether to go on.
pub(crate) fn observe<R: BufRead, E>(
    records: &mut Records<R>,
    is_null: impl Fn(Field<'_>) -> bool,
    columns: &mut [Observed],
    ask: &dyn Fn() -> Result<(), E>,
) -> Result<(), E> {
    let mut rows = 0_u64;
    loop {
        if rows.is_multiple_of(1024) {
            ask()?;
        }
        rows += 1;
        match records.advance() {
            Ok(Some(Outcome::Record)) if records.field_count() == columns.len() => {}
            Ok(Some(Outcome::Record | Outcome::Bad(_))) => continue,
            Ok(None | Some(Outcome::Broken(_))) | Err(_) => return Ok(()),
        }
        for (at, column) in columns.iter_mut().enumerate() {
            if let Some(field) = records.field(at)
                && !is_null(field)
            {
                column.observe(field.text);
            }
        }
    }
}

/// Whether a text is a value of a type, and no other value than is written.
fn fits(scalar: Scalar, text: &str) -> bool {
    let is_date = |text: &str| text.len() >= 10 && text.as_bytes()[4] == b'-';
    match scalar {
        Scalar::Integer => is_integer(text) && text.parse::<i64>().is_ok(),
        Scalar::Float => is_float(text) || NAMED_FLOATS.contains(&text),
        Scalar::Boolean => scalar.read(text).is_ok() && text.trim().len() == text.len(),
        Scalar::Date => text.len() == 10 && is_date(text) && scalar.read(text).is_ok(),
        Scalar::LocalDateTime => text.len() > 10 && is_date(text) && scalar.read(text).is_ok(),
        Scalar::DateTime => {
            let local = Scalar::LocalDateTime.read(text).is_ok();
            text.len() > 10 && is_date(text) && !local && scalar.read(text).is_ok()
        }
        _ => false,
    }
}

/// Digits as an integer is written: no sign but a minus, no zero before others.
fn is_integer(text: &str) -> bool {
    match text.as_bytes() {
        b"0" => true,
        [b'1'..=b'9', digits @ ..] | [b'-', b'1'..=b'9', digits @ ..] => {
            digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// A decimal number, perhaps with an exponent, all digits of which a float keeps, or that
/// has a point and no more digits than floats are written with: that it is halfway between
/// two does not make a text of it.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        // `12e5` alone is rather a code than a number.
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['-', '+']);
            if digits.is_none() && !mantissa.contains('.') {
                return false;
            }
            (mantissa, digits.unwrap_or(exponent))
        }
        None => (unsigned, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = (whole.is_empty() || is_integer(whole))
        && [whole, fraction, exponent].into_iter().all(are_digits)
        && !fraction.is_empty()
        && !exponent.is_empty();
    let Some(value) = text.parse::<f64>().ok().filter(|value| value.is_finite()) else {
        return false;
    };
    let digits = significant(mantissa);
    let most = match mantissa.contains('.') {
        true => WRITTEN_DIGITS,
        false => SURE_DIGITS,
    };
    let kept = || significant(format!("{value:e}").split('e').next().unwrap_or("")) == digits;
    is_number && (digits.len() <= most && exponent.len() <= 2 || kept())
}

/// The digits of a number without the zeros around them.
fn significant(mantissa: &str) -> String {
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interchange::Contents;
    use crate::interchange::csv::Neo4jOptions;

    fn inferred(values: &[&str]) -> Scalar {
        let mut observed = Observed::default();
        values.iter().for_each(|value| observed.observe(value));
        observed.scalar()
    }

    fn types(contents: Contents, parts: &[&str]) -> Vec<String> {
        let options = Neo4jOptions {
            assumed: Some(contents),
            header: parts[0].lines().next().map(str::to_string),
            ..Neo4jOptions::default()
        };
        let first = Neo4jOptions {
            header: None,
            ..options.clone()
        };
        let readers = parts.iter().enumerate().map(|(at, part)| {
            let options = [&first, &options][at.min(1)].clone();
            move || Neo4jReader::new("part", part.as_bytes(), options.clone()).unwrap()
        });
        let (mut whole, mut joined) = (Inference::default(), Inference::default());
        for reader in readers {
            let mut apart = Inference::default();
            for inference in [&mut whole, &mut apart] {
                inference.take::<_, ()>(reader(), &|| Ok(())).unwrap();
            }
            joined.join(apart);
        }
        assert_eq!(joined.types(), whole.types());
        whole.types().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn columns_of_all_parts_are_told_but_for_those_that_are_declared() {
        let parts = [
            "id,zip,n,code:string,day,f,none,tags:string[],quoted\n\
             1,007,1,5,2020-02-29,1,,a;b,1\n",
            "2,10115,,6,2020-03-01,2.5,,c,\"\"\nshort,row\n3,1,4,7,,,,,2\n",
        ];
        let expected = [
            "long", "string", "long", "string", "date", "double", "string", "string[]", "string",
        ];
        assert_eq!(types(Contents::Nodes, &parts), expected);
    }

    #[test]
    fn ids_are_integers_or_texts() {
        let table = ["a,b,c\n1.5,2,1.5\n2.5,3,2.5\n"];
        let found = types(Contents::Relationships, &table);
        assert_eq!(found, ["string", "long", "double"]);
        assert_eq!(types(Contents::Nodes, &table), ["string", "long", "double"]);
        assert_eq!(types(Contents::Nodes, &["a\n"]), ["string"]);
    }

    #[test]
    fn integers_are_told_as_fast_as_slowly() {
        let long = "1".repeat(SURE_DIGITS + 1);
        let all = [
            "1",
            "-1",
            "0",
            "-0",
            "007",
            "+1",
            "1.5",
            "x",
            "true",
            "2020-01-01",
            &long,
        ];
        for first in all {
            for second in all {
                let mut fast = Observed::default();
                let mut excluded = [false; TYPES.len()];
                for text in [first, second, first] {
                    fast.observe(text);
                    for (excluded, scalar) in excluded.iter_mut().zip(TYPES) {
                        *excluded |= !fits(scalar, text);
                    }
                }
                assert_eq!(fast.excluded, excluded, "{first} {second}");
            }
        }
    }

    #[test]
    fn a_type_is_taken_only_if_no_value_changes() {
        let cases: &[(&[&str], Scalar)] = &[
            (&[], Scalar::Text),
            (&["0", "-1", "9223372036854775807"], Scalar::Integer),
            (&["9223372036854775808"], Scalar::Text),
            (&["1", "007"], Scalar::Text),
            (&["+1"], Scalar::Text),
            (&["-0"], Scalar::Float),
            (&["1", " 2"], Scalar::Text),
            (&["1", ""], Scalar::Text),
            (&["1", "2.50", "-.5", "1e-05", "1.5e10"], Scalar::Float),
            (&["-6.081689834590001", "145.391998291"], Scalar::Float),
            (&["-10.722000122070312", "1.5"], Scalar::Float),
            (
                &["0.30000000000000004", "123456789012345678.5"],
                Scalar::Text,
            ),
            (&["12e5"], Scalar::Text),
            (&["1.5e999"], Scalar::Text),
            (&["NaN", "inf"], Scalar::Text),
            (&["NaN", "1.5", "-Infinity"], Scalar::Float),
            (&["1", "nan"], Scalar::Float),
            (&["NaN", "x"], Scalar::Text),
            (&["true", "nan"], Scalar::Text),
            (&["1.", "2"], Scalar::Text),
            (&["00.5"], Scalar::Text),
            // Not to its last digit in a float, alone an integer.
            (&["9007199254740993"], Scalar::Integer),
            (&["9007199254740993", "0.5"], Scalar::Text),
            (&["0.12345678901234567890"], Scalar::Text),
            (&["true", "FALSE"], Scalar::Boolean),
            (&["true", "0"], Scalar::Text),
            (&["1996-07-04", "2020-02-29"], Scalar::Date),
            (&["1996-07-04", "2021-02-29"], Scalar::Text),
            (&["1996-07-04 00:00:00.000"], Scalar::LocalDateTime),
            (&["1996-07-04 00:00:00", "1996-07-04"], Scalar::Text),
            (&["1996-07-04T00:00:00Z"], Scalar::DateTime),
            (
                &["1996-07-04T00:00:00+02:00", "1996-07-04T00:00:00"],
                Scalar::Text,
            ),
            (&["19960704"], Scalar::Integer),
            (&["München1996"], Scalar::Text),
        ];
        for (values, expected) in cases {
            assert_eq!(inferred(values), *expected, "{values:?}");
        }
    }
}
