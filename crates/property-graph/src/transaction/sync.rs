//! Locks and counters of this module.
//!
//! The tests of schedules put a scheduler's own in their place, which runs
//! threads in every order that it can think of.

#[cfg(not(all(test, feature = "shuttle")))]
mod primitives {
    pub(crate) use std::collections::hash_map::RandomState;
    pub(crate) use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    pub(crate) use parking_lot::{Condvar, Mutex, MutexGuard};

    /// Waits for a notification; `false` if there was none before `until`.
    pub(crate) fn wait<T>(
        changed: &Condvar,
        guard: &mut MutexGuard<'_, T>,
        until: Instant,
    ) -> bool {
        !changed.wait_until(guard, until).timed_out()
    }

    /// Lets others run for a while.
    pub(crate) fn sleep(pause: Duration) {
        std::thread::sleep(pause);
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod primitives {
    use std::hash::BuildHasherDefault;
    use std::ops::{Deref, DerefMut};
    use std::time::{Duration, Instant};

    pub use shuttle::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

    /// The same numbers in every run, so that a schedule can be run again.
    pub type RandomState = BuildHasherDefault<std::collections::hash_map::DefaultHasher>;

    /// As parking_lot's.
    #[derive(Debug, Default)]
    pub struct Mutex<T>(shuttle::sync::Mutex<T>);

    /// As parking_lot's.
    pub struct MutexGuard<'a, T>(Option<shuttle::sync::MutexGuard<'a, T>>);

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Self {
            Mutex(shuttle::sync::Mutex::new(value))
        }

        pub fn into_inner(self) -> T {
            self.0.into_inner().expect("not poisoned")
        }

        pub fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(Some(self.0.lock().expect("not poisoned")))
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_ref().expect("held")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().expect("held")
        }
    }

    /// As parking_lot's.
    #[derive(Debug, Default)]
    pub struct Condvar(shuttle::sync::Condvar);

    impl Condvar {
        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    /// Time does not pass in a schedule: this waits for a notification.
    pub fn wait<T>(changed: &Condvar, guard: &mut MutexGuard<'_, T>, _until: Instant) -> bool {
        if let Some(held) = guard.0.take() {
            guard.0 = Some(changed.0.wait(held).expect("not poisoned"));
        }
        true
    }

    /// As pausing.
    pub fn sleep(_pause: Duration) {
        shuttle::thread::yield_now();
    }
}

pub(super) use primitives::*;
