//! One file that rows go to, in any of the formats.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "columnar")]
use evergraph_io::interchange::columnar::{ColumnarWriter, Format};
use evergraph_io::interchange::csv::Neo4jWriter;
use evergraph_io::interchange::graphml::GraphMlWriter;
use evergraph_io::interchange::json_lines::JsonLinesWriter;
use evergraph_io::interchange::{
    ExternalId, Id, Ids, InterchangeError, NodeRow, RelationshipRow, Row,
};

use super::groups::Group;
use super::{Gathered, PropertyExport};
use crate::Error;
use crate::formats::{Compressed, Compression};
use crate::property::value::Value;
use crate::property::{FileKind, Node, NodeId, Relationship};
use crate::whole::{WholeDirectory, WholeFile};

type Sink = BufWriter<Compressed<File>>;

enum Writer {
    Neo4j(Neo4jWriter<Sink>),
    JsonLines(JsonLinesWriter<Sink>),
    GraphMl(GraphMlWriter<Sink>),
    #[cfg(feature = "columnar")]
    Columnar(ColumnarWriter<Sink>),
}

/// A file in the making.
pub(super) struct RowFile {
    /// As messages call it.
    path: PathBuf,
    writer: Writer,
    /// The id space that needs no name.
    space: Arc<str>,
    /// Whether ids are written as texts, as Neo4j's APOC does in JSON.
    text_ids: bool,
    /// A file that is not in a directory in the making.
    alone: Option<WholeFile>,
}

/// The end of the names of files in a directory.
pub(super) fn extension(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Parquet => "parquet",
        FileKind::Arrow => "arrow",
        _ => "csv",
    }
}

/// Whether a file of a directory is one that this module names.
pub(super) fn is_own(name: &str) -> bool {
    let known = [FileKind::Neo4j, FileKind::Parquet, FileKind::Arrow].map(extension);
    let stem = name.rsplit_once('.').filter(|(_, end)| known.contains(end));
    stem.is_some_and(|(stem, _)| stem.starts_with("nodes") || stem.starts_with("relationships"))
}

impl RowFile {
    /// The one file of JSON lines or GraphML.
    pub fn single(options: &PropertyExport, columns: Option<&Gathered>) -> Result<Self, Error> {
        let alone = WholeFile::create(&options.output)?;
        let path = alone.path().to_path_buf();
        let sink = sink(alone.writer()?, &path)?;
        let (writer, text_ids) = match columns {
            None => (Writer::JsonLines(JsonLinesWriter::new(sink)), true),
            Some((nodes, relationships)) => {
                let writer = GraphMlWriter::new(sink, &nodes.only(), &relationships.only());
                let writer = writer.map_err(|error| of_file(&path, error))?;
                (Writer::GraphMl(writer), false)
            }
        };
        Ok(RowFile {
            path,
            writer,
            space: "".into(),
            text_ids,
            alone: Some(alone),
        })
    }

    /// A file of nodes in a directory.
    pub fn nodes(
        directory: &WholeDirectory,
        name: &str,
        kind: FileKind,
        group: &Group,
    ) -> Result<Self, Error> {
        Self::within(directory, name, |sink| match kind {
            #[cfg(feature = "columnar")]
            FileKind::Parquet | FileKind::Arrow => {
                let (format, columns) = (format(kind), &group.columns);
                ColumnarWriter::nodes(sink, format, "", Ids::Integers, columns)
                    .map(Writer::Columnar)
            }
            _ => Neo4jWriter::nodes(sink, "", Ids::Integers, &group.columns).map(Writer::Neo4j),
        })
    }

    /// A file of relationships in a directory.
    pub fn relationships(
        directory: &WholeDirectory,
        name: &str,
        kind: FileKind,
        group: &Group,
    ) -> Result<Self, Error> {
        Self::within(directory, name, |sink| match kind {
            #[cfg(feature = "columnar")]
            FileKind::Parquet | FileKind::Arrow => {
                let (format, columns) = (format(kind), &group.columns);
                ColumnarWriter::relationships(sink, format, "", "", Ids::Integers, columns)
                    .map(Writer::Columnar)
            }
            _ => Neo4jWriter::relationships(sink, "", "", Ids::Integers, &group.columns)
                .map(Writer::Neo4j),
        })
    }

