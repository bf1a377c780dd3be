//! Files whose labels or type the caller gives: `Person=header.csv,part1.csv,part2.csv`.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_io::interchange::{BadRow, Contents, InterchangeError, PropertyType, Row};

use super::FileKind;
use super::import_options::TypedFiles;
use crate::Error;
use crate::formats::open_bytes;

/// Bytes of a header at most.
const MOST_OF_HEADER: u64 = 1 << 20;

/// Choices of the caller for the rows of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Nodes or relationships; either, if nothing was said.
    pub contents: Option<Contents>,
    /// Labels of all nodes, besides their own.
    pub labels: Vec<Arc<str>>,
    /// The type of relationships that have none.
    pub kind: Option<Arc<str>>,
    /// The header, if it is in another file.
    pub header: Option<String>,
    /// Types of the columns of plain CSV.
    pub types: Option<Arc<[PropertyType]>>,
    /// Id spaces of the ids of plain CSV, if they are not of one.
    pub spaces: Vec<Arc<str>>,
}

impl Given {
    /// A part of the identity of an import, as [`Source::identity`](super::files::Source).
    pub fn identity(&self) -> String {
        let Given {
            contents,
            labels,
            kind,
            header,
            types,
            spaces,
        } = self;
        let spaces = match spaces.as_slice() {
            [] => String::new(),
            spaces => format!(", spaces: {spaces:?}"),
        };
        let types = types.as_ref().map_or(String::new(), |types| {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            format!(", types: {}", types.join(" "))
        });
        match contents {
            None => String::new(),
            Some(_) => {
                format!(
                    " {{ labels: {labels:?}, type: {kind:?}, header: {header:?}{types}{spaces} }}"
                )
            }
        }
    }

    /// Gives a row what it lacks.
    ///
    /// # Errors
    /// A row of the other kind, at this line.
    pub fn complete(&self, row: &mut Row, file: &Arc<str>, line: u64) -> Result<(), BadRow> {
        let bad = |problem: &str| BadRow {
            file: Arc::clone(file),
            line,
            column: None,
            problem: problem.to_string(),
        };
        match (row, self.contents) {
            (Row::Node(_), Some(Contents::Relationships)) => {
                Err(bad("a node in a file of relationships (--relationships)"))
            }
            (Row::Relationship(_), Some(Contents::Nodes)) => {
                Err(bad("a relationship in a file of nodes (--nodes)"))
            }
            (Row::Node(node), _) => {
                for label in &self.labels {
                    if !node.labels.contains(label) {
                        node.labels.push(Arc::clone(label));
                    }
                }
                Ok(())
            }
            (Row::Relationship(_), _) => Ok(()),
        }
    }

    /// Refuses a file of the other kind.
    ///
    /// # Errors
    /// If it is one.
    pub fn check(&self, found: Contents, file: &Arc<str>) -> Result<(), InterchangeError> {
        let (is, should) = match (self.contents, found) {
            (Some(Contents::Nodes), Contents::Relationships) => ("relationships", "nodes"),
            (Some(Contents::Relationships), Contents::Nodes) => ("nodes", "relationships"),
            _ => return Ok(()),
        };
        Err(InterchangeError::Unreadable(BadRow {
            file: Arc::clone(file),
            line: 1,
            column: None,
            problem: format!("the file has {is}, and is given as one of {should}"),
        }))
    }
}

/// The files with what is said of them and their kinds: CSV, unless they look like
/// something else.
///
/// # Errors
/// A file that cannot be read; no files, or several types.
pub(super) fn sources(
    typed: &TypedFiles,
    contents: Contents,
    kind: Option<FileKind>,
) -> Result<Vec<(PathBuf, FileKind, Given)>, Error> {
    let mut names = typed.names.iter().map(|name| Arc::from(name.as_str()));
    let mut given = Given {
        contents: Some(contents),
        ..Given::default()
    };
    match contents {
        Contents::Relationships if typed.names.len() > 1 => {
            return Err(Error::argument(
                format!("{}: a relationship has one type", typed.names.join(":")),
                "give each type its files: --relationships KNOWS=knows.csv",
            ));
        }
        Contents::Relationships => given.kind = names.next(),
        _ => given.labels = names.collect(),
    }
    let mut found = Vec::new();
    let mut header = None;
    for path in &typed.files {
        let kind = match kind {
            Some(kind) => kind,
            None => match FileKind::of(path)?.unwrap_or(FileKind::Neo4j) {
                // Any table may begin with `id`, and this one is said to hold something else.
                FileKind::Ldbc if !first_line(path)?.contains('|') => FileKind::Neo4j,
                found => found,
            },
        };
        if kind == FileKind::Tables {
            return Err(Error::argument(
                format!("{}: a mapping says itself what rows are", path.display()),
                "name it without --nodes or --relationships",
            ));
        }
        let mut given = given.clone();
        // Parts of a table have its header, or none.
        if kind == FileKind::Neo4j {
            let first = first_line(path)?;
            match &header {
                None => header = Some(first),
                Some(of_all) if *of_all == first => {}
                Some(of_all) => given.header = Some(of_all.clone()),
            }
        }
        found.push((path.clone(), kind, given));
    }
    Ok(found)
}

pub(super) fn first_line(path: &Path) -> Result<String, Error> {
    let mut line = Vec::new();
    let mut beginning = BufReader::new(open_bytes(path)?.take(MOST_OF_HEADER));
    let read = beginning.read_until(b'\n', &mut line);
    read.map_err(|error| Error::io(path.display().to_string(), error))?;
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
    Ok(String::from_utf8_lossy(line).trim_end().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_io::interchange::Scalar;

    /// Databases hold its hash.
    #[test]
    fn identities_are_pinned() {
        assert_eq!(Given::default().identity(), "");
        let given = Given {
            contents: Some(Contents::Nodes),
            labels: vec!["A".into()],
            kind: None,
            header: Some(":ID".to_string()),
            types: None,
            spaces: Vec::new(),
        };
        let pinned = " { labels: [\"A\"], type: None, header: Some(\":ID\") }";
        assert_eq!(given.identity(), pinned);
        let typed = Given {
            types: Some(
                [Scalar::Integer, Scalar::Text]
                    .map(PropertyType::from)
                    .into(),
            ),
            header: None,
            ..given
        };
        let pinned = " { labels: [\"A\"], type: None, header: None, types: long string }";
        assert_eq!(typed.identity(), pinned);
        let spaces = vec!["A".into(), "B".into()];
        let spaced = Given { spaces, ..typed };
        let pinned = pinned.replace(" }", ", spaces: [\"A\", \"B\"] }");
        assert_eq!(spaced.identity(), pinned);
    }
}
