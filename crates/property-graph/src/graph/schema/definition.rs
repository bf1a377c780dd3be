//! Definitions of indexes and constraints.

use std::fmt::{self, Display, Formatter};

use evergraph_storage::StorageError;

use crate::dictionary::{Dictionary, KeyCode, LabelCode, Names, TypeCode};
use crate::value::Value;

/// In the byte of the rule: the definition is about relationships.
const RELATIONSHIPS: u8 = 1 << 7;
/// In the byte of the rule: existing records have not all been held to it yet.
const UNCONFIRMED: u8 = 1 << 6;

/// Rule for the nodes of a label, or for the relationships of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Nothing: they are found fast by these properties.
    Index,
    /// No two of them that have all these properties have the same values.
    Unique,
    /// All of them have these properties.
    Exists,
    /// All of them have these properties, and no two the same values.
    Key,
    /// The values of these properties, if there are any, are of one type.
    Type(ValueType),
}

/// Types of values that a constraint can ask for, with their numbers in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// True or false.
    Boolean = 0,
    /// Whole numbers.
    Integer = 1,
    /// Floating-point numbers.
    Float = 2,
    /// Texts.
    Text = 3,
    /// Bytes.
    Bytes = 4,
    /// Lists.
    List = 5,
    /// Maps.
    Map = 6,
    /// Days.
    Date = 7,
    /// Times with an offset.
    Time = 8,
    /// Times.
    LocalTime = 9,
    /// Instants.
    DateTime = 10,
    /// Days and times.
    LocalDateTime = 11,
    /// Durations.
    Duration = 12,
    /// Places.
    Point = 13,
}

/// Subject of an index or a constraint, in names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The nodes with this label.
    Nodes(String),
    /// The relationships of this type.
    Relationships(String),
}

/// An index or a constraint, in names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name, which no other has.
    pub name: String,
    /// Label or type that it applies to.
    pub subject: Subject,
    /// The properties, in the order in which an index has them.
    pub keys: Vec<String>,
    /// Rule that it states.
    pub rule: Rule,
}

/// How far an index or a constraint is; shown as Neo4j's states are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinitionState {
    /// Existing records are being read, and new writes are held to it already, except for
    /// uniqueness: that is checked before it goes online.
    Populating,
    /// It holds for everything.
    Online,
    /// It could not be made, for this reason. Nothing is held to it, and its name is
    /// free.
    Failed(String),
}

impl Display for DefinitionState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DefinitionState::Populating => "POPULATING",
            DefinitionState::Online => "ONLINE",
            DefinitionState::Failed(_) => "FAILED",
        })
    }
}

/// Subject of an index or a constraint, in codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::graph) enum SubjectCode {
    /// Nodes with a label.
    Label(LabelCode),
    /// Relationships of a type.
    Type(TypeCode),
}

/// An index or a constraint, in codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::graph) struct Stored {
    pub(in crate::graph) name: String,
    pub(in crate::graph) subject: SubjectCode,
    pub(in crate::graph) keys: Vec<KeyCode>,
    pub(in crate::graph) rule: Rule,
}

impl Definition {
    /// Of the nodes of a label.
    pub fn of_nodes(name: &str, label: &str, keys: &[&str], rule: Rule) -> Self {
        Self::of(name, Subject::Nodes(label.to_string()), keys, rule)
    }

    /// Of the relationships of a type.
    pub fn of_relationships(name: &str, kind: &str, keys: &[&str], rule: Rule) -> Self {
        Self::of(name, Subject::Relationships(kind.to_string()), keys, rule)
    }

    /// Whether another one says the same, under whatever name.
    pub fn is_same_rule(&self, other: &Definition) -> bool {
        (&self.subject, &self.keys, self.rule) == (&other.subject, &other.keys, other.rule)
    }

    fn of(name: &str, subject: Subject, keys: &[&str], rule: Rule) -> Self {
        Definition {
            name: name.to_string(),
            subject,
            keys: keys.iter().map(|key| key.to_string()).collect(),
            rule,
        }
    }
}

