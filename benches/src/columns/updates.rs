//! Updates of one property: alone and durable, and of many nodes at once.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::time::Instant;

use evergraph_graph::random::Random;
use evergraph_property_graph::graph::PropertyGraph;
use serde_json::json;

use super::data::{Data, Ids, RANGE_OF_A};
use super::text;
use crate::place::Place;
use crate::settings::Settings;
use crate::table::{Table, number};

/// Bytes that the yardstick appends: about the log record of one property.
const RECORD_BYTES: usize = 128;
const UPDATES: usize = 1_000;

/// Durable updates beside bare appends with a sync, in turn on the same medium; and one
/// commit that updates every node.
pub(super) fn table(
    settings: &Settings<'_>,
    data: &mut Data,
    ids: &Ids,
    graph: &PropertyGraph,
    place: &Place,
) -> Result<Table, String> {
    settings.progress("columns: updates");
    let mut random = Random::new(settings.seed + 1);
    let mut log = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(place.join("appends"))
        .map_err(text)?;
    log.write_all(&vec![0; UPDATES * RECORD_BYTES])
        .map_err(text)?;
    log.sync_all().map_err(text)?;
    log.seek(SeekFrom::Start(0)).map_err(text)?;
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..UPDATES {
        let began = Instant::now();
        log.write_all(&[7; RECORD_BYTES]).map_err(text)?;
        log.sync_data().map_err(text)?;
        bare.push(began.elapsed().as_secs_f64());
        let at = random.below(data.nodes() as u64) as usize;
        let began = Instant::now();
        graph
            .write(|transaction| transaction.set(ids.nodes[at], "a", data.a[at]))
            .map_err(text)?;
        ours.push(began.elapsed().as_secs_f64());
    }
    let mut table = Table::new(
        "updates of one property",
        &["what", "rows", "us_a_row", "bare_us", "ratio"],
    );
    let (bare, one) = (median(&mut bare), median(&mut ours));
    table.row(vec![
        json!("one node, its own durable commit (median)"),
        json!(UPDATES),
        number(one * 1e6),
        number(bare * 1e6),
        number(one / bare),
    ]);
    let began = Instant::now();
    graph
        .write(|transaction| {
            for (id, c) in ids.nodes.iter().zip(&data.c) {
                transaction.set(*id, "c", c + 1)?;
            }
            Ok(())
        })
        .map_err(text)?;
    let all = began.elapsed().as_secs_f64();
    data.c.iter_mut().for_each(|c| *c += 1);
    table.row(vec![
        json!("every node, one commit"),
        json!(data.nodes()),
        number(all / data.nodes() as f64 * 1e6),
        json!(null),
        json!(null),
    ]);
    Ok(table)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Changes `a` of so many percent of the nodes, far apart, in commits of a thousand that
/// are not merged.
pub(super) fn change(
    seed: u64,
    data: &mut Data,
    ids: &Ids,
    graph: &PropertyGraph,
    percent: usize,
) -> Result<(), String> {
    let mut random = Random::new(seed + 2);
    let mut numbers: Vec<usize> = (0..data.nodes()).collect();
    random.shuffle(&mut numbers);
    numbers.truncate(data.nodes() * percent / 100);
    for some in numbers.chunks(1_000) {
        let values: Vec<i64> = some
            .iter()
            .map(|_| random.below(RANGE_OF_A as u64) as i64)
            .collect();
        graph
            .write(|transaction| {
                for (&number, &value) in some.iter().zip(&values) {
                    transaction.set(ids.nodes[number], "a", value)?;
                }
                Ok(())
            })
            .map_err(text)?;
        for (&number, value) in some.iter().zip(values) {
            data.a[number] = value;
        }
    }
    Ok(())
}
