//! Compiled programs against a plain evaluation of their terms.

mod compiler;
mod programs;
mod reference;
