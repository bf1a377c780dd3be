//! `evergraph stats`: facts about a database.

mod graph;

use evergraph::{Layout, MediumKind, Mode, allocated_bytes};
use serde_json::{Map, Value, json};

use crate::medium::DatabaseArgs;
use crate::report::{Failure, Report, bytes, count, table};
use crate::seal;

/// Runs the command.
pub fn execute(args: &DatabaseArgs) -> Result<Report, Failure> {
    let db = args.open()??;
    let graph = match db.is_property_graph() {
        true => Some(graph::facts(&db, db.property_graph()?)?),
        false => None,
    };
    let (stats, view) = (db.stats(), db.view());
    let (config, opened) = (db.config(), db.open_report());
    let stored = match db.medium() {
        MediumKind::Dram => stats.extent_bytes,
        _ => allocated_bytes(&args.db)?,
    };
    let (direction, ids) = (config.direction.name(), config.ids.name());
    let layout = match config.mode {
        Mode::Merged => config.layout.name(),
        Mode::Direct => "pma, direct",
    };
    let by_layout = match config.mode {
        Mode::Merged => db.store().sections_by_layout(),
        // No directory lists them there, and all are alike.
        Mode::Direct => vec![(config.layout, stats.sections)],
    };
    let sections_by_layout: Map<String, Value> = by_layout
        .iter()
        .map(|(layout, sections)| (layout.name().to_string(), json!(sections)))
        .collect();
    // Two only where a change of layout was cut off.
    let layouts_shown: Vec<String> = by_layout
        .iter()
        .filter(|(_, sections)| *sections > 0)
        .map(|(layout, sections)| format!("{} {}", count(*sections as u64), layout.name()))
        .collect();
    let sealed = db.sealed_graphs();
    let medium = db.medium().name();
    let live_edges = view.edge_count()?;
    let dram = stats.page_dram_bytes
        + stats.tail_dram_bytes
        + stats.reading_dram_bytes
        + stats.extension_bytes;
    let mut json = json!({
        "vertices": view.vertex_count(),
        "edges": live_edges,
        "live_edges": live_edges,
        "csn": view.csn(),
        "layout": layout,
        "medium": medium,
        "bytes": stored,
        "directions": direction,
        "weighted": config.weighted,
        "ids": ids,
        "merged_csn": stats.merged_csn,
        "log_used_bytes": stats.log_used_bytes,
        "log_bytes": stats.log_bytes,
        "extent_bytes": stats.extent_bytes,
        "extent_file_bytes": stats.extent_file_bytes,
        "directory_bytes": stats.directory_bytes,
        "sealed_bytes": stats.sealed_bytes,
        "sealed": seal::all_facts(&sealed, view.csn()),
        "log_head": stats.log_positions.head,
        "log_marker": stats.log_positions.marker,
        "log_buffering": stats.log_positions.buffering,
        "log_flushing": stats.log_positions.flushing,
        "run_entries": stats.appended_entries,
        "buffered_entries": stats.buffered_entries,
        "buffer_used_bytes": stats.buffer_used_bytes,
        "buffer_held_bytes": stats.buffer_held_bytes,
        "buffer_budget_bytes": stats.buffer_budget_bytes,
        "snapshots": stats.history.snapshots,
        "history_bytes": stats.history.stored_bytes,
        "history_segments": stats.history.segments,
        "history_dram_bytes": stats.history.cached_bytes,
        "sections": stats.sections,
        "shards": stats.shards.shards,
        "merge_queried_below": stats.query_merging.below,
        "sections_by_layout": sections_by_layout,
        "dram_bytes": dram,
        "clean": opened.clean,
        "unconfirmed": opened.unconfirmed,
        "replayed_commits": opened.replayed_commits,
        "replayed_entries": opened.replayed_entries,
        "wall_us": view.wall_us(),
    });
    json["beside_writer"] = json!(opened.beside_writer);
    json["reading_dram_bytes"] = json!(stats.reading_dram_bytes);
    json["attached_dram_bytes"] = json!(stats.extension_bytes);
    let mut rows = vec![
        ("vertices", count(view.vertex_count() as u64)),
        ("edges", count(live_edges)),
        ("commits", count(view.csn())),
        ("layout", layout.to_string()),
        ("directions", direction.to_string()),
        (
            "weights",
            if config.weighted { "yes" } else { "no" }.to_string(),
        ),
        ("ids", ids.to_string()),
        ("medium", medium.to_string()),
        ("stored", bytes(stored)),
        (
            "log in use",
            format!(
                "{} of {}",
                bytes(stats.log_used_bytes),
                bytes(stats.log_bytes)
            ),
        ),
        (
            "not merged",
            format!(
                "{} entries in append buffers, {} in vertex buffers",
                count(stats.appended_entries),
                count(stats.buffered_entries)
            ),
        ),
        (
            "buffers",
            format!(
                "{} used, {} held, of {}",
                bytes(stats.buffer_used_bytes as u64),
                bytes(stats.buffer_held_bytes as u64),
                bytes(stats.buffer_budget_bytes as u64)
            ),
        ),
        (
            "memory",
            format!(
                "{}, {} of it for views",
                bytes(dram as u64),
                bytes(stats.reading_dram_bytes as u64)
            ),
        ),
        ("sections", count(stats.sections as u64)),
        ("stored sections", layouts_shown.join(", ")),
        (
            "stopped",
            match (opened.clean, opened.beside_writer) {
                (true, _) => "in order",
                (_, true) => "not yet: another process writes",
                _ => "by a crash or kill",
            }
            .to_string(),
        ),
    ];
    if let Some((facts, more)) = graph {
        json["property_graph"] = facts;
        rows.extend(more);
    }
    let search_bytes = db.search_bytes()?;
    json["search_bytes"] = json!(search_bytes);
    if search_bytes > 0 {
        rows.push(("search indexes", bytes(search_bytes)));
    }
    for graph in &sealed {
        let text = format!("{}: {}", graph.name.text(), seal::line(graph, view.csn()));
        rows.push(("sealed graph", text));
    }
    if stats.history.snapshots > 0 {
        let history = &stats.history;
        rows.push((
            "snapshots",
            format!(
                "{}, {} of history",
                count(history.snapshots as u64),
                bytes(history.stored_bytes)
            ),
        ));
    }
    if stats.shards.shards > 1 {
        rows.push(("shards", count(stats.shards.shards as u64)));
    }
    if stats.query_merging.below > 0 && config.layout == Layout::Blocks {
        let below = format!("while fewer than {} run at once", stats.query_merging.below);
        rows.push(("queries merge", below));
    }
    Ok(Report::new(json, table(&rows)))
}
