//! Deleting a share of the edges of an ingested graph at random, compacting what
//! is left, and what both do to its size. The results are compared with lists in
//! plain memory.

use evergraph::{Database, GraphView, Layout, MediumKind, Mode, Options, StoreStats};
use evergraph_generators::Edge;
use evergraph_graph::random::Random;
use evergraph_graph::{Graph, NeighborReader, StoredLists};
use serde_json::json;

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::Meter;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{self, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "delete",
    parameters: &["degree", "graph", "simple", "percent", "layouts", "batches"],
    run,
};

/// The graph before and after the deletions.
struct Graphs {
    list: EdgeList,
    deleted: Vec<Edge>,
    /// Lists of all vertices, of each.
    whole: Vec<Vec<u32>>,
    left: Vec<Vec<u32>>,
    /// The edges that survive, in order of insertion.
    surviving: Vec<Edge>,
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let list = EdgeList::load(settings, settings.scale.unwrap_or(16), true)?;
    let percent: usize = settings.parameter("percent", 4)?;
    let batches: Vec<usize> = settings.list("batches", &[1000, 100_000])?;
    if percent > 100 || batches.contains(&0) {
        return Err("percent is a share of the edges, and a commit has at least 1".to_string());
    }
    let graphs = Graphs::new(list, percent, settings.seed);
    let media = match settings.medium {
        Some(medium) => vec![medium],
        None => vec![MediumKind::File, MediumKind::Dax],
    };
    let mut table = Table::new(
        format!(
            "deleting {percent} % of {}, {} edges",
            graphs.list.name,
            graphs.list.edges.len()
        ),
        &[
            "layout",
            "medium",
            "batch",
            "deleted",
            "missed",
            "seconds",
            "deletes_per_second",
            "cpu_ns_per_delete",
            "others",
            "merge_seconds",
            "compact_seconds",
            "extent_bytes_before",
            "extent_bytes_deleted",
            "extent_bytes_compacted",
            "bytes_per_live_edge_before",
            "bytes_per_live_edge_compacted",
            "fresh_bytes",
            "ratio_to_fresh",
            "least_bytes",
            "ratio_to_least",
            "as_expected",
            "old_view_exact",
        ],
    );
    for layout in settings.layouts()? {
        for &medium in &media {
            let fresh = fresh(settings, layout, medium, &graphs)?;
            for &batch in &batches {
                settings.progress(&format!(
                    "delete: {}, {}, {batch} a commit",
                    layout.name(),
                    medium.name()
                ));
                measure(settings, layout, medium, batch, &graphs, fresh, &mut table)?;
            }
        }
    }
    Ok(vec![table])
}

fn options(settings: &Settings<'_>, layout: Layout, medium: MediumKind) -> Options {
    Options {
        layout,
        // Merging is measured by itself, as far as the log allows.
        background: false,
        ..stores::options(settings, medium, Mode::Merged, StoredLists::Undirected)
    }
}

/// Bytes of the sections if only what survives had been imported.
fn fresh(
    settings: &Settings<'_>,
    layout: Layout,
    medium: MediumKind,
    graphs: &Graphs,
) -> Result<u64, String> {
    let place = Place::new(settings, medium)?;
    let options = options(settings, layout, medium);
    let db = Database::create(place.join("db"), &options).map_err(text)?;
    stores::load(&db, graphs.list.vertex_count, &graphs.surviving)?;
    Ok(db.stats().extent_bytes)
}

