//! Functions of any values: choice, conversion, description.

use evergraph_property_graph::Value;
use evergraph_property_graph::value::Point;

use evergraph_syntax::scope::Types;

use super::definition::{Category, Function, any, needs};
use super::unreachable_type;
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};
use crate::operators::type_of;
use crate::print::float_text;
use crate::temporal::system_name;

type Result = std::result::Result<Datum, EvaluationError>;

const SCALAR: Category = Category::Scalar;
const SIMPLE: Types = Types::BOOLEAN.or(Types::NUMBER).or(Types::STRING);
const TEXTS: Types = SIMPLE
    .or(Types::INSTANT)
    .or(Types::DURATION)
    .or(Types::POINT);

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(SCALAR, "coalesce",
        &[needs("value", Types::ANY), any("others", Types::ANY)], Types::ANY,
        "The first of its arguments that is not null.",
        ("coalesce(null, 'a', 'b')", "'a'"), coalesce).of_null(),
    Function::new(SCALAR, "nullIf",
        &[needs("value", Types::ANY), needs("other", Types::ANY)], Types::ANY,
        "Null if both are equal, else the first.",
        ("nullIf(4, 4)", "null"), null_if).of_null(),
    Function::new(SCALAR, "exists", &[needs("value", Types::ANY)], Types::BOOLEAN,
        "Whether a value, mostly a property, is not null.",
        ("exists(n.name)", "true"), |arguments, _| Ok((!arguments[0].is_null()).into())).of_null(),
    Function::new(SCALAR, "size",
        &[needs("value", Types::LIST.or(Types::STRING).or(Types::MAP))], Types::INTEGER,
        "Number of elements of a list, characters of a text, or entries of a map.",
        ("size([1, 2, 3])", "3"), size),
    Function::new(SCALAR, "isEmpty",
        &[needs("value", Types::LIST.or(Types::STRING).or(Types::MAP))], Types::BOOLEAN,
        "Whether a list, a text or a map has nothing in it.",
        ("isEmpty([])", "true"),
        |arguments, environment| Ok((size(arguments, environment)? == Datum::from(0)).into())),
    Function::new(SCALAR, "toBoolean",
        &[needs("value", Types::BOOLEAN.or(Types::STRING).or(Types::INTEGER))], Types::BOOLEAN,
        "The truth value that a text says, null if it says none; an integer is true but for 0.",
        ("toBoolean('true')", "true"), |arguments, _| to(arguments, boolean)),
    Function::new(SCALAR, "toBooleanOrNull", &[needs("value", Types::ANY)], Types::BOOLEAN,
        "As toBoolean, and null of values of other types.",
        ("toBooleanOrNull(1.5)", "null"), |arguments, _| or_null(arguments, boolean)),
    Function::new(SCALAR, "toFloat",
        &[needs("value", Types::NUMBER.or(Types::STRING))], Types::FLOAT,
        "The float of a number or of a text, null if the text is no number.",
        ("toFloat('11.5')", "11.5"), |arguments, _| to(arguments, float)),
    Function::new(SCALAR, "toFloatOrNull", &[needs("value", Types::ANY)], Types::FLOAT,
        "As toFloat, and null of values of other types.",
        ("toFloatOrNull(true)", "null"), |arguments, _| or_null(arguments, float)),
    Function::new(SCALAR, "toInteger", &[needs("value", SIMPLE)], Types::INTEGER,
        "The integer of a number or of a text, without its fraction; null if it is none or a float of more than 64 bits, an error if it is a text of so many digits.",
        ("toInteger('2.9')", "2"), to_integer),
    Function::new(SCALAR, "toIntegerOrNull", &[needs("value", Types::ANY)], Types::INTEGER,
        "As toInteger, and null of values of other types.",
        ("toIntegerOrNull([])", "null"), |arguments, _| or_null(arguments, integer)),
    Function::new(SCALAR, "toString", &[needs("value", TEXTS)], Types::STRING,
        "The text of a number, a truth value, a temporal or spatial value.",
        ("toString(date('2015-W30-2'))", "'2015-07-21'"), |arguments, _| to(arguments, text)),
    Function::new(SCALAR, "toStringOrNull", &[needs("value", Types::ANY)], Types::STRING,
        "As toString, and null of values of other types.",
        ("toStringOrNull([1])", "null"), |arguments, _| or_null(arguments, text)),
    Function::new(SCALAR, "valueType", &[needs("value", Types::ANY)], Types::STRING,
        "Name of the type of a value.",
        ("valueType([1, 'a'])", "'LIST<STRING NOT NULL | INTEGER NOT NULL> NOT NULL'"),
        |arguments, _| Ok(type_of(&arguments[0]).to_string().into())).of_null(),
    Function::new(SCALAR, "timestamp", &[], Types::INTEGER,
        "Milliseconds from 1970-01-01T00:00Z to the beginning of the statement.",
        ("timestamp() = datetime().epochMillis", "true"),
        |_, environment| Ok(environment.clock.statement.milliseconds().into())),
    Function::new(SCALAR, "linenumber", &[], Types::INTEGER,
        "Number of the line of a file, from 1, behind LOAD CSV up to the next WITH; else null.",
        ("linenumber()", "null"), |_, _| Ok(Datum::NULL)),
    Function::new(SCALAR, "file", &[], Types::STRING,
        "Path of the file of a line, behind LOAD CSV up to the next WITH; else null.",
        ("file()", "null"), |_, _| Ok(Datum::NULL)),
    Function::new(SCALAR, "randomUUID", &[], Types::STRING,
        "A random identifier of version 4.",
        ("size(randomUUID())", "36"), |_, environment| Ok(random_uuid(environment).into())),
];

