//! Limits of the machine, so that every table can name its ceiling.

use std::fs::File;
use std::io::Write;
use std::sync::Barrier;
use std::time::Instant;

use evergraph::MediumKind;
use evergraph_storage::{Medium, MediumHandle};
use rayon::prelude::*;
use serde_json::json;

use crate::Benchmark;
use crate::indirection::{Mapped, through};
use crate::meter::{Measured, Meter};
use crate::place::Place;
use crate::raw::RawBytes;
use crate::settings::Settings;
use crate::streams::{Offsets, Order};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "limits",
    parameters: &["bytes", "count", "memory", "syncs"],
    run,
};

/// Runs `work` on so many threads at once; the time is that from the common
/// start to the last end.
pub fn on_threads(
    threads: usize,
    work: impl Fn(usize) -> Result<(), String> + Sync,
) -> Result<Measured, String> {
    if threads == 1 {
        let meter = Meter::start();
        work(0)?;
        return Ok(meter.stop());
    }
    let barrier = Barrier::new(threads + 1);
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                let (barrier, work) = (&barrier, &work);
                scope.spawn(move || {
                    barrier.wait();
                    work(thread)
                })
            })
            .collect();
        let meter = Meter::start();
        barrier.wait();
        for thread in running {
            thread
                .join()
                .map_err(|_| "a thread panicked".to_string())??;
        }
        Ok(meter.stop())
    })
}

/// The time of `count` stores by each of so many threads, each store flushed and
/// fenced before the next.
pub fn durable_stores(
    medium: &MediumHandle,
    order: Order,
    threads: usize,
    count: usize,
    raw: bool,
) -> Result<Option<Measured>, String> {
    let bytes = medium.len();
    let raw = match (raw, RawBytes::of(medium)) {
        (true, None) => return Ok(None),
        (true, found) => found,
        (false, _) => None,
    };
    on_threads(threads, |thread| {
        let offsets = Offsets::new(order, bytes, thread as u64);
        match (raw, medium) {
            (Some(raw), _) => {
                raw.store_flush_fence(offsets, count);
                Ok(())
            }
            (None, MediumHandle::Mapped(mapped)) => {
                through(&**mapped, offsets, count).map_err(|error| error.to_string())
            }
            (None, handle) => through(handle, offsets, count).map_err(|error| error.to_string()),
        }
    })
    .map(Some)
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let mut table = Table::new(
        "limits",
        &[
            "what",
            "threads",
            "rate",
            "unit",
            "ns_each",
            "cpu_ns_each",
            "others",
        ],
    );
    memory(settings, &mut table)?;
    stores(settings, &mut table)?;
    disk(settings, &mut table)?;
    Ok(vec![table])
}

/// A row for `count` operations of `unit` each, `scale` units in what is shown.
fn report(
    table: &mut Table,
    what: &str,
    threads: usize,
    (count, scale, unit): (f64, f64, &str),
    measured: Measured,
) {
    let each = |seconds: f64| number(seconds * threads as f64 / count * 1e9);
    let single = unit.starts_with("M/s") || unit.starts_with("1/s");
    table.row(vec![
        json!(what),
        json!(threads),
        number(count / measured.seconds / scale),
        json!(unit),
        if single {
            each(measured.seconds)
        } else {
            json!(null)
        },
        if single {
            number(measured.cpu_seconds / count * 1e9)
        } else {
            json!(null)
        },
        number(measured.others),
    ]);
}

/// Reads of ordinary memory.
fn memory(settings: &Settings<'_>, table: &mut Table) -> Result<(), String> {
    let bytes: usize = settings.parameter("memory", 1 << 30)?;
    let count: usize = settings.parameter("count", 10_000_000)?;
    settings.progress("limits: memory");
    // Written, so that each page is memory of its own. A power of two of words.
    let words = (bytes / 4).next_power_of_two();
    let data: Vec<u32> = (0..words as u32).into_par_iter().collect();
    let mask = words - 1;
    for &threads in &settings.threads {
        let part = words / threads;
        let measured = on_threads(threads, |thread| {
            let mine = &data[thread * part..(thread + 1) * part];
            let sum = |chunk: &[u32]| chunk.iter().fold(0_u32, |sum, &v| sum.wrapping_add(v));
            std::hint::black_box(sum(mine));
            Ok(())
        })?;
        let gigabytes = (4.0 * (part * threads) as f64, 1e9, "GB/s");
        report(table, "memory read", threads, gigabytes, measured);
        let measured = on_threads(threads, |thread| {
            let offsets = Offsets::new(Order::Random, 4 * words as u64, thread as u64);
            let at = offsets
                .take(count)
                .map(|offset| data[(offset / 4) as usize & mask]);
            std::hint::black_box(at.fold(0_u32, u32::wrapping_add));
            Ok(())
        })?;
        let millions = ((count * threads) as f64, 1e6, "M/s");
        report(table, "random reads, 4 bytes", threads, millions, measured);
        let measured = on_threads(threads, |thread| {
            let mut at = thread * part;
            for _ in 0..count / 4 {
                // What was read says where to read next.
                let next = (at as u64 ^ u64::from(data[at])).wrapping_add(at as u64 + 1);
                at = next.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 20 & mask;
            }
            std::hint::black_box(at);
            Ok(())
        })?;
        let millions = ((count / 4 * threads) as f64, 1e6, "M/s");
        report(
            table,
            "dependent reads, 4 bytes",
            threads,
            millions,
            measured,
        );
    }
    Ok(())
}

