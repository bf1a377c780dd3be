//! Functions of dates, times and durations.

use evergraph_property_graph::Value;
use evergraph_property_graph::value::DateTime;

use evergraph_syntax::scope::Types;

use super::definition::{Category, Function, may, needs};
use super::{not_storable, unreachable_type, wrong};
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};
use crate::temporal::{Kind, Unit, between, construct, duration_of, now, truncate};

type Result = std::result::Result<Datum, EvaluationError>;

const TEMPORAL: Category = Category::Temporal;
const SOURCE: Types = Types::STRING.or(Types::MAP).or(Types::INSTANT);
const ZONE: &[evergraph_syntax::scope::Parameter] =
    &[may("timezone", Types::STRING.or(Types::MAP))];
const TWO: &[evergraph_syntax::scope::Parameter] =
    &[needs("from", Types::INSTANT), needs("to", Types::INSTANT)];
const TRUNCATED: &[evergraph_syntax::scope::Parameter] = &[
    needs("unit", Types::STRING),
    may("value", Types::INSTANT),
    may("fields", Types::MAP),
];
const MADE: &str = "Of a text of ISO 8601, a map of fields, or another temporal value; without \
    an argument, of the beginning of the statement.";
const CUT: &str = "A value (that of the statement) at the beginning of its millennium, century, \
    decade, year, weekYear, quarter, month, week, day, hour, minute, second, millisecond or \
    microsecond, then with fields changed; it takes no null for unit and value.";

/// The functions of a type: made, of a clock, cut to a unit.
#[rustfmt::skip] // Rows of a table.
macro_rules! of_kind {
    ($kind:expr, $types:expr, $name:literal, $example:expr, $cut:expr) => { &[
        Function::new(TEMPORAL, $name, &[may("value", SOURCE)], $types, MADE,
            $example, |arguments, environment| made($kind, arguments, environment)),
        Function::new(TEMPORAL, concat!($name, ".transaction"), ZONE, $types,
            "Of the beginning of the transaction, in a time zone.",
            (concat!($name, ".transaction() = ", $name, ".transaction()"), "true"),
            |arguments, environment| {
                of_clock($kind, &environment.clock.transaction, arguments, environment)
            }),
        Function::new(TEMPORAL, concat!($name, ".statement"), ZONE, $types,
            "Of the beginning of the statement, in a time zone.",
            (concat!($name, ".statement() = ", $name, "()"), "true"),
            |arguments, environment| {
                of_clock($kind, &environment.clock.statement, arguments, environment)
            }),
        Function::new(TEMPORAL, concat!($name, ".realtime"), ZONE, $types,
            "Of the system's clock, in a time zone.",
            (concat!("valueType(", $name, ".realtime()) = valueType(", $name, "())"), "true"),
            |arguments, environment| {
                of_clock($kind, &(environment.clock.realtime)(), arguments, environment)
            }),
        Function::new(TEMPORAL, concat!($name, ".truncate"), TRUNCATED, $types, CUT,
            $cut, |arguments, environment| cut($kind, arguments, environment)).of_null(),
    ] };
}

