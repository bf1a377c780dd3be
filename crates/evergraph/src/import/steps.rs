//! Steps of a temporal input: after each of them an import names a snapshot.

use evergraph_analytics::Every;
use evergraph_analytics::calendar::SECOND_US;

/// Snapshots that an import makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// How often.
    pub every: Every,
    /// Stands before the names, which are dates, or `edges-N` for steps of edges.
    pub prefix: String,
}

/// A snapshot that ends a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepEnd {
    pub name: String,
    /// The step's last microsecond; unknown without times.
    pub time_us: Option<i64>,
}

/// Cuts the input into steps.
pub(super) struct Steps {
    series: Series,
    /// The second behind the step of the edges since the last snapshot.
    open: Option<i64>,
    /// The time of the edge before.
    last: Option<i64>,
}

/// Why an edge belongs to no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoStep {
    /// The edge before was of this time, which is later.
    Before(i64),
    /// The time has no date.
    NoDate,
}

impl Steps {
    /// Goes on behind an edge of time `last`, where the step that ends at `open`
    /// has no snapshot yet.
    pub fn new(series: Series, open: Option<i64>, last: Option<i64>) -> Self {
        Steps { series, open, last }
    }

    /// Whether an edge of this time belongs to the open step; if there is none, it
    /// opens its own.
    #[inline]
    pub fn admits(&mut self, seconds: i64) -> Result<bool, NoStep> {
        if let Some(last) = self.last
            && seconds < last
            && self.series.every.is_of_time()
        {
            return Err(NoStep::Before(last));
        }
        if !self.series.every.is_of_time() {
            self.last = Some(seconds);
            return Ok(true);
        }
        if let Some(end) = self.open {
            if seconds >= end {
                return Ok(false);
            }
        } else {
            self.open = Some(
                self.series
                    .every
                    .end_of_step(seconds)
                    .ok_or(NoStep::NoDate)?,
            );
        }
        self.last = Some(seconds);
        Ok(true)
    }

    /// Edges that may come until the step ends, of `edges` so far.
    pub fn room(&self, edges: u64) -> u64 {
        match self.series.every {
            Every::Edges(step) => step - edges % step,
            _ => u64::MAX,
        }
    }

    /// Whether there are edges behind the last snapshot: `own` edges of this input
    /// so far, and `before` of others.
    pub fn is_open(&self, own: u64, before: u64) -> bool {
        match self.series.every {
            Every::Edges(step) => own > 0 && !(before + own).is_multiple_of(step),
            _ => self.open.is_some(),
        }
    }

    /// Ends the open step, `edges` being all so far.
    pub fn close(&mut self, edges: u64) -> Option<StepEnd> {
        let Series { every, prefix } = &self.series;
        if !every.is_of_time() {
            return Some(StepEnd {
                name: format!("{prefix}edges-{edges}"),
                time_us: self.last.and_then(|last| last.checked_mul(SECOND_US)),
            });
        }
        let end = self.open.take()?;
        Some(StepEnd {
            name: format!("{prefix}{}", every.name_of_step(end)),
            time_us: Some(end * SECOND_US - 1),
        })
    }

    /// End of the open step, and the time of the last edge.
    pub fn position(&self) -> (Option<i64>, Option<i64>) {
        (self.open, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_that_goes_back_is_refused() {
        let series = Series {
            every: Every::Seconds(10),
            prefix: "p-".to_string(),
        };
        let mut steps = Steps::new(series, None, Some(3));
        assert_eq!(steps.admits(2), Err(NoStep::Before(3)));
        assert_eq!(steps.admits(3), Ok(true));
        assert_eq!(steps.admits(9), Ok(true));
        assert_eq!(steps.admits(30), Ok(false));
        let end = steps.close(3).unwrap();
        assert_eq!(end.name, "p-1970-01-01T00:00:09");
        assert_eq!(end.time_us, Some(9_999_999));
        assert_eq!(steps.close(3), None);
        assert_eq!(steps.admits(i64::MAX), Err(NoStep::NoDate));
        assert_eq!(steps.admits(30), Ok(true));
        assert_eq!(steps.position(), (Some(40), Some(30)));
    }
}
