//! The ablations of DGAP's paper on direct mode: Table 5 (edge log, vertex
//! array on the medium) and its undo log (how sections move), Figure 9 (size of
//! the edge log), Figure 1 (what is stored, flushed and written by the medium
//! for an edge).

use std::sync::Arc;

use evergraph_generators::Edge;
use evergraph_graph::StoredLists;
use evergraph_storage::Storage;
use evergraph_storage::medium::{
    CountersSnapshot, EmulatedStorage, LatencyProfile, MappedKind, MappedStorage,
};
use evergraph_topology::direct::{DirectParameters, Rewrite, Rewrites};
use evergraph_topology::{Batch, Config, Mode, Store};
use serde_json::{Value, json};

use crate::Benchmark;
use crate::graphs::EdgeList;
use crate::meter::{Measured, Meter, median};
use crate::moves::{Mover, Protocol};
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::{LARGE_BATCH, text};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "ablation",
    parameters: &["degree", "graph", "simple", "parts", "latency", "sizes"],
    run,
};

/// One choice that is switched.
#[derive(Clone, Copy)]
struct Variant {
    mode: Mode,
    edge_log_bytes: u32,
    vertices_on_medium: bool,
    /// Few entries among many gaps, as DGAP's code starts (four slots an
    /// entry); without an edge log every list needs a gap of its own.
    sparse: bool,
    /// Edges of a commit in merged mode.
    batch: usize,
}

const DIRECT: Variant = Variant {
    mode: Mode::Direct,
    edge_log_bytes: 2048,
    vertices_on_medium: false,
    sparse: false,
    batch: 1,
};

const SPARSE: Variant = Variant {
    sparse: true,
    ..DIRECT
};

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let parts = settings.names("parts", &["table5", "moves", "figure9", "figure1"])?;
    // One direction, repetitions and all, as the counting model has it.
    let list = EdgeList::load(settings, settings.scale.unwrap_or(16), false)?;
    let mut tables = Vec::new();
    for part in parts {
        tables.push(match part.as_str() {
            "table5" => table5(settings, &list)?,
            "moves" => moves(settings, &list)?,
            "figure9" => figure9(settings, &list)?,
            _ => figure1(settings, &list)?,
        });
    }
    Ok(tables)
}

const COLUMNS: [&str; 13] = [
    "variant",
    "seconds",
    "slowdown",
    "cpu_seconds",
    "seconds_slow_medium",
    "slowdown_slow_medium",
    "stored_bytes_per_edge",
    "line_flushes_per_edge",
    "fences_per_edge",
    "media_writes_per_edge",
    "merge_reads_per_edge",
    "edge_log_used_at_moves",
    "edge_log_used_at_the_end",
];

fn table5(settings: &Settings<'_>, list: &EdgeList) -> Result<Table, String> {
    let no_log = Variant {
        edge_log_bytes: 0,
        ..SPARSE
    };
    let variants = [
        ("edge log 2 KiB, sparse", SPARSE),
        ("no edge log, sparse", no_log),
        (
            "edge log 2 KiB, sparse, vertex array on the medium",
            Variant {
                vertices_on_medium: true,
                ..SPARSE
            },
        ),
        (
            "no edge log, sparse, vertex array on the medium",
            Variant {
                vertices_on_medium: true,
                ..no_log
            },
        ),
        ("edge log 2 KiB, densities by default", DIRECT),
    ];
    let variants = variants.map(|(name, variant)| (name.to_string(), variant));
    compare(settings, list, "Table 5", &variants)
}

fn figure9(settings: &Settings<'_>, list: &EdgeList) -> Result<Table, String> {
    let usual = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];
    let sizes: Vec<u32> = settings.list("sizes", &usual)?;
    let variants: Vec<_> = sizes
        .into_iter()
        .map(|edge_log_bytes| {
            let variant = Variant {
                edge_log_bytes,
                ..DIRECT
            };
            (format!("edge log of {edge_log_bytes} B"), variant)
        })
        .collect();
    compare(settings, list, "Figure 9", &variants)
}

fn figure1(settings: &Settings<'_>, list: &EdgeList) -> Result<Table, String> {
    let merged = |batch| Variant {
        mode: Mode::Merged,
        batch,
        ..DIRECT
    };
    let variants = [
        ("direct", DIRECT),
        (
            "direct, no edge log, sparse",
            Variant {
                edge_log_bytes: 0,
                ..SPARSE
            },
        ),
        ("merged, 1 edge a commit", merged(1)),
        ("merged, 1000 edges a commit", merged(1000)),
        ("merged, 1 M edges a commit", merged(LARGE_BATCH)),
    ];
    let variants = variants.map(|(name, variant)| (name.to_string(), variant));
    compare(settings, list, "Figure 1", &variants)
}

