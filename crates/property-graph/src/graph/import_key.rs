//! Keys of imports: the property that tells the nodes of a label apart, held by a
//! constraint.

use std::fmt;
use std::str::FromStr;

use super::PropertyGraph;
use super::schema::{Definition, Subject};

/// Names of the constraints that hold keys begin so; the key as a text follows. Later
/// imports find their keys by them.
const CONSTRAINT: &str = "import key ";

/// The property that tells the nodes of a label apart, also from those of earlier
/// imports; and the id space in which files name them.
///
/// As a text `Person.id`, or `Person-ID=Person.id` where the space is not called as the
/// label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportKey {
    /// The id space.
    pub space: String,
    /// Label of the nodes.
    pub label: String,
    /// The property.
    pub property: String,
}

impl FromStr for ImportKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (space, rest) = match text.split_once('=') {
            Some((space, rest)) => (Some(space), rest),
            None => (None, text),
        };
        match rest.split_once('.') {
            Some((label, property)) if !label.is_empty() && !property.is_empty() => Ok(ImportKey {
                space: space.unwrap_or(label).to_string(),
                label: label.to_string(),
                property: property.to_string(),
            }),
            _ => Err("a key is a label and a property, as in Person.id".to_string()),
        }
    }
}

impl fmt::Display for ImportKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.space != self.label {
            write!(f, "{}=", self.space)?;
        }
        write!(f, "{}.{}", self.label, self.property)
    }
}

impl ImportKey {
    /// Name of the constraint that holds it.
    pub fn constraint(&self) -> String {
        format!("{CONSTRAINT}{self}")
    }

    /// Whether a constraint makes values of the key unique, and so has an index of them.
    pub fn is_held_by(&self, definition: &Definition) -> bool {
        definition.rule.is_unique()
            && definition.subject == Subject::Nodes(self.label.clone())
            && matches!(&definition.keys[..], [property] if *property == self.property)
    }

    /// The keys that the constraints of a graph hold.
    pub fn all_of(graph: &PropertyGraph) -> Vec<ImportKey> {
        let definitions = graph.definitions().into_iter();
        let keys = definitions.filter_map(|definition| {
            let stored = definition.name.strip_prefix(CONSTRAINT)?;
            let key = stored.parse::<ImportKey>().ok()?;
            key.is_held_by(&definition).then_some(key)
        });
        keys.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_they_are_read() {
        for text in ["Person.id", "Person-ID=Person.id", "=Person.id", "P.a.b"] {
            assert_eq!(text.parse::<ImportKey>().unwrap().to_string(), text);
        }
        for text in ["", "Person", ".id", "Person.", "a=Person", "a=.id"] {
            assert!(text.parse::<ImportKey>().is_err(), "{text}");
        }
    }
}
