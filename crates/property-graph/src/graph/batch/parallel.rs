//! Scans by all threads.

use rayon::prelude::*;

use super::{Account, Filter, GraphRead};
use crate::graph::error::GraphError;
use crate::graph::view::View;
use crate::record::EntityKind;

impl View {
    /// Ids of the nodes that have a label, a vector a morsel, ascending in each: in
    /// parallel, by the threads of the rayon pool that consumes it. Nothing of a label that
    /// no commit has used.
    pub fn par_nodes(
        &self,
        label: &str,
    ) -> impl ParallelIterator<Item = Result<Vec<u32>, GraphError>> {
        let label = self.label_code(label);
        let morsels = self.morsels(EntityKind::Node);
        let filter = Filter::label(label.unwrap_or_default());
        let count = label.map_or(0, |_| morsels.len());
        let read = move |number: u32| {
            let morsel = morsels.get(number)?;
            let mut ids = Vec::new();
            let read = self.scan(&morsel, &filter, &mut ids, &Account::default());
            Some(read.map(|()| ids))
        };
        (0..count).into_par_iter().filter_map(read)
    }
}
