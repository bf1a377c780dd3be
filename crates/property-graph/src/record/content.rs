//! Content of a record. Which versions of it exist is the table's business.

use std::fmt;
use std::sync::Arc;

use crate::bytes::Wrong;
use crate::dictionary::{Dictionary, LabelCode, Names, TypeCode};
use crate::value::Properties;

/// A node as of some commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeRecord {
    /// Ascending, without duplicates.
    pub labels: Vec<LabelCode>,
    /// Without nulls.
    pub properties: Properties,
}

/// A relationship as of some commit. Its type and end nodes never change.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipRecord {
    /// The type.
    pub kind: TypeCode,
    /// The node it leaves.
    pub source: u32,
    /// The node it enters.
    pub target: u32,
    /// Without nulls.
    pub properties: Properties,
}

/// The part of a record in its own 32 bytes, beside commits and the place of its
/// properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fixed {
    /// Of a relationship, its type.
    pub(crate) kind: u16,
    /// Of a relationship, its source; of a node, the code of its set of labels.
    pub(crate) first: u32,
    /// Of a relationship, its target.
    pub(crate) second: u32,
}

/// Types, sources and targets of relationships, one a row.
pub(crate) type EndColumns<'a> = (&'a mut Vec<TypeCode>, &'a mut Vec<u32>, &'a mut Vec<u32>);

impl Fixed {
    /// The code of a type or of a set of labels.
    pub(super) fn subject(self, of: EntityKind) -> i64 {
        match of {
            EntityKind::Node => self.first.into(),
            EntityKind::Relationship => self.kind.into(),
        }
    }
}

/// Kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityKind {
    /// Nodes.
    Node,
    /// Relationships.
    Relationship,
}

impl fmt::Display for EntityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EntityKind::Node => "node",
            EntityKind::Relationship => "relationship",
        })
    }
}

/// Records of tables: nodes or relationships.
pub(crate) trait Record:
    Clone + PartialEq + fmt::Debug + Send + Sync + Sized + 'static
{
    const KIND: EntityKind;

    /// Begins each chunk of the table.
    const MAGIC: [u8; 4];

    /// The record's own bytes. `None` if the dictionary has no room.
    fn to_fixed(&self, dictionary: &Dictionary) -> Option<Fixed>;

    fn properties(&self) -> &Properties;

    /// Whether it has the labels, or the type, of another one.
    fn has_subject_of(&self, other: &Self) -> bool;

    /// The same record with other properties.
    fn with_properties(&self, properties: Properties) -> Self;

    /// A record as it was stored.
    ///
    /// # Errors
    /// Reason why it cannot be read, for a message.
    fn from_stored(
        fixed: Fixed,
        properties: Properties,
        dictionary: &Dictionary,
    ) -> Result<Self, &'static str>;

    /// Bytes of DRAM that it holds beside itself, about.
    fn heap_bytes(&self) -> usize;

    /// Whether commits have assigned all the codes in it.
    ///
    /// # Errors
    /// Kind of the unknown code, for a message.
    fn check_names(&self, dictionary: &Dictionary) -> Result<(), &'static str>;
}

fn check_keys(properties: &Properties, dictionary: &Dictionary) -> Result<(), Wrong> {
    let is_known = |key| dictionary.name(Names::Keys, key).is_some();
    match properties.iter().all(|(key, _)| is_known(key)) {
        true => Ok(()),
        false => Err("it has a property whose key is not known"),
    }
}

pub(super) fn labels(fixed: Fixed, dictionary: &Dictionary) -> Result<Arc<[LabelCode]>, Wrong> {
    let labels = dictionary.label_set(fixed.first);
    labels.ok_or("a node has a set of labels that is not known")
}

impl Record for NodeRecord {
    const KIND: EntityKind = EntityKind::Node;

    const MAGIC: [u8; 4] = *b"ENOD";

    fn to_fixed(&self, dictionary: &Dictionary) -> Option<Fixed> {
        Some(Fixed {
            kind: 0,
            first: dictionary.label_set_code(&self.labels)?,
            second: 0,
        })
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn has_subject_of(&self, other: &Self) -> bool {
        self.labels == other.labels
    }

    fn with_properties(&self, properties: Properties) -> Self {
        NodeRecord {
            labels: self.labels.clone(),
            properties,
        }
    }

    fn from_stored(
        fixed: Fixed,
        properties: Properties,
        dictionary: &Dictionary,
    ) -> Result<Self, Wrong> {
        Ok(NodeRecord {
            labels: labels(fixed, dictionary)?.to_vec(),
            properties,
        })
    }

    fn heap_bytes(&self) -> usize {
        self.labels.capacity() * size_of::<LabelCode>() + self.properties.heap_bytes()
    }

    fn check_names(&self, dictionary: &Dictionary) -> Result<(), Wrong> {
        let is_known = |&label: &LabelCode| dictionary.name(Names::Labels, label).is_some();
        match self.labels.iter().all(is_known) {
            true => check_keys(&self.properties, dictionary),
            false => Err("it has a label that is not known"),
        }
    }
}

impl Record for RelationshipRecord {
    const KIND: EntityKind = EntityKind::Relationship;

    const MAGIC: [u8; 4] = *b"EREL";

    fn to_fixed(&self, _: &Dictionary) -> Option<Fixed> {
        Some(Fixed {
            kind: self.kind,
            first: self.source,
            second: self.target,
        })
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn has_subject_of(&self, other: &Self) -> bool {
        self.kind == other.kind
    }

    fn with_properties(&self, properties: Properties) -> Self {
        RelationshipRecord {
            properties,
            ..*self
        }
    }

    fn from_stored(fixed: Fixed, properties: Properties, _: &Dictionary) -> Result<Self, Wrong> {
        Ok(RelationshipRecord {
            kind: fixed.kind,
            source: fixed.first,
            target: fixed.second,
            properties,
        })
    }

    fn heap_bytes(&self) -> usize {
        self.properties.heap_bytes()
    }

    fn check_names(&self, dictionary: &Dictionary) -> Result<(), Wrong> {
        match dictionary.name(Names::Types, self.kind.into()) {
            Some(_) => check_keys(&self.properties, dictionary),
            None => Err("its type is not known"),
        }
    }
}