impl Rule {
    /// Whether an index belongs to it.
    pub fn has_index(self) -> bool {
        matches!(self, Rule::Index | Rule::Unique | Rule::Key)
    }

    /// Whether no two of them may have the same values.
    pub fn is_unique(self) -> bool {
        matches!(self, Rule::Unique | Rule::Key)
    }

    /// Whether the properties have to be there.
    pub fn is_existence(self) -> bool {
        matches!(self, Rule::Exists | Rule::Key)
    }

    fn to_number(self) -> u8 {
        match self {
            Rule::Index => 0,
            Rule::Unique => 1,
            Rule::Exists => 2,
            Rule::Key => 3,
            Rule::Type(of) => 16 + of as u8,
        }
    }

    fn from_number(number: u8) -> Option<Self> {
        const TYPES: [ValueType; 14] = [
            ValueType::Boolean,
            ValueType::Integer,
            ValueType::Float,
            ValueType::Text,
            ValueType::Bytes,
            ValueType::List,
            ValueType::Map,
            ValueType::Date,
            ValueType::Time,
            ValueType::LocalTime,
            ValueType::DateTime,
            ValueType::LocalDateTime,
            ValueType::Duration,
            ValueType::Point,
        ];
        Some(match number {
            0 => Rule::Index,
            1 => Rule::Unique,
            2 => Rule::Exists,
            3 => Rule::Key,
            _ => Rule::Type(*TYPES.get(usize::from(number.checked_sub(16)?))?),
        })
    }
}

impl ValueType {
    /// Whether a value has this type.
    pub fn is_of(self, value: &Value) -> bool {
        match self {
            ValueType::Boolean => matches!(value, Value::Boolean(_)),
            ValueType::Integer => matches!(value, Value::Integer(_)),
            ValueType::Float => matches!(value, Value::Float(_)),
            ValueType::Text => matches!(value, Value::Text(_)),
            ValueType::Bytes => matches!(value, Value::Bytes(_)),
            ValueType::List => matches!(value, Value::List(_)),
            ValueType::Map => matches!(value, Value::Map(_)),
            ValueType::Date => matches!(value, Value::Date(_)),
            ValueType::Time => matches!(value, Value::Time(_)),
            ValueType::LocalTime => matches!(value, Value::LocalTime(_)),
            ValueType::DateTime => matches!(value, Value::DateTime(_)),
            ValueType::LocalDateTime => matches!(value, Value::LocalDateTime(_)),
            ValueType::Duration => matches!(value, Value::Duration(_)),
            ValueType::Point => matches!(value, Value::Point(_)),
        }
    }
}

impl Display for ValueType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueType::Boolean => "boolean",
            ValueType::Integer => "integer",
            ValueType::Float => "float",
            ValueType::Text => "text",
            ValueType::Bytes => "bytes",
            ValueType::List => "list",
            ValueType::Map => "map",
            ValueType::Date => "date",
            ValueType::Time => "time",
            ValueType::LocalTime => "localtime",
            ValueType::DateTime => "datetime",
            ValueType::LocalDateTime => "localdatetime",
            ValueType::Duration => "duration",
            ValueType::Point => "point",
        })
    }
}

impl Stored {
    /// The same in names.
    pub(crate) fn named(&self, dictionary: &Dictionary) -> Definition {
        let name = |names, code| {
            let name = dictionary.name(names, code);
            name.map_or_else(String::new, |name| name.to_string())
        };
        Definition {
            name: self.name.clone(),
            subject: match self.subject {
                SubjectCode::Label(label) => Subject::Nodes(name(Names::Labels, label)),
                SubjectCode::Type(kind) => Subject::Relationships(name(Names::Types, kind.into())),
            },
            keys: self
                .keys
                .iter()
                .map(|&key| name(Names::Keys, key))
                .collect(),
            rule: self.rule,
        }
    }

