//! Expressions, with parentheses where precedence needs them.

use std::fmt::{self, Display, Formatter};

use super::{Parameter, Quoted, Separated, Text, optional, separated};
use crate::tree::{
    Access, Branch, Case, Comparison, Expression, FunctionCall, Labels, ListComprehension, MapItem,
    MapProjection, Node, Operator, PatternComprehension, PatternSubquery, Predicate, Quantified,
    Reduce, Selector, Typing, When,
};

// Precedences; a pattern is an operand of NOT and what binds less.
const NOT: u8 = 3;
const COMPARED: u8 = 4;
const TESTED: u8 = 5;
const ADDED: u8 = 6;
const UNARY: u8 = 9;
const LABELLED: u8 = 10;
const ACCESSED: u8 = 11;
const ATOM: u8 = 12;

fn precedence(node: &Node) -> u8 {
    match node {
        Node::Or(_) => 0,
        Node::Xor(_) => 1,
        Node::And(_) => 2,
        Node::Not(_) => NOT,
        Node::Comparison(..) => COMPARED,
        Node::Pattern(pattern) => match pattern.selector {
            Selector::ShortestPath | Selector::AllShortestPaths => ADDED,
            _ => COMPARED,
        },
        Node::Tested(..)
        | Node::In(_)
        | Node::IsNull(_)
        | Node::IsNotNull(_)
        | Node::Typed(Typing::Is, ..) => TESTED,
        Node::Arithmetic(_, others) => {
            ADDED
                + others
                    .first()
                    .map_or(0, |(operator, _)| operator.precedence())
        }
        Node::Negative(_) | Node::Positive(_) => UNARY,
        Node::Integer(number) if *number < 0 => UNARY,
        Node::Float(number) if number.is_sign_negative() => UNARY,
        Node::Labelled(..) => LABELLED,
        Node::Access(..) => ACCESSED,
        _ => ATOM,
    }
}

/// An operand, in parentheses if it binds less than it has to.
struct Operand<'a>(&'a Expression, u8);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match precedence(&self.0.node) < self.1 {
            true => write!(f, "({})", self.0),
            false => self.0.fmt(f),
        }
    }
}

/// The left operand before an operator: `(n:A) - -1` would begin as a path does.
fn left(f: &mut Formatter<'_>, operand: &Expression, least: u8, sign: &str) -> fmt::Result {
    let is_like_node = sign == "-" || sign == "<";
    match is_like_node && precedence(&operand.node) < least {
        true => write!(f, "(({operand}))"),
        false => Operand(operand, least).fmt(f),
    }
}

/// A chain of operators of one precedence.
fn chain<T: Copy>(
    f: &mut Formatter<'_>,
    first: &Expression,
    others: &[(T, Expression)],
    sign: impl Fn(T) -> &'static str,
    least: u8,
) -> fmt::Result {
    let mut operand = first;
    for (operator, next) in others {
        left(f, operand, least, sign(*operator))?;
        write!(f, " {} ", sign(*operator))?;
        operand = next;
    }
    Operand(operand, least).fmt(f)
}

/// Whether its text begins with a variable and IN, which within brackets begins a
/// comprehension.
fn begins_with_in(expression: &Expression) -> bool {
    match &expression.node {
        Node::In(sides) => matches!(sides.0.node, Node::Variable(_)) || begins_with_in(&sides.0),
        Node::Tested(_, sides) => begins_with_in(&sides.0),
        Node::IsNull(part) | Node::IsNotNull(part) | Node::Typed(Typing::Is, part, _) => {
            begins_with_in(part)
        }
        Node::Comparison(first, _) => begins_with_in(first),
        Node::And(parts) | Node::Or(parts) | Node::Xor(parts) => {
            parts.first().is_some_and(begins_with_in)
        }
        _ => false,
    }
}

/// Whether its text begins with a path, which within brackets is all of an element.
fn begins_with_path(expression: &Expression) -> bool {
    match &expression.node {
        Node::And(parts) | Node::Or(parts) | Node::Xor(parts) => {
            parts.first().is_some_and(begins_with_path)
        }
        Node::Pattern(_) => true,
        _ => false,
    }
}

