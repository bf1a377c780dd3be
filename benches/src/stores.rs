//! Databases as the benchmarks make them.

use std::fmt::Display;
use std::time::{Duration, Instant};

use evergraph::{Database, MediumKind, Mode, Options, Tuning};
use evergraph_generators::Edge;
use evergraph_graph::StoredLists;

use crate::settings::Settings;

/// Edges of a commit where the size of commits is not what is measured.
pub const LARGE_BATCH: usize = 1_000_000;

/// Errors as text.
pub fn text(error: impl Display) -> String {
    error.to_string()
}

/// The options of a benchmark's database; merging happens in the background.
pub fn options(
    settings: &Settings<'_>,
    medium: MediumKind,
    mode: Mode,
    direction: StoredLists,
) -> Options {
    Options {
        medium,
        assume_persistent: settings.assume_persistent,
        mode,
        direction,
        ..Options::default()
    }
}

/// The store's tuning; `rewrite-growth` is a percentage or `never`.
pub fn tuning(settings: &Settings<'_>) -> Result<Tuning, String> {
    let usual = Tuning::default();
    let given: Option<String> = settings.optional("rewrite-growth")?;
    let rewrite_growth =
        match given.as_deref() {
            None => usual.rewrite_growth,
            Some("never") => None,
            Some(percent) => Some(percent.parse().map_err(|_| {
                format!("rewrite-growth is a percentage or `never`, not {percent:?}")
            })?),
        };
    Ok(Tuning {
        rewrite_growth,
        ..usual
    })
}

/// Whether single stores persist there, so that direct mode works.
pub fn is_byte_addressed(medium: MediumKind) -> bool {
    medium != MediumKind::File
}

/// The name of a mode.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Direct => "direct",
        Mode::Merged => "merged",
    }
}

/// The name of a direction.
pub fn direction_name(direction: StoredLists) -> &'static str {
    match direction {
        StoredLists::Out => "out",
        StoredLists::Undirected => "undirected",
        StoredLists::Both => "both",
    }
}

/// Inserts edges in commits of `batch`, in direct mode each as a commit of its
/// own, until all are in or the deadline has passed; returns how many.
pub fn insert(
    db: &Database,
    edges: &[Edge],
    batch: usize,
    deadline: Option<Instant>,
) -> Result<usize, String> {
    let direct = db.config().mode == Mode::Direct;
    // In direct mode the pieces only serve to look at the clock.
    let piece = if direct { 1 << 16 } else { batch };
    let mut done = 0;
    for piece in edges.chunks(piece) {
        if direct {
            db.store().insert_edges_direct(piece).map_err(text)?;
        } else {
            db.insert_edges(piece).map_err(text)?;
        }
        done += piece.len();
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            break;
        }
    }
    Ok(done)
}

/// Makes the vertices exist, loads edges, and merges them.
pub fn load(db: &Database, vertex_count: usize, edges: &[Edge]) -> Result<(), String> {
    let mut batch = evergraph::Batch::new();
    batch.add_vertices(vertex_count as u64);
    db.commit(batch).map_err(text)?;
    insert(db, edges, LARGE_BATCH, None)?;
    db.checkpoint().map_err(text)
}

/// The moment that lies so many seconds ahead.
pub fn deadline(seconds: f64) -> Instant {
    Instant::now() + Duration::from_secs_f64(seconds)
}
