//! Parts shared by the searches by words and by vectors: the snapshot that is searched,
//! the directory of indexes, what is shown of a node, and failures.

use std::io::ErrorKind;
use std::path::PathBuf;

use evergraph::interchange::json_lines::to_json;
use evergraph::property::value::Value;
use evergraph::property::{NodeId, NodeNames, View, known_keys, known_label};
use evergraph::{At, Database, Error};
use serde_json::{Map, json};

use super::{Args, ShownArgs};
use crate::report::{Failure, aligned_by};
use crate::{progress, stop};

/// Letters of a value in a table.
const CELL: usize = 60;

impl Args {
    /// Opens the database, and nothing of it is written.
    pub fn open(&self) -> Result<Database, Failure> {
        self.medium.open_to_read(&self.db)
    }

    /// Directory of the indexes.
    pub fn indexes(&self, db: &Database) -> PathBuf {
        let given = self.directory.clone();
        given.unwrap_or_else(|| db.search_directory())
    }
}

impl ShownArgs {
    /// The graph at the snapshot that is searched; labels and keys must be known there.
    pub fn view(&self, db: &Database, label: &str, keys: &[String]) -> Result<View, Failure> {
        let graph = db.property_graph()?;
        let at = self.as_of.as_deref().map_or(At::Now, At::from_text);
        let csn = db.moment(&at)?.csn;
        let view = graph.as_of_commit(csn).map_err(Error::from)?;
        known_label(&view, label)?;
        known_keys(&view, keys)?;
        known_keys(&view, &self.show)?;
        Ok(view)
    }

    /// Names of nodes.
    pub fn names(&self, db: &Database) -> Result<NodeNames, Failure> {
        Ok(match self.numbers {
            true => NodeNames::default(),
            false => NodeNames::of(db.property_graph()?),
        })
    }

    /// Nodes with a figure each, as JSON and as a table.
    pub fn show(
        &self,
        (view, names): (&View, &NodeNames),
        figure: &str,
        found: &[(NodeId, f64)],
    ) -> Result<(serde_json::Value, String), Failure> {
        let mut head = vec!["NODE".to_string(), figure.to_uppercase()];
        head.extend(self.show.iter().cloned());
        let (mut hits, mut rows) = (Vec::new(), vec![head]);
        for &(id, number) in found {
            let node = view.node(id).map_err(Error::from)?;
            let value = |key: &String| node.as_ref().and_then(|node| node.get(key));
            let name = match &node {
                Some(node) => names.name(node),
                None => Value::Integer(id.0.into()),
            };
            let mut row = vec![cell(&name), format!("{number:.4}")];
            row.extend(
                self.show
                    .iter()
                    .map(|key| value(key).map_or(String::new(), cell)),
            );
            rows.push(row);
            let shown = self
                .show
                .iter()
                .filter_map(|key| Some((key.clone(), to_json(value(key)?))));
            let mut hit = json!({ "node": to_json(&name) });
            hit[figure] = json!(number);
            hit["properties"] = shown.collect::<Map<_, _>>().into();
            hits.push(hit);
        }
        let text = match found.is_empty() {
            true => "nothing found\n".to_string(),
            false => aligned_by(&rows, |column| {
                column == 1 || (column == 0 && names.is_empty())
            }),
        };
        Ok((hits.into(), text))
    }
}

/// A value on one line.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Has an index brought up to date, with a bar, until Ctrl-C.
pub fn watched<E>(
    refresh: impl FnOnce(&dyn Fn(u64, u64) -> bool) -> Result<(), E>,
) -> Result<(), E> {
    let stop = stop::on_ctrl_c();
    let bar = progress::of_count(0);
    bar.set_message("nodes into the index");
    let done = refresh(&|done, all| {
        bar.set_length(all);
        bar.set_position(done);
        !stop.is_cancelled()
    });
    bar.finish_and_clear();
    done
}

/// Of an index: where it cannot be written, it can be elsewhere.
pub fn failure(error: impl Into<Error>) -> Failure {
    let error = error.into();
    let is_refused = |kind| {
        matches!(
            kind,
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied
        )
    };
    match &error {
        Error::Io { path, source } if is_refused(source.kind()) => Failure::new(
            format!("the index cannot be kept in the database: {path}: {source}"),
            "give a directory that can be written: --directory DIR",
        ),
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_can_be_elsewhere() {
        let refused = Error::io("db/search", ErrorKind::ReadOnlyFilesystem.into());
        assert!(failure(refused).hint.contains("--directory DIR"));
        let full = Error::io("db/search", ErrorKind::StorageFull.into());
        assert!(!failure(full).hint.contains("--directory DIR"));
    }

    #[test]
    fn a_cell_is_one_short_line() {
        assert_eq!(cell(&Value::from("a\n b")), "a b");
        let long = cell(&Value::from("ü".repeat(100).as_str()));
        assert_eq!(long, format!("{}…", "ü".repeat(CELL)));
        assert_eq!(cell(&Value::from(7)), "7");
    }
}
