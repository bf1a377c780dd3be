//! Operators and words: their texts, and how they bind.

/// Defines an enumeration whose variants are each written as one text.
#[macro_export]
macro_rules! written {
    (
        $(#[$about:meta])*
        $name:ident, $(#[$about_text:meta])* $text:ident:
        $($(#[$note:meta])* $variant:ident = $written:literal,)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $written, "`")] $(#[$note])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: [$name; [$($written),*].len()] = [$($name::$variant),*];

            $(#[$about_text])*
            pub fn $text(self) -> &'static str {
                match self {
                    $($name::$variant => $written,)*
                }
            }
        }
    };
}

written! {
    /// Operators of numbers, strings and lists.
    Operator,
    /// Its sign.
    sign:
    Add = "+",
    Subtract = "-",
    Concatenate = "||",
    Multiply = "*",
    Divide = "/",
    Modulo = "%",
    Power = "^",
}

written! {
    /// Operators that compare.
    Comparison,
    /// Its sign.
    sign:
    Equal = "=",
    Unequal = "<>",
    Less = "<",
    LessOrEqual = "<=",
    Greater = ">",
    GreaterOrEqual = ">=",
}

written! {
    /// Tests of strings.
    TextTest,
    /// Its words.
    words:
    StartsWith = "STARTS WITH",
    EndsWith = "ENDS WITH",
    Contains = "CONTAINS",
    /// of the whole string
    Matches = "=~",
}

written! {
    /// How many elements are to satisfy a condition.
    Quantity,
    /// Its word.
    word:
    All = "all",
    Any = "any",
    None = "none",
    Single = "single",
}

written! {
    /// Question about a subquery's rows.
    SubqueryKind,
    /// Its word.
    word:
    /// whether there are any
    Exists = "EXISTS",
    /// how many
    Count = "COUNT",
    /// a list of their values
    Collect = "COLLECT",
}

written! {
    /// Whether a path may have nodes or relationships twice.
    #[derive(Default)]
    PathMode,
    /// Its word.
    word:
    /// nodes and relationships
    Walk = "WALK",
    /// nodes, but no relationship
    #[default]
    Trail = "TRAIL",
    /// neither
    Acyclic = "ACYCLIC",
    /// neither, but that the last node may be the first
    Simple = "SIMPLE",
}

written! {
    /// Effect of an error in one of several transactions.
    #[derive(Default)]
    OnError,
    /// Its word.
    word:
    /// the statement fails
    #[default]
    Fail = "FAIL",
    /// no other transaction is begun
    Break = "BREAK",
    /// the others are run
    Continue = "CONTINUE",
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
}

impl PathMode {
    /// That of a path which names none, in a clause whose relationships may repeat or not.
    pub fn unwritten(repeatable: bool) -> Self {
        match repeatable {
            true => PathMode::Walk,
            false => PathMode::Trail,
        }
    }
}
