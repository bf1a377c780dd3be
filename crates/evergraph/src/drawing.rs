//! A view in the formats of programs that draw graphs.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use evergraph_graph::{Graph, NeighborReader, StoredLists};
use evergraph_snapshots::View;

use crate::formats::{Compressed, Compression, extension};
use crate::property::value::Value;
use crate::property::{Node, NodeId, NodeNames};
use crate::whole::WholeFile;
use crate::{Cancellation, Database, Error};

/// Elements between two looks at whether to stop.
const ASKED_EVERY: u64 = 1 << 14;

/// A format of programs that draw graphs; none of them is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawingFormat {
    /// Graphviz.
    Dot,
    /// Gephi, version 1.3.
    Gexf,
}

impl DrawingFormat {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, DrawingFormat)] =
        &[("dot", DrawingFormat::Dot), ("gexf", DrawingFormat::Gexf)];

    /// Format for the extension of a file name, compression aside.
    pub fn of_name(path: &Path) -> Option<Self> {
        match extension(path)?.as_str() {
            "dot" | "gv" => Some(DrawingFormat::Dot),
            "gexf" => Some(DrawingFormat::Gexf),
            _ => None,
        }
    }
}

/// Options of an export for a program that draws.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The file; compressed if it is called so (`.gz`, `.zst`).
    pub output: PathBuf,
    /// Its format.
    pub format: DrawingFormat,
    /// The property that nodes are shown by; their keys, if imports
    /// have given them some, or else ids if `None`.
    pub name_by: Option<String>,
}

/// Writes all vertices and edges that a view shows: vertices under their external ids;
/// edges with weights or types; of nodes the labels too. An edge of an undirected graph
/// is written once. Gives the numbers of both. The file appears under its name only when
/// it is whole.
///
/// # Errors
/// A file that cannot be written; [`Error::Interrupted`] if `stop` says so. Then there is
/// no file.
pub fn export_drawing(
    db: &Database,
    view: &View,
    options: &Drawing,
    stop: &Cancellation,
) -> Result<(u64, u64), Error> {
    let file = WholeFile::create(&options.output)?;
    let failed = |error| Error::io(options.output.display().to_string(), error);
    let compression = Compression::of_name(&options.output);
    let writer = Compressed::new(file.writer()?, compression).map_err(failed)?;
    let mut sink = Sink {
        out: BufWriter::with_capacity(1 << 17, writer),
        format: options.format,
        directed: db.config().direction != StoredLists::Undirected,
        line: String::new(),
        count: 0,
        stop,
        failed: &failed,
    };
    sink.begin()?;
    let counts = match db.is_property_graph() {
        false => plain(db, view, &mut sink)?,
        true => property_graph(db, view, options.name_by.as_deref(), &mut sink)?,
    };
    sink.finish()?;
    file.finish()?;
    Ok(counts)
}

fn plain(db: &Database, view: &View, sink: &mut Sink<'_>) -> Result<(u64, u64), Error> {
    let graph = view.graph()?;
    let n = graph.vertex_count() as u32;
    for vertex in 0..n {
        let name = db.vertex_name(vertex);
        sink.node(&name, &name, "")?;
    }
    sink.between()?;
    let mut lists = graph.reader();
    let mut edges = 0;
    for source in 0..n {
        let from = db.vertex_name(source);
        let mut loops = 0;
        let mut written = Ok(());
        let _ = lists.for_each_weighted_segment(source, |targets, weights| {
            for (i, &target) in targets.iter().enumerate() {
                loops += u32::from(target == source);
                // The other end writes it; a loop is in its list twice.
                let other = target < source || (target == source && loops % 2 == 0);
                if !sink.directed && other {
                    continue;
                }
                let weight = weights.get(i).filter(|_| graph.is_weighted());
                written = sink.edge(&from, &db.vertex_name(target), "", weight.copied());
                if written.is_err() {
                    return ControlFlow::Break(());
                }
                edges += 1;
            }
            ControlFlow::Continue(())
        });
        written?;
    }
    Ok((n.into(), edges))
}

fn property_graph(
    db: &Database,
    view: &View,
    name_by: Option<&str>,
    sink: &mut Sink<'_>,
) -> Result<(u64, u64), Error> {
    let view = db.property_graph()?.as_of_commit(view.csn())?;
    let keys = NodeNames::of(db.property_graph()?);
    let shown = |node: &Node| match name_by.and_then(|key| node.get(key)) {
        Some(Value::Text(text)) => text.to_string(),
        Some(value) => value.to_string(),
        None if name_by.is_some() => node.id().0.to_string(),
        None => keys.text(node),
    };
    let id = |node: NodeId| node.0.to_string();
    let (mut nodes, mut relationships) = (0, 0);
    for node in view.nodes() {
        let node = node?;
        sink.node(&id(node.id()), &shown(&node), &node.labels().join(":"))?;
        nodes += 1;
    }
    sink.between()?;
    for relationship in view.relationships() {
        let relationship = relationship?;
        let (source, target) = (id(relationship.source()), id(relationship.target()));
        sink.edge(&source, &target, &relationship.kind(), None)?;
        relationships += 1;
    }
    Ok((nodes, relationships))
}

