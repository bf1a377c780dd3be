//! Poseidon's Figure 8: a lookup in an index whose inner pages are in DRAM, beside
//! all pages on the medium and all in DRAM, and beside the standard library's
//! ordered map; and what it costs to have the inner pages again after an opening,
//! beside building the index.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::index::{Geometry, Index, Kind, key};
use evergraph_storage::medium::{DramStorage, EmulatedStorage, LatencyProfile};
use evergraph_storage::order::Flushed;
use evergraph_storage::{Directory, Needed, Region, Storage, Uuid};
use serde_json::json;

use crate::Benchmark;
use crate::meter::{Meter, Times, median, minimum};
use crate::settings::Settings;
use crate::stores::text;
use crate::table::{Table, number};

pub const BENCHMARK: Benchmark = Benchmark {
    name: "index",
    parameters: &["lookups", "profile", "leaf-bytes"],
    run,
};

const UUID: Uuid = *b"index benchmark.";
const OWNER: u32 = 1 << 31;
const KINDS: [(&str, Kind); 3] = [
    ("all on the medium", Kind::OnMedium),
    ("hybrid", Kind::Hybrid),
    ("all in DRAM", Kind::Volatile),
];

/// An index, and what its pages lie on.
struct Built {
    region: Region,
    directory: Directory,
    index: Index,
}

fn run(settings: &Settings<'_>) -> Result<Vec<Table>, String> {
    let count = 1u32 << settings.scale.unwrap_or(20);
    let lookups: usize = settings.parameter("lookups", 1_000_000)?;
    let leaf_bytes = settings.parameter("leaf-bytes", Geometry::default().leaf_bytes)?;
    let name: String = settings.parameter("profile", "optane".to_string())?;
    let profile = LatencyProfile::named(&name);
    let profile = profile.ok_or_else(|| format!("there is no profile {name:?}"))?;
    let geometry = Geometry {
        leaf_bytes,
        ..Geometry::default()
    };
    let trials = settings.trials.unwrap_or(5);
    let mut tables = Vec::new();
    for keys in ["integers", "texts"] {
        settings.progress(&format!("index: {count} {keys}"));
        let entries = entries(keys, count)?;
        let built = KINDS.map(|(_, kind)| build(kind, geometry, profile, &entries));
        let built: Vec<Built> = built.into_iter().collect::<Result<_, String>>()?;
        let map = entries.iter().cloned().collect();
        let title = format!("{keys}, {count} of them, medium {name}: a lookup by way of");
        tables.push(lookup_table(
            title, &built, &map, &entries, lookups, trials,
        )?);
        let title = format!("{keys}, {count} of them, medium {name}: at an opening");
        tables.push(opening_table(
            title, &built[1], geometry, profile, &entries, trials,
        )?);
    }
    Ok(tables)
}

/// Keys in no order: what a person's id or name is.
fn entries(keys: &str, count: u32) -> Result<Vec<(Vec<u8>, u32)>, String> {
    let value = |id: u32| {
        // Every number once, mixed: an odd factor and a fold can be undone.
        let mixed = u64::from(id).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        match keys {
            "integers" => Value::from((mixed >> 16) as i64),
            _ => Value::from(format!("person {mixed:016x}").as_str()),
        }
    };
    let entry = |id| key::encode([&value(id)]).map(|key| (key, id));
    let entries: Option<Vec<_>> = (0..count).map(entry).collect();
    entries.ok_or_else(|| "no value is null".to_string())
}

fn build(
    kind: Kind,
    geometry: Geometry,
    profile: LatencyProfile,
    entries: &[(Vec<u8>, u32)],
) -> Result<Built, String> {
    let storage = EmulatedStorage::new(Arc::new(DramStorage::new()), Some(profile));
    let medium = storage.open("extents", true).map_err(text)?;
    let region = Region::new(medium, 4096, 1 << 20);
    let index = Index::new(OWNER, kind, geometry);
    fill(&index, &region, entries)?;
    let mut directory = Directory::default();
    let needed = Needed::new(vec![1], Arc::default());
    let written = index.write(1, &needed, &region, &UUID, &mut directory);
    let written = Flushed::all(written.map_err(text)?);
    written.fence(region.medium()).map_err(text)?;
    index.publishing();
    index.published(&|| needed.clone());
    // All that is read once has been verified.
    let mut problems = Vec::new();
    index.check(&mut problems);
    match problems.pop() {
        Some(problem) => Err(problem),
        None => Ok(Built {
            region,
            directory,
            index,
        }),
    }
}