    fn within(
        directory: &WholeDirectory,
        name: &str,
        writer: impl FnOnce(Sink) -> Result<Writer, InterchangeError>,
    ) -> Result<Self, Error> {
        let path = directory.path_of(name);
        let writer = writer(sink(directory.file(name)?, &path)?);
        Ok(RowFile {
            writer: writer.map_err(|error| of_file(&path, error))?,
            path,
            space: "".into(),
            text_ids: false,
            alone: None,
        })
    }

    /// Appends a node.
    pub fn node(&mut self, node: &Node) -> Result<(), Error> {
        let row = Row::Node(NodeRow {
            id: Some(self.id(node.id())),
            labels: node.labels(),
            properties: owned(node.properties()),
        });
        let written = self.write(&row);
        written.map_err(|error| match error {
            InterchangeError::Output(_) => of_file(&self.path, error),
            error => of_node(node, error),
        })
    }

    /// Appends a relationship.
    pub fn relationship(&mut self, relationship: &Relationship) -> Result<(), Error> {
        let row = Row::Relationship(RelationshipRow {
            source: self.id(relationship.source()),
            target: self.id(relationship.target()),
            kind: relationship.kind(),
            properties: owned(relationship.properties()),
        });
        let written = self.write(&row);
        written.map_err(|error| match error {
            InterchangeError::Output(_) => of_file(&self.path, error),
            error => of_relationship(relationship, error),
        })
    }

    fn write(&mut self, row: &Row) -> Result<(), InterchangeError> {
        match &mut self.writer {
            Writer::Neo4j(writer) => writer.write(row),
            Writer::JsonLines(writer) => writer.write(row),
            Writer::GraphMl(writer) => writer.write(row),
            #[cfg(feature = "columnar")]
            Writer::Columnar(writer) => writer.write(row),
        }
    }

    /// Writes the rest, and syncs it.
    pub fn finish(self) -> Result<(), Error> {
        let sink = match self.writer {
            Writer::Neo4j(writer) => writer.finish(),
            Writer::JsonLines(writer) => writer.finish(),
            Writer::GraphMl(writer) => writer.finish(),
            #[cfg(feature = "columnar")]
            Writer::Columnar(writer) => writer.finish(),
        };
        let sink = sink.map_err(|error| of_file(&self.path, error))?;
        let failed = |error| Error::io(self.path.display().to_string(), error);
        let output = sink
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        let file = output.finish().map_err(failed)?;
        match self.alone {
            Some(alone) => alone.finish(),
            None => file.sync_all().map_err(failed),
        }
    }

    fn id(&self, node: NodeId) -> ExternalId {
        ExternalId {
            space: self.space.clone(),
            id: match self.text_ids {
                true => Id::Text(node.0.to_string().into()),
                false => Id::Integer(node.0.into()),
            },
        }
    }
}

fn sink(file: File, path: &Path) -> Result<Sink, Error> {
    let compressed = Compressed::new(file, Compression::of_name(path));
    let compressed = compressed.map_err(|error| Error::io(path.display().to_string(), error))?;
    Ok(BufWriter::with_capacity(1 << 16, compressed))
}

#[cfg(feature = "columnar")]
fn format(kind: FileKind) -> Format {
    match kind {
        FileKind::Arrow => Format::ArrowFile,
        _ => Format::Parquet,
    }
}

fn owned<'a>(properties: impl Iterator<Item = (Arc<str>, &'a Value)>) -> Vec<(Arc<str>, Value)> {
    properties
        .map(|(key, value)| (key, value.clone()))
        .collect()
}

/// Says which file cannot be written.
fn of_file(path: &Path, error: InterchangeError) -> Error {
    match error {
        InterchangeError::Output(source) => Error::io(path.display().to_string(), source),
        other => other.into(),
    }
}

/// Says which node does not fit into the format.
pub(super) fn of_node(node: &Node, error: InterchangeError) -> Error {
    of_entity(format!("node {}", node.id().0), error)
}

/// Says which relationship does not fit into the format.
pub(super) fn of_relationship(relationship: &Relationship, error: InterchangeError) -> Error {
    let (source, target) = (relationship.source().0, relationship.target().0);
    let kind = relationship.kind();
    let id = relationship.id().0;
    of_entity(
        format!("relationship {id} ({source})-[:{kind}]->({target})"),
        error,
    )
}

fn of_entity(entity: String, error: InterchangeError) -> Error {
    match error {
        InterchangeError::Unwritable {
            format,
            what,
            problem,
        } => InterchangeError::Unwritable {
            format,
            what: format!("{entity}: {what}"),
            problem,
        }
        .into(),
        other => other.into(),
    }
}
