//! Repair of indexes that were damaged, and building of those that were never stored.
//!
//! An index is never trusted after damage. The reader or checkpoint that meets the damage
//! gives the index up; lookups read all records instead, and the next commit or
//! checkpoint that a caller asks for builds it again from the records, while others read
//! and write. Damaged records are an error wherever they are read, also here: then the
//! index stays away.

use std::slice;
use std::sync::Arc;

use super::build::build;
use crate::graph::core::Core;
use crate::graph::schema::Entry;

/// Builds the indexes that were given up. One that cannot be built stays given up: the
/// cause, a damaged record or a full disk, is an error of the next caller that reads or
/// writes there.
pub(in crate::graph) fn repair_indexes(core: &Arc<Core>) {
    let schema = &core.state.schema;
    schema.repair(|damaged| build_if_possible(core, damaged));
}

/// Builds the indexes that have no content: those that were damaged, and those that
/// no checkpoint has stored. As [`repair_indexes`] for those that cannot be built.
pub(in crate::graph) fn build_missing_indexes(core: &Arc<Core>) {
    let is_missing = |entry: &&Arc<Entry>| matches!(&entry.index, Some(i) if !i.is_built());
    let entries = core.state.schema.entries();
    let missing: Vec<Arc<Entry>> = entries.iter().filter(is_missing).cloned().collect();
    build_if_possible(core, &missing);
    for entry in missing.iter().filter(is_missing) {
        entry.index.iter().for_each(|index| index.damaged());
    }
}

/// Builds the indexes of some entries. One that cannot be built is given up.
pub(super) fn build_or_give_up(core: &Arc<Core>, entries: &[Arc<Entry>]) {
    build_if_possible(core, entries);
    let indexes = entries.iter().filter_map(|entry| entry.index.as_ref());
    indexes
        .filter(|index| !index.is_built())
        .for_each(|index| core.state.schema.give_up(index));
}

/// Builds all of them at once, or, where one is in the way, each by itself.
fn build_if_possible(core: &Arc<Core>, entries: &[Arc<Entry>]) {
    if entries.is_empty() || build(core, entries, None).is_ok() || entries.len() == 1 {
        return;
    }
    for entry in entries {
        let is_built = entry.index.as_ref().is_some_and(|index| index.is_built());
        if !is_built {
            let _ = build(core, slice::from_ref(entry), None);
        }
    }
}
