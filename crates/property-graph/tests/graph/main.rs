//! The property graph as a whole: beside a map of maps, under power cuts, under
//! transactions that meet, and as algorithms read it.

mod crash;
mod follow;
mod kill;
mod model;
mod projection;
mod random;
mod schema;
mod steps;
mod transactions;
