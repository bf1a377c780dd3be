//! The columns of files that declare them before the first row.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::{InterchangeError, PropertyType, Scalar};

/// The properties of some rows and their types, gathered in a first pass over what
/// is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// `None` as long as only empty lists were seen.
    types: BTreeMap<Arc<str>, Option<PropertyType>>,
}

impl Columns {
    /// No columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the properties of a row.
    ///
    /// # Errors
    /// [`InterchangeError::Unwritable`] if a property has another type than in a row
    /// before, or one that no column has: a map, a list of lists or of several types.
    pub fn observe(&mut self, properties: &[(Arc<str>, Value)]) -> Result<(), InterchangeError> {
        for (name, value) in properties {
            if value.is_null() {
                continue;
            }
            let found = column_type(value)
                .map_err(|problem| InterchangeError::unwritable(FORMAT, &**name, problem))?;
            let known = self.types.entry(name.clone()).or_insert(found);
            *known = joined(*known, found).ok_or_else(|| {
                let problem = format!(
                    "it is a {} in one row and a {} in another",
                    shown(*known),
                    shown(found)
                );
                InterchangeError::unwritable(FORMAT, &**name, problem)
            })?;
        }
        Ok(())
    }

    /// The columns by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, PropertyType)> {
        let any = PropertyType {
            scalar: Scalar::Text,
            list: true,
        };
        self.types
            .iter()
            .map(move |(name, kind)| (name, kind.unwrap_or(any)))
    }
}

const FORMAT: &str = "a typed column";

/// The type of a column of such values; `None` for the empty list.
fn column_type(value: &Value) -> Result<Option<PropertyType>, String> {
    let Value::List(elements) = value else {
        let scalar = Scalar::of(value).ok_or("it is a map")?;
        return Ok(Some(scalar.into()));
    };
    let mut found = None;
    for element in elements.iter() {
        let scalar = Scalar::of(element).ok_or("a list in it holds a list, a map or a null")?;
        if found.is_some_and(|found| found != scalar) {
            return Err("a list in it holds values of several types".to_string());
        }
        found = Some(scalar);
    }
    Ok(found.map(|scalar| PropertyType { scalar, list: true }))
}

/// The type that both are, if there is one.
fn joined(
    known: Option<PropertyType>,
    found: Option<PropertyType>,
) -> Option<Option<PropertyType>> {
    match (known, found) {
        (None, None) => Some(None),
        // Beside an empty list.
        (Some(kind), None) | (None, Some(kind)) => kind.list.then_some(Some(kind)),
        (Some(known), Some(found)) => (known == found).then_some(Some(known)),
    }
}

fn shown(kind: Option<PropertyType>) -> String {
    kind.map_or("list".to_string(), |kind| kind.to_string())
}
