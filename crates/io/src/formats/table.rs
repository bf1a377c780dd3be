//! `edgelist`, `csv` and `events`: a line for each edge, or for each vertex.

use std::ops::Range;
use std::path::Path;

use super::batch::EdgeBatch;
use super::collections::{Konect, julia_head};
use super::columns::{Columns, deletes, is_time_value, names_ends};
use super::error::{BadLine, Endpoint, Flaw, FormatError, excerpt};
use super::fields::{Dialect, Field, is_idle, unescape};
use super::guess::is_vertex_list;
use super::lines::Content;
use super::options::{Contents, EndpointKind, Format, Header, Options};
use super::parser::{LineParser, Text, Tolerance};
use super::shape::{self, FileColumn};
use super::time::TimeUnit;
use super::values::{digits, id, is_blank, is_rounded, weight};

pub(super) struct TableParser {
    ids: EndpointKind,
    time_unit: TimeUnit,
    vertices: bool,
    events: bool,
    comments: bool,
    allow_uneven: bool,
    dialect: Dialect,
    columns: Columns,
    /// Columns of the first edge.
    width: usize,
    shape: Vec<FileColumn>,
    symmetric: bool,
    /// Vertices of the left side, if the file is of two sides whose ids overlap.
    left_count: Option<u64>,
    /// Vertices and edges in the first line of a JuliaGraphs file.
    announced: Option<(u64, u64)>,
    /// Lines that are edges, or would be if they were sound.
    seen: u64,
    fields: Vec<Field>,
    scratch: [Vec<u8>; 2],
}

/// Reads comments and header, and decides on the columns by the first edge,
/// which is left to be read.
pub(super) fn open(
    text: &mut Text,
    options: &Options,
    format: Format,
    tolerance: &mut Tolerance,
) -> Result<TableParser, FormatError> {
    let (csv, events) = (format == Format::Csv, format == Format::Events);
    let mut parser = TableParser {
        ids: options.ids,
        time_unit: options.time_unit,
        vertices: match options.contents {
            _ if events => false,
            Contents::ByName => is_vertex_list(&text.path),
            Contents::Edges => false,
            Contents::Vertices => true,
        },
        events,
        comments: options
            .comments
            .unwrap_or(!csv || options.ids == EndpointKind::Number),
        allow_uneven: options.allow_uneven,
        dialect: Dialect::Mixed,
        columns: Columns::default(),
        width: 0,
        shape: Vec::new(),
        symmetric: false,
        left_count: None,
        announced: None,
        seen: 0,
        fields: Vec::new(),
        scratch: Default::default(),
    };
    let mut konect = Konect::default();
    let mut names: Option<Vec<String>> = None;
    let mut is_first = true;
    loop {
        let limit = text.lines.limit();
        let Some(line) = text.next()? else { break };
        let number = line.number;
        let line = match line.content {
            Content::Text(line) => line,
            Content::TooLong(start) => {
                let flaw = BadLine::LineTooLong { limit }.into();
                tolerance.judge(&text.path, number, start, flaw)?;
                continue;
            }
        };
        let may_be_comment = options.comments.is_none() && !parser.vertices;
        let may_be_comment = may_be_comment && is_of_one_column(line, options.separator);
        if is_idle(line, parser.comments || may_be_comment) {
            parser.symmetric |= line.starts_with(b"# Undirected graph");
            konect.comment(number, line);
            continue;
        }
        // Kept, because the next line may have to be looked at beside it.
        let line = line.to_vec();
        if is_first {
            is_first = false;
            parser.dialect = match options.separator {
                Some(separator) => Dialect::with_separator(separator, csv),
                None if csv => Dialect::of_csv(&line),
                None => Dialect::Mixed,
            };
            let next = text.following()?;
            let second = next.split(|&byte| byte == b'\n').next();
            let second = second.unwrap_or_default().to_vec();
            if let Some((announced, undirected)) = julia_head(&line, next) {
                parser.announced = Some(announced);
                parser.symmetric |= undirected;
                continue;
            }
            match parser.header(&line, &second, options, csv) {
                Ok(None) => {}
                Ok(found) => {
                    names = found;
                    continue;
                }
                Err(flaw) => {
                    tolerance.judge(&text.path, number, excerpt(&line), flaw)?;
                    continue;
                }
            }
        }
        match parser.first_edge(&line, options, names.as_deref()) {
            Ok(()) => {
                text.lines.unread();
                break;
            }
            Err(flaw) => tolerance.judge(&text.path, number, excerpt(&line), flaw)?,
        }
    }
    parser.symmetric |= konect.symmetric;
    if !parser.vertices {
        parser.left_count = konect.left_count(&text.path, options)?;
    }
    Ok(parser)
}

