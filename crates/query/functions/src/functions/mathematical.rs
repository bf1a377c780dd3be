//! Functions of numbers.

use evergraph_property_graph::Value;

use evergraph_syntax::scope::{Returns, Types};

use super::definition::{Category, Function, may, needs};
use super::{unreachable_type, wrong};
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};

type Result = std::result::Result<Datum, EvaluationError>;

const MATH: Category = Category::Mathematical;

/// A function of one float.
macro_rules! of_float {
    ($name:literal, $description:literal, $example:expr, $evaluate:expr) => {
        Function::new(
            MATH,
            $name,
            &[needs("number", Types::NUMBER)],
            Types::FLOAT,
            $description,
            $example,
            |arguments, _| {
                let evaluate: fn(f64) -> f64 = $evaluate;
                Ok(evaluate(float(&arguments[0])?).into())
            },
        )
    };
}

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(MATH, "abs", &[needs("number", Types::NUMBER)], Types::NUMBER,
        "A number without its sign.",
        ("abs(-1)", "1"), abs).that(Returns::First(Types::NUMBER)),
    Function::new(MATH, "sign", &[needs("number", Types::NUMBER)], Types::INTEGER,
        "-1, 0 or 1, as the number is negative, 0 or positive.",
        ("sign(-0.5)", "-1"), sign),
    of_float!("ceil", "The next integer that is not less, as a float.",
        ("ceil(0.1)", "1.0"), f64::ceil),
    of_float!("floor", "The next integer that is not greater, as a float.",
        ("floor(0.9)", "0.0"), f64::floor),
    Function::new(MATH, "round",
        &[needs("number", Types::NUMBER), may("precision", Types::INTEGER), may("mode", Types::STRING)],
        Types::FLOAT,
        "The next number of so many decimals (0); a half is rounded up, with a precision of 1 \
         or more away from 0, or by a mode: UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN, \
         HALF_EVEN.",
        ("round(3.145, 2)", "3.15"), round),
    Function::new(MATH, "isNaN", &[needs("number", Types::NUMBER)], Types::BOOLEAN,
        "Whether a number is not a number.",
        ("isNaN(0.0 / 0.0)", "true"), |arguments, _| Ok(float(&arguments[0])?.is_nan().into())),
    Function::new(MATH, "rand", &[], Types::FLOAT,
        "A random number from 0 up to 1, 1 excluded.",
        ("0 <= rand() < 1", "true"),
        |_, environment| Ok(((environment.random() >> 11) as f64 / (1_u64 << 53) as f64).into())),
    of_float!("sqrt", "Square root.", ("sqrt(12.96)", "3.6"), f64::sqrt),
    of_float!("exp", "e to the power of a number.", ("exp(0)", "1.0"), f64::exp),
    of_float!("log", "Natural logarithm.", ("log(1)", "0.0"), f64::ln),
    of_float!("log10", "Logarithm to the base 10.", ("log10(1000)", "3.0"), f64::log10),
    Function::new(MATH, "e", &[], Types::FLOAT,
        "The base of natural logarithms.",
        ("e()", "2.718281828459045"), |_, _| Ok(std::f64::consts::E.into())),
    Function::new(MATH, "pi", &[], Types::FLOAT,
        "The circumference of a circle of diameter 1.",
        ("pi()", "3.141592653589793"), |_, _| Ok(std::f64::consts::PI.into())),
    of_float!("degrees", "Degrees of an angle in radians.",
        ("degrees(pi())", "180.0"), f64::to_degrees),
    of_float!("radians", "Radians of an angle in degrees.",
        ("radians(180)", "3.141592653589793"), f64::to_radians),
    of_float!("sin", "Sine of an angle in radians.", ("sin(0)", "0.0"), f64::sin),
    of_float!("cos", "Cosine of an angle in radians.", ("cos(0)", "1.0"), f64::cos),
    of_float!("tan", "Tangent of an angle in radians.", ("tan(0)", "0.0"), f64::tan),
    of_float!("cot", "Cotangent of an angle in radians.",
        ("round(cot(pi() / 4), 9)", "1.0"), |angle| 1.0 / angle.tan()),
    of_float!("sinh", "Hyperbolic sine.", ("sinh(0)", "0.0"), f64::sinh),
    of_float!("cosh", "Hyperbolic cosine.", ("cosh(0)", "1.0"), f64::cosh),
    of_float!("tanh", "Hyperbolic tangent.", ("tanh(0)", "0.0"), f64::tanh),
    of_float!("coth", "Hyperbolic cotangent; NaN of 0.",
        ("round(coth(1), 9)", "1.313035285"),
        |number| if number == 0.0 { f64::NAN } else { 1.0 / number.tanh() }),
    of_float!("asin", "The angle of a sine, in radians.", ("asin(0)", "0.0"), f64::asin),
    of_float!("acos", "The angle of a cosine, in radians.", ("acos(1)", "0.0"), f64::acos),
    of_float!("atan", "The angle of a tangent, in radians.", ("atan(0)", "0.0"), f64::atan),
    Function::new(MATH, "atan2",
        &[needs("y", Types::NUMBER), needs("x", Types::NUMBER)], Types::FLOAT,
        "The angle of a point from the x axis, in radians.",
        ("atan2(0, 1)", "0.0"),
        |arguments, _| Ok(float(&arguments[0])?.atan2(float(&arguments[1])?).into())),
    of_float!("haversin", "Half of the versine of an angle in radians.",
        ("haversin(0)", "0.0"), |angle| (1.0 - angle.cos()) / 2.0),
];

