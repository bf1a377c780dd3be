//! The thread that merges in the background.

use std::time::{Duration, Instant};

use evergraph::{Database, MediumKind, Options};
use evergraph_storage::failpoint::Scope;

/// It may have been in the middle of anything: commits do not go on over it.
#[test]
fn a_panic_of_the_merging_thread_is_told_to_who_commits() {
    let options = Options {
        medium: MediumKind::Dram,
        background: true,
        ..Options::default()
    };
    let armed = Scope::armed("merger.woken=panic").enter();
    let db = Database::create("in memory", &options).expect("a database");
    drop(armed);
    // After that, it hangs.
    let for_ever = Instant::now() + Duration::from_secs(120);
    let refused = loop {
        match db.insert_edges(&[(0, 1)]) {
            Ok(_) => assert!(Instant::now() < for_ever, "commits go on"),
            Err(error) => break error.to_string(),
        }
        std::thread::yield_now();
    };
    assert!(refused.contains("a thread panicked"), "{refused}");
    assert!(db.check().problems.is_empty(), "reads go on");
}
