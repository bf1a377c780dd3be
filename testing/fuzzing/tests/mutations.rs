//! Every target over its seeds and over mutations of them: no panic, no hang, and no
//! more memory than its bound.
//!
//! Each runs in a process of its own, because the allocator counts a whole process,
//! and because a stack that overflows ends one. `EVERGRAPH_MUTATIONS` is how many
//! mutations each gets, `EVERGRAPH_SEED` which.

#[path = "../../../crates/cli/src/memory.rs"]
mod memory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use evergraph_fuzzing::{TARGETS, Target, find, generated_seeds};
use memory::METER;

const SEED: u64 = 16;
/// Decides nothing but when a hang is called one.
const HANGS_AFTER: Duration = Duration::from_secs(60);

const TARGET: &str = "EVERGRAPH_TARGET";
const INPUT: &str = "EVERGRAPH_INPUT";
const TRACE: &str = "EVERGRAPH_TRACE";

macro_rules! tests {
    ($($test:ident $name:literal)*) => {
        $(#[test]
        fn $test() {
            in_a_process_of_its_own($name);
        })*
        const TESTED: &[&str] = &[$($name),*];
    };
}

tests! {
    store "store"
    direct "direct"
    property_graph "property-graph"
    results "results"
    log "log"
    value "value"
    properties "properties"
    edge_list "edge-list"
    csv "csv"
    matrix_market "matrix-market"
    dimacs "dimacs"
    metis "metis"
    events "events"
    compressed "compressed"
    neo4j_csv "neo4j-csv"
    ldbc_csv "ldbc-csv"
    json_lines "json-lines"
    graphml "graphml"
    tables "tables"
    times "times"
    names "names"
    condition "condition"
    query "query"
    execution "execution"
}

#[test]
fn every_target_has_a_test() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(names, TESTED);
}

fn seeds_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/seeds")
        .join(name)
}

/// Directory for inputs on which a target fails.
fn failures() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzzing");
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

fn in_a_process_of_its_own(name: &str) {
    let run = |trace: Option<&Path>| -> ExitStatus {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .args(["--exact", "one_target", "--ignored", "--nocapture"])
            .env(TARGET, name);
        if let Some(path) = trace {
            command.env(TRACE, path);
        }
        let output = command.output().expect("this program again");
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines()
            .filter(|line| line.starts_with(name))
            .for_each(|line| println!("{line}"));
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        }
        output.status
    };
    let status = run(None);
    if status.code().is_none() {
        // The inputs are the same again: the last one that is written is the one.
        let input = failures().join(format!("{name}-ended"));
        run(Some(&input));
        panic!(
            "{name}: the process ended, {status}\n{}",
            how_to_replay(name, &input)
        );
    }
    assert!(status.success(), "{name} failed");
}

fn how_to_replay(name: &str, input: &Path) -> String {
    let input = input.display();
    format!(
        "{TARGET}={name} {INPUT}={input} cargo test -p evergraph-fuzzing --test mutations replay -- --ignored --nocapture"
    )
}

fn from_environment(variable: &str, otherwise: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.map_or(otherwise, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable}: {text}"))
    })
}

/// The input that is being executed, since when, and of which target.
static EXECUTED: Mutex<Option<(Instant, Vec<u8>)>> = Mutex::new(None);

/// Ends the process when an execution does not.
fn watch(name: &'static str) {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let executed = EXECUTED.lock().expect("the lock of no panic");
        if let Some((since, input)) = &*executed
            && since.elapsed() > HANGS_AFTER
        {
            let path = keep(name, input);
            eprintln!(
                "{name} hangs on {}\n{}",
                hex(input),
                how_to_replay(name, &path)
            );
            std::process::exit(101);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn keep(name: &str, input: &[u8]) -> PathBuf {
    let sum = input.iter().fold(0u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    let path = failures().join(format!("{name}-{sum:016x}"));
    std::fs::write(&path, input).expect("written");
    path
}

/// Place and message of the last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Says nothing of panics as they come: they are listed by their place.
fn remember_panics() {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().expect("the lock of no panic") = panic.to_string();
    }));
}

/// An execution that went well: whether it passed the first check, and the bytes that
/// it had at most.
type Executed = Result<(bool, usize), String>;

