//! Ctrl-C, SIGTERM and SIGHUP: the first asks the work to stop, the second ends
//! the process. Commands that do not ask for the switch end at the first.

use evergraph::Cancellation;

use crate::report::note;

/// A switch that Ctrl-C and its like turn on, for work that looks at it.
pub fn on_ctrl_c() -> Cancellation {
    let cancellation = Cancellation::new();
    let switch = cancellation.clone();
    let handler = move || {
        if switch.is_cancelled() {
            std::process::exit(130);
        }
        note("stopping; press Ctrl-C again to end at once");
        switch.cancel();
    };
    // Without a handler they end the process, which loses nothing either.
    let _ = ctrlc::set_handler(handler);
    cancellation
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
