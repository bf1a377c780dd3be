//! Options and report of an import.

use std::path::PathBuf;

use evergraph_io::interchange::BadRow;

use super::FileKind;
use super::ImportKey;
use super::ignored::IgnoredFile;
use super::plain::{ColumnTypes, PlainTable};

/// Options of an import.
#[derive(Clone, Debug)]
pub struct PropertyImport {
    /// Files, and directories whose files are meant.
    pub files: Vec<PathBuf>,
    /// Files of nodes that have these labels, besides those that the file gives them.
    pub nodes: Vec<TypedFiles>,
    /// Files of relationships that have this type, where the file gives them none.
    pub relationships: Vec<TypedFiles>,
    /// Kind of the files; detected for each file if `None`.
    pub kind: Option<FileKind>,
    /// Between columns of CSV with Neo4j's header, if not a comma.
    pub separator: Option<u8>,
    /// Types of the columns of plain CSV among `nodes` and `relationships`.
    pub types: ColumnTypes,
    /// Directory of the mappings' data files; beside the mappings if `None`.
    pub data: Option<PathBuf>,
    /// The label of nodes that have none in their file.
    pub label: Option<String>,
    /// The type of relationships that have none.
    pub relationship_type: Option<String>,
    /// Properties by which nodes of earlier imports are found, and those of this one later.
    /// Each becomes a constraint; keys of earlier imports need not be given again.
    pub keys: Vec<ImportKey>,
    /// Policy for a row whose key a node of the graph has.
    pub on_conflict: OnConflict,
    /// Policy for a row whose id or key another row of the files has.
    pub duplicates: Duplicates,
    /// Policy for a relationship one end of which is not there.
    pub dangling: Dangling,
    /// Bad rows that are left out; one more ends the import.
    pub skip_bad: u64,
    /// File to which rows go that are left out, with file, line and reason.
    pub rejects: Option<PathBuf>,
    /// Rows of one transaction, from 1 to [`PropertyImport::ROWS_AT_ONCE`].
    pub rows_at_once: usize,
    /// Goes on behind the last commit of the newest import, of the same files. No node
    /// may have been deleted meanwhile.
    pub resume: bool,
    /// With `resume`: an import of which nothing was committed begins, also where other
    /// imports have ended before it.
    pub or_begin: bool,
}

/// Files of nodes with the same labels, or of relationships of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedFiles {
    /// Labels, or at most one type.
    pub names: Vec<String>,
    /// The files; of CSV with Neo4j's header the first has the header of all.
    pub files: Vec<PathBuf>,
}

/// Policy for a row of a node whose key a node of the graph has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// It is a bad row.
    #[default]
    Error,
    /// Nothing; relationships of the files can name the node.
    Skip,
    /// The node gets the row's properties; others that it has stay, and so do its labels.
    Update,
    /// As an update, and the node gets the row's labels, besides its own.
    Merge,
}

impl OnConflict {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, OnConflict)] = &[
        ("error", OnConflict::Error),
        ("skip", OnConflict::Skip),
        ("update", OnConflict::Update),
        ("merge", OnConflict::Merge),
    ];
}

/// Policy for a row of a node whose id or key a row before it had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// It is a bad row.
    #[default]
    Error,
    /// It is left out, and counted.
    Skip,
}

impl Duplicates {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, Duplicates)] =
        &[("error", Duplicates::Error), ("skip", Duplicates::Skip)];
}

/// Policy for a relationship one end of which is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dangling {
    /// It is a bad row.
    #[default]
    Error,
    /// It is left out, and counted.
    Skip,
    /// The end is made, with the label and the property of its key.
    Create,
}

impl Dangling {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, Dangling)] = &[
        ("error", Dangling::Error),
        ("skip", Dangling::Skip),
        ("create", Dangling::Create),
    ];
}

impl PropertyImport {
    /// Rows of one commit at most, and the best number: whole chunks of records, some
    /// megabytes of the log.
    pub const ROWS_AT_ONCE: usize = 1 << 16;

