//! The stored form of values: one tag byte, then the content, numbers as short
//! as they are. Equal bytes mean the same value, also among NaNs, so that the
//! form can be compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bytes::{Reader, Wrong, put_bytes, put_signed, put_varint};
use crate::value::{
    CoordinateSystem, Date, DateTime, Duration, LocalDateTime, LocalTime, Point, Time, Value,
    ValueError,
};

/// Lists and maps lie at most so deep in each other.
pub const MOST_DEPTH: usize = 64;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INTEGER: u8 = 3;
const FLOAT: u8 = 4;
const TEXT: u8 = 5;
const TEXT_CODE: u8 = 6;
const BYTES: u8 = 7;
const LIST: u8 = 8;
const MAP: u8 = 9;
const DATE: u8 = 10;
const TIME: u8 = 11;
const LOCAL_TIME: u8 = 12;
const DATE_TIME: u8 = 13;
const LOCAL_DATE_TIME: u8 = 14;
const DURATION: u8 = 15;
const POINT: u8 = 16;

/// Codes for texts that repeat.
pub trait TextCodes {
    /// The code that is stored instead of a text, if it has one.
    fn code(&self, text: &str) -> Option<u32>;
    /// The text of a code.
    fn text(&self, code: u32) -> Option<Arc<str>>;
}

/// No text has a code: the form that commit payloads hold.
pub struct NoTextCodes;

impl TextCodes for NoTextCodes {
    fn code(&self, _: &str) -> Option<u32> {
        None
    }

    fn text(&self, _: u32) -> Option<Arc<str>> {
        None
    }
}

/// Appends the stored form of a value.
///
/// # Errors
/// [`ValueError::TooDeep`]; `bytes` may then end in a part of the value.
pub fn encode(value: &Value, codes: &dyn TextCodes, bytes: &mut Vec<u8>) -> Result<(), ValueError> {
    put(value, codes, bytes, 0)
}

/// Reads one value, which all of `bytes` has to be.
///
/// # Errors
/// [`ValueError::Damaged`]; no bytes make it panic.
pub fn decode(bytes: &[u8], codes: &dyn TextCodes) -> Result<Value, ValueError> {
    let mut reader = Reader::new(bytes);
    let value = take(&mut reader, codes, 0).and_then(|value| match reader.is_empty() {
        true => Ok(value),
        false => Err("something follows the value"),
    });
    value.map_err(|what| ValueError::Damaged {
        at: reader.position(),
        what,
    })
}

