//! Types of the columns of plain CSV, whose header declares nothing.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use evergraph_io::interchange::{PropertyType, Scalar};

use super::files::{Defaults, Source};
use super::telling::infer;
use super::{ImportKey, PropertyGraph};
use crate::{Cancellation, Error};

/// Types that the columns of plain CSV get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTypes {
    /// Whether types that the header does not declare are told from all values of the
    /// column; else they are texts.
    pub are_inferred: bool,
    /// Types of columns by name, whatever else says.
    pub given: Vec<(String, PropertyType)>,
}

impl Default for ColumnTypes {
    fn default() -> Self {
        ColumnTypes {
            are_inferred: true,
            given: Vec::new(),
        }
    }
}

impl FromStr for ColumnTypes {
    type Err = String;

    /// `text`, `zip=string,born=date`, or both.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut types = ColumnTypes::default();
        for item in text.split(',').map(str::trim) {
            match item.rsplit_once('=') {
                None if item == "text" => types.are_inferred = false,
                None if item == "infer" => types.are_inferred = true,
                Some((name, kind)) if !name.is_empty() => {
                    types.given.push((name.to_string(), kind.parse()?));
                }
                _ => return Err("expected text, or columns: zip=string,born=date".to_string()),
            }
        }
        Ok(types)
    }
}

/// A plain table, and the types that its columns got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainTable {
    /// Its parts.
    pub files: Vec<PathBuf>,
    /// Names and types of the columns.
    pub columns: Vec<(Arc<str>, PropertyType)>,
}

/// Gives the parts of one table the types of its columns. `None` if it is not plain.
///
/// # Errors
/// A part that cannot be read; [`Error::Interrupted`] if `stop` says so.
pub(super) fn tell_types(
    graph: &PropertyGraph,
    parts: &mut [Source],
    types: &ColumnTypes,
    defaults: &Defaults,
    stop: &Cancellation,
) -> Result<Option<PlainTable>, Error> {
    let Some(first) = parts.first().filter(|part| part.is_neo4j()) else {
        return Ok(None);
    };
    let reader = first.open_neo4j(defaults)?;
    if !reader.is_plain() {
        return Ok(None);
    }
    let columns = reader.plain_columns();
    let (names, declared): (Vec<Arc<str>>, Vec<Option<PropertyType>>) =
        columns.map(|(name, kind)| (Arc::clone(name), kind)).unzip();
    let mut is_told = types.are_inferred;
    let mut found = match types.are_inferred {
        true => infer(parts, defaults, stop)?,
        false => {
            let text = Scalar::Text.into();
            declared.iter().map(|kind| kind.unwrap_or(text)).collect()
        }
    };
    for (at, name) in names.iter().enumerate() {
        if declared[at].is_none()
            && let Some(stored) = stored_key(graph, &first.given.labels, name)?
        {
            is_told |= found[at] != stored;
            found[at] = stored;
        }
    }
    for (name, kind) in &types.given {
        for (_, found) in names
            .iter()
            .zip(&mut found)
            .filter(|(other, _)| ***other == **name)
        {
            *found = *kind;
            is_told = true;
        }
    }
    let shared: Arc<[PropertyType]> = found.iter().copied().collect();
    for part in parts.iter_mut().filter(|_| is_told) {
        part.given.types = Some(Arc::clone(&shared));
    }
    Ok(Some(PlainTable {
        files: parts.iter().map(|part| part.path.clone()).collect(),
        columns: names.into_iter().zip(found).collect(),
    }))
}

/// The type of a key of nodes with these labels, as the graph has it: rows with values of
/// another type would not find their nodes.
fn stored_key(
    graph: &PropertyGraph,
    labels: &[Arc<str>],
    property: &str,
) -> Result<Option<PropertyType>, Error> {
    let keys = ImportKey::all_of(graph).into_iter();
    let mut keys = keys
        .filter(|key| key.property == property && labels.iter().any(|label| **label == *key.label));
    let Some(key) = keys.next() else {
        return Ok(None);
    };
    for node in graph.view().nodes_with_label(&key.label) {
        if let Some(value) = node?.get(property) {
            let scalar = Scalar::of(value);
            let is_key = |scalar: &Scalar| matches!(scalar, Scalar::Integer | Scalar::Text);
            return Ok(scalar.filter(is_key).map(PropertyType::from));
        }
    }
    Ok(None)
}

/// Refuses types of columns that no plain table has.
///
/// # Errors
/// If there are some.
pub(super) fn check_given(types: &ColumnTypes, tables: &[PlainTable]) -> Result<(), Error> {
    let mut known: Vec<&str> = tables
        .iter()
        .flat_map(|table| table.columns.iter().map(|(name, _)| &**name))
        .collect();
    for (name, _) in &types.given {
        if known.contains(&name.as_str()) {
            continue;
        }
        known.sort_unstable();
        known.dedup();
        return Err(match known.is_empty() {
            true => Error::argument(
                format!("no file is plain CSV, which the type of column {name:?} is about"),
                "leave it out; other files say themselves what their columns hold",
            ),
            false => Error::argument(
                format!("no plain CSV has a column {name:?}"),
                format!("there are {}", known.join(", ")),
            ),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read() {
        let read = |text: &str| {
            let types: ColumnTypes = text.parse()?;
            let given = types
                .given
                .iter()
                .map(|(name, kind)| format!("{name} {kind}"));
            Ok::<_, String>((types.are_inferred, given.collect::<Vec<_>>()))
        };
        assert_eq!(read("text"), Ok((false, vec![])));
        assert_eq!(read("infer"), Ok((true, vec![])));
        let both = vec!["a b string".to_string(), "c=d long[]".to_string()];
        assert_eq!(read("a b=string, c=d=int[]"), Ok((true, both)));
        assert_eq!(read("text,a=date"), Ok((false, vec!["a date".to_string()])));
        for wrong in ["", "texts", "=long", "a=", "a=lnog", "a=long,"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
