//! Integration tests, all in one program: it links once.

mod arrays;
mod csr;
mod seal;
mod symmetric;