/// Whether a line of csv before the first edge has one column, and so no `#tag` that is an
/// end: one word, or words behind a mark that stands alone.
fn is_of_one_column(line: &[u8], separator: Option<u8>) -> bool {
    let separates = |byte: &u8| match separator {
        Some(separator) => *byte == separator,
        None => matches!(byte, b',' | b';' | b'|' | b'\t'),
    };
    let line = line.trim_ascii();
    let first = line
        .split(|&byte| is_blank(byte))
        .next()
        .unwrap_or_default();
    let is_mark = !first.iter().any(u8::is_ascii_alphanumeric);
    !line.iter().any(separates) && (is_mark || first.len() == line.len())
}

impl TableParser {
    /// The names in `line`, if it is a header by its looks, or beside the second line.
    fn header(
        &mut self,
        line: &[u8],
        second: &[u8],
        options: &Options,
        csv: bool,
    ) -> Result<Option<Vec<String>>, Flaw> {
        self.dialect.split(line, &mut self.fields)?;
        let [scratch, _] = &mut self.scratch;
        let mut names = Vec::new();
        for field in &self.fields {
            let mut bytes = field.bytes(line);
            if field.escaped {
                unescape(bytes, scratch);
                bytes = scratch;
            }
            names.push(String::from_utf8_lossy(bytes).into_owned());
        }
        let numbers = self.ids == EndpointKind::Number;
        let is_header = match options.header_choice() {
            Header::Present => true,
            Header::Absent => false,
            Header::Auto if csv && numbers => {
                let looks_like_name = |index: usize| {
                    names.get(index).is_some_and(|name| {
                        let starts_number = |c: char| c.is_ascii_digit() || c == '+' || c == '-';
                        !name.is_empty() && !name.starts_with(starts_number)
                    })
                };
                let (source, target) = Columns::ends(options, self.vertices, Some(&names))?;
                looks_like_name(source) && target.is_none_or(looks_like_name)
            }
            // Text may be anything, and a first edge must not be taken for names.
            Header::Auto => {
                (csv || numbers) && names_ends(&names, self.vertices)
                    || csv && self.names_numbers(&names, second, options)?
            }
        };
        Ok(is_header.then_some(names))
    }

    /// Whether a line has numbers or times below words, beside its ends.
    fn names_numbers(
        &mut self,
        names: &[String],
        line: &[u8],
        options: &Options,
    ) -> Result<bool, Flaw> {
        let is_number = |field: &[u8]| weight(field).is_ok() || is_time_value(field);
        let is_word =
            |name: &str| name.starts_with(char::is_alphabetic) && !is_number(name.as_bytes());
        let (source, target) = Columns::ends(options, self.vertices, Some(names))?;
        let mut ends = [Some(source), target].into_iter().flatten();
        let are_words = ends.all(|end| names.get(end).is_some_and(|name| is_word(name)));
        let is_cut = self.dialect.split(line, &mut self.fields).is_ok();
        if !are_words || !is_cut || self.fields.len() != names.len() {
            return Ok(false);
        }
        let columns = names.iter().zip(&self.fields).enumerate();
        let mut others = columns.filter(|&(at, _)| at != source && Some(at) != target);
        Ok(others.any(|(_, (name, field))| is_word(name) && is_number(field.bytes(line))))
    }

