//! The report of an algorithm's outcome.

use evergraph::run::{Fact, Outcome, Written, real};
use serde_json::{Map, Value, json};

use crate::durable;
use crate::report::{Report, bytes, count, note, seconds, table};

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

/// Says why a kept result was not read, if it could have been.
pub fn note_damaged(outcome: &Outcome) {
    if let Some(why) = &outcome.damaged {
        note(&format!(
            "computed anew, as a kept result cannot be read: {why}"
        ));
    }
}

/// A fact for `--json`, and for people.
pub fn fact(fact: &Fact) -> (Value, String) {
    match fact {
        Fact::Whole(number) => (json!(number), count(*number)),
        Fact::Real(number) => (json!(number), real(*number)),
        Fact::Text(text) => (json!(text), text.clone()),
    }
}

/// How large the graph is, in words.
fn size(outcome: &Outcome) -> String {
    let (vertices, edges) = match outcome.naming.nodes() {
        None => ("vertices", "edges"),
        Some(_) => ("nodes", "relationships"),
    };
    format!(
        "{} {vertices}, {} {edges}",
        count(outcome.vertices),
        count(outcome.edges)
    )
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
    format!("{key} of {} nodes{commit}{without}", count(written.nodes))
}
