//! Cells of Arrow's arrays as values.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use evergraph_property_graph::Value;
use evergraph_property_graph::value::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, ValueError,
};

const DAY_MILLISECONDS: i64 = 24 * 60 * 60 * 1000;

/// Whether columns of a type can be read.
pub(super) fn is_supported(kind: &DataType) -> bool {
    use DataType::*;
    match kind {
        Null | Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 => true,
        Float16 | Float32 | Float64 | Utf8 | LargeUtf8 | Utf8View => true,
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => true,
        Date32 | Date64 | Timestamp(..) | Time32(_) | Time64(_) | Duration(_) => true,
        List(element) | LargeList(element) | FixedSizeList(element, _) => {
            is_supported(element.data_type())
        }
        Struct(fields) => fields.iter().all(|field| is_supported(field.data_type())),
        _ => false,
    }
}

/// The value of a cell; the error says why there is none.
pub(super) fn value(array: &dyn Array, at: usize) -> Result<Value, String> {
    if array.is_null(at) {
        return Ok(Value::Null);
    }
    macro_rules! integer {
        ($kind:ty) => {
            Value::Integer(i64::from(array.as_primitive::<$kind>().value(at)))
        };
    }
    Ok(match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Boolean(array.as_boolean().value(at)),
        DataType::Int8 => integer!(Int8Type),
        DataType::Int16 => integer!(Int16Type),
        DataType::Int32 => integer!(Int32Type),
        DataType::Int64 => integer!(Int64Type),
        DataType::UInt8 => integer!(UInt8Type),
        DataType::UInt16 => integer!(UInt16Type),
        DataType::UInt32 => integer!(UInt32Type),
        DataType::UInt64 => {
            let number = array.as_primitive::<UInt64Type>().value(at);
            let number = i64::try_from(number);
            Value::Integer(number.map_err(|_| "the integer is above 2^63 - 1".to_string())?)
        }
        DataType::Float16 => Value::Float(array.as_primitive::<Float16Type>().value(at).to_f64()),
        DataType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(at).into()),
        DataType::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(at)),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(at).into()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(at).into()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(at).into()),
        DataType::Binary => Value::Bytes(array.as_binary::<i32>().value(at).into()),
        DataType::LargeBinary => Value::Bytes(array.as_binary::<i64>().value(at).into()),
        DataType::BinaryView => Value::Bytes(array.as_binary_view().value(at).into()),
        DataType::FixedSizeBinary(_) => Value::Bytes(array.as_fixed_size_binary().value(at).into()),
        DataType::List(_) => list(array.as_list::<i32>().value(at))?,
        DataType::LargeList(_) => list(array.as_list::<i64>().value(at))?,
        DataType::FixedSizeList(..) => list(array.as_fixed_size_list().value(at))?,
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            let entry = |(field, column): (&Arc<arrow_schema::Field>, &ArrayRef)| {
                Ok((Arc::from(field.name().as_str()), value(column, at)?))
            };
            let entries: Result<BTreeMap<Arc<str>, Value>, String> = columns.map(entry).collect();
            Value::Map(Arc::new(entries?))
        }
        _ => return temporal(array, at),
    })
}

fn list(elements: ArrayRef) -> Result<Value, String> {
    let values: Result<Vec<Value>, String> =
        (0..elements.len()).map(|at| value(&elements, at)).collect();
    Ok(Value::List(values?.into()))
}

fn temporal(array: &dyn Array, at: usize) -> Result<Value, String> {
    temporal_value(array, at)
        .map_err(|error| error.to_string())?
        .ok_or_else(|| format!("values of type {} are not supported", array.data_type()))
}

fn temporal_value(array: &dyn Array, at: usize) -> Result<Option<Value>, ValueError> {
    Ok(Some(match array.data_type() {
        DataType::Date32 => Value::Date(Date::from_days(
            array.as_primitive::<Date32Type>().value(at),
        )?),
        DataType::Date64 => {
            let days = array
                .as_primitive::<Date64Type>()
                .value(at)
                .div_euclid(DAY_MILLISECONDS);
            Value::Date(Date::from_days(days)?)
        }
        DataType::Timestamp(unit, zone) => {
            let (seconds, nanoseconds) = split(timestamp(array, at, *unit), *unit);
            match zone {
                None => Value::LocalDateTime(LocalDateTime::from_seconds(seconds, nanoseconds)?),
                Some(_) => Value::DateTime(DateTime::from_seconds(seconds, nanoseconds, 0)?),
            }
        }
        DataType::Time32(unit) | DataType::Time64(unit) => {
            let (seconds, nanoseconds) = split(time(array, at, *unit), *unit);
            // Negative times are out of range as huge ones.
            let seconds = u64::try_from(seconds).unwrap_or(u64::MAX / 2_000_000_000);
            let total = seconds.saturating_mul(1_000_000_000) + u64::from(nanoseconds);
            Value::LocalTime(LocalTime::from_nanoseconds(total)?)
        }
        DataType::Duration(unit) => {
            let (seconds, nanoseconds) = split(duration(array, at, *unit), *unit);
            Value::Duration(Duration::new(0, 0, seconds, nanoseconds)?)
        }
        _ => return Ok(None),
    }))
}

fn timestamp(array: &dyn Array, at: usize, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(at),
        TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value(at),
        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(at),
        TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(at),
    }
}

fn time(array: &dyn Array, at: usize, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<Time32SecondType>().value(at).into(),
        TimeUnit::Millisecond => array
            .as_primitive::<Time32MillisecondType>()
            .value(at)
            .into(),
        TimeUnit::Microsecond => array.as_primitive::<Time64MicrosecondType>().value(at),
        TimeUnit::Nanosecond => array.as_primitive::<Time64NanosecondType>().value(at),
    }
}

fn duration(array: &dyn Array, at: usize, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<DurationSecondType>().value(at),
        TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().value(at),
        TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().value(at),
        TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().value(at),
    }
}

/// Seconds and nanoseconds of an amount of units.
fn split(amount: i64, unit: TimeUnit) -> (i64, u32) {
    let in_second = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let rest = amount.rem_euclid(in_second) * (1_000_000_000 / in_second);
    (amount.div_euclid(in_second), rest as u32)
}
