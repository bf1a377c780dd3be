//! What is computed of each row of a batch.

use crate::NotCompiled;

/// Types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// 64 bits, signed
    Integer,
    /// IEEE 754, 64 bits
    Float,
    /// true or false
    Boolean,
    /// An integer from 0 to 2^32 - 1, in 32 bits; a value is an [`Type::Integer`].
    Id,
    /// An integer from -2^bits to 2^bits - 1, one of [`SMALL_BITS`], in 64 bits; a value is
    /// an [`Type::Integer`]. Sums and products of some need not be watched.
    Small(u8),
}

/// Of integers that are small: how many bits they have at most besides their sign. Few, so
/// that code for one is code for others.
pub const SMALL_BITS: [u8; 6] = [4, 8, 16, 24, 30, 31];

/// The least of [`SMALL_BITS`] for an integer; `None` if it is not small.
pub fn small_bits(number: i64) -> Option<u8> {
    bits_of(changes(number))
}

/// A bit for each two of an integer beside each other that differ, at the upper one: the
/// highest is behind all that an integer has besides its sign, also of a union of some.
pub(crate) fn changes(number: i64) -> i64 {
    number ^ (number << 1)
}

/// The least of [`SMALL_BITS`] for integers with a union of such bits.
pub(crate) fn bits_of(changes: i64) -> Option<u8> {
    let wanted = i64::BITS.saturating_sub(changes.leading_zeros() + 1);
    let found = SMALL_BITS.iter().find(|&&bits| u32::from(bits) >= wanted);
    found.copied()
}

impl Type {
    /// The type of a value of it.
    pub(crate) fn of_value(self) -> Type {
        match self {
            Type::Integer | Type::Id | Type::Small(_) => Type::Integer,
            Type::Float | Type::Boolean => self,
        }
    }
}

/// What is known of an input before the rows are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A value a row.
    Column {
        /// The type of all values.
        of: Type,
        /// Whether rows may be null.
        nullable: bool,
        /// Whether rows are those of the column with numbers that are given.
        taken: bool,
    },
    /// One value for all rows, not null.
    Same(Type),
    /// One integer for all rows, which is part of the code: dividing by it is cheap.
    Constant(i64),
}

impl Kind {
    /// The type of its values.
    pub fn of(self) -> Type {
        match self {
            Kind::Column { of, .. } | Kind::Same(of) => of.of_value(),
            Kind::Constant(_) => Type::Integer,
        }
    }

    /// Whether code for it does for an input of the other kind: that of wider integers does.
    pub(crate) fn takes(self, other: Kind) -> bool {
        let narrower = |of: Type, other: Type| match (of, other) {
            (Type::Small(bits), Type::Small(others)) => others <= bits,
            (of, other) => of == other,
        };
        match (self, other) {
            (Kind::Same(of), Kind::Same(other)) => narrower(of, other),
            (
                Kind::Column {
                    of,
                    nullable,
                    taken,
                },
                Kind::Column {
                    of: other,
                    nullable: other_nullable,
                    taken: other_taken,
                },
            ) => narrower(of, other) && (nullable, taken) == (other_nullable, other_taken),
            (one, other) => one == other,
        }
    }

    /// Whether a row may be null.
    pub fn is_nullable(self) -> bool {
        matches!(self, Kind::Column { nullable: true, .. })
    }
}

/// Operators on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, of integers towards zero
    Divide,
    /// `a % b`, of integers
    Modulo,
}

/// Comparisons; of floats as in IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `a = b`
    Equal,
    /// `a <> b`
    Unequal,
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterOrEqual,
}

/// A value of a row. Null, wherever an operand is null, but for what decides without it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// The input of a number.
    Input(usize),
    /// Two numbers.
    Arithmetic(Arithmetic, Box<[Term; 2]>),
    /// `-a`
    Negative(Box<Term>),
    /// Two numbers, or whether two truth values are equal.
    Comparison(Comparison, Box<[Term; 2]>),
    /// `NOT a`
    Not(Box<Term>),
    /// All of them.
    And(Vec<Term>),
    /// Any of them.
    Or(Vec<Term>),
    /// An odd number of them.
    Xor(Vec<Term>),
    /// Whether it is null.
    IsNull(Box<Term>),
    /// The value beside the first condition that is true, or else the last value; null
    /// without. All values are of one type.
    Case(Vec<(Term, Term)>, Option<Box<Term>>),
    /// The first that is not null. All are of one type.
    Coalesce(Vec<Term>),
}

/// What is wanted of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Results {
    /// The rows for which all of them are true.
    Rows(Vec<Term>),
    /// Their values, of each row.
    Columns(Vec<Term>),
    /// Of the rows for which the first terms, so many, are true: how many they are, and of
    /// each other term in how many of them it is not null, and of integers their sum.
    Totals(Vec<Term>, usize),
}

/// What is computed of each row of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// What is known of the inputs.
    pub inputs: Vec<Kind>,
    /// What is wanted.
    pub results: Results,
}

impl Program {
    /// Programs of more terms are not compiled: the time grows with their number.
    pub const MOST_TERMS: usize = 1024;
    /// Nor are those of terms so many within each other: each takes stack.
    pub const MOST_DEPTH: usize = 64;

    /// The terms.
    pub fn terms(&self) -> &[Term] {
        match &self.results {
            Results::Rows(terms) | Results::Columns(terms) | Results::Totals(terms, _) => terms,
        }
    }