    /// Rule (1 byte; the highest bit: of relationships; the next: existing records have
    /// not all been held to it), label or type (4), number of keys (4), each key (4),
    /// name in UTF-8.
    pub(crate) fn encode(&self, is_confirmed: bool) -> Vec<u8> {
        let (about, code) = match self.subject {
            SubjectCode::Label(label) => (0, label),
            SubjectCode::Type(kind) => (RELATIONSHIPS, u32::from(kind)),
        };
        let unconfirmed = if is_confirmed { 0 } else { UNCONFIRMED };
        let mut bytes = vec![self.rule.to_number() | about | unconfirmed];
        bytes.extend_from_slice(&code.to_le_bytes());
        bytes.extend_from_slice(&(self.keys.len() as u32).to_le_bytes());
        for key in &self.keys {
            bytes.extend_from_slice(&key.to_le_bytes());
        }
        bytes.extend_from_slice(self.name.as_bytes());
        bytes
    }

    /// Decodes the output of [`Stored::encode`]; also whether it is online.
    pub(crate) fn decode(bytes: &[u8]) -> Result<(Self, bool), StorageError> {
        let decoded = Self::decode_checked(bytes);
        decoded.ok_or_else(|| {
            let what = "the definition of an index or a constraint does not decode";
            StorageError::damaged("log", 0, what)
        })
    }

    fn decode_checked(bytes: &[u8]) -> Option<(Self, bool)> {
        let (&rule, rest) = bytes.split_first()?;
        let number = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?));
        let (code, rest) = rest.split_at_checked(4)?;
        let (count, rest) = rest.split_at_checked(4)?;
        let len = (number(count)? as usize).checked_mul(4)?;
        let (keys, name) = rest.split_at_checked(len)?;
        let stored = Stored {
            name: std::str::from_utf8(name).ok()?.to_string(),
            subject: match rule & RELATIONSHIPS {
                0 => SubjectCode::Label(number(code)?),
                _ => SubjectCode::Type(TypeCode::try_from(number(code)?).ok()?),
            },
            keys: keys.chunks_exact(4).filter_map(number).collect(),
            rule: Rule::from_number(rule & !RELATIONSHIPS & !UNCONFIRMED)?,
        };
        Some((stored, rule & UNCONFIRMED == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pins the numbers in databases of version 4 of the format.
    #[test]
    fn numbers_of_rules_are_pinned() {
        let types = [
            (ValueType::Boolean, 16),
            (ValueType::Integer, 17),
            (ValueType::Float, 18),
            (ValueType::Text, 19),
            (ValueType::Bytes, 20),
            (ValueType::List, 21),
            (ValueType::Map, 22),
            (ValueType::Date, 23),
            (ValueType::Time, 24),
            (ValueType::LocalTime, 25),
            (ValueType::DateTime, 26),
            (ValueType::LocalDateTime, 27),
            (ValueType::Duration, 28),
            (ValueType::Point, 29),
        ];
        let rules = [
            (Rule::Index, 0),
            (Rule::Unique, 1),
            (Rule::Exists, 2),
            (Rule::Key, 3),
        ];
        let types = types.map(|(of, number)| (Rule::Type(of), number));
        for (rule, number) in rules.into_iter().chain(types) {
            assert_eq!(rule.to_number(), number, "{rule:?}");
            assert_eq!(Rule::from_number(number), Some(rule));
        }
        assert_eq!([4, 15, 30].map(Rule::from_number), [None; 3]);
    }

    #[test]
    fn the_bytes_of_a_definition_are_pinned() {
        let stored = |subject| Stored {
            name: "ab".to_string(),
            subject,
            keys: vec![7, 8],
            rule: Rule::Unique,
        };
        let of_nodes = stored(SubjectCode::Label(5)).encode(true);
        let rest = [5, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, b'a', b'b'];
        assert_eq!(of_nodes, [&[1][..], &rest].concat());
        let of_relationships = stored(SubjectCode::Type(5)).encode(false);
        assert_eq!(of_relationships, [&[0xc1][..], &rest].concat());
    }
}
