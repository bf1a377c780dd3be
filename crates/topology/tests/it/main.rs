//! Integration tests, all in one program: it links once.

mod closing;
mod damage;
mod enqueue;
mod pins;
mod queried;
mod relationships;
mod sealed;
mod shards;
mod snapshots;
mod store;
mod vertices;
