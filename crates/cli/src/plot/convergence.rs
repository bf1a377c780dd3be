//! `plot convergence`.

use std::sync::Mutex;

use evergraph::algorithms::Progress;
use evergraph::run::Request;
use evergraph::{Cancellation, Control};
use serde_json::json;

use super::chart::{Axis, Chart, Series, short};
use super::{Common, Drawn, MomentArgs};
use crate::report::{Failure, count};
use crate::run::parameters;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    /// An algorithm that iterates: pagerank, hits, katz, eigenvector, label-propagation
    #[arg(default_value = "pagerank")]
    algorithm: String,
    /// A parameter of the algorithm, as for `run`
    #[arg(long = "param", value_name = "K=V")]
    parameters: Vec<String>,
    #[command(flatten)]
    moment: MomentArgs,
}

/// The change after each iteration of a run.
pub fn draw(args: &Args, stop: &Cancellation) -> Result<Drawn, Failure> {
    let db = args.common.open()?;
    let request = Request {
        algorithm: args.algorithm.clone(),
        parameters: parameters(&args.parameters, &[], None)?,
        ..Request::default()
    };
    let view = evergraph::run::view(&db, &request, Some(&args.moment.at()))?;
    let changes = Mutex::new(Vec::new());
    let keep = |progress: Progress| {
        let mut changes = changes.lock().unwrap_or_else(|held| held.into_inner());
        changes.extend(progress.change.map(|change| (progress.done as f64, change)));
    };
    let control = Control::new().with_cancellation(stop).with_progress(&keep);
    let memory = Some(crate::memory::METER);
    let outcome = evergraph::run::run(&db, &view, &request, &control, memory)?;
    let points = changes
        .lock()
        .unwrap_or_else(|held| held.into_inner())
        .clone();
    if points.is_empty() {
        return Err(Failure::usage(
            format!(
                "{} does not iterate until it changes little",
                outcome.algorithm
            ),
            "choose pagerank, hits, katz, eigenvector or label-propagation",
        ));
    }
    let json = json!({ "algorithm": outcome.algorithm, "changes": points });
    let text = format!(
        "{} iterations of {}",
        count(points.len() as u64),
        outcome.algorithm
    );
    let title = format!("Convergence of {}", outcome.algorithm);
    let chart = Chart {
        title: &title,
        x: Axis {
            title: "iteration",
            logarithmic: false,
            label: &short,
        },
        y: Axis {
            title: "sum of changes",
            logarithmic: true,
            label: &short,
        },
        series: vec![Series {
            name: "change",
            points,
        }],
        lines: true,
    };
    let svg = chart.svg()?;
    Ok(Drawn { svg, json, text })
}
