//! Writing by transactions, bulk loads, and the checks before a commit.

pub(in crate::graph) mod commit;
pub(in crate::graph) mod guard;
pub(in crate::graph) mod limit_check;
pub(in crate::graph) mod load;
pub(in crate::graph) mod load_check;
mod load_part;
pub(in crate::graph) mod writes;
