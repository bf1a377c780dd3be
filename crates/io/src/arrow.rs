//! Columns of values as Arrow arrays (feature `columnar`).
//!
//! A column has the narrowest type that all of its values have exactly; where there is
//! none, it holds texts of JSON, which its field says by Arrow's extension type
//! `arrow.json`. Nothing is rounded: an integer beside a float makes JSON.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

pub use arrow_array::RecordBatch;
use arrow_array::types::IntervalMonthDayNano;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float64Array, Int64Array,
    IntervalMonthDayNanoArray, ListArray, NullArray, StringArray, Time64NanosecondArray,
    TimestampMicrosecondArray, TimestampNanosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_ipc::writer::StreamWriter;
pub use arrow_schema::{ArrowError, SchemaRef};
use arrow_schema::{DataType, Field, IntervalUnit, Schema, TimeUnit};
use evergraph_property_graph::Value;
use evergraph_property_graph::value::{DateTime, Duration};

/// Name of the extension type of columns of JSON.
pub const JSON: &str = "arrow.json";

/// The type of a column, as far as its values are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Only nulls.
    #[default]
    Null,
    /// `Boolean`
    Boolean,
    /// `Int64`
    Integer,
    /// `Float64`
    Float,
    /// `Utf8`
    Text,
    /// `Binary`
    Bytes,
    /// `Date32`
    Date,
    /// `Time64(Nanosecond)`
    LocalTime,
    /// `Timestamp` without a zone
    LocalDateTime(Units),
    /// `Timestamp` of one zone
    DateTime(Units, Arc<str>),
    /// `Interval(MonthDayNano)`
    Duration,
    /// `List`
    List(Box<Kind>),
    /// `Utf8` with texts of JSON: values of several types, maps, points, times with an
    /// offset, and what is out of the range of Arrow's types
    Json,
}

/// Units in which all moments of a column are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// They are from 1677 to 2262.
    nanoseconds: bool,
    /// They are whole microseconds, within 290,000 years of 1970.
    microseconds: bool,
}

impl Units {
    fn of(seconds: i64, nanoseconds: u32) -> Option<Self> {
        Units {
            nanoseconds: count(TimeUnit::Nanosecond, seconds, nanoseconds).is_some(),
            microseconds: count(TimeUnit::Microsecond, seconds, nanoseconds).is_some(),
        }
        .any()
    }

    fn any(self) -> Option<Self> {
        (self.nanoseconds || self.microseconds).then_some(self)
    }

    fn with(self, other: Units) -> Option<Self> {
        Units {
            nanoseconds: self.nanoseconds && other.nanoseconds,
            microseconds: self.microseconds && other.microseconds,
        }
        .any()
    }

    fn finest(self) -> TimeUnit {
        match self.nanoseconds {
            true => TimeUnit::Nanosecond,
            false => TimeUnit::Microsecond,
        }
    }
}

/// A moment since 1970 in a unit, if it is one exactly.
fn count(unit: TimeUnit, seconds: i64, nanoseconds: u32) -> Option<i64> {
    let whole = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    let count = match unit {
        TimeUnit::Nanosecond => whole,
        _ if whole % 1000 == 0 => whole / 1000,
        _ => return None,
    };
    i64::try_from(count).ok()
}

