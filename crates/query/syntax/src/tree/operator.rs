//! Operators: their texts, and how they bind.

/// Operators of numbers, strings and lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `||`
    Concatenate,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `^`
    Power,
}

/// Operators that compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// Tests of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextTest {
    /// `STARTS WITH`
    StartsWith,
    /// `ENDS WITH`
    EndsWith,
    /// `CONTAINS`
    Contains,
    /// `=~`, of the whole string
    Matches,
}

/// How many elements are to satisfy a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `all`
    All,
    /// `any`
    Any,
    /// `none`
    None,
    /// `single`
    Single,
}

/// Question about a subquery's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubqueryKind {
    /// Whether there are any.
    Exists,
    /// How many.
    Count,
    /// A list of their values.
    Collect,
}

/// Use of a type with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// `IS ::`: whether the value is of the type.
    Is,
    /// `CAST`: the value as one of the type.
    Cast,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 7] = [
        Operator::Add,
        Operator::Subtract,
        Operator::Concatenate,
        Operator::Multiply,
        Operator::Divide,
        Operator::Modulo,
        Operator::Power,
    ];

    /// Number of the precedences.
    pub const PRECEDENCES: u8 = 3;

    /// The greater, the more it binds.
    pub fn precedence(self) -> u8 {
        match self {
            Operator::Add | Operator::Subtract | Operator::Concatenate => 0,
            Operator::Multiply | Operator::Divide | Operator::Modulo => 1,
            Operator::Power => 2,
        }
    }

    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Concatenate => "||",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
            Operator::Power => "^",
        }
    }
}

impl Comparison {
    /// All of them.
    pub const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];

    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::Unequal => "<>",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl TextTest {
    /// All of them.
    pub const ALL: [TextTest; 4] = [
        TextTest::StartsWith,
        TextTest::EndsWith,
        TextTest::Contains,
        TextTest::Matches,
    ];

    /// Its words.
    pub fn words(self) -> &'static str {
        match self {
            TextTest::StartsWith => "STARTS WITH",
            TextTest::EndsWith => "ENDS WITH",
            TextTest::Contains => "CONTAINS",
            TextTest::Matches => "=~",
        }
    }
}

impl SubqueryKind {
    /// All of them.
    pub const ALL: [SubqueryKind; 3] = [
        SubqueryKind::Exists,
        SubqueryKind::Count,
        SubqueryKind::Collect,
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            SubqueryKind::Exists => "EXISTS",
            SubqueryKind::Count => "COUNT",
            SubqueryKind::Collect => "COLLECT",
        }
    }
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 4] = [
        Quantity::All,
        Quantity::Any,
        Quantity::None,
        Quantity::Single,
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Quantity::All => "all",
            Quantity::Any => "any",
            Quantity::None => "none",
            Quantity::Single => "single",
        }
    }
}
