//! Names of types.

use super::{DEEPEST, Parsed, Parser};
use crate::error::Detail;
use crate::tree::{DataType, OneType, Types};

/// Names, the longer ones before those that they begin with.
const NAMES: [(&str, Types); 42] = [
    ("BOOLEAN", Types::BOOLEAN),
    ("BOOL", Types::BOOLEAN),
    ("STRING", Types::STRING),
    ("VARCHAR", Types::STRING),
    ("SIGNED INTEGER", Types::INTEGER),
    ("INTEGER64", Types::INTEGER),
    ("INTEGER", Types::INTEGER),
    ("INT64", Types::INTEGER),
    ("INT", Types::INTEGER),
    ("FLOAT64", Types::FLOAT),
    ("FLOAT", Types::FLOAT),
    ("DATE", Types::DATE),
    ("LOCAL TIME", Types::LOCAL_TIME),
    ("TIME WITHOUT TIMEZONE", Types::LOCAL_TIME),
    ("TIME WITHOUT TIME ZONE", Types::LOCAL_TIME),
    ("ZONED TIME", Types::TIME),
    ("TIME WITH TIMEZONE", Types::TIME),
    ("TIME WITH TIME ZONE", Types::TIME),
    ("TIME", Types::TIME),
    ("LOCAL DATETIME", Types::LOCAL_DATETIME),
    ("TIMESTAMP WITHOUT TIMEZONE", Types::LOCAL_DATETIME),
    ("TIMESTAMP WITHOUT TIME ZONE", Types::LOCAL_DATETIME),
    ("ZONED DATETIME", Types::DATETIME),
    ("TIMESTAMP WITH TIMEZONE", Types::DATETIME),
    ("TIMESTAMP WITH TIME ZONE", Types::DATETIME),
    ("DATETIME", Types::DATETIME),
    ("DURATION", Types::DURATION),
    ("POINT", Types::POINT),
    ("NODE", Types::NODE),
    ("VERTEX", Types::NODE),
    ("RELATIONSHIP", Types::RELATIONSHIP),
    ("EDGE", Types::RELATIONSHIP),
    ("MAP", Types::MAP),
    ("PATH", Types::PATH),
    ("LIST", Types::LIST),
    ("ARRAY", Types::LIST),
    ("BYTES", Types::BYTES),
    ("NULL", Types::NULL),
    ("NOTHING", Types::NONE),
    ("PROPERTY VALUE", Types::PROPERTY),
    ("VALUE", Types::ANY),
    ("ANY", Types::ANY),
];

/// Names that may stand behind `ANY`.
const BEHIND_ANY: [&str; 7] = [
    "NODE",
    "VERTEX",
    "RELATIONSHIP",
    "EDGE",
    "MAP",
    "PROPERTY",
    "VALUE",
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
        let mut names = NAMES.iter();
        let found = names.find(|(name, _)| {
            let mut words = name.split(' ').enumerate();
            words.all(|(by, word)| self.is_word_ahead(by, word))
        });
        let Some(&(name, types)) = found else {
            let known = NAMES.map(|(name, _)| name);
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
