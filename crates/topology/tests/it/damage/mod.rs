//! Damaged files: an error or the right graph, never a panic, never another
//! graph. The exceptions are those that `docs/durability.md` names, and they
//! are computed here from the files themselves.

mod blocks;
mod faults;
mod files;
mod fixture;
mod flips;
mod golden;
mod older_pool;
mod reader;
