//! Integration tests, all in one program: it links once.

mod diff;
mod larger_than_memory;
mod parts;
mod views;
