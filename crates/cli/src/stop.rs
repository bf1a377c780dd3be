//! Ctrl-C: the first asks the work to stop, the second ends the process.

use evergraph::Cancellation;

use crate::report::note;

/// A switch that Ctrl-C turns on.
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
    // Without a handler Ctrl-C ends the process, which loses nothing either.
    let _ = ctrlc::set_handler(handler);
    cancellation
}
