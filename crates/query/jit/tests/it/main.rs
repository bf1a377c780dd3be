//! Compiled programs against a plain evaluation of their terms.

mod compiler;
mod lanes;
mod programs;
mod reference;
