//! Values as JSON and back.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
use serde_json::{Map, Number, Value as Json};

use crate::interchange::Scalar;
use crate::interchange::types::{shown, text_of};

/// JSON of a value, as the lines have it.
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => Json::Bool(*value),
        Value::Integer(number) => Json::from(*number),
        Value::Text(text) => Json::from(&**text),
        Value::List(elements) => elements.iter().map(to_json).collect(),
        Value::Map(entries) => map(entries),
        Value::Float(number) => match Number::from_f64(*number) {
            Some(number) => Json::Number(number),
            None => tagged(value),
        },
        other => tagged(other),
    }
}

fn tagged(value: &Value) -> Json {
    let name = match value {
        Value::Float(_) => "float",
        value => Scalar::of(value).map_or("null", Scalar::name),
    };
    let text = text_of(value).unwrap_or_default();
    Json::Object(Map::from_iter([(format!("${name}"), Json::from(&*text))]))
}

fn map(entries: &BTreeMap<Arc<str>, Value>) -> Json {
    let object: Map<String, Json> = entries
        .iter()
        .map(|(name, value)| (name.to_string(), to_json(value)))
        .collect();
    let looks_tagged = object.len() == 1 && object.keys().all(|name| name.starts_with('$'));
    match looks_tagged {
        true => Json::Object(Map::from_iter([("$map".to_string(), Json::Object(object))])),
        false => Json::Object(object),
    }
}

/// The value of JSON; the error says what it is not.
pub(crate) fn from_json(json: Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Boolean(value),
        Json::String(text) => Value::Text(text.into()),
        Json::Array(elements) => {
            let elements: Result<Vec<Value>, String> =
                elements.into_iter().map(from_json).collect();
            Value::List(elements?.into())
        }
        Json::Object(object) => from_object(object)?,
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) if number.is_f64() => Value::Float(float),
            _ => return Err(format!("{number} does not fit into 64 bits")),
        },
    })
}

fn from_object(mut object: Map<String, Json>) -> Result<Value, String> {
    let tag = match object.len() {
        1 => object
            .keys()
            .next()
            .filter(|name| name.starts_with('$'))
            .cloned(),
        _ => None,
    };
    let Some(tag) = tag else {
        return entries(object);
    };
    match (tag.as_str(), object.remove(&tag)) {
        ("$map", Some(Json::Object(object))) => entries(object),
        ("$float", Some(Json::String(text))) => Scalar::Float.read(&text),
        (_, Some(Json::String(text))) => {
            let name = tag.trim_start_matches('$');
            let tagged = [
                Scalar::Bytes,
                Scalar::Date,
                Scalar::Time,
                Scalar::LocalTime,
                Scalar::DateTime,
                Scalar::LocalDateTime,
                Scalar::Duration,
                Scalar::Point,
            ];
            match tagged.into_iter().find(|scalar| scalar.name() == name) {
                Some(scalar) => scalar.read(&text),
                None => Err(format!("{} is no type", shown(&tag))),
            }
        }
        _ => Err(format!("{} is not followed by a text", shown(&tag))),
    }
}

fn entries(object: Map<String, Json>) -> Result<Value, String> {
    let entries = object.into_iter();
    let entries: Result<BTreeMap<Arc<str>, Value>, String> = entries
        .map(|(name, json)| Ok((name.into(), from_json(json)?)))
        .collect();
    Ok(Value::Map(Arc::new(entries?)))
}
