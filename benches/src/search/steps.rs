//! The rows of a table, each beside reading every node.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::meter::median;
use crate::table::{Table, number};

/// Measurements so far.
pub struct Steps {
    table: Table,
    /// Seconds of reading every node for one answer.
    scan: f64,
}

impl Steps {
    /// With the yardstick.
    pub fn new(name: String, scan: f64) -> Self {
        let columns = [
            "step",
            "seconds",
            "over_scan",
            "scan_over",
            "recall",
            "bytes",
        ];
        let mut steps = Steps {
            table: Table::new(name, &columns),
            scan,
        };
        steps.row(
            "a search that reads every node",
            scan,
            json!(1.0),
            json!(null),
        );
        steps
    }

    /// Adds a step; `recall` is the share of what reading every node finds.
    pub fn row(&mut self, step: &str, seconds: f64, recall: Value, bytes: Value) {
        self.table.row(vec![
            json!(step),
            number(seconds),
            number(seconds / self.scan),
            number(self.scan / seconds),
            recall,
            bytes,
        ]);
    }

    pub fn table(self) -> Table {
        self.table
    }
}

/// Result and seconds of the work.
pub fn timed<T>(work: impl FnOnce() -> Result<T, String>) -> Result<(T, f64), String> {
    let began = Instant::now();
    let done = work()?;
    Ok((done, began.elapsed().as_secs_f64()))
}

/// The median of the seconds that each takes.
pub fn median_of<Q>(
    queries: &[Q],
    mut search: impl FnMut(&Q) -> Result<(), String>,
) -> Result<f64, String> {
    let mut seconds = Vec::new();
    for query in queries {
        seconds.push(timed(|| search(query))?.1);
    }
    Ok(median(&seconds))
}

/// Bytes of the files in a directory of indexes.
pub fn bytes_in(directory: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return 0;
    };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(facts) if facts.is_dir() => bytes_in(&entry.path()),
        Ok(facts) => facts.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