/// By type.
#[rustfmt::skip] // Rows of a table.
pub(super) const OF_KINDS: [&[Function]; 5] = [
    of_kind!(Kind::Date, Types::DATE, "date",
        ("date({year: 2015, week: 30, dayOfWeek: 2})", "date('2015-07-21')"),
        ("date.truncate('month', date('2015-07-21'))", "date('2015-07-01')")),
    of_kind!(Kind::LocalTime, Types::LOCAL_TIME, "localtime",
        ("localtime('214032.142')", "localtime('21:40:32.142')"),
        ("localtime.truncate('hour', localtime('21:40'))", "localtime('21:00:00')")),
    of_kind!(Kind::Time, Types::TIME, "time",
        ("time({hour: 21, minute: 40, timezone: '+01:00'})", "time('21:40:00+01:00')"),
        ("time.truncate('minute', time('21:40:32+01:00'))", "time('21:40:00+01:00')")),
    of_kind!(Kind::LocalDateTime, Types::LOCAL_DATETIME, "localdatetime",
        ("localdatetime('2015-202T21:40')", "localdatetime('2015-07-21T21:40:00')"),
        ("localdatetime.truncate('day', date('2015-07-21'), {hour: 5})",
         "localdatetime('2015-07-21T05:00:00')")),
    of_kind!(Kind::DateTime, Types::DATETIME, "datetime",
        ("datetime('2015-07-21T21:40[Europe/London]')",
         "datetime('2015-07-21T21:40:00+01:00[Europe/London]')"),
        ("datetime.truncate('week', datetime('2015-07-21T21:40+02:00'))",
         "datetime('2015-07-20T00:00:00+02:00')")),
];

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(TEMPORAL, "datetime.fromepoch",
        &[needs("seconds", Types::INTEGER), needs("nanoseconds", Types::INTEGER)], Types::DATETIME,
        "The instant so many seconds and nanoseconds after 1970-01-01T00:00Z.",
        ("datetime.fromepoch(416779, 5)", "datetime('1970-01-05T19:46:19.000000005Z')"),
        from_epoch),
    Function::new(TEMPORAL, "datetime.fromepochmillis",
        &[needs("milliseconds", Types::INTEGER)], Types::DATETIME,
        "The instant so many milliseconds after 1970-01-01T00:00Z.",
        ("datetime.fromepochmillis(237821673987)", "datetime('1977-07-15T13:34:33.987Z')"),
        |arguments, _| {
            Ok(Value::from(DateTime::from_milliseconds(integer(&arguments[0])?)?).into())
        }),
    Function::new(TEMPORAL, "duration",
        &[needs("value", Types::STRING.or(Types::MAP).or(Types::DURATION))], Types::DURATION,
        "Of a text of ISO 8601 or a map of years to nanoseconds; fractions go to smaller units.",
        ("duration({days: 1.5})", "duration('P1DT43200S')"),
        |arguments, _| Ok(Value::Duration(duration_of(value(&arguments[0])?)?).into())),
    Function::new(TEMPORAL, "duration.between", TWO, Types::DURATION,
        "From one to the other, in months, then days, then seconds.",
        ("toString(duration.between(date('1984-10-11'), date('2015-06-24')))", "'P30Y8M13D'"),
        |arguments, _| lapse(Unit::All, arguments)),
    Function::new(TEMPORAL, "duration.inMonths", TWO, Types::DURATION,
        "From one to the other, in whole months.",
        ("toString(duration.inMonths(date('1984-10-11'), date('2015-06-24')))", "'P30Y8M'"),
        |arguments, _| lapse(Unit::Months, arguments)),
    Function::new(TEMPORAL, "duration.inDays", TWO, Types::DURATION,
        "From one to the other, in whole days.",
        ("toString(duration.inDays(date('1984-10-11'), date('2015-06-24')))", "'P11213D'"),
        |arguments, _| lapse(Unit::Days, arguments)),
    Function::new(TEMPORAL, "duration.inSeconds", TWO, Types::DURATION,
        "From one to the other, in seconds and nanoseconds.",
        ("toString(duration.inSeconds(localtime('14:30'), localtime('16:30')))", "'PT2H'"),
        |arguments, _| lapse(Unit::Seconds, arguments)),
];

fn value(datum: &Datum) -> std::result::Result<&Value, EvaluationError> {
    datum.as_value().ok_or_else(not_storable)
}

fn integer(datum: &Datum) -> std::result::Result<i64, EvaluationError> {
    value(datum)?.as_integer().ok_or_else(unreachable_type)
}

fn made(kind: Kind, arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let statement = &environment.clock.statement;
    Ok(Datum::Value(match arguments.first() {
        None => now(kind, statement, None, environment)?,
        // A map of a zone alone is the time there.
        Some(Datum::Value(Value::Map(map))) if map.len() == 1 && map.contains_key("timezone") => {
            return of_clock(kind, statement, arguments, environment);
        }
        Some(source) => construct(kind, value(source)?, environment)?,
    }))
}

fn of_clock(
    kind: Kind,
    moment: &DateTime,
    arguments: &[Datum],
    environment: &Environment<'_>,
) -> Result {
    let zone = match arguments.first() {
        None => None,
        Some(Datum::Value(Value::Text(zone))) => Some(&**zone),
        Some(Datum::Value(Value::Map(map))) => match map.get("timezone") {
            None => None,
            Some(Value::Text(zone)) => Some(&**zone),
            Some(other) => {
                let message = format!("a timezone is a STRING, not {}", other.type_name());
                return Err(wrong(ErrorKind::InvalidArgumentType, message));
            }
        },
        Some(_) => return Err(not_storable()),
    };
    Ok(Datum::Value(now(kind, moment, zone, environment)?))
}

fn cut(kind: Kind, arguments: &[Datum], environment: &Environment<'_>) -> Result {
    let unit = value(&arguments[0])?.as_text();
    let unit = unit.ok_or_else(|| {
        let message = "truncate() takes a unit such as 'month', not null";
        wrong(ErrorKind::InvalidArgumentValue, message)
    })?;
    let of_statement;
    let source = match arguments.get(1) {
        Some(source) => value(source)?,
        None => {
            of_statement = now(kind, &environment.clock.statement, None, environment)?;
            &of_statement
        }
    };
    let fields = arguments.get(2).map(value).transpose()?;
    Ok(Datum::Value(truncate(
        kind,
        unit,
        source,
        fields,
        environment,
    )?))
}

fn from_epoch(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let (seconds, nanoseconds) = (integer(&arguments[0])?, integer(&arguments[1])?);
    let nanoseconds = u32::try_from(nanoseconds).map_err(|_| {
        let message = "datetime.fromepoch() takes nanoseconds of 0 to 999999999";
        wrong(ErrorKind::NumberOutOfRange, message)
    })?;
    Ok(Value::from(DateTime::from_seconds(seconds, nanoseconds, 0)?).into())
}

fn lapse(unit: Unit, arguments: &[Datum]) -> Result {
    let duration = between(unit, value(&arguments[0])?, value(&arguments[1])?)?;
    Ok(Value::Duration(duration).into())
}
