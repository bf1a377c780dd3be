//! The explorer is proved on toys: correct ones are clean, each broken one is
//! caught. The mutants are those of databases that had them.

mod append_log;
mod failpoints;
mod file;
mod gapped_array;
mod media;
mod reference;
