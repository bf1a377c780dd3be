//! Expressions over the slots of a row.

use std::sync::Arc;

use evergraph_syntax::tree::{
    Comparison, DataType, Labels, Operator, Quantity, SubqueryKind, TextTest, Typing, When,
};

use super::{Plan, Slot};

/// An expression. Chains are flat, as in the syntax tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A value of the text.
    Constant(Constant),
    /// `$name`
    Parameter(Arc<str>),
    /// The value of a slot.
    Slot(Slot),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{a: 1}`
    Map(Vec<(Arc<str>, Expression)>),
    /// `a.b[0][1..]`
    Access(Box<Expression>, Vec<Step>),
    /// `-a`
    Negative(Box<Expression>),
    /// `+a`
    Positive(Box<Expression>),
    /// `a + b - c`
    Arithmetic(Box<Expression>, Vec<(Operator, Expression)>),
    /// `a STARTS WITH b`
    Tested(TextTest, Box<[Expression; 2]>),
    /// `a IN b`
    In(Box<[Expression; 2]>),
    /// `a IS NULL`
    IsNull(Box<Expression>),
    /// `a IS NOT NULL`
    IsNotNull(Box<Expression>),
    /// `a IS :: INTEGER`, `CAST(a AS INTEGER)`
    Typed(Typing, Box<Expression>, DataType),
    /// `a:Label`, also of a relationship and its type
    Labelled(Box<Expression>, Labels),
    /// `a:$(b)`; with true `a:$any(b)`
    LabelledBy(Box<[Expression; 2]>, bool),
    /// `a < b <= c`
    Comparison(Box<Expression>, Vec<(Comparison, Expression)>),
    /// `NOT a`
    Not(Box<Expression>),
    /// All of them.
    And(Vec<Expression>),
    /// Any of them.
    Or(Vec<Expression>),
    /// An odd number of them.
    Xor(Vec<Expression>),
    /// A function by its name in lower case.
    Call(Arc<str>, Vec<Expression>),
    /// `CASE ... END`
    Case(Box<Case>),
    /// `[x IN list WHERE a | b]`
    Comprehension(Box<Comprehension>),
    /// `all(x IN list WHERE a)`
    Quantified(Box<Quantified>),
    /// `reduce(sum = 0, x IN list | sum + x)`
    Reduce(Box<Reduce>),
    /// `n {.name, age: 1}`
    MapProjection(Box<MapProjection>),
    /// A question about the rows of another plan.
    Subquery(Box<Subquery>),
    /// A path of nodes, relationships and lists of relationships in slots.
    Path(Vec<Slot>),
}

/// A value of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `null`
    Null,
    /// `true`
    Boolean(bool),
    /// 64 bits
    Integer(i64),
    /// 64 bits
    Float(f64),
    /// UTF-8
    Text(Arc<str>),
}

/// A step of [`Expression::Access`].
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `.name`
    Property(Arc<str>),
    /// `[i]`
    Index(Expression),
    /// `[from..to]`
    Slice(Option<Expression>, Option<Expression>),
}

/// A case, simple if it has an operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Operand of a simple case.
    pub operand: Option<Expression>,
    /// Conditions, or tests of the operand, with their result.
    pub branches: Vec<(Vec<When<Expression>>, Expression)>,
    /// `ELSE`
    pub otherwise: Option<Expression>,
}

/// A list comprehension.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// Each element.
    pub variable: Slot,
    /// Their list.
    pub list: Expression,
    /// Which of them.
    pub filter: Option<Expression>,
    /// Value of each that stays.
    pub value: Option<Expression>,
}

/// A condition on the elements of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantified {
    /// How many of them.
    pub quantity: Quantity,
    /// Each element.
    pub variable: Slot,
    /// Their list.
    pub list: Expression,
    /// The condition.
    pub filter: Expression,
}

/// A fold of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// The value so far.
    pub accumulator: Slot,
    /// Its first value.
    pub initial: Expression,
    /// Each element.
    pub variable: Slot,
    /// Their list.
    pub list: Expression,
    /// The next value.
    pub step: Expression,
}

/// A map of parts of a node, relationship or map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapProjection {
    /// Of what.
    pub source: Expression,
    /// Its parts, later ones replace earlier ones.
    pub items: Vec<MapItem>,
}

/// A part of a map projection.
#[derive(Clone, Debug, PartialEq)]
pub enum MapItem {
    /// `.*`
    All,
    /// `.name`
    Property(Arc<str>),
    /// `name: a`
    Entry(Arc<str>, Expression),
}

/// A question about the rows of another plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    /// The question.
    pub kind: SubqueryKind,
    /// The plan, over rows with the slots of the one where the question is asked.
    pub plan: Plan,
    /// Slot of the values that are collected.
    pub value: Option<Slot>,
}

/// An aggregation.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Its name in lower case; `count` without arguments counts rows.
    pub name: Arc<str>,
    /// Whether equal values count once.
    pub distinct: bool,
    /// Arguments.
    pub arguments: Vec<Expression>,
}

impl Aggregate {
    /// `count(*)`
    pub fn rows() -> Self {
        Aggregate {
            name: "count".into(),
            distinct: false,
            arguments: Vec::new(),
        }
    }
}

impl Expression {
    /// Null.
    pub const NULL: Expression = Expression::Constant(Constant::Null);

    /// A property of a slot.
    pub fn property(slot: Slot, key: &str) -> Self {
        Expression::Access(
            Box::new(Expression::Slot(slot)),
            vec![Step::Property(key.into())],
        )
    }

    /// Whether two are equal.
    pub fn equal(left: Expression, right: Expression) -> Self {
        Expression::Comparison(Box::new(left), vec![(Comparison::Equal, right)])
    }

    /// Both sides and how they are compared, if it compares two values.
    pub(crate) fn as_comparison(&self) -> Option<(&Expression, Comparison, &Expression)> {
        match self {
            Expression::Comparison(left, others) => match others.as_slice() {
                [(comparison, right)] => Some((left, *comparison, right)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The slots of `a <> b`.
    pub(crate) fn as_unequal(&self) -> Option<(Slot, Slot)> {
        match self.as_comparison()? {
            (Expression::Slot(one), Comparison::Unequal, Expression::Slot(other)) => {
                Some((*one, *other))
            }
            _ => None,
        }
    }

    /// The key, how it is compared and with what, for each side that is a property of a slot
    /// if it compares two values.
    pub(crate) fn comparisons_of(
        &self,
        slot: Slot,
    ) -> impl Iterator<Item = (&Arc<str>, Comparison, &Expression)> {
        let sides = self.as_comparison().map(|(left, comparison, right)| {
            [(left, comparison, right), (right, turned(comparison), left)]
        });
        let sides = sides.into_iter().flatten();
        sides.filter_map(
            move |(property, comparison, value)| match property.as_property() {
                Some((of, key)) if of == slot => Some((key, comparison, value)),
                _ => None,
            },
        )
    }

    /// The slot and key, if it is a property of a slot.
    pub fn as_property(&self) -> Option<(Slot, &Arc<str>)> {
        match self {
            Expression::Access(of, steps) => match (&**of, steps.as_slice()) {
                (Expression::Slot(slot), [Step::Property(key)]) => Some((*slot, key)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The same comparison from right to left.
pub(crate) fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
