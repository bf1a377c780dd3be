//! Which files hold what: formats told from names and first lines.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use evergraph_interchange::csv::{LdbcName, LdbcReader, Naming, Neo4jOptions, Neo4jReader};
use evergraph_interchange::graphml::{GraphMlOptions, GraphMlReader};
use evergraph_interchange::json_lines::JsonLinesReader;
use evergraph_interchange::{InterchangeError, RowReader};

use super::columnar;
use crate::Error;
use crate::formats::{extension, open_bytes};

/// The formats of nodes and relationships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// CSV with a header as Neo4j's import reads it.
    Neo4j,
    /// CSV of LDBC's social network, whose file names say what they hold.
    Ldbc,
    /// A JSON object a line.
    JsonLines,
    /// GraphML.
    GraphMl,
    /// Parquet, if this program was built with it (feature `columnar`).
    Parquet,
    /// Arrow, as a file (also called Feather) or as a stream; as Parquet.
    Arrow,
}

impl FileKind {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, FileKind)] = &[
        ("neo4j", FileKind::Neo4j),
        ("ldbc", FileKind::Ldbc),
        ("jsonl", FileKind::JsonLines),
        ("graphml", FileKind::GraphMl),
        ("parquet", FileKind::Parquet),
        ("arrow", FileKind::Arrow),
    ];

    /// What the name of a file says it is, compression aside; `None` if nothing.
    pub fn of_name(path: &Path) -> Option<Self> {
        match extension(path)?.as_str() {
            "jsonl" | "ndjson" | "json" => Some(FileKind::JsonLines),
            "graphml" => Some(FileKind::GraphMl),
            "parquet" => Some(FileKind::Parquet),
            "arrow" | "arrows" | "feather" => Some(FileKind::Arrow),
            _ => None,
        }
    }

    /// What a file looks like; `None` if like nothing that is known.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(path: &Path) -> Result<Option<Self>, Error> {
        if let Some(kind) = Self::of_name(path) {
            return Ok(Some(kind));
        }
        let mut first = String::new();
        let mut beginning = BufReader::new(open_bytes(path)?.take(1 << 16));
        let read = beginning.read_line(&mut first);
        // What is no text is no header either.
        if read.is_err() {
            return Ok(None);
        }
        let is_neo4j = [":ID", ":START_ID", ":LABEL"];
        if is_neo4j.iter().any(|column| first.contains(column)) {
            return Ok(Some(FileKind::Neo4j));
        }
        // Of nodes the first column is their id, of relationships an id of each end.
        let header: Vec<&str> = first.trim_end().split('|').collect();
        let name = path.to_string_lossy();
        let is_header = match (LdbcName::of(&name), &header[..]) {
            (Some(LdbcName::Nodes(_)), ["id", _, ..]) => true,
            (Some(LdbcName::Relationships { .. }), [source, target, ..]) => {
                source.ends_with(".id") && target.ends_with(".id")
            }
            _ => false,
        };
        let is_ldbc = extension(path).as_deref() == Some("csv") && is_header;
        Ok(is_ldbc.then_some(FileKind::Ldbc))
    }

    /// Opens a file for its rows.
    pub(super) fn open(self, path: &Path) -> Result<Box<dyn RowReader>, Error> {
        let file = path.display().to_string();
        let input = || open_bytes(path).map(|bytes| BufReader::with_capacity(1 << 18, bytes));
        Ok(match self {
            FileKind::Neo4j => {
                let options = Neo4jOptions::default();
                Box::new(Neo4jReader::new(&file, input()?, options)?)
            }
            FileKind::Ldbc => {
                let name = LdbcName::of(&file).ok_or_else(|| {
                    Error::usage(
                        format!("{file}: the name does not say what the file holds"),
                        "LDBC's files are called like person_0_0.csv or \
                         person_knows_person_0_0.csv",
                    )
                })?;
                Box::new(LdbcReader::new(&file, input()?, &name, Naming::default())?)
            }
            FileKind::JsonLines => Box::new(JsonLinesReader::new(&file, input()?)),
            FileKind::GraphMl => {
                let options = GraphMlOptions::default();
                Box::new(GraphMlReader::new(&file, input()?, options))
            }
            FileKind::Parquet | FileKind::Arrow => columnar::open(self, path)?,
        })
    }
}

/// What is to be read.
#[derive(Default)]
pub(super) struct Chosen {
    pub files: Vec<(PathBuf, FileKind)>,
    /// Files of directories that hold neither nodes nor relationships.
    pub ignored: Vec<PathBuf>,
}

impl Chosen {
    /// The files themselves, and those in directories, in the order of their names.
    ///
    /// # Errors
    /// A directory that cannot be read; a file of no known kind that was named
    /// itself.
    pub fn new(paths: &[PathBuf], kind: Option<FileKind>) -> Result<Self, Error> {
        let mut chosen = Chosen::default();
        for path in paths {
            match path.is_dir() {
                true => {
                    let before = chosen.files.len();
                    chosen.add_directory(path, kind)?;
                    if chosen.files.len() == before {
                        return Err(without_files(path));
                    }
                }
                false => {
                    let kind = match kind {
                        Some(kind) => kind,
                        None => FileKind::of(path)?.ok_or_else(|| unknown(path))?,
                    };
                    chosen.files.push((path.clone(), kind));
                }
            }
        }
        Ok(chosen)
    }

    fn add_directory(&mut self, path: &Path, kind: Option<FileKind>) -> Result<(), Error> {
        let unreadable = |source| Error::Io {
            path: path.display().to_string(),
            source,
        };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            inside.push(entry.map_err(unreadable)?.path());
        }
        inside.sort();
        for path in inside {
            if path.is_dir() {
                self.add_directory(&path, kind)?;
                continue;
            }
            match FileKind::of(&path)? {
                Some(found) if kind.is_none_or(|kind| kind == found) => {
                    self.files.push((path, found));
                }
                _ => self.ignored.push(path),
            }
        }
        Ok(())
    }
}

fn without_files(path: &Path) -> Error {
    Error::usage(
        format!(
            "{}: a directory without files of nodes or relationships",
            path.display()
        ),
        "name files, or a directory of CSV with headers of Neo4j or LDBC, JSON lines, \
         GraphML, Parquet or Arrow",
    )
}

fn unknown(path: &Path) -> Error {
    Error::usage(
        format!(
            "{}: neither nodes nor relationships of a known format",
            path.display()
        ),
        "say which it is with --format: neo4j, ldbc, jsonl, graphml, parquet or arrow",
    )
}

impl From<InterchangeError> for Error {
    fn from(error: InterchangeError) -> Self {
        Error::Interchange(error)
    }
}
