//! The columns of files that declare them before the first row.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::{InterchangeError, PropertyType, Scalar};

/// The properties of some rows and their types, gathered in a first pass over what
/// is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// `None` as long as only empty lists were seen.
    types: BTreeMap<Arc<str>, Vec<Option<PropertyType>>>,
    mixed: bool,
}

impl Columns {
    /// No columns, each of which will have one type and a name of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// No columns, of which several may have one name, each with a type of its own.
    pub fn mixed() -> Self {
        Columns {
            mixed: true,
            ..Self::default()
        }
    }

    /// Adds the properties of a row.
    ///
    /// # Errors
    /// [`InterchangeError::Unwritable`] if a property has another type than in a row
    /// before, or one that no column has: a map, a list of lists or of several types.
    pub fn observe(&mut self, properties: &[(Arc<str>, Value)]) -> Result<(), InterchangeError> {
        let mut properties = properties.iter();
        properties.try_for_each(|(name, value)| self.observe_one(name, value))
    }

    /// Adds one property.
    ///
    /// # Errors
    /// As [`Columns::observe`].
    pub fn observe_one(&mut self, name: &Arc<str>, value: &Value) -> Result<(), InterchangeError> {
        if value.is_null() {
            return Ok(());
        }
        let unwritable = |problem| InterchangeError::unwritable(FORMAT, &**name, problem);
        let found = column_type(value).map_err(unwritable)?;
        let known = self.types.entry(name.clone()).or_default();
        for kind in known.iter_mut() {
            if let Some(joined) = joined(*kind, found) {
                *kind = joined;
                return Ok(());
            }
        }
        match known.first() {
            Some(first) if !self.mixed => {
                let (first, found) = (shown(*first), shown(found));
                let problem = format!("it is a {first} in one row and a {found} in another");
                Err(unwritable(problem))
            }
            _ => {
                known.push(found);
                Ok(())
            }
        }
    }

    /// The columns by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, PropertyType)> {
        let any = PropertyType {
            scalar: Scalar::Text,
            list: true,
        };
        let types = self.types.iter();
        types.flat_map(move |(name, types)| {
            types.iter().map(move |kind| (name, kind.unwrap_or(any)))
        })
    }

    pub(super) fn to_vec(&self) -> Vec<(Arc<str>, PropertyType)> {
        let columns = self.iter().map(|(name, kind)| (name.clone(), kind));
        columns.collect()
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