/// Elements on their way into the file.
struct Sink<'a> {
    out: BufWriter<Compressed<std::fs::File>>,
    format: DrawingFormat,
    directed: bool,
    line: String,
    /// Elements so far.
    count: u64,
    stop: &'a Cancellation,
    failed: &'a dyn Fn(io::Error) -> Error,
}

impl Sink<'_> {
    fn begin(&mut self) -> Result<(), Error> {
        let kind = match (self.format, self.directed) {
            (DrawingFormat::Dot, true) => "digraph {\n",
            (DrawingFormat::Dot, false) => "graph {\n",
            (DrawingFormat::Gexf, directed) => {
                let edges = if directed { "directed" } else { "undirected" };
                return self.text(&format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                     <gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n\
                     <graph defaultedgetype=\"{edges}\">\n\
                     <attributes class=\"node\">\
                     <attribute id=\"0\" title=\"labels\" type=\"string\"/></attributes>\n\
                     <nodes>\n"
                ));
            }
        };
        self.text(kind)
    }

    fn node(&mut self, id: &str, shown: &str, labels: &str) -> Result<(), Error> {
        let line = &mut self.line;
        match self.format {
            DrawingFormat::Dot => {
                let _ = write!(line, "  {}", quoted(id));
                let shown = (shown != id).then(|| format!("label={}", quoted(shown)));
                let labels = (!labels.is_empty()).then(|| format!("class={}", quoted(labels)));
                let attributes: Vec<String> = shown.into_iter().chain(labels).collect();
                if !attributes.is_empty() {
                    let _ = write!(line, " [{}]", attributes.join(", "));
                }
                line.push_str(";\n");
            }
            DrawingFormat::Gexf => {
                let (id, shown) = (xml(id), xml(shown));
                let _ = write!(line, "<node id=\"{id}\" label=\"{shown}\"");
                match labels {
                    "" => line.push_str("/>\n"),
                    labels => {
                        let _ = writeln!(
                            line,
                            "><attvalues><attvalue for=\"0\" value=\"{}\"/></attvalues></node>",
                            xml(labels)
                        );
                    }
                }
            }
        }
        self.end_element()
    }

    /// Ends the nodes and begins the edges.
    fn between(&mut self) -> Result<(), Error> {
        self.count = 0;
        match self.format {
            DrawingFormat::Dot => Ok(()),
            DrawingFormat::Gexf => self.text("</nodes>\n<edges>\n"),
        }
    }

    fn edge(
        &mut self,
        source: &str,
        target: &str,
        kind: &str,
        weight: Option<f32>,
    ) -> Result<(), Error> {
        let line = &mut self.line;
        match self.format {
            DrawingFormat::Dot => {
                let arrow = if self.directed { "->" } else { "--" };
                let _ = write!(line, "  {} {arrow} {}", quoted(source), quoted(target));
                let kind = (!kind.is_empty()).then(|| format!("label={}", quoted(kind)));
                let weight = weight.map(|weight| format!("weight={weight}"));
                let attributes: Vec<String> = kind.into_iter().chain(weight).collect();
                if !attributes.is_empty() {
                    let _ = write!(line, " [{}]", attributes.join(", "));
                }
                line.push_str(";\n");
            }
            DrawingFormat::Gexf => {
                let _ = write!(
                    line,
                    "<edge id=\"{}\" source=\"{}\" target=\"{}\"",
                    self.count,
                    xml(source),
                    xml(target)
                );
                if !kind.is_empty() {
                    let _ = write!(line, " label=\"{}\"", xml(kind));
                }
                if let Some(weight) = weight {
                    let _ = write!(line, " weight=\"{weight}\"");
                }
                line.push_str("/>\n");
            }
        }
        self.end_element()
    }

    fn end_element(&mut self) -> Result<(), Error> {
        self.count += 1;
        if self.count.is_multiple_of(ASKED_EVERY) && self.stop.is_cancelled() {
            return Err(Error::Interrupted {
                message: "nothing was exported".to_string(),
                hint: "the database is unchanged; run it again".to_string(),
            });
        }
        let written = self.out.write_all(self.line.as_bytes());
        self.line.clear();
        written.map_err(self.failed)
    }

    fn text(&mut self, text: &str) -> Result<(), Error> {
        self.out.write_all(text.as_bytes()).map_err(self.failed)
    }

    fn finish(mut self) -> Result<(), Error> {
        self.text(match self.format {
            DrawingFormat::Dot => "}\n",
            DrawingFormat::Gexf => "</edges>\n</graph>\n</gexf>\n",
        })?;
        let whole = self.out.into_inner().map_err(|error| error.into_error());
        let ended = whole.and_then(Compressed::finish);
        ended.map(drop).map_err(self.failed)
    }
}

/// A name in quotes, as Graphviz reads it.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A text within a tag. Characters that XML does not have become U+FFFD: it is to be
/// looked at, and not read again.
fn xml(text: &str) -> Cow<'_, str> {
    let special = |letter: char| matches!(letter, '<' | '>' | '&' | '"') || letter < ' ';
    if !text.contains(special) && !text.contains(['\u{fffe}', '\u{ffff}']) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(safe, "&#{};", u32::from(letter));
            }
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_to_their_quotes() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
        assert_eq!(xml("plain"), "plain");
        assert_eq!(
            xml("<a & \"b\">\t\u{1}"),
            "&lt;a &amp; &quot;b&quot;&gt;&#9;\u{fffd}"
        );
    }
}