fn list(f: &mut Formatter<'_>, parts: &[Expression]) -> fmt::Result {
    let Some((first, others)) = parts.split_first() else {
        return f.write_str("[]");
    };
    match begins_with_in(first) || begins_with_path(first) {
        true => write!(f, "[({first})")?,
        false => write!(f, "[{first}")?,
    }
    for part in others {
        write!(f, ", {part}")?;
    }
    f.write_str("]")
}

fn joined(f: &mut Formatter<'_>, parts: &[Expression], word: &str, least: u8) -> fmt::Result {
    let operand = |part: &Expression, f: &mut Formatter<'_>| Operand(part, least).fmt(f);
    separated(parts, word, operand).fmt(f)
}

fn begins_with_number(part: &Expression) -> bool {
    match &part.node {
        Node::Integer(_) | Node::Float(_) => true,
        Node::Access(base, _) | Node::Labelled(base, _) => begins_with_number(base),
        _ => false,
    }
}

/// An operand of a sign, which must not make one number with it, nor two signs.
fn signed(f: &mut Formatter<'_>, sign: &str, part: &Expression) -> fmt::Result {
    match begins_with_number(part) {
        true => write!(f, "{sign}({part})"),
        false => write!(f, "{sign}{}", Operand(part, UNARY)),
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Node::Null => f.write_str("null"),
            Node::Boolean(truth) => truth.fmt(f),
            Node::Integer(number) => number.fmt(f),
            Node::Float(number) => write!(f, "{number:?}"),
            Node::Text(text) => Text(text).fmt(f),
            Node::Parameter(name) => Parameter(name).fmt(f),
            Node::Variable(name) => Quoted(name).fmt(f),
            Node::List(parts) => list(f, parts),
            Node::Map(map) => map.fmt(f),
            Node::Access(base, steps) => {
                let is_number = matches!(base.node, Node::Integer(_) | Node::Float(_));
                let least = if is_number { ATOM + 1 } else { ATOM };
                write!(f, "{}{}", Operand(base, least), Separated(steps, ""))
            }
            Node::Negative(part) => signed(f, "-", part),
            Node::Positive(part) => signed(f, "+", part),
            Node::Arithmetic(first, others) => {
                let own = precedence(self);
                chain(f, first, others, Operator::sign, own + 1)
            }
            Node::Tested(test, sides) => binary(f, &sides.0, test.words(), &sides.1),
            Node::In(sides) => binary(f, &sides.0, "IN", &sides.1),
            Node::IsNull(part) => write!(f, "{} IS NULL", Operand(part, TESTED)),
            Node::IsNotNull(part) => write!(f, "{} IS NOT NULL", Operand(part, TESTED)),
            Node::Typed(Typing::Is, part, to) => {
                write!(f, "{} IS :: {to}", Operand(part, TESTED))
            }
            Node::Typed(Typing::Cast, part, to) => write!(f, "CAST({part} AS {to})"),
            Node::Labelled(part, labels) => {
                write!(f, "{}:", Operand(part, ACCESSED))?;
                match labels {
                    Labels::Or(_) => write!(f, "({labels})"),
                    _ => labels.fmt(f),
                }
            }
            Node::Comparison(first, others) => chain(f, first, others, Comparison::sign, TESTED),
            Node::Not(part) => write!(f, "NOT {}", Operand(part, NOT)),
            Node::And(parts) => joined(f, parts, " AND ", 3),
            Node::Xor(parts) => joined(f, parts, " XOR ", 2),
            Node::Or(parts) => joined(f, parts, " OR ", 1),
            Node::Call(call) => call.fmt(f),
            Node::CountAll => f.write_str("count(*)"),
            Node::Case(case) => case.fmt(f),
            Node::ListComprehension(part) => part.fmt(f),
            Node::PatternComprehension(part) => part.fmt(f),
            Node::Quantified(part) => part.fmt(f),
            Node::Reduce(part) => part.fmt(f),
            Node::MapProjection(part) => part.fmt(f),
            Node::Subquery(kind, query) => write!(f, "{} {{ {query} }}", kind.word()),
            Node::PatternSubquery(kind, part) => write!(f, "{} {{ {part} }}", kind.word()),
            Node::Pattern(pattern) => pattern.fmt(f),
        }
    }
}

