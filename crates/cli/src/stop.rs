//! Ctrl-C, SIGTERM and SIGHUP: the first asks the work to stop, the second ends
//! the process. Commands that do not ask for the switch end at the first.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crossterm::terminal::{disable_raw_mode, is_raw_mode_enabled};
use evergraph::Cancellation;

use crate::report::note;

/// The signal of Ctrl-C.
#[cfg(unix)]
pub const CTRL_C: i32 = signal_hook::consts::SIGINT;
/// The signal of Ctrl-C, of which none comes here.
#[cfg(not(unix))]
pub const CTRL_C: i32 = 2;

/// Directory of temporary files, which goes also if a signal ends the process.
static TEMPORARY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The last signal that came.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Exit code of a command that a signal has ended, as shells have it; `None` if none came.
pub fn code() -> Option<u8> {
    let signal = SIGNAL.load(Ordering::Relaxed);
    let code = u8::try_from(128 + signal).ok();
    code.filter(|_| signal > 0)
}

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
pub fn listen(mut handle: impl FnMut(i32) + Send + 'static) {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;
        let (ready, listens) = std::sync::mpsc::channel();
        let listener = move || {
            if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
                let _ = ready.send(());
                for signal in signals.forever() {
                    SIGNAL.store(signal, Ordering::Relaxed);
                    handle(signal);
                }
            }
        };
        // Without a thread or a handler they end the process, which loses nothing either.
        if std::thread::Builder::new().spawn(listener).is_ok() {
            let _ = listens.recv();
        }
    }
}

/// Tells a terminal not to mark what is pasted.
const NO_BRACKETED_PASTE: &[u8] = b"\x1b[?2004l";

/// Ends the process with the exit code of one that the signal has ended.
pub fn end(signal: i32) -> ! {
    if let Some(directory) = temporary().take() {
        let _ = std::fs::remove_dir_all(directory);
    }
    // The line editor may have the terminal.
    if is_raw_mode_enabled().unwrap_or(false) {
        let _ = disable_raw_mode();
        let mut out = std::io::stdout();
        let _ = out.write_all(NO_BRACKETED_PASTE).and_then(|()| out.flush());
        note("");
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
