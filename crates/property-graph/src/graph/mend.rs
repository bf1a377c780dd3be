//! Building indexes: new ones, and those that were damaged.
//!
//! An index is never trusted after damage. Whoever meets it, a reader or a
//! checkpoint, gives the index up; lookups read all records instead, and the next
//! commit or checkpoint that a caller asks for builds it again from the records,
//! while others read and write. Records that are damaged are an error wherever they
//! are met, also here: then the index stays away.

use std::collections::HashSet;
use std::sync::Arc;

use super::core::Core;
use super::error::GraphError;
use super::scan::RelationshipScan;
use super::schema::{Entry, Governed, SubjectCode};
use super::view::View;
use crate::index::Collector;

/// Looks at all records that an entry is about, and builds its index. One pass over
/// the nodes or the relationships.
pub(super) fn build(core: &Arc<Core>, entry: &Entry) -> Result<(), GraphError> {
    let view = View::new(core, core.store.register());
    let mut pass = Pass {
        entry,
        collector: entry.index.as_ref().map(|index| index.collector()),
        seen: HashSet::new(),
    };
    match entry.stored.subject {
        SubjectCode::Label(label) => {
            for node in view.nodes_with_label_code(label) {
                let node = node?;
                pass.take(node.id().0, &**node.record())?;
            }
        }
        SubjectCode::Type(kind) => {
            for relationship in RelationshipScan::of_type(&view, kind) {
                let relationship = relationship?;
                pass.take(relationship.id().0, &**relationship.record())?;
            }
        }
    }
    let (Some(index), Some(collector)) = (&entry.index, pass.collector) else {
        return Ok(());
    };
    let Some((region, uuid)) = core.state.schema.place() else {
        return Ok(());
    };
    Ok(index.build(view.csn(), &region, &uuid, collector)?)
}

/// What is known of the records so far.
struct Pass<'e> {
    entry: &'e Entry,
    collector: Option<Collector>,
    seen: HashSet<Vec<u8>>,
}

impl Pass<'_> {
    fn take<R: Governed>(&mut self, id: u32, record: &R) -> Result<(), GraphError> {
        if let Some(what) = self.entry.violation(record) {
            return Err(self.entry.violated::<R>(id, what));
        }
        let Some(key) = self.entry.key_of(record) else {
            return Ok(());
        };
        if let Some(collector) = &mut self.collector {
            collector.push(&key, id);
        }
        let is_unique = self.entry.stored.rule.is_unique();
        if is_unique && !self.seen.insert(key) {
            let what = format!("another {} has the same values", R::KIND);
            return Err(self.entry.violated::<R>(id, &what));
        }
        Ok(())
    }
}

/// Builds the indexes that were given up. One that cannot be built stays given up:
/// what is in the way, a damaged record or a full disk, is an error of whoever reads
/// or writes there.
pub(super) fn mend_indexes(core: &Arc<Core>) {
    core.state.schema.mend(|entry| drop(build(core, entry)));
}

/// Builds the indexes that have no content: those that were damaged, and those that
/// no checkpoint has stored. As [`mend_indexes`] for those that cannot be built.
pub(super) fn build_missing_indexes(core: &Arc<Core>) {
    for entry in core.state.schema.entries().iter() {
        if let Some(index) = entry.index.as_ref().filter(|index| !index.is_built())
            && build(core, entry).is_err()
        {
            index.damaged();
        }
    }
}
