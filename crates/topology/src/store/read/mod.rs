//! Reading: lists, views, moments, checks.

pub(in crate::store) mod check;
pub(in crate::store) mod lists;
pub(in crate::store) mod many;
pub(in crate::store) mod past;
pub(in crate::store) mod pinned;
pub(in crate::store) mod sealed;
