//! The index against slow, independent statements of its hits.

mod crashes;
mod damage;
mod host;
mod keys;
mod model;
mod pages;
mod threads;
