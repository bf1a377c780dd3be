//! A run ends when it takes more memory than it may. The kernels themselves are held
//! against a meter in `crates/cli/tests/accounting.rs`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use evergraph_algorithms::{Cancelled, Control, RunError, pagerank};
use evergraph_graph::{Csr, StoredLists};

#[test]
fn what_is_taken_beyond_the_limit_ends_the_run() {
    static IN_USE: AtomicUsize = AtomicUsize::new(1000);
    let control = Control::new().with_memory_limit(|| IN_USE.load(Relaxed), 64);
    assert_eq!(control.check(), Ok(()));
    IN_USE.store(1064, Relaxed);
    assert_eq!(control.check(), Ok(()));
    IN_USE.store(1065, Relaxed);
    let over = Cancelled::MemoryLimit {
        needed: 65,
        limit: 64,
    };
    assert_eq!(control.check(), Err(over));
    assert_eq!(control.clone().check(), Err(over));
    let control = control.with_memory_counted_from_now();
    assert_eq!(control.check(), Ok(()));
    assert_eq!(control.with_memory_held(65).check(), Err(over));
    // Less than before the run.
    IN_USE.store(0, Relaxed);
    let control = Control::new().with_memory_limit(|| IN_USE.load(Relaxed), 0);
    assert_eq!(control.check(), Ok(()));
}

#[test]
fn an_array_beyond_the_limit_is_not_made() {
    let control = Control::new().with_memory_limit(|| 0, 800);
    assert_eq!(control.array(7_u64, 100), Ok(vec![7; 100]));
    let over = |needed| Cancelled::MemoryLimit { needed, limit: 800 };
    assert_eq!(control.array(7_u64, 101), Err(over(808)));
    assert_eq!(control.room_for::<u32>(201), Err(over(804)));
    let graph = Csr::from_edges(1000, &[(0, 1)], StoredLists::Both);
    let refused = pagerank::run(&graph, &pagerank::Parameters::default(), &control);
    assert_eq!(refused, Err(RunError::Cancelled(over(8000))));
}

#[test]
fn an_array_that_no_system_has_is_an_error() {
    let bytes = (usize::MAX / 16) as u64 * 8;
    let none = Control::new().array(0_u64, usize::MAX / 16);
    assert_eq!(none, Err(Cancelled::OutOfMemory { bytes }));
    assert!(Control::new().room_for::<u64>(usize::MAX).is_err());
}
