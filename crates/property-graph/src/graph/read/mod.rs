//! Reading by views and transactions: scans, lookups and neighbors.

pub(in crate::graph) mod adjacency;
pub(in crate::graph) mod counts;
pub(in crate::graph) mod direction;
pub(in crate::graph) mod ends;
pub(in crate::graph) mod estimated;
pub(in crate::graph) mod expander;
pub(in crate::graph) mod find;
pub(in crate::graph) mod loops;
pub(in crate::graph) mod neighbors;
pub(in crate::graph) mod reading;
pub(in crate::graph) mod recalled;
pub(in crate::graph) mod records;
pub(in crate::graph) mod scan;
pub(in crate::graph) mod sorted;
pub(in crate::graph) mod tabled;
pub(in crate::graph) mod types;
