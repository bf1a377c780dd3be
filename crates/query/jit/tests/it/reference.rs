//! What a term is, row by row.

use evergraph_jit::{Arithmetic, Comparison, Term};

/// A value that is not null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Integer(i64),
    Float(f64),
    Boolean(bool),
}

/// What the code leaves to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fails;

type Evaluated = Result<Option<Value>, Fails>;

/// The value of a term in a row with these inputs, null as `None`. Only what is needed is
/// looked at.
pub fn evaluate(term: &Term, row: &[Option<Value>]) -> Evaluated {
    match term {
        Term::Input(number) => Ok(row[*number]),
        Term::Arithmetic(operator, pair) => {
            match (evaluate(&pair[0], row)?, evaluate(&pair[1], row)?) {
                (Some(a), Some(b)) => arithmetic(*operator, a, b).map(Some),
                _ => Ok(None),
            }
        }
        Term::Negative(of) => Ok(match evaluate(of, row)? {
            Some(Value::Integer(number)) => {
                Some(Value::Integer(number.checked_neg().ok_or(Fails)?))
            }
            Some(Value::Float(number)) => Some(Value::Float(-number)),
            _ => None,
        }),
        Term::Comparison(comparison, pair) => {
            match (evaluate(&pair[0], row)?, evaluate(&pair[1], row)?) {
                (Some(a), Some(b)) => compare(*comparison, a, b).map(|truth| Some(truth.into())),
                _ => Ok(None),
            }
        }
        Term::Not(of) => Ok(truth(of, row)?.map(|truth| (!truth).into())),
        Term::And(terms) => logic(terms, row, false),
        Term::Or(terms) => logic(terms, row, true),
        Term::Xor(terms) => {
            let mut all = Some(false);
            for term in terms {
                all = all.zip(truth(term, row)?).map(|(a, b)| a != b);
            }
            Ok(all.map(Value::from))
        }
        Term::IsNull(of) => Ok(Some(evaluate(of, row)?.is_none().into())),
        Term::Case(branches, otherwise) => {
            for (condition, value) in branches {
                if truth(condition, row)? == Some(true) {
                    return evaluate(value, row);
                }
            }
            match otherwise {
                Some(otherwise) => evaluate(otherwise, row),
                None => Ok(None),
            }
        }
        Term::Coalesce(terms) => {
            for term in terms {
                let value = evaluate(term, row)?;
                if value.is_some() {
                    return Ok(value);
                }
            }
            Ok(None)
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Boolean(truth)
    }
}

fn truth(term: &Term, row: &[Option<Value>]) -> Result<Option<bool>, Fails> {
    Ok(match evaluate(term, row)? {
        Some(Value::Boolean(truth)) => Some(truth),
        _ => None,
    })
}

fn logic(terms: &[Term], row: &[Option<Value>], decisive: bool) -> Evaluated {
    let mut has_null = false;
    for term in terms {
        match truth(term, row)? {
            Some(truth) if truth == decisive => return Ok(Some(decisive.into())),
            Some(_) => {}
            None => has_null = true,
        }
    }
    Ok((!has_null).then_some((!decisive).into()))
}

fn arithmetic(operator: Arithmetic, a: Value, b: Value) -> Result<Value, Fails> {
    if let (Value::Integer(a), Value::Integer(b)) = (a, b) {
        let result = match operator {
            Arithmetic::Add => a.checked_add(b),
            Arithmetic::Subtract => a.checked_sub(b),
            Arithmetic::Multiply => a.checked_mul(b),
            Arithmetic::Divide => a.checked_div(b),
            // Of the least integer by -1 it is 0.
            Arithmetic::Modulo if b == 0 => None,
            Arithmetic::Modulo => Some(a.wrapping_rem(b)),
        };
        return result.map(Value::Integer).ok_or(Fails);
    }
    let (a, b) = (float(a), float(b));
    Ok(Value::Float(match operator {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a / b,
        Arithmetic::Modulo => a % b,
    }))
}

fn float(value: Value) -> f64 {
    match value {
        Value::Integer(number) => number as f64,
        Value::Float(number) => number,
        Value::Boolean(_) => f64::NAN,
    }
}

fn compare(comparison: Comparison, a: Value, b: Value) -> Result<bool, Fails> {
    fn holds<T: PartialOrd>(comparison: Comparison, a: T, b: T) -> bool {
        match comparison {
            Comparison::Equal => a == b,
            Comparison::Unequal => a != b,
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
        }
    }
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Ok(holds(comparison, a, b)),
        (Value::Boolean(a), Value::Boolean(b)) => Ok(holds(comparison, a, b)),
        (a, b) => {
            for value in [a, b] {
                if let Value::Integer(number) = value
                    && number.unsigned_abs() > 1 << 53
                {
                    return Err(Fails);
                }
            }
            Ok(holds(comparison, float(a), float(b)))
        }
    }
}
