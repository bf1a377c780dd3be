//! The types that columns declare, and values as texts of a column.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{CoordinateSystem, Point};

/// The type of a value that is no list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the types of `Value`")]
pub enum Scalar {
    Boolean,
    Integer,
    Float,
    Text,
    /// As hexadecimal digits. Ours; Neo4j has no such column.
    Bytes,
    Date,
    Time,
    LocalTime,
    DateTime,
    LocalDateTime,
    Duration,
    Point,
}

/// The type of a column: of each value, or of the elements of its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyType {
    /// Of the value or the elements.
    pub scalar: Scalar,
    /// Whether values are lists.
    pub list: bool,
}

impl From<Scalar> for PropertyType {
    fn from(scalar: Scalar) -> Self {
        PropertyType {
            scalar,
            list: false,
        }
    }
}

/// All names that are read; the first of each type is the one that is written.
const NAMES: [(&str, Scalar); 19] = [
    ("boolean", Scalar::Boolean),
    ("long", Scalar::Integer),
    ("double", Scalar::Float),
    ("string", Scalar::Text),
    ("bytes", Scalar::Bytes),
    ("date", Scalar::Date),
    ("time", Scalar::Time),
    ("localtime", Scalar::LocalTime),
    ("datetime", Scalar::DateTime),
    ("localdatetime", Scalar::LocalDateTime),
    ("duration", Scalar::Duration),
    ("point", Scalar::Point),
    ("int", Scalar::Integer),
    ("integer", Scalar::Integer),
    ("short", Scalar::Integer),
    ("byte", Scalar::Integer),
    ("float", Scalar::Float),
    ("char", Scalar::Text),
    ("bool", Scalar::Boolean),
];

impl Scalar {
    /// As it is written in headers.
    pub fn name(self) -> &'static str {
        let named = NAMES.iter().find(|name| name.1 == self);
        named.expect("every type has a name").0
    }

    /// The type of a value; `None` for nulls, lists and maps.
    pub fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Null | Value::List(_) | Value::Map(_) => return None,
            Value::Boolean(_) => Scalar::Boolean,
            Value::Integer(_) => Scalar::Integer,
            Value::Float(_) => Scalar::Float,
            Value::Text(_) => Scalar::Text,
            Value::Bytes(_) => Scalar::Bytes,
            Value::Date(_) => Scalar::Date,
            Value::Time(_) => Scalar::Time,
            Value::LocalTime(_) => Scalar::LocalTime,
            Value::DateTime(_) => Scalar::DateTime,
            Value::LocalDateTime(_) => Scalar::LocalDateTime,
            Value::Duration(_) => Scalar::Duration,
            Value::Point(_) => Scalar::Point,
        })
    }

    /// Reads a text as this type; the error says what it is not.
    pub(crate) fn read(self, text: &str) -> Result<Value, String> {
        // Of numbers few have spaces around them.
        if self == Scalar::Integer
            && let Ok(number) = text.parse()
        {
            return Ok(Value::Integer(number));
        }
        let number = text.trim();
        match self {
            Scalar::Text => Ok(Value::Text(text.into())),
            Scalar::Boolean if number.eq_ignore_ascii_case("true") => Ok(Value::Boolean(true)),
            Scalar::Boolean if number.eq_ignore_ascii_case("false") => Ok(Value::Boolean(false)),
            Scalar::Boolean => Err(format!("{} is neither true nor false", shown(text))),
            Scalar::Integer => number.parse().map(Value::Integer).map_err(|_| {
                let digits = number.trim_start_matches(['-', '+']);
                match !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    true => format!("{} does not fit into 64 bits", shown(text)),
                    false => format!("{} is no integer", shown(text)),
                }
            }),
            Scalar::Float => {
                let float: f64 = number
                    .parse()
                    .map_err(|_| format!("{} is no number", shown(text)))?;
                // Overflow of digits is an error; infinity has to be written as such.
                match float.is_infinite() && number.bytes().any(|byte| byte.is_ascii_digit()) {
                    true => Err(format!("{} does not fit into 64 bits", shown(text))),
                    false => Ok(Value::Float(float)),
                }
            }
            Scalar::Bytes => hexadecimal(number)
                .map(|bytes| Value::Bytes(bytes.into()))
                .ok_or_else(|| format!("{} is no even number of hexadecimal digits", shown(text))),
            Scalar::Date => parsed(number, Value::Date),
            Scalar::Time => parsed(number, Value::Time),
            Scalar::LocalTime => parsed(number, Value::LocalTime),
            Scalar::DateTime => parsed(number, Value::DateTime),
            Scalar::LocalDateTime => parsed(number, Value::LocalDateTime),
            Scalar::Duration => parsed(number, Value::Duration),
            Scalar::Point => point(number).map(Value::Point),
        }
    }
}

impl FromStr for PropertyType {
    type Err = String;

    /// `long`, `string[]`; case does not matter.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, list) = match text.strip_suffix("[]") {
            Some(name) => (name, true),
            None => (text, false),
        };
        let known = NAMES
            .iter()
            .find(|known| known.0.eq_ignore_ascii_case(name));
        match known {
            Some(&(_, scalar)) => Ok(PropertyType { scalar, list }),
            None => Err(format!("{} is no type; known are {}", shown(text), names())),
        }
    }
}

