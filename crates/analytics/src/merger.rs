//! Merging in the background, so that no commit has to wait for room.

use evergraph_storage::{Process, failpoint};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use evergraph_topology::Store;
use parking_lot::{Condvar, Mutex};

use crate::Error;

/// The thread that merges when the log or the buffers fill, and lists that are
/// queried.
pub(crate) struct Merger {
    shared: Arc<MergerShared>,
    thread: Option<JoinHandle<()>>,
    process: Process,
}

struct MergerShared {
    stop: AtomicBool,
    wake: Condvar,
    asleep: Mutex<()>,
}

/// Merges the sections that are due. A few large commits can fill half the log before any
/// section holds back its older half: then everything is merged, so that the log is freed
/// in any case.
fn merge(store: &Store) -> Result<(), Error> {
    let before = store.log_positions().flushing;
    store.merge_what_is_due()?;
    if store.merge_is_due() && store.log_positions().flushing == before {
        store.checkpoint()?;
    }
    Ok(())
}

/// Tells once when a log has come to rest.
#[derive(Default)]
struct Rest {
    logged: u64,
    looks: u32,
}

impl Rest {
    /// A second, if nothing else wakes the thread.
    const LOOKS: u32 = 20;

    fn has_come(&mut self, logged: u64) -> bool {
        if self.logged != logged {
            (self.logged, self.looks) = (logged, 0);
        }
        self.looks = self.looks.saturating_add(1);
        self.looks == Self::LOOKS
    }
}

impl Merger {
    /// Starts it. It ends when the store does.
    pub(crate) fn start(store: &Arc<Store>) -> Self {
        let shared = Arc::new(MergerShared {
            stop: AtomicBool::new(false),
            wake: Condvar::new(),
            asleep: Mutex::new(()),
        });
        let (theirs, weak) = (Arc::clone(&shared), Arc::downgrade(store));
        let run = move || {
            let mut rest = Rest::default();
            while !theirs.stop.load(Ordering::Acquire) {
                {
                    let mut asleep = theirs.asleep.lock();
                    // The timeout covers a wake-up that came between the
                    // check and the wait.
                    theirs.wake.wait_for(&mut asleep, Duration::from_millis(50));
                }
                let Some(store) = weak.upgrade() else {
                    return;
                };
                store.poisoning(|| {
                    failpoint!("merger.woken");
                    if store.merge_is_due() {
                        // A full disk shows again at the next commit that finds the log
                        // full, which reports it to its caller.
                        let _ = merge(&store);
                    } else if store.has_queried() {
                        // Nothing is lost if it fails: the list is as it was.
                        let _ = store.merge_queried();
                    } else if rest.has_come(store.log_positions().marker) {
                        // A failure shows at the next commit.
                        let _ = store.publish_durable();
                    }
                });
            }
        };
        let thread = std::thread::Builder::new()
            .name("evergraph-merge".to_string())
            .spawn(failpoint::hand_on(run))
            .ok();
        Merger {
            shared,
            thread,
            process: Process::this(),
        }
    }

    /// There is work.
    pub(crate) fn wake(&self) {
        self.shared.wake.notify_one();
    }

    /// Ends it, after the merge that is under way.
    pub(crate) fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if self.process.is_parent() {
            // The thread is the parent's.
            return std::mem::forget(self.thread.take());
        }
        self.shared.stop.store(true, Ordering::Release);
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Merger {
    fn drop(&mut self) {
        self.end();
    }
}
