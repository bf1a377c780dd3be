//! Ctrl-C, SIGTERM and SIGHUP: the first asks the work to stop, the second ends
//! the process. A benchmark ends at the first.

use evergraph::Cancellation;

use crate::report::note;

/// A switch that Ctrl-C and its like turn on. A benchmark does not look at it: what it would
/// measure from there on is of no use, so its databases go and the process ends.
pub fn on_ctrl_c(benchmark: bool) -> Cancellation {
    let cancellation = Cancellation::new();
    let switch = cancellation.clone();
    let handler = move || {
        if benchmark {
            note("stopping; the databases of the benchmark are removed");
            evergraph_benches::abandon(130);
        }
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
