//! Integration tests, all in one program: it links once.

mod benchmarks;
mod program;
