//! Options and report of an import.

use std::path::PathBuf;

use evergraph_interchange::BadRow;

use super::FileKind;

/// Options of an import.
#[derive(Clone, Debug)]
pub struct PropertyImport {
    /// Files, and directories whose files are meant.
    pub files: Vec<PathBuf>,
    /// Kind of the files; detected for each file if `None`.
    pub kind: Option<FileKind>,
    /// Between columns of CSV with Neo4j's header, if not a comma.
    pub separator: Option<u8>,
    /// Directory of the mappings' data files; beside the mappings if `None`.
    pub data: Option<PathBuf>,
    /// The label of nodes that have none in their file.
    pub label: Option<String>,
    /// The type of relationships that have none.
    pub relationship_type: Option<String>,
    /// Bad rows that are left out; one more ends the import.
    pub skip_bad: u64,
    /// Rows of one transaction, from 1 to [`PropertyImport::ROWS_AT_ONCE`].
    pub rows_at_once: usize,
    /// Goes on behind the last commit of the newest import, of the same files. No node
    /// may have been deleted meanwhile.
    pub resume: bool,
}

impl PropertyImport {
    /// Rows of one transaction at most, and the best number: some megabytes of the log.
    pub const ROWS_AT_ONCE: usize = 10_000;
}

impl Default for PropertyImport {
    fn default() -> Self {
        PropertyImport {
            files: Vec::new(),
            kind: None,
            separator: None,
            data: None,
            label: None,
            relationship_type: None,
            skip_bad: 0,
            rows_at_once: PropertyImport::ROWS_AT_ONCE,
            resume: false,
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
    /// Nodes that runs before it had made of the same files.
    pub resumed_nodes: u64,
    /// Relationships that they had made.
    pub resumed_relationships: u64,
    /// Rows that were left out...
    pub skipped: u64,
    /// ...and the first hundred of them.
    pub bad_rows: Vec<BadRow>,
    /// Files that were read...
    pub files: usize,
    /// ...and those of directories that hold something else.
    pub ignored: Vec<PathBuf>,
}
