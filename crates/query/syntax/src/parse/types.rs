//! Names of types.

use super::{DEEPEST, Parsed, Parser};
use crate::error::Detail;
use crate::tree::{DataType, OneType, Types};

/// Names of each, the longer ones before those that they begin with.
#[rustfmt::skip] // Rows of a table.
const NAMES: [(Types, &[&str]); 21] = [
    (Types::BOOLEAN, &["BOOLEAN", "BOOL"]),
    (Types::STRING, &["STRING", "VARCHAR"]),
    (Types::INTEGER, &["SIGNED INTEGER", "INTEGER64", "INTEGER", "INT64", "INT"]),
    (Types::FLOAT, &["FLOAT64", "FLOAT"]),
    (Types::DATE, &["DATE"]),
    (Types::LOCAL_TIME, &["LOCAL TIME", "TIME WITHOUT TIMEZONE", "TIME WITHOUT TIME ZONE"]),
    (Types::TIME, &["ZONED TIME", "TIME WITH TIMEZONE", "TIME WITH TIME ZONE", "TIME"]),
    (Types::LOCAL_DATETIME, &[
        "LOCAL DATETIME", "TIMESTAMP WITHOUT TIMEZONE", "TIMESTAMP WITHOUT TIME ZONE",
    ]),
    (Types::DATETIME, &[
        "ZONED DATETIME", "TIMESTAMP WITH TIMEZONE", "TIMESTAMP WITH TIME ZONE", "DATETIME",
    ]),
    (Types::DURATION, &["DURATION"]),
    (Types::POINT, &["POINT"]),
    (Types::NODE, &["NODE", "VERTEX"]),
    (Types::RELATIONSHIP, &["RELATIONSHIP", "EDGE"]),
    (Types::MAP, &["MAP"]),
    (Types::PATH, &["PATH"]),
    (Types::LIST, &["LIST", "ARRAY"]),
    (Types::BYTES, &["BYTES"]),
    (Types::NULL, &["NULL"]),
    (Types::NONE, &["NOTHING"]),
    (Types::PROPERTY, &["PROPERTY VALUE"]),
    (Types::ANY, &["VALUE", "ANY"]),
];

/// Names that may stand behind `ANY`.
#[rustfmt::skip] // Words of a table.
const BEHIND_ANY: [&str; 7] = [
    "NODE", "VERTEX", "RELATIONSHIP", "EDGE", "MAP", "PROPERTY", "VALUE",
];

impl Parser<'_> {
    /// `INTEGER NOT NULL | LIST<STRING>`
    pub(super) fn data_type(&mut self) -> Parsed<DataType> {
        let mut any_of = Vec::new();
        self.deeper(|parser| parser.alternatives(&mut any_of))?;
        Ok(DataType { any_of })
    }

    fn alternatives(&mut self, any_of: &mut Vec<OneType>) -> Parsed<()> {
        let start = self.at();
        loop {
            let first = any_of.len();
            self.one_type(any_of)?;
            self.lists_of(any_of, first)?;
            if self.bar_ends || !self.take("|") {
                break;
            }
        }
        if any_of
            .windows(2)
            .any(|two| two[0].not_null != two[1].not_null)
        {
            let what = "some of the types take null, and others do not";
            let hint = "write NOT NULL behind each, or behind none";
            let at = self.since(start);
            return Err(self.problem(Detail::UnexpectedSyntax, at, what, hint));
        }
        Ok(())
    }

    /// `INTEGER LIST` is `LIST<INTEGER>`.
    fn lists_of(&mut self, any_of: &mut Vec<OneType>, first: usize) -> Parsed<()> {
        let depth = self.depth;
        while self.is_word("LIST") || self.is_word("ARRAY") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.too_deep());
            }
            self.advance();
            let element = any_of.split_off(first);
            any_of.push(OneType {
                types: Types::LIST,
                element: Some(Box::new(DataType { any_of: element })),
                not_null: self.not_null(),
            });
        }
        self.depth = depth;
        Ok(())
    }

    fn not_null(&mut self) -> bool {
        self.take_words(&["NOT", "NULL"]) || self.take("!")
    }

    /// Adds one type, or those of `ANY<...>`.
    fn one_type(&mut self, any_of: &mut Vec<OneType>) -> Parsed<()> {
        let mut names = BEHIND_ANY.iter();
        if self.is_word("ANY") && names.any(|name| self.is_word_ahead(1, name)) {
            self.advance();
        } else if self.is_word("ANY") && self.is_ahead(1, "<") {
            self.advance();
            return self.in_angles(|parser| parser.alternatives(any_of));
        }
        let names = NAMES
            .iter()
            .flat_map(|(types, names)| names.iter().map(move |name| (*name, *types)));
        let found = names.clone().find(|(name, _)| {
            let mut words = name.split(' ').enumerate();
            words.all(|(by, word)| self.is_word_ahead(by, word))
        });
        let Some((name, types)) = found else {
            let known: Vec<&str> = names.map(|(name, _)| name).collect();
            return Err(self.unexpected("a type, such as INTEGER or LIST<STRING>,", &known));
        };
        self.place += name.split(' ').count();
        let mut element = None;
        if types == Types::LIST && self.is("<") {
            self.in_angles(|parser| {
                element = Some(Box::new(parser.data_type()?));
                Ok(())
            })?;
        }
        let not_null = self.not_null();
        any_of.push(match types == Types::PROPERTY {
            true => OneType::property_value(not_null),
            false => OneType {
                types,
                element,
                not_null,
            },
        });
        Ok(())
    }

    fn in_angles(&mut self, part: impl FnOnce(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.need("<")?;
        let outside = std::mem::replace(&mut self.bar_ends, false);
        let found = self.deeper(part);
        self.bar_ends = outside;
        found?;
        self.need(">")
    }
}
