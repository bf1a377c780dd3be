//! Types of values, as statements name them.

use std::fmt;

/// A set of types, as a definition says what it takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Types(u32);

/// Names of the types, by their bits, in the order in which Neo4j lists them.
const NAMES: [&str; 18] = [
    "NULL",
    "BOOLEAN",
    "STRING",
    "INTEGER",
    "FLOAT",
    "DATE",
    "LOCAL TIME",
    "ZONED TIME",
    "LOCAL DATETIME",
    "ZONED DATETIME",
    "DURATION",
    "POINT",
    "NODE",
    "RELATIONSHIP",
    "MAP",
    "LIST",
    "PATH",
    "BYTES",
];

impl Types {
    /// Null alone.
    pub const NULL: Types = Types(1);
    /// True and false.
    pub const BOOLEAN: Types = Types(1 << 1);
    /// Texts.
    pub const STRING: Types = Types(1 << 2);
    /// Integers.
    pub const INTEGER: Types = Types(1 << 3);
    /// Floats.
    pub const FLOAT: Types = Types(1 << 4);
    /// Dates.
    pub const DATE: Types = Types(1 << 5);
    /// Times of day without an offset.
    pub const LOCAL_TIME: Types = Types(1 << 6);
    /// Times of day with an offset.
    pub const TIME: Types = Types(1 << 7);
    /// Dates with times, without an offset.
    pub const LOCAL_DATETIME: Types = Types(1 << 8);
    /// Instants.
    pub const DATETIME: Types = Types(1 << 9);
    /// Durations.
    pub const DURATION: Types = Types(1 << 10);
    /// Points.
    pub const POINT: Types = Types(1 << 11);
    /// Nodes.
    pub const NODE: Types = Types(1 << 12);
    /// Relationships.
    pub const RELATIONSHIP: Types = Types(1 << 13);
    /// Maps.
    pub const MAP: Types = Types(1 << 14);
    /// Lists.
    pub const LIST: Types = Types(1 << 15);
    /// Paths.
    pub const PATH: Types = Types(1 << 16);
    /// Raw bytes.
    pub const BYTES: Types = Types(1 << 17);
    /// Integers and floats.
    pub const NUMBER: Types = Types::INTEGER.or(Types::FLOAT);
    /// Nodes and relationships.
    pub const ENTITY: Types = Types::NODE.or(Types::RELATIONSHIP);
    /// Dates, times and instants.
    pub const INSTANT: Types = Types(0b11111 << 5);
    /// Values that a property can have, but for lists of them.
    pub const PROPERTY: Types = Types::BOOLEAN
        .or(Types::STRING)
        .or(Types::NUMBER)
        .or(Types::INSTANT)
        .or(Types::DURATION)
        .or(Types::POINT)
        .or(Types::BYTES);
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
}

/// `INTEGER | FLOAT`; all of them are `ANY`, none `NOTHING`.
impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Types::ANY {
            return f.write_str("ANY");
        }
        if *self == Types::NONE {
            return f.write_str("NOTHING");
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

/// `INTEGER NOT NULL | LIST<STRING>`: a value of any of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataType {
    /// At least one.
    pub any_of: Vec<OneType>,
}

/// An alternative of a [`DataType`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OneType {
    /// The type itself, all of them, or none.
    pub types: Types,
    /// Of the elements of a list; any without it.
    pub element: Option<Box<DataType>>,
    /// Whether null is none of its values.
    pub not_null: bool,
}

impl OneType {
    /// `PROPERTY VALUE`: values that a property can have, and lists of such that are no
    /// lists.
    pub fn property_value(not_null: bool) -> Self {
        OneType {
            types: Types::PROPERTY.or(Types::LIST),
            element: Some(Box::new(DataType::of(Types::PROPERTY, true))),
            not_null,
        }
    }

    fn is_property_value(&self) -> bool {
        self.types == Types::PROPERTY.or(Types::LIST)
    }
}

impl DataType {
    /// A type without parts.
    pub fn of(types: Types, not_null: bool) -> Self {
        let element = None;
        DataType {
            any_of: vec![OneType {
                types,
                element,
                not_null,
            }],
        }
    }

    fn alternatives(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, one) in self.any_of.iter().enumerate() {
            let before = if number > 0 { " | " } else { "" };
            write!(f, "{before}{one}")?;
        }
        Ok(())
    }
}

/// Alternatives stand in `ANY<...>`, so that a bar behind them is none of theirs.
impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.any_of.len() == 1 {
            return self.alternatives(f);
        }
        f.write_str("ANY<")?;
        self.alternatives(f)?;
        f.write_str(">")
    }
}

impl fmt::Display for OneType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_property_value() {
            f.write_str("PROPERTY VALUE")?;
        } else {
            self.types.fmt(f)?;
            if let Some(element) = &self.element {
                f.write_str("<")?;
                element.alternatives(f)?;
                f.write_str(">")?;
            }
        }
        f.write_str(if self.not_null { " NOT NULL" } else { "" })
    }
}
