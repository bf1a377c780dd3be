//! Integration tests, all in one program: it links once.

mod media;
mod media_counters;
mod pins;