fn execute(target: &Target, input: &[u8]) -> Executed {
    let before = (METER.current)();
    (METER.reset)();
    let run = std::panic::catch_unwind(|| (target.run)(input));
    let bytes = (METER.peak)().saturating_sub(before);
    let bound = target.base_bytes + target.bytes_per_byte * input.len();
    match run {
        Ok(_) if bytes > bound => Err(format!(
            "{} KiB of memory, a bound of {}",
            (bytes >> 10).next_power_of_two(),
            bound >> 10
        )),
        Ok(passed) => Ok((passed, bytes)),
        Err(_) => Err(PANIC.lock().expect("the lock of no panic").clone()),
    }
}

#[test]
#[ignore = "run by the others, one process a target"]
fn one_target() {
    let Ok(name) = std::env::var(TARGET) else {
        return;
    };
    // In a pool of one thread, parallel parts run where they are, one after the other.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread").install(|| run_target(&name));
}

fn run_target(name: &str) {
    let target = find(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(seeds_of(name))
        .unwrap_or_else(|error| panic!("{}: {error}", seeds_of(name).display()))
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    let seeds: Vec<Vec<u8>> = files
        .iter()
        .map(|path| std::fs::read(path).expect("readable"))
        .collect();
    let trace = std::env::var_os(TRACE);
    let (count, seed) = (
        from_environment("EVERGRAPH_MUTATIONS", target.mutations),
        from_environment("EVERGRAPH_SEED", SEED),
    );
    // The first execution fills caches and statics, whose memory belongs to no input.
    (target.run)(&seeds[0]);
    std::thread::spawn(move || watch(target.name));
    remember_panics();
    let (begun, mut passed, mut most) = (Instant::now(), 0, 0);
    let mutations = (0..count).map(|number| (target.mutated)(&seeds, seed, number));
    // Each kind of failure, how often it came, and the first input.
    let mut failed: BTreeMap<String, (u64, PathBuf)> = BTreeMap::new();
    for (number, input) in seeds.iter().cloned().chain(mutations).enumerate() {
        if let Some(path) = &trace {
            std::fs::write(path, &input).expect("written");
        }
        *EXECUTED.lock().expect("the lock of no panic") = Some((Instant::now(), input.clone()));
        match execute(&target, &input) {
            Ok((deep, bytes)) => {
                passed += u64::from(deep && number >= seeds.len());
                most = most.max(bytes);
            }
            Err(problem) => {
                let place = problem.lines().next().unwrap_or_default().to_string();
                failed
                    .entry(place)
                    .or_insert_with(|| {
                        eprintln!("{problem}");
                        (0, keep(target.name, &input))
                    })
                    .0 += 1;
            }
        }
    }
    *EXECUTED.lock().expect("the lock of no panic") = None;
    let depth = 100 * passed / count.max(1);
    println!(
        "{name}: {} seeds, {count} mutations (seed {seed}), {depth} % behind the first check, at most {most} bytes, {:.1} s",
        seeds.len(),
        begun.elapsed().as_secs_f64(),
    );
    for (problem, (count, path)) in &failed {
        eprintln!(
            "{name}: {count} times {problem}\n{}",
            how_to_replay(name, path)
        );
    }
    assert!(failed.is_empty(), "{name} fails in {} ways", failed.len());
    assert!(
        depth >= u64::from(target.depth),
        "{name}: only {depth} % of the mutations pass the first check"
    );
}

#[test]
#[ignore = "replays the input that EVERGRAPH_TARGET and EVERGRAPH_INPUT name"]
fn replay() {
    let (Ok(name), Ok(path)) = (std::env::var(TARGET), std::env::var(INPUT)) else {
        return;
    };
    let target = find(&name);
    let input = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let before = (METER.current)();
    (METER.reset)();
    let passed = (target.run)(&input);
    let bytes = (METER.peak)().saturating_sub(before);
    println!(
        "{name}: {} bytes, passed: {passed}, at most {bytes} bytes",
        input.len()
    );
}

#[test]
#[ignore = "writes the seeds that are made of golden databases"]
fn write_seeds() {
    for (name, seeds) in generated_seeds() {
        std::fs::create_dir_all(seeds_of(name)).expect("a directory");
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(seeds_of(name).join(format!("golden-{number:02}")), seed)
                .expect("written");
        }
    }
}
