//! Progress bars, on a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of the bytes that were read of a file.
pub fn of_bytes(total: Option<u64>) -> ProgressBar {
    let bar = match total {
        Some(total) => ProgressBar::new(total),
        None => ProgressBar::no_length(),
    };
    with_style(
        bar,
        "{bar:30} {bytes}/{total_bytes} {msg} [{elapsed} elapsed, {eta} left]",
    )
}

/// A bar of a number of things.
pub fn of_count(total: u64) -> ProgressBar {
    with_style(
        ProgressBar::new(total),
        "{bar:30} {human_pos}/{human_len} {msg} [{elapsed} elapsed]",
    )
}

/// A sign of life for work whose end is not known.
pub fn spinner(message: &str) -> ProgressBar {
    let bar = with_style(
        ProgressBar::new_spinner(),
        "{spinner} {msg} [{elapsed} elapsed]",
    );
    bar.set_message(message.to_string());
    // The bar ticks on a thread, and panics if the system does not start it: try one
    // first.
    if !bar.is_hidden() && std::thread::Builder::new().spawn(|| ()).is_ok() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

fn with_style(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
