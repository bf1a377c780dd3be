//! Full-text indexes beside reading every node, after damage, and after a kill.

mod damage;
mod kill;
#[path = "../common/killed.rs"]
mod killed;
mod random;
mod scan;
mod threads;