    /// Choices that decide what becomes of rows, as a text; empty if all are the usual
    /// ones. Databases hold its hash as a part of the identity of an import
    /// ([`import::identity`](crate::import)).
    pub(super) fn identity(&self) -> String {
        let mut chosen = Vec::new();
        if !self.keys.is_empty() {
            let keys: Vec<String> = self.keys.iter().map(ImportKey::to_string).collect();
            chosen.push(format!("keys: {keys:?}"));
        }
        if self.on_conflict != OnConflict::default() {
            let name = name_of(OnConflict::ALL, self.on_conflict);
            chosen.push(format!("on conflict: {name}"));
        }
        if self.duplicates != Duplicates::default() {
            let name = name_of(Duplicates::ALL, self.duplicates);
            chosen.push(format!("duplicates: {name}"));
        }
        if self.dangling != Dangling::default() {
            chosen.push(format!(
                "dangling: {}",
                name_of(Dangling::ALL, self.dangling)
            ));
        }
        chosen.join(", ")
    }
}

fn name_of<T: PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    let mut all = all.iter();
    all.find(|(_, other)| *other == value)
        .map_or("", |(name, _)| name)
}

impl Default for PropertyImport {
    fn default() -> Self {
        PropertyImport {
            files: Vec::new(),
            nodes: Vec::new(),
            relationships: Vec::new(),
            kind: None,
            separator: None,
            types: ColumnTypes::default(),
            data: None,
            label: None,
            relationship_type: None,
            keys: Vec::new(),
            on_conflict: OnConflict::default(),
            duplicates: Duplicates::default(),
            dangling: Dangling::default(),
            skip_bad: 0,
            rejects: None,
            rows_at_once: PropertyImport::ROWS_AT_ONCE,
            resume: false,
            or_begin: false,
        }
    }
}

/// Counts of an import.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Nodes that this run made.
    pub nodes: u64,
    /// Relationships that it made.
    pub relationships: u64,
    /// Nodes of the graph that rows have changed...
    pub updated: u64,
    /// ...and rows whose nodes were there, and stay as they were.
    pub unchanged: u64,
    /// Nodes that runs before it had made of the same files.
    pub resumed_nodes: u64,
    /// Relationships that they had made.
    pub resumed_relationships: u64,
    /// Bad rows that were left out...
    pub skipped: u64,
    /// ...and the first hundred of them.
    pub bad_rows: Vec<BadRow>,
    /// Rows of nodes left out by [`Duplicates::Skip`].
    pub duplicates: u64,
    /// Relationships left out by [`Dangling::Skip`].
    pub dangling: u64,
    /// Nodes that [`Dangling::Create`] made; they count as nodes, too.
    pub created_ends: u64,
    /// Nodes that this run made whose ids in the files are names that nothing in the graph
    /// keeps: they have no key, and no property with this value.
    pub lost_ids: u64,
    /// Files that say that their relationships have no direction; in the graph they point
    /// from the end that is written first to the other.
    pub undirected: Vec<PathBuf>,
    /// Files that were read...
    pub files: usize,
    /// ...and those of directories that hold something else.
    pub ignored: Vec<IgnoredFile>,
    /// Tables of plain CSV, and the types that their columns got.
    pub tables: Vec<PlainTable>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Databases hold its hash.
    #[test]
    fn identities_of_policies_are_pinned() {
        assert_eq!(PropertyImport::default().identity(), "");
        let chosen = PropertyImport {
            keys: vec!["P=Person.id".parse().unwrap()],
            on_conflict: OnConflict::Merge,
            duplicates: Duplicates::Skip,
            dangling: Dangling::Create,
            ..PropertyImport::default()
        };
        assert_eq!(
            chosen.identity(),
            "keys: [\"P=Person.id\"], on conflict: merge, duplicates: skip, dangling: create"
        );
        let words = OnConflict::ALL.iter().map(|(name, _)| *name);
        assert_eq!(
            words.collect::<Vec<_>>(),
            ["error", "skip", "update", "merge"]
        );
    }
}