    /// Checks that it can be compiled. Returns the types of its terms.
    ///
    /// # Errors
    /// Types that do not fit, or too many terms.
    pub fn check(&self) -> Result<Vec<Type>, NotCompiled> {
        let is_known = |kind: &Kind| match kind {
            Kind::Column { of, .. } | Kind::Same(of) => match of {
                Type::Small(bits) => SMALL_BITS.contains(bits),
                _ => true,
            },
            Kind::Constant(_) => true,
        };
        if !self.inputs.iter().all(is_known) {
            return Err(NotCompiled::Types);
        }
        let terms = self.terms().iter().map(Term::size).sum();
        if terms > Program::MOST_TERMS {
            let limit = Program::MOST_TERMS;
            return Err(NotCompiled::TooLong { terms, limit });
        }
        if self
            .terms()
            .iter()
            .any(|term| term.depth() > Program::MOST_DEPTH)
        {
            return Err(NotCompiled::TooDeep);
        }
        let types = self.terms().iter().map(|term| self.type_of(term));
        let types: Vec<Type> = types.collect::<Result<_, _>>()?;
        let conditions = match self.results {
            Results::Rows(_) => types.len(),
            Results::Columns(_) => 0,
            Results::Totals(_, conditions) => conditions,
        };
        let are_truths = |types: &[Type]| types.iter().all(|of| *of == Type::Boolean);
        match types.get(..conditions).is_some_and(are_truths) {
            true => Ok(types),
            false => Err(NotCompiled::Types),
        }
    }

    fn type_of(&self, term: &Term) -> Result<Type, NotCompiled> {
        let all_of = |terms: &[Term], wanted| {
            let all = terms.iter().try_for_each(|term| self.wanted(term, wanted));
            all.map(|()| wanted)
        };
        match term {
            Term::Input(number) => match self.inputs.get(*number) {
                Some(kind) => Ok(kind.of()),
                None => Err(NotCompiled::Types),
            },
            Term::Arithmetic(operator, pair) => {
                match (operator, self.type_of(&pair[0])?, self.type_of(&pair[1])?) {
                    (_, Type::Boolean, _) | (_, _, Type::Boolean) => Err(NotCompiled::Types),
                    (_, Type::Integer, Type::Integer) => Ok(Type::Integer),
                    (Arithmetic::Modulo, ..) => Err(NotCompiled::Types),
                    _ => Ok(Type::Float),
                }
            }
            Term::Negative(of) => match self.type_of(of)? {
                Type::Boolean => Err(NotCompiled::Types),
                number => Ok(number),
            },
            Term::Comparison(comparison, pair) => {
                let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
                match (self.type_of(&pair[0])?, self.type_of(&pair[1])?) {
                    (Type::Boolean, Type::Boolean) if !is_order => Ok(Type::Boolean),
                    (Type::Boolean, _) | (_, Type::Boolean) => Err(NotCompiled::Types),
                    _ => Ok(Type::Boolean),
                }
            }
            Term::Not(of) => self.wanted(of, Type::Boolean).map(|()| Type::Boolean),
            Term::And(terms) | Term::Or(terms) | Term::Xor(terms) => all_of(terms, Type::Boolean),
            Term::IsNull(of) => self.type_of(of).map(|_| Type::Boolean),
            Term::Case(branches, otherwise) => {
                let Some((_, first)) = branches.first() else {
                    return Err(NotCompiled::Types);
                };
                let wanted = self.type_of(first)?;
                for (condition, value) in branches {
                    self.wanted(condition, Type::Boolean)?;
                    self.wanted(value, wanted)?;
                }
                match otherwise {
                    Some(otherwise) => self.wanted(otherwise, wanted).map(|()| wanted),
                    None => Ok(wanted),
                }
            }
            Term::Coalesce(terms) => match terms.first() {
                Some(first) => all_of(terms, self.type_of(first)?),
                None => Err(NotCompiled::Types),
            },
        }
    }

    fn wanted(&self, term: &Term, wanted: Type) -> Result<(), NotCompiled> {
        match self.type_of(term)? == wanted {
            true => Ok(()),
            false => Err(NotCompiled::Types),
        }
    }
}

impl Term {
    /// The terms that it is made of.
    fn parts(&self) -> Vec<&Term> {
        match self {
            Term::Input(_) => Vec::new(),
            Term::Arithmetic(_, pair) | Term::Comparison(_, pair) => pair.iter().collect(),
            Term::Negative(of) | Term::Not(of) | Term::IsNull(of) => vec![of],
            Term::And(terms) | Term::Or(terms) | Term::Xor(terms) | Term::Coalesce(terms) => {
                terms.iter().collect()
            }
            Term::Case(branches, otherwise) => {
                let branches = branches.iter().flat_map(|(a, b)| [a, b]);
                branches.chain(otherwise.as_deref()).collect()
            }
        }
    }

    /// How many terms it is made of, itself among them.
    pub fn size(&self) -> usize {
        1 + self.parts().into_iter().map(Term::size).sum::<usize>()
    }

    /// How many of its terms are no inputs.
    pub fn operators(&self) -> usize {
        let of_parts: usize = self.parts().into_iter().map(Term::operators).sum();
        of_parts + usize::from(!matches!(self, Term::Input(_)))
    }

    /// Whether anything is divided by an input.
    pub fn divides_by(&self, input: usize) -> bool {
        match self {
            Term::Arithmetic(Arithmetic::Divide | Arithmetic::Modulo, pair)
                if pair[1] == Term::Input(input) =>
            {
                true
            }
            _ => self.parts().into_iter().any(|one| one.divides_by(input)),
        }
    }

    /// How many terms are within each other.
    pub fn depth(&self) -> usize {
        let parts = self.parts().into_iter();
        1 + parts.map(Term::depth).max().unwrap_or(0)
    }
}
