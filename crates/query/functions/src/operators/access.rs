//! Elements of lists, entries of maps, properties.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::Entity;
use evergraph_syntax::with_article;

use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};
use crate::temporal::component;

/// `datum.key`: of a node or relationship, a map, a temporal or spatial value; null of null,
/// and where there is no such key.
///
/// # Errors
/// A value of another type; a component that temporal or spatial values of the type do not
/// have.
pub fn property(
    datum: &Datum,
    key: &str,
    environment: &Environment<'_>,
) -> Result<Datum, EvaluationError> {
    Ok(Datum::Value(match datum {
        Datum::Node(node) => environment.entities.property(Entity::Node(*node), key)?,
        Datum::Relationship(relationship) => {
            let entity = Entity::Relationship(*relationship);
            environment.entities.property(entity, key)?
        }
        Datum::Map(entries) => return Ok(entries.get(key).cloned().unwrap_or_default()),
        Datum::Value(Value::Null) => Value::Null,
        Datum::Value(Value::Map(entries)) => entries.get(key).cloned().unwrap_or_default(),
        Datum::Value(value) => {
            let found = component(value, key).ok_or_else(|| no_properties(datum, key))?;
            found.ok_or_else(|| no_component(datum, key))?
        }
        _ => return Err(no_properties(datum, key)),
    }))
}

fn no_properties(datum: &Datum, key: &str) -> EvaluationError {
    let message = format!(
        "{} has no properties, as .{key}",
        with_article(datum.type_name())
    );
    EvaluationError::new(ErrorKind::InvalidArgumentType, message)
}

fn no_component(datum: &Datum, key: &str) -> EvaluationError {
    let of = with_article(datum.type_name());
    let message = format!("{of} has no component .{key}");
    EvaluationError::new(ErrorKind::InvalidArgumentType, message)
}

/// `datum[at]`: an element of a list, negative from its end, null outside of it; else a
/// property by its name.
///
/// # Errors
/// A value that is no list, map, node or relationship, or an index of another type.
pub fn index(
    datum: &Datum,
    at: &Datum,
    environment: &Environment<'_>,
) -> Result<Datum, EvaluationError> {
    let has_properties = matches!(
        datum,
        Datum::Node(_) | Datum::Relationship(_) | Datum::Map(_) | Datum::Value(Value::Map(_))
    );
    if let Some(elements) = datum.elements() {
        return match at {
            Datum::Value(Value::Null) => Ok(Datum::NULL),
            Datum::Value(Value::Integer(at)) => {
                let place = place(*at, elements.len());
                Ok(place.and_then(|at| elements.get(at)).unwrap_or_default())
            }
            other => {
                let kind = ErrorKind::ListElementAccessByNonInteger;
                Err(EvaluationError::expected(kind, "an INTEGER in []", other))
            }
        };
    }
    match (datum, at) {
        (Datum::Value(Value::Null), _) => Ok(Datum::NULL),
        _ if !has_properties => {
            let wanted = "a LIST or a MAP before []";
            let kind = ErrorKind::InvalidArgumentType;
            Err(EvaluationError::expected(kind, wanted, datum))
        }
        (_, Datum::Value(Value::Null)) => Ok(Datum::NULL),
        (_, Datum::Value(Value::Text(key))) => property(datum, key, environment),
        (_, other) => {
            let kind = ErrorKind::MapElementAccessByNonString;
            Err(EvaluationError::expected(kind, "a STRING in []", other))
        }
    }
}

/// A place from the beginning, of one that is negative where it counts from the end.
fn place(at: i64, len: usize) -> Option<usize> {
    match at {
        0.. => usize::try_from(at).ok(),
        _ => len.checked_sub(usize::try_from(at.unsigned_abs()).ok()?),
    }
}

/// `list[from..to]`: elements from one to before the other, negative from the end; what is
/// outside is left out. A bound that is not written is `None`; null gives null.
///
/// # Errors
/// A value that is no list, or a bound that is no integer.
pub fn slice(
    list: &Datum,
    from: Option<&Datum>,
    to: Option<&Datum>,
) -> Result<Datum, EvaluationError> {
    let bounds = [from, to].into_iter().flatten();
    if list.is_null() || bounds.clone().any(Datum::is_null) {
        return Ok(Datum::NULL);
    }
    let Some(elements) = list.elements() else {
        let kind = ErrorKind::InvalidArgumentType;
        return Err(EvaluationError::expected(kind, "a LIST before [..]", list));
    };
    let len = elements.len();
    let bound = |bound: Option<&Datum>, absent: usize| match bound {
        None => Ok(absent),
        Some(Datum::Value(Value::Integer(at))) => Ok(place(*at, len).unwrap_or(0).min(len)),
        Some(other) => {
            let kind = ErrorKind::ListElementAccessByNonInteger;
            Err(EvaluationError::expected(kind, "an INTEGER in [..]", other))
        }
    };
    let (from, to) = (bound(from, 0)?, bound(to, len)?);
    Ok(elements.slice(from..to.max(from)))
}