impl Kind {
    /// The type of a column of one value.
    pub fn of(value: &Value) -> Kind {
        match value {
            Value::Null => Kind::Null,
            Value::Boolean(_) => Kind::Boolean,
            Value::Integer(_) => Kind::Integer,
            Value::Float(_) => Kind::Float,
            Value::Text(_) => Kind::Text,
            Value::Bytes(_) => Kind::Bytes,
            Value::Date(date) if i32::try_from(date.days()).is_ok() => Kind::Date,
            Value::LocalTime(_) => Kind::LocalTime,
            Value::LocalDateTime(moment) => {
                let units = Units::of(moment.seconds(), moment.nanoseconds());
                units.map_or(Kind::Json, Kind::LocalDateTime)
            }
            Value::DateTime(moment) => {
                let units = Units::of(moment.seconds(), moment.nanoseconds());
                match (units, zone_of(moment)) {
                    (Some(units), Some(zone)) => Kind::DateTime(units, zone),
                    _ => Kind::Json,
                }
            }
            Value::Duration(duration) if interval_of(*duration).is_some() => Kind::Duration,
            Value::List(values) => {
                let element = values.iter().map(Kind::of).fold(Kind::Null, Kind::with);
                match element {
                    Kind::Json => Kind::Json,
                    element => Kind::List(Box::new(element)),
                }
            }
            _ => Kind::Json,
        }
    }

    /// The type of a column of values of both types.
    #[must_use]
    pub fn with(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Null, kind) | (kind, Kind::Null) => kind,
            (Kind::List(one), Kind::List(other)) => match one.with(*other) {
                Kind::Json => Kind::Json,
                element => Kind::List(Box::new(element)),
            },
            (Kind::LocalDateTime(one), Kind::LocalDateTime(other)) => {
                one.with(other).map_or(Kind::Json, Kind::LocalDateTime)
            }
            (Kind::DateTime(one, zone), Kind::DateTime(other, same)) if zone == same => one
                .with(other)
                .map_or(Kind::Json, |units| Kind::DateTime(units, zone)),
            (one, other) if one == other => one,
            _ => Kind::Json,
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            Kind::Null => DataType::Null,
            Kind::Boolean => DataType::Boolean,
            Kind::Integer => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Text | Kind::Json => DataType::Utf8,
            Kind::Bytes => DataType::Binary,
            Kind::Date => DataType::Date32,
            Kind::LocalTime => DataType::Time64(TimeUnit::Nanosecond),
            Kind::LocalDateTime(units) => DataType::Timestamp(units.finest(), None),
            Kind::DateTime(units, zone) => {
                DataType::Timestamp(units.finest(), Some(Arc::clone(zone)))
            }
            Kind::Duration => DataType::Interval(IntervalUnit::MonthDayNano),
            Kind::List(element) => DataType::List(Arc::new(element.element())),
        }
    }

    fn element(&self) -> Field {
        Field::new_list_field(self.data_type(), true)
    }

    /// A field of a schema.
    pub fn field(&self, name: &str) -> Field {
        let field = Field::new(name, self.data_type(), true);
        match self {
            Kind::Json => field.with_metadata(HashMap::from([
                ("ARROW:extension:name".to_string(), JSON.to_string()),
                ("ARROW:extension:metadata".to_string(), String::new()),
            ])),
            _ => field,
        }
    }

    /// An array of values of this type, those of JSON as texts; others become null.
    pub fn array(&self, values: &[Value]) -> ArrayRef {
        macro_rules! collected {
            ($array:ty, $pattern:pat => $value:expr) => {
                Arc::new(
                    values
                        .iter()
                        .map(|value| match value {
                            $pattern => $value,
                            _ => None,
                        })
                        .collect::<$array>(),
                )
            };
        }
        match self {
            Kind::Null => Arc::new(NullArray::new(values.len())),
            Kind::Boolean => collected!(BooleanArray, Value::Boolean(truth) => Some(*truth)),
            Kind::Integer => collected!(Int64Array, Value::Integer(number) => Some(*number)),
            Kind::Float => collected!(Float64Array, Value::Float(number) => Some(*number)),
            Kind::Text | Kind::Json => {
                collected!(StringArray, Value::Text(text) => Some(text.as_ref()))
            }
            Kind::Bytes => collected!(BinaryArray, Value::Bytes(bytes) => Some(bytes.as_ref())),
            Kind::Date => {
                collected!(Date32Array, Value::Date(date) => i32::try_from(date.days()).ok())
            }
            Kind::LocalTime => collected!(
                Time64NanosecondArray,
                Value::LocalTime(time) => i64::try_from(time.nanoseconds()).ok()
            ),
            Kind::LocalDateTime(units) => timestamps(*units, values, None),
            Kind::DateTime(units, zone) => timestamps(*units, values, Some(zone)),
            Kind::Duration => collected!(
                IntervalMonthDayNanoArray,
                Value::Duration(duration) => interval_of(*duration)
            ),
            Kind::List(element) => lists(element, values),
        }
    }
}

