//! An algorithm of one's own that survives the end of its process: heat that flows along
//! edges, a step at a time. Its state is kept after every fifth step, under the same
//! guarantees as the graph; the second run goes on where the first was cut off.

use evergraph::algorithms::RunError;
use evergraph::graph::{Column, Graph, NeighborReader, StoredLists};
use evergraph::run::{
    Answer, AnyGraph, CustomAlgorithm, Durable, Fact, Request, Size, Values, run_custom,
    view_custom,
};
use evergraph::{Cancellation, Control, Database, Options};
use evergraph_generators::kronecker;

/// Each vertex takes half of its heat from its neighbors, all alike.
struct Heat {
    steps: u64,
}

impl CustomAlgorithm for Heat {
    fn name(&self) -> &'static str {
        "heat"
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("steps", self.steps.to_string())]
    }

    fn step(&self) -> Option<&'static str> {
        Some("step")
    }

    fn dram_bound(&self, size: Size, _: usize) -> u64 {
        2 * 8 * size.vertices
    }

    fn run(&self, graph: &AnyGraph<'_>, control: &Control<'_>) -> Result<Answer, RunError> {
        let n = graph.vertex_count();
        let mut heat = control.array(0.0_f64, n)?;
        heat[0] = 1.0;
        let mut next = control.array(0.0_f64, n)?;
        let mut done = 0;
        if let Some(mut saved) = control.saved() {
            done = saved.step;
            heat = saved.take("heat", n)?;
        }
        while done < self.steps {
            control.check()?;
            let mut reader = graph.reader();
            for (v, next) in (0..).zip(&mut next) {
                let (mut sum, degree) = (0.0, reader.degree(v));
                reader.for_each_neighbor(v, |u| sum += heat[u as usize]);
                *next = 0.5 * heat[v as usize] + 0.5 * sum / degree.max(1) as f64;
            }
            std::mem::swap(&mut heat, &mut next);
            done += 1;
            control.report("steps", done, Some(self.steps));
            control.offer(done, || [("heat", Column::F64(&heat))])?;
        }
        Ok(Answer {
            facts: vec![("total", Fact::Real(heat.iter().sum()))],
            values: Values::Reals(heat),
            iterations: Some(done),
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("evergraph-heat-{}", std::process::id()));
    let options = Options {
        direction: StoredLists::Undirected,
        ..Options::default()
    };
    let db = Database::create(&path, &options)?;
    db.insert_edges(&kronecker(10, 8, 27))?;

    let heat = Heat { steps: 20 };
    let request = Request {
        durable: Durable {
            checkpoint_every: Some(5),
            resume: true,
            ..Durable::default()
        },
        ..Request::default()
    };
    // Cut off after step 12, as Ctrl-C would.
    let stop = Cancellation::new();
    let stop_at_12 = |progress: evergraph::algorithms::Progress| {
        if progress.done == 12 {
            stop.cancel();
        }
    };
    let control = Control::new()
        .with_cancellation(&stop)
        .with_progress(&stop_at_12);
    let view = view_custom(&db, &heat, &request, None)?;
    let cut = run_custom(&db, &view, &heat, &request, &control, None);
    println!("{}", cut.expect_err("it was cut off"));
    drop(view);

    let view = view_custom(&db, &heat, &request, None)?;
    let outcome = run_custom(&db, &view, &heat, &request, &Control::new(), None)?;
    let from = outcome.checkpointing.map_or(0, |kept| kept.resumed_step);
    println!("went on from step {from}: {:?}", outcome.result);
    drop(view);
    db.close()?;
    std::fs::remove_dir_all(&path)?;
    Ok(())
}
