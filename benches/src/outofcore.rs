//! Graphs larger than memory: ingest and kernels in a process of its own whose
//! memory is limited to a share of the graph's bytes on the medium, beside the
//! same without a limit.

mod limit;
mod work;

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use evergraph::MediumKind;
use serde_json::{Value, json};

use crate::Benchmark;
use crate::place::Place;
use crate::settings::Settings;
use crate::stores::text;
use crate::table::{Table, number};
use limit::Limit;

pub use work::PART;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "outofcore",
    parameters: &["degree", "share", "batch", "log-mib", "layouts"],
    run,
};

/// The process that works, so that an interrupted benchmark can end it.
static WORKER: Mutex<Option<Child>> = Mutex::new(None);

/// Ends the process that works, if there is one, before its files are removed.
pub fn end_worker() {
    let mut worker = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(child) = &mut *worker {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Report of one run of the work.
struct Run {
    /// Whether the work got through; it is killed if it needs more than the limit.
    finished: bool,
    limit: String,
    limit_bytes: Option<u64>,
    /// Highest use of memory that the system counted, page cache included.
    peak_bytes: Option<u64>,
    /// Bytes that the system fetches around a page that is missing.
    read_ahead_bytes: Option<u64>,
    phases: Vec<Value>,
    facts: Value,
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let share: f64 = settings.parameter("share", 0.25)?;
    if !(share > 0.0 && share < 1e3) {
        return Err("share is a part of the graph's bytes".to_string());
    }
    if !matches!(settings.medium, None | Some(MediumKind::File)) {
        return Err("only `file` holds graphs larger than memory".to_string());
    }
    let layouts: String = settings.parameter("layouts", "pma,blocks".to_string())?;
    let mut runs = Vec::new();
    for layout in layouts.split(',') {
        let free = work_in(settings, layout, None)?;
        let graph_bytes = free.facts["graph_bytes"].as_u64();
        let graph_bytes = graph_bytes.ok_or("the first run gave no size")?;
        let limit = (graph_bytes as f64 * share) as u64;
        let limited = work_in(settings, layout, Some(limit))?;
        runs.push((layout.to_string(), free, limited));
    }
    Ok(vec![phases(&runs), memory(&runs)])
}

/// A layout, and its runs without and with a limit.
type Pair = (String, Run, Run);

fn phases(runs: &[Pair]) -> Table {
    let mut table = Table::new(
        "work with a limit of memory and without",
        &[
            "layout",
            "phase",
            "seconds_unlimited",
            "seconds_limited",
            "ratio",
            "page_ins_unlimited",
            "page_ins_limited",
            "read_bytes_unlimited",
            "read_bytes_limited",
            "written_bytes_unlimited",
            "written_bytes_limited",
            "equal",
        ],
    );
    let phases = runs.iter().flat_map(|(layout, free, limited)| {
        let phases = free.phases.iter().enumerate();
        phases.map(move |(i, phase)| (layout, i, phase, limited))
    });
    for (layout, i, a, limited) in phases {
        let b = limited.phases.get(i).unwrap_or(&Value::Null);
        let seconds = |phase: &Value| phase["seconds"].as_f64().unwrap_or(f64::NAN);
        table.row(vec![
            json!(layout),
            a["phase"].clone(),
            number(seconds(a)),
            number(seconds(b)),
            number(seconds(b) / seconds(a)),
            a["page_ins"].clone(),
            b["page_ins"].clone(),
            a["read_bytes"].clone(),
            b["read_bytes"].clone(),
            a["written_bytes"].clone(),
            b["written_bytes"].clone(),
            json!(a["result"] == b["result"]),
        ]);
    }
    table
}

fn memory(runs: &[Pair]) -> Table {
    let mut table = Table::new(
        "memory",
        &[
            "layout",
            "run",
            "finished",
            "limit",
            "limit_bytes",
            "peak_bytes",
            "max_rss_bytes",
            "max_heap_bytes",
            "length_page_bytes",
            "max_tail_bytes",
            "graph_bytes",
            "vertices",
            "edges",
            "read_ahead_bytes",
        ],
    );
    let runs = runs.iter().flat_map(|(layout, free, limited)| {
        [(layout, "unlimited", free), (layout, "limited", limited)]
    });
    for (layout, name, run) in runs {
        let fact = |name: &str| run.facts[name].clone();
        table.row(vec![
            json!(layout),
            json!(name),
            json!(run.finished),
            json!(run.limit),
            json!(run.limit_bytes),
            json!(run.peak_bytes),
            fact("max_rss_bytes"),
            fact("max_heap_bytes"),
            fact("length_page_bytes"),
            fact("max_tail_bytes"),
            fact("graph_bytes"),
            fact("vertices"),
            fact("edges"),
            json!(run.read_ahead_bytes),
        ]);
    }
    table
}

/// Runs the work in a process of its own, with at most so many bytes of memory.
fn work_in(settings: &Settings<'_>, layout: &str, bytes: Option<u64>) -> Result<Run, String> {
    let place = Place::new(settings, MediumKind::File)?;
    refuse_memory(&place)?;
    let limit = Limit::new(bytes);
    let shown = limit.describe();
    settings.progress(&format!("outofcore: layout {layout}, limit {shown}"));
    let report = place.join("report.json");
    let program = std::env::current_exe().map_err(text)?;
    let mut command = Command::new(program);
    command.args(["--json", PART.name]);
    command.args(["--scale", &settings.scale.unwrap_or(18).to_string()]);
    command.arg("--directory").arg(place.join(""));
    let threads = settings.threads.last().copied().unwrap_or(1);
    command.args(["--threads", &threads.to_string()]);
    for (name, default) in [("degree", 128), ("batch", 1 << 16), ("log-mib", 8)] {
        let value: u64 = settings.parameter(name, default)?;
        command.args(["--param", &format!("{name}={value}")]);
    }
    command.args(["--param", &format!("layout={layout}")]);
    command.args(["--param", &format!("seed={}", settings.seed)]);
    command.args(["--param", &format!("limit={}", limit.argument())]);
    command.stdin(Stdio::null());
    command.stdout(File::create(&report).map_err(text)?);
    // Ctrl-C is dealt with here.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let ended = finish(&mut command)?;
    let peak_bytes = limit.peak_bytes();
    let killed = std::os::unix::process::ExitStatusExt::signal(&ended).is_some();
    if killed && bytes.is_some() {
        settings.progress(&format!("outofcore: did not get through: {ended}"));
    } else if !ended.success() {
        return Err(format!("the work failed: {ended}"));
    }
    let found = std::fs::read_to_string(&report).map_err(text)?;
    // What was killed reports nothing.
    let found: Value = serde_json::from_str(&found).unwrap_or_default();
    let rows = |table: usize| found["tables"][table]["rows"].as_array().cloned();
    Ok(Run {
        finished: ended.success(),
        limit: shown,
        limit_bytes: bytes,
        peak_bytes,
        read_ahead_bytes: read_ahead_bytes(&place),
        phases: rows(0).unwrap_or_default(),
        facts: rows(1).and_then(|mut rows| rows.pop()).unwrap_or_default(),
    })
}

/// A directory in memory would count against the limit.
fn refuse_memory(place: &Place) -> Result<(), String> {
    const TMPFS: u64 = 0x0102_1994;
    let found = rustix::fs::statfs(place.join("")).map_err(text)?;
    if found.f_type as u64 == TMPFS {
        return Err("the directory is in memory; give one on a disk with --directory".to_string());
    }
    Ok(())
}

/// As the device of a directory is set.
fn read_ahead_bytes(place: &Place) -> Option<u64> {
    let device = rustix::fs::stat(place.join("")).ok()?.st_dev;
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let path = format!("/sys/class/bdi/{major}:{minor}/read_ahead_kb");
    let kib: u64 = std::fs::read_to_string(path).ok()?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Starts a process and waits for its end.
fn finish(command: &mut Command) -> Result<std::process::ExitStatus, String> {
    let worker = || WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    *worker() = Some(command.spawn().map_err(text)?);
    loop {
        // Never held for long: an interruption wants it as well.
        if let Some(child) = &mut *worker()
            && let Some(status) = child.try_wait().map_err(text)?
        {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