fn binary(f: &mut Formatter<'_>, a: &Expression, word: &str, b: &Expression) -> fmt::Result {
    write!(f, "{} {word} {}", Operand(a, TESTED), Operand(b, ADDED))
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Access::Property(name) => write!(f, ".{name}"),
            Access::Index(index) => write!(f, "[{index}]"),
            Access::Slice(from, to) => {
                f.write_str("[")?;
                optional(f, "", from.as_ref())?;
                f.write_str("..")?;
                optional(f, "", to.as_ref())?;
                f.write_str("]")
            }
        }
    }
}

impl Display for FunctionCall {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let distinct = if self.distinct { "DISTINCT " } else { "" };
        let arguments = Separated(&self.arguments, ", ");
        match &self.name[..] {
            // What follows tells them from subqueries.
            [name] if ["collect", "count"].contains(&name.text.to_lowercase().as_str()) => {
                write!(f, "{}({distinct}{arguments})", name.text)
            }
            parts => write!(f, "{}({distinct}{arguments})", Separated(parts, ".")),
        }
    }
}

impl Display for Branch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "WHEN {} THEN {}", Separated(&self.when, ", "), self.then)
    }
}

impl Display for When {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            When::Value(value) => value.fmt(f),
            When::Compared(comparison, value) => {
                write!(f, "{} {}", comparison.sign(), Operand(value, TESTED))
            }
            When::Tested(test, value) => write!(f, "{} {}", test.words(), Operand(value, ADDED)),
            When::In(value) => write!(f, "IN {}", Operand(value, ADDED)),
            When::Is { not, what } => write!(f, "IS {}{what}", if *not { "NOT " } else { "" }),
        }
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Predicate::Null => f.write_str("NULL"),
            Predicate::Typed(to) => write!(f, ":: {to}"),
            Predicate::Normalized(form) => write!(f, "{form} NORMALIZED"),
        }
    }
}

impl Display for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("CASE")?;
        optional(f, " ", self.operand.as_ref())?;
        write!(f, " {}", Separated(&self.branches, " "))?;
        optional(f, " ELSE ", self.otherwise.as_ref())?;
        f.write_str(" END")
    }
}

impl Display for ListComprehension {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{} IN {}", self.variable, self.list)?;
        optional(f, " WHERE ", self.filter.as_ref())?;
        optional(f, " | ", self.value.as_ref())?;
        f.write_str("]")
    }
}

impl Display for PatternComprehension {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.pattern)?;
        optional(f, " WHERE ", self.filter.as_ref())?;
        write!(f, " | {}]", self.value)
    }
}

impl Display for Quantified {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = self.quantity.word();
        let (variable, list) = (&self.variable, &self.list);
        write!(f, "{word}({variable} IN {list} WHERE {})", self.filter)
    }
}

impl Display for Reduce {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "reduce({} = {}, ", self.accumulator, self.initial)?;
        write!(f, "{} IN {} | {})", self.variable, self.list, self.step)
    }
}

impl Display for MapItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            MapItem::All => f.write_str(".*"),
            MapItem::Property(name) => write!(f, ".{name}"),
            MapItem::Variable(name) => name.fmt(f),
            MapItem::Entry(key, value) => write!(f, "{key}: {value}"),
        }
    }
}

impl Display for MapProjection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{{}}}", self.variable, Separated(&self.items, ", "))
    }
}

impl Display for PatternSubquery {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Separated(&self.patterns, ", ").fmt(f)?;
        optional(f, " WHERE ", self.filter.as_ref())
    }
}