    /// Decides on the columns by `line`, and tries them on it.
    fn first_edge(
        &mut self,
        line: &[u8],
        options: &Options,
        names: Option<&[String]>,
    ) -> Result<(), Flaw> {
        self.dialect.split(line, &mut self.fields)?;
        let first: Vec<&[u8]> = self.fields.iter().map(|field| field.bytes(line)).collect();
        self.columns = match self.events {
            true => Columns::decide_events(options, names, &first)?,
            false => Columns::decide(options, self.vertices, names, &first)?,
        };
        self.width = first.len();
        self.shape = shape::of_table(&self.columns, options, names, &first);
        self.edge(line, &mut EdgeBatch::default())
    }

    /// Takes a line that is an edge.
    fn edge(&mut self, line: &[u8], out: &mut EdgeBatch) -> Result<(), Flaw> {
        let TableParser {
            fields,
            scratch,
            columns,
            ..
        } = self;
        self.dialect.split(line, fields)?;
        let (found, needed) = (fields.len(), columns.needed());
        if found < needed {
            return Err(BadLine::TooFewColumns { found, needed }.into());
        }
        if found != self.width && !self.allow_uneven {
            let expected = self.width;
            return Err(BadLine::UnevenColumns { found, expected }.into());
        }
        let blame = |index: usize| {
            let at = fields[index].start;
            move |reason| Flaw::at(at, reason)
        };
        let mut read_operation = None;
        if let Some(index) = columns.operation {
            let deletes = deletes(fields[index].bytes(line));
            read_operation = Some(
                deletes
                    .ok_or(BadLine::NotAnOperation)
                    .map_err(blame(index))?,
            );
        }
        let mut read_weight = None;
        if let Some(index) = columns.weight {
            let field = fields[index].bytes(line);
            let weight = weight(field).map_err(blame(index))?;
            out.rounds_weights = out.rounds_weights || is_rounded(field, weight);
            read_weight = Some(weight);
        }
        let mut read_time = None;
        if let Some(index) = columns.timestamp {
            let time = self.time_unit.seconds(fields[index].bytes(line));
            read_time = Some(time.ok_or(BadLine::NotATime).map_err(blame(index))?);
        }
        let (source, target) = (columns.source, columns.target);
        match self.ids {
            EndpointKind::Number => {
                let number =
                    |index: usize, end| id(fields[index].bytes(line), end).map_err(blame(index));
                let from = number(source, Endpoint::Source)?;
                let mut to = target.map(|to| number(to, Endpoint::Target)).transpose()?;
                if let (Some(count), Some(to)) = (self.left_count, &mut to) {
                    if from > count {
                        let (end, id) = (Endpoint::Source, from);
                        return Err(blame(source)(BadLine::IdOutOfRange { end, id, count }));
                    }
                    let shifted = to.checked_add(count);
                    *to = shifted.ok_or(BadLine::IdTooLarge(Endpoint::Target))?;
                }
                out.sources.push(from);
                out.targets.extend(to);
            }
            EndpointKind::Text => {
                let [scratch_from, scratch_to] = scratch;
                let from = text(line, fields[source], Endpoint::Source, scratch_from);
                let from = from.map_err(blame(source))?;
                if let Some(index) = target {
                    let to = text(line, fields[index], Endpoint::Target, scratch_to);
                    out.target_texts.push(to.map_err(blame(index))?);
                }
                out.source_texts.push(from);
            }
        }
        out.weights.extend(read_weight);
        out.timestamps.extend(read_time);
        out.deletions.extend(read_operation);
        Ok(())
    }

