//! Vector indexes beside measuring every node, after damage, and after a kill.

mod damage;
mod kill;
#[path = "../common/killed.rs"]
mod killed;
mod random;
mod recall;
mod scan;
mod threads;
