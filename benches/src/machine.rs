//! Facts about the machine, for beside the numbers.

use serde_json::{Value, json};

/// Processor, memory, system and load.
pub fn facts() -> Value {
    let cpu = read("/proc/cpuinfo");
    let model = field(&cpu, "model name").unwrap_or("unknown").to_string();
    let memory = read("/proc/meminfo");
    let memory_kib: u64 = field(&memory, "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .unwrap_or(0);
    let cache = read("/sys/devices/system/cpu/cpu0/cache/index3/size");
    json!({
        "cpu": model,
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "memory_gib": memory_kib / (1 << 20),
        "last_level_cache": cache.trim(),
        "kernel": read("/proc/sys/kernel/osrelease").trim(),
        "huge_pages": read("/sys/kernel/mm/transparent_hugepage/enabled").trim(),
        "huge_pages_in_shm": read("/sys/kernel/mm/transparent_hugepage/shmem_enabled").trim(),
        "load_before": load(),
        "optimised": !cfg!(debug_assertions),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// The load averages.
pub fn load() -> String {
    let load = read("/proc/loadavg");
    load.split_whitespace()
        .take(3)
        .collect::<Vec<_>>()
        .join(" ")
}

/// DRAM of this process that is no page of a file; 0 where that is unknown.
pub fn anonymous_bytes() -> u64 {
    let status = read("/proc/self/status");
    let kib = field(&status, "RssAnon").and_then(|text| text.split_whitespace().next());
    1024 * kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0)
}

/// Empty where there is no such file.
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim())
}