fn fill(index: &Index, region: &Region, entries: &[(Vec<u8>, u32)]) -> Result<(), String> {
    let mut collector = index.collector();
    for (key, id) in entries {
        collector.push(key, *id);
    }
    let entries = collector.sorted();
    index.build(1, region, &UUID, &entries).map_err(text)
}

/// All ways in turn, several times, so that what disturbs one disturbs all.
fn lookup_table(
    title: String,
    built: &[Built],
    map: &BTreeMap<Vec<u8>, u32>,
    entries: &[(Vec<u8>, u32)],
    lookups: usize,
    trials: usize,
) -> Result<Table, String> {
    let mut times = vec![Times::default(); built.len() + 1];
    for trial in 0..=trials {
        for (way, times) in times.iter_mut().enumerate() {
            let wanted = (0..lookups).map(|i| {
                let mixed = (i + trial * lookups).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                &entries[(mixed >> 20) % entries.len()]
            });
            let meter = Meter::start();
            match built.get(way) {
                Some(built) => look_up(&built.index, wanted)?,
                None => look_up_in_map(map, wanted)?,
            }
            let taken = meter.stop();
            // In the first all is read once.
            if trial > 0 {
                times.add(taken);
            }
        }
    }
    let columns = ["way", "ns", "ns_best", "ratio_best_to_hybrid", "dram_bytes"];
    let mut table = Table::new(title, &columns);
    let each_ns = 1e9 / lookups as f64;
    let names = KINDS.iter().map(|kind| kind.0).chain(["ordered map"]);
    for (way, (name, mine)) in names.zip(&times).enumerate() {
        let dram = built.get(way).map(|built| built.index.usage().page_bytes);
        table.row(vec![
            json!(name),
            number(median(&mine.wall) * each_ns),
            number(minimum(&mine.wall) * each_ns),
            number(minimum(&mine.wall) / minimum(&times[1].wall)),
            json!(dram),
        ]);
    }
    Ok(table)
}

fn look_up<'e>(
    index: &Index,
    wanted: impl Iterator<Item = &'e (Vec<u8>, u32)>,
) -> Result<(), String> {
    let mut ids = Vec::new();
    for (key, id) in wanted {
        ids.clear();
        index.lookup(1, key, &mut ids).map_err(text)?;
        if ids != [*id] {
            return Err(format!("{id} is not found"));
        }
    }
    Ok(())
}

fn look_up_in_map<'e>(
    map: &BTreeMap<Vec<u8>, u32>,
    mut wanted: impl Iterator<Item = &'e (Vec<u8>, u32)>,
) -> Result<(), String> {
    match wanted.find(|(key, id)| map.get(key) != Some(id)) {
        None => Ok(()),
        Some((_, id)) => Err(format!("{id} is not found")),
    }
}

/// Seconds of an opening: of the inner pages alone, or of all.
fn opening_table(
    title: String,
    hybrid: &Built,
    geometry: Geometry,
    profile: LatencyProfile,
    entries: &[(Vec<u8>, u32)],
    trials: usize,
) -> Result<Table, String> {
    let (mut inner, mut all) = (Times::default(), Times::default());
    let medium = hybrid.region.medium().clone();
    for _ in 0..trials {
        let region = Region::new(medium.clone(), 4096, 1 << 20);
        let meter = Meter::start();
        let index = Index::new(OWNER, Kind::Hybrid, geometry);
        let restored = index.restore(&region, &UUID, &hybrid.directory);
        restored.map_err(text)?;
        index.preload().map_err(text)?;
        inner.add(meter.stop());

        let storage = EmulatedStorage::new(Arc::new(DramStorage::new()), Some(profile));
        let medium = storage.open("extents", true).map_err(text)?;
        let region = Region::new(medium, 4096, 1 << 20);
        let meter = Meter::start();
        let index = Index::new(OWNER, Kind::Volatile, geometry);
        fill(&index, &region, entries)?;
        all.add(meter.stop());
    }
    let mut table = Table::new(title, &["what", "ms", "ms_best", "ratio_best"]);
    let rows = [
        ("inner pages are read", &inner),
        ("it is built in DRAM", &all),
    ];
    for (name, mine) in rows {
        table.row(vec![
            json!(name),
            number(median(&mine.wall) * 1e3),
            number(minimum(&mine.wall) * 1e3),
            number(minimum(&mine.wall) / minimum(&all.wall)),
        ]);
    }
    Ok(table)
}
