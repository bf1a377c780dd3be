//! Expressions.

use super::{
    Comparison, DataType, Map, Name, Operator, PathPattern, Quantity, Query, Span, StatementLabels,
    SubqueryKind, TextTest, Typing,
};

/// An expression, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Its form.
    pub node: Node,
    /// Where it stands, without parentheses around it.
    pub at: Span,
}

/// The forms of an expression. Chains of operators of one precedence are flat, so that
/// the depth of a tree is bounded by the nesting of its text.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// An integer, with its sign.
    Integer(i64),
    /// A finite float, with its sign.
    Float(f64),
    /// A string without quotes and escapes.
    Text(String),
    /// `$name`
    Parameter(String),
    /// A variable.
    Variable(String),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{a: 1}`
    Map(Map),
    /// `a.b[0][1..]`, at least one step.
    Access(Box<Expression>, Vec<Access>),
    /// `-a`
    Negative(Box<Expression>),
    /// `+a`
    Positive(Box<Expression>),
    /// `a + b - c`: operators of one precedence, from left to right, at least one.
    Arithmetic(Box<Expression>, Vec<(Operator, Expression)>),
    /// `a STARTS WITH b`
    Tested(TextTest, Box<(Expression, Expression)>),
    /// `a IN b`
    In(Box<(Expression, Expression)>),
    /// `a IS NULL`
    IsNull(Box<Expression>),
    /// `a IS NOT NULL`
    IsNotNull(Box<Expression>),
    /// `a IS :: INTEGER`, `CAST(a AS INTEGER)`
    Typed(Typing, Box<Expression>, DataType),
    /// `a:Label`; what labels that are computed are asked of is a variable.
    Labelled(Box<Expression>, StatementLabels),
    /// `a < b <= c` is `a < b AND b <= c`; at least one.
    Comparison(Box<Expression>, Vec<(Comparison, Expression)>),
    /// `NOT a`
    Not(Box<Expression>),
    /// Two or more, as of the next two.
    And(Vec<Expression>),
    /// See [`Node::And`].
    Xor(Vec<Expression>),
    /// See [`Node::And`].
    Or(Vec<Expression>),
    /// `name(a, b)`
    Call(Box<FunctionCall>),
    /// `count(*)`
    CountAll,
    /// `CASE ... END`
    Case(Box<Case>),
    /// `[x IN list WHERE a | b]`
    ListComprehension(Box<ListComprehension>),
    /// `[(a)-->(b) WHERE c | d]`
    PatternComprehension(Box<PatternComprehension>),
    /// `all(x IN list WHERE a)`
    Quantified(Box<Quantified>),
    /// `reduce(sum = 0, x IN list | sum + x)`
    Reduce(Box<Reduce>),
    /// `n {.name, age: 1}`
    MapProjection(Box<MapProjection>),
    /// `EXISTS { ... }`, `COUNT { ... }`, `COLLECT { ... }`
    Subquery(SubqueryKind, Box<Query>),
    /// `EXISTS { (a)-->(b) WHERE c }` and `COUNT { ... }` of patterns.
    PatternSubquery(SubqueryKind, Box<PatternSubquery>),
    /// A pattern as a condition, or `shortestPath((a)-[*]-(b))`.
    Pattern(Box<PathPattern>),
}

/// A step of [`Node::Access`].
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// `.name`
    Property(Name),
    /// `[i]`
    Index(Expression),
    /// `[from..to]`
    Slice(Option<Expression>, Option<Expression>),
}

/// The call of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// Its name, with namespaces: `duration.between` has two parts.
    pub name: Vec<Name>,
    /// Whether equal arguments of an aggregation count once.
    pub distinct: bool,
    /// Arguments.
    pub arguments: Vec<Expression>,
}

impl FunctionCall {
    /// Its name with namespaces, as it is written.
    pub fn full_name(&self) -> String {
        let parts: Vec<&str> = self.name.iter().map(|part| &*part.text).collect();
        parts.join(".")
    }
}

/// A case, simple if it has an operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Operand of a simple case.
    pub operand: Option<Expression>,
    /// At least one.
    pub branches: Vec<Branch>,
    /// `ELSE`
    pub otherwise: Option<Expression>,
}

/// `WHEN a, b THEN c`: a condition, or tests of the operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// At least one; without an operand only one, [`When::Value`].
    pub when: Vec<When>,
    /// Its value.
    pub then: Expression,
}

/// An alternative behind `WHEN`. The operand is no part of it, so that a tree of cases
/// within operands does not grow with their depth.
#[derive(Clone, Debug, PartialEq)]
pub enum When<E = Expression> {
    /// A condition, or a value that the operand is equal to.
    Value(E),
    /// `< a`
    Compared(Comparison, E),
    /// `STARTS WITH a`
    Tested(TextTest, E),
    /// `IN a`
    In(E),
    /// `IS NULL` and `IS NOT NULL`, for example
    Is {
        /// Whether `NOT` stands before it.
        not: bool,
        /// The predicate.
        what: Predicate,
    },
}

/// A predicate of an operand alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `NULL`
    Null,
    /// `:: INTEGER`
    Typed(DataType),
    /// `NFC NORMALIZED`
    Normalized(&'static str),
}

impl<E> When<E> {
    /// The expression in it.
    pub fn value(&self) -> Option<&E> {
        match self {
            When::Value(value)
            | When::Compared(_, value)
            | When::Tested(_, value)
            | When::In(value) => Some(value),
            When::Is { .. } => None,
        }
    }

    /// The same of another kind of expressions.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn try_map<F, X>(&self, change: impl FnOnce(&E) -> Result<F, X>) -> Result<When<F>, X> {
        Ok(match self {
            When::Value(value) => When::Value(change(value)?),
            When::Compared(comparison, value) => When::Compared(*comparison, change(value)?),
            When::Tested(test, value) => When::Tested(*test, change(value)?),
            When::In(value) => When::In(change(value)?),
            When::Is { not, what } => When::Is {
                not: *not,
                what: what.clone(),
            },
        })
    }
}

/// A list comprehension.
#[derive(Clone, Debug, PartialEq)]
pub struct ListComprehension {
    /// Each element.
    pub variable: Name,
    /// Their list.
    pub list: Expression,
    /// `WHERE`
    pub filter: Option<Expression>,
    /// Behind `|`.
    pub value: Option<Expression>,
}

/// A pattern comprehension; the pattern may name its path.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternComprehension {
    /// Pattern of the matches.
    pub pattern: PathPattern,
    /// `WHERE`
    pub filter: Option<Expression>,
    /// Behind `|`.
    pub value: Expression,
}

/// A condition on the elements of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantified {
    /// How many of them.
    pub quantity: Quantity,
    /// Each element.
    pub variable: Name,
    /// Their list.
    pub list: Expression,
    /// The condition.
    pub filter: Expression,
}

/// A fold of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// The value so far.
    pub accumulator: Name,
    /// Its first value.
    pub initial: Expression,
    /// Each element.
    pub variable: Name,
    /// Their list.
    pub list: Expression,
    /// The next value.
    pub step: Expression,
}

/// A map of parts of a node, relationship or map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapProjection {
    /// Of what.
    pub variable: Name,
    /// Its parts.
    pub items: Vec<MapItem>,
}

/// A part of a map projection.
#[derive(Clone, Debug, PartialEq)]
pub enum MapItem {
    /// `.*`
    All,
    /// `.name`
    Property(Name),
    /// `name`, the value of a variable under its name
    Variable(Name),
    /// `name: a`
    Entry(Name, Expression),
}

/// Patterns whose matches are asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternSubquery {
    /// At least one.
    pub patterns: Vec<PathPattern>,
    /// `WHERE`
    pub filter: Option<Expression>,
}