impl fmt::Display for PropertyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        f.write_str(if self.list { "[]" } else { "" })
    }
}

fn names() -> String {
    let names: Vec<&str> = NAMES.iter().map(|name| name.0).collect();
    format!("{}, and each with []", names.join(", "))
}

fn parsed<T: FromStr>(text: &str, value: fn(T) -> Value) -> Result<Value, String>
where
    T::Err: fmt::Display,
{
    text.parse().map(value).map_err(|error| format!("{error}"))
}

/// A text for a message: quoted, and cut if it is long.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Digits as [`text_of`] writes them.
pub(crate) fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.chunks_exact(2);
    let byte = |pair: &[u8]| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8);
    pairs.map(byte).collect()
}

/// `{x: 1, y: 2}`, `{longitude: 12.78, latitude: 56.7, height: 100}`, with `crs` or
/// `srid` where it is not clear, as Neo4j reads them; and `SRID=7203;POINT (1.5 2.0)`.
fn point(text: &str) -> Result<Point, String> {
    let problem = || format!("{} is no point such as {{x: 1.5, y: 2}}", shown(text));
    if let Some(text) = text.strip_prefix("SRID=") {
        return well_known(text).ok_or_else(problem);
    }
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    let (mut coordinates, mut geographic, mut system) = ([None; 3], false, None);
    for entry in inner.ok_or_else(problem)?.split(',') {
        let (name, value) = entry.split_once(':').ok_or_else(problem)?;
        let name = name
            .trim()
            .trim_matches(['"', '\'', '`'])
            .to_ascii_lowercase();
        let value = value.trim().trim_matches(['"', '\'']);
        let at = match name.as_str() {
            "x" | "longitude" => 0,
            "y" | "latitude" => 1,
            "z" | "height" => 2,
            "srid" | "crs" => {
                let known = coordinate_system(value);
                system = Some(known.ok_or_else(|| format!("{value} is no known {name}"))?);
                continue;
            }
            _ => return Err(problem()),
        };
        geographic |= name.len() > 1;
        coordinates[at] = Some(value.parse::<f64>().map_err(|_| problem())?);
    }
    let given: Vec<f64> = coordinates.iter().copied().flatten().collect();
    let in_order = coordinates.iter().take(given.len()).all(Option::is_some);
    let system = system.or(match (geographic, given.len()) {
        (false, 2) => Some(CoordinateSystem::Cartesian),
        (false, 3) => Some(CoordinateSystem::Cartesian3d),
        (true, 2) => Some(CoordinateSystem::Wgs84),
        (true, 3) => Some(CoordinateSystem::Wgs84Height),
        _ => None,
    });
    match system {
        Some(system) if in_order => Point::new(system, &given).map_err(|error| error.to_string()),
        _ => Err(problem()),
    }
}

/// A point in well-known text, behind its system.
fn well_known(text: &str) -> Option<Point> {
    let (system, point) = text.split_once(";POINT")?;
    let point = point.trim_start_matches([' ', 'Z']).strip_prefix('(')?;
    let coordinates = point.strip_suffix(')')?.split_whitespace();
    let coordinates: Result<Vec<f64>, _> = coordinates.map(str::parse).collect();
    Point::new(coordinate_system(system)?, &coordinates.ok()?).ok()
}

fn coordinate_system(name: &str) -> Option<CoordinateSystem> {
    match name.to_ascii_lowercase().as_str() {
        "cartesian" => Some(CoordinateSystem::Cartesian),
        "cartesian-3d" => Some(CoordinateSystem::Cartesian3d),
        "wgs-84" => Some(CoordinateSystem::Wgs84),
        "wgs-84-3d" => Some(CoordinateSystem::Wgs84Height),
        srid => srid.parse().ok().and_then(CoordinateSystem::from_srid),
    }
}

/// A value that is no list, map or null, as [`Scalar::read`] reads it.
pub(crate) fn text_of(value: &Value) -> Option<Arc<str>> {
    Some(match value {
        Value::Null | Value::List(_) | Value::Map(_) => return None,
        Value::Boolean(value) => value.to_string().into(),
        Value::Integer(value) => value.to_string().into(),
        Value::Float(value) if value.is_infinite() => {
            if *value > 0.0 {
                "Infinity".into()
            } else {
                "-Infinity".into()
            }
        }
        Value::Float(value) => format!("{value:?}").into(),
        Value::Text(text) => text.clone(),
        Value::Bytes(bytes) => bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
            .into(),
        Value::Date(value) => value.to_string().into(),
        Value::Time(value) => value.to_string().into(),
        Value::LocalTime(value) => value.to_string().into(),
        Value::DateTime(value) => value.to_string().into(),
        Value::LocalDateTime(value) => value.to_string().into(),
        Value::Duration(value) => value.to_string().into(),
        Value::Point(point) => point_text(point).into(),
    })
}

fn point_text(point: &Point) -> String {
    let names = ["x", "y", "z"].iter().zip(point.coordinates());
    let coordinates: Vec<String> = names
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    format!(
        "{{{}, srid: {}}}",
        coordinates.join(", "),
        point.system().srid()
    )
}
