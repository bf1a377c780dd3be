//! The work itself, in the process whose memory is limited. It holds no list of
//! edges: they are generated as they are inserted.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use evergraph::{Batch, Database, Layout, MediumKind, Mode, Options, run::MemoryMeter};
use evergraph_generators::Kronecker;
use evergraph_graph::{Graph, NeighborReader, StoredLists};
use rustix::process::{Signal, set_parent_process_death_signal};
use serde_json::json;

use super::limit::Limit;
use crate::Benchmark;
use crate::analyze::kernels::{Kernel, Outcome};
use crate::settings::Settings;
use crate::stores::{self, text};
use crate::table::{Table, number};

/// Called by `outofcore`, not by people.
pub const PART: Benchmark = Benchmark {
    name: "outofcore-part",
    parameters: &["degree", "batch", "log-mib", "layout", "limit"],
    run,
};

/// Commits between two looks at the memory in use.
const LOOK_COMMITS: usize = 16;

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    // No process is left to read the report then.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(text)?;
    Limit::enter(&settings.parameter("limit", "none".to_string())?)?;
    let directory = settings.directory.as_ref();
    let path = directory.ok_or("a directory is needed")?.join("db");
    let batch: usize = settings.parameter("batch", 1 << 16)?;
    let log_mib: u64 = settings.parameter("log-mib", 8)?;
    let degree: u32 = settings.parameter("degree", 128)?;
    let scale = settings.scale.unwrap_or(18);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.threads[0])
        .build()
        .map_err(text)?;
    let mut phases = Phases::new(settings);
    let layout: String = settings.parameter("layout", "pma".to_string())?;
    let found = Layout::ALL.iter().find(|(name, _)| *name == layout);
    let (_, layout) = found.ok_or_else(|| format!("there is no layout {layout:?}"))?;
    let options = Options {
        layout: *layout,
        log_bytes: log_mib.max(1) << 20,
        ..stores::options(
            settings,
            MediumKind::File,
            Mode::Merged,
            StoredLists::Undirected,
        )
    };
    let kronecker = Kronecker::new(scale, degree, settings.seed);
    let ingested = phases.measure("ingest", || ingest(&path, &options, &kronecker, batch))?;
    drop(kronecker);
    let db = Database::open(&path, &options).map_err(text)?;
    let graph_bytes = db.stats().extent_bytes;
    let view = db.view().graph().map_err(text)?;
    let mut reader = view.reader();
    let source = (0..view.vertex_count() as u32).find(|&v| reader.degree(v) > 0);
    let source = source.ok_or("the graph has no edges")?;
    for (name, kernel) in [
        ("pagerank", Kernel::PageRank { double: false }),
        ("bfs", Kernel::Bfs(source)),
        ("cc", Kernel::Components),
        ("bc", Kernel::Betweenness(source)),
    ] {
        phases.measure(name, || {
            let outcome = pool.install(|| kernel.run(&view))?;
            Ok(((), fingerprint(&outcome)))
        })?;
    }
    let mut facts = Table::new(
        "facts",
        &[
            "graph_bytes",
            "vertices",
            "edges",
            "max_rss_bytes",
            "max_heap_bytes",
            "length_page_bytes",
            "max_tail_bytes",
        ],
    );
    facts.row(vec![
        json!(graph_bytes),
        json!(view.vertex_count()),
        json!(view.arc_count() / 2),
        json!(max_rss_bytes()),
        json!(settings.memory.map(|meter: MemoryMeter| (meter.peak)())),
        json!(ingested.page_bytes),
        json!(ingested.tail_bytes),
    ]);
    Ok(vec![phases.table, facts])
}

/// DRAM of the store, the most that was seen.
#[derive(Default)]
struct Ingested {
    page_bytes: usize,
    tail_bytes: usize,
}

/// Inserts everything and closes. What it gives to compare is the number of edges.
fn ingest(
    path: &std::path::Path,
    options: &Options,
    kronecker: &Kronecker,
    batch: usize,
) -> Result<(Ingested, u64), String> {
    let db = Database::create(path, options).map_err(text)?;
    let mut vertices = Batch::new();
    vertices.add_vertices(kronecker.vertex_count() as u64);
    db.commit(vertices).map_err(text)?;
    let mut most = Ingested::default();
    let mut commits = 0;
    for chunk in kronecker.chunks() {
        for piece in chunk.chunks(batch.max(1)) {
            db.insert_edges(piece).map_err(text)?;
            commits += 1;
            if commits % LOOK_COMMITS == 0 {
                let stats = db.stats();
                most.page_bytes = most.page_bytes.max(stats.page_dram_bytes);
                most.tail_bytes = most.tail_bytes.max(stats.tail_dram_bytes);
            }
        }
    }
    let edges = db.view().edge_count().map_err(text)?;
    db.close().map_err(text)?;
    Ok((most, edges))
}

/// A number that equal results have in common: lists come in the same order in
/// every run, so sums are equal to the last digit.
fn fingerprint(outcome: &Outcome) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut reals = |values: &[f64]| {
        let values = values.iter().map(|value| value.to_bits());
        values.for_each(|bits| bits.hash(&mut hasher));
    };
    match outcome {
        Outcome::PageRank(found) => reals(&found.ranks),
        Outcome::Betweenness(found) => reals(&found.scores),
        Outcome::Bfs(found) => found.depths.hash(&mut hasher),
        Outcome::Components(found) => found.labels.hash(&mut hasher),
    }
    hasher.finish()
}

struct Phases<'a> {
    table: Table,
    settings: &'a Settings<'a>,
}

impl<'a> Phases<'a> {
    fn new(settings: &'a Settings<'a>) -> Self {
        let columns = [
            "phase",
            "seconds",
            "page_ins",
            "read_bytes",
            "written_bytes",
            "result",
        ];
        Phases {
            table: Table::new("phases", &columns),
            settings,
        }
    }

    /// Measures work that gives something to compare beside its result.
    fn measure<T>(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<(T, u64), String>,
    ) -> Result<T, String> {
        self.settings.progress(&format!("outofcore: {name}"));
        let before = io();
        let began = Instant::now();
        let (result, compared) = work()?;
        let seconds = began.elapsed().as_secs_f64();
        let after = io();
        // A run that is killed later has told at least this.
        let read = after[1]
            .zip(before[1])
            .map_or(0, |(after, before)| after - before);
        self.settings.progress(&format!(
            "outofcore: {name} took {seconds:.2} s and read {} MiB",
            read >> 20
        ));
        let more = |i: usize| {
            json!(
                after[i]
                    .zip(before[i])
                    .map(|(after, before)| after - before)
            )
        };
        self.table.row(vec![
            json!(name),
            number(seconds),
            more(0),
            more(1),
            more(2),
            // As text: not every reader of JSON has 64-bit numbers.
            json!(format!("{compared:x}")),
        ]);
        Ok(result)
    }
}

/// Major page faults, bytes read from devices, bytes written to them.
fn io() -> [Option<u64>; 3] {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let (stat, io) = (read("/proc/self/stat"), read("/proc/self/io"));
    // Behind the name, which may hold blanks: the state is field 3, faults are 12.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let faults = fields.split_whitespace().nth(9);
    let value = |name: &str| io.lines().find_map(|line| line.strip_prefix(name));
    [faults, value("read_bytes: "), value("write_bytes: ")].map(|text| text?.parse().ok())
}

fn max_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}