fn coalesce(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let found = arguments.iter().find(|argument| !argument.is_null());
    Ok(found.cloned().unwrap_or_default())
}

fn null_if(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let equal = arguments[0].equals(&arguments[1]) == Some(true);
    Ok(if equal {
        Datum::NULL
    } else {
        arguments[0].clone()
    })
}

pub(super) fn size(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let size = match &arguments[0] {
        Datum::Value(Value::Text(text)) => text.chars().count(),
        Datum::Value(Value::Map(entries)) => entries.len(),
        Datum::Map(entries) => entries.len(),
        other => other.elements().ok_or_else(unreachable_type)?.len(),
    };
    Ok((size as i64).into())
}

/// A conversion: `None` of a type that it does not take.
type Conversion = fn(&Value) -> Option<Value>;

fn to(arguments: &[Datum], conversion: Conversion) -> Result {
    let converted = arguments[0].as_value().and_then(conversion);
    converted.map(Datum::Value).ok_or_else(unreachable_type)
}

fn or_null(arguments: &[Datum], conversion: Conversion) -> Result {
    let converted = arguments[0].as_value().and_then(conversion);
    Ok(converted.map(Datum::Value).unwrap_or_default())
}

/// Each element converted, null where it has no such value.
pub(super) fn each(arguments: &[Datum], conversion: Conversion) -> Result {
    let elements = arguments[0].elements().ok_or_else(unreachable_type)?;
    let converted = elements
        .iter()
        .map(|element| or_null(&[element], conversion));
    Ok(Datum::list(
        converted.collect::<std::result::Result<_, _>>()?,
    ))
}

pub(super) fn boolean(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Boolean(_) => value.clone(),
        Value::Integer(number) => (*number != 0).into(),
        Value::Text(text) if text.trim().eq_ignore_ascii_case("true") => true.into(),
        Value::Text(text) if text.trim().eq_ignore_ascii_case("false") => false.into(),
        Value::Text(_) => Value::Null,
        _ => return None,
    })
}

pub(super) fn float(value: &Value) -> Option<Value> {
    match value {
        // A text of Java may say that it is a float or a double.
        Value::Text(text) => {
            let text = text.trim();
            let text = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
            Some(number(text).map_or(Value::Null, Value::Float))
        }
        other => other.as_float().map(Value::Float),
    }
}

/// A decimal number, `NaN` or `Infinity`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.trim_start_matches(['+', '-']) {
        "NaN" | "Infinity" => text.parse().ok(),
        _ => {
            let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| has_digits)
        }
    }
}

/// The integer of a value; a text of a number beyond 64 bits is an error.
fn to_integer(arguments: &[Datum], _: &Environment<'_>) -> Result {
    if let Some(Value::Text(text)) = arguments[0].as_value() {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_integer && text.parse::<i64>().is_err() {
            let message = format!("{text} is no integer of 64 bits");
            return Err(EvaluationError::new(ErrorKind::IntegerOverflow, message));
        }
    }
    to(arguments, integer)
}

pub(super) fn integer(value: &Value) -> Option<Value> {
    let of_float = |number: f64| {
        let fits = number.is_finite() && number.abs() < 9_223_372_036_854_775_808.0;
        fits.then_some(Value::Integer(number as i64))
    };
    Some(match value {
        Value::Integer(_) => value.clone(),
        Value::Boolean(truth) => i64::from(*truth).into(),
        Value::Float(number) => of_float(*number).unwrap_or_default(),
        // As in Neo4j, blanks around an integer make it none; around a float they do not.
        Value::Text(text) if text.trim().len() < text.len() => Value::Null,
        Value::Text(text) => match text.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => number(text).and_then(of_float).unwrap_or_default(),
        },
        _ => return None,
    })
}

pub(crate) fn text(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Text(_) => value.clone(),
        Value::Float(number) => float_text(*number).into(),
        Value::Point(point) => point_text(point).into(),
        Value::Boolean(_) | Value::Integer(_) => value.to_string().into(),
        other => other.temporal_text()?.into(),
    })
}

/// `point({x: 1.0, y: 2.0, crs: 'cartesian'})`
fn point_text(point: &Point) -> String {
    let names = ["x", "y", "z"].into_iter().zip(point.coordinates());
    let fields: Vec<String> = names
        .map(|(name, coordinate)| format!("{name}: {}", float_text(*coordinate)))
        .collect();
    let system = system_name(point.system());
    format!("point({{{}, crs: '{system}'}})", fields.join(", "))
}

fn random_uuid(environment: &Environment<'_>) -> String {
    let high = environment.random() & !0xF000 | 0x4000;
    let low = environment.random() & !(0b11 << 62) | 0b10 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFFF,
        low >> 48,
        low & 0xFFFF_FFFF_FFFF
    )
}
