//! The flags that say how files of edges are read.

use evergraph::formats::{Format, Options};

/// Flags of the commands that read edges.
#[derive(Clone, Debug, clap::Args)]
pub struct ReadingArgs {
    /// Format: edgelist, csv, mtx, gr or metis; found out by default
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// Tolerate up to N malformed lines, and report them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip_bad: u64,
    /// Accept lines with another number of columns than the first
    #[arg(long)]
    pub allow_uneven: bool,
}

impl ReadingArgs {
    /// As the readers take them.
    pub fn options(&self) -> Options {
        Options {
            format: self.format,
            skip_bad: self.skip_bad,
            allow_uneven: self.allow_uneven,
            ..Options::default()
        }
    }
}
