//! The property graph as a whole: beside a map of maps, under power cuts, under
//! transactions that meet, and as algorithms read it.

mod batches;
mod changes;
mod columns;
mod counts;
mod crash;
mod definitions;
mod engine;
mod estimates;
mod exclusive;
mod follow;
mod golden;
mod kill;
mod load;
mod model;
mod names;
mod neighbors;
mod own_definitions;
mod panics;
mod projection;
mod random;
mod rules;
mod schema;
mod steps;
mod transactions;
