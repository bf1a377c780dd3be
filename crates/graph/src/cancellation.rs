//! Ending work from another thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A switch that ends the work that it was given to: statements, and runs of algorithms.
/// Clones share the switch.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    is_on: AtomicBool,
    /// Turned on with this one.
    children: Mutex<Vec<Weak<Switch>>>,
}

impl Switch {
    fn turn_on(&self) {
        self.is_on.store(true, Ordering::SeqCst);
        let children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        for child in children.iter().filter_map(Weak::upgrade) {
            child.turn_on();
        }
    }
}

impl Cancellation {
    /// A switch that is off.
    pub fn new() -> Self {
        Cancellation::default()
    }

    /// One that is turned on with this one, and by itself.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Cancellation::new();
        let children = self.0.children.lock();
        let mut children = children.unwrap_or_else(PoisonError::into_inner);
        children.retain(|other| other.strong_count() > 0);
        children.push(Arc::downgrade(&child.0));
        drop(children);
        // One that is cancelled meanwhile has the child in its list, or is seen here.
        if self.0.is_on.load(Ordering::SeqCst) {
            child.cancel();
        }
        child
    }

    /// Turns it on, for good. Returns at once; work ends within some 10 ms.
    pub fn cancel(&self) {
        self.0.turn_on();
    }

    /// Whether it is on.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_on.load(Ordering::Relaxed)
    }
}
