//! Types of arguments and results.

use std::fmt;

use evergraph_property_graph::Value;

use crate::datum::Datum;

/// A set of types, as a definition says what it takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types(u32);

/// Names of the types, by their bits.
const NAMES: [&str; 18] = [
    "BOOLEAN",
    "INTEGER",
    "FLOAT",
    "STRING",
    "BYTES",
    "LIST",
    "MAP",
    "NODE",
    "RELATIONSHIP",
    "PATH",
    "DATE",
    "LOCAL TIME",
    "TIME",
    "LOCAL DATETIME",
    "DATETIME",
    "DURATION",
    "POINT",
    "NULL",
];

impl Types {
    /// True and false.
    pub const BOOLEAN: Types = Types(1);
    /// Integers.
    pub const INTEGER: Types = Types(1 << 1);
    /// Floats.
    pub const FLOAT: Types = Types(1 << 2);
    /// Texts.
    pub const STRING: Types = Types(1 << 3);
    /// Raw bytes.
    pub const BYTES: Types = Types(1 << 4);
    /// Lists.
    pub const LIST: Types = Types(1 << 5);
    /// Maps.
    pub const MAP: Types = Types(1 << 6);
    /// Nodes.
    pub const NODE: Types = Types(1 << 7);
    /// Relationships.
    pub const RELATIONSHIP: Types = Types(1 << 8);
    /// Paths.
    pub const PATH: Types = Types(1 << 9);
    /// Dates.
    pub const DATE: Types = Types(1 << 10);
    /// Times of day without an offset.
    pub const LOCAL_TIME: Types = Types(1 << 11);
    /// Times of day with an offset.
    pub const TIME: Types = Types(1 << 12);
    /// Dates with times, without an offset.
    pub const LOCAL_DATETIME: Types = Types(1 << 13);
    /// Instants.
    pub const DATETIME: Types = Types(1 << 14);
    /// Durations.
    pub const DURATION: Types = Types(1 << 15);
    /// Points.
    pub const POINT: Types = Types(1 << 16);
    /// Null alone.
    pub const NULL: Types = Types(1 << 17);
    /// Integers and floats.
    pub const NUMBER: Types = Types::INTEGER.or(Types::FLOAT);
    /// Nodes and relationships.
    pub const ENTITY: Types = Types::NODE.or(Types::RELATIONSHIP);
    /// Dates, times and instants.
    pub const INSTANT: Types = Types(0b11111 << 10);
    /// None of them: what has no value but null, or an error.
    pub const NONE: Types = Types(0);
    /// All of them.
    pub const ANY: Types = Types((1 << 18) - 1);

    /// Types of either.
    pub const fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    /// Those of both.
    pub const fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    /// Whether a value of one of `others` may be of one of these.
    pub const fn overlaps(self, others: Types) -> bool {
        self.0 & others.0 != 0
    }

    /// The type of a value.
    pub fn of(datum: &Datum) -> Types {
        match datum {
            Datum::Node(_) => Types::NODE,
            Datum::Relationship(_) => Types::RELATIONSHIP,
            Datum::Path(_) => Types::PATH,
            Datum::List(_) => Types::LIST,
            Datum::Map(_) => Types::MAP,
            Datum::Value(value) => match value {
                Value::Null => Types::NULL,
                Value::Boolean(_) => Types::BOOLEAN,
                Value::Integer(_) => Types::INTEGER,
                Value::Float(_) => Types::FLOAT,
                Value::Text(_) => Types::STRING,
                Value::Bytes(_) => Types::BYTES,
                Value::List(_) => Types::LIST,
                Value::Map(_) => Types::MAP,
                Value::Date(_) => Types::DATE,
                Value::Time(_) => Types::TIME,
                Value::LocalTime(_) => Types::LOCAL_TIME,
                Value::DateTime(_) => Types::DATETIME,
                Value::LocalDateTime(_) => Types::LOCAL_DATETIME,
                Value::Duration(_) => Types::DURATION,
                Value::Point(_) => Types::POINT,
            },
        }
    }
}

/// `INTEGER | FLOAT`; all of them are `ANY`.
impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Types::ANY {
            return f.write_str("ANY");
        }
        let mut before = "";
        for (bit, name) in NAMES.iter().enumerate() {
            if self.0 >> bit & 1 == 1 {
                write!(f, "{before}{name}")?;
                before = " | ";
            }
        }
        Ok(())
    }
}