    /// Whether each line is two numbers and no more.
    fn is_plain(&self) -> bool {
        let ends_first = Columns {
            target: Some(1),
            ..Columns::default()
        };
        self.ids == EndpointKind::Number
            && self.columns == ends_first
            && self.width == 2
            && self.left_count.is_none()
    }
}

/// A field as text.
fn text<'a>(
    line: &'a [u8],
    field: Field,
    end: Endpoint,
    scratch: &'a mut Vec<u8>,
) -> Result<&'a str, BadLine> {
    let mut bytes = field.bytes(line);
    if field.escaped {
        unescape(bytes, scratch);
        bytes = scratch;
    }
    if bytes.is_empty() {
        return Err(BadLine::EmptyId(end));
    }
    std::str::from_utf8(bytes).map_err(|_| BadLine::NotUtf8(end))
}

impl LineParser for TableParser {
    fn block(&mut self, window: &[u8], room: usize, out: &mut EdgeBatch) -> (usize, u64) {
        if !self.is_plain() {
            return (0, 0);
        }
        let room = match self.announced {
            Some((_, edges)) => room.min(usize::try_from(edges - self.seen).unwrap_or(room)),
            None => room,
        };
        let (bytes, lines) = match self.dialect {
            Dialect::Mixed => pairs(window, room, out, |byte| {
                is_blank(byte) || byte == b',' || byte == b';'
            }),
            Dialect::Blanks => pairs(window, room, out, is_blank),
            Dialect::Single(separator) | Dialect::Quoted(separator) => {
                pairs(window, room, out, |byte| byte == separator)
            }
        };
        self.seen += lines;
        (bytes, lines)
    }

    fn line(&mut self, line: &[u8], out: &mut EdgeBatch) -> Result<(), Flaw> {
        if is_idle(line, self.comments) {
            return Ok(());
        }
        if let Some((_, announced)) = self.announced
            && self.seen >= announced
        {
            let what = "edges";
            return Err(BadLine::MoreThanAnnounced { what, announced }.into());
        }
        self.edge(line, out)?;
        self.seen += 1;
        Ok(())
    }

    fn pass(&mut self, line: &[u8]) {
        let more = self.announced.is_none_or(|(_, edges)| self.seen < edges);
        self.seen += u64::from(more && !is_idle(line, self.comments));
    }

    fn finish(&self, file: &Path) -> Result<(), FormatError> {
        match self.announced {
            Some((_, announced)) if self.seen < announced => Err(FormatError::WrongCount {
                file: file.to_owned(),
                what: "edges",
                announced,
                found: self.seen,
            }),
            _ => Ok(()),
        }
    }

    fn declared_ids(&self) -> Option<Range<u64>> {
        // JuliaGraphs counts from 1, and ids are given as written.
        let (vertices, _) = self.announced?;
        Some(1..vertices.saturating_add(1))
    }

    fn columns(&self) -> Vec<FileColumn> {
        self.shape.clone()
    }

    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn vertices(&self) -> bool {
        self.vertices
    }
}

/// Takes lines of two short numbers from the front of `window`: the loop that
/// most of the bytes of most files go through. Stops before any other line.
#[inline]
fn pairs(
    window: &[u8],
    room: usize,
    out: &mut EdgeBatch,
    separates: impl Fn(u8) -> bool,
) -> (usize, u64) {
    let (mut taken, mut lines) = (0, 0);
    while lines < room {
        let Some((source, at)) = digits(window, taken) else {
            break;
        };
        if !window.get(at).is_some_and(|&byte| separates(byte)) {
            break;
        }
        let Some((target, mut at)) = digits(window, at + 1) else {
            break;
        };
        if window.get(at) == Some(&b'\r') {
            at += 1;
        }
        if window.get(at) != Some(&b'\n') {
            break;
        }
        out.sources.push(source);
        out.targets.push(target);
        taken = at + 1;
        lines += 1;
    }
    (taken, lines as u64)
}
