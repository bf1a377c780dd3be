//! Operators, from those that bind least to those that bind most.

use super::pattern::Of;
use super::{Parsed, Parser};
use crate::lexer::Token;
use crate::tree::{
    Access, Comparison, Expression, Name, Node, Operator, Predicate, Span, TextTest, Typing, When,
};

/// Tests of one operand, such as `a IN b IS NULL`.
const MOST_TESTS: usize = 8;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.expression_in(false)
    }

    /// An expression that `|` ends.
    pub(super) fn before_bar(&mut self) -> Parsed<Expression> {
        self.expression_in(true)
    }

    fn expression_in(&mut self, bar_ends: bool) -> Parsed<Expression> {
        let outside = std::mem::replace(&mut self.bar_ends, bar_ends);
        let found = self.deeper(Self::or);
        self.bar_ends = outside;
        found
    }

    fn or(&mut self) -> Parsed<Expression> {
        self.joined("OR", Self::xor, Node::Or)
    }

    fn xor(&mut self) -> Parsed<Expression> {
        self.joined("XOR", Self::and, Node::Xor)
    }

    fn and(&mut self) -> Parsed<Expression> {
        self.joined("AND", Self::not, Node::And)
    }

    /// One part, or several with a word between them.
    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Parsed<Expression>,
        join: fn(Vec<Expression>) -> Node,
    ) -> Parsed<Expression> {
        let start = self.at();
        let first = part(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.take_word(word) {
            parts.push(part(self)?);
        }
        Ok(self.spanned(start, join(parts)))
    }

    pub(super) fn spanned(&self, start: Span, node: Node) -> Expression {
        let at = self.since(start);
        Expression { node, at }
    }

    fn not(&mut self) -> Parsed<Expression> {
        let start = self.at();
        if !self.take_word("NOT") {
            return self.comparison();
        }
        let part = self.deeper(Self::not)?;
        Ok(self.spanned(start, Node::Not(Box::new(part))))
    }

    fn comparison(&mut self) -> Parsed<Expression> {
        let start = self.at();
        let first = self.tested()?;
        let mut others = Vec::new();
        while let Some(comparison) = self.take_one_of(&Comparison::ALL, Comparison::sign) {
            others.push((comparison, self.tested()?));
        }
        if others.is_empty() {
            return Ok(first);
        }
        Ok(self.spanned(start, Node::Comparison(Box::new(first), others)))
    }

    fn take_one_of<T: Copy>(&mut self, known: &[T], sign: fn(T) -> &'static str) -> Option<T> {
        let Token::Symbol(symbol) = self.token() else {
            return None;
        };
        let found = *known.iter().find(|known| sign(**known) == *symbol)?;
        self.advance();
        Some(found)
    }

    /// An operator of a precedence.
    fn take_operator(&mut self, precedence: u8) -> Option<Operator> {
        let Token::Symbol(symbol) = self.token() else {
            return None;
        };
        let is_it = |known: &Operator| known.precedence() == precedence && known.sign() == *symbol;
        let found = Operator::ALL.into_iter().find(is_it)?;
        self.advance();
        Some(found)
    }

    /// A test of texts.
    fn take_test(&mut self) -> Parsed<Option<TextTest>> {
        for test in TextTest::ALL {
            let mut words = test.words().split(' ');
            let first = words.next().unwrap_or_default();
            if self.take(first) || self.take_word(first) {
                for word in words {
                    self.need_word(word)?;
                }
                return Ok(Some(test));
            }
        }
        Ok(None)
    }

    /// An operand, and what is asked of it as a string, a member of a list, null, or of
    /// its labels.
    fn tested(&mut self) -> Parsed<Expression> {
        let start = self.at();
        let mut part = self.arithmetic(0)?;
        for _ in 0..MOST_TESTS {
            match self.test(part, start)? {
                (next, true) => part = next,
                (last, false) => return Ok(last),
            }
        }
        Err(self.too_deep())
    }

    /// One more test of it, if one follows.
    fn test(&mut self, part: Expression, start: Span) -> Parsed<(Expression, bool)> {
        let node = if let Some(test) = self.take_test()? {
            Node::Tested(test, Box::new((part, self.arithmetic(0)?)))
        } else if self.take_word("IN") {
            Node::In(Box::new((part, self.arithmetic(0)?)))
        } else if self.is_word("IS") {
            self.null_test(part)?
        } else if self.take("::") {
            Node::Typed(Typing::Is, Box::new(part), self.data_type()?)
        } else {
            return Ok((part, false));
        };
        Ok((self.spanned(start, node), true))
    }

    fn null_test(&mut self, part: Expression) -> Parsed<Node> {
        if self.take_words(&["IS", "NULL"]) {
            return Ok(Node::IsNull(Box::new(part)));
        }
        let start = part.at;
        let is_not = self.take_words(&["IS", "NOT"]);
        if is_not && self.take_word("NULL") {
            return Ok(Node::IsNotNull(Box::new(part)));
        }
        let part = match self.kind_test(usize::from(!is_not), part)? {
            Ok(node) if is_not => return Ok(Node::Not(Box::new(self.spanned(start, node)))),
            Ok(node) => return Ok(node),
            Err(part) => part,
        };
        if is_not {
            let words = &["NULL", "TYPED", "NORMALIZED"];
            return Err(self.unexpected("NULL, NORMALIZED or a type", words));
        }
        if self.is_label_ahead(1) {
            return Ok(Node::Labelled(Box::new(part), self.labels(Of::Values)?));
        }
        self.advance();
        Err(self.unexpected("NULL, NOT NULL or a label", &["NULL"]))
    }

    /// A test whose words, `by` tokens ahead, stand behind `IS` or `IS NOT`; the operand again
    /// if it is none of these.
    fn kind_test(&mut self, by: usize, part: Expression) -> Parsed<Result<Node, Expression>> {
        let start = part.at;
        if self.is_ahead(by, "::") || self.is_word_ahead(by, "TYPED") {
            self.place += by + 1;
            let of = self.data_type()?;
            return Ok(Ok(Node::Typed(Typing::Is, Box::new(part), of)));
        }
        if let Some(form) = self.normal_form(by) {
            let arguments = vec![part, self.spanned(start, Node::Text(form.to_string()))];
            let call = super::atom::called(Name::new("isNormalized"), arguments);
            return Ok(Ok(call));
        }
        let is_label = self.is_label_ahead(by + 1) && !self.is_joined(by + 1);
        if self.is_word_ahead(by, "LABELED") && is_label {
            self.place += by + 1;
            let labels = self.any_label(!self.bar_ends)?;
            return Ok(Ok(Node::Labelled(Box::new(part), labels)));
        }
        self.truth_or_end(by, part)
    }

    /// Whether an operator between conditions, or a word that ends one, is so many tokens
    /// ahead.
    fn is_joined(&self, by: usize) -> bool {
        let word = self.word_at(self.ahead(by));
        word.is_some_and(super::is_reserved)
    }

    /// Whether a label, or what labels are joined of, is so many tokens ahead.
    fn is_label_ahead(&self, by: usize) -> bool {
        self.word_at(self.ahead(by)).is_some()
            || matches!(self.ahead(by).token, Token::Quoted(_))
            || ["%", "!", "("].iter().any(|sign| self.is_ahead(by, sign))
            || self.computed_ahead(by).is_some()
    }

    /// A test of the operand of a `CASE`, or a value that it may be equal to.
    pub(super) fn alternative(&mut self) -> Parsed<When> {
        // `CASE` and `END` are brackets: no bar within them ends what is around them.
        let outside = std::mem::replace(&mut self.bar_ends, false);
        let found = self.deeper(Self::operand_test);
        self.bar_ends = outside;
        found
    }

    fn operand_test(&mut self) -> Parsed<When> {
        if let Some(comparison) = self.take_one_of(&Comparison::ALL, Comparison::sign) {
            return Ok(When::Compared(comparison, self.tested()?));
        }
        if let Some(test) = self.take_test()? {
            return Ok(When::Tested(test, self.arithmetic(0)?));
        }
        if self.take_word("IN") {
            return Ok(When::In(self.arithmetic(0)?));
        }
        let has_colons = self.take("::");
        if !has_colons && !self.take_word("IS") {
            return self.or().map(When::Value);
        }
        let not = !has_colons && self.take_word("NOT");
        let what = match () {
            () if !has_colons && self.take_word("NULL") => Predicate::Null,
            () if has_colons || self.take("::") || self.take_word("TYPED") => {
                Predicate::Typed(self.data_type()?)
            }
            () => match self.normal_form(0) {
                Some(form) => Predicate::Normalized(form),
                None => {
                    let words = &["NULL", "TYPED", "NORMALIZED"];
                    return Err(self.unexpected("NULL, NORMALIZED or a type", words));
                }
            },
        };
        Ok(When::Is { not, what })
    }

    /// `NFC NORMALIZED`, some tokens ahead.
    fn normal_form(&mut self, by: usize) -> Option<&'static str> {
        let mut forms = super::atom::FORMS.into_iter();
        let form = forms.find(|form| self.is_word_ahead(by, form));
        let end = by + usize::from(form.is_some());
        if !self.is_word_ahead(end, "NORMALIZED") {
            return None;
        }
        self.place += end + 1;
        form.or(Some("NFC"))
    }

    /// Operators of a precedence, and of those above.
    pub(super) fn arithmetic(&mut self, precedence: u8) -> Parsed<Expression> {
        if precedence == Operator::PRECEDENCES {
            return self.unary();
        }
        let start = self.at();
        let first = self.arithmetic(precedence + 1)?;
        let mut others = Vec::new();
        while let Some(operator) = self.take_operator(precedence) {
            others.push((operator, self.arithmetic(precedence + 1)?));
        }
        if others.is_empty() {
            return Ok(first);
        }
        Ok(self.spanned(start, Node::Arithmetic(Box::new(first), others)))
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let start = self.at();
        let is_negative = self.is("-");
        if is_negative && let Some(literal) = self.negative_literal()? {
            return Ok(literal);
        }
        if !is_negative && !self.is("+") {
            return self.postfix();
        }
        self.advance();
        let part = Box::new(self.deeper(Self::unary)?);
        let node = match is_negative {
            true => Node::Negative(part),
            false => Node::Positive(part),
        };
        Ok(self.spanned(start, node))
    }

    /// A number with its sign, so that the least integer can be written.
    fn negative_literal(&mut self) -> Parsed<Option<Expression>> {
        if self.is_ahead(2, ".") || self.is_ahead(2, "[") {
            return Ok(None);
        }
        let node = match self.ahead(1).token {
            // The least integer has no opposite.
            Token::Integer(number) => Node::Integer((number as i64).wrapping_neg()),
            Token::Float(number) => Node::Float(-number),
            _ => return Ok(None),
        };
        let start = self.at();
        self.place += 2;
        Ok(Some(self.spanned(start, node)))
    }

    /// An atom, and properties and elements of it.
    pub(super) fn postfix(&mut self) -> Parsed<Expression> {
        let start = self.at();
        let is_path = self.is_path_ahead(0);
        let atom = self.atom()?;
        if is_path {
            return Ok(atom);
        }
        let mut steps = Vec::new();
        loop {
            if self.take(".") {
                steps.push(Access::Property(self.name("a property")?));
            } else if self.take("[") {
                steps.push(self.element()?);
            } else {
                break;
            }
        }
        let part = match steps.is_empty() {
            true => atom,
            false => self.spanned(start, Node::Access(Box::new(atom), steps)),
        };
        if !self.is(":") {
            return Ok(part);
        }
        let labels = self.labels(Of::Values)?;
        Ok(self.spanned(start, Node::Labelled(Box::new(part), labels)))
    }

    fn element(&mut self) -> Parsed<Access> {
        let has_from = !self.is("..");
        let from = has_from.then(|| self.expression()).transpose()?;
        if !self.take("..") {
            return match (self.take("]"), from) {
                (true, Some(index)) => Ok(Access::Index(index)),
                _ => Err(self.unexpected("] or ..", &[])),
            };
        }
        let has_to = !self.is("]");
        let to = has_to.then(|| self.expression()).transpose()?;
        self.need("]")?;
        Ok(Access::Slice(from, to))
    }
}
