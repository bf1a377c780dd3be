//! Hints behind the patterns of `MATCH`.

use super::{Parsed, Parser};
use crate::tree::{AccessHint, Hint};

/// Kinds of indexes that a hint can name: one index serves for all of them.
const KINDS: [&str; 3] = ["RANGE", "TEXT", "POINT"];

impl Parser<'_> {
    pub(super) fn hints(&mut self) -> Parsed<Vec<Hint>> {
        let mut hints = Vec::new();
        while self.is_word("USING") {
            hints.push(self.hint()?);
        }
        Ok(hints)
    }

    fn hint(&mut self) -> Parsed<Hint> {
        let start = self.at();
        self.advance();
        if self.take_words(&["JOIN", "ON"]) {
            let variables = self.separated(Self::variable)?;
            return Ok(Hint::Join(variables, self.since(start)));
        }
        let is_scan = self.take_word("SCAN");
        if !is_scan {
            self.index_words()?;
        }
        let variable = self.variable()?;
        self.need(":")?;
        let label = self.name("a label or type")?;
        let mut keys = Vec::new();
        if !is_scan {
            self.need("(")?;
            keys = self.separated(|parser| parser.name("a property"))?;
            self.need(")")?;
        }
        Ok(Hint::Access(AccessHint {
            variable,
            label,
            keys,
            at: self.since(start),
        }))
    }

    /// `RANGE INDEX SEEK` and the like; an index is looked up in any case.
    fn index_words(&mut self) -> Parsed<()> {
        let has_kind = KINDS.iter().any(|kind| self.take_words(&[*kind, "INDEX"]));
        if !has_kind && !self.take_word("INDEX") {
            return Err(self.unexpected("INDEX, SCAN or JOIN ON", &["INDEX", "SCAN", "JOIN ON"]));
        }
        // It may be the name of the variable.
        if !self.is_ahead(1, ":") {
            self.take_word("SEEK");
        }
        Ok(())
    }
}
