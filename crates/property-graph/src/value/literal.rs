//! Values as Cypher writes them, so that a literal that is read gives the value
//! again. Bytes have no literal in Cypher; they are shown as `bytes('0aff')`.

use std::fmt::{self, Display, Formatter, Write};

use crate::value::{Point, Value};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Float(number) => write_float(*number, f),
            Value::Text(text) => write_text(text, f),
            Value::Bytes(bytes) => {
                f.write_str("bytes('")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("')")
            }
            Value::List(values) => {
                f.write_char('[')?;
                for (i, value) in values.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{value}")?;
                }
                f.write_char(']')
            }
            Value::Map(entries) => {
                f.write_char('{')?;
                for (i, (name, value)) in entries.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    write_name(name, f)?;
                    write!(f, ": {value}")?;
                }
                f.write_char('}')
            }
            Value::Date(value) => write!(f, "date('{value}')"),
            Value::Time(value) => write!(f, "time('{value}')"),
            Value::LocalTime(value) => write!(f, "localtime('{value}')"),
            Value::DateTime(value) => write!(f, "datetime('{value}')"),
            Value::LocalDateTime(value) => write!(f, "localdatetime('{value}')"),
            Value::Duration(value) => write!(f, "duration('{value}')"),
            Value::Point(value) => write!(f, "{value}"),
        }
    }
}

/// With a point or an exponent, so that it is no integer; NaN and the infinities as
/// expressions that give them.
fn write_float(number: f64, f: &mut Formatter<'_>) -> fmt::Result {
    if number.is_nan() {
        return f.write_str("(0.0 / 0.0)");
    }
    if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        return write!(f, "({sign}1.0 / 0.0)");
    }
    write!(f, "{number:?}")
}

fn write_text(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('\'')?;
    for character in text.chars() {
        match character {
            '\\' => f.write_str("\\\\")?,
            '\'' => f.write_str("\\'")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            control if control.is_control() => write!(f, "\\u{:04X}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('\'')
}

/// A key of a map, in backticks where it is no plain name.
fn write_name(name: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let begins = |c: char| c.is_alphabetic() || c == '_';
    let is_plain = name.starts_with(begins) && name.chars().all(|c| begins(c) || c.is_numeric());
    match is_plain {
        true => f.write_str(name),
        false => write!(f, "`{}`", name.replace('`', "``")),
    }
}

impl Display for Point {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "point({{srid: {}", self.system().srid())?;
        for (name, coordinate) in ["x", "y", "z"].iter().zip(self.coordinates()) {
            write!(f, ", {name}: {coordinate:?}")?;
        }
        f.write_str("})")
    }
}
