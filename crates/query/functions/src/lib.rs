//! Parts of the expressions of the query language: the values that they have while a
//! query runs, operators and functions, each by value and, where they are used most, on
//! vectors of values.
//!
//! - [`Datum`]: a property value, a node, a relationship, a path, or lists and maps of them.
//! - [`operators`]: arithmetic, comparison, logic, access. [`operators::binary`] is the
//!   definition; [`kernels`] do the same on vectors.
//! - [`functions`]: one table of all functions, from which calls, `SHOW FUNCTIONS` and
//!   `docs/functions.md` come.
//! - [`aggregates`]: aggregations as partial states that can be merged.
//! - [`Environment`]: all that a function may know beside its arguments.
//!
//! Nothing here knows the syntax of the language, nor reads a graph but through
//! [`Entities`].

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod aggregates;
mod datum;
mod environment;
mod error;
pub mod functions;
pub mod kernels;
pub mod operators;
mod order;
mod page;
mod pattern;
mod print;
mod temporal;

pub use datum::{Datum, Elements, Path};
pub use environment::{Clock, Entities, Environment, NoGraph};
pub use error::{ErrorKind, EvaluationError, ReadError};
pub use evergraph_graph::Bytes;
pub use evergraph_syntax::scope::Types;
pub use page::functions_page;
pub use print::print;
pub use temporal::component;
