//! Integration tests, all in one program: it links once.

mod files;
mod network;
