//! Id spaces of plain tables, whose header declares none.
//!
//! Tables of several kinds of nodes often count alike. Where the columns of all tables of
//! relationships say by their names which nodes they mean, each kind has a space of its own.

use std::ops::Range;
use std::sync::Arc;

use evergraph_io::interchange::Contents;

use super::ImportKey;
use super::files::Source;

/// A plain table among the files.
pub(super) struct Table {
    pub files: Range<usize>,
    pub contents: Contents,
    /// The first label of its nodes.
    pub label: Option<Arc<str>>,
    pub columns: Vec<Arc<str>>,
}

/// Nodes that ends can mean: their label, the name of their id, and their space.
struct Kind {
    label: Arc<str>,
    id: Arc<str>,
    space: Arc<str>,
}

/// Tells the files of plain tables their id spaces, if there are no other files and all
/// ends are clear; else all ids are of one space.
pub(super) fn tell_spaces(files: &mut [Source], tables: &[Table], keys: &[ImportKey]) {
    let kinds = kinds_of(tables, keys);
    let in_tables: usize = tables.iter().map(|table| table.files.len()).sum();
    let is_several = kinds.iter().any(|kind| kind.label != kinds[0].label);
    if !is_several || in_tables < files.len() {
        return;
    }
    let spaces = |table: &Table| -> Option<Vec<Arc<str>>> {
        if table.contents == Contents::Nodes {
            let label = table.label.as_ref()?;
            return Some(vec![space_of(label, keys)]);
        }
        let ends = table.columns.iter().take(2);
        ends.map(|column| meant(column, &kinds)).collect()
    };
    let Some(spaces) = tables.iter().map(spaces).collect::<Option<Vec<_>>>() else {
        return;
    };
    for (table, spaces) in tables.iter().zip(spaces) {
        for file in &mut files[table.files.clone()] {
            file.given.spaces.clone_from(&spaces);
        }
    }
}

fn kinds_of(tables: &[Table], keys: &[ImportKey]) -> Vec<Kind> {
    let of_tables = tables.iter().filter_map(|table| {
        let (label, id) = (table.label.as_ref()?, table.columns.first()?);
        (table.contents == Contents::Nodes).then(|| Kind {
            label: Arc::clone(label),
            id: Arc::clone(id),
            space: space_of(label, keys),
        })
    });
    let of_keys = keys.iter().map(|key| Kind {
        label: key.label.as_str().into(),
        id: key.property.as_str().into(),
        space: key.space.as_str().into(),
    });
    of_tables.chain(of_keys).collect()
}

/// The space of nodes with a label: called as it is, unless a key says otherwise.
fn space_of(label: &Arc<str>, keys: &[ImportKey]) -> Arc<str> {
    let key = keys.iter().find(|key| *key.label == **label);
    key.map_or_else(|| Arc::clone(label), |key| key.space.as_str().into())
}

/// The space of the only nodes whose id is called as a column, or of those whose label it
/// names: `person`, `person_id`, `PersonId`.
fn meant(column: &str, kinds: &[Kind]) -> Option<Arc<str>> {
    let plain = |name: &str| name.to_lowercase().replace(['_', ' ', '-'], "");
    let is_label = |kind: &Kind| {
        let (column, label) = (plain(column), plain(&kind.label));
        column == label || column.strip_suffix("id") == Some(&label)
    };
    let only = |is_meant: &dyn Fn(&Kind) -> bool| {
        let mut found = kinds.iter().filter(|kind| is_meant(kind));
        let first = found.next()?;
        let is_same = |other: &Kind| other.space == first.space;
        found.all(is_same).then(|| Arc::clone(&first.space))
    };
    only(&|kind| *kind.id == *column).or_else(|| only(&is_label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_mean_ids_and_labels_by_name() {
        let kind = |label: &str, id: &str| Kind {
            label: label.into(),
            id: id.into(),
            space: label.into(),
        };
        let kinds = [
            kind("Person", "pid"),
            kind("City", "id"),
            kind("Big City", "id"),
        ];
        for (column, space) in [
            ("pid", Some("Person")),
            ("person", Some("Person")),
            ("PERSON_ID", Some("Person")),
            ("cityId", Some("City")),
            ("big_city_id", Some("Big City")),
            ("id", None),
            ("from", None),
            ("PID", None),
        ] {
            assert_eq!(meant(column, &kinds).as_deref(), space, "{column}");
        }
    }
}