/// Each variant plain, on a slower medium, and counted; the first is the one
/// that the others are compared with.
fn compare(
    settings: &Settings<'_>,
    list: &EdgeList,
    title: &str,
    variants: &[(String, Variant)],
) -> Result<Table, String> {
    let flush_ns: u64 = settings.parameter("latency", 300)?;
    let slow = LatencyProfile {
        name: "slow-flush",
        source: "set by the benchmark",
        read_ns: 0,
        flush_ns,
        fence_ns: 0,
        read_bytes_per_s: 0,
        write_bytes_per_s: 0,
    };
    let mut table = Table::new(
        format!(
            "{title}: {}, {} edges, 1 thread; the slow medium adds {flush_ns} ns a line flushed",
            list.name,
            list.edges.len()
        ),
        &COLUMNS,
    );
    let trials = settings.trials.unwrap_or(3);
    let mut plain = vec![Vec::new(); variants.len()];
    let mut delayed = vec![Vec::new(); variants.len()];
    let mut counted = vec![Counted::default(); variants.len()];
    // In turn, so that what disturbs one disturbs all.
    for trial in 0..trials {
        for (i, (name, variant)) in variants.iter().enumerate() {
            settings.progress(&format!("{title}: {name}, trial {}", trial + 1));
            plain[i].push(one(settings, list, variant, None)?.0);
            delayed[i].push(one(settings, list, variant, Some(Some(slow)))?.0);
            if trial == 0 {
                counted[i] = one(settings, list, variant, Some(None))?.1;
            }
        }
    }
    let middle = |of: &[Measured], what: fn(&Measured) -> f64| {
        median(&of.iter().map(what).collect::<Vec<_>>())
    };
    let seconds = |measured: &Measured| measured.seconds;
    let (first, first_slow) = (middle(&plain[0], seconds), middle(&delayed[0], seconds));
    for (i, (name, _)) in variants.iter().enumerate() {
        let Counted {
            counters,
            edges,
            log_at_moves,
            log_at_end,
            ..
        } = &counted[i];
        let each = |count: u64| -> Value { number(count as f64 / *edges as f64) };
        let share = |(used, of): (u64, u64)| match of {
            0 => Value::Null,
            of => number(used as f64 / of as f64),
        };
        let (mine, mine_slow) = (middle(&plain[i], seconds), middle(&delayed[i], seconds));
        table.row(vec![
            json!(name),
            number(mine),
            number(mine / first),
            number(middle(&plain[i], |measured| measured.cpu_seconds)),
            number(mine_slow),
            number(mine_slow / first_slow),
            each(counters.stored_bytes),
            each(counters.line_flushes),
            each(counters.fences),
            each(counters.media_writes),
            each(counters.merge_reads),
            share(*log_at_moves),
            share(*log_at_end),
        ]);
    }
    Ok(table)
}

/// Counts of an ingestion.
#[derive(Clone, Default)]
struct Counted {
    counters: CountersSnapshot,
    edges: usize,
    /// Entries in edge logs when their sections moved, and what these can hold.
    log_at_moves: (u64, u64),
    /// The same of all edge logs at the end.
    log_at_end: (u64, u64),
    /// Moves of sections, the warm-up's first.
    moves: [Vec<Rewrite>; 2],
}

/// The moves of an ingestion, repeated by each protocol on a medium of its own.
/// Small edge logs make sections move often.
fn moves(settings: &Settings<'_>, list: &EdgeList) -> Result<Table, String> {
    let mut table = Table::new(
        format!("how sections move: {}, 1 thread", list.name),
        &[
            "edge_log_bytes",
            "protocol",
            "moves",
            "in_the_same_size",
            "ns_per_edge",
            "to_relocation",
            "stored_bytes_per_edge",
            "line_flushes_per_edge",
            "fences_per_edge",
            "media_writes_per_edge",
        ],
    );
    for edge_log_bytes in [2048, 256, 64] {
        let variant = Variant {
            edge_log_bytes,
            ..DIRECT
        };
        let (_, ingested) = one(settings, list, &variant, None)?;
        moves_of(settings, edge_log_bytes, &ingested, &mut table)?;
    }
    Ok(table)
}

fn moves_of(
    settings: &Settings<'_>,
    edge_log_bytes: u32,
    ingested: &Counted,
    table: &mut Table,
) -> Result<(), String> {
    let [before, timed] = &ingested.moves;
    let same = |rewrite: &&Rewrite| rewrite.old_list_bytes == rewrite.new_list_bytes;
    let mut times = vec![Vec::new(); Protocol::ALL.len()];
    let mut counts = Vec::new();
    for trial in 0..settings.trials.unwrap_or(3) {
        for (i, protocol) in Protocol::ALL.into_iter().enumerate() {
            settings.progress(&format!("moves: {}, trial {}", protocol.name(), trial + 1));
            times[i].push(replay(settings, protocol, before, timed, false)?.0.seconds);
            if trial == 0 {
                counts.push(replay(settings, protocol, before, timed, true)?.1);
            }
        }
    }
    let edges = ingested.edges as f64;
    let first = median(&times[0]);
    for (i, protocol) in Protocol::ALL.into_iter().enumerate() {
        let seconds = median(&times[i]);
        let each = |count: u64| number(count as f64 / edges);
        table.row(vec![
            json!(edge_log_bytes),
            json!(protocol.name()),
            json!(timed.len()),
            json!(timed.iter().filter(same).count()),
            number(seconds * 1e9 / edges),
            number(seconds / first),
            each(counts[i].stored_bytes),
            each(counts[i].line_flushes),
            each(counts[i].fences),
            each(counts[i].media_writes),
        ]);
    }
    Ok(())
}

