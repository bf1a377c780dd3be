//! Integration tests, all in one program: it links once.

mod faults;
mod model;
mod pins;
mod promises;
