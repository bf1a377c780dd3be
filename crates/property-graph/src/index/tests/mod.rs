//! The index against slow, independent statements of what it should find.

mod crashes;
mod damage;
mod host;
mod keys;
mod model;
mod pages;
mod threads;
