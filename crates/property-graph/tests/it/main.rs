//! Integration tests, all in one program: it links once.

mod graph;
mod isolation;
