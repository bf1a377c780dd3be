//! The reports of `evergraph import`.

use evergraph::formats::SkippedLines;
use evergraph::property::{IdKinds, IgnoredFile, Imported, Inspection, PlainTable, RowGroup};
use serde_json::{Map, Value, json};

use crate::report::{Report, count, counted, note, table};

/// Notes malformed lines that were left out.
pub fn tell_skipped(skipped: &SkippedLines) {
    for line in &skipped.first {
        note(&format!("skipped: {}", line.summary()));
    }
    if skipped.count > skipped.first.len() as u64 {
        note(&format!("skipped: {} lines in all", count(skipped.count)));
    }
}

/// Notes rows that were left out, and files that were not read.
pub fn tell_left_out(imported: &Imported) {
    for bad in &imported.bad_rows {
        note(&format!("skipped: {bad}"));
    }
    if imported.skipped > imported.bad_rows.len() as u64 {
        note(&format!("skipped: {} rows in all", count(imported.skipped)));
    }
    tell_ignored(&imported.ignored);
    for path in &imported.undirected {
        note(&format!(
            "{}: its edges are undirected; relationships point as it has them, and `evergraph \
             run --orientation undirected` reads them both ways",
            path.display()
        ));
    }
}

/// Notes ids of nodes that nothing in the graph keeps.
pub fn tell_lost_ids(imported: &Imported) {
    let (ids, kept) = match imported.lost_ids {
        0 => return,
        1 => ("1 text id of a node is".to_string(), "it"),
        lost => (format!("{} text ids of nodes are", count(lost)), "them"),
    };
    note(&format!(
        "{ids} not kept; --key LABEL.NAME keeps {kept} as a property (nodes without a label get \
         one by --label)"
    ));
}

/// Notes files of directories that were not read.
pub fn tell_ignored(ignored: &[IgnoredFile]) {
    for IgnoredFile { path, why } in ignored {
        note(&format!("{}: not read: {why}", path.display()));
    }
}

/// Counts of rows, by their names in JSON.
pub fn counts(imported: &Imported) -> [(&'static str, u64); 9] {
    [
        ("nodes", imported.nodes),
        ("relationships", imported.relationships),
        ("updated", imported.updated),
        ("unchanged", imported.unchanged),
        ("created_ends", imported.created_ends),
        ("lost_ids", imported.lost_ids),
        ("duplicates", imported.duplicates),
        ("dangling", imported.dangling),
        ("skipped_rows", imported.skipped),
    ]
}

/// The lines about rows, without those that say that there were none.
pub fn facts(imported: &Imported) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("nodes", count(imported.nodes)),
        ("relationships", count(imported.relationships)),
    ];
    for (name, number) in [
        ("updated", imported.updated),
        ("unchanged", imported.unchanged),
        ("made as ends", imported.created_ends),
        ("duplicates", imported.duplicates),
        ("dangling", imported.dangling),
        ("bad rows", imported.skipped),
    ] {
        if number > 0 {
            facts.push((name, count(number)));
        }
    }
    for PlainTable { files, columns } in &imported.tables {
        let files: Vec<_> = files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        let columns = columns.iter().map(|(name, kind)| format!("{name} {kind}"));
        let columns: Vec<String> = columns.collect();
        facts.push((
            "columns",
            format!("{}: {}", files.join(", "), columns.join(", ")),
        ));
    }
    facts
}

/// The types that columns of plain CSV got.
pub fn tables(imported: &Imported) -> Value {
    let tables = imported.tables.iter().map(|PlainTable { files, columns }| {
        let columns = columns.iter();
        let columns = columns.map(|(name, kind)| (name.to_string(), json!(kind.to_string())));
        json!({ "files": files, "columns": columns.collect::<Map<_, _>>() })
    });
    tables.collect()
}

/// The report of a dry run.
pub fn of_inspection(found: &Inspection) -> Report {
    let files = found.files.iter();
    let files: Vec<Value> = files
        .map(|(path, format)| json!({ "path": path, "format": format }))
        .collect();
    let ids = found.ids.iter();
    let ids: Map<String, Value> = ids
        .map(|(space, IdKinds { integers, texts })| {
            let kinds = json!({ "integers": integers, "texts": texts });
            (space.to_string(), kinds)
        })
        .collect();
    let mut json = Map::from_iter([
        ("dry_run".to_string(), json!(true)),
        ("files".to_string(), json!(files)),
        ("labels".to_string(), groups(found.labels.iter())),
        ("types".to_string(), groups(found.types.iter())),
        ("ids".to_string(), json!(ids)),
        ("tables".to_string(), tables(&found.imported)),
    ]);
    for (name, number) in counts(&found.imported) {
        json.insert(name.to_string(), json!(number));
    }
    Report::new(Value::Object(json), table(&lines(found)))
}

fn lines(found: &Inspection) -> Vec<(&'static str, String)> {
    let mut lines = facts(&found.imported);
    for (path, format) in &found.files {
        lines.push(("file", format!("{} ({format})", path.display())));
    }
    for (label, group) in &found.labels {
        let label = match &**label {
            "" => "(no label)",
            label => label,
        };
        lines.push(("label", described(label, group)));
    }
    for (kind, group) in &found.types {
        lines.push(("type", described(kind, group)));
    }
    for (space, kinds) in &found.ids {
        let of = match &**space {
            "" => String::new(),
            space => format!(" of {space}"),
        };
        let IdKinds { integers, texts } = *kinds;
        let named_texts = counted(texts, "text", "texts");
        let kinds = match (integers, texts) {
            (0, _) => named_texts,
            (_, 0) => counted(integers, "integer", "integers"),
            _ => format!(
                "{}, {named_texts}",
                counted(integers, "integer", "integers")
            ),
        };
        lines.push(("ids", kinds + &of));
    }
    lines.push(("written", "nothing (--dry-run)".to_string()));
    lines
}

fn described(name: &str, group: &RowGroup) -> String {
    let properties = group.properties.iter().map(|(name, types)| {
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        format!("{name} {}", types.join("|"))
    });
    let properties: Vec<String> = properties.collect();
    let rows = counted(group.rows, "row", "rows");
    match properties.is_empty() {
        true => format!("{name}: {rows}"),
        false => format!("{name}: {rows}; {}", properties.join(", ")),
    }
}

fn groups<'a>(groups: impl Iterator<Item = (&'a std::sync::Arc<str>, &'a RowGroup)>) -> Value {
    let groups = groups.map(|(name, group)| {
        let json = json!({ "rows": group.rows, "properties": group.properties.iter()
            .map(|(name, types)| (name.to_string(), json!(types)))
            .collect::<Map<String, Value>>() });
        (name.to_string(), json)
    });
    Value::Object(groups.collect())
}
