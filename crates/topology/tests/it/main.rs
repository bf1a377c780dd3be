//! Integration tests, all in one program: it links once.

mod beside;
mod closing;
mod common;
mod damage;
mod enqueue;
mod full_disk;
mod limited;
mod panics;
mod pins;
mod queried;
mod relationships;
mod ring;
mod sealed;
mod shards;
mod snapshots;
mod store;
mod vertices;