fn measure(
    settings: &Settings<'_>,
    layout: Layout,
    medium: MediumKind,
    batch: usize,
    graphs: &Graphs,
    fresh: u64,
    table: &mut Table,
) -> Result<(), String> {
    let Graphs { list, deleted, .. } = graphs;
    let place = Place::new(settings, medium)?;
    let options = options(settings, layout, medium);
    let db = Database::create(place.join("db"), &options).map_err(text)?;
    stores::load(&db, list.vertex_count, &list.edges)?;
    let before = db.stats().extent_bytes;
    let old = db.view();
    let mut missed = 0;
    let meter = Meter::start();
    for piece in deleted.chunks(batch) {
        missed += db.delete_edges(piece).map_err(text)?.missed_deletes;
    }
    let deleting = meter.stop();
    let meter = Meter::start();
    db.checkpoint().map_err(text)?;
    let merging = meter.stop();
    let merged = db.stats().extent_bytes;
    let meter = Meter::start();
    db.compact().map_err(text)?;
    let compacting = meter.stop();
    let old_view_exact = holds(&old.graph().map_err(text)?, &graphs.whole);
    // What only an old view held comes back when a merge looks for it: at the
    // section's next merge, or here.
    drop(old);
    db.compact().map_err(text)?;
    let is_expected = holds(&db.view().graph().map_err(text)?, &graphs.left);
    let stats = db.stats();
    let compacted = stats.extent_bytes;
    let left = list.edges.len() - deleted.len() + missed as usize;
    let least = least_bytes(layout, &stats, 2 * left, options.section_shift);
    table.row(vec![
        json!(layout.name()),
        json!(medium.name()),
        json!(batch),
        json!(deleted.len()),
        json!(missed),
        number(deleting.seconds),
        number(deleted.len() as f64 / deleting.seconds),
        number(deleting.cpu_seconds / deleted.len() as f64 * 1e9),
        number(deleting.others),
        number(merging.seconds),
        number(compacting.seconds),
        json!(before),
        json!(merged),
        json!(compacted),
        number(before as f64 / list.edges.len() as f64),
        number(compacted as f64 / left as f64),
        json!(fresh),
        number(compacted as f64 / fresh as f64),
        json!(least),
        number(compacted as f64 / least as f64),
        json!(is_expected && missed == 0),
        json!(old_view_exact),
    ]);
    Ok(())
}

/// 4 bytes for each live entry, and the index: what docs/storage-format.md has
/// for each list and section, and the section directory.
fn least_bytes(layout: Layout, stats: &StoreStats, entries: usize, section_shift: u32) -> u64 {
    let of_list = match layout {
        Layout::Pma => 4,
        Layout::Blocks => 20,
    };
    let of_section = 64 + (of_list << section_shift);
    4 * entries as u64 + of_section * stats.sections as u64 + stats.directory_bytes
}

impl Graphs {
    fn new(list: EdgeList, percent: usize, seed: u64) -> Self {
        let mut places: Vec<usize> = (0..list.edges.len()).collect();
        Random::new(seed + 1).shuffle(&mut places);
        places.truncate(list.edges.len() * percent / 100);
        let deleted: Vec<Edge> = places.iter().map(|&place| list.edges[place]).collect();
        let mut whole = vec![Vec::new(); list.vertex_count];
        for &(u, v) in &list.edges {
            whole[u as usize].push(v);
            whole[v as usize].push(u);
        }
        // A deletion takes the latest edge between the two.
        let mut left = whole.clone();
        let mut remove = |u: u32, v: u32| {
            let list = &mut left[u as usize];
            if let Some(at) = list.iter().rposition(|&found| found == v) {
                list.remove(at);
            }
        };
        for &(u, v) in &deleted {
            remove(u, v);
            remove(v, u);
        }
        places.sort_unstable();
        let mut gone = places.into_iter().peekable();
        let survives = |place: &usize| gone.next_if_eq(place).is_none();
        let surviving = (0..list.edges.len()).filter(survives);
        let surviving = surviving.map(|place| list.edges[place]).collect();
        Graphs {
            list,
            deleted,
            whole,
            left,
            surviving,
        }
    }
}

/// Whether a view shows exactly these lists.
fn holds(view: &GraphView, expected: &[Vec<u32>]) -> bool {
    let mut reader = view.reader();
    let mut found = Vec::new();
    expected.iter().enumerate().all(|(v, expected)| {
        found.clear();
        reader.neighbors_into(v as u32, &mut found);
        found == *expected
    })
}
