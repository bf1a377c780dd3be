//! Algorithms of a program: limits, states, results.

use evergraph::algorithms::{Progress, RunError};
use evergraph::graph::{Column, Graph, NeighborReader};
use evergraph::run::{
    Answer, AnyGraph, CustomAlgorithm, Durable, Outcome, Request, Size, Values, run_custom,
    view_custom,
};
use evergraph::{Cancellation, Control, Database, Error, MediumKind, Options};

/// Numbers that flow along edges: exact, so that results are equal to the bit.
struct Flow {
    name: &'static str,
    steps: u64,
    start: u64,
    words_per_vertex: u64,
    is_resumable: bool,
}

const FLOW: Flow = Flow {
    name: "flow",
    steps: 9,
    start: 1,
    words_per_vertex: 2,
    is_resumable: true,
};

impl CustomAlgorithm for Flow {
    fn name(&self) -> &'static str {
        self.name
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("steps", self.steps.to_string()),
            ("start", self.start.to_string()),
        ]
    }

    fn step(&self) -> Option<&'static str> {
        self.is_resumable.then_some("step")
    }

    fn dram_bound(&self, size: Size, _: usize) -> u64 {
        8 * self.words_per_vertex * size.vertices
    }

    fn run(&self, graph: &AnyGraph<'_>, control: &Control<'_>) -> Result<Answer, RunError> {
        let n = graph.vertex_count();
        let mut now = control.array(self.start, n)?;
        let mut done = 0;
        if let Some(mut saved) = control.saved() {
            (done, now) = (saved.step, saved.take("now", n)?);
        }
        while done < self.steps {
            control.check()?;
            let mut reader = graph.reader();
            let mut next = control.array(0, n)?;
            for (v, next) in (0..).zip(&mut next) {
                *next = now[v as usize].wrapping_mul(31);
                reader.for_each_neighbor(v, |u| *next = next.wrapping_add(now[u as usize]));
            }
            now = next;
            done += 1;
            control.report("steps", done, Some(self.steps));
            control.offer(done, || [("now", Column::U64(&now))])?;
        }
        Ok(Answer {
            values: Values::Counts(now),
            facts: Vec::new(),
            iterations: Some(done),
        })
    }
}

fn ring() -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        ..Options::default()
    };
    let db = Database::create("in memory", &options).unwrap();
    let edges: Vec<(u32, u32)> = (0..50).flat_map(|v| [(v, (v + 1) % 50), (v, 7)]).collect();
    db.insert_edges(&edges).unwrap();
    db
}

/// By hand.
fn reference(flow: &Flow) -> Vec<u64> {
    let mut now = vec![flow.start; 50];
    for _ in 0..flow.steps {
        let step = |v: usize| {
            let own = now[v].wrapping_mul(31);
            own.wrapping_add(now[(v + 1) % 50]).wrapping_add(now[7])
        };
        now = (0..50).map(step).collect();
    }
    now
}

fn request(checkpoint_every: Option<u64>, resume: bool, keep: Option<&str>) -> Request {
    Request {
        durable: Durable {
            checkpoint_every,
            resume,
            keep: keep.map(str::to_string),
            ..Durable::default()
        },
        ..Request::default()
    }
}

fn run(db: &Database, flow: &Flow, request: &Request) -> Result<Outcome, Error> {
    run_until(db, flow, request, u64::MAX)
}

/// Cancelled after a step.
fn run_until(db: &Database, flow: &Flow, request: &Request, last: u64) -> Result<Outcome, Error> {
    let stop = Cancellation::new();
    let show = |progress: Progress| {
        if progress.done == last {
            stop.cancel();
        }
    };
    let control = Control::new().with_cancellation(&stop).with_progress(&show);
    let view = view_custom(db, flow, request, None)?;
    run_custom(db, &view, flow, request, &control, None)
}

#[test]
fn a_run_that_is_cut_off_goes_on_from_its_state() {
    let db = ring();
    let expected = Values::Counts(reference(&FLOW));
    assert_eq!(
        run(&db, &FLOW, &Request::default()).unwrap().values,
        expected
    );
    for last in [2, 5, 8] {
        let keeping = request(Some(2), false, None);
        let cut = run_until(&db, &FLOW, &keeping, last).unwrap_err();
        assert!(matches!(cut, Error::Interrupted { .. }), "{cut}");
        // Writers go on; the run sees the graph that it began with.
        db.insert_edges(&[(3, 9)]).unwrap();
        let other = Flow { start: 2, ..FLOW };
        let refused = run(&db, &other, &request(None, true, None)).unwrap_err();
        assert_eq!(
            refused.summary(),
            "the state \"flow\" was computed with start=1, not start=2"
        );
        let outcome = run(&db, &FLOW, &request(None, true, None)).unwrap();
        assert_eq!(outcome.values, expected);
        assert_eq!(outcome.checkpointing.unwrap().resumed_step, last / 2 * 2);
        db.delete_edges(&[(3, 9)]).unwrap();
    }
}

#[test]
fn a_kept_result_is_read_again() {
    let db = ring();
    let first = run(&db, &FLOW, &request(None, false, Some("mine"))).unwrap();
    assert_eq!(first.kept, None);
    let again = run(&db, &FLOW, &Request::default()).unwrap();
    assert_eq!(
        (again.kept.as_deref(), &again.values),
        (Some("mine"), &first.values)
    );
    let other = Flow { steps: 4, ..FLOW };
    let computed = run(&db, &other, &Request::default()).unwrap();
    assert_eq!(computed.kept, None);
    assert_eq!(computed.values, Values::Counts(reference(&other)));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let db = ring();
    let refused = |flow: &Flow, request: &Request| run(&db, flow, request).unwrap_err().to_string();
    let of_library = Flow {
        name: "pagerank",
        ..FLOW
    };
    let in_one_go = Flow {
        is_resumable: false,
        ..FLOW
    };
    let large = Flow {
        words_per_vertex: 1 << 20,
        ..FLOW
    };
    let limited = Request {
        memory_limit: Some(1 << 20),
        ..Request::default()
    };
    assert_eq!(
        refused(&of_library, &Request::default()),
        "pagerank is an algorithm of the library (give your own another name)"
    );
    assert_eq!(
        refused(&in_one_go, &request(Some(1), false, None)),
        "flow has no steps after which its state could be kept (keep its result alone, or give \
         it steps)"
    );
    assert_eq!(
        refused(&large, &limited),
        "the run may take 400.0 MiB of memory; the limit is 1.0 MiB (raise the limit, or \
         use fewer threads)"
    );
}
