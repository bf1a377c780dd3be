//! Patterns of paths, and labels.

use super::{Parsed, Parser};
use crate::error::{Detail, Problem};
use crate::lexer::Token;
use crate::tree::{
    Computed, Count, Direction, Factor, Group, Labels, Length, Map, Name, NodePattern, PathMode,
    PathPattern, Properties, Quantifier, RelationshipPattern, Selector, StatementLabels,
};

/// Whose labels are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Nodes,
    Relationships,
    /// In an expression, where `|` may end it.
    Values,
}

impl Parser<'_> {
    pub(super) fn path_pattern(&mut self) -> Parsed<PathPattern> {
        self.path_pattern_of(PathMode::Trail)
    }

    /// A path of CREATE, INSERT or MERGE.
    pub(super) fn written_path(&mut self) -> Parsed<PathPattern> {
        let by = if self.is_ahead(1, "=") { 2 } else { 0 };
        if self.is_choice_ahead(by) {
            self.place += by;
            let what = "a path that is written has no choice";
            let hint = "search it with MATCH";
            return Err(self.problem(Detail::UnexpectedSyntax, self.at(), what, hint));
        }
        self.path_pattern()
    }

    /// Whether a word stands there that says which paths are found.
    pub(super) fn is_choice_ahead(&self, by: usize) -> bool {
        let words = [
            "ALL",
            "ANY",
            "SHORTEST",
            "shortestPath",
            "allShortestPaths",
            "WALK",
            "TRAIL",
            "ACYCLIC",
            "SIMPLE",
        ];
        words.iter().any(|word| self.is_word_ahead(by, word))
    }

    /// A path that has a mode unless it names another.
    pub(super) fn path_pattern_of(&mut self, mode: PathMode) -> Parsed<PathPattern> {
        let start = self.at();
        let variable = match self.is_variable_ahead(0) && self.is_ahead(1, "=") {
            true => {
                let variable = self.variable()?;
                self.advance();
                Some(variable)
            }
            false => None,
        };
        let function = match self.word().map(str::to_ascii_lowercase).as_deref() {
            Some("shortestpath") => Some(Selector::ShortestPath),
            Some("allshortestpaths") => Some(Selector::AllShortestPaths),
            _ => None,
        };
        let (selector, mode, factors) = match function.filter(|_| self.is_ahead(1, "(")) {
            Some(selector) => {
                self.place += 2;
                let factors = self.factors()?;
                self.need(")")?;
                (selector, mode, factors)
            }
            None => {
                let (selector, mode) = self.prefix(mode)?;
                (selector, mode, self.factors()?)
            }
        };
        Ok(PathPattern {
            variable,
            selector,
            mode,
            factors,
            at: self.since(start),
        })
    }

    /// Which paths are found, and what one may have twice.
    fn prefix(&mut self, mode: PathMode) -> Parsed<(Selector, PathMode)> {
        let mut counted = None;
        let selector = match () {
            () if self.take_word("ALL") => match self.take_word("SHORTEST") {
                true => Selector::AllShortest,
                false => Selector::All,
            },
            () if self.take_word("ANY") => match self.take_word("SHORTEST") {
                true => Selector::Shortest(Count::Number(1)),
                false => Selector::Any(self.count()),
            },
            () if self.take_word("SHORTEST") => {
                counted = Some(self.count());
                Selector::All
            }
            () => Selector::All,
        };
        let mode = self.path_mode().unwrap_or(mode);
        self.path_word();
        let selector = match counted {
            None => selector,
            Some(count) if self.take_word("GROUP") || self.take_word("GROUPS") => {
                Selector::ShortestGroups(count.unwrap_or(Count::Number(1)))
            }
            Some(Some(count)) => Selector::Shortest(count),
            Some(None) => return Err(self.unexpected("a number of paths", &[])),
        };
        Ok((selector, mode))
    }

    fn path_mode(&mut self) -> Option<PathMode> {
        let mut modes = PathMode::ALL.into_iter();
        modes.find(|mode| self.take_word(mode.word()))
    }

    fn path_word(&mut self) {
        if !self.take_word("PATH") {
            self.take_word("PATHS");
        }
    }

    fn count(&mut self) -> Option<Count> {
        let count = match self.token() {
            Token::Integer(number) => Count::Number(*number),
            Token::Parameter(name) => Count::Parameter(name.clone()),
            _ => return None,
        };
        self.advance();
        Some(count)
    }

    fn factors(&mut self) -> Parsed<Vec<Factor>> {
        let mut factors: Vec<Factor> = Vec::new();
        loop {
            let last = factors.last();
            let factor = match () {
                () if self.is("(") && self.is_group() => {
                    Factor::Group(Box::new(self.deeper(Self::group)?))
                }
                () if self.is("(") && !matches!(last, Some(Factor::Node(_))) => {
                    Factor::Node(self.node_pattern()?)
                }
                () if matches!(last, None | Some(Factor::Relationship(_))) => {
                    return Err(self.unexpected("a node, such as (n),", &[]));
                }
                () if self.is_relationship() => {
                    Factor::Relationship(Box::new(self.relationship_pattern()?))
                }
                () => return Ok(factors),
            };
            factors.push(factor);
        }
    }

    fn is_group(&self) -> bool {
        self.is_ahead(1, "(") || (self.is_variable_ahead(1) && self.is_ahead(2, "="))
    }

    fn is_relationship(&self) -> bool {
        self.is("-") || (self.is("<") && self.is_ahead(1, "-"))
    }

    fn group(&mut self) -> Parsed<Group> {
        let start = self.at();
        self.need("(")?;
        let pattern = self.path_pattern()?;
        let filter = self.filter()?;
        self.need(")")?;
        let quantifier = self.quantifier()?;
        Ok(Group {
            pattern,
            filter,
            quantifier,
            at: self.since(start),
        })
    }

    fn node_pattern(&mut self) -> Parsed<NodePattern> {
        let start = self.at();
        self.need("(")?;
        let variable = self.variable_if_any()?;
        let labels = self.labels_if_any(Of::Nodes)?;
        let properties = self.properties()?;
        let filter = self.filter()?;
        let is_closed = self.take(")");
        self.expect(is_closed, "), a label or properties", &["WHERE"])?;
        Ok(NodePattern {
            variable,
            labels,
            properties,
            filter,
            at: self.since(start),
        })
    }

    fn variable_if_any(&mut self) -> Parsed<Option<Name>> {
        let is_there = self.is_variable_ahead(0);
        is_there.then(|| self.variable()).transpose()
    }

    fn relationship_pattern(&mut self) -> Parsed<RelationshipPattern> {
        let start = self.at();
        let is_left = self.take("<");
        self.need("-")?;
        let mut found = RelationshipPattern {
            direction: Direction::Either,
            variable: None,
            types: None,
            length: None,
            properties: None,
            filter: None,
            quantifier: None,
            at: start,
        };
        // `->`, `<-` and `-` are `-->`, `<--` and `--`.
        let is_short = !self.is("[") && !self.is("-");
        if self.take("[") {
            found.variable = self.variable_if_any()?;
            found.types = self.labels_if_any(Of::Relationships)?;
            found.length = self.length()?;
            found.properties = self.properties()?;
            found.filter = self.filter()?;
            if !self.take("]") {
                return Err(self.bad_relationship());
            }
        }
        if !is_short {
            self.need("-")?;
        }
        let is_right = self.take(">");
        found.direction = match (is_left, is_right) {
            (true, false) => Direction::Left,
            (false, true) => Direction::Right,
            _ => Direction::Either,
        };
        found.quantifier = self.quantifier()?;
        found.at = self.since(start);
        Ok(found)
    }

    fn bad_relationship(&self) -> Problem {
        let mut problem = self.unexpected("], a type, a length or properties", &["WHERE"]);
        if self.is("..") || self.is("-") {
            problem.detail = Detail::InvalidRelationshipPattern;
            problem.hint = "a length is written *, *2, *1.., *..3 or *1..3".to_string();
        }
        problem
    }

    fn length(&mut self) -> Parsed<Option<Length>> {
        if !self.take("*") {
            return Ok(None);
        }
        let least = self.unsigned();
        let most = match self.take("..") {
            true => self.unsigned(),
            false => least,
        };
        Ok(Some(Length { least, most }))
    }

    fn unsigned(&mut self) -> Option<u64> {
        let Token::Integer(number) = *self.token() else {
            return None;
        };
        self.advance();
        Some(number)
    }

    fn quantifier(&mut self) -> Parsed<Option<Quantifier>> {
        let start = self.at();
        let (least, most) = match () {
            () if self.take("*") => (0, None),
            () if self.take("+") => (1, None),
            () if self.take("{") => {
                let least = self.unsigned();
                let most = match (self.take(","), least) {
                    (true, _) => self.unsigned(),
                    (false, Some(least)) => Some(least),
                    (false, None) => return Err(self.unexpected("a number", &[])),
                };
                self.need("}")?;
                let least = least.unwrap_or(0);
                if most.is_some_and(|most| most == 0 || most < least) {
                    let what = "the pattern is never there so often";
                    let hint = "write 1 or more as the greatest number, and no less than the least";
                    let at = self.since(start);
                    return Err(self.problem(Detail::UnexpectedSyntax, at, what, hint));
                }
                (least, most)
            }
            () => return Ok(None),
        };
        Ok(Some(Quantifier { least, most }))
    }

    fn properties(&mut self) -> Parsed<Option<Properties>> {
        if self.is("{") {
            return Ok(Some(Properties::Map(self.map()?)));
        }
        let Token::Parameter(name) = self.token().clone() else {
            return Ok(None);
        };
        let at = self.at();
        self.advance();
        let name = Name { text: name, at };
        Ok(Some(Properties::Parameter(name)))
    }

    pub(super) fn map(&mut self) -> Parsed<Map> {
        self.need("{")?;
        let entries = self.until("}", |parser| {
            let key = match parser.token() {
                // No number has to be right here, because none can stand here.
                Token::Bad(problem) if problem.detail == Detail::InvalidNumberLiteral => {
                    let mut problem = (**problem).clone();
                    problem.detail = Detail::UnexpectedSyntax;
                    return Err(problem);
                }
                _ => parser.name("a key")?,
            };
            parser.need(":")?;
            Ok((key, parser.expression()?))
        })?;
        Ok(Map { entries })
    }

    fn labels_if_any(&mut self, of: Of) -> Parsed<Option<StatementLabels>> {
        let are_there = self.is(":") || self.is_word("IS");
        are_there.then(|| self.labels(of)).transpose()
    }

    /// Labels behind `:` or `IS`.
    pub(super) fn labels(&mut self, of: Of) -> Parsed<StatementLabels> {
        let has_colon = self.take(":");
        if !has_colon {
            self.need_word("IS")?;
        }
        let takes_bar = of != Of::Values || !self.bar_ends;
        let first = self.any_label(takes_bar)?;
        if !has_colon || !self.is(":") {
            return Ok(first);
        }
        if of == Of::Relationships {
            let what = "a relationship has one type, and : stands between two";
            let hint = "write | between types of which it has one";
            return Err(self.problem(Detail::NoSingleRelationshipType, self.at(), what, hint));
        }
        let mut parts = vec![first];
        while self.take(":") {
            parts.push(self.label()?);
        }
        let is_one = |one: &StatementLabels| matches!(one, Labels::Name(_) | Labels::Computed(_));
        if !parts.iter().all(is_one) || self.is("&") || (takes_bar && self.is("|")) {
            let what = "labels are joined with : and with other signs";
            let hint = "write & between labels that a node has, and | between alternatives";
            return Err(self.problem(Detail::UnexpectedSyntax, self.at(), what, hint));
        }
        Ok(Labels::And(parts))
    }

    /// Labels that are set or removed, behind `:` or `IS`.
    pub(super) fn written_labels(&mut self) -> Parsed<StatementLabels> {
        if !self.take(":") {
            self.need_word("IS")?;
        }
        let labels = self.all_labels(":")?;
        if self.is("&") || self.is("|") {
            let what = "labels are set and removed by name";
            let hint = "write : between them, such as n:A:B";
            return Err(self.problem(Detail::UnexpectedSyntax, self.at(), what, hint));
        }
        Ok(labels)
    }

    pub(super) fn any_label(&mut self, takes_bar: bool) -> Parsed<StatementLabels> {
        let mut parts = vec![self.all_labels("&")?];
        while (takes_bar || self.is_bar_of_labels()) && self.take("|") {
            self.take(":");
            parts.push(self.all_labels("&")?);
        }
        Ok(one_or(parts, Labels::Or))
    }

    /// Whether the `|` that follows joins labels, though one ends the expression: a label
    /// stands behind it, and another `|` before the bracket closes. O(length up to that).
    fn is_bar_of_labels(&self) -> bool {
        let is_label = matches!(self.ahead(1).token, Token::Word | Token::Quoted(_));
        let joins = ["AND", "OR", "XOR"];
        let goes_on = self.is_ahead(2, "|")
            || self.is_ahead(2, "&")
            || joins.iter().any(|word| self.is_word_ahead(2, word));
        self.is("|") && is_label && goes_on && self.is_bar_behind(2)
    }

    /// Whether a `|` stands there or behind, before the bracket around it closes.
    fn is_bar_behind(&self, mut by: usize) -> bool {
        loop {
            match self.ahead(by).token {
                Token::Symbol("|") => return true,
                Token::Symbol(")" | "]" | "}") | Token::End => return false,
                Token::Symbol("(" | "[" | "{") => {
                    by = self.ahead(by).closed_by as usize - self.place + 1;
                }
                _ => by += 1,
            }
        }
    }

    /// Labels with a sign between them.
    fn all_labels(&mut self, sign: &str) -> Parsed<StatementLabels> {
        let mut parts = vec![self.label()?];
        while self.take(sign) {
            parts.push(self.label()?);
        }
        Ok(one_or(parts, Labels::And))
    }

    fn label(&mut self) -> Parsed<StatementLabels> {
        if self.take("!") {
            let label = self.deeper(Self::label)?;
            return Ok(Labels::Not(Box::new(label)));
        }
        if self.take("%") {
            return Ok(Labels::Any);
        }
        if self.take("(") {
            let labels = self.deeper(|parser| parser.any_label(true))?;
            self.need(")")?;
            return Ok(labels);
        }
        if let Some(any) = self.computed_ahead(0) {
            self.place += 2;
            let names = Box::new(self.expression()?);
            self.need(")")?;
            return Ok(Labels::Computed(Computed { any, names }));
        }
        self.name("a label or type").map(Labels::Name)
    }

    /// Whether `$any(` follows, and not `$(` or `$all(`; `None` if neither does.
    pub(super) fn computed_ahead(&self, by: usize) -> Option<bool> {
        let any = match &self.ahead(by).token {
            Token::Symbol("$") => false,
            Token::Parameter(name) if name.eq_ignore_ascii_case("all") => false,
            Token::Parameter(name) if name.eq_ignore_ascii_case("any") => true,
            _ => return None,
        };
        self.is_ahead(by + 1, "(").then_some(any)
    }

    /// Whether a path stands where an expression may: a node, and what begins a
    /// relationship behind it. O(1): brackets know where they are closed.
    pub(super) fn is_path_ahead(&self, by: usize) -> bool {
        if !self.is_ahead(by, "(") || !self.is_node_ahead(by + 1) {
            return false;
        }
        let closing = |by: usize| self.ahead(by).closed_by as usize - self.place;
        let behind = closing(by) + 1;
        let line = match self.is_ahead(behind, "<") {
            true => behind + 1,
            false => behind,
        };
        if !self.is_ahead(line, "-") {
            return false;
        }
        match self.is_ahead(line + 1, "[") {
            true => self.is_ahead(closing(line + 1) + 1, "-"),
            false => {
                let is_line = self.is_ahead(line + 1, "-");
                is_line && (self.is_ahead(line + 2, ">") || self.is_ahead(line + 2, "("))
            }
        }
    }

    /// Whether a node pattern goes on as this, behind its parenthesis.
    fn is_node_ahead(&self, by: usize) -> bool {
        let goes_on = |by| {
            let is_symbol = [")", ":", "{"]
                .iter()
                .any(|symbol| self.is_ahead(by, symbol));
            let is_null = self.is_word_ahead(by + 1, "NULL") || self.is_word_ahead(by + 1, "NOT");
            let is_label = self.is_word_ahead(by, "IS") && !is_null;
            let is_parameter = matches!(self.ahead(by).token, Token::Parameter(_));
            is_symbol || is_label || is_parameter || self.is_word_ahead(by, "WHERE")
        };
        goes_on(by) || (self.is_variable_ahead(by) && goes_on(by + 1))
    }
}

/// The only element, or a node of several.
fn one_or(
    mut parts: Vec<StatementLabels>,
    join: fn(Vec<StatementLabels>) -> StatementLabels,
) -> StatementLabels {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}
