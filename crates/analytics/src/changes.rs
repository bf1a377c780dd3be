//! Changes between two views, in the form that maintained algorithms take.

use std::ops::ControlFlow;

use evergraph_algorithms::maintained::{Changes, Entry};
use evergraph_snapshots::{View, diff};

use crate::Error;

/// The entries of out-lists that are new in `after`, and those that are gone.
pub(crate) fn changes_between(before: &View, after: &View) -> Result<Changes, Error> {
    let (mut added, mut removed): (Vec<Entry>, Vec<Entry>) = Default::default();
    let _ = diff(before, after)?.for_each_list(|list| {
        let entry = |&(neighbor, weight)| (list.vertex, neighbor, weight);
        added.extend(list.added.iter().map(entry));
        removed.extend(list.removed.iter().map(entry));
        ControlFlow::Continue(())
    })?;
    Ok(Changes::new(added, removed))
}