fn timestamps(units: Units, values: &[Value], zone: Option<&Arc<str>>) -> ArrayRef {
    let unit = units.finest();
    let moments = values.iter().map(|value| match value {
        Value::LocalDateTime(moment) => count(unit, moment.seconds(), moment.nanoseconds()),
        Value::DateTime(moment) => count(unit, moment.seconds(), moment.nanoseconds()),
        _ => None,
    });
    match units.nanoseconds {
        true => {
            let moments: TimestampNanosecondArray = moments.collect();
            Arc::new(moments.with_timezone_opt(zone.cloned()))
        }
        false => {
            let moments: TimestampMicrosecondArray = moments.collect();
            Arc::new(moments.with_timezone_opt(zone.cloned()))
        }
    }
}

fn lists(element: &Kind, values: &[Value]) -> ArrayRef {
    let lists = values.iter().map(|value| match value {
        Value::List(list) => Some(list),
        _ => None,
    });
    let lists: Vec<_> = lists.collect();
    let lengths = lists.iter().map(|list| list.map_or(0, |list| list.len()));
    let inner: Vec<Value> = lists
        .iter()
        .flatten()
        .flat_map(|list| list.iter().cloned())
        .collect();
    let validity: Vec<bool> = lists.iter().map(Option::is_some).collect();
    Arc::new(ListArray::new(
        Arc::new(element.element()),
        OffsetBuffer::from_lengths(lengths),
        element.array(&inner),
        Some(NullBuffer::from(validity)),
    ))
}

/// The zone by its name or offset, as Arrow writes it; `None` of an offset with seconds.
fn zone_of(moment: &DateTime) -> Option<Arc<str>> {
    if let Some(zone) = moment.zone() {
        return Some(zone.into());
    }
    let offset = moment.offset();
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    match offset {
        0 => Some("UTC".into()),
        _ if offset % 60 != 0 => None,
        _ => Some(format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60).into()),
    }
}

fn interval_of(duration: Duration) -> Option<IntervalMonthDayNano> {
    let nanoseconds =
        i128::from(duration.seconds()) * 1_000_000_000 + i128::from(duration.nanoseconds());
    Some(IntervalMonthDayNano::new(
        i32::try_from(duration.months()).ok()?,
        i32::try_from(duration.days()).ok()?,
        i64::try_from(nanoseconds).ok()?,
    ))
}

/// A schema of columns by name.
pub fn schema<'k>(columns: impl IntoIterator<Item = (&'k str, &'k Kind)>) -> SchemaRef {
    let fields = columns.into_iter().map(|(name, kind)| kind.field(name));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// A batch of so many rows: a result may have no columns, or none of a type.
///
/// # Errors
/// Columns that differ from the schema or in length.
pub fn batch(
    schema: &SchemaRef,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> Result<RecordBatch, ArrowError> {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

/// Writes batches as an Arrow IPC stream, with its end.
///
/// # Errors
/// Of a batch, or of the output.
pub fn write_stream(
    output: impl Write,
    schema: &SchemaRef,
    batches: impl IntoIterator<Item = io::Result<RecordBatch>>,
) -> io::Result<()> {
    let failed = |error| match error {
        ArrowError::IoError(_, source) => source,
        other => io::Error::other(other),
    };
    let mut writer = StreamWriter::try_new(output, schema).map_err(failed)?;
    for batch in batches {
        writer.write(&batch?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}
