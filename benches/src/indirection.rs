//! Does the medium's interface cost anything? The same store, flush and fence by
//! bare instructions, through the medium's own type (as direct mode's hot path
//! is compiled), through the enum that is chosen at run time, and through a
//! trait object.

use evergraph::MediumKind;
use evergraph_storage::medium::{MappedKind, MappedStorage};
use evergraph_storage::{Medium, MediumError, MediumHandle, Storage};
use serde_json::json;

use crate::Benchmark;
use crate::meter::{Meter, Times, median, minimum};
use crate::place::Place;
use crate::raw::RawBytes;
use crate::settings::Settings;
use crate::streams::{Offsets, Order};
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "indirection",
    parameters: &["bytes", "count"],
    run,
};

/// A mapped medium of some bytes, all of them touched, in a directory that goes
/// with it.
pub struct Mapped {
    pub medium: MediumHandle,
    _place: Place,
}

impl Mapped {
    pub fn new(settings: &Settings<'_>, bytes: u64) -> Result<Self, String> {
        let place = Place::new(settings, MediumKind::Dax)?;
        let storage =
            MappedStorage::open(place.join("."), MappedKind::Dax, settings.assume_persistent)
                .map_err(|error| error.to_string())?;
        let medium = open(&storage, bytes).map_err(|error| error.to_string())?;
        Ok(Mapped {
            medium,
            _place: place,
        })
    }
}

fn open(storage: &dyn Storage, bytes: u64) -> Result<MediumHandle, MediumError> {
    let medium = storage.open("bytes", true)?;
    medium.grow(bytes)?;
    let block = vec![1; 1 << 20];
    for offset in (0..bytes).step_by(block.len()) {
        let len = block.len().min((bytes - offset) as usize);
        medium.write(offset, &block[..len])?;
    }
    medium.fence()?;
    Ok(medium)
}

/// Stores a word at each of `count` offsets through a medium, each flushed and
/// fenced before the next.
#[inline(never)]
pub fn through<M: Medium + ?Sized>(
    medium: &M,
    offsets: Offsets,
    count: usize,
) -> Result<(), MediumError> {
    for (value, offset) in (0..count as u32).zip(offsets) {
        medium.store_u32(offset, value);
        medium.flush(offset, 4)?;
        medium.fence()?;
    }
    Ok(())
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let bytes: u64 = settings.parameter("bytes", 256 << 20)?;
    let count: usize = settings.parameter("count", 2_000_000)?;
    let trials = settings.trials.unwrap_or(7);
    let mapped = Mapped::new(settings, bytes)?;
    let mut table = Table::new(
        "a 4-byte store, flushed and fenced, by way of",
        &[
            "order",
            "way",
            "ns",
            "ns_best",
            "cpu_ns",
            "ratio_best",
            "ratio_cpu_best",
        ],
    );
    for order in Order::ALL {
        settings.progress(&format!("indirection: {}", order.name()));
        measure(&mapped.medium, order, bytes, count, trials, &mut table)?;
    }
    Ok(vec![table])
}

/// All ways in turn, several times, so that what disturbs one disturbs all.
fn measure(
    handle: &MediumHandle,
    order: Order,
    bytes: u64,
    count: usize,
    trials: usize,
    table: &mut Table,
) -> Result<(), String> {
    const WAYS: [&str; 4] = ["raw", "own type", "enum", "trait object"];
    let mut times = vec![Times::default(); WAYS.len()];
    for trial in 0..trials {
        for (way, times) in times.iter_mut().enumerate() {
            let offsets = Offsets::new(order, bytes, trial as u64);
            let meter = Meter::start();
            let done = match (way, handle) {
                (0, _) => match RawBytes::of(handle) {
                    Some(raw) => {
                        raw.store_flush_fence(offsets, count);
                        Ok(())
                    }
                    None => continue,
                },
                (1, MediumHandle::Mapped(mapped)) => through(&**mapped, offsets, count),
                (3, MediumHandle::Mapped(mapped)) => {
                    through::<dyn Medium>(&**mapped, offsets, count)
                }
                _ => through(handle, offsets, count),
            };
            done.map_err(|error| error.to_string())?;
            times.add(meter.stop());
        }
    }
    let each_ns = 1e9 / count as f64;
    for (name, mine) in WAYS.iter().zip(&times).filter(|(_, mine)| mine.exist()) {
        let ratio = |to_raw: f64| {
            if times[0].exist() {
                number(to_raw)
            } else {
                json!(null)
            }
        };
        table.row(vec![
            json!(order.name()),
            json!(name),
            number(median(&mine.wall) * each_ns),
            number(minimum(&mine.wall) * each_ns),
            number(median(&mine.cpu) * each_ns),
            ratio(minimum(&mine.wall) / minimum(&times[0].wall)),
            ratio(minimum(&mine.cpu) / minimum(&times[0].cpu)),
        ]);
    }
    Ok(())
}
