//! The value of an expression.

use std::cmp::Ordering;

use evergraph_syntax::with_article;

use super::{Comparison, Expression, Node, Part, TextTest, TypeError};
use crate::value::Value;

/// True, false, or null.
pub(crate) type Truth = Option<bool>;

/// Value of a part that is to be a boolean.
pub(super) fn truth<E: From<TypeError>>(
    part: &Part,
    of: &Expression,
    property: &mut impl FnMut(usize) -> Result<Value, E>,
) -> Result<Truth, E> {
    match &part.node {
        Node::Not(inner) => Ok(truth(inner, of, property)?.map(|truth| !truth)),
        Node::And(parts) => all(parts, false, of, property),
        Node::Or(parts) => all(parts, true, of, property),
        Node::Xor(parts) => {
            let mut known = Some(false);
            for part in parts {
                let next = truth(part, of, property)?;
                known = known.zip(next).map(|(a, b)| a != b);
            }
            Ok(known)
        }
        Node::Comparison(first, others) => chained(first, others, of, property),
        Node::Text(test, sides) => {
            let (text, wanted) = (
                value(&sides.0, of, property)?,
                value(&sides.1, of, property)?,
            );
            Ok(tested(*test, &text, &wanted))
        }
        Node::In(sides) => {
            let (member, list) = (
                value(&sides.0, of, property)?,
                value(&sides.1, of, property)?,
            );
            match list {
                Value::Null => Ok(None),
                Value::List(list) => Ok(is_in(&member, &list)),
                other => Err(wrong(&sides.1, of, "a LIST", &other)),
            }
        }
        Node::IsNull(inner) => Ok(Some(value(inner, of, property)?.is_null())),
        Node::IsNotNull(inner) => Ok(Some(!value(inner, of, property)?.is_null())),
        Node::Literal(_) | Node::Property(_) | Node::List(_) => match value(part, of, property)? {
            Value::Null => Ok(None),
            Value::Boolean(truth) => Ok(Some(truth)),
            other => Err(wrong(part, of, "a BOOLEAN", &other)),
        },
    }
}

fn value<E: From<TypeError>>(
    part: &Part,
    of: &Expression,
    property: &mut impl FnMut(usize) -> Result<Value, E>,
) -> Result<Value, E> {
    match &part.node {
        Node::Literal(value) => Ok(value.clone()),
        Node::Property(key) => property(*key),
        Node::List(parts) => {
            let values = parts.iter().map(|part| value(part, of, property));
            Ok(Value::List(values.collect::<Result<_, E>>()?))
        }
        _ => Ok(truth(part, of, property)?.map_or(Value::Null, Value::Boolean)),
    }
}

/// `decisive` if a part is, in order; else null if a part is; else the opposite. Parts
/// behind a decisive one are not looked at.
fn all<E: From<TypeError>>(
    parts: &[Part],
    decisive: bool,
    of: &Expression,
    property: &mut impl FnMut(usize) -> Result<Value, E>,
) -> Result<Truth, E> {
    let mut known = Some(!decisive);
    for part in parts {
        match truth(part, of, property)? {
            Some(truth) if truth == decisive => return Ok(Some(decisive)),
            Some(_) => {}
            None => known = None,
        }
    }
    Ok(known)
}

/// As `AND` of the comparisons of neighbors.
fn chained<E: From<TypeError>>(
    first: &Part,
    others: &[(Comparison, Part)],
    of: &Expression,
    property: &mut impl FnMut(usize) -> Result<Value, E>,
) -> Result<Truth, E> {
    let mut known = Some(true);
    let mut left = value(first, of, property)?;
    for (comparison, right) in others {
        let right = value(right, of, property)?;
        match compared(*comparison, &left, &right) {
            Some(false) => return Ok(Some(false)),
            Some(true) => {}
            None => known = None,
        }
        left = right;
    }
    Ok(known)
}

/// Truth of `left comparison right`.
pub(crate) fn compared(comparison: Comparison, left: &Value, right: &Value) -> Truth {
    let holds: fn(Ordering) -> bool = match comparison {
        Comparison::Equal => return left.equals(right),
        Comparison::Unequal => return left.equals(right).map(|equal| !equal),
        Comparison::Less => Ordering::is_lt,
        Comparison::LessOrEqual => Ordering::is_le,
        Comparison::Greater => Ordering::is_gt,
        Comparison::GreaterOrEqual => Ordering::is_ge,
    };
    match left.compares(right) {
        Some(order) => Some(holds(order)),
        // A NaN compares with numbers: it is neither less nor greater.
        None if is_number(left) && is_number(right) => Some(false),
        None => None,
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Integer(_) | Value::Float(_))
}

/// Null unless both are texts.
fn tested(test: TextTest, text: &Value, wanted: &Value) -> Truth {
    let (Value::Text(text), Value::Text(wanted)) = (text, wanted) else {
        return None;
    };
    Some(match test {
        TextTest::StartsWith => text.starts_with(&**wanted),
        TextTest::EndsWith => text.ends_with(&**wanted),
        TextTest::Contains => text.contains(&**wanted),
    })
}

/// True if an element is equal, else null if one may be, else false.
pub(crate) fn is_in(member: &Value, list: &[Value]) -> Truth {
    let mut known = Some(false);
    for element in list {
        match member.equals(element) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => known = None,
        }
    }
    known
}

fn wrong<E: From<TypeError>>(part: &Part, of: &Expression, wanted: &str, found: &Value) -> E {
    let what = format!(
        "this is {} where {wanted} should be",
        with_article(found.type_name())
    );
    E::from(TypeError::new(&of.text, &part.at, what))
}
