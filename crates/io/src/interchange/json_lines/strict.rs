//! JSON of which nothing is dropped: an object that names a member twice is an error.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use crate::interchange::types::shown;

/// Parses one value.
///
/// # Errors
/// What is no JSON, or has a member twice.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Json> {
    serde_json::from_slice(text).map(|Strict(json)| json)
}

struct Strict(Json);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Parts).map(Strict)
    }
}

struct Parts;

impl<'de> Visitor<'de> for Parts {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = from.next_element()? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut members = Map::new();
        while let Some((name, Strict(value))) = from.next_entry::<String, Strict>()? {
            if members.contains_key(&name) {
                let problem = format!("the member {} comes twice", shown(&name));
                return Err(A::Error::custom(problem));
            }
            members.insert(name, value);
        }
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_library() {
        for text in [
            "null",
            "[true,-0.0,1e300,18446744073709551615,-9223372036854775808,123456789012345678901]",
            r#"{"a":{"a":[]},"b":"\u00e9\n","":{}}"#,
            "[1,",
            "1e400",
            r#"{"a" 1}"#,
        ] {
            let (found, library) = (parse(text.as_bytes()), serde_json::from_str::<Json>(text));
            match (found, library) {
                (Ok(found), Ok(library)) => assert_eq!(found, library, "{text}"),
                (Err(found), Err(library)) => {
                    assert_eq!(found.to_string(), library.to_string(), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_member_comes_once() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"c":2,"\u0061":3}}]"#] {
            let problem = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(
                problem.contains("the member \"a\" comes twice"),
                "{problem}"
            );
        }
    }
}