/// Stores that become durable one by one, and streams.
fn stores(settings: &Settings<'_>, table: &mut Table) -> Result<(), String> {
    let bytes: u64 = settings.parameter("bytes", 256 << 20)?;
    let count: usize = settings.parameter("count", 10_000_000)? / 3;
    settings.progress("limits: stores");
    let mapped = Mapped::new(settings, bytes)?;
    let block = vec![1; 4 << 20];
    for &threads in &settings.threads {
        for order in Order::ALL {
            for (way, raw) in [("instruction", true), ("medium", false)] {
                let found = durable_stores(&mapped.medium, order, threads, count, raw)?;
                let Some(measured) = found else { continue };
                let what = format!("store 4 + flush + fence, {}, {way}", order.name());
                let millions = ((count * threads) as f64, 1e6, "M/s");
                report(table, &what, threads, millions, measured);
            }
        }
        // Each thread a part of its own; the raw loop does it alone.
        let part = bytes / threads as u64 / block.len() as u64 * block.len() as u64;
        let measured = on_threads(threads, |thread| {
            let start = thread as u64 * part;
            for offset in (start..start + part).step_by(block.len()) {
                let written = mapped.medium.write_through(offset, &block);
                written.map_err(|error| error.to_string())?;
            }
            mapped.medium.fence().map_err(|error| error.to_string())
        })?;
        let gigabytes = ((part * threads as u64) as f64, 1e9, "GB/s");
        if part > 0 {
            report(
                table,
                "copy past the caches, medium",
                threads,
                gigabytes,
                measured,
            );
        }
    }
    if let Some(raw) = RawBytes::of(&mapped.medium) {
        let measured = on_threads(1, |_| {
            raw.stream(bytes);
            Ok(())
        })?;
        let gigabytes = (bytes as f64, 1e9, "GB/s");
        report(
            table,
            "fill past the caches, instruction",
            1,
            gigabytes,
            measured,
        );
    }
    Ok(())
}

/// Appends and syncs of ordinary files, one a thread.
fn disk(settings: &Settings<'_>, table: &mut Table) -> Result<(), String> {
    let syncs: usize = settings.parameter("syncs", 1000)?;
    let total: usize = settings.parameter("memory", 1 << 30)?;
    let place = Place::new(settings, MediumKind::File)?;
    for &threads in &settings.threads {
        for (what, bytes, count) in [
            ("append 128 B + fdatasync", 128, syncs),
            ("append 64 KiB + fdatasync", 64 << 10, syncs / 2),
            ("append 1 MiB + fdatasync", 1 << 20, syncs / 10),
        ] {
            settings.progress(&format!("limits: {what}"));
            let measured = on_threads(threads, |thread| {
                let path = place.join(&format!("append-{thread}"));
                let mut file = File::create(&path).map_err(|error| error.to_string())?;
                append(&mut file, &vec![1; bytes], count, true)
            })?;
            let each = ((count * threads) as f64, 1.0, "1/s");
            report(table, what, threads, each, measured);
        }
        settings.progress("limits: sequential write");
        let block = vec![1; 8 << 20];
        let count = (total / block.len() / threads).max(1);
        let measured = on_threads(threads, |thread| {
            let path = place.join(&format!("append-{thread}"));
            let mut file = File::create(&path).map_err(|error| error.to_string())?;
            append(&mut file, &block, count, false)?;
            file.sync_data().map_err(|error| error.to_string())
        })?;
        let gigabytes = ((count * block.len() * threads) as f64, 1e9, "GB/s");
        report(
            table,
            "sequential write, synced at the end",
            threads,
            gigabytes,
            measured,
        );
    }
    Ok(())
}

fn append(file: &mut File, block: &[u8], count: usize, sync: bool) -> Result<(), String> {
    // A slow disk must not hold the other limits up for minutes.
    let began = Instant::now();
    for done in 0..count {
        file.write_all(block).map_err(|error| error.to_string())?;
        if sync {
            file.sync_data().map_err(|error| error.to_string())?;
            if began.elapsed().as_secs() > 60 {
                return Err(format!("only {done} of {count} syncs in a minute"));
            }
        }
    }
    Ok(())
}
