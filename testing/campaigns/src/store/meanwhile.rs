//! Commits that come while a merge is under way: of what they bring, the merge stores some
//! (external ids, facts) and leaves the rest to the log.

use std::sync::{Arc, Mutex};

use evergraph_storage::failpoint::Scope;
use evergraph_topology::{Batch, Store, TopologyError};

/// Merges, and commits `batches` when the sections are written and their root is not; behind
/// the merge if the log might have no room for them, for which they would wait for it.
/// One thread does both, so that a replay does the same.
pub(super) fn checkpoint(store: &Arc<Store>, batches: Vec<Batch>) -> Result<(), TopologyError> {
    let (used, most) = store.log_fill();
    // A record is an eighth of the ring at most, and as much is lost where a lap ends.
    let has_room = used + (batches.len() as u64 + 1) * (most / 8) <= most;
    let committed = Arc::new(Mutex::new(None));
    let meanwhile = {
        let (store, batches, committed) =
            (Arc::clone(store), batches.clone(), Arc::clone(&committed));
        move |time| {
            if time == 1 && has_room {
                let result = store.commit_all(batches.clone());
                *committed.lock().expect("no test panics here") = Some(result);
            }
        }
    };
    let merged = {
        let _armed = Scope::calling("checkpoint.sections-written", meanwhile).enter();
        store.checkpoint()
    };
    merged?;
    let committed = committed.lock().expect("no test panics here").take();
    // Without room; or there was nothing to merge.
    committed.unwrap_or_else(|| store.commit_all(batches))?;
    Ok(())
}
