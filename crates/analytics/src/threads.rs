//! Threads, which the system may refuse to start.

use std::thread::{Builder, Scope, ScopedJoinHandle};

use evergraph_storage::failpoint;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;

/// Starts the threads that all databases of this process work with, as many as were asked
/// for, else one for each processor or as `RAYON_NUM_THREADS` says. Without this, whatever
/// needs them first starts them, and panics where the system refuses. Does nothing if they
/// have been started.
///
/// # Errors
/// If the system starts no more threads. The process should end then: it can do nothing
/// that takes several.
pub fn start_threads(count: Option<usize>) -> Result<(), Error> {
    may_start()?;
    let started = ThreadPoolBuilder::new()
        .num_threads(count.unwrap_or(0))
        .build_global();
    match started {
        Err(error) if std::error::Error::source(&error).is_some() => Err(refused(error)),
        // The global pool exists already.
        _ => Ok(()),
    }
}

/// A pool of as many threads as were asked for.
pub(crate) fn pool(count: Option<usize>) -> Result<ThreadPool, Error> {
    may_start()?;
    let armed = failpoint::scope();
    ThreadPoolBuilder::new()
        .num_threads(count.unwrap_or(0))
        .start_handler(move |_| armed.enter_for_good())
        .build()
        .map_err(refused)
}

/// Starts a thread that ends with its scope.
pub fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, Error> {
    may_start()?;
    let started = Builder::new().spawn_scoped(scope, failpoint::hand_on(work));
    started.map_err(refused)
}

/// Failpoint at which a test refuses new threads.
fn may_start() -> Result<(), Error> {
    failpoint!("threads.refused" => {
        return Err(refused(std::io::Error::from(std::io::ErrorKind::WouldBlock)));
    });
    Ok(())
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::usage(
        format!("the system starts no more threads: {error}"),
        "use fewer (--threads 1, or RAYON_NUM_THREADS=1), or allow more processes (ulimit -u)",
    )
}