fn float(datum: &Datum) -> std::result::Result<f64, EvaluationError> {
    let number = datum.as_value().and_then(Value::as_float);
    number.ok_or_else(unreachable_type)
}

fn abs(arguments: &[Datum], _: &Environment<'_>) -> Result {
    match &arguments[0] {
        Datum::Value(Value::Integer(number)) => {
            number.checked_abs().map(Datum::from).ok_or_else(|| {
                let message = format!("abs({number}) is no integer of 64 bits");
                wrong(ErrorKind::IntegerOverflow, message)
            })
        }
        other => Ok(float(other)?.abs().into()),
    }
}

fn sign(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let number = float(&arguments[0])?;
    let sign = i64::from(number > 0.0) - i64::from(number < 0.0);
    Ok(sign.into())
}

fn round(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let number = float(&arguments[0])?;
    let precision = arguments.get(1).map_or(Some(0), |precision| {
        precision.as_value().and_then(Value::as_integer)
    });
    let precision = precision.ok_or_else(unreachable_type)?;
    if precision == 0 && arguments.len() < 3 {
        // A half is rounded up; adding a half first would be wrong just below one.
        let floor = number.floor();
        let up = number - floor >= 0.5;
        return Ok((if up { floor + 1.0 } else { floor }).into());
    }
    let mode = arguments.get(2).and_then(Datum::as_value);
    let mode = mode.and_then(Value::as_text).unwrap_or("HALF_UP");
    if !MODES.contains(&mode) {
        let message = format!("round() has no mode '{mode}'; it has {}", MODES.join(", "));
        return Err(wrong(ErrorKind::InvalidArgumentValue, message));
    }
    let precision = usize::try_from(precision).map_err(|_| {
        wrong(
            ErrorKind::NumberOutOfRange,
            "round() needs a precision of 0 or more",
        )
    })?;
    if !number.is_finite() {
        return Ok(number.into());
    }
    Ok(rounded(number, precision, mode).into())
}

/// Modes of rounding, as Java names them.
const MODES: [&str; 7] = [
    "UP",
    "DOWN",
    "CEILING",
    "FLOOR",
    "HALF_UP",
    "HALF_DOWN",
    "HALF_EVEN",
];

/// Rounds the digits that the number is written with; in a mode that is not named here to
/// the nearest, of two to the even one.
fn rounded(number: f64, precision: usize, mode: &str) -> f64 {
    let text = format!("{}", number.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let Some((kept, rest)) = fraction.split_at_checked(precision) else {
        return number;
    };
    let digits = [whole, kept].concat();
    let last_is_odd = digits.bytes().last().is_some_and(|digit| digit % 2 == 1);
    let rest = rest.trim_end_matches('0');
    let (is_more, is_half) = (rest > "5", rest == "5");
    let away = match mode {
        "UP" => !rest.is_empty(),
        "DOWN" => false,
        "CEILING" => !rest.is_empty() && number > 0.0,
        "FLOOR" => !rest.is_empty() && number < 0.0,
        "HALF_UP" => is_more || is_half,
        "HALF_DOWN" => is_more,
        _ => is_more || is_half && last_is_odd,
    };
    let mut digits: Vec<u8> = digits.bytes().collect();
    if away {
        let nines = digits
            .iter()
            .rev()
            .take_while(|digit| **digit == b'9')
            .count();
        let at = digits.len() - nines;
        digits[at..].fill(b'0');
        match at.checked_sub(1) {
            Some(last) => digits[last] += 1,
            None => digits.insert(0, b'1'),
        }
    }
    let digits: String = digits.into_iter().map(char::from).collect();
    let magnitude: f64 = format!("{digits}e-{precision}")
        .parse()
        .unwrap_or(number.abs());
    magnitude.copysign(number)
}
