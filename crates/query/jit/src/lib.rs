//! Machine code for the expressions of a query (Poseidon, section 6.2).
//!
//! A [`Program`] is what a filter or a projection computes of each row: terms over columns
//! whose types are known. It becomes one loop over the rows of a batch, with values in
//! registers, no allocation, and no look at a type ([`Code`]). What may differ from batch to
//! batch, the types and whether there are nulls, is looked at once a batch: a batch of
//! another [`Kind`] needs another program.
//!
//! A program computes what an interpreter computes, or says that it does not know: for a
//! batch with a row whose value would be an error (an overflow, a division by zero), it
//! returns [`Unknown`], and the batch is left to the interpreter, which has the error's
//! message.
//!
//! A [`Compiler`] keeps the code of programs, and makes it in a thread of its own. Memory
//! is writable or executable, never both.

#![warn(unreachable_pub)]

mod code;
mod compiler;
mod lower;
mod program;

pub use code::{Code, Input, Numbers, Output, SmallIntegers, TakenRows, Total, Unknown};
pub use compiler::{Compiled, Compiler, Statistics, Stored};
pub use program::{
    Arithmetic, Comparison, Kind, Program, Results, SMALL_BITS, Term, Type, small_bits,
};

/// Why a program has no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCompiled {
    /// Its terms do not fit together, or have types that are not compiled.
    #[error("values of these types are not compiled")]
    Types,
    /// It has too many terms: compiling it would take too long.
    #[error("{terms} terms are more than the {limit} that are compiled")]
    TooLong {
        /// Terms that it has.
        terms: usize,
        /// [`Program::MOST_TERMS`]
        limit: usize,
    },
    /// Too many of its terms are within each other.
    #[error("terms are more than {} within each other", Program::MOST_DEPTH)]
    TooDeep,
    /// The machine is none that code can be made for, or gives no executable memory.
    #[error("no code can be made here: {0}")]
    Machine(String),
    /// There is as much code as there may be.
    #[error("the memory for code is full")]
    Full,
}