fn replay(
    settings: &Settings<'_>,
    protocol: Protocol,
    before: &[Rewrite],
    timed: &[Rewrite],
    counting: bool,
) -> Result<(Measured, CountersSnapshot), String> {
    let place = Place::new(settings, evergraph::MediumKind::Dax)?;
    let mapped = MappedStorage::open(place.join("."), MappedKind::Dax, settings.assume_persistent);
    let mapped: Arc<dyn Storage> = Arc::new(mapped.map_err(text)?);
    let emulated = counting.then(|| Arc::new(EmulatedStorage::new(Arc::clone(&mapped), None)));
    let storage: Arc<dyn Storage> = match &emulated {
        Some(emulated) => Arc::clone(emulated) as _,
        None => mapped,
    };
    let mut mover = Mover::new(&*storage, before.iter().chain(timed))?;
    for rewrite in before.iter().chain(timed) {
        mover.perform(protocol, rewrite)?;
    }
    mover.forget();
    for rewrite in before {
        mover.perform(protocol, rewrite)?;
    }
    let drained = || emulated.as_ref().map(|emulated| emulated.device().drain());
    let counted = drained().unwrap_or_default();
    let meter = Meter::start();
    for rewrite in timed {
        mover.perform(protocol, rewrite)?;
    }
    let measured = meter.stop();
    Ok((measured, drained().unwrap_or_default() - counted))
}

/// Ingests once, the first tenth to warm up; returns time and counts of the
/// rest. `emulated` as in
/// [`evergraph::Options::emulated`].
fn one(
    settings: &Settings<'_>,
    list: &EdgeList,
    variant: &Variant,
    emulated: Option<Option<LatencyProfile>>,
) -> Result<(Measured, Counted), String> {
    let place = Place::new(settings, evergraph::MediumKind::Dax)?;
    let mapped = MappedStorage::open(place.join("."), MappedKind::Dax, settings.assume_persistent);
    let mapped: Arc<dyn Storage> = Arc::new(mapped.map_err(text)?);
    let emulated =
        emulated.map(|profile| Arc::new(EmulatedStorage::new(Arc::clone(&mapped), profile)));
    let storage: Arc<dyn Storage> = match &emulated {
        Some(emulated) => Arc::clone(emulated) as _,
        None => mapped,
    };
    let config = Config {
        mode: variant.mode,
        direction: StoredLists::Out,
        edge_log_bytes: variant.edge_log_bytes,
        ..Config::default()
    };
    let mut store = Store::create(&*storage, config, [7; 16]).map_err(text)?;
    if variant.mode == Mode::Direct {
        let mut parameters = DirectParameters {
            edge_log_bytes: variant.edge_log_bytes,
            vertices_on_medium: variant.vertices_on_medium,
            ..DirectParameters::default()
        };
        if variant.sparse {
            parameters.lower_density = 0.05;
            parameters.target_density = 0.22;
            parameters.upper_density = 0.32;
        }
        store
            .set_direct_parameters(&*storage, parameters)
            .map_err(text)?;
    }
    let mut vertices = Batch::new();
    vertices.add_vertices(list.vertex_count as u64);
    store.commit(vertices).map_err(text)?;
    let (warm_up, timed) = list.edges.split_at(list.edges.len() / 10);
    let trace = || store.rewrites().map(Rewrites::trace).unwrap_or_default();
    trace();
    insert(&store, variant, warm_up)?;
    store.checkpoint().map_err(text)?;
    let moves_before = trace();
    let drained = || emulated.as_ref().map(|emulated| emulated.device().drain());
    let before = drained().unwrap_or_default();
    let meter = Meter::start();
    insert(&store, variant, timed)?;
    store.close().map_err(text)?;
    let measured = meter.stop();
    let counters = drained().unwrap_or_default() - before;
    let moves = trace();
    let sum = |of: fn(&Rewrite) -> usize| moves.iter().map(|m| of(m) as u64).sum::<u64>();
    let counted = Counted {
        counters,
        edges: timed.len(),
        log_at_moves: (sum(|m| m.log_used), sum(|m| m.log_slots)),
        log_at_end: store.edge_log_fill(),
        moves: [moves_before, moves],
    };
    Ok((measured, counted))
}

fn insert(store: &Store, variant: &Variant, edges: &[Edge]) -> Result<(), String> {
    if variant.mode == Mode::Direct {
        return store.insert_edges_direct(edges).map_err(text);
    }
    for batch in edges.chunks(variant.batch) {
        let mut commit = Batch::new();
        commit.insert(batch);
        store.commit(commit).map_err(text)?;
    }
    Ok(())
}
