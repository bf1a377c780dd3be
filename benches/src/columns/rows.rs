//! Rows of pairs: a loop over plain arrays, and the same over the property graph.

use serde_json::json;

use crate::meter::{Meter, Times};
use crate::settings::Settings;
use crate::table::{Table, number};

/// Pairs measured in turn; the least of each counts.
pub(super) struct Rows {
    table: Table,
    trials: usize,
}

impl Rows {
    pub(super) fn new(name: String, settings: &Settings<'_>) -> Self {
        let columns = [
            "state",
            "what",
            "rows",
            "array_ns",
            "evergraph_ns",
            "evergraph_cpu_ns",
            "ratio",
            "equal",
        ];
        Rows {
            table: Table::new(name, &columns),
            trials: settings.trials.unwrap_or(5),
        }
    }

    /// Measures both sides `trials` times in turn; each gives a checksum of its answer.
    pub(super) fn pair(
        &mut self,
        state: &str,
        what: &str,
        rows: usize,
        mut array: impl FnMut() -> u64,
        mut evergraph: impl FnMut() -> Result<u64, String>,
    ) -> Result<(), String> {
        let (mut plain, mut ours) = (Times::default(), Times::default());
        let mut equal = true;
        for _ in 0..self.trials {
            let meter = Meter::start();
            let expected = array();
            plain.add(meter.stop());
            let meter = Meter::start();
            let found = evergraph()?;
            ours.add(meter.stop());
            equal &= found == expected;
        }
        let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let a_row = |seconds: f64| seconds / rows.max(1) as f64 * 1e9;
        self.table.row(vec![
            json!(state),
            json!(what),
            json!(rows),
            number(a_row(least(&plain.wall))),
            number(a_row(least(&ours.wall))),
            number(a_row(least(&ours.cpu))),
            number(least(&ours.wall) / least(&plain.wall)),
            json!(equal),
        ]);
        Ok(())
    }

    pub(super) fn table(self) -> Table {
        self.table
    }
}
