//! Neighbors of random vertices, one query after another: through a pinned view,
//! through [`evergraph::View`], and on a static graph in plain memory; and of nodes
//! of a property graph, of one type and of all.

mod relationships;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph::{Database, MediumKind, Mode, Options};
use evergraph_graph::random::Random;
use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, VertexId};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::limits::on_threads;
use crate::meter::Measured;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, LARGE_BATCH, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "onehop",
    parameters: &[
        "degree", "graph", "simple", "count", "layouts", "states", "tail", "types",
    ],
    run,
};

const STATES: [&str; 2] = ["merged", "tail"];

/// A sum over the answers of all queries, whatever their order.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Answers {
    neighbors: u64,
    sum: u64,
}

impl Answers {
    #[inline(always)]
    fn add(&mut self, neighbors: &[VertexId]) -> ControlFlow<()> {
        self.neighbors += neighbors.len() as u64;
        self.sum += neighbors.iter().map(|&u| u64::from(u)).sum::<u64>();
        ControlFlow::Continue(())
    }
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(16), true)?;
    let count: usize = settings.parameter("count", 1 << 20)?;
    let percent: usize = settings.parameter("tail", 5)?;
    if percent > 100 {
        return Err("tail is a share of the edges in percent".to_string());
    }
    let mut random = Random::new(settings.seed);
    let queries: Vec<VertexId> = (0..count)
        .map(|_| random.below(list.vertex_count as u64) as VertexId)
        .collect();
    let mut table = Table::new(
        format!("neighbors of {count} random vertices of {}", list.name),
        &[
            "graph",
            "access",
            "threads",
            "seconds",
            "ns_per_query",
            "cpu_ns_per_query",
            "ns_per_neighbor",
            "neighbors",
            "others",
            "equal",
        ],
    );
    let csr = Csr::from_edges(list.vertex_count, &list.edges, StoredLists::Undirected);
    let mut expected = None;
    let mut row = |graph: &str, access: &str, threads: usize, found: (Measured, Answers)| {
        let (measured, answers) = found;
        let equal = *expected.get_or_insert(answers) == answers;
        table.row(vec![
            json!(graph),
            json!(access),
            json!(threads),
            number(measured.seconds),
            number(measured.seconds / count as f64 * 1e9),
            number(measured.cpu_seconds / count as f64 * 1e9),
            number(measured.seconds / answers.neighbors as f64 * 1e9),
            json!(answers.neighbors),
            number(measured.others),
            json!(equal),
        ]);
    };
    for &threads in &settings.threads {
        let found = through_readers(&csr, &queries, threads)?;
        row("csr, order of insertion", "reader", threads, found);
    }
    let states = settings.names("states", &STATES)?;
    for (layout, state) in settings
        .layouts()?
        .into_iter()
        .flat_map(|layout| states.iter().map(move |state| (layout, state)))
    {
        settings.progress(&format!(
            "onehop: loading the store, {}, {state}",
            layout.name()
        ));
        let medium = settings.medium.unwrap_or(MediumKind::File);
        let place = Place::new(settings, medium)?;
        let options = Options {
            layout,
            // The tail stays what it is.
            background: false,
            ..stores::options(settings, medium, Mode::Merged, StoredLists::Undirected)
        };
        let db = Database::create(place.join("db"), &options).map_err(text)?;
        let percent = if state == "tail" { percent } else { 0 };
        let tail = list.edges.len() * percent / 100;
        let (merged, unmerged) = list.edges.split_at(list.edges.len() - tail);
        stores::load(&db, list.vertex_count, merged)?;
        stores::insert(&db, unmerged, LARGE_BATCH, None)?;
        let state = match percent {
            0 => "merged".to_string(),
            _ => format!("{percent} % not merged"),
        };
        let name = format!("{}, {state}, {}", layout.name(), medium.name());
        let view = db.view();
        let pinned = view.graph().map_err(text)?;
        for &threads in &settings.threads {
            settings.progress(&format!("onehop: {name}, {threads} threads"));
            let found = through_readers(&pinned, &queries, threads)?;
            row(&name, "pinned view", threads, found);
            let found = through_view(&view, &queries, threads)?;
            row(&name, "View::neighbors", threads, found);
            let found = through_visits(&view, &queries, threads)?;
            row(&name, "View::for_each_neighbor", threads, found);
            let found = through_lists(&view, &queries, threads)?;
            row(&name, "View::reader", threads, found);
        }
    }
    Ok(vec![table, relationships::run(settings, &list, &queries)?])
}

fn through_readers<G: Graph>(
    graph: &G,
    queries: &[VertexId],
    threads: usize,
) -> Result<(Measured, Answers), String> {
    ask(queries, threads, |mine| {
        let mut reader = graph.reader();
        let (mut neighbors, mut sum) = (0, 0);
        for &v in mine {
            reader.for_each_neighbor(v, |u| {
                neighbors += 1;
                sum += u64::from(u);
            });
        }
        Ok(Answers { neighbors, sum })
    })
}

fn through_view(
    view: &evergraph::View,
    queries: &[VertexId],
    threads: usize,
) -> Result<(Measured, Answers), String> {
    ask(queries, threads, |mine| {
        let (mut neighbors, mut sum) = (0, 0);
        for &v in mine {
            let list = view.neighbors(v).map_err(text)?;
            neighbors += list.len() as u64;
            sum += list.iter().map(|&u| u64::from(u)).sum::<u64>();
        }
        Ok(Answers { neighbors, sum })
    })
}

fn through_visits(
    view: &evergraph::View,
    queries: &[VertexId],
    threads: usize,
) -> Result<(Measured, Answers), String> {
    ask(queries, threads, |mine| {
        let mut answers = Answers::default();
        for &v in mine {
            let _ = view
                .for_each_neighbor(evergraph::Lists::Out, v, |some, _| answers.add(some))
                .map_err(text)?;
        }
        Ok(answers)
    })
}

fn through_lists(
    view: &evergraph::View,
    queries: &[VertexId],
    threads: usize,
) -> Result<(Measured, Answers), String> {
    ask(queries, threads, |mine| {
        let mut reader = view.reader(evergraph::Lists::Out).map_err(text)?;
        let mut answers = Answers::default();
        for &v in mine {
            let _ = reader
                .for_each_segment(v, |some, _| answers.add(some))
                .map_err(text)?;
        }
        Ok(answers)
    })
}

fn ask(
    queries: &[VertexId],
    threads: usize,
    answer: impl Fn(&[VertexId]) -> Result<Answers, String> + Sync,
) -> Result<(Measured, Answers), String> {
    let (neighbors, sum) = (AtomicU64::new(0), AtomicU64::new(0));
    let part = queries.len().div_ceil(threads).max(1);
    let measured = on_threads(threads, |thread| {
        let found = answer(queries.chunks(part).nth(thread).unwrap_or_default())?;
        neighbors.fetch_add(found.neighbors, Ordering::Relaxed);
        sum.fetch_add(found.sum, Ordering::Relaxed);
        Ok(())
    })?;
    let answers = Answers {
        neighbors: neighbors.into_inner(),
        sum: sum.into_inner(),
    };
    Ok((measured, answers))
}
