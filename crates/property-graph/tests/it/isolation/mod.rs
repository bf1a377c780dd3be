//! Whether transactions of a property graph are kept apart, seen from outside:
//! one thread in many orders, many threads, and across power cuts.

mod cuts;
mod meetings;
mod subject;
