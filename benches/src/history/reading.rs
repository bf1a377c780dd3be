//! PageRank on old snapshots, beside a database that holds just that graph.

use evergraph::algorithms::Control;
use evergraph::run::{self, Request, Values};
use evergraph::{At, Database, MediumKind, Options};
use serde_json::json;

use super::series::{self, Series};
use crate::graphs::EdgeList;
use crate::meter::{Meter, median};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::text;
use crate::table::{Table, number};

const ITERATIONS: usize = 10;

/// Collects the rows.
pub struct Reading {
    table: Table,
    medium: MediumKind,
    trials: usize,
    threads: usize,
}

/// Times of a run, in the middle of several.
#[derive(Default)]
struct Times {
    /// Of the algorithm alone.
    algorithm: Vec<f64>,
    /// With finding the view and pinning it.
    whole: Vec<f64>,
}

impl Reading {
    pub fn new(
        settings: &Settings<'_>,
        list: &EdgeList,
        medium: MediumKind,
        percent: usize,
    ) -> Self {
        let threads = settings.threads_or(&[1])[0];
        let table = Table::new(
            format!(
                "pagerank, {ITERATIONS} iterations, {threads} threads, on snapshots of {} on {}, \
                 {percent} % deleted on the way",
                list.name,
                medium.name()
            ),
            &[
                "layout",
                "snapshots",
                "snapshot",
                "first_whole_seconds",
                "whole_seconds",
                "seconds",
                "alone_seconds",
                "over_alone",
                "rebase_seconds",
                "rebased_seconds",
                "rebased_over_alone",
                "equal",
            ],
        );
        Reading {
            table,
            medium,
            trials: settings.trials.unwrap_or(3),
            threads,
        }
    }

    /// The oldest, the middle and the newest snapshot of a database.
    pub fn measure(
        &mut self,
        settings: &Settings<'_>,
        db: &Database,
        series: &Series<'_>,
        options: &Options,
    ) -> Result<(), String> {
        let last = series.count() - 1;
        let mut steps = vec![0, last / 2, last];
        steps.dedup();
        for step in steps {
            let place = Place::new(settings, self.medium)?;
            let alone = Database::create(place.join("db"), options).map_err(text)?;
            series.load_only(&alone, step)?;
            self.compare(db, series, options, step, &alone)?;
        }
        Ok(())
    }

    fn compare(
        &mut self,
        db: &Database,
        series: &Series<'_>,
        options: &Options,
        step: usize,
        alone: &Database,
    ) -> Result<(), String> {
        let at = At::Name(series::name(step));
        let (first, _) = self.page_rank(db, &at)?;
        let (ours, theirs, equal) = self.in_turn(db, &at, alone)?;
        let meter = Meter::start();
        db.rebase(&series::name(step)).map_err(text)?;
        let rebasing = meter.stop().seconds;
        let (rebased, beside, still_equal) = self.in_turn(db, &at, alone)?;
        let ratio = |ours: &Times, theirs: &Times| {
            number(median(&ours.algorithm) / median(&theirs.algorithm))
        };
        self.table.row(vec![
            json!(options.layout.name()),
            json!(series.count()),
            json!(series::name(step)),
            number(first.1),
            number(median(&ours.whole)),
            number(median(&ours.algorithm)),
            number(median(&theirs.algorithm)),
            ratio(&ours, &theirs),
            number(rebasing),
            number(median(&rebased.algorithm)),
            ratio(&rebased, &beside),
            json!(equal && still_equal),
        ]);
        Ok(())
    }

    /// Times on either, and whether the ranks are the same to the bit.
    fn in_turn(
        &self,
        db: &Database,
        at: &At,
        alone: &Database,
    ) -> Result<(Times, Times, bool), String> {
        let (mut ours, mut theirs) = (Times::default(), Times::default());
        let mut equal = true;
        for _ in 0..self.trials {
            let (seconds, ranks) = self.page_rank(db, at)?;
            ours.add(seconds);
            let (seconds, expected) = self.page_rank(alone, &At::Now)?;
            theirs.add(seconds);
            equal &= ranks == expected;
        }
        Ok((ours, theirs, equal))
    }

    /// Seconds of the algorithm and of all, and the ranks.
    fn page_rank(&self, db: &Database, at: &At) -> Result<((f64, f64), Values), String> {
        let parameter = |name: &str, value: &str| (name.to_string(), value.to_string());
        let request = Request {
            algorithm: "pagerank".to_string(),
            parameters: vec![
                parameter("iterations", &ITERATIONS.to_string()),
                parameter("precision", "double"),
            ],
            threads: Some(self.threads),
            ..Request::default()
        };
        let meter = Meter::start();
        let view = db.as_of(at).map_err(text)?;
        let outcome = run::run(db, &view, &request, &Control::new(), None).map_err(text)?;
        Ok(((outcome.seconds, meter.stop().seconds), outcome.values))
    }

    pub fn into_table(self) -> Table {
        self.table
    }
}

impl Times {
    fn add(&mut self, (algorithm, whole): (f64, f64)) {
        self.algorithm.push(algorithm);
        self.whole.push(whole);
    }
}
