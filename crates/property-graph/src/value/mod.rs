//! Property values: openCypher's types, with their order, their equality, their
//! literals and their stored form.

mod error;
mod properties;
mod spatial;
mod temporal;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use error::ValueError;
pub use properties::Properties;
pub use spatial::{CoordinateSystem, Point};
pub use temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};

/// One value. Cloning is cheap: what is long is shared.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Absent. A record never stores it: setting a property to null removes it.
    #[default]
    Null,
    /// True or false.
    Boolean(bool),
    /// 64 bits, signed.
    Integer(i64),
    /// IEEE 754, 64 bits.
    Float(f64),
    /// UTF-8.
    Text(Arc<str>),
    /// Raw bytes.
    Bytes(Arc<[u8]>),
    /// Values of any types, in order.
    List(Arc<[Value]>),
    /// Values by name.
    Map(Arc<BTreeMap<Arc<str>, Value>>),
    /// A day of the calendar.
    Date(Date),
    /// A time of day with its offset from UTC.
    Time(Time),
    /// A time of day.
    LocalTime(LocalTime),
    /// An instant, with the offset or the time zone that it is shown in.
    DateTime(DateTime),
    /// A day and a time of day, in no time zone.
    LocalDateTime(LocalDateTime),
    /// Months, days, seconds and nanoseconds, which do not convert into each
    /// other.
    Duration(Duration),
    /// A place in two or three dimensions.
    Point(Point),
}
