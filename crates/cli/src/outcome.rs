//! The report of an algorithm's outcome.

use evergraph::interchange::json_lines::to_json;
use evergraph::property::value::Value as Property;
use evergraph::run::{Fact, Outcome, Rows, Written, real};
use serde_json::{Map, Value, json};

use crate::durable;
use crate::report::{Failure, Report, aligned_by, bytes, count, counted, note, seconds, table};

pub fn report(outcome: &Outcome, written: Option<(&str, Written)>) -> Report {
    let result: Map<String, Value> = outcome
        .result
        .iter()
        .map(|(name, value)| (name.to_string(), fact(value).0))
        .collect();
    let mut json = json!({
        "algorithm": outcome.algorithm,
        "seconds": outcome.seconds,
        "prepared": outcome.prepared.as_ref().map(|prepared| json!({
            "what": prepared.what,
            "bytes": prepared.bytes,
            "seconds": prepared.seconds,
        })),
        "kept": outcome.kept,
        "damaged": outcome.damaged,
        "iterations": outcome.iterations,
        "counted": outcome.counted,
        "peers": (!outcome.peers.is_empty()).then_some(outcome.peers),
        "result": result,
        "dram_bytes": outcome.dram_bytes,
        "dram_bound": outcome.dram_bound,
        "medium_writes": outcome.medium_writes,
        "csn": outcome.csn,
        "vertices": outcome.vertices,
        "edges": outcome.edges,
    });
    let mut rows = vec![
        ("algorithm", outcome.algorithm.to_string()),
        (
            "graph",
            format!("{}, commit {}", size(outcome), outcome.csn),
        ),
    ];
    rows.push(("counted", outcome.counted.clone()));
    if !outcome.peers.is_empty() {
        rows.push(("elsewhere", outcome.peers.to_string()));
    }
    if let Some(kept) = &outcome.kept {
        rows.push((
            "read",
            format!("the result {kept:?}, which is of this commit"),
        ));
    }
    rows.extend(
        outcome
            .prepared
            .as_ref()
            .map(|prepared| ("prepared", prepared.to_string())),
    );
    rows.push(("time", seconds(outcome.seconds)));
    rows.extend(
        outcome
            .iterations
            .map(|number| ("iterations", count(number))),
    );
    for (name, value) in &outcome.result {
        rows.push((name, fact(value).1));
    }
    if let Some(cost) = &outcome.checkpointing {
        json["checkpoints"] = durable::to_json(cost);
        rows.push(("checkpoints", durable::to_text(cost)));
    }
    rows.extend(outcome.dram_bytes.map(|number| ("memory", bytes(number))));
    if let Some((key, written)) = written {
        json["written"] = json!({
            "property": key,
            "nodes": written.nodes,
            "without_value": written.without_value,
            "csn": written.csn,
        });
        rows.push(("written", written_text(key, &written)));
    }
    let mut is_failure = false;
    if let Some(verified) = &outcome.verified {
        is_failure = verified.is_err();
        json["verified"] = json!(verified.is_ok());
        json["mismatch"] = json!(verified.as_ref().err());
        let text = match verified {
            Ok(()) => "agrees with the slow implementation".to_string(),
            Err(mismatch) => format!("WRONG: {mismatch}"),
        };
        rows.push(("verified", text));
    }
    Report {
        json,
        text: table(&rows),
        is_failure,
    }
}

/// Says what is doubtful about an outcome: why a kept result was not read, if it could have
/// been, and that the iterations did not converge.
pub fn note_doubts(outcome: &Outcome) {
    let mut facts = outcome.result.iter();
    if facts.any(|(name, fact)| name == "converged" && matches!(fact, Fact::Flag(false))) {
        let algorithm = outcome.algorithm;
        let advice = match algorithm {
            "katz" => "a smaller --param alpha converges, one below 1 / the largest eigenvalue",
            _ => "more --param iterations, or a larger --param tolerance, may",
        };
        let iterations = outcome.iterations.map_or(String::new(), |number| {
            format!(" in {}", counted(number, "iteration", "iterations"))
        });
        note(&format!(
            "warning: {algorithm} did not converge{iterations}: its values are those of the last \
             one; {advice}"
        ));
    }
    if let Some(why) = &outcome.damaged {
        note(&format!(
            "computed anew, as a kept result cannot be read: {why}"
        ));
    }
}

/// A fact for `--json`, and for people.
pub fn fact(of: &Fact) -> (Value, String) {
    match of {
        Fact::Whole(number) => (json!(number), count(*number)),
        Fact::Real(number) => (json!(number), real(*number)),
        Fact::Text(text) => (json!(text), text.clone()),
        Fact::Flag(is_so) => (json!(is_so), if *is_so { "yes" } else { "no" }.to_string()),
        Fact::Id(id) => (json!(id), id.to_string()),
        Fact::Names(names) => (
            names.iter().map(|name| fact(name).0).collect(),
            of.to_string(),
        ),
        Fact::Counts(counts) => {
            let counts = counts.iter();
            let bars = counts.map(|(at, count)| json!({ "from": at, "count": count }));
            (bars.collect(), of.to_string())
        }
    }
}

/// Rows as JSON objects, and as a table for people.
pub fn shown(rows: &Rows<'_>) -> Result<(Value, String), Failure> {
    let titles = rows.titles();
    let (mut objects, mut lines) = (Vec::new(), vec![titles.clone()]);
    let mut is_figure = vec![true; titles.len()];
    rows.for_each(|cells| {
        let known = cells
            .iter()
            .map(|cell| cell.as_ref().unwrap_or(&Property::Null));
        let fields = titles.iter().cloned().zip(known.clone().map(to_json));
        objects.push(Value::Object(fields.collect()));
        for (at, cell) in known.clone().enumerate() {
            is_figure[at] &= matches!(cell, Property::Integer(_) | Property::Float(_));
        }
        lines.push(known.map(text_of_cell).collect());
        Ok(())
    })
    .map_err(|error| evergraph::Error::io("the values", error))?;
    for title in &mut lines[0] {
        *title = title.to_uppercase();
    }
    Ok((
        objects.into(),
        aligned_by(&lines, |column| is_figure[column]),
    ))
}

fn text_of_cell(value: &Property) -> String {
    match value {
        Property::Null => "-".to_string(),
        Property::Text(text) => text.to_string(),
        Property::Float(number) if number.is_finite() => format!("{number:.6}"),
        // Not as the query language writes it, which divides by 0.
        Property::Float(number) => real(*number),
        other => other.to_string(),
    }
}

/// How large the graph is, in words.
fn size(outcome: &Outcome) -> String {
    let ([vertex, vertices], [edge, edges]) = match outcome.naming.nodes() {
        None => (["vertex", "vertices"], ["edge", "edges"]),
        Some(_) => (["node", "nodes"], ["relationship", "relationships"]),
    };
    let vertices = counted(outcome.vertices, vertex, vertices);
    format!("{vertices}, {}", counted(outcome.edges, edge, edges))
}

/// Outcome of writing a result into nodes, in words.
fn written_text(key: &str, written: &Written) -> String {
    let without = match written.without_value {
        0 => String::new(),
        without => format!("; {} have no value", count(without)),
    };
    let commit = match written.csn {
        Some(csn) => format!(", commit {csn}"),
        None => String::new(),
    };
    let nodes = counted(written.nodes, "node", "nodes");
    format!("{key} of {nodes}{commit}{without}")
}
