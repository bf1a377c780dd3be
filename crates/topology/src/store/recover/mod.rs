//! Opening: from the root on the medium to a store.

pub(in crate::store) mod beside;
pub(in crate::store) mod open;
pub(in crate::store) mod recovery;
pub(in crate::store) mod replay;
