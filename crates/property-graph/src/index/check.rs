//! Full verification.

use std::sync::Arc;

use super::Index;
use super::base::{Base, Fence};
use super::extent::{LeafExtent, Summary};
use evergraph_storage::StorageError;

impl Index {
    /// Reads all pages again and verifies them; adds one sentence a problem. That
    /// the entries are those of the records is the caller's to compare.
    pub fn check(&self, problems: &mut Vec<String>) {
        let base = self.state.read().base.clone();
        let Some(base) = base else { return };
        let mut last = None;
        for (i, extent) in base.extents.iter().enumerate() {
            let end = (i + 1 < base.extents.len()).then(|| base.fence(i + 1));
            if let Err(error) = check_extent(&base, i, extent, end, &mut last) {
                problems.push(error.to_string());
            }
        }
    }

    /// Offsets and lengths of its extents; the manifest is last.
    #[cfg(test)]
    pub(crate) fn stored_places(&self) -> Vec<(u64, u64)> {
        let base = self.state.read().base.clone();
        let base = base.expect("built before");
        let extents = base.extents.iter().filter_map(|extent| extent.extent());
        let manifest = base.manifest.iter().map(|manifest| &manifest.extent);
        let places = extents.chain(manifest);
        places
            .map(|extent| (extent.offset(), extent.len()))
            .collect()
    }
}

fn check_extent(
    base: &Base,
    number: usize,
    extent: &Arc<LeafExtent>,
    end: Option<Fence>,
    last: &mut Option<Fence>,
) -> Result<(), StorageError> {
    let mut summary = Summary::default();
    for i in 0..extent.leaf_count() {
        let leaf = extent.leaf_again(i)?;
        let from = match (number, i) {
            (0, 0) => Fence::default(),
            (_, 0) => base.fence(number),
            _ => extent.fences()?.get(i),
        };
        let until = match i + 1 < extent.leaf_count() {
            true => Some(extent.fences()?.get(i + 1)),
            false => end.clone(),
        };
        let mut of_leaf = Summary::default();
        for entry in (0..leaf.count()).map(|i| leaf.entry(i)) {
            let key = ([leaf.prefix(), entry.rest].concat(), entry.id);
            let is_between = key >= from && until.as_ref().is_none_or(|until| key < *until);
            if !is_between || last.as_ref().is_some_and(|last| key < *last) {
                return Err(extent.damaged("an entry of an index is in a wrong leaf"));
            }
            of_leaf.add(entry.interval);
            *last = Some(key);
        }
        summary.include(&of_leaf);
    }
    match summary == extent.summary {
        true => Ok(()),
        false => Err(extent.damaged("the entries of an index are not as many as it says")),
    }
}
