//! Ctrl-C, SIGTERM and SIGHUP: the first asks the work to stop, the second ends
//! the process. Commands that do not ask for the switch end at the first.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use evergraph::Cancellation;

use crate::report::note;

/// Directory of temporary files, which goes also if a signal ends the process.
static TEMPORARY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A switch that Ctrl-C and its like turn on, for work that looks at it.
pub fn on_ctrl_c() -> Cancellation {
    let cancellation = Cancellation::new();
    let switch = cancellation.clone();
    listen(move |signal| {
        if switch.is_cancelled() {
            end(signal);
        }
        note("stopping; press Ctrl-C again to end at once");
        switch.cancel();
    });
    cancellation
}

/// Takes Ctrl-C, SIGTERM and SIGHUP from now on, on a thread of its own.
pub fn listen(handle: impl FnMut(i32) + Send + 'static) {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;
        // Without a handler they end the process, which loses nothing either.
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
            std::thread::spawn(move || signals.forever().for_each(handle));
        }
    }
}

/// Ends the process with the exit code of one that the signal has ended.
pub fn end(signal: i32) -> ! {
    if let Some(directory) = temporary().take() {
        let _ = std::fs::remove_dir_all(directory);
    }
    std::process::exit(128 + signal)
}

/// Has [`end`] remove a directory.
pub fn remove_at_end(directory: &Path) {
    *temporary() = Some(directory.to_path_buf());
}

fn temporary() -> MutexGuard<'static, Option<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail as one to a full disk
/// does: the signal would end the process without a word.
pub fn bear_limits_of_files() {
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGXFSZ;
        // Without a handler the signal ends the process, which loses nothing either.
        let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
    }
}