fn put(
    value: &Value,
    codes: &dyn TextCodes,
    bytes: &mut Vec<u8>,
    depth: usize,
) -> Result<(), ValueError> {
    match value {
        Value::Null => bytes.push(NULL),
        Value::Boolean(false) => bytes.push(FALSE),
        Value::Boolean(true) => bytes.push(TRUE),
        Value::Integer(number) => {
            bytes.push(INTEGER);
            put_signed(bytes, *number);
        }
        Value::Float(number) => {
            bytes.push(FLOAT);
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        Value::Text(text) => match codes.code(text) {
            Some(code) => put_text_code(code, bytes),
            None => {
                bytes.push(TEXT);
                put_bytes(bytes, text.as_bytes());
            }
        },
        Value::Bytes(content) => {
            bytes.push(BYTES);
            put_bytes(bytes, content);
        }
        Value::List(_) | Value::Map(_) => put_nested(value, codes, bytes, depth)?,
        _ => put_temporal_or_point(value, bytes),
    }
    Ok(())
}

/// Lists and maps: their length in bytes, so that they can be passed over, then
/// count and content.
fn put_nested(
    value: &Value,
    codes: &dyn TextCodes,
    bytes: &mut Vec<u8>,
    depth: usize,
) -> Result<(), ValueError> {
    if depth >= MOST_DEPTH {
        return Err(ValueError::TooDeep {
            depth: depth + 1,
            most: MOST_DEPTH,
        });
    }
    let mut content = Vec::new();
    match value {
        Value::List(values) => {
            bytes.push(LIST);
            put_varint(&mut content, values.len() as u64);
            for value in values.iter() {
                put(value, codes, &mut content, depth + 1)?;
            }
        }
        Value::Map(entries) => {
            bytes.push(MAP);
            put_varint(&mut content, entries.len() as u64);
            for (name, value) in entries.iter() {
                put_bytes(&mut content, name.as_bytes());
                put(value, codes, &mut content, depth + 1)?;
            }
        }
        _ => unreachable!("only lists and maps are nested"),
    }
    put_bytes(bytes, &content);
    Ok(())
}

fn put_temporal_or_point(value: &Value, bytes: &mut Vec<u8>) {
    match value {
        Value::Date(date) => {
            bytes.push(DATE);
            put_signed(bytes, date.days());
        }
        Value::Time(time) => {
            bytes.push(TIME);
            put_varint(bytes, time.local().nanoseconds());
            put_signed(bytes, time.offset().into());
        }
        Value::LocalTime(time) => {
            bytes.push(LOCAL_TIME);
            put_varint(bytes, time.nanoseconds());
        }
        Value::DateTime(moment) => {
            bytes.push(DATE_TIME);
            put_signed(bytes, moment.seconds());
            put_varint(bytes, moment.nanoseconds().into());
            put_signed(bytes, moment.offset().into());
            put_bytes(bytes, moment.zone().unwrap_or_default().as_bytes());
        }
        Value::LocalDateTime(moment) => {
            bytes.push(LOCAL_DATE_TIME);
            put_signed(bytes, moment.seconds());
            put_varint(bytes, moment.nanoseconds().into());
        }
        Value::Duration(duration) => {
            bytes.push(DURATION);
            put_signed(bytes, duration.months());
            put_signed(bytes, duration.days());
            put_signed(bytes, duration.seconds());
            put_varint(bytes, duration.nanoseconds().into());
        }
        Value::Point(point) => {
            bytes.push(POINT);
            put_varint(bytes, point.system().srid().into());
            for coordinate in point.coordinates() {
                bytes.extend_from_slice(&coordinate.to_le_bytes());
            }
        }
        _ => unreachable!("the caller encodes all others"),
    }
}

/// Reads one value.
pub(crate) fn take(
    reader: &mut Reader<'_>,
    codes: &dyn TextCodes,
    depth: usize,
) -> Result<Value, Wrong> {
    Ok(match reader.u8()? {
        NULL => Value::Null,
        FALSE => Value::Boolean(false),
        TRUE => Value::Boolean(true),
        INTEGER => Value::Integer(reader.signed()?),
        FLOAT => Value::Float(f64::from_le_bytes(reader.array()?)),
        TEXT => Value::Text(Arc::from(reader.text()?)),
        TEXT_CODE => {
            let text = codes.text(reader.varint_u32()?);
            Value::Text(text.ok_or("a code stands for no text")?)
        }
        BYTES => Value::Bytes(Arc::from(reader.bytes()?)),
        tag @ (LIST | MAP) => take_nested(tag, reader, codes, depth)?,
        tag => take_temporal_or_point(tag, reader)?,
    })
}

fn take_nested(
    tag: u8,
    reader: &mut Reader<'_>,
    codes: &dyn TextCodes,
    depth: usize,
) -> Result<Value, Wrong> {
    if depth >= MOST_DEPTH {
        return Err("lists and maps lie too deep in each other");
    }
    let mut content = Reader::new(reader.bytes()?);
    let count = content.count()?;
    let value = if tag == LIST {
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            values.push(take(&mut content, codes, depth + 1)?);
        }
        Value::List(values.into())
    } else {
        let mut entries: BTreeMap<Arc<str>, Value> = BTreeMap::new();
        for _ in 0..count {
            let name = content.text()?;
            let value = take(&mut content, codes, depth + 1)?;
            if entries
                .last_key_value()
                .is_some_and(|last| **last.0 >= *name)
            {
                return Err("the names of a map do not ascend");
            }
            entries.insert(Arc::from(name), value);
        }
        Value::Map(Arc::new(entries))
    };
    match content.is_empty() {
        true => Ok(value),
        false => Err("a list or map is shorter than it says"),
    }
}

