//! `evergraph search DB list` and `drop`.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use evergraph::time_text;
use serde_json::{Value, json};

use super::Args;
use super::hits::failure;
use crate::report::{Failure, Report, aligned_by, bytes, count};

/// An index that is there.
struct Index {
    name: String,
    kind: &'static str,
    bytes: u64,
    written_us: Option<i64>,
    /// Header of the index, if it can be read.
    about: Option<About>,
    remove: fn(&Path, &str) -> Result<u64, Failure>,
}

struct About {
    /// Its definition, in words...
    text: String,
    /// ...and for `--json`.
    json: Value,
    csn: u64,
    entries: u64,
}

/// Lists them.
pub fn list(args: &Args) -> Result<Report, Failure> {
    let db = args.open()?;
    let newest = db.property_graph()?.view().csn();
    let indexes = all(&args.indexes(&db))?;
    let titles = [
        "NAME", "KIND", "OF", "ENTRIES", "COMMIT", "BEHIND", "SIZE", "WRITTEN",
    ];
    let mut rows = vec![titles.map(str::to_string).to_vec()];
    rows.extend(indexes.iter().map(|index| index.row(newest)));
    let text = match indexes.is_empty() {
        true => "no indexes; searches make them\n".to_string(),
        false => aligned_by(&rows, |column| (3..7).contains(&column)),
    };
    let all: Vec<Value> = indexes.iter().map(|index| index.json(newest)).collect();
    Ok(Report::new(json!({ "csn": newest, "indexes": all }), text))
}

/// Drops some.
pub fn drop(args: &Args, names: &[String]) -> Result<Report, Failure> {
    let db = args.open()?;
    db.property_graph()?;
    let directory = args.indexes(&db);
    let indexes = all(&directory)?;
    if let Some(name) = names
        .iter()
        .find(|&name| indexes.iter().all(|i| i.name != *name))
    {
        return Err(Failure::new(
            format!("there is no index \"{name}\""),
            "`evergraph search DB list` shows what there is",
        ));
    }
    let mut freed = 0;
    for index in indexes.iter().filter(|index| names.contains(&index.name)) {
        freed += (index.remove)(&directory, &index.name)?;
    }
    Ok(Report::dropped(names, freed))
}

/// Indexes of the kinds that this program knows, by name.
fn all(directory: &Path) -> Result<Vec<Index>, Failure> {
    let mut all = Vec::new();
    #[cfg(feature = "fulltext")]
    all.extend(texts(directory)?);
    #[cfg(feature = "vector")]
    all.extend(vectors(directory)?);
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

#[cfg(feature = "fulltext")]
fn texts(directory: &Path) -> Result<Vec<Index>, Failure> {
    use evergraph::property::fulltext::{AboutText, FullText, StoredText};
    let described = |about: AboutText| {
        let definition = about.definition;
        let (label, keys) = (definition.labels.join("|"), definition.keys);
        let tokenizer = definition.tokenizer.name();
        About {
            text: format!("{label}: {} ({tokenizer})", keys.join(", ")),
            json: json!({ "label": label, "properties": keys, "tokenizer": tokenizer }),
            csn: about.csn,
            entries: about.texts,
        }
    };
    let index = |stored: StoredText| Index {
        name: stored.place.name,
        kind: "text",
        bytes: stored.place.bytes,
        written_us: microseconds(stored.place.written),
        about: stored.about.map(described),
        remove: |directory, name| Ok(FullText::remove(directory, name).map_err(failure)?.bytes),
    };
    let stored = FullText::stored(directory).map_err(failure)?;
    Ok(stored.into_iter().map(index).collect())
}

#[cfg(feature = "vector")]
fn vectors(directory: &Path) -> Result<Vec<Index>, Failure> {
    use evergraph::property::vector::{AboutVectors, StoredVectors, Vectors};
    let described = |about: AboutVectors| {
        let definition = about.definition;
        let (label, key, dimensions) = (definition.label, definition.key, definition.dimensions);
        let metric = definition.metric.name();
        About {
            text: format!("{label}: {key} ({dimensions}, {metric})"),
            json: json!({
                "label": label,
                "properties": [key],
                "dimensions": dimensions,
                "metric": metric,
            }),
            csn: about.csn,
            entries: about.vectors as u64,
        }
    };
    let index = |stored: StoredVectors| Index {
        name: stored.place.name,
        kind: "vector",
        bytes: stored.place.bytes,
        written_us: microseconds(stored.place.written),
        about: stored.about.map(described),
        remove: |directory, name| Ok(Vectors::remove(directory, name).map_err(failure)?.bytes),
    };
    let stored = Vectors::stored(directory).map_err(failure)?;
    Ok(stored.into_iter().map(index).collect())
}

fn microseconds(time: Option<SystemTime>) -> Option<i64> {
    let since = time?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok()
}

impl Index {
    fn row(&self, newest: u64) -> Vec<String> {
        let mut row = vec![self.name.clone(), self.kind.to_string()];
        row.extend(match &self.about {
            Some(about) => [
                about.text.clone(),
                count(about.entries),
                about.csn.to_string(),
                count(newest.saturating_sub(about.csn)),
            ],
            None => ["damaged; the next search makes it anew", "", "", ""].map(str::to_string),
        });
        row.push(bytes(self.bytes));
        row.push(self.written_us.map_or(String::new(), time_text));
        row
    }

    fn json(&self, newest: u64) -> Value {
        let mut json = json!({
            "name": self.name,
            "kind": self.kind,
            "bytes": self.bytes,
            "written_us": self.written_us,
            "readable": self.about.is_some(),
        });
        if let Some(about) = &self.about {
            if let Value::Object(described) = &about.json {
                json.as_object_mut()
                    .expect("an object")
                    .extend(described.clone());
            }
            json["csn"] = json!(about.csn);
            json["behind"] = json!(newest.saturating_sub(about.csn));
            json["entries"] = json!(about.entries);
        }
        json
    }
}