fn take_temporal_or_point(tag: u8, reader: &mut Reader<'_>) -> Result<Value, Wrong> {
    let impossible = |_: ValueError| "a temporal or spatial value does not exist";
    Ok(match tag {
        DATE => Value::Date(Date::from_days(reader.signed()?).map_err(impossible)?),
        TIME => {
            let local = LocalTime::from_nanoseconds(reader.varint()?).map_err(impossible)?;
            Value::Time(Time::new(local, reader.signed_i32()?).map_err(impossible)?)
        }
        LOCAL_TIME => {
            Value::LocalTime(LocalTime::from_nanoseconds(reader.varint()?).map_err(impossible)?)
        }
        DATE_TIME => {
            let (seconds, nanoseconds) = (reader.signed()?, reader.varint_u32()?);
            let moment = DateTime::from_seconds(seconds, nanoseconds, reader.signed_i32()?)
                .map_err(impossible)?;
            Value::DateTime(match reader.text()? {
                "" => moment,
                zone => moment.in_stored_zone(zone),
            })
        }
        LOCAL_DATE_TIME => {
            let (seconds, nanoseconds) = (reader.signed()?, reader.varint_u32()?);
            let moment = LocalDateTime::from_seconds(seconds, nanoseconds);
            Value::LocalDateTime(moment.map_err(impossible)?)
        }
        DURATION => {
            let (months, days, seconds) = (reader.signed()?, reader.signed()?, reader.signed()?);
            let duration = Duration::new(months, days, seconds, reader.varint_u32()?);
            Value::Duration(duration.map_err(impossible)?)
        }
        POINT => {
            let system = CoordinateSystem::from_srid(reader.varint_u32()?)
                .ok_or("a point is of no known coordinate system")?;
            let mut coordinates = [0.0; 3];
            let coordinates = &mut coordinates[..system.dimensions()];
            for coordinate in coordinates.iter_mut() {
                *coordinate = f64::from_le_bytes(reader.array()?);
            }
            Value::Point(Point::new(system, coordinates).map_err(impossible)?)
        }
        _ => return Err("a value is of no known type"),
    })
}

/// A text by its code.
fn put_text_code(code: u32, bytes: &mut Vec<u8>) {
    bytes.push(TEXT_CODE);
    put_varint(bytes, u64::from(code));
}

/// Passes over one value without making anything of it. O(1), also for lists
/// and maps; their content is not checked.
#[inline]
pub(crate) fn skip(reader: &mut Reader<'_>) -> Result<(), Wrong> {
    match reader.u8()? {
        NULL | FALSE | TRUE => {}
        INTEGER | TEXT_CODE | DATE | LOCAL_TIME => {
            reader.varint()?;
        }
        FLOAT => {
            reader.take(8)?;
        }
        TEXT | BYTES | LIST | MAP => {
            reader.bytes()?;
        }
        TIME | LOCAL_DATE_TIME => {
            reader.varint()?;
            reader.varint()?;
        }
        DATE_TIME => {
            for _ in 0..3 {
                reader.varint()?;
            }
            reader.bytes()?;
        }
        DURATION => {
            for _ in 0..4 {
                reader.varint()?;
            }
        }
        POINT => {
            let system = CoordinateSystem::from_srid(reader.varint_u32()?)
                .ok_or("a point is of no known coordinate system")?;
            reader.take(8 * system.dimensions())?;
        }
        _ => return Err("a value is of no known type"),
    }
    Ok(())
}
